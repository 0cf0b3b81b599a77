"""`rerank_temporal` and `temporal_proximity` against the oracle, and their rules by hand."""

from __future__ import annotations

import datetime as dt
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from quality.strategies import BERLIN, NOW, days_ago, hits, moments
from reference import quality as oracle
from support.check import fused, outcome
from support.refusals import refusal


class Fixed:
    """Always finds the same time, and notes what it was asked."""

    def __init__(self, *anchor):
        self.found = rm.TimeAnchor(*anchor) if anchor else None
        self.asked = []

    def anchor(self, query, now):
        self.asked.append((query, now))
        return self.found


tolerances = st.one_of(st.just(0.0), st.floats(0, 400), st.just(5e-324), st.just(1e308))


@given(moments, st.datetimes(dt.datetime(2023, 12, 1), dt.datetime(2024, 5, 1)), tolerances)
def test_proximity_equals_the_oracle(date, target, tolerance):
    target = target.replace(tzinfo=BERLIN)
    expected = oracle.proximity(date, target, tolerance)
    found = rm.temporal_proximity(date, target, tolerance)
    assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)
    assert 0.0 <= found <= 1.0


@given(hits(), st.integers(-100, 400), st.floats(0, 60), st.sampled_from([0.0, 0.4, 3.0]))
def test_equals_the_oracle(hits, days, tolerance, boost):
    weights = (0.5, 0.2, 0.2, 0.1)
    expected = outcome(oracle.rerank, hits, now=NOW, weights=weights, anchor=(days, tolerance), boost=boost)
    options = {"weights": rm.RerankWeights(*weights), "extractor": Fixed(days, tolerance), "boost": boost}
    found = outcome(lambda: fused(rm.rerank_temporal(hits, "q", now=NOW, **options)))
    if not isinstance(expected, list):
        assert found == expected
        return
    for (id, score), (wanted_id, wanted) in zip(sorted(found), sorted(expected), strict=True):
        assert id == wanted_id
        assert math.isclose(score, wanted, rel_tol=1e-9, abs_tol=1e-12)


@given(hits())
def test_without_a_time_it_is_the_composite_rerank(hits):
    expected = outcome(lambda: fused(rm.rerank(hits, now=NOW)))
    for options in (
        {"extractor": None},
        {"extractor": Fixed()},
        {"extractor": Fixed(7, 3), "boost": 0.0},
        {},
    ):
        found = outcome(
            lambda options=options: fused(rm.rerank_temporal(hits, "no time in it", now=NOW, **options))
        )
        assert found == expected


def hit(id, age, score=1.0, **fields):
    return (
        id,
        score,
        rm.Document(id, created_at=days_ago(age), tier="semantic", **fields),
    )


def test_what_is_nearer_is_lifted_more():
    triples = [hit("far", 30), hit("edge", 12), hit("near", 9), hit("there", 7), ("undated", 1.0)]
    only = rm.RerankWeights(1, 0, 0, 0)
    found = rm.rerank_temporal(triples, "q", now=NOW, weights=only, extractor=Fixed(7, 2), boost=1.0)
    assert fused(found) == [("near", 2.0), ("there", 2.0), ("edge", 1.25), ("far", 1.0), ("undated", 1.0)]


def test_the_date_is_when_it_came_about_and_the_future_counts_as_it_is():
    only = rm.RerankWeights(1, 0, 0, 0)
    triples = [hit("written", 7), hit("about", 300, valid_from=days_ago(7)), hit("plan", -5)]
    past = rm.rerank_temporal(triples, "q", now=NOW, weights=only, extractor=Fixed(7, 1))
    assert dict(fused(past)) == {"written": 1.4, "about": 1.4, "plan": 1.0}
    future = rm.rerank_temporal(triples, "q", now=NOW, weights=only, extractor=Fixed(-5, 1))
    assert dict(fused(future)) == {"written": 1.0, "about": 1.0, "plan": 1.4}


def test_negative_scores_are_lifted_too():
    triples = [hit("other", 100, -1.0), hit("there", 7, -1.5), hit("worst", 100, -9.0)]
    found = rm.rerank_temporal(triples, "q", now=NOW, extractor=Fixed(7, 1))
    assert found.ids == ["there", "other", "worst"]
    assert found.scores.min() >= 0.0


def test_the_explanation_names_the_phrase():
    triples = [hit("a", 100, 0.9), hit("b", 21, 0.8)]
    found = rm.rerank_temporal(triples, "what did we decide three weeks ago?", now=NOW)
    assert found.ids == ["b", "a"]
    (stage,) = found.explain("b").stages
    assert stage.name == "rerank_temporal"
    expected = {"phrase": "three weeks ago", "days": 21, "tolerance": 5.0, "boost": 0.4, "proximity": 1.0}
    assert {name: stage.details[name] for name in expected} == expected
    assert stage.details["score"] == stage.details["composite"] * 1.4 == found[0].score
    assert stage.details["score_before"] == 0.8
    assert rm.rerank_temporal(triples, "nothing", now=NOW).explain("b").stages[0].name == "rerank"


def test_the_extractor_is_asked_once_with_an_aware_now_in_its_zone():
    extractor = Fixed()
    rm.rerank_temporal([hit("a", 1)], "why", now=NOW, extractor=extractor)
    assert extractor.asked == [("why", NOW)]
    assert extractor.asked[0][1].tzinfo is BERLIN
    rm.rerank_temporal([], "why", now=NOW, extractor=extractor)
    rm.rerank_temporal([hit("a", 1)], "why", now=NOW, extractor=extractor, boost=0)
    assert len(extractor.asked) == 1


@pytest.mark.parametrize("days", [10**7, -(10**7), 10**30, -(10**30)])
def test_a_time_outside_all_years_is_near_to_nothing(days):
    found = rm.rerank_temporal([hit("a", 1)], "q", now=NOW, extractor=Fixed(days, 3))
    assert fused(found) == [("a", 1.0)]


def test_clocks_that_were_changed_do_not_move_the_target():
    # Seven days of 86,400 seconds before noon of 1 April are eleven o'clock: summer time began.
    exact = days_ago(7)
    triples = [("a", 1.0, rm.Document("a", created_at=exact))]
    assert rm.rerank_temporal(triples, "q", now=NOW, extractor=Fixed(7, 0))[0].score == 1.4
    assert exact.astimezone(BERLIN).hour == 11


def test_a_reranker_does_the_same():
    triples, query = [hit("a", 100, 0.9), hit("b", 21, 0.8)], "three weeks ago"
    found = rm.TemporalReranker(now=NOW, boost=2.0).rerank(query, triples)
    assert found == rm.rerank_temporal(triples, query, now=NOW, boost=2.0)
    assert rm.TemporalReranker(extractor=None, now=NOW).rerank(query, triples) == rm.rerank(triples, now=NOW)


BAD, KIND = rm.InvalidArgumentError, TypeError


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"boost": -0.1}, BAD, "boost is -0.1; it must not be negative"),
        ({"boost": math.inf}, BAD, "boost is inf; it must be finite"),
        ({"boost": "1"}, KIND, "boost must be a number, not str"),
        (
            {"extractor": len},
            KIND,
            (
                "extractor must have a method anchor(query, now), or be None, not "
                "builtin_function_or_method; wrap a function in CallableAnchorExtractor"
            ),
        ),
        (
            {"extractor": rm.RegexAnchorExtractor},
            KIND,
            (
                "extractor must have a method anchor(query, now), or be None, not RegexAnchorExtractor, a "
                "class; wrap a function in CallableAnchorExtractor"
            ),
        ),
    ],
)
def test_refusals(options, kind, text):
    assert refusal(kind, rm.rerank_temporal, [], "q", **options) == text
    assert refusal(kind, rm.TemporalReranker, **options) == text


def test_more_refusals():
    assert refusal(KIND, rm.rerank_temporal, [], 3) == "query must be a str, not int"
    assert refusal(KIND, rm.rerank_temporal, "last week", [("a", 1.0)]) == (
        "query must be a str, not list; the hits come first: rerank_temporal(hits, query)"
    )
    wrong = Fixed()
    wrong.found = 7
    text = refusal(KIND, rm.rerank_temporal, [("a", 1.0)], "q", extractor=wrong)
    assert (
        text
        == "Fixed.anchor gave int; it must give a rankmeld.TimeAnchor, or None where the query names no time"
    )
    text = refusal(rm.InvalidScoreError, rm.rerank_temporal, [("a", None)], "q", extractor=Fixed(1, 1))
    assert "position 0, id 'a'" in text
    for tolerance, why in ((-1, "is -1.0; it must not be negative"), (math.nan, "is nan; it must be finite")):
        text = refusal(BAD, rm.temporal_proximity, "2024-01-01", "2024-01-01", tolerance)
        assert text == f"tolerance {why}"
    assert refusal(BAD, rm.temporal_proximity, None, "soon", 1).startswith("target is 'soon'")
