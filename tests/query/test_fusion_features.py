"""What scores look like, against exact fractions; and what that does to a tier."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankmeld as rm
from query.samples import queries
from reference import query as oracle
from support.check import outcome
from support.interrupts import assert_a_signal_stops
from support.strategies import any_scores, ordinary_scores

scores_of_all_sizes = st.one_of(
    st.lists(ordinary_scores, max_size=30),
    st.lists(any_scores, max_size=8),
    st.lists(st.one_of(any_scores, st.none(), st.sampled_from([math.nan, math.inf, -math.inf])), max_size=4),
    st.builds(
        lambda base, steps: [base + step * math.ulp(base) for step in steps],
        st.floats(1e-300, 1e300),
        st.lists(st.integers(0, 5), max_size=10),
    ),
)


def expected(scores):
    try:
        return oracle.features(scores)
    except OverflowError:
        return ValueError


def found(scores):
    features = outcome(rm.fusion_features, scores)
    if not isinstance(features, rm.FusionFeatures):
        return features
    if not features.available:
        assert features == rm.FusionFeatures(available=False)
        return None
    return features.skewness, features.top1_margin


@given(scores_of_all_sizes)
@example([1e308, -1e308, -1e308])
@example([1.7976931348623157e308, -1.7976931348623157e308, 5e-324])
@example([5e-324, 0.0, 0.0])
@example([1.0000000000000002, 1.0, 1.0])
@example([1e-320, -1.0])
@example([1e300, 1e-300, 1e-300, 1e-300])
def test_any_scores(scores):
    wanted = expected(scores)
    if isinstance(wanted, tuple):
        assert found(scores) == pytest.approx(wanted, rel=1e-12, abs=1e-13)
    else:
        assert found(scores) == wanted


@given(
    st.lists(any_scores, min_size=2, max_size=2)
    | st.integers(2, 50).flatmap(lambda count: any_scores.map(lambda score: [score] * count))
)
def test_two_or_equal_ones_have_no_skewness_at_all(scores):
    features = outcome(rm.fusion_features, scores)
    if isinstance(features, rm.FusionFeatures):
        assert math.copysign(1.0, features.skewness) == 1.0
        assert features.skewness == 0.0


@given(st.lists(any_scores, min_size=2, max_size=10), st.randoms())
def test_order_does_not_matter(scores, random):
    shuffled = random.sample(scores, len(scores))
    assert (
        found(shuffled) == pytest.approx(found(scores), rel=1e-12, abs=1e-13) or found(scores) is ValueError
    )


def test_one_among_many_keeps_its_digits():
    scores = np.zeros(1_000_000)
    scores[123_456] = 1.0
    n = len(scores)
    skewness = (n - 2) / math.sqrt(n - 1)  # of one 1 among n - 1 zeros
    assert rm.fusion_features(scores).skewness == pytest.approx(skewness, rel=1e-12)


def test_what_a_ranking_gives():
    fused = rm.rrf([["a", "b", "c"], ["b", "d"]])
    assert rm.fusion_features(fused) == rm.fusion_features(fused.scores)
    assert rm.fusion_features(fused) == rm.fusion_features([hit.score for hit in fused])
    assert not rm.fusion_features(rm.Ranking(["a", "b", "c"])).available
    assert not rm.fusion_features(rm.Ranking([])).available
    assert not rm.fusion_features([1.0, None]).available
    assert not rm.fusion_features(rm.Ranking([("a", 1.0), ("b", None)])).available


def test_the_answer_is_plain_and_the_input_stays():
    scores = [3, 2, 1]
    features = rm.fusion_features(scores)
    assert scores == [3, 2, 1]
    assert (type(features.skewness), type(features.top1_margin)) == (float, float)
    array = np.array([3.0, 2.0, 1.0])
    array.flags.writeable = False
    assert rm.fusion_features(array) == features


edges = st.sampled_from([-1.0, 0.0, 0.19, 0.2, 0.21, 0.49, 0.5, 0.51, 0.99, 1.0, 1.01, 5.0])


@given(queries, edges, edges, st.booleans())
def test_tiers_with_features(query, skewness, margin, available):
    features = rm.FusionFeatures(skewness, margin, available)
    tier = rm.classify_query_with_fusion(query, features).value
    assert tier == oracle.classify_with(query, skewness, margin, available)


@pytest.mark.parametrize("tier", oracle.TIERS)
def test_every_tier_on_every_side_of_every_border(tier):
    query = {
        "direct_factual": "rrf",
        "semantic_hybrid": "notes about caching",
        "multi_hop_graph": "why is it slow",
        "architectural_global": "overview of it all",
    }[tier]
    assert oracle.classify(query) == tier
    for skewness in (0.5, 0.5000001, 0.9999999, 1.0):
        for margin in (0.2, 0.2000001, 0.4999999, 0.5):
            features = rm.FusionFeatures(skewness=skewness, top1_margin=margin)
            found = rm.classify_query_with_fusion(query, features).value
            assert found == oracle.classify_with(query, skewness, margin, True)


def test_a_vocabulary_counts_there_too():
    ours = rm.QueryVocabulary(architecture=["slow"])
    features = rm.FusionFeatures(available=False)
    tier = rm.classify_query_with_fusion("why is it slow", features, vocabulary=ours)
    assert tier is rm.QueryTier.ARCHITECTURAL_GLOBAL


def test_a_signal_stops_it():
    scores = np.arange(3e7)
    assert_a_signal_stops(lambda: rm.fusion_features(scores))


@pytest.mark.parametrize(
    "scores",
    [
        (score for score in [1.0, 0.5, 0.25]),
        [Decimal(1), Decimal("0.5"), Decimal("0.25")],
        [1, Fraction(1, 2), 0.25],
        np.array([1.0, Decimal("0.5"), 0.25], dtype=object),
    ],
    ids=["generator", "decimals", "fractions", "objects"],
)
def test_numbers_of_any_kind_are_scores(scores):
    assert rm.fusion_features(scores) == rm.fusion_features([1.0, 0.5, 0.25])


def test_a_gap_in_an_array_of_objects_is_an_absent_score():
    assert not rm.fusion_features(np.array([1.0, None], dtype=object)).available
    assert not rm.fusion_features([10**400, 1]).available
