"""Reciprocal rank fusion."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

from .errors import BadScore, Refused
from .order import order
from .rankings import candidates, read
from .weights import weigh

DUPLICATES = ("first", "sum", "last", "overwrite", "error")


def total(credits_of_id: list[float], id: Hashable) -> float:
    """Correctly rounded, so the order of the lists changes no bit."""
    try:
        value = math.fsum(credits_of_id)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise BadScore(f"the score of {id!r} is not finite")
    return value


def rrf(
    rankings: Any,
    *,
    k: float = 60.0,
    rank_base: int = 1,
    weights: Any = None,
    duplicates: str = "first",
    limit: int | None = None,
    ties: str = "first",
) -> list[tuple[Hashable, float]]:
    """`(id, score)` pairs, best first."""
    if duplicates not in DUPLICATES:
        raise Refused(f"duplicates must be one of {DUPLICATES}, not {duplicates!r}")
    lists = [read(given) for given in rankings]
    earned: dict[Hashable, list[float]] = {id: [] for id in candidates(lists)}
    for columns, weight in zip(lists, weigh(lists, weights), strict=True):
        here: set[Hashable] = set()
        own: dict[Hashable, list[float]] = {}
        for position, id in enumerate(columns.ids):
            credit = weight / (k + (position + rank_base))
            if id not in here:
                own[id] = [credit]
            elif duplicates == "error":
                raise Refused(f"{id!r} twice in one list, again at {position}")
            elif duplicates == "sum":
                own[id].append(credit)
            elif duplicates == "last":
                own[id] = [credit]
            elif duplicates == "overwrite":
                own[id] = [credit]
                earned[id].clear()  # from any list
            here.add(id)
        for id, added in own.items():
            earned[id].extend(added)
    ids = list(earned)
    scores = [total(earned[id], id) for id in ids]
    best_first = [(ids[i], scores[i]) for i in order(ids, scores, ties)]
    return best_first[:limit]
