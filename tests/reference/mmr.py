"""Maximal marginal relevance as the formula says it: every similarity anew for every pick.

Values are float64, each operation rounded once, in the order in which the formula is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from .errors import Refused
from .rankings import finite_scores, read

#: Of candidate i to the pick j.
Similarity = Callable[[int, int], float]


def jaccard(a: AbstractSet[str], b: AbstractSet[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 0.0


def relevance(scores: Sequence[float], scale: str | None) -> list[float]:
    """Min-max in float64, halved where the difference of two scores would be no float."""
    if scale is None or not scores:
        return list(scores)
    low, high = min(scores), max(scores)
    if low == high:
        return [1.0] * len(scores)
    if math.isinf(high - low):
        scores, low, high = [score / 2 for score in scores], low / 2, high / 2
    return [(score - low) / (high - low) for score in scores]


def order(
    scores: Sequence[float], similarity: Similarity, lambda_: float, limit: int | None, scale: str | None
) -> list[int]:
    """Places of the picks, in the order of choice."""
    left = list(range(len(scores)))
    wanted = len(left) if limit is None else min(limit, len(left))
    if lambda_ == 1.0:  # no scale changes an order
        return sorted(left, key=lambda i: -scores[i])[:wanted]
    values = relevance(scores, scale)
    chosen: list[int] = []
    while len(chosen) < wanted:
        if chosen:

            def value(i: int) -> float:
                return lambda_ * values[i] - (1.0 - lambda_) * max(similarity(i, j) for j in chosen)

            best = max(left, key=value)
        else:
            best = max(left, key=lambda i: scores[i])
        chosen.append(best)
        left.remove(best)
    return chosen


def mmr(
    ranking: Any,
    *,
    similarity: Similarity,
    lambda_: float = 0.7,
    limit: int | None = None,
    scale: str | None = "minmax",
) -> list[tuple[Hashable, float]]:
    """`(id, score)` of the picks."""
    if not 0.0 <= lambda_ <= 1.0 or scale not in ("minmax", None):
        raise Refused(f"{lambda_=} {scale=}")
    columns = read(ranking)
    scores = finite_scores(columns)
    return [(columns.ids[i], scores[i]) for i in order(scores, similarity, lambda_, limit, scale)]
