"""`fuse_scores` and `convex` against the oracle, and what must hold whatever the input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference import scores as oracle
from reference.order import order
from reference.rankings import candidates, read
from reference.weights import weigh
from support.check import fused, outcome
from support.strategies import any_scores, odd_ids, ordinary_scores, pairs, plain_ids, rankings, weighed

NORMALIZE = ("minmax", "max", "sum", "zscore", "dbsf", "rank", "borda", "none")
SPREAD = ("minmax", "sum", "zscore", "dbsf")
COMBINE = ("sum", "mnz", "anz", "max", "min", "median")
#: Relative to the operands, since a sum may cancel; one subnormal step is the finest there is.
REL_TOL, FINEST = 1e-9, 5e-323


def magnitudes(lists: Any, *, weights: Any, normalize: str, **_: Any) -> dict[Any, float]:
    """For each id the size of what is added up: rounding is relative to that."""
    columns = [read(one) for one in lists]
    everyone = candidates(columns)
    given = weigh(columns, weights)
    sizes = dict.fromkeys(
        everyone, Fraction(sum(map(Fraction, given))) if normalize == "borda" else Fraction(0)
    )
    for one, weight in zip(columns, given, strict=True):
        values = oracle.normalized(one, normalize, total=len(everyone))
        for id, value in zip(one.ids, values, strict=True):
            # The mean of a z-score may cancel: what it rounds to is relative to the spread, which is 1.
            unit = 1 if normalize == "zscore" else 0
            sizes[id] += Fraction(weight) * (abs(value) + unit)
    return {id: float(min(size * len(lists), 10**300)) for id, size in sizes.items()}


def assert_same_scores(found: list[Any], expected: list[Any], sizes: dict[Any, float]) -> None:
    wanted = dict(expected)
    assert set(dict(found)) == set(wanted)
    for id, score in found:
        near = max(FINEST, 1e-12 * sizes[id])
        assert math.isclose(score, wanted[id], rel_tol=REL_TOL, abs_tol=near), (id, score, wanted[id])


@pytest.mark.parametrize("combine", COMBINE)
@pytest.mark.parametrize("normalize", NORMALIZE)
@given(
    given_lists=st.one_of(
        weighed(rankings(odd_ids, ordinary_scores)), weighed(rankings(plain_ids, any_scores))
    ),
    duplicates=st.sampled_from(["sum", "first", "error"]),
)
def test_equals_the_oracle(normalize, combine, given_lists, duplicates):
    lists, weights = given_lists
    options = {"normalize": normalize, "combine": combine, "weights": weights, "duplicates": duplicates}
    expected = outcome(oracle.fuse_scores, lists, **options)
    found = outcome(lambda *a, **o: fused(rm.fuse_scores(*a, **o)), lists, **options)
    if not isinstance(expected, list):
        assert found == expected
        return
    assert isinstance(found, list), found
    assert_same_scores(found, expected, magnitudes(lists, **options))
    everyone = list(dict.fromkeys(id for one in lists for id, _ in one))
    by_id = dict(found)
    values = [by_id[id] for id in everyone]
    assert [id for id, _ in found] == [everyone[i] for i in order(everyone, values)]


@pytest.mark.parametrize("normalize", SPREAD)
@pytest.mark.parametrize("constant", [0.0, 0.5, 1.0, -2.0])
@given(lists=rankings(odd_ids, st.sampled_from([0.0, 1.0, 2.5])))
def test_on_constant_replaces_the_value_of_a_flat_list(normalize, constant, lists):
    expected = dict(oracle.fuse_scores(lists, normalize=normalize, on_constant=constant))
    found = dict(fused(rm.fuse_scores(lists, normalize=normalize, on_constant=constant)))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(rankings(plain_ids), st.data())
def test_bounds_take_the_place_of_the_observed_range(lists, data):
    one = st.one_of(st.none(), st.tuples(st.floats(-50, 0), st.floats(1, 50)))
    bounds = data.draw(st.tuples(*[one] * len(lists)))
    expected = dict(oracle.fuse_scores(lists, bounds=bounds))
    found = dict(fused(rm.fuse_scores(lists, bounds=bounds)))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("normalize", NORMALIZE)
@given(lists=rankings(plain_ids), limit=st.integers(0, 20))
def test_a_limit_only_cuts(normalize, lists, limit):
    whole = fused(rm.fuse_scores(lists, normalize=normalize))
    assert fused(rm.fuse_scores(lists, normalize=normalize, limit=limit)) == whole[:limit]


@pytest.mark.parametrize("combine", COMBINE)
@pytest.mark.parametrize("normalize", NORMALIZE)
@given(given_lists=weighed(rankings(odd_ids, any_scores)), random=st.randoms(use_true_random=False))
def test_the_order_of_the_lists_changes_no_bit(normalize, combine, given_lists, random):
    lists, weights = given_lists
    turn = list(range(len(lists)))
    random.shuffle(turn)
    options = {"normalize": normalize, "combine": combine}
    here = outcome(lambda: dict(fused(rm.fuse_scores(lists, weights=weights, **options))))
    turned_weights = None if weights is None else [weights[i] for i in turn]
    there = outcome(
        lambda: dict(fused(rm.fuse_scores([lists[i] for i in turn], weights=turned_weights, **options)))
    )
    assert here == there


@pytest.mark.parametrize("normalize", ["minmax", "max", "sum", "zscore", "dbsf", "none"])
@given(one=pairs(plain_ids, any_scores, unique=True))
def test_normalizing_never_turns_two_scores_around(normalize, one):
    result = outcome(lambda: dict(fused(rm.fuse_scores([one], normalize=normalize))))
    if not isinstance(result, dict):
        assert result is ValueError
        return
    ascending = sorted(one, key=lambda hit: hit[1])
    for (low, _), (high, _) in itertools.pairwise(ascending):
        assert result[low] <= result[high]


@pytest.mark.parametrize("normalize", ["minmax", "max", "sum", "zscore", "dbsf"])
@given(
    one=pairs(plain_ids, st.integers(-1000, 1000).map(float), unique=True),
    exponent=st.sampled_from([-900, -300, -20, 20, 300, 900]),
)
def test_normalized_scores_do_not_depend_on_the_unit(normalize, one, exponent):
    # A power of two changes no digit, so neither may the answer, however large or small the scores.
    scaled = [(id, math.ldexp(score, exponent)) for id, score in one]
    found = dict(fused(rm.fuse_scores([scaled], normalize=normalize)))
    plain = dict(fused(rm.fuse_scores([one], normalize=normalize)))
    assert found == pytest.approx(plain, rel=1e-12, abs=1e-300)


@given(pairs(plain_ids, ordinary_scores), pairs(plain_ids, ordinary_scores), st.floats(0, 1))
def test_convex_is_two_lists_with_weights(dense, lexical, alpha):
    found = fused(rm.convex(dense, lexical, alpha=alpha))
    assert found == fused(rm.fuse_scores([dense, lexical], weights=[alpha, 1 - alpha]))
    assert dict(found) == pytest.approx(dict(oracle.convex(dense, lexical, alpha=alpha)), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("alpha", [0, 1])
def test_alpha_at_either_end_keeps_the_candidates_of_both(alpha):
    found = rm.convex([("a", 2.0), ("b", 1.0)], [("c", 9.0), ("b", 3.0)], alpha=alpha)
    assert set(found.ids) == {"a", "b", "c"}


@pytest.mark.parametrize("normalize", ["rank", "borda"])
def test_positions_need_no_scores(normalize):
    bare = rm.fuse_scores([["a", "b", "c"], ["c", "d"]], normalize=normalize)
    with_nan = [("a", math.nan), ("b", math.inf), ("c", None)]
    odd = rm.fuse_scores([with_nan, ["c", "d"]], normalize=normalize)
    assert fused(bare) == fused(odd)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1.7e308, -1.7e308], [1.0, 0.0]),
        ([5e-324, 0.0], [1.0, 0.0]),
        ([1e-320, 5e-321, 0.0], [1.0, 0.5, 0.0]),
        ([1.7e308, 0.0, -1.7e308], [1.0, 0.5, 0.0]),
    ],
)
def test_minmax_over_the_whole_range_of_floats(scores, expected):
    found = rm.fuse_scores([list(zip("abc", scores, strict=False))])
    assert list(found.scores) == pytest.approx(expected, abs=1e-3)


def test_a_sum_that_overflows_on_the_way_is_exact_in_the_end():
    lists = [[("a", 1.7e308)], [("a", 1.7e308)], [("a", -1.7e308)]]
    assert fused(rm.fuse_scores(lists, normalize="none")) == [("a", 1.7e308)]
    assert fused(rm.fuse_scores(lists, normalize="none", combine="anz"))[0][1] == pytest.approx(1.7e308 / 3)
    assert fused(rm.fuse_scores(lists[:2], normalize="none", combine="anz"))[0][1] == pytest.approx(1.7e308)
    with pytest.raises(rm.InvalidScoreError):
        rm.fuse_scores(lists[:2], normalize="none")
    with pytest.raises(rm.InvalidScoreError):
        rm.fuse_scores(lists[:2], normalize="none", combine="mnz")


def test_a_deviation_that_squares_would_lose_is_kept():
    tiny = [("a", 3e-200), ("b", 2e-200), ("c", 1e-200)]
    huge = [("a", 3e200), ("b", 2e200), ("c", 1e200)]
    expected = [math.sqrt(1.5), 0.0, -math.sqrt(1.5)]
    for one in (tiny, huge):
        assert list(rm.fuse_scores([one], normalize="zscore").scores) == pytest.approx(expected, abs=1e-12)


def test_weight_zero_brings_candidates_and_is_not_counted():
    lists = [[("a", 2.0), ("b", 1.0)], [("a", 5.0), ("c", 4.0)]]
    found = dict(fused(rm.fuse_scores(lists, combine="mnz", weights=[1, 0])))
    assert found == {"a": 1.0, "b": 0.0, "c": 0.0}
    smallest = dict(fused(rm.fuse_scores(lists, normalize="none", combine="min", weights=[1, 0])))
    assert smallest == {"a": 2.0, "b": 1.0, "c": 0.0}


def test_the_median_of_two_is_their_mean_and_of_three_the_middle():
    lists = [[("a", 1.0), ("b", 9.0)], [("a", 4.0), ("b", 1.0)], [("a", 100.0)]]
    found = dict(fused(rm.fuse_scores(lists, normalize="none", combine="median")))
    assert found == {"a": 4.0, "b": 5.0}


@pytest.mark.parametrize("other", [0.0, 3.0])
def test_a_value_out_of_range_is_never_passed_over(other):
    # Over its maximum the score of "a" in the second list is below all floats: the least, and not a number.
    lists = [[("a", other)], [("b", 0.5), ("a", -1.7e308)]]
    with pytest.raises(rm.InvalidScoreError, match="'a'"):
        rm.fuse_scores(lists, normalize="max", combine="min")
    found = rm.fuse_scores(lists, normalize="max", combine="max")
    assert dict(fused(found)) == dict(oracle.fuse_scores(lists, normalize="max", combine="max"))
