"""Each thing that a fusion refuses: of which class, and that the message helps.

A message names the argument, what came, and what is wanted. `test_error_texts.py` pins whole texts.
"""

from __future__ import annotations

import datetime as dt
import math
import uuid

import numpy as np
import pytest

import rankmeld as rm

NOW = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
ONE = [("a", 2.0), ("b", 1.0)]
TWO = [ONE, [("b", 9.0), ("c", 8.0)]]
NAN, INF = math.nan, math.inf

#: Every function that takes a list of rankings, and every one that takes a single ranking.
MANY = {
    "rrf": rm.rrf,
    "fuse_scores": rm.fuse_scores,
    "fuse_ranks": lambda rankings, **o: rm.fuse_ranks(rankings, method="isr", **o),
}
ONE_OF = {
    "Ranking": rm.Ranking,
    "dedup": rm.dedup,
    "time_decay": lambda ranking, **o: rm.time_decay(ranking, now=NOW, **o),
    "rrf": lambda ranking, **o: rm.rrf([ranking], **o),
    "fuse_scores": lambda ranking, **o: rm.fuse_scores([ranking], **o),
    "convex": lambda ranking, **o: rm.convex(ranking, ONE, **o),
}
LIMITED = {
    **MANY,
    "convex": lambda rankings, **o: rm.convex(*rankings, **o),
    "dedup": lambda rankings, **o: rm.dedup(rankings[0], **o),
    "rrf_by_kind": lambda rankings, **o: rm.rrf_by_kind(
        [rm.Source(f"s{i}", ranking) for i, ranking in enumerate(rankings)], **o
    ).rankings["chunk"],
}
NEEDS_SCORES = {name: ONE_OF[name] for name in ("time_decay", "fuse_scores", "convex")}


def refusal(kind: type[Exception], call, *args, **options) -> str:
    with pytest.raises(kind) as caught:
        call(*args, **options)
    assert isinstance(caught.value, rm.RankmeldError) == (kind is not TypeError)
    return str(caught.value)


# ------------------------------------------------------------------------------------ scores
@pytest.mark.parametrize("function", NEEDS_SCORES)
@pytest.mark.parametrize(("bad", "shown"), [(NAN, "nan"), (INF, "inf"), (-INF, "-inf"), (None, "None")])
def test_a_score_that_is_no_number(function, bad, shown):
    message = refusal(rm.InvalidScoreError, NEEDS_SCORES[function], [("ok", 1.0), ("doc-bad", bad)])
    assert "doc-bad" in message
    assert "1" in message
    assert shown.lower() in message.lower() or (bad is None and "no score" in message)


@pytest.mark.parametrize("normalize", ["minmax", "max", "sum", "zscore", "dbsf", "none"])
@pytest.mark.parametrize("bad", [NAN, INF, -INF, None])
def test_the_list_and_the_position_of_a_bad_score_are_named(normalize, bad):
    lists = [ONE, [("x", 1.0), ("y", 1.0), ("doc-bad", bad)]]
    message = refusal(rm.InvalidScoreError, rm.fuse_scores, lists, normalize=normalize)
    for part in ("doc-bad", "1", "2"):
        assert part in message


@pytest.mark.parametrize("bad", [NAN, INF, None])
def test_a_bad_score_in_a_mapping_cannot_be_ordered(bad):
    for function in (*MANY.values(),):
        assert "doc-bad" in refusal(rm.InvalidScoreError, function, [ONE, {"ok": 1.0, "doc-bad": bad}])
    assert "doc-bad" in refusal(rm.InvalidScoreError, rm.Ranking, {"doc-bad": bad, "ok": 1.0})


@pytest.mark.parametrize("bad", [NAN, INF, -INF, None])
def test_positions_alone_ignore_scores(bad):
    odd = [("a", bad), ("b", 1.0)]
    assert rm.rrf([odd]).ids == ["a", "b"]
    assert rm.fuse_ranks([odd], method="isr").ids == ["a", "b"]


@pytest.mark.parametrize("function", ONE_OF)
@pytest.mark.parametrize("bad", ["0.5", b"1", [1.0], {"s": 1}, 1 + 2j, object()])
def test_a_score_of_the_wrong_kind(function, bad):
    message = refusal(TypeError, ONE_OF[function], [("ok", 1.0), ("doc-bad", bad)])
    assert type(bad).__name__ in message


@pytest.mark.parametrize("function", NEEDS_SCORES)
@pytest.mark.parametrize("bare", [["a", "b"], np.array([1, 2]), [rm.Hit("a"), rm.Hit("b")]])
def test_a_list_without_scores(function, bare):
    assert "score" in refusal(rm.InvalidScoreError, NEEDS_SCORES[function], bare)


def test_a_number_too_large_for_a_float():
    with pytest.raises((rm.InvalidScoreError, OverflowError)):
        rm.fuse_scores([[("a", 10**400)]])


# --------------------------------------------------------------------------------------- ids
@pytest.mark.parametrize("function", ONE_OF)
@pytest.mark.parametrize("bad", [[1], {"x": 1}, {1}, bytearray(b"x"), np.array([1, 2])])
def test_an_id_that_cannot_be_hashed(function, bad):
    message = refusal(TypeError, ONE_OF[function], [("ok", 1.0), (bad, 0.5)])
    assert "hash" in message
    assert "1" in message


@pytest.mark.parametrize("name", MANY)
def test_the_list_of_an_id_that_cannot_be_hashed_is_named(name):
    message = refusal(TypeError, MANY[name], [ONE, ONE, [("ok", 1.0), ([], 0.5)]])
    assert "2" in message
    assert "1" in message


@pytest.mark.parametrize("function", ONE_OF)
@pytest.mark.parametrize("bad", [NAN, np.float64("nan"), np.float32("nan")])
def test_nan_is_no_id(function, bad):
    message = refusal(ValueError, ONE_OF[function], [("ok", 1.0), (bad, 0.5)])
    assert "nan" in message.lower()


@pytest.mark.parametrize("id", [0, "", 0.0, False, b"", (), frozenset(), uuid.UUID(int=0)])
def test_falsy_ids_are_ids(id):
    assert rm.rrf([[("x", 1.0), (id, 0.5)]]).ids == ["x", id]


# --------------------------------------------------------------------------------- rankings
@pytest.mark.parametrize("function", ONE_OF)
@pytest.mark.parametrize("bad", ["abc", b"abc", bytearray(b"ab"), 5, 2.5, True, None, object(), len])
def test_no_ranking(function, bad):
    if function == "Ranking" and bad is None:
        pytest.skip("whether None is nothing at all is the constructor's own affair")
    message = refusal(TypeError, ONE_OF[function], bad)
    assert "ranking" in message
    assert type(bad).__name__ in message


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("bad", ["abc", b"abc", 5, None, 2.5])
def test_no_list_of_rankings(name, bad):
    assert "rankings" in refusal(TypeError, MANY[name], bad)


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("slip", [["a", "b"], ("a", "b"), [1, 2, 3], [b"a"], iter(["a"])])
def test_a_list_of_ids_where_a_list_of_rankings_belongs(name, slip):
    message = refusal(TypeError, MANY[name], slip)
    assert "list of rankings" in message or "[" in message  # says how to write it instead


@pytest.mark.parametrize("name", MANY)
def test_the_place_of_what_is_no_ranking_is_named(name):
    assert "2" in refusal(TypeError, MANY[name], [ONE, ONE, 5])


def test_a_single_ranking_or_document_where_many_belong():
    for slip in (rm.Ranking(ONE), rm.Document(id="a"), rm.Source("s", ONE)):
        with pytest.raises(TypeError):
            rm.rrf(slip)


# ---------------------------------------------------------------------------------- weights
@pytest.mark.parametrize("name", ["rrf", "fuse_scores"])
@pytest.mark.parametrize("weights", [[1], [], [1, 2, 3], (0.5,), np.ones(3)])
def test_weights_of_the_wrong_length(name, weights):
    message = refusal(rm.InvalidArgumentError, MANY[name], TWO, weights=weights)
    assert "weights" in message
    assert "2" in message
    assert str(len(weights)) in message


@pytest.mark.parametrize("name", ["rrf", "fuse_scores"])
@pytest.mark.parametrize("bad", [-1.0, -0.001, NAN, INF, -INF])
def test_weights_that_are_negative_or_not_finite(name, bad):
    message = refusal(rm.InvalidArgumentError, MANY[name], TWO, weights=[1.0, bad])
    assert "weight" in message
    assert str(bad) in message
    named = [rm.Source("x", ONE), rm.Source("y", ONE)]
    assert "y" in refusal(rm.InvalidArgumentError, MANY[name], named, weights={"y": bad})
    assert "weight" in refusal(rm.InvalidArgumentError, rm.Source, "x", ONE, weight=bad)


@pytest.mark.parametrize("name", ["rrf", "fuse_scores"])
@pytest.mark.parametrize("bad", ["1", b"1", True, [1.0], {}, 1j])
def test_weights_of_the_wrong_kind(name, bad):
    assert "weight" in refusal(TypeError, MANY[name], TWO, weights=[1.0, bad])
    assert "weight" in refusal(TypeError, rm.Source, "x", ONE, weight=bad)


@pytest.mark.parametrize("name", ["rrf", "fuse_scores"])
@pytest.mark.parametrize("bad", [1.0, "11", b"11", {1.0, 2.0}, True])
def test_weights_that_are_no_sequence(name, bad):
    assert "weights" in refusal(TypeError, MANY[name], TWO, weights=bad)


@pytest.mark.parametrize("name", ["rrf", "fuse_scores"])
def test_a_weight_for_a_name_that_no_list_bears(name):
    named = [rm.Source("dense", ONE), rm.Source("lexical", ONE)]
    message = refusal(rm.InvalidArgumentError, MANY[name], named, weights={"Lexical": 2.0})
    assert "Lexical" in message
    assert "dense" in message
    assert "lexical" in message


def test_arguments_are_checked_before_data():
    for options in ({"weights": [1]}, {"limit": -1}, {"ties": "x"}, {"duplicates": "x"}, {"k": NAN}):
        refusal(rm.InvalidArgumentError, rm.rrf, [], **options)
    for options in ({"normalize": "x"}, {"combine": "x"}, {"on_constant": NAN}, {"bounds": [(0, 1)]}):
        refusal(rm.InvalidArgumentError, rm.fuse_scores, [], **options)
    refusal(rm.InvalidArgumentError, rm.fuse_ranks, [], method="x")
    refusal(rm.InvalidArgumentError, rm.dedup, [], limit=-1)
    refusal(rm.InvalidArgumentError, rm.convex, [], [], alpha=2)


# ----------------------------------------------------------------------------------- limits
@pytest.mark.parametrize("function", LIMITED)
@pytest.mark.parametrize("bad", [-1, -(2**63), -(10**30), np.int64(-5)])
def test_negative_limits(function, bad):
    message = refusal(rm.InvalidArgumentError, LIMITED[function], TWO, limit=bad)
    assert "limit" in message
    assert str(int(bad)) in message


@pytest.mark.parametrize("function", LIMITED)
@pytest.mark.parametrize(
    "bad", [1.0, 1.5, NAN, True, False, np.bool_(True), np.float64(2), "2", b"2", [1], 1j]
)
def test_limits_of_the_wrong_kind(function, bad):
    message = refusal(TypeError, LIMITED[function], TWO, limit=bad)
    assert "limit" in message
    assert type(bad).__name__ in message


@pytest.mark.parametrize("function", LIMITED)
@pytest.mark.parametrize("huge", [100, 2**31, 2**63 - 1, 2**63, 2**64, 10**30])
def test_huge_limits_are_all(function, huge):
    assert LIMITED[function](TWO, limit=huge) == LIMITED[function](TWO)


@pytest.mark.parametrize("function", LIMITED)
def test_anything_with_an_index_is_a_limit(function):
    class Two:
        def __index__(self) -> int:
            return 2

    whole = list(LIMITED[function](TWO))
    for limit in (Two(), np.int8(2), np.uint64(2), 2):
        assert list(LIMITED[function](TWO, limit=limit)) == whole[:2]
    assert list(LIMITED[function](TWO, limit=0)) == []


# ------------------------------------------------------------------------------------ words
WORDS = [
    (rm.rrf, "duplicates", ["first", "sum", "last", "overwrite", "error"]),
    (rm.rrf, "ties", ["first", "id_asc", "id_desc"]),
    (rm.fuse_scores, "normalize", ["minmax", "max", "sum", "zscore", "dbsf", "rank", "borda", "none"]),
    (rm.fuse_scores, "combine", ["sum", "mnz", "anz", "max", "min", "median"]),
    (rm.fuse_scores, "duplicates", ["sum", "first", "error"]),
    (rm.fuse_scores, "ties", ["first", "id_asc", "id_desc"]),
    (rm.fuse_ranks, "method", ["isr", "log_isr", "logn_isr", "borda", "rbc", "condorcet", "rrf"]),
]


@pytest.mark.parametrize(("function", "option", "allowed"), WORDS)
@pytest.mark.parametrize("word", ["", "nope", "FIRST", "Sum", " sum", "minmax\0"])
def test_unknown_words_are_answered_with_the_known_ones(function, option, allowed, word):
    message = refusal(rm.InvalidArgumentError, function, TWO, **{option: word})
    assert option in message
    assert repr(word) in message
    assert all(known in message for known in allowed)


@pytest.mark.parametrize(("function", "option", "allowed"), WORDS)
@pytest.mark.parametrize("bad", [1, True, b"sum", ["sum"]])
def test_words_of_the_wrong_kind(function, option, allowed, bad):
    with pytest.raises((TypeError, rm.InvalidArgumentError), match=option):
        function(TWO, **{option: bad})


@pytest.mark.parametrize(("function", "option", "allowed"), WORDS)
def test_known_words_are_accepted(function, option, allowed):
    for word in allowed:
        assert len(function(TWO, **{option: word})) == 3


@pytest.mark.parametrize("function", [*LIMITED, "time_decay"])
def test_unknown_keywords(function):
    call = {**LIMITED, "time_decay": lambda rankings, **o: rm.time_decay(rankings[0], now=NOW, **o)}[function]
    assert "kk" in refusal(TypeError, call, TWO, kk=60)


def test_options_are_keywords_only():
    for call in (rm.rrf, rm.fuse_scores, rm.fuse_ranks, rm.dedup, rm.time_decay, rm.rrf_by_kind):
        with pytest.raises(TypeError):
            call(TWO, 5)


def test_unknown_kinds_and_presets():
    for kind in ("", "nodes", "CHUNK"):
        message = refusal(rm.InvalidArgumentError, rm.Source, "x", ONE, kind=kind)
        assert all(known in message for known in ("chunk", "node", "edge"))
    message = refusal(rm.InvalidArgumentError, rm.rrf_preset, "solr")
    for part in ("solr", "elasticsearch", "qdrant", "steep"):
        assert part in message


# -------------------------------------------------------------------------------- constants
@pytest.mark.parametrize("bad", [NAN, INF, -INF, -1.0, -2])
def test_k_that_is_not_finite_or_too_small(bad):
    assert "k" in refusal(rm.InvalidArgumentError, rm.rrf, TWO, k=bad)


@pytest.mark.parametrize(("k", "rank_base"), [(0, 0), (-0.5, 0), (1, -1), (5, -6)])
def test_k_plus_rank_base_is_above_zero(k, rank_base):
    message = refusal(rm.InvalidArgumentError, rm.rrf, TWO, k=k, rank_base=rank_base)
    assert "rank_base" in message


@pytest.mark.parametrize("bad", ["60", None, True, [60], 1j])
def test_k_of_the_wrong_kind(bad):
    assert "k" in refusal(TypeError, rm.rrf, TWO, k=bad)


@pytest.mark.parametrize("bad", ["1", None, True, 0.5, 1.0, [1]])
def test_rank_base_of_the_wrong_kind(bad):
    assert "rank_base" in refusal(TypeError, rm.rrf, TWO, rank_base=bad)


@pytest.mark.parametrize("bad", [-0.001, 1.001, NAN, INF, -INF, 2])
def test_alpha_outside_0_to_1(bad):
    message = refusal(rm.InvalidArgumentError, rm.convex, *TWO, alpha=bad)
    assert "alpha" in message
    assert str(bad) in message


@pytest.mark.parametrize("bad", ["0.5", None, True])
def test_alpha_of_the_wrong_kind(bad):
    assert "alpha" in refusal(TypeError, rm.convex, *TWO, alpha=bad)


@pytest.mark.parametrize(
    "bad", [[(1, 0), None], [(0, 0), None], [(0, NAN), None], [(INF, 1), None], [(0, 1)], []]
)
def test_bounds_that_are_no_range_or_of_the_wrong_length(bad):
    assert "bounds" in refusal(rm.InvalidArgumentError, rm.fuse_scores, TWO, bounds=bad)


@pytest.mark.parametrize("normalize", ["max", "sum", "zscore", "dbsf", "rank", "borda", "none"])
def test_an_option_without_an_effect_is_refused(normalize):
    message = refusal(
        rm.InvalidArgumentError, rm.fuse_scores, TWO, normalize=normalize, bounds=[None, (0, 1)]
    )
    assert "bounds" in message
    if normalize in ("max", "rank", "borda", "none"):
        message = refusal(rm.InvalidArgumentError, rm.fuse_scores, TWO, normalize=normalize, on_constant=0.5)
        assert "on_constant" in message


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_on_constant_is_finite(bad):
    assert "on_constant" in refusal(rm.InvalidArgumentError, rm.fuse_scores, TWO, on_constant=bad)


# ------------------------------------------------------------------------------- duplicates
@pytest.mark.parametrize("name", ["rrf", "fuse_scores"])
def test_a_repeat_is_refused_with_both_positions(name):
    repeated = [("x", 5.0), ("doc-a", 4.0), ("y", 3.0), ("doc-a", 2.0)]
    message = refusal(rm.InvalidArgumentError, MANY[name], [ONE, repeated], duplicates="error")
    for part in ("doc-a", "1", "3"):
        assert part in message
    assert len(MANY[name]([ONE, ONE], duplicates="error")) == 2


# ------------------------------------------------------------------------------------ decay
@pytest.mark.parametrize("bad", [0, 0.0, -1, NAN, -INF])
def test_half_life_above_zero(bad):
    assert "half_life_days" in refusal(
        rm.InvalidArgumentError, rm.time_decay, ONE, now=NOW, half_life_days=bad
    )


@pytest.mark.parametrize(
    ("option", "bad"),
    [("undated", -0.1), ("undated", NAN), ("undated", INF), ("importance_weight", -1.0), ("importance_weight", NAN),
     ("importance_weight", INF), ("curve", "linear"), ("curve", ""), ("ties", "x")],
)  # fmt: skip
def test_other_options_of_decay(option, bad):
    message = refusal(rm.InvalidArgumentError, rm.time_decay, ONE, now=NOW, **{option: bad})
    assert option in message


@pytest.mark.parametrize("bad", ["not a date", "2024-02-30", "2024-13-01", NAN, INF, 1e13, "10000-01-01", ""])
def test_a_moment_that_is_none(bad):
    assert "now" in refusal(rm.InvalidArgumentError, rm.time_decay, ONE, now=bad)
    assert "created_at" in refusal(rm.InvalidArgumentError, rm.Document, id="a", created_at=bad)


@pytest.mark.parametrize("bad", [[2024], {}, object()])
def test_a_moment_of_the_wrong_kind(bad):
    assert "now" in refusal(TypeError, rm.time_decay, ONE, now=bad)
