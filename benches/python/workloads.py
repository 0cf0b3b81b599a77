"""The inputs: ranked lists that overlap by half, from fixed seeds."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import numpy as np
import numpy.typing as npt

import rankmeld as rm

SEED = 20_261_101

#: A ranked list as retrievers give it: `(id, score)`, best first.
Pairs = list[tuple[Any, float]]

#: Scores of odd lists look like BM25's, those of even ones like cosines.
_HIGHEST = (1.0, 30.0)

#: The moment to which documents are dated.
NOW = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def string_lists(lists: int, length: int) -> list[Pairs]:
    """Lists of `(uuid, score)`; each draws its ids from a pool of twice its length.

    Two lists so share half of their ids, as equal strings that are different objects: retrievers
    do not share memory.
    """
    rng = np.random.default_rng([SEED, lists, length])
    pool = [str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(2 * length)]
    return [_ranked(rng, number, [fresh(pool[i]) for i in _drawn(rng, length)]) for number in range(lists)]


def integer_lists(lists: int, length: int) -> list[Pairs]:
    """The same with integers below 10**9 as ids."""
    rng = np.random.default_rng([SEED, lists, length, 1])
    pool = rng.choice(10**9, 2 * length, replace=False).tolist()
    return [_ranked(rng, number, [pool[i] for i in _drawn(rng, length)]) for number in range(lists)]


def runs(queries: int, lists: int, length: int, corpus: int = 100_000) -> list[list[dict[str, float]]]:
    """For each query its lists, as dicts from id to score over one collection of `corpus` ids."""
    rng = np.random.default_rng([SEED, queries, lists, length])
    names = [str(uuid.UUID(bytes=rng.bytes(16), version=4)) for _ in range(corpus)]
    made = []
    for _ in range(queries):
        pool = rng.choice(corpus, 2 * length, replace=False)
        made.append(
            [
                dict(_ranked(rng, number, [fresh(names[i]) for i in rng.permutation(pool)[:length]]))
                for number in range(lists)
            ]
        )
    return made


def ids_of(lists: list[Pairs]) -> list[list[Any]]:
    """The ids alone."""
    return [[id for id, _ in pairs] for pairs in lists]


def fresh(text: str) -> str:
    """The same text as a new object whose hash nobody has asked for yet."""
    return (text + "\0")[:-1]


def _drawn(rng: np.random.Generator, length: int) -> list[int]:
    return rng.permutation(2 * length)[:length].tolist()


def _ranked(rng: np.random.Generator, number: int, ids: list[Any]) -> Pairs:
    scores = np.sort(rng.random(len(ids)) * _HIGHEST[number % 2])[::-1]
    return list(zip(ids, scores.tolist(), strict=True))


class Texts:
    """Words and texts with the skewed frequencies of real ones."""

    def __init__(self, words: int = 5_000) -> None:
        self.rng = np.random.default_rng([SEED, words])
        letters = np.array(list("aeiounrtlsdmkpgbvzf"))
        found: dict[str, None] = {}
        while len(found) < words:
            length = int(self.rng.integers(4, 11))
            found["".join(self.rng.choice(letters, length))] = None
        self.words = list(found)
        weights = 1.0 / np.arange(1, words + 1)
        self._steps = np.cumsum(weights / weights.sum())

    def text(self, length: int) -> str:
        """So many words, frequent ones more often."""
        drawn = np.searchsorted(self._steps, self.rng.random(length))
        return " ".join(self.words[min(i, len(self.words) - 1)] for i in drawn.tolist())

    def documents(self, count: int, length: int) -> list[rm.Document]:
        """Documents of `length` words, dated within the last two years."""
        ages = self.rng.random(count) * 730.0
        return [
            rm.Document(f"d{number}", self.text(length), created_at=NOW - dt.timedelta(days=age))
            for number, age in enumerate(ages.tolist())
        ]

    def vectors(self, count: int, dimensions: int) -> npt.NDArray[np.float32]:
        """Unit vectors."""
        made = self.rng.standard_normal((count, dimensions)).astype(np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)
