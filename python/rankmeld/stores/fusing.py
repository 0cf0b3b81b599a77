"""What the legs of a hybrid search found, made into one ranking: the part that knows no database."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankmeld._options import as_integer
from rankmeld.dedup import dedup
from rankmeld.document import Document
from rankmeld.errors import InvalidArgumentError
from rankmeld.fusion import rrf
from rankmeld.ranking import Ranking
from rankmeld.types import Hit, Source

__all__ = ["Lookups", "Scored", "as_depth", "fused", "leg", "ranked"]


class Scored(NamedTuple):
    """A document's position and its score."""

    position: int
    score: float


#: Asks for the documents at some positions, is sent them by position, and returns a ranking.
Lookups = Generator[list[int], Mapping[int, Document], Ranking]


def as_depth(depth: int) -> int:
    """How many candidates each leg brings."""
    candidates = as_integer(depth, "depth")
    if candidates < 1:
        raise InvalidArgumentError(f"depth is {candidates}; each leg must bring one candidate or more")
    return candidates


def ranked(scored: Sequence[Scored], name: str) -> Lookups:
    """Make a ranking of what one search found."""
    documents = yield [position for position, _ in scored]
    return Ranking(
        [Hit(documents[position].id, score, documents[position]) for position, score in scored], name=name
    )


def leg(name: str, scored: Sequence[Scored]) -> Source:
    """Candidates by their positions: documents are read only for those that survive."""
    positions = np.array([position for position, _ in scored], dtype=np.int64)
    return Source(name, (positions, np.array([score for _, score in scored], dtype=np.float64)))


def fused(legs: Sequence[Source], wanted: int | None) -> Lookups:
    """Fuse the legs, and keep the best hits of different texts; reads documents only as far as that takes."""
    ranking = rrf(legs)
    reach = len(ranking) if wanted is None else min(2 * wanted, len(ranking))
    while True:
        best = ranking[:reach]
        positions = np.asarray(best._ids, dtype=np.int64).tolist()
        documents = yield positions
        found = [documents[position] for position in positions]
        kept = dedup(best._identified([document.id for document in found], found), limit=wanted)
        if len(kept) == wanted or reach == len(ranking):
            return kept
        reach = min(4 * reach, len(ranking))
