"""What two rankings have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference import evaluation as oracle

rankings = st.lists(st.integers(0, 12), unique=True, max_size=10)
persistence = st.floats(0.01, 0.99)


@pytest.mark.hypothesis
@given(rankings, rankings, persistence)
def test_rank_biased_overlap_is_that_of_the_paper(first, second, p):
    found = rm.rank_biased_overlap(first, second, p=p)
    assert found == pytest.approx(oracle.rank_biased_overlap(first, second, p), abs=1e-9)
    assert 0 <= found <= 1
    assert rm.rank_biased_overlap(second, first, p=p) == found


@pytest.mark.hypothesis
@given(rankings, persistence)
def test_a_ranking_agrees_with_itself_and_with_no_other_ids(ids, p):
    assert rm.rank_biased_overlap(ids, ids, p=p) == pytest.approx(1)
    if ids:
        assert rm.rank_biased_overlap(ids, [str(id) for id in ids], p=p) == 0


def test_the_first_places_count_the_most():
    base = list("abcdef")
    swapped_first, swapped_last = list("bacdef"), list("abcdfe")
    assert rm.rank_biased_overlap(base, swapped_first) < rm.rank_biased_overlap(base, swapped_last) < 1


def test_only_the_first_hits_are_compared_where_that_is_asked():
    assert rm.rank_biased_overlap(["a", "b", "c"], ["a", "c", "b"], depth=1) == pytest.approx(1)
    assert rm.overlap(["a", "b", "c"], ["c", "b"], depth=2) == pytest.approx(1 / 3)
    assert rm.overlap(["a", "b", "c"], ["c", "b"]) == pytest.approx(2 / 3)
    assert rm.overlap([], []) == 1
    assert rm.overlap([], ["a"]) == 0


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: rm.rank_biased_overlap([], [], p=1), "p is 1.0; it must be above 0 and below 1"),
        (lambda: rm.rank_biased_overlap([], [], p=0), "p is 0.0"),
        (lambda: rm.overlap([], [], depth=0), "depth"),
        (lambda: rm.rank_biased_overlap(["a", "a"], []), "a ranking has the id 'a' twice"),
    ],
)
def test_what_is_refused(call, text):
    with pytest.raises(rm.InvalidArgumentError, match=text):
        call()
