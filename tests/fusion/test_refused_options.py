"""What a fusion refuses in its options: of which class, and that the message helps."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankmeld as rm
from support.refusals import LIMITED, MANY, NOW, ONE, TWO, refusal

NAN, INF = math.nan, math.inf


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
