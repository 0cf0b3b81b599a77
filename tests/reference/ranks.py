"""Fusion by position alone: inverse squares, Borda counts, rank-biased centroids, majorities."""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from . import rrf as reciprocal
from .errors import Refused
from .order import order
from .rankings import Columns, candidates, read

Scores = dict[Hashable, float]


def positions(columns: Columns) -> dict[Hashable, int]:
    """Best position of each id, counted from 1."""
    out: dict[Hashable, int] = {}
    for position, id in enumerate(columns.ids, start=1):
        out.setdefault(id, position)
    return out


def inverse_squares(lists: list[dict[Hashable, int]], id: Hashable) -> float:
    return math.fsum(1 / at[id] ** 2 for at in lists if id in at)


def holders(lists: list[dict[Hashable, int]], id: Hashable) -> int:
    return sum(id in at for at in lists)


def isr(lists: list[dict[Hashable, int]], id: Hashable) -> float:
    return holders(lists, id) * inverse_squares(lists, id)


def log_isr(lists: list[dict[Hashable, int]], id: Hashable) -> float:
    return math.log(holders(lists, id)) * inverse_squares(lists, id)


def logn_isr(lists: list[dict[Hashable, int]], id: Hashable) -> float:
    return math.log(holders(lists, id) + 0.01) * inverse_squares(lists, id)


def rbc(lists: list[dict[Hashable, int]], id: Hashable, phi: float = 0.8) -> float:
    return math.fsum((1 - phi) * phi ** (at[id] - 1) for at in lists if id in at)


def borda(lists: list[dict[Hashable, int]], id: Hashable, total: int) -> float:
    """`total - position` points from 0; the points left over are shared by the absent."""
    points = Fraction(0)
    for at in lists:
        if id in at:
            points += total - (at[id] - 1)
        elif at:
            points += Fraction(total - len(at) + 1, 2)
    return float(points)


def majorities(lists: list[dict[Hashable, int]], everyone: list[Hashable]) -> Scores:
    """How many others each id beats: more lists put it before the other than behind."""
    last = math.inf

    def beats(a: Hashable, b: Hashable) -> bool:
        ahead = sum(at.get(a, last) < at.get(b, last) for at in lists)
        behind = sum(at.get(a, last) > at.get(b, last) for at in lists)
        return ahead > behind

    return {a: float(sum(beats(a, b) for b in everyone)) for a in everyone}


def fuse_ranks(
    rankings: Any,
    *,
    method: str,
    phi: float = 0.8,
    limit: int | None = None,
    ties: str = "first",
) -> list[tuple[Hashable, float]]:
    """`(id, score)` pairs, best first."""
    if method == "rrf":
        return reciprocal.rrf(rankings, limit=limit, ties=ties)
    columns = [read(given) for given in rankings]
    lists = [positions(one) for one in columns]
    everyone = candidates(columns)
    if method == "condorcet":
        scores = majorities(lists, everyone)
    elif method == "borda":
        scores = {id: borda(lists, id, len(everyone)) for id in everyone}
    elif method == "rbc":
        scores = {id: rbc(lists, id, phi) for id in everyone}
    elif method in ("isr", "log_isr", "logn_isr"):
        formula = {"isr": isr, "log_isr": log_isr, "logn_isr": logn_isr}[method]
        scores = {id: formula(lists, id) for id in everyone}
    else:
        raise Refused(f"method {method!r}")
    values = [scores[id] for id in everyone]
    return [(everyone[i], values[i]) for i in order(everyone, values, ties)][:limit]
