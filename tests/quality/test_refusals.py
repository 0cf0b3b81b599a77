"""What quality and composite reranking refuse, and in which words."""

from __future__ import annotations

import datetime as dt
import math

import pytest

import rankmeld as rm
from support.refusals import refusal

BAD, KIND = rm.InvalidArgumentError, TypeError

MODEL = [
    ({"half_life_days": 0}, BAD, "half_life_days is 0.0; it must be above zero (math.inf: no decay)"),
    ({"half_life_days": math.nan}, BAD, "half_life_days is nan; it must be finite"),
    ({"half_life_days": "7"}, KIND, "half_life_days must be a number, not str"),
    ({"stability": -0.1}, BAD, "stability is -0.1; it must not be negative"),
    ({"stability": math.inf}, BAD, "stability is inf; it must be finite"),
    ({"confidence_decay": -1}, BAD, "confidence_decay is -1.0; it must not be negative"),
    ({"grace_weeks": True}, KIND, "grace_weeks must be a number, not bool"),
    (
        {"confidence_floor": 1.5},
        BAD,
        "confidence_floor is 1.5; it must be within 0..1, as confidence is",
    ),
    ({"undated": -1}, BAD, "undated is -1.0; it must not be negative"),
    ({"tier_weights": [0.5]}, KIND, "tier_weights must be a mapping of tiers to numbers, not list"),
    ({"tier_weights": {"working": -1}}, BAD, "tier_weights['working'] is -1.0; it must not be negative"),
    (
        {"tier_weights": {"forever": 1}},
        BAD,
        (
            "tier_weights has the key 'forever'; its keys are 'working', 'episodic', 'semantic', "
            "'procedural' or None"
        ),
    ),
    ({"tier_weights": {3: 1}}, KIND, "a key of tier_weights must be a Tier, its name or None, not int"),
]


@pytest.mark.parametrize(("options", "kind", "text"), MODEL)
def test_options_of_the_model(options, kind, text):
    assert refusal(kind, rm.QualityModel, **options) == text


def test_the_model_asks_for_documents():
    text = refusal(TypeError, rm.QualityModel().usage, "d1")
    assert text == "document must be a rankmeld.Document, not str"


@pytest.mark.parametrize(
    ("weights", "kind", "text"),
    [
        ((math.nan, 0, 0, 0), BAD, "the weight of relevance is nan; it must be finite"),
        ((1, -0.5, 0, 0), BAD, "the weight of recency is -0.5; it must not be negative"),
        ((1, 0, "1", 0), KIND, "the weight of importance must be a number, not str"),
    ],
)
def test_weights(weights, kind, text):
    assert refusal(kind, rm.RerankWeights, *weights) == text


OPTIONS = [
    (
        {"weights": (1, 0, 0, 0)},
        KIND,
        (
            "weights must be a rankmeld.RerankWeights, not tuple; write "
            "RerankWeights(relevance=0.8, recency=0.2)"
        ),
    ),
    ({"quality": {}}, KIND, "quality must be a rankmeld.QualityModel, not dict"),
    ({"ties": "best"}, BAD, "ties is 'best'; it must be one of 'first', 'id_asc', 'id_desc'"),
    ({"now": math.nan}, BAD, "now is nan; epoch seconds must be finite"),
]


@pytest.mark.parametrize(("options", "kind", "text"), OPTIONS)
@pytest.mark.parametrize("call", [rm.rerank, lambda hits, **o: rm.rerank_temporal(hits, "q", **o)])
def test_options_are_checked_before_data(call, options, kind, text):
    assert refusal(kind, call, [], **options) == text
    assert refusal(kind, call, [("a", None)], **options) == text


def test_scores():
    text = refusal(rm.InvalidScoreError, rm.rerank, [("a", 1.0), ("b", math.inf)])
    assert text == "ranking, position 1, id 'b': the score is inf; every hit needs a finite score here"
    heavy = rm.RerankWeights(1e308, 1e308, 1e308, 1e308)
    text = refusal(rm.InvalidScoreError, rm.rerank, [("a", 1.0)], weights=heavy, now=0)
    assert text == "ranking, position 0, id 'a': the weights give no finite score; use smaller ones"


@pytest.mark.parametrize("reranker", [rm.CompositeReranker, rm.TemporalReranker])
def test_rerankers_refuse_when_they_are_made(reranker):
    assert refusal(TypeError, reranker, quality=1) == "quality must be a rankmeld.QualityModel, not int"
    text = refusal(rm.InvalidArgumentError, reranker, now="soon")
    assert text.startswith("now is 'soon', which is not an ISO 8601 date or time")


def test_moments_beyond_the_years_in_utc():
    late = dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(-dt.timedelta(hours=2)))
    text = refusal(rm.InvalidArgumentError, rm.Document, "d", created_at=late)
    assert text.endswith("which in UTC lies outside the years 1 to 9999")
