"""What is measured on conversations: each leg, each way to fuse, and the stages one by one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

import rankmeld as rm

from . import peers
from .choosing import best_left_out, left_out
from .conversations import OFF, Conversation, Settings, conversations, measured, milliseconds, scored
from .data import Collection
from .measures import Figures

GIVEN = ("dense", "bm25")
ALL = ("dense", "bm25", "context")
OWN = ("dense", "words", "context")
UNTOUCHED = ("dense", "words, default", "context, default")

#: The stages, in the order in which they are added.
STAGES: dict[str, Settings] = {
    "+ evidence flows to neighbours (`propagate`)": {"propagate.weight": 0.4},
    "+ twice as much from questions": {"question_forward": 2.0},
    "+ a share of the session's best (`pool_groups`)": {"pool_groups.weight": 0.3},
    "+ whom the question names (`boost_matches`)": {"boost_matches.boost": 0.3},
    "+ questions keep 0.7 (`weigh`)": {"question_kept": 0.7},
    "+ rare words (`LateInteractionReranker`)": {"late_interaction.maxsim_weight": 0.4},
    "+ the time that the question names (`rerank_temporal`): **the defaults**": {"named_time.boost": 0.4},
}

#: What is tried where parameters are chosen on other conversations.
GRID = {
    "fuse_scores.weights": [None, (0.4, 0.3, 0.3), (0.5, 0.25, 0.25)],
    "propagate.weight": [0.2, 0.4, 0.6],
    "question_forward": [1.0, 2.0, 3.0],
    "pool_groups.weight": [0.0, 0.3],
    "boost_matches.boost": [0.0, 0.15, 0.3],
    "question_kept": [0.7, 1.0],
    "late_interaction.maxsim_weight": [0.0, 0.2, 0.4, 0.8],
    "named_time.boost": [0.0, 0.4, 0.8],
}

PROCESSES = 2
_parts: list[Conversation] = []


def _one(place: int, named: Sequence[str], settings: Settings) -> Figures:
    return measured(_parts[place], named, settings)


class Ladder:
    """Figures of each row: for each question recall-any@5, recall-any@10 and MRR."""

    def __init__(self, collection: Collection) -> None:
        _parts[:] = conversations(collection)  # before the processes are forked, which have it from here
        self.parts = list(_parts)
        self.collection = collection
        self.rows: dict[str, Figures] = {}
        self.without: dict[str, Figures] = {}
        self.chosen: list[Settings] = []
        self.peers: list[str] = []
        queries = [query for part in self.parts for query in part.queries]
        self.names = [query.metadata["conversation_id"] for query in queries]
        self.adversarial = np.array([query.metadata["category"] == "adversarial" for query in queries])

    def measure(self) -> None:
        with ProcessPoolExecutor(PROCESSES, mp_context=get_context("fork")) as pool:

            def each(named: Sequence[str], settings: Settings) -> list[Figures]:
                asked = [pool.submit(_one, place, named, settings) for place in range(len(self.parts))]
                return [one.result() for one in asked]

            self._legs()
            self.rows["dense and BM25, min-max (`fuse_scores`)"] = np.concatenate(each(GIVEN, OFF))
            settings = dict(OFF)
            self.rows["+ BM25 in context (`in_context`)"] = np.concatenate(each(ALL, OFF))
            for name, stage in STAGES.items():
                settings |= stage
                self.rows[name] = np.concatenate(each(ALL, settings))
            print("choosing parameters", file=sys.stderr)
            start = {**OFF, "fuse_scores.weights": None, "limit": 100}
            figures, self.chosen = left_out(lambda tried: each(ALL, tried), start, GRID)
            self.rows["parameters chosen on the other five conversations"] = np.concatenate(figures)
            self.rows["defaults, BM25 of our own index"] = np.concatenate(each(OWN, {}))
            self.rows["defaults, and the index's default tokenizer"] = np.concatenate(each(UNTOUCHED, {}))
            self.rows["defaults, without the leg in context"] = np.concatenate(each(GIVEN, {}))
            for name, stage in STAGES.items():
                plain = {key: OFF[key] for key in stage}
                self.without[name] = np.concatenate(each(ALL, {**settings, **plain}))
        self._peers()

    def _legs(self) -> None:
        named = {
            "BM25, the given run": "bm25",
            "BM25, our own index": "words",
            "BM25 of turns in context, our own index": "context",
            "dense": "dense",
        }
        for name, leg in named.items():
            found = [
                scored(part, [part.legs[leg][query.id].ids for query in part.queries]) for part in self.parts
            ]
            self.rows[name] = np.concatenate(found)
        fused = [
            [rm.rrf([part.legs[leg][query.id] for leg in ("bm25", "dense")]).ids for query in part.queries]
            for part in self.parts
        ]
        found = [scored(part, ids) for part, ids in zip(self.parts, fused, strict=True)]
        self.rows["RRF, k 60"] = np.concatenate(found)

    def _peers(self) -> None:
        print("ranx", file=sys.stderr)
        ways = peers.measured(self.collection, ("hit_rate@5", "hit_rate@10", "mrr"))
        labels = list(dict.fromkeys(self.names))
        best, self.peers = best_left_out(ways, [labels.index(name) for name in self.names])
        self.rows["ranx, its best on the other five conversations"] = 100.0 * best

    def cost(self) -> tuple[float, float]:
        """Median and 95th percentile of what a question costs behind the legs, in ms."""
        found = np.concatenate([milliseconds(part, ALL, {}) for part in self.parts])
        return float(np.median(found)), float(np.quantile(found, 0.95))
