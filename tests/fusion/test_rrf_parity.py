"""`rrf` against the oracle, to the last bit, and what must hold whatever the input."""

from __future__ import annotations

import itertools
import math

from hypothesis import example, given
from hypothesis import strategies as st

import rankmeld as rm
from reference.rrf import rrf as oracle
from support.check import fused, outcome, same_ids
from support.strategies import any_scores, odd_ids, ordinary_scores, plain_ids, rankings, weighed

duplicates = st.sampled_from(["first", "sum", "last", "overwrite", "error"])
constants = st.one_of(st.sampled_from([0.0, 1.0, 5.0, 60.0, 61.0, 1e9]), st.floats(-1, 1e6))


@given(
    weighed(rankings(odd_ids, any_scores)),
    constants,
    st.integers(0, 3),
    duplicates,
    st.one_of(st.none(), st.integers(0, 12)),
)
@example(([["a", "b"], ["b", "a"]], None), 60.0, 1, "first", None)
def test_equals_the_oracle_to_the_last_bit(given_lists, k, rank_base, rule, limit):
    lists, weights = given_lists
    if k + rank_base <= 0:
        return
    options = {"k": k, "rank_base": rank_base, "weights": weights, "duplicates": rule, "limit": limit}
    expected = outcome(oracle, lists, **options)
    found = outcome(lambda *a, **o: fused(rm.rrf(*a, **o)), lists, **options)
    assert found == expected
    if isinstance(found, list):
        assert same_ids(found, expected)


@given(rankings(plain_ids, ordinary_scores, max_size=10), st.sampled_from(["first", "id_asc", "id_desc"]))
def test_ties_follow_the_rule(lists, ties):
    assert fused(rm.rrf(lists, ties=ties)) == oracle(lists, ties=ties)


@given(weighed(rankings(odd_ids)), st.randoms(use_true_random=False))
def test_the_order_of_the_lists_changes_no_bit(given_lists, random):
    lists, weights = given_lists
    shuffled = list(range(len(lists)))
    random.shuffle(shuffled)
    turned = [lists[i] for i in shuffled]
    turned_weights = None if weights is None else [weights[i] for i in shuffled]
    assert dict(fused(rm.rrf(lists, weights=weights))) == dict(fused(rm.rrf(turned, weights=turned_weights)))


@given(rankings(plain_ids, max_lists=3, unique=True))
def test_with_ties_by_id_the_whole_ranking_is_symmetric(lists):
    outcomes = {tuple(fused(rm.rrf(turned, ties="id_asc"))) for turned in itertools.permutations(lists)}
    assert len(outcomes) == 1


@given(rankings(odd_ids), st.integers(0, 20))
def test_a_limit_only_cuts(lists, limit):
    assert fused(rm.rrf(lists, limit=limit)) == fused(rm.rrf(lists))[:limit]


@given(rankings(plain_ids, unique=True), st.data())
def test_moving_up_in_one_list_raises_the_score(lists, data):
    long_enough = [i for i, one in enumerate(lists) if len(one) > 1]
    if not long_enough:
        return
    index = data.draw(st.sampled_from(long_enough))
    position = data.draw(st.integers(1, len(lists[index]) - 1))
    raised = [list(one) for one in lists]
    one = raised[index]
    one[position - 1], one[position] = one[position], one[position - 1]
    id = one[position - 1][0]
    assert dict(fused(rm.rrf(raised)))[id] > dict(fused(rm.rrf(lists)))[id]


@given(rankings(plain_ids, unique=True), plain_ids)
def test_one_more_list_that_holds_an_id_raises_its_score(lists, id):
    before = dict(fused(rm.rrf(lists))).get(id, 0.0)
    assert dict(fused(rm.rrf([*lists, [id]])))[id] > before


@given(rankings(plain_ids))
def test_renaming_ids_renames_the_result(lists):
    names = {letter: ("n", ord(letter)) for letter in "abcdefghij"}
    renamed = [[(names[id], score) for id, score in one] for one in lists]
    assert fused(rm.rrf(renamed)) == [(names[id], score) for id, score in fused(rm.rrf(lists))]


@given(rankings(odd_ids))
def test_scores_fall_and_every_id_comes_once(lists):
    ranking = rm.rrf(lists)
    scores = [hit.score for hit in ranking]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert set(ranking.ids) == {id for one in lists for id, _ in one}
    assert len(set(ranking.ids)) == len(ranking.ids)


@given(rankings(odd_ids), st.floats(1e-3, 1e3))
def test_one_weight_for_all_scales_and_keeps_the_order(lists, weight):
    scaled = fused(rm.rrf(lists, weights=[weight] * len(lists)))
    plain = dict(fused(rm.rrf(lists)))
    assert all(math.isclose(score, weight * plain[id], rel_tol=1e-12) for id, score in scaled)


def test_a_long_list_meets_the_oracle():
    left = [f"d{i}" for i in range(5_000)]
    right = [f"d{(i * 7919) % 6_000}" for i in range(5_000)]
    assert fused(rm.rrf([left, right])) == oracle([left, right])


def test_many_lists_meet_the_oracle():
    lists = [[f"d{(i * step) % 101}" for i in range(40)] for step in range(1, 60)]
    assert fused(rm.rrf(lists)) == oracle(lists)


def test_two_sums_that_floats_would_tell_apart_are_equal():
    # Left to right, 1/61 + 1/62 + 1/67 and 1/67 + 1/61 + 1/62 differ in the last bit.
    lists = [
        ["p", "f1", "f2", "f3", "f4", "f5", "q"],
        ["q", "p", "g2", "g3", "g4", "g5", "g6"],
        ["h0", "q", "h2", "h3", "h4", "h5", "p"],
    ]
    assert 1 / 61 + 1 / 62 + 1 / 67 != 1 / 67 + 1 / 61 + 1 / 62
    for turned in itertools.permutations(lists):
        scores = dict(fused(rm.rrf(turned)))
        assert scores["p"] == scores["q"] == math.fsum([1 / 61, 1 / 62, 1 / 67])
