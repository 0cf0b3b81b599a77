"""Score fusion: each list brought to one scale, then combined. Exact until the last step."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

from .errors import BadScore, Refused
from .order import order
from .rankings import Columns, candidates, finite_scores, read, repeats
from .weights import weigh

#: What a list of one entry, or of equal scores, becomes.
CONSTANT = {"minmax": Fraction(1), "sum": Fraction(0), "zscore": Fraction(0), "dbsf": Fraction(1, 2)}
NORMALIZE = ("minmax", "max", "sum", "zscore", "dbsf", "rank", "borda", "none")
COMBINE = ("sum", "mnz", "anz", "max", "min", "median")
Bounds = Sequence["tuple[float, float] | None"]


def root(value: Fraction) -> Fraction:
    """The square root to 600 bits beyond the leading one, which is exact for our purposes."""
    shift = 1200 + 2 * max(0, value.denominator.bit_length() - value.numerator.bit_length())
    shift += shift % 2
    return Fraction(math.isqrt((value.numerator << shift) // value.denominator), 1 << (shift // 2))


def clip(value: Fraction) -> Fraction:
    return min(max(value, Fraction(0)), Fraction(1))


def minmax(scores: list[Fraction]) -> list[Fraction]:
    low, high = min(scores), max(scores)
    return [(s - low) / (high - low) for s in scores]


def within(scores: list[Fraction], low: float, high: float) -> list[Fraction]:
    """Min-max over a range that the caller knows, instead of the one observed."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise Refused(f"bounds ({low}, {high})")
    bottom, top = Fraction(low), Fraction(high)
    return [clip((s - bottom) / (top - bottom)) for s in scores]


def over_max(scores: list[Fraction]) -> list[Fraction]:
    high = max(scores)
    return [s / high if high > 0 else Fraction(0) for s in scores]


def over_sum(scores: list[Fraction]) -> list[Fraction]:
    low = min(scores)
    total = sum(s - low for s in scores)
    return [(s - low) / total for s in scores]


def zscore(scores: list[Fraction]) -> list[Fraction]:
    mean = sum(scores, Fraction(0)) / len(scores)
    deviation = root(sum(((s - mean) ** 2 for s in scores), Fraction(0)) / len(scores))
    return [(s - mean) / deviation for s in scores]


def dbsf(scores: list[Fraction]) -> list[Fraction]:
    mean = sum(scores, Fraction(0)) / len(scores)
    deviation = root(sum(((s - mean) ** 2 for s in scores), Fraction(0)) / (len(scores) - 1))
    return [clip((s - (mean - 3 * deviation)) / (6 * deviation)) for s in scores]


SPREAD: dict[str, Callable[[list[Fraction]], list[Fraction]]] = {
    "minmax": minmax,
    "sum": over_sum,
    "zscore": zscore,
    "dbsf": dbsf,
}


def normalized(
    columns: Columns,
    method: str,
    *,
    total: int,
    on_constant: float | None = None,
    bounds: tuple[float, float] | None = None,
) -> list[Fraction]:
    """The values of one list, entry by entry. `total` is the number of candidates of all lists."""
    n = len(columns.ids)
    if method == "rank":
        return [1 - Fraction(position, n) for position in range(n)]
    if method == "borda":
        return [1 - Fraction(position, total) for position in range(n)]
    scores = [Fraction(score) for score in finite_scores(columns)]
    if not scores:
        return []
    if method == "none":
        return scores
    if method == "max":
        return over_max(scores)
    if bounds is not None:
        return within(scores, *bounds)
    if min(scores) == max(scores):
        constant = CONSTANT[method] if on_constant is None else Fraction(on_constant)
        return [constant] * n
    return SPREAD[method](scores)


def once(columns: Columns, scaled: list[Fraction], duplicates: str) -> dict[Hashable, Fraction]:
    """One value per id of a list."""
    own: dict[Hashable, Fraction] = {}
    for id, value in zip(columns.ids, scaled, strict=True):
        if id not in own:
            own[id] = value
        elif duplicates == "sum":
            own[id] += value
    return own


def combined(values: list[Fraction], lists: int, how: str) -> Fraction:
    """One fused score from the weighted values of an id and the number of lists that hold it."""
    if not values:
        return Fraction(0)
    total = sum(values, Fraction(0))
    if how == "sum":
        return total
    if how == "mnz":
        return total * lists
    if how == "anz":
        return total / lists
    if how == "max":
        return max(values)
    if how == "min":
        return min(values)
    ranked = sorted(values)
    middle = len(ranked) // 2
    return ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2


def to_float(value: Fraction, id: Hashable) -> float:
    try:
        return float(value)
    except OverflowError:
        raise BadScore(f"the score of {id!r} is not finite") from None


def operands(
    lists: list[Columns],
    *,
    normalize: str,
    combine: str,
    weights: list[float],
    on_constant: float | None,
    bounds: Bounds | None,
    duplicates: str,
) -> tuple[dict[Hashable, list[Fraction]], dict[Hashable, int]]:
    """For each id the weighted values to combine, and how many lists hold it."""
    everyone = candidates(lists)
    values: dict[Hashable, list[Fraction]] = {id: [] for id in everyone}
    held: dict[Hashable, int] = dict.fromkeys(everyone, 0)
    for index, (columns, weight) in enumerate(zip(lists, weights, strict=True)):
        range_of = None if bounds is None else bounds[index]
        scaled = normalized(columns, normalize, total=len(everyone), on_constant=on_constant, bounds=range_of)
        if weight == 0:
            continue  # brings candidates, is not counted
        own = once(columns, scaled, duplicates)
        for id, value in own.items():
            values[id].append(Fraction(weight) * value)
            held[id] += 1
        if normalize == "borda" and combine == "sum" and columns.ids:
            absent = Fraction(1, 2) - Fraction(len(columns.ids) - 1, 2 * len(everyone))
            for id in set(everyone) - set(own):
                values[id].append(Fraction(weight) * absent)
    return values, held


def fuse_scores(
    rankings: Any,
    *,
    normalize: str = "minmax",
    combine: str = "sum",
    weights: Any = None,
    on_constant: float | None = None,
    bounds: Bounds | None = None,
    duplicates: str = "sum",
    limit: int | None = None,
    ties: str = "first",
) -> list[tuple[Hashable, float]]:
    """`(id, score)` pairs, best first."""
    if normalize not in NORMALIZE or combine not in COMBINE or duplicates not in ("sum", "first", "error"):
        raise Refused(f"{normalize=} {combine=} {duplicates=}")
    lists = [read(given) for given in rankings]
    if bounds is not None and (normalize != "minmax" or len(bounds) != len(lists)):
        raise Refused("bounds are for minmax, one entry per list")
    if duplicates == "error" and any(repeats(columns) for columns in lists):
        raise Refused("an id twice in one list")
    values, held = operands(
        lists,
        normalize=normalize,
        combine=combine,
        weights=weigh(lists, weights),
        on_constant=on_constant,
        bounds=bounds,
        duplicates=duplicates,
    )
    ids = list(values)
    scores = [to_float(combined(values[id], held[id], combine), id) for id in ids]
    return [(ids[i], scores[i]) for i in order(ids, scores, ties)][:limit]


def convex(dense: Any, lexical: Any, *, alpha: float = 0.5, **options: Any) -> list[tuple[Hashable, float]]:
    if not 0 <= alpha <= 1:
        raise Refused(f"alpha {alpha}")
    return fuse_scores([dense, lexical], weights=[alpha, 1 - alpha], **options)
