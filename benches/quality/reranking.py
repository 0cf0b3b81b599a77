"""What reranking by words gains and loses, on collections with known answers.

    python -m benches.quality.reranking FOLDER [FOLDER ...]

A folder is as `data` reads it. The best 50 of a ranking are reranked; the figure is nDCG@10 with exponential
gains.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

import rankmeld as rm

from .data import Collection, read
from .measures import ndcg

CANDIDATES = 50

RERANKERS: dict[str, rm.Reranker] = {
    "as it was": rm.ChainReranker([]),
    "late interaction": rm.LateInteractionReranker(),
    "gentle": rm.LateInteractionReranker(rank_weight=0.8, maxsim_weight=0.2, maxsim_scale=1.0),
    "beside BM25": rm.BM25Reranker(rank_weight=0.7, bm25_weight=0.3, normalized=True, scale="max"),
}


def rankings(collection: Collection, query: str) -> dict[str, rm.Ranking]:
    """What there is to rerank."""
    lexical, dense = (collection.runs[name][query] for name in ("bm25", "dense"))
    return {
        "vectors": rm.Ranking(dense[:CANDIDATES]),
        "fused": rm.rrf([lexical, dense], limit=CANDIDATES),
    }


def main() -> None:
    if not sys.argv[1:]:
        sys.exit("name the folder of a collection, or several")
    print("| collection | queries | ranking |", " | ".join(RERANKERS), "|")
    print("|---|---|---|", "---|" * len(RERANKERS), sep="")
    for folder in map(Path, sys.argv[1:]):
        collection = read(folder)
        found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for query in collection.queries:
            for ranking, candidates in rankings(collection, query.id).items():
                for name, reranker in RERANKERS.items():
                    ids = reranker.rerank(query.text, candidates).ids
                    found[ranking][name].append(ndcg(ids, query.grades, exponential=True))
        for ranking, by_name in found.items():
            figures = " | ".join(f"{sum(by_name[name]) / len(by_name[name]):.3f}" for name in RERANKERS)
            print(f"| {folder.name} | {len(collection.queries)} | {ranking} | {figures} |")


if __name__ == "__main__":
    main()
