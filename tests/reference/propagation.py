"""Evidence that flows to neighbours, in exact fractions; what stands side by side; names in a query."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from .dedup import whole
from .errors import BadScore
from .order import order
from .rankings import finite_scores, plain_id, read
from .text import begins, follows, stands_alone


def propagate(
    ranking: Any,
    neighbors: Mapping[Any, Iterable[Any]],
    *,
    weight: float = 0.4,
    limit: int | None = None,
    ties: str = "first",
) -> list[tuple[Hashable, float]]:
    columns = read(ranking)
    scores = finite_scores(columns)
    if any(score < 0 for score in scores):
        raise BadScore("evidence is not negative")
    ids = list(columns.ids)
    new = [Fraction(score) for score in scores]
    for position, (n, score) in enumerate(zip(columns.ids, scores, strict=True)):
        if columns.ids.index(n) != position:
            continue
        for neighbor in neighbors.get(n, ()):
            d, w = neighbor if isinstance(neighbor, tuple) else (neighbor, 1.0)
            share = Fraction(weight) * Fraction(w) * Fraction(score)
            if share == 0:
                continue
            if plain_id(d) not in ids:
                ids.append(plain_id(d))
                new.append(Fraction(0))
            new[ids.index(d)] += share
    try:
        out = [float(score) for score in new]
    except OverflowError:
        raise BadScore("a new score is beyond the range of floats") from None
    return [(ids[place], out[place]) for place in order(ids, out, ties)][:limit]


def adjacent(
    ids: Sequence[Hashable],
    *,
    groups: Sequence[Hashable] | None = None,
    window: int = 1,
    forward: float = 1.5,
    backward: float = 1.0,
) -> dict[Hashable, dict[Hashable, float]]:
    groups = [None] * len(ids) if groups is None else groups
    found: dict[Hashable, dict[Hashable, float]] = {}
    for place, id in enumerate(ids):
        together = [at for at in range(len(ids)) if groups[at] == groups[place]]
        rank = together.index(place)
        found[id] = {
            ids[at]: forward if other > rank else backward
            for other, at in enumerate(together)
            if 0 < abs(other - rank) <= window
        }
    return found


def folded(text: str) -> str:
    text = unicodedata.normalize("NFC", whole(text)).casefold()
    return unicodedata.normalize("NFC", text)


def inside_a_word(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if not (begins(before) or follows(before) or stands_alone(before)):
        return False
    if follows(after):
        return True
    base = text[:at].rstrip("".join(c for c in text if follows(c)))[-1:]
    alone = stands_alone(after) or (base != "" and stands_alone(base))
    return begins(after) and not alone


def names(query: str, name: str) -> bool:
    """Whether a name stands in the query, as whole words and in any case."""
    query, name = folded(query), folded(name).strip()
    if not any(begins(c) or follows(c) or stands_alone(c) for c in name):
        return False
    return any(
        query.startswith(name, at)
        and not inside_a_word(query, at)
        and not inside_a_word(query, at + len(name))
        for at in range(len(query))
    )


def boost_matches(
    ranking: Any,
    query: str,
    names_of: Mapping[Hashable, Sequence[str]],
    *,
    boost: float = 0.3,
    ties: str = "first",
) -> list[tuple[Hashable, float]]:
    columns = read(ranking)
    scores = finite_scores(columns)
    new = [
        score * (1.0 + boost) if any(names(query, name) for name in names_of.get(id, ())) else score
        for id, score in zip(columns.ids, scores, strict=True)
    ]
    return [(columns.ids[place], new[place]) for place in order(columns.ids, new, ties)]
