"""`evaluate_crag` and `grade_scores` against the oracle, and each of their rules by hand."""

from __future__ import annotations

import copy
import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import rankmeld as rm
from reference.confidence import evaluate_crag as oracle
from reference.confidence import grade_scores as grade_oracle
from support.check import fused, outcome
from support.strategies import any_scores, odd_ids, pairs

LARGEST, LEAST = math.nextafter(math.inf, 0.0), math.ulp(0.0)
#: Scores that meet borders, and few enough of them to be equal now and then.
near_borders = st.sampled_from(
    [-1.0, 0.0, 0.004, 0.005, 0.29, 0.3, 0.45, 0.63, 0.65, 0.9, 1.4, LEAST, LARGEST]
)
border = st.sampled_from([-math.inf, -LARGEST, -1.0, 0.0, LEAST, 0.005, 0.3, 0.65, 1.0, LARGEST, math.nan])
options = st.fixed_dictionaries(
    {}, optional={"high": border, "low": border, "floor": border, "dynamic": st.booleans()}
)


def evaluated(hits, **options):
    found = rm.evaluate_crag(hits, rm.CragConfig(**options))
    places = [found.ranking.explain(id).stages[0].details["position_before"] for id in found.ranking.ids]
    return found.grade, found.confidence, found.needs_refinement, places


@given(pairs(st.sampled_from("abcdefgh"), near_borders | any_scores, unique=True), options)
@example([("a", LARGEST), ("b", LARGEST), ("c", LARGEST)], {"high": LARGEST, "dynamic": True})
@example([("a", 1.0), ("b", LARGEST), ("c", -LARGEST)], {"floor": -LARGEST, "high": LARGEST, "dynamic": True})
@example([("a", LEAST), ("b", LEAST), ("c", 0.0)], {"floor": 0.0, "dynamic": True})
@example([("a", 0.5), ("b", 0.0)], {"floor": 0.0, "dynamic": True})
@example([("a", 0.5), ("b", -1.0)], {"floor": -2.0, "dynamic": True})
@example([("a", -1.0), ("b", -9.0)], {"floor": -9.0, "low": -9.0, "dynamic": True})
def test_equals_the_oracle(hits, options):
    assert outcome(evaluated, hits, **options) == outcome(oracle, hits, **options)


@given(
    st.lists(st.floats(0, 1) | st.sampled_from([None, 1.1, -LEAST, math.nan, 0.65, 0.3]), max_size=6), options
)
def test_grade_scores_equals_the_oracle(scores, options):
    def found():
        return rm.grade_scores(scores, rm.CragConfig(**options))

    assert outcome(found) == outcome(grade_oracle, scores, **options)


@pytest.mark.parametrize(
    ("scores", "grade"),
    [
        ([0.65], "high"),
        ([0.6499], "medium"),
        ([0.3], "medium"),
        ([0.2999], "low"),
        ([0.2, 0.7, 0.1], "high"),  # the top need not come first
        ([0.001], "low"),
        ([], "low"),
    ],
)
def test_borders_belong_to_the_better_grade(scores, grade):
    found = rm.evaluate_crag([(place, score) for place, score in enumerate(scores)])
    assert (found.grade, found.needs_refinement) == (grade, grade == "low")
    assert found.confidence == max(scores, default=0.0)
    assert rm.grade_scores(scores) == grade


@pytest.mark.parametrize(
    ("scores", "options", "grade"),
    [
        ([0.28, 0.2], {}, "high"),
        ([0.27, 0.2], {}, "medium"),
        ([0.28], {}, "medium"),  # there is nothing it could stand above
        ([0.28, 0.001], {}, "medium"),  # what is below the floor counts no more
        ([0.7, 0.69], {}, "high"),  # already by the border
        ([0.004], {}, "low"),
        ([0.5, 0.0], {"floor": 0.0}, "high"),
        ([0.0, 0.0], {"floor": 0.0}, "medium"),
        ([0.5, -1.0], {"floor": -1.0}, "medium"),
        ([-1.0, -9.0], {"floor": -9.0}, "medium"),
        ([1e308, 5e307, 5e307], {"high": 1.7e308}, "high"),
        ([1.5e308, 1.4e308, 1.3e308], {"high": 1.7e308}, "medium"),
        ([1e308, -LEAST], {"floor": -1.0, "high": 1.7e308}, "medium"),  # beyond every float, but below 0
        ([LEAST, LEAST, 0.0], {"floor": 0.0}, "high"),  # 1 over 1/2, in the least of units
    ],
)
def test_dynamic(scores, options, grade):
    hits = list(enumerate(scores))
    assert rm.evaluate_crag(hits, rm.CragConfig(dynamic=True, **options)).grade == grade


def test_hits_below_the_floor_go_and_say_why():
    given = rm.rrf([["a", "b"], ["b", "c"]])
    config = rm.CragConfig(floor=0.0162)
    found = rm.evaluate_crag(given, config)
    assert fused(found.ranking) + fused(found.pruned) == fused(given)
    assert found.pruned.ids == ["c"]
    stage = found.pruned.explain("c").stages[-1]
    assert str(stage) == "evaluate_crag: position_before 2, score 0.016129, floor 0.0162, grade low"
    assert found.ranking.explain("b").sources == given.explain("b").sources


def test_the_order_given_is_kept_and_so_are_the_objects():
    hits = [("x", 0.1), (2, 0.9), ("x", 0.001), (True, 0.4)]
    found = rm.evaluate_crag(hits)
    assert fused(found.ranking) == [("x", 0.1), (2, 0.9), (True, 0.4)]
    assert found.ranking.ids[2] is True
    assert hits == [("x", 0.1), (2, 0.9), ("x", 0.001), (True, 0.4)]


@given(pairs(odd_ids, any_scores), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
def test_a_better_top_never_has_a_worse_grade(hits, better, dynamic):
    assume(hits)
    config = rm.CragConfig(dynamic=dynamic)
    before = rm.evaluate_crag(hits, config)
    place = max(range(len(hits)), key=lambda place: hits[place][1])
    assume(better >= hits[place][1])
    raised = [*hits[:place], (hits[place][0], better), *hits[place + 1 :]]
    after = rm.evaluate_crag(raised, config)
    # Under `dynamic` a top that came over the floor may be the first to count; it is then no worse either.
    assert after.grade >= before.grade
    assert after.confidence >= before.confidence


@given(st.lists(st.floats(0, 1)), st.floats(0, 1))
def test_one_more_score_never_lowers_the_grade(scores, more):
    assert rm.grade_scores([*scores, more]) >= rm.grade_scores(scores)


def test_grades_are_ordered_by_what_they_mean():
    low, medium, high = rm.CragGrade
    assert low < medium < high
    assert low <= low <= "low" <= medium
    assert high > low
    assert high >= "medium"
    assert max(low, high, medium) is high
    assert sorted([high, "low", medium]) == ["low", "medium", "high"]
    with pytest.raises(
        rm.InvalidArgumentError, match="a CragGrade is 'good'; it must be one of 'low', 'medium', 'high'"
    ):
        _ = low < "good"
    with pytest.raises(TypeError, match="a CragGrade must be one of 'low', 'medium', 'high', not int"):
        _ = low < 1
    assert low != "good"
    assert {low: 1}["low"] == 1


def test_results_travel():
    found = rm.evaluate_crag([("a", 0.7), ("b", 0.001)])
    for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert copied == found
        assert copied.grade is rm.CragGrade.HIGH
    assert json.dumps({"grade": found.grade, "confidence": found.confidence}) == (
        '{"grade": "high", "confidence": 0.7}'
    )
    assert type(found.confidence) is float
    config = rm.CragConfig(high=np.float32(1), dynamic=True)
    assert pickle.loads(pickle.dumps(config)) == config == rm.CragConfig(high=1, dynamic=True)
    assert type(config.high) is float


def test_grades_of_numbers_of_any_kind():
    for scores in [
        [Decimal("0.7"), 0],
        np.array([0.1, Decimal("0.7")], dtype=object),
        pa.array([0.7, 0.1]),
        [Fraction(7, 10)],
    ]:
        assert rm.grade_scores(scores) == "high"
    with pytest.raises(rm.InvalidScoreError, match=r"scores\[1\] is None"):
        rm.grade_scores(np.array([0.7, None], dtype=object))


def test_a_switch_may_come_from_an_array():
    config = rm.CragConfig(dynamic=np.bool_(True))
    assert config == rm.CragConfig(dynamic=True)
    assert config.dynamic is True
