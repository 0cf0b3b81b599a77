"""What is measured on collections without conversation: that nothing is lost there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import rankmeld as rm
from rankmeld.pipeline import FuseScores, Propagate

from . import legs, peers
from .choosing import best_left_out, left_out
from .data import Collection
from .measures import Figures, ndcg

FOLDS = 5

#: What is tried where parameters are chosen on other queries.
GRID = {
    "fuse_scores.weights": [(0.3, 0.7), (0.4, 0.6), (0.5, 0.5), (0.6, 0.4)],
    "propagate.weight": [0.0, 0.1, 0.2, 0.4],
    "late_interaction.maxsim_weight": [0.0, 0.2, 0.4, 0.8],
}


class Documents:
    """Figures of each row: nDCG@10 of each query."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self.rows: dict[str, Figures] = {}
        self.chosen: list[Mapping[str, Any]] = []
        self.peers: list[str] = []
        self.folds = [place % FOLDS for place in range(len(collection.queries))]

    def measure(self) -> None:
        documents, runs = self.collection.documents, self.collection.runs
        own = {
            "BM25, our own index": legs.words(documents),
            "BM25, our own index and its default tokenizer": legs.words(documents, rm.bm25_tokenize),
        }
        self.rows["BM25, the given run"] = self._of(lambda id, _: runs["bm25"][id].ids)
        for name, index in own.items():
            run = legs.searched(index, self.collection.queries)
            self.rows[name] = self._of(lambda id, _, run=run: run[id].ids)
        self.rows["dense"] = self._of(lambda id, _: runs["dense"][id].ids)
        self.rows["RRF, k 60"] = self._of(lambda id, _: rm.rrf([runs["bm25"][id], runs["dense"][id]]).ids)
        fused = FuseScores()
        self.rows["dense and BM25, min-max (`fuse_scores`)"] = self._of(
            lambda id, _: rm.fuse_scores(self._legs(id)).ids
        )
        conversation = rm.conversation_pipeline(documents.values())
        self.rows["`conversation_pipeline`, **the defaults**"] = self._run(conversation)
        self.skipped = [
            stage.name
            for stage in conversation.run(self._legs(self.collection.queries[0].id), query="any").trace.stages
            if stage.status == "skipped"
        ]
        near = rm.alike(list(documents), self.collection.vectors())
        alike = rm.Pipeline(
            [
                fused,
                Propagate(neighbors=near, weight=0.2, limit=100, lookup=documents),
                conversation.stages["late_interaction"],
            ]
        )
        self.rows["the same, and evidence from the 3 nearest by vectors (`alike`)"] = self._run(alike)
        print("choosing parameters", self.collection.name, file=sys.stderr)
        start = {
            "fuse_scores.weights": (0.5, 0.5),
            "propagate.weight": 0.0,
            "late_interaction.maxsim_weight": 0.0,
        }
        folds = np.array(self.folds)

        def parts(tried: Mapping[str, Any]) -> list[Figures]:
            figures = self._run(alike.with_parameters(tried))[:, None]
            return [figures[folds == fold] for fold in range(FOLDS)]

        found, self.chosen = left_out(parts, start, GRID)
        chosen = np.empty(len(folds))
        for fold, figures in enumerate(found):
            chosen[folds == fold] = figures[:, 0]
        self.rows["parameters chosen on other queries"] = chosen
        print("ranx", self.collection.name, file=sys.stderr)
        best, self.peers = best_left_out(peers.measured(self.collection, ("ndcg@10",)), self.folds)
        self.rows["ranx, its best on other queries"] = best[:, 0]

    def _legs(self, id: str) -> list[rm.Ranking]:
        return [self.collection.runs[leg][id] for leg in ("dense", "bm25")]

    def _run(self, pipeline: rm.Pipeline) -> Figures:
        return self._of(lambda id, text: pipeline.run(self._legs(id), query=text).ranking.ids)

    def _of(self, order: Callable[[str, str], list[Any]]) -> Figures:
        return np.array(
            [ndcg(order(query.id, query.text), query.grades) for query in self.collection.queries]
        )
