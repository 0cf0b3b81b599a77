"""What aiming at the time that a question names gains and loses, and how often a time is seen wrongly.

    python -m benches.quality.temporal FOLDER [FOLDER ...]

A folder is as `data` reads it. Where its documents have a date and its queries say when they
are asked (``metadata``: ``datetime`` and ``now``), the questions that name a time are ranked in several ways:
as retrieved, reranked by `rerank`, by `rerank_temporal`, and only those candidates kept that are of
the interval which the phrase names (all, where it names none, or where there are none of that time). `now`
is the question's own. The first 50 candidates are reranked.

For every folder: how many queries have a phrase of time, and which phrases; read them and judge.
Intervals are of 95%, by resampling questions (Efron's percentile bootstrap), of the difference to the
ranking as retrieved.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import rankmeld as rm

from . import measures
from .data import Collection, Query, read

CANDIDATES = 50
DEPTH = 10
EXTRACTOR = rm.RegexAnchorExtractor()


@dataclass
class Question:
    """A question that names a time, with the documents that answer it and what was retrieved."""

    text: str
    now: str
    anchor: rm.TimeAnchor
    grades: Mapping[str, float]
    runs: dict[str, rm.Ranking]


def relevance_only(boost: float) -> Callable[[rm.Ranking, Question], rm.Ranking]:
    """With the other weights at 0, so that the time alone makes the difference."""
    weights = rm.RerankWeights(1.0, 0.0, 0.0, 0.0)

    def rerank(ranking: rm.Ranking, question: Question) -> rm.Ranking:
        return rm.rerank_temporal(ranking, question.text, now=question.now, weights=weights, boost=boost)

    return rerank


def filtered(ranking: rm.Ranking, question: Question) -> rm.Ranking:
    """Those of the interval first, as a filter would have them; the others behind."""
    start, end = question.anchor.start, question.anchor.end
    if start is None or end is None:
        return ranking
    dates = [None if document is None else document.created_at for document in ranking.documents]
    fits = [date is not None and start <= date < end for date in dates]
    kept = [hit for hit, fit in zip(ranking, fits, strict=True) if fit]
    return rm.Ranking(kept) if kept else ranking


WAYS: dict[str, Callable[[rm.Ranking, Question], rm.Ranking]] = {
    "as retrieved": lambda ranking, _: ranking,
    "rerank": lambda ranking, question: rm.rerank(ranking, now=question.now),
    "rerank_temporal": lambda ranking, question: rm.rerank_temporal(ranking, question.text, now=question.now),
    "relevance and time": relevance_only(rm.DEFAULT_TEMPORAL_BOOST),
    "the same, boost 1.5": relevance_only(1.5),
    "filter": filtered,
}


def anchored(collection: Collection) -> list[tuple[Query, rm.TimeAnchor]]:
    """The queries that name a time."""
    found = []
    for query in collection.queries:
        anchor = EXTRACTOR.anchor(query.text, query.metadata.get("now") or "2024-01-01")
        if anchor is not None:
            found.append((query, anchor))
    return found


def questions(collection: Collection) -> list[Question]:
    """Those of them that have a time of asking, with what was retrieved."""
    found = []
    for query, anchor in anchored(collection):
        now = query.metadata.get("now")
        if now is not None:
            lexical, dense = (collection.runs[name][query.id] for name in ("bm25", "dense"))
            retrieved = {"vectors": dense[:CANDIDATES], "fused": rm.rrf([lexical, dense], limit=CANDIDATES)}
            found.append(Question(query.text, now, anchor, query.grades, retrieved))
    return found


def recall(ids: list[object], grades: Mapping[str, float]) -> float:
    return sum(str(id) in grades for id in ids[:DEPTH]) / len(grades)


def interval(differences: npt.NDArray[np.float64]) -> str:
    """The mean's 95%, by resampling."""
    low, high = measures.interval(differences)
    return f"{low:+.3f} to {high:+.3f}"


def gains(ids: list[object], grades: Mapping[str, float]) -> float:
    return measures.ndcg(ids, grades, DEPTH, exponential=True)


def show_targeting(name: str, asked: list[Question]) -> None:
    """What each way does to the questions, all of them and those whose time lies in the past."""
    past = [question for question in asked if question.anchor.days >= 0]
    dated = [question for question in past if question.anchor.text.lower() != "recently"]
    print(f"\n## {name}: nDCG@{DEPTH} and recall@{DEPTH} of questions that name a time\n")
    print("| questions | ranking | way | nDCG | difference, 95% | recall | difference, 95% |")
    print("|---|---|---|---|---|---|---|")
    for label, chosen in (("all", asked), ("not ahead, not `recently`", dated)):
        for run in ("vectors", "fused"):
            base: list[npt.NDArray[np.float64]] = []
            for way, rerank in WAYS.items():
                ranked = [rerank(question.runs[run], question).ids for question in chosen]
                figures = [
                    np.array([measure(ids, q.grades) for ids, q in zip(ranked, chosen, strict=True)])
                    for measure in (gains, recall)
                ]
                base = base or figures
                cells = [
                    f"{figure.mean():.3f} | {interval(figure - first) if figure is not first else ''}"
                    for figure, first in zip(figures, base, strict=True)
                ]
                print(f"| {label}, {len(chosen)} | {run} | {way} | {cells[0]} | {cells[1]} |")


def main() -> None:
    collections = [read(Path(name)) for name in sys.argv[1:]]
    if not collections:
        sys.exit("name the folder of a collection, or several")
    print("| collection | queries | with a phrase of time | share |")
    print("|---|---|---|---|")
    phrases: dict[str, Counter[str]] = {}
    for collection in collections:
        total, found = len(collection.queries), anchored(collection)
        phrases[collection.name] = Counter(anchor.text.lower() for _, anchor in found)
        print(f"| {collection.name} | {total} | {len(found)} | {len(found) / total:.1%} |")
    for name, counted in phrases.items():
        if counted:
            told = ", ".join(f"{text} ({count})" for text, count in counted.most_common())
            print(f"\nphrases of {name}: {told}")
    for collection in collections:
        asked = questions(collection)
        if asked:
            show_targeting(collection.name, asked)


if __name__ == "__main__":
    main()
