"""Reranking by quality, age and the time that the query names, over documents as objects."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from operator import itemgetter

import numpy as np

import rankmeld as rm

from . import oracle
from .agreement import Expected, close, ranked
from .harness import Case, Effort, Group, Result, Verdict, measure
from .workloads import NOW, SEED

Triples = list[tuple[str, float, rm.Document]]

_WEIGHTS = (0.5, 0.2, 0.1, 0.2)
_QUERY = "what did we decide three weeks ago about the index"
_TIERS = (None, "working", "episodic", "semantic", "procedural")
_TIER_WEIGHTS = {
    None: 0.5,
    rm.Tier.WORKING: 0.30,
    rm.Tier.EPISODIC: 0.55,
    rm.Tier.SEMANTIC: 0.90,
    rm.Tier.PROCEDURAL: 0.95,
}
_LASTING = (rm.Tier.SEMANTIC, rm.Tier.PROCEDURAL)
_DAY = dt.timedelta(days=1)


def run(*, quick: bool) -> Iterator[Result]:
    """200 and 10,000 documents, all four parts counting; with and without a time in the query."""
    effort = Effort(0.7, 5) if quick else Effort(4.0, 12)
    for count, seconds in ((200, 150e-6), (10_000, 5e-3)):
        hits = _hits(count)
        for group in (_composite(hits), _temporal(hits)):
            result = measure(group, effort)
            slowest = max(timing.cpu_min for timing in result.timings[:2])
            yield replace(
                result, verdicts=[*result.verdicts, Verdict(group.title, seconds * 1e6, slowest * 1e6, "us")]
            )
    yield measure(_making(), effort)


def _hits(count: int) -> Triples:
    rng = np.random.default_rng([SEED, count])
    hits = []
    for number in range(count):
        created, written = sorted(rng.random(2).tolist(), reverse=True)
        document = rm.Document(
            f"d{number}",
            "as it is not looked at, short",
            created_at=NOW - 400 * created * _DAY,
            updated_at=NOW - 400 * written * _DAY,
            access_count=int(rng.integers(0, 40)),
            importance=float(rng.random()),
            confidence=float(rng.random()),
            tier=_TIERS[int(rng.integers(0, len(_TIERS)))],
        )
        hits.append((document.id, 1.0 - number / count, document))
    return hits


def _composite(hits: Triples) -> Group:
    ranking, weights = rm.Ranking(hits), rm.RerankWeights(*_WEIGHTS)
    expected = oracle.rerank(hits, now=NOW, weights=_WEIGHTS)

    def call(given: object) -> Callable[[], rm.Ranking]:
        return lambda: rm.rerank(given, now=NOW, weights=weights)

    return _group("composite rerank", hits, expected, call(ranking), call(hits), partial(_python, hits, None))


def _temporal(hits: Triples) -> Group:
    ranking, weights = rm.Ranking(hits), rm.RerankWeights(*_WEIGHTS)
    expected = oracle.rerank(hits, now=NOW, weights=_WEIGHTS, anchor=(21, 5))

    def call(given: object) -> Callable[[], rm.Ranking]:
        return lambda: rm.rerank_temporal(given, _QUERY, now=NOW, weights=weights)

    by_hand = partial(_python, hits, (21, 5))
    return _group("temporal rerank", hits, expected, call(ranking), call(hits), by_hand)


def _group(  # noqa: PLR0917 - three ways of one thing
    what: str,
    hits: Triples,
    expected: Expected,
    ready: Callable[[], rm.Ranking],
    from_triples: Callable[[], rm.Ranking],
    by_hand: Callable[[], Expected],
) -> Group:
    cases = [
        Case("rankmeld, ranking ready", ready, close(expected, ranked), entries=len(hits)),
        Case("rankmeld, from triples", from_triples, close(expected, ranked), entries=len(hits)),
        Case("Python, tuned", by_hand, close(expected), entries=len(hits)),
    ]
    return Group(f"{what}, {len(hits):,} documents", cases, "Python, tuned")


def _python(hits: Triples, anchor: tuple[int, int] | None) -> Expected:
    """What people write who look at each document once: no checks, no extremes, no explanation."""
    w_relevance, w_recency, w_importance, w_quality = _WEIGHTS
    highest = max(score for _, score, _ in hits)
    rows, best = [], 0.0
    for id, score, document in hits:
        touched = document.last_accessed_at or document.updated_at or document.created_at
        recency = 2.0 ** (-max((NOW - touched).total_seconds() / 86_400.0, 0.0) / 7.0)
        importance = min(max(document.importance, 0.0), 1.0)
        quality = min(_TIER_WEIGHTS[document.tier] * (0.5 + 0.5 * importance), 1.0)
        if document.tier in _LASTING:
            weeks = (NOW - document.updated_at).total_seconds() / 604_800.0
            confidence = min(max(document.confidence, 0.0), 1.0)
            quality *= max(confidence - 0.05 * max(weeks - 1.0, 0.0), 0.05)
        else:
            quality *= recency
        quality *= 1.0 + math.log1p(document.access_count)
        best = max(best, quality)
        added = w_recency * recency + w_importance * importance
        rows.append((id, score / highest, quality, added, document))
    out = []
    target = None if anchor is None else NOW - anchor[0] * _DAY
    for id, relevance, quality, added, document in rows:
        score = relevance * (w_relevance + w_quality * quality / best) + added
        if target is not None:
            distance = abs((document.created_at - target).total_seconds()) / 86_400.0
            score *= 1.0 + 0.4 * min(max((3 * anchor[1] - distance) / (2 * anchor[1]), 0.0), 1.0)
        out.append((id, score))
    out.sort(key=itemgetter(1), reverse=True)
    return out


def _making() -> Group:
    """What it costs that documents keep what kernels weigh."""
    fields = {
        "text": "some text",
        "title": "a title",
        "created_at": NOW,
        "updated_at": NOW,
        "access_count": 3,
        "importance": 0.5,
        "confidence": 0.3,
        "tier": "semantic",
        "metadata": {"project": "x"},
    }
    made = rm.Document("d", **fields)

    def equal(document: rm.Document) -> None:
        assert document == made

    def bare(document: rm.Document) -> None:
        assert (document.text, document.metadata, document.created_at) == ("some text", {}, None)

    cases = [
        Case("all fields", lambda: rm.Document("d", **fields), equal),
        Case("id and text", lambda: rm.Document("d", "some text"), bare),
    ]
    return Group("making a Document", cases, "id and text")
