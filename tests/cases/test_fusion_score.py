"""Known failures of score fusion elsewhere, each as a test of its whole kind."""

from __future__ import annotations

import copy
import json
import math

import pytest

import rankmeld as rm
from support.check import fused

METHODS = ("minmax", "max", "sum", "zscore", "dbsf", "none")
SPREAD = ("minmax", "sum", "zscore", "dbsf")


def scores(lists: list[object], **options: object) -> dict[object, float]:
    return dict(fused(rm.fuse_scores(lists, **options)))


@pytest.mark.parametrize("score", [0.95, 0.0, -3.0, 1e-300, 1e300])
def test_c021_a_list_of_one_entry_is_not_worthless(score):
    found = scores([{"a": score}, {"b": 0.2, "c": 0.1}], weights=[1.0, 1.0])
    assert found == {"a": 1.0, "b": 1.0, "c": 0.0}


@pytest.mark.parametrize("count", [1, 2, 3, 50])
@pytest.mark.parametrize("value", [2.0, 0.0, -2.0, 5e-324, 1.7e308])
@pytest.mark.parametrize(
    ("method", "constant"), [("minmax", 1.0), ("sum", 0.0), ("zscore", 0.0), ("dbsf", 0.5)]
)
def test_c022_equal_scores_have_a_rule_of_their_own(method, constant, value, count):
    found = scores([[(i, value) for i in range(count)]], normalize=method)
    assert set(found.values()) == {constant}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("form", [dict, lambda scored: list(scored.items())])
def test_c024_an_absent_score_is_not_zero(method, form):
    """The contract refuses: `None` is no number, and no rank below the others either."""
    given = {"a": -1.0, "b": None, "c": -0.5}
    with pytest.raises(rm.InvalidScoreError, match="b"):
        rm.fuse_scores([form(given)], normalize=method)
    assert given == {"a": -1.0, "b": None, "c": -0.5}


@pytest.mark.parametrize("method", METHODS)
def test_c027_inputs_are_left_alone_and_raw_scores_stay_at_hand(method):
    runs = [{"a": 10.0, "b": 4.0}, {"b": 0.9}]
    before = copy.deepcopy(runs)
    ranking = rm.fuse_scores(runs, normalize=method)
    assert runs == before
    raw = [source.score for source in ranking.explain("b").sources]
    assert raw == [4.0, 0.9]
    assert rm.fuse_scores(runs, normalize=method) == ranking


def test_c028_the_shape_of_a_result_does_not_depend_on_who_was_empty():
    shapes = set()
    for runs in ([{"a": 1.0, "b": 0.2}, {}], [{"a": 1.0, "b": 0.2}, {"a": 3.0}], [{}, {"a": 3.0}]):
        ranking = rm.fuse_scores(runs)
        shapes |= {tuple(one) for one in ranking.to_dicts()}
        assert all(isinstance(hit.score, float) for hit in ranking)
    assert len(shapes) == 1


def test_c029_known_ranges_do_not_blow_up_tiny_differences():
    runs = [{"A": 0.0, "B": 0.1}, {"A": 0.003, "B": 0.0}]
    from_data = scores(runs, weights=[0.3, 0.7])
    known = scores(runs, weights=[0.3, 0.7], bounds=[(0.0, 1.0), (0.0, 1.0)])
    assert from_data == pytest.approx({"A": 0.7, "B": 0.3}, abs=1e-12)
    assert known == pytest.approx({"A": 0.0021, "B": 0.03}, abs=1e-12)


def test_c030_bounds_map_and_clip():
    run = {"a": 0.77, "b": 0.76, "c": 0.75}
    assert scores([run], bounds=[(0.75, 1.0)]) == pytest.approx({"a": 0.08, "b": 0.04, "c": 0.0}, abs=1e-12)
    outside = {"low": -5.0, "in": 0.5, "high": 7.0}
    assert scores([outside], bounds=[(0, 1)]) == {"low": 0.0, "in": 0.5, "high": 1.0}
    assert scores([{"alone": 0.25}], bounds=[(0, 1)]) == {"alone": 0.25}


def test_c031_an_absent_channel_adds_nothing_and_is_not_made_up_for():
    runs = [{"x": 0.9}, {"y": 0.9}]
    assert scores(runs, weights=[0.7, 0.3]) == {"x": 0.7, "y": 0.3}
    assert fused(rm.convex(*runs, alpha=0.7)) == [("x", 0.7), ("y", pytest.approx(0.3))]
    for bad in (math.nan, -0.7, math.inf):
        with pytest.raises(rm.InvalidArgumentError, match="weight"):
            rm.fuse_scores(runs, weights=[bad, 0.3])
        with pytest.raises(rm.InvalidArgumentError, match="alpha"):
            rm.convex(*runs, alpha=bad)


def test_c031_all_weights_zero_is_all_scores_zero():
    """The contract allows it: zero is zero, and the candidates stay in first-seen order."""
    assert fused(rm.fuse_scores([{"x": 0.9}, {"y": 0.9}], weights=[0, 0])) == [("x", 0.0), ("y", 0.0)]


def test_c032_the_maximum_does_not_depend_on_the_order_of_the_runs():
    runs = [{"a": 0.9}, {"a": 0.2, "b": 0.5}]
    for turned in (runs, runs[::-1]):
        assert scores(turned, normalize="none", combine="max") == {"a": 0.9, "b": 0.5}


@pytest.mark.parametrize("method", [*METHODS, "rank", "borda"])
@pytest.mark.parametrize("combine", ["sum", "mnz", "anz", "max", "min", "median"])
def test_c033_an_empty_run_contributes_nothing(method, combine):
    runs = [{"a": 3.0, "b": 1.0}, {}]
    ranking = rm.fuse_scores(runs, normalize=method, combine=combine, weights=[0.5, 0.5])
    assert ranking.ids == ["a", "b"]
    alone = rm.fuse_scores(runs[:1], normalize=method, combine=combine, weights=[0.5])
    assert fused(ranking) == fused(alone)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("run", [{"a": -1.0, "b": -2.0, "c": -4.0}, {"a": 0.0, "b": -2.0, "c": -1e300}])
def test_c034_no_normalization_turns_negative_scores_around(method, run):
    """`max` is all 0 where the maximum is not above 0: equal, never the other way round."""
    found = scores([run], normalize=method)
    assert found["a"] >= found["b"] >= found["c"]
    assert method == "max" or found["a"] > found["c"]
    assert rm.fuse_scores([run], normalize=method).ids == ["a", "b", "c"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan])
def test_c035_one_infinite_score_does_not_spread(method, bad):
    """The contract refuses and names the hit."""
    with pytest.raises(rm.InvalidScoreError, match="b"):
        rm.fuse_scores([{"a": 1.0, "b": bad, "c": 0.0}, {"a": 0.5}], normalize=method)


def test_c036_zero_is_a_value_and_none_is_off():
    """No score filter here yet; the same slip in every optional number of fusion."""
    lists = [[("a", 0.4), ("b", 0.0), ("c", -0.1)]]
    assert rm.fuse_scores(lists, limit=0).ids == []
    assert rm.fuse_scores(lists, limit=None).ids == ["a", "b", "c"]
    assert rm.dedup(lists[0], limit=0).ids == []
    assert scores([{"a": 2.0}], on_constant=0.0) == {"a": 0.0}
    assert scores([{"a": 2.0}], on_constant=None) == {"a": 1.0}
    assert fused(rm.rrf([["a"], ["b"]], weights=[0, None])) == [("b", 1 / 61), ("a", 0.0)]
    assert fused(rm.rrf([rm.Source("s", ["a"], weight=0.0)])) == [("a", 0.0)]
    assert fused(rm.rrf([["a"]], k=0)) == [("a", 1.0)]
    assert rm.time_decay([("a", 2.0)], undated=0.0).scores.tolist() == [0.0]


def test_c274_results_are_strict_json():
    ranking = rm.fuse_scores([{"a": 0.1, "b": 1 / 3, "c": 1e-300}], normalize="none")
    text = json.dumps(ranking.to_dicts(), allow_nan=False)
    assert [one["score"] for one in json.loads(text)] == [1 / 3, 0.1, 1e-300]
    for bad in (math.nan, math.inf):
        with pytest.raises(rm.InvalidScoreError):
            rm.fuse_scores([{"a": 1.0, "b": bad}], normalize="none")
