"""Known failures of maximal marginal relevance elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeld as rm

FOUR = [[0.82, 0.57, 0, 0], [0.81, 0.58, 0.03, 0], [0.72, 0, 0.69, 0], [0.55, 0, 0, 0.83]]


def selected(query, candidates, k, lambda_):
    """Places of the picks; relevance is the cosine with the query, as it is."""
    cosines = rm.cosine_rerank(query, range(len(candidates)), np.array(candidates, dtype=float))
    vectors = dict(enumerate(candidates))
    return rm.mmr(cosines, similarity="cosine", vectors=vectors, limit=k, lambda_=lambda_, scale=None).ids


def test_c144_redundancy_is_measured_against_all_picks_not_the_last():
    assert selected([1, 0, 0, 0], FOUR, 3, 0.5) == [0, 2, 3]


def test_c145_lambda_1_is_relevance_and_0_is_diversity():
    assert selected([1, 0, 0, 0], FOUR, 4, 1.0) == [0, 1, 2, 3]
    assert selected([1, 0, 0, 0], FOUR, 4, 0.0)[0] == 0
    assert selected([1, 0, 0, 0], FOUR, 4, 0.0)[-1] == 1


def test_c149_the_limit_is_an_upper_bound():
    assert selected([1, 0], [[1, 0], [0, 1]], 5, 0.5) == [0, 1]
    assert selected([1, 0], [[1, 0], [0, 1]], 0, 0.5) == []
    with pytest.raises(rm.InvalidArgumentError, match="limit"):
        selected([1, 0], [[1, 0], [0, 1]], -1, 0.5)
    for limit in (0, 1, 5):
        assert len(rm.mmr([], limit=limit)) == 0


def test_c150_equal_candidates_are_each_chosen_once_in_their_order():
    assert selected([1, 0], [[1, 0]] * 3, 3, 0.3) == [0, 1, 2]
    assert rm.mmr([("a", 1.0, rm.Document("a", "the same"))] * 3, lambda_=0.3).ids == ["a"] * 3


@pytest.mark.parametrize("unknown", ["lamda", "lambda_mult", "fetch_k", "fetchK", "k", "diversity"])
def test_c151_an_unknown_option_is_refused_by_name(unknown):
    with pytest.raises(TypeError, match=unknown):
        rm.mmr([("a", 1.0)], **{unknown: 1})
