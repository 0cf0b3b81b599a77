"""The one order: descending score, equal scores by the tie rule."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import Any

from .errors import Refused, WrongKind

TIES = ("first", "id_asc", "id_desc")


def order(ids: Sequence[Hashable], scores: Sequence[Any], ties: str = "first") -> list[int]:
    """Positions of `ids`, best first. Equal scores stay as they came, or are ordered by id."""
    if ties not in TIES:
        raise Refused(f"ties must be one of {TIES}, not {ties!r}")
    best_first = sorted(range(len(ids)), key=lambda i: scores[i], reverse=True)  # stable
    if ties == "first":
        return best_first
    out: list[int] = []
    for _, group in groupby(best_first, key=lambda i: scores[i]):
        tied = list(group)
        try:
            tied.sort(key=lambda i: ids[i], reverse=ties == "id_desc")  # type: ignore[arg-type,return-value]
        except TypeError as error:
            raise WrongKind(f"tied ids cannot be compared: {error}") from None
        out.extend(tied)
    return out
