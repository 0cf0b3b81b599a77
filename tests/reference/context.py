"""What stands around a text, what a group has, and priors: by definition."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from .errors import BadScore
from .order import order
from .rankings import finite_scores, read

Pairs = list[tuple[Hashable, float]]


def in_context(
    texts: Sequence[str],
    *,
    groups: Sequence[Hashable] | None = None,
    before: int = 2,
    after: int = 2,
    separator: str = " ",
) -> list[str]:
    groups = [None] * len(texts) if groups is None else groups
    out = []
    for place, group in enumerate(groups):
        row = [other for other in range(len(texts)) if groups[other] == group]
        at = row.index(place)
        out.append(
            separator.join(
                texts[row[near]] for near in range(at - before, at + after + 1) if 0 <= near < len(row)
            )
        )
    return out


def pool_groups(
    ranking: Any, groups: Mapping[Any, Hashable], *, weight: float = 0.3, ties: str = "first"
) -> Pairs:
    columns = read(ranking)
    scores = finite_scores(columns)
    new = []
    for id, score in zip(columns.ids, scores, strict=True):
        mates = [
            other
            for mate, other in zip(columns.ids, scores, strict=True)
            if groups.get(mate) is not None and groups.get(mate) == groups.get(id)
        ]
        new.append(score + weight * max(mates) if mates else score)
    return _ordered(columns.ids, new, ties)


def weigh(ranking: Any, factors: Mapping[Any, float], *, ties: str = "first") -> Pairs:
    columns = read(ranking)
    scores = finite_scores(columns)
    if any(score < 0 for score in scores):
        raise BadScore("a prior lifts or lowers what is not negative")
    return _ordered(
        columns.ids,
        [score * factors.get(id, 1.0) for id, score in zip(columns.ids, scores, strict=True)],
        ties,
    )


def _ordered(ids: Sequence[Hashable], scores: Sequence[float], ties: str) -> Pairs:
    if any(score in (float("inf"), float("-inf")) for score in scores):
        raise BadScore("a new score is beyond the range of floats")
    return [(ids[place], scores[place]) for place in order(ids, scores, ties)]


def alike(
    ids: Sequence[Hashable], vectors: Sequence[Sequence[int]], *, k: int = 3
) -> dict[Hashable, list[Hashable]]:
    """Who gains from whom, for vectors of whole numbers: cosines are compared exactly, by their squares."""
    gains: dict[Hashable, list[Hashable]] = {id: [] for id in ids}
    for place, mine in enumerate(vectors):
        near: list[tuple[Fraction, int]] = []
        for other, theirs in enumerate(vectors):
            dot = sum(a * b for a, b in zip(mine, theirs, strict=True))
            if other != place and dot > 0:
                squares = sum(a * a for a in mine) * sum(b * b for b in theirs)
                near.append((-Fraction(dot * dot, squares), other))
        for _, other in sorted(near)[:k]:
            gains[ids[other]].append(ids[place])
    return gains
