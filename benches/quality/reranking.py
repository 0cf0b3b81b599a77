"""What reranking by words gains and loses, on collections with known answers.

    python benches/quality/reranking.py FOLDER [FOLDER ...]

A folder holds ``corpus.jsonl`` and ``queries.jsonl`` (``_id``, ``text``, ``title``), ``qrels.tsv`` (a head
line, then query, document and grade, parted by tabs), and two runs in TREC's six columns,
``bm25.run`` and ``dense.run``. The best 50 of a ranking are reranked; the figure is nDCG@10.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import rankmeld as rm

CANDIDATES = 50

RERANKERS: dict[str, rm.Reranker] = {
    "as it was": rm.ChainReranker([]),
    "late interaction": rm.LateInteractionReranker(),
    "gentle": rm.LateInteractionReranker(rank_weight=0.8, maxsim_weight=0.2, maxsim_scale=1.0),
    "beside BM25": rm.BM25Reranker(rank_weight=0.7, bm25_weight=0.3, normalized=True, scale="max"),
}


@dataclass
class Collection:
    """Documents, queries with an answer, grades, and the two runs."""

    documents: dict[str, rm.Document]
    queries: dict[str, str]
    grades: dict[str, dict[str, float]]
    runs: dict[str, dict[str, list[rm.Hit]]]


def read(folder: Path) -> Collection:
    documents = {
        row["_id"]: rm.Document(row["_id"], row["text"], title=row.get("title") or "")
        for row in _rows(folder / "corpus.jsonl")
    }
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades[query][document] = float(grade)
    queries = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl") if row["_id"] in grades}
    runs: dict[str, dict[str, list[rm.Hit]]] = {}
    for name in ("bm25", "dense"):
        runs[name] = defaultdict(list)
        for line in (folder / f"{name}.run").read_text(encoding="utf-8").splitlines():
            query, _, document, _, score, _ = line.split()
            runs[name][query].append(rm.Hit(document, float(score), documents[document]))
    return Collection(documents, queries, grades, runs)


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rankings(collection: Collection, query: str) -> dict[str, rm.Ranking]:
    """What there is to rerank."""
    lexical, dense = (collection.runs[name][query] for name in ("bm25", "dense"))
    return {
        "vectors": rm.Ranking(dense[:CANDIDATES]),
        "fused": rm.rrf([lexical, dense], limit=CANDIDATES),
    }


def ndcg(ids: list[object], grades: dict[str, float], depth: int = 10) -> float:
    """Gains are ``2 ** grade - 1``, as in the web track; the ideal order has 1."""

    def gain(found: list[float]) -> float:
        return math.fsum((2**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(found[:depth]))

    ideal = gain(sorted(grades.values(), reverse=True))
    return gain([grades.get(str(id), 0.0) for id in ids]) / ideal


def main() -> None:
    if not sys.argv[1:]:
        sys.exit("name the folder of a collection, or several")
    print("| collection | queries | ranking |", " | ".join(RERANKERS), "|")
    print("|---|---|---|", "---|" * len(RERANKERS), sep="")
    for folder in map(Path, sys.argv[1:]):
        collection = read(folder)
        found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for id, query in collection.queries.items():
            for ranking, candidates in rankings(collection, id).items():
                for name, reranker in RERANKERS.items():
                    ids = reranker.rerank(query, candidates).ids
                    found[ranking][name].append(ndcg(ids, collection.grades[id]))
        for ranking, by_name in found.items():
            figures = " | ".join(f"{sum(by_name[name]) / len(by_name[name]):.3f}" for name in RERANKERS)
            print(f"| {folder.name} | {len(collection.queries)} | {ranking} | {figures} |")


if __name__ == "__main__":
    main()
