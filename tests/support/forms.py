"""The forms in which a user may hold one ranking, all of the same hits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import rankmeld as rm

Pairs = list[tuple[Any, float]]


class Readonly:
    """Records of a foreign kind, with names of their own."""

    def __init__(self, key: Any, relevance: float) -> None:
        self.key = key
        self.relevance = relevance


def object_array(values: list[Any]) -> np.ndarray:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def records(pairs: Pairs) -> rm.Ranking:
    return rm.from_records([Readonly(*pair) for pair in pairs], id="key", score="relevance")


def dict_records(pairs: Pairs) -> rm.Ranking:
    return rm.from_records([{"key": id, "relevance": s} for id, s in pairs], id="key", score="relevance")


#: Any ids. Each takes `(id, score)` pairs, best first.
SCORED: dict[str, Callable[[Pairs], Any]] = {
    "list of pairs": list,
    "tuple of pairs": tuple,
    "list of lists": lambda pairs: [list(pair) for pair in pairs],
    "generator": lambda pairs: (pair for pair in pairs),
    "iterator of lists": lambda pairs: iter([list(pair) for pair in pairs]),
    "triples": lambda pairs: [(id, score, None) for id, score in pairs],
    "hits": lambda pairs: [rm.Hit(id, score) for id, score in pairs],
    "hits with documents": lambda pairs: [rm.Hit(id, score, None) for id, score in pairs],
    "ranking": rm.Ranking,
    "named ranking": lambda pairs: rm.Ranking(pairs, name="dense"),
    "source": lambda pairs: rm.Source("dense", pairs),
    "source of a ranking": lambda pairs: rm.Source("dense", rm.Ranking(pairs)),
    "source of a generator": lambda pairs: rm.Source("dense", (pair for pair in pairs)),
    "two lists": lambda pairs: ([id for id, _ in pairs], [score for _, score in pairs]),
    "object ids beside an array": lambda pairs: (
        object_array([id for id, _ in pairs]),
        np.array([score for _, score in pairs], dtype=np.float64),
    ),
    "a list beside an array": lambda pairs: (
        [id for id, _ in pairs],
        np.array([score for _, score in pairs], dtype=np.float64),
    ),
    "records": records,
    "dict records": dict_records,
    "numpy scores one by one": lambda pairs: [(id, np.float64(score)) for id, score in pairs],
    "concatenated slices": lambda pairs: [*rm.Ranking(pairs)[:1], *rm.Ranking(pairs)[1:]],
}

#: Distinct ids in descending order of score only: a mapping orders itself.
MAPPINGS: dict[str, Callable[[Pairs], Any]] = {
    "dict": dict,
    "dict, the wrong way round": lambda pairs: dict(reversed(pairs)),
}

#: Integer ids that fit the smallest dtype.
INTEGER: dict[str, Callable[[Pairs], Any]] = {
    f"{dtype} ids": lambda pairs, dtype=dtype: (
        np.array([id for id, _ in pairs], dtype=dtype),
        np.array([score for _, score in pairs]),
    )
    for dtype in ("i1", "u1", "<i2", ">i2", "<u4", ">u4", "<i8", ">i8", "<u8", ">u8")
}

#: Scores that are exact in every one of these dtypes.
SCORE_DTYPES = ("<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<i4", ">i4", "u2", "i8", "g")
