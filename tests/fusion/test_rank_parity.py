"""`fuse_ranks` against the oracle."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.ranks import fuse_ranks as oracle
from support.check import fused
from support.strategies import odd_ids, ordinary_scores, plain_ids, rankings, weighed

METHODS = ("isr", "log_isr", "logn_isr", "borda", "rbc", "rrf")


@pytest.mark.parametrize("method", METHODS)
@given(lists=rankings(odd_ids, ordinary_scores, unique=True))
def test_equals_the_oracle(method, lists):
    expected = dict(oracle(lists, method=method))
    found = fused(rm.fuse_ranks(lists, method=method))
    assert dict(found) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)


@given(rankings(plain_ids, unique=True))
def test_condorcet_puts_more_majorities_first(lists):
    found = rm.fuse_ranks(lists, method="condorcet")
    assert found.ids == [id for id, _ in oracle(lists, method="condorcet")]


@pytest.mark.parametrize("method", [*METHODS, "condorcet"])
@given(lists=rankings(plain_ids, unique=True), limit=st.integers(0, 12))
def test_a_limit_only_cuts(method, lists, limit):
    whole = fused(rm.fuse_ranks(lists, method=method))
    assert fused(rm.fuse_ranks(lists, method=method, limit=limit)) == whole[:limit]


@pytest.mark.parametrize("method", [*METHODS, "condorcet"])
@given(given_lists=weighed(rankings(plain_ids, unique=True)), random=st.randoms(use_true_random=False))
def test_the_order_of_the_lists_changes_no_bit(method, given_lists, random):
    lists, weights = given_lists
    turn = list(range(len(lists)))
    random.shuffle(turn)
    options = {"method": method, "ties": "id_asc"}
    here = fused(rm.fuse_ranks(lists, weights=weights, **options))
    turned = None if weights is None else [weights[i] for i in turn]
    assert here == fused(rm.fuse_ranks([lists[i] for i in turn], weights=turned, **options))


def test_majorities_are_weighed_exactly():
    lists = [["b", "a"], ["a", "b"], ["b", "a"], ["a", "b"], ["b", "a"]]
    weights = [0.1, 0.7, 0.3, 0.1, 0.4]
    outcomes = {
        tuple(fused(rm.fuse_ranks(one, method="condorcet", weights=other, ties="id_asc")))
        for one, other in (
            zip(*turned, strict=True)
            for turned in itertools.permutations(list(zip(lists, weights, strict=True)))
        )
    }
    assert len(outcomes) == 1


@given(rankings(plain_ids, unique=True), st.floats(0.01, 0.99))
def test_phi_is_the_persistence_of_the_centroid(lists, phi):
    found = dict(fused(rm.fuse_ranks(lists, method="rbc", phi=phi)))
    assert found == pytest.approx(dict(oracle(lists, method="rbc", phi=phi)), rel=1e-9, abs=1e-300)


def test_scores_of_one_small_example():
    lists = [["a", "b", "c"], ["b", "a"]]
    expected = {
        "isr": {"a": 2 * (1 + 1 / 4), "b": 2 * (1 / 4 + 1), "c": 1 / 9},
        "log_isr": {"a": math.log(2) * 1.25, "b": math.log(2) * 1.25, "c": 0.0},
        "logn_isr": {"a": math.log(2.01) * 1.25, "b": math.log(2.01) * 1.25, "c": math.log(1.01) / 9},
        "borda": {"a": 3 + 2, "b": 2 + 3, "c": 1 + 1},
        "rbc": {"a": 0.2 + 0.16, "b": 0.16 + 0.2, "c": 0.2 * 0.64},
    }
    for method, scores in expected.items():
        assert dict(fused(rm.fuse_ranks(lists, method=method))) == pytest.approx(scores), method


def test_a_majority_beats_a_favourite():
    # `b` is ahead of every other in two lists of three, though `a` is twice as far ahead of it once.
    lists = [["a", "c", "d", "b"], ["b", "a", "c", "d"], ["b", "a", "d", "c"]]
    assert rm.fuse_ranks(lists, method="condorcet").ids[:2] == ["b", "a"]
    assert rm.fuse_ranks([*lists, lists[0]], method="condorcet").ids[0] == "a"


def test_a_cycle_of_majorities_keeps_first_seen_order():
    cycle = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
    assert rm.fuse_ranks(cycle, method="condorcet").ids == ["a", "b", "c"]
    assert rm.fuse_ranks(cycle, method="condorcet", ties="id_desc").ids == ["c", "b", "a"]


def test_unknown_options_of_a_method_are_refused():
    with pytest.raises((TypeError, ValueError), match="phi"):
        rm.fuse_ranks([["a"]], method="isr", phi=0.8)
    with pytest.raises((TypeError, ValueError), match="k"):
        rm.fuse_ranks([["a"]], method="borda", k=60.0)
