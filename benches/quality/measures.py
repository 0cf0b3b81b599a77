"""How good an order is, and how sure one may be of it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

Figures = npt.NDArray[np.float64]

RESAMPLES = 10_000

#: What a question of a conversation is measured by.
RECALLS = ("recall-any@5", "recall-any@10", "MRR")


def ndcg(
    ids: Sequence[Hashable], grades: Mapping[str, float], depth: int = 10, *, exponential: bool = False
) -> float:
    """Gains are the grades, or ``2 ** grade - 1`` as in the web track; the ideal order has 1."""

    def total(found: Sequence[float]) -> float:
        gains = [2.0**grade - 1.0 if exponential else grade for grade in found[:depth]]
        return math.fsum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))

    ideal = total(sorted(grades.values(), reverse=True))
    return total([grades.get(str(id), 0.0) for id in ids[:depth]]) / ideal


def first_found(ids: Sequence[Hashable], grades: Mapping[str, float]) -> float:
    """The rank, from 1, of the first hit that answers; infinite if none does."""
    return next((rank for rank, id in enumerate(ids, 1) if id in grades), math.inf)


def recalls(ids: Sequence[Hashable], grades: Mapping[str, float]) -> tuple[float, float, float]:
    """Whether an answer is among the first 5, the first 10, and one over its rank, each as percent."""
    rank = first_found(ids, grades)
    return 100.0 * (rank <= 5), 100.0 * (rank <= 10), 100.0 / rank


def interval(figures: Figures, clusters: Sequence[Hashable] | None = None) -> tuple[float, float]:
    """The mean's 95%, by resampling queries, or whole clusters of them (Efron's percentile bootstrap)."""
    draw = np.random.default_rng(0)
    if clusters is None:
        picks = draw.integers(0, len(figures), (RESAMPLES, len(figures)))
        means = figures[picks].mean(axis=1)
    else:
        labels = list(dict.fromkeys(clusters))
        of = np.array([labels.index(label) for label in clusters])
        sums, sizes = np.bincount(of, figures), np.bincount(of)
        picks = draw.integers(0, len(labels), (RESAMPLES, len(labels)))
        means = sums[picks].sum(axis=1) / sizes[picks].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
