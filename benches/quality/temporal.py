"""What aiming at the time that a question names gains and loses, and how often a time is seen wrongly.

    python benches/quality/temporal.py FOLDER [FOLDER ...]

A folder is as `reranking.py` takes it. Where its documents have a date and its queries say when they
are asked (``metadata``: ``datetime`` and ``now``), the questions that name a time are ranked in several ways:
as retrieved, reranked by `rerank`, by `rerank_temporal`, and only those candidates kept that are of
the interval which the phrase names (all, where it names none, or where there are none of that time). `now`
is the question's own. The first 50 candidates are reranked.

For every folder: how many queries have a phrase of time, and which phrases; read them and judge.
Intervals are of 95%, by resampling questions (Efron's percentile bootstrap), of the difference to the
ranking as retrieved.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import rankmeld as rm

CANDIDATES = 50
DEPTH = 10
RESAMPLES = 10_000
EXTRACTOR = rm.RegexAnchorExtractor()


@dataclass
class Question:
    """A question that names a time, with the documents that answer it and what was retrieved."""

    text: str
    now: str
    anchor: rm.TimeAnchor
    grades: dict[str, float]
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


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def metadata(row: dict[str, object], key: str) -> str | None:
    found = row.get("metadata")
    value = found.get(key) if isinstance(found, dict) else None
    return None if value is None else str(value)


def anchored(folder: Path) -> list[tuple[dict[str, object], rm.TimeAnchor]]:
    """The queries that name a time."""
    found = []
    for row in rows(folder / "queries.jsonl"):
        anchor = EXTRACTOR.anchor(str(row["text"]), metadata(row, "now") or "2024-01-01")
        if anchor is not None:
            found.append((row, anchor))
    return found


def questions(folder: Path) -> list[Question]:
    """Those of them that have an answer, a time of asking, and dated documents."""
    documents = {
        str(row["_id"]): rm.Document(
            str(row["_id"]), str(row["text"]), title=str(row["title"]), created_at=metadata(row, "datetime")
        )
        for row in rows(folder / "corpus.jsonl")
    }
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades[query][document] = float(grade)
    runs: dict[str, dict[str, list[rm.Hit]]] = {}
    for name in ("bm25", "dense"):
        runs[name] = defaultdict(list)
        for line in (folder / f"{name}.run").read_text(encoding="utf-8").splitlines():
            query, _, document, _, score, _ = line.split()
            runs[name][query].append(rm.Hit(document, float(score), documents[document]))
    found = []
    for row, anchor in anchored(folder):
        id, now = str(row["_id"]), metadata(row, "now")
        if id in grades and now is not None:
            lexical, dense = (runs[name][id] for name in ("bm25", "dense"))
            retrieved = {
                "vectors": rm.Ranking(dense[:CANDIDATES]),
                "fused": rm.rrf([lexical, dense], limit=CANDIDATES),
            }
            found.append(Question(str(row["text"]), now, anchor, grades[id], retrieved))
    return found


def ndcg(ids: list[object], grades: dict[str, float]) -> float:
    """Gains are ``2 ** grade - 1``; the ideal order has 1."""

    def gain(found: list[float]) -> float:
        return math.fsum((2**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(found[:DEPTH]))

    return gain([grades.get(str(id), 0.0) for id in ids]) / gain(sorted(grades.values(), reverse=True))


def recall(ids: list[object], grades: dict[str, float]) -> float:
    return sum(str(id) in grades for id in ids[:DEPTH]) / len(grades)


def interval(differences: npt.NDArray[np.float64]) -> str:
    """The mean's 95%, by resampling."""
    draw = np.random.default_rng(0)
    picks = draw.integers(0, len(differences), (RESAMPLES, len(differences)))
    low, high = np.quantile(differences[picks].mean(axis=1), [0.025, 0.975])
    return f"{low:+.3f} to {high:+.3f}"


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
                    for measure in (ndcg, recall)
                ]
                base = base or figures
                cells = [
                    f"{figure.mean():.3f} | {interval(figure - first) if figure is not first else ''}"
                    for figure, first in zip(figures, base, strict=True)
                ]
                print(f"| {label}, {len(chosen)} | {run} | {way} | {cells[0]} | {cells[1]} |")


def main() -> None:
    folders = [Path(name) for name in sys.argv[1:]]
    if not folders:
        sys.exit("name the folder of a collection, or several")
    print("| collection | queries | with a phrase of time | share |")
    print("|---|---|---|---|")
    phrases: dict[str, Counter[str]] = {}
    for folder in folders:
        total, found = len(rows(folder / "queries.jsonl")), anchored(folder)
        phrases[folder.name] = Counter(anchor.text.lower() for _, anchor in found)
        print(f"| {folder.name} | {total} | {len(found)} | {len(found) / total:.1%} |")
    for name, counted in phrases.items():
        if counted:
            told = ", ".join(f"{text} ({count})" for text, count in counted.most_common())
            print(f"\nphrases of {name}: {told}")
    for folder in folders:
        asked = questions(folder)
        if asked:
            show_targeting(folder.name, asked)


if __name__ == "__main__":
    main()
