"""Rerankers in exact arithmetic: what the text is worth comes from the references of the scorers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

from .cosine import cosine
from .errors import BadScore, Refused
from .order import order
from .rankings import Columns, finite_scores, read

Pairs = list[tuple[Hashable, float]]


def passages(columns: Columns) -> list[str]:
    return ["" if document is None else document.passage for document in columns.documents]


def by_score(columns: Columns, scores: Sequence[float]) -> Pairs:
    """The same hits with other scores, best first, equal ones as they came."""
    return [(columns.ids[i], scores[i]) for i in order(columns.ids, scores)]


def finite(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        raise BadScore(f"{value} is beyond floats") from None


def scaled(scores: Sequence[float], scale: str | None) -> list[Fraction]:
    exact = [Fraction(score) for score in scores]
    if scale not in ("max", "minmax", None):
        raise Refused(f"{scale=}")
    if scale is None or not exact:
        return exact
    low, high = min(exact), max(exact)
    if scale == "max" and high > 0:
        return [score / high for score in exact]
    return [(score - low) / (high - low) if high > low else Fraction(1) for score in exact]


def weight(value: float) -> Fraction:
    if not math.isfinite(value) or value < 0:
        raise Refused(f"weight {value}")
    return Fraction(value)


def blend(
    ranking: Any, similarity: Sequence[float], rank_weight: float, weights: Sequence[float], scale: str | None
) -> Pairs:
    """Scores and similarities, each times its weight."""
    of_rank, of_text = weight(rank_weight), math.prod(map(weight, weights))
    columns = read(ranking)
    old = scaled(finite_scores(columns), scale) if of_rank else [Fraction(0)] * len(columns.ids)
    new = [of_rank * s + of_text * Fraction(m) for s, m in zip(old, similarity, strict=True)]
    return by_score(columns, [finite(score) for score in new])


def cosine_rerank(ranking: Any, query: Sequence[float], vectors: Sequence[Sequence[float]]) -> Pairs:
    columns = read(ranking)
    return by_score(columns, [cosine(query, vector) for vector in vectors])
