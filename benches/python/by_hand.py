"""What people write themselves: plain Python and NumPy."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from .workloads import Pairs

K = 60

#: Reciprocal ranks for the longest list of any workload, worked out once as a tuned loop would.
_CREDITS = [1.0 / (K + rank) for rank in range(1, 250_001)]

Ids = Sequence[Sequence[Any]]
Scored = list[tuple[Any, float]]
Columns = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]


def rrf_clean(lists: Ids) -> Scored:
    """The loop as one first writes it."""
    scores: defaultdict[Any, float] = defaultdict(float)
    for ids in lists:
        for rank, id in enumerate(ids, start=1):
            scores[id] += 1.0 / (K + rank)
    return sorted(scores.items(), key=lambda pair: pair[1], reverse=True)


def rrf_tuned(lists: Ids) -> Scored:
    """The same with all that a profiler suggests: no division, no global names, no lambda."""
    scores: dict[Any, float] = {}
    get = scores.get
    for ids in lists:
        for id, credit in zip(ids, _CREDITS):  # noqa: B905 - the table is longer, and strict costs time
            scores[id] = get(id, 0.0) + credit
    return sorted(scores.items(), key=itemgetter(1), reverse=True)


def rrf_top(lists: Ids, limit: int) -> Scored:
    """The best few by a heap."""
    scores: dict[Any, float] = {}
    get = scores.get
    for ids in lists:
        for id, credit in zip(ids, _CREDITS):  # noqa: B905 - as above
            scores[id] = get(id, 0.0) + credit
    return heapq.nlargest(limit, scores.items(), key=itemgetter(1))


def dict_pass(lists: Ids) -> dict[Any, None]:
    """A bound: every id into a dict, by C code alone. No credits, no order."""
    seen: dict[Any, None] = {}
    for ids in lists:
        seen.update(dict.fromkeys(ids))
    return seen


def minmax_clean(lists: Sequence[Pairs]) -> Scored:
    """Min-max normalization and a sum, as one first writes it."""
    scores: defaultdict[Any, float] = defaultdict(float)
    for pairs in lists:
        values = [score for _, score in pairs]
        low, high = min(values), max(values)
        for id, score in pairs:
            scores[id] += (score - low) / (high - low)
    return sorted(scores.items(), key=lambda pair: pair[1], reverse=True)


def minmax_tuned(lists: Sequence[Pairs]) -> Scored:
    """The same with one multiplication per entry, and the minimum taken off in one piece."""
    scores: dict[Any, float] = {}
    get = scores.get
    for pairs in lists:
        ids, values = zip(*pairs, strict=True)
        low, high = min(values), max(values)
        scale = 1.0 / (high - low)
        shift = low * scale
        for id, value in zip(ids, values):  # noqa: B905 - equal by construction
            scores[id] = get(id, 0.0) + (value * scale - shift)
    return sorted(scores.items(), key=itemgetter(1), reverse=True)


def rrf_numpy(arrays: Sequence[npt.NDArray[np.int64]]) -> Columns:
    """Integer ids in arrays: unique, bincount, argsort."""
    ids, places = np.unique(np.concatenate(arrays), return_inverse=True)
    return by_score(ids, places, arrays)


def by_score(
    ids: npt.NDArray[np.int64], places: npt.NDArray[np.intp], arrays: Sequence[npt.NDArray[np.int64]]
) -> Columns:
    """Sum the credits of all entries by the place of their id, and sort."""
    credits = np.concatenate([1.0 / (K + np.arange(1, len(array) + 1)) for array in arrays])
    scores = np.bincount(places, weights=credits, minlength=len(ids))
    order = np.argsort(-scores, kind="stable")
    return ids[order], scores[order]


def columns_to_dict(columns: Columns) -> dict[Any, float]:
    """Two arrays as a mapping."""
    return dict(zip(columns[0].tolist(), columns[1].tolist(), strict=True))
