"""`rerank` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from quality.strategies import NOW, days_ago, hits, models
from reference import quality as oracle
from support.check import fused, outcome

DATES = ("created_at", "updated_at", "valid_from", "last_accessed_at")
weights = st.tuples(*[st.one_of(st.just(0.0), st.floats(0, 2))] * 4)


def agree(found, expected):
    """Near-equal scores may change places; the multiset of ids and scores may not."""
    if not isinstance(expected, list):
        return found == expected
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    return all(
        a == b and math.isclose(score, wanted, rel_tol=1e-9, abs_tol=5e-323)
        for (a, score), (b, wanted) in zip(sorted(found), sorted(expected), strict=True)
    )


@given(hits(), weights, models)
def test_equals_the_oracle(hits, weights, model):
    options = {"weights": rm.RerankWeights(*weights), "quality": rm.QualityModel(**model)}
    expected = outcome(oracle.rerank, hits, now=NOW, weights=weights, model=model)
    found = outcome(lambda: fused(rm.rerank(hits, now=NOW, **options)))
    assert agree(found, expected), (found, expected)


@pytest.mark.parametrize("ties", ["first", "id_asc", "id_desc"])
def test_equals_the_oracle_on_ties(ties):
    equal = [("b", 1.0), ("c", 1.0), ("a", 1.0), ("d", 0.5)]
    assert fused(rm.rerank(equal, now=NOW, ties=ties)) == oracle.rerank(equal, now=NOW, ties=ties)


@given(hits(), st.floats(0.01, 2))
def test_a_weight_of_zero_is_an_exact_no_op(hits, relevance):
    only = rm.RerankWeights(relevance, 0, 0, 0)
    bare = [(id, score) for id, score, _ in hits]
    assert fused(rm.rerank(hits, now=NOW, weights=only)) == fused(rm.rerank(bare, now=NOW, weights=only))


@given(hits(), weights)
def test_shifting_now_and_all_dates_together_changes_nothing(hits, weights):
    shift = dt.timedelta(days=40, microseconds=7)

    def later(document):
        if document is None:
            return None
        dates = {name: getattr(document, name) for name in DATES}
        return replace(
            document,
            **{name: date and date.astimezone(dt.UTC) + shift for name, date in dates.items()},
        )

    moved = [(id, score, later(document)) for id, score, document in hits]
    options = {"weights": rm.RerankWeights(*weights)}
    here = outcome(lambda: fused(rm.rerank(hits, now=NOW, **options)))
    assert here == outcome(lambda: fused(rm.rerank(moved, now=NOW.astimezone(dt.UTC) + shift, **options)))


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ({"created_at": "2024-01-01"}, {"created_at": "2024-02-01"}),
        ({"importance": 0.2}, {"importance": 0.3}),
        ({"importance": 0.9}, {"importance": 0.9, "assessed_importance": 0.95}),
        ({"access_count": 3}, {"access_count": 4}),
        ({"tier": "semantic", "confidence": 0.5}, {"tier": "semantic", "confidence": 0.6}),
        ({"tier": "working"}, {"tier": "episodic"}),
        ({"tier": "episodic"}, {"tier": "semantic"}),
        ({"tier": "semantic"}, {"tier": "procedural"}),
    ],
)
def test_more_of_a_signal_is_never_worse(less, more):
    found = rm.rerank(
        [("less", 1.0, rm.Document("a", **less)), ("more", 1.0, rm.Document("b", **more))],
        now=NOW,
        weights=rm.RerankWeights(0.4, 0.2, 0.2, 0.2),
    )
    assert found.ids == ["more", "less"]
    assert found.scores[0] > found.scores[1]


def test_more_relevance_is_never_worse():
    found = rm.rerank([("a", 0.3), ("b", 0.9), ("c", 0.0)], now=NOW)
    assert fused(found) == [("b", 1.0), ("a", pytest.approx(1 / 3)), ("c", 0.0)]


def test_quality_alone_lifts_nothing_that_is_off_topic():
    worthy = rm.Document("w", tier="procedural", importance=1.0, access_count=10_000)
    found = rm.rerank([("on", 0.9, rm.Document("o", tier="working")), ("off", 0.0, worthy)], now=NOW)
    assert dict(fused(found))["off"] == 0.0


@pytest.mark.parametrize(
    ("scores", "relevance"),
    [
        ([4.0, 1.0, 0.0], [1.0, 0.25, 0.0]),
        ([3.0, 1.0, -1.0], [1.0, 0.5, 0.0]),
        ([-2.0, -2.0], [1.0, 1.0]),
        ([0.0, -0.0], [0.0, 0.0]),
        ([7.0], [1.0]),
        ([1e308, -1e308, 0.0], [1.0, 0.0, 0.5]),
        ([5e-324, 0.0], [1.0, 0.0]),
    ],
)
def test_scores_become_relevance(scores, relevance):
    pairs = list(enumerate(scores))
    found = dict(fused(rm.rerank(pairs, now=NOW, weights=rm.RerankWeights(1, 0, 0, 0))))
    assert [found[place] for place in range(len(scores))] == relevance


def test_intermediate_results_neither_overflow_nor_vanish():
    huge = rm.RerankWeights(1e308, 0, 0, 1e308)
    found = dict(fused(rm.rerank([("a", 0.0), ("b", 0.0)], now=NOW, weights=huge)))
    assert found == {"a": 0.0, "b": 0.0}
    with pytest.raises(rm.InvalidScoreError, match="ranking, position 1, id 'b'"):
        rm.rerank([("a", 0.1), ("b", 1.0)], now=NOW, weights=huge)
    faded = [
        ("a", 1.0, rm.Document("a", created_at=days_ago(400))),
        ("b", 1.0, rm.Document("b", created_at=days_ago(401))),
    ]
    short = rm.QualityModel(half_life_days=0.125)  # both are worth less than any float
    found = rm.rerank(faded, now=NOW, weights=rm.RerankWeights(0, 0, 0, 1), quality=short)
    assert fused(found) == [("a", 1.0), ("b", 2.0**-8)]


def test_scores_are_not_asked_for_where_they_do_not_count():
    important = [("a", None, rm.Document("a", importance=0.2)), ("b", None, rm.Document("b", importance=0.9))]
    only = rm.RerankWeights(0, 0, 1, 0)
    assert fused(rm.rerank(important, now=NOW, weights=only)) == [("b", 0.9), ("a", 0.2)]
    with pytest.raises(rm.InvalidScoreError, match="position 0, id 'a'"):
        rm.rerank(important, now=NOW)


@pytest.mark.parametrize("form", [list, tuple, iter, rm.Ranking, lambda hits: [rm.Hit(*hit) for hit in hits]])
def test_the_form_of_the_ranking_does_not_matter(form):
    triples = [(n, 1.0 - n / 9, rm.Document(n, importance=n / 9, tier="semantic")) for n in range(9)]
    assert rm.rerank(form(triples), now=NOW) == rm.rerank(triples, now=NOW)


def test_columns_of_arrays_have_no_documents():
    ids, scores = np.array([5, 6, 7]), np.array([0.2, 0.4, 0.1], np.float32)
    assert rm.rerank((ids, scores), now=NOW).ids == [6, 5, 7]


def test_inputs_stay_and_documents_go_along():
    triples = [("a", 0.5, rm.Document("a")), ("b", 0.9, None)]
    given = list(triples)
    found = rm.rerank(triples, now=NOW)
    assert triples == given
    assert [hit.document for hit in found] == [None, given[0][2]]
    assert len(rm.rerank([], now=NOW)) == 0


def test_the_explanation_has_every_part_that_counted():
    triples = [
        ("a", 0.9, rm.Document("a", created_at=days_ago(7), importance=0.5)),
        ("b", 0.6, rm.Document("b", created_at=NOW, importance=1.0)),
    ]
    found = rm.rerank(triples, now=NOW, weights=rm.RerankWeights(0.5, 0.25, 0, 1.0))
    (stage,) = found.explain("a").stages
    assert stage.name == "rerank"
    assert dict(stage.details) == {
        "position_before": 0,
        "score_before": 0.9,
        "relevance": 1.0,
        "relevance_weight": 0.5,
        "recency": 0.5,
        "recency_weight": 0.25,
        "quality": 0.375,
        "quality_weight": 1.0,
        "score": 1.0,
    }
    for hit, told in zip(found, found.explanation(), strict=True):
        parts = told.stages[0].details
        assert parts["score"] == hit.score
        assert hit.score == pytest.approx(
            parts["relevance"] * (0.5 + parts["quality"]) + 0.25 * parts["recency"], rel=1e-12
        )
    assert found[1:].explain("a" if found.ids[1] == "a" else "b").stages  # a slice explains as the whole


def test_a_reranker_does_the_same():
    triples = [("a", 0.5, rm.Document("a", importance=1.0)), ("b", 0.6, rm.Document("b"))]
    only = rm.RerankWeights(0, 0, 1, 0)
    reranker = rm.CompositeReranker(weights=only, now=NOW)
    assert reranker.rerank("q", triples) == rm.rerank(triples, weights=only, now=NOW)
    assert repr(rm.CompositeReranker(now="2024-03-01")) == "CompositeReranker(now='2024-03-01')"
