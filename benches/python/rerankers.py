"""What a reranker costs beyond its scorer: reading passages, blending, ordering, the explanation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import rankmeld as rm

from .agreement import close, ranked
from .harness import Case, Effort, Goal, Group, Result, measure
from .workloads import Texts

_CANDIDATES = 100
_WORDS = 120
_QUERY_WORDS = 12


def run(*, quick: bool) -> Iterator[Result]:
    """A query of 12 words over 100 passages of 120."""
    effort = Effort(0.7, 5) if quick else Effort(6.0, 12)
    texts = Texts()
    query = texts.text(_QUERY_WORDS)
    documents = texts.documents(_CANDIDATES, _WORDS)
    hits = [rm.Hit(document.id, 1.0 - place / 200, document) for place, document in enumerate(documents)]
    for group in (_late_interaction(query, hits), _bm25(query, hits)):
        yield measure(group, effort)


def _late_interaction(query: str, hits: list[rm.Hit]) -> Group:
    ranking, passages = rm.Ranking(hits), [hit.document.passage for hit in hits if hit.document]
    reranker = rm.LateInteractionReranker()
    maxsim = [rm.lexical_maxsim(query, passage) for passage in passages]
    expected = [
        (hit.id, 0.6 * (hit.score or 0.0) / 1.0 + 0.8 * m) for hit, m in zip(hits, maxsim, strict=True)
    ]
    cases = [
        Case("LateInteractionReranker", lambda: reranker.rerank(query, ranking), close(expected, ranked)),
        Case(
            "lexical_maxsim_many alone",
            lambda: rm.lexical_maxsim_many(query, passages),
            lambda found: np.testing.assert_array_equal(found, maxsim),
        ),
        Case(
            "the same, and each hit explained",
            lambda: reranker.rerank(query, ranking).explanation(),
            lambda found: close(expected)({line.id: line.score for line in found}),
        ),
    ]
    return _beside_its_scorer("late interaction", cases)


def _bm25(query: str, hits: list[rm.Hit]) -> Group:
    ranking, passages = rm.Ranking(hits), [hit.document.passage for hit in hits if hit.document]
    reranker = rm.BM25Reranker()
    scores = rm.bm25_scores(query, passages)
    expected = list(zip([hit.id for hit in hits], scores.tolist(), strict=True))
    cases = [
        Case("BM25Reranker", lambda: reranker.rerank(query, ranking), close(expected, ranked)),
        Case(
            "bm25_scores alone",
            lambda: rm.bm25_scores(query, passages),
            lambda found: np.testing.assert_array_equal(found, scores),
        ),
    ]
    return _beside_its_scorer("BM25", cases)


def _beside_its_scorer(what: str, cases: list[Case]) -> Group:
    cases = [replace(case, entries=_CANDIDATES) for case in cases]
    reranker, scorer, *_ = cases
    goal = Goal(f"{what}: the reranker beside its scorer", reranker.name, scorer.name, 1.5)
    return Group(
        f"rerank by {what}, {_CANDIDATES} passages of {_WORDS} words", cases, scorer.name, goals=[goal]
    )
