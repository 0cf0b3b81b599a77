"""What a fusion refuses in its data: of which class, and that the message helps."""

from __future__ import annotations

import math
import uuid

import numpy as np
import pytest

import rankmeld as rm
from support.refusals import MANY, NEEDS_SCORES, ONE, ONE_OF, refusal

NAN, INF = math.nan, math.inf


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


@pytest.mark.parametrize("function", ["Ranking", *NEEDS_SCORES])
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


@pytest.mark.parametrize("function", ONE_OF)
@pytest.mark.parametrize("bad", ["abc", b"abc", bytearray(b"ab"), 5, 2.5, True, None, object(), len])
def test_no_ranking(function, bad):
    message = refusal(TypeError, ONE_OF[function], bad)
    assert "ranking" in message
    assert type(bad).__name__ in message


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("bad", ["abc", b"abc", 5, None, 2.5])
def test_no_list_of_rankings(name, bad):
    assert "rankings" in refusal(TypeError, MANY[name], bad)


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("slip", [["a", "b"], ("a", "b"), [1, 2, 3], [b"a"]])
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


@pytest.mark.parametrize("name", ["rrf", "fuse_scores"])
def test_a_repeat_is_refused_with_both_positions(name):
    repeated = [("x", 5.0), ("doc-a", 4.0), ("y", 3.0), ("doc-a", 2.0)]
    message = refusal(rm.InvalidArgumentError, MANY[name], [ONE, repeated], duplicates="error")
    for part in ("doc-a", "1", "3"):
        assert part in message
    assert len(MANY[name]([ONE, ONE], duplicates="error")) == 2
