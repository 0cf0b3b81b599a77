"""What an engine makes of candidates: words, relevance, age, importance, feedback, diversity."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from rankmeld import _core
from rankmeld._options import as_integer
from rankmeld._time import now_microseconds
from rankmeld.decay import finite_scores, time_decay
from rankmeld.dedup import dedup
from rankmeld.engine.candidates import joined
from rankmeld.engine.feedback import feedback_factor
from rankmeld.engine.relevance import relevance_filter
from rankmeld.engine.settings import EngineSettings
from rankmeld.mmr import mmr
from rankmeld.ranking import Ranking
from rankmeld.rerankers.base import reordered
from rankmeld.rerankers.bm25 import BM25Reranker
from rankmeld.search.trace import Recorder

__all__ = ["aged", "blended", "diverse", "read_sums", "together", "with_feedback"]


def blended(query: str, words: str, found: Ranking, settings: EngineSettings, recorder: Recorder) -> Ranking:
    """One hop's candidates by words and by the memory's score, without those that have nothing to say."""
    with recorder.stage("bm25", len(found)):
        reranker = BM25Reranker(
            rank_weight=settings.score_weight, bm25_weight=settings.bm25_weight, normalized=True
        )
        ranking = reranker.rerank(query, found)
    if len(ranking) > settings.filter_above:
        with recorder.stage("relevance", len(ranking)) as left:
            ranking = relevance_filter(words, ranking, threshold=settings.relevance_threshold)
            left.append(len(ranking))
    return ranking


def together(hops: Sequence[Ranking], queries: Sequence[str], recorder: Recorder) -> Ranking:
    """The candidates of all hops, each once, with its best score."""
    if len(hops) == 1:
        return hops[0]
    with recorder.stage("hops", sum(map(len, hops))) as left:
        ranking, picks, holders = joined(hops)
        columns: dict[str, Sequence[Any]] = {
            "hop": [pick.part + 1 for pick in picks],
            "query": [queries[pick.part] for pick in picks],
            "found_in": [[part + 1 for part in parts] for parts in holders],
        }
        left.append(len(ranking))
        return ranking._step(range(len(ranking)), ranking._scores, "hops", columns)


def aged(ranking: Ranking, settings: EngineSettings, now: dt.datetime, recorder: Recorder) -> Ranking:
    """Candidates by age and importance; one that is against the query and worth nothing at all is dropped."""
    with recorder.stage("time_decay", len(ranking)) as left:
        ranking = _worth_something(ranking, settings, now)
        ranking = time_decay(
            ranking,
            half_life_days=settings.half_life_days,
            now=now,
            importance_weight=settings.importance_weight,
        )
        left.append(len(ranking))
    return ranking


def _worth_something(ranking: Ranking, settings: EngineSettings, now: dt.datetime) -> Ranking:
    """Without negative scores that a factor of nearly 0 would divide into infinity."""
    scores = finite_scores(ranking)
    if not len(scores) or scores.min() >= 0.0:
        return ranking
    options = (
        now_microseconds(now),
        settings.half_life_days,
        "exponential",
        settings.importance_weight,
        1.0,
    )
    decayed = _core.time_decay(scores, ranking._documents, options)
    kept = np.flatnonzero(np.isfinite(decayed)).tolist()
    if len(kept) == len(scores):
        return ranking
    return ranking._step(kept, scores[kept], "worth", {"position_before": kept})


def with_feedback(
    ranking: Ranking, sums: Mapping[Hashable, int], weight: float, recorder: Recorder
) -> Ranking:
    """Candidates by what the user said of them.

    A factor that lifts a score above zero would push one below it down; there its mirror image holds,
    so that a useful document never falls and a harmful one never rises.
    """
    with recorder.stage("feedback", len(ranking)):
        nets = np.array([_clamped(sums.get(id, 0)) for id in ranking.ids], dtype=np.int64)
        factors = np.array([feedback_factor(int(net), weight=weight) for net in nets], dtype=np.float64)
        scores = finite_scores(ranking)
        counted = np.where(scores < 0.0, 2.0 - factors, factors)
        return reordered(ranking, scores * counted, "feedback", {"net": nets, "factor": counted})


def _clamped(net: int) -> int:
    return min(max(net, -(2**62)), 2**62)


def read_sums(answer: Any) -> Mapping[Hashable, int]:
    """What a feedback store answered: sums by id.

    Raises
    ------
    TypeError
        It is something else.
    """
    if not isinstance(answer, Mapping):
        raise TypeError(f"net gave no mapping from ids to sums but a {type(answer).__name__}")
    return {id: as_integer(net, f"the sum of {id!r}") for id, net in answer.items()}


def diverse(ranking: Ranking, settings: EngineSettings, recorder: Recorder) -> Ranking:
    """Candidates that say nothing twice, by what is left out and by their order, if that is wanted."""
    if settings.dedup:
        with recorder.stage("dedup", len(ranking)) as left:
            ranking = dedup(ranking)
            left.append(len(ranking))
    if settings.mmr_lambda is None:
        return ranking
    with recorder.stage("mmr", len(ranking)):
        return mmr(ranking, lambda_=settings.mmr_lambda)
