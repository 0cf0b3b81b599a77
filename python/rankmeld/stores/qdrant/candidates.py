"""What a search finds before documents are read.

Qdrant scores in float32, and orders equal scores as it likes. So each search fetches a few candidates more
than are wanted, and goes on until no document beyond them can belong to the answer: vectors are compared anew
as they were given, by the kernel that every store here uses, and equal scores come in the order of adding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from qdrant_client import models

from rankmeld._asking import Flow
from rankmeld.stores.fusing import Scored
from rankmeld.stores.labels import check_width
from rankmeld.stores.matrix import Floats
from rankmeld.stores.qdrant.collection import Collection, Known
from rankmeld.stores.qdrant.conditions import filter_of, having
from rankmeld.stores.qdrant.points import POSITION, VECTOR, WORDS, unit, vector_of
from rankmeld.vectors import cosine_top

__all__ = ["Candidates"]

#: Candidates beyond those that are wanted, so that one request is enough as a rule.
_MARGIN = 64

#: How much more the next request asks for where one was not enough.
_GROWTH = 4

#: The number of matching points is asked for before so many are.
_SURELY_THERE = 10_000


class Candidates:
    """The legs of one search, which name points by numbers of their own.

    Parameters
    ----------
    collection : Collection
        What is searched.
    known : Known
        What it is.
    conditions : sequence of models.Condition
        What documents must fulfil.

    Attributes
    ----------
    ids : list of str
        The points, by their numbers.
    """

    def __init__(self, collection: Collection, known: Known, conditions: Sequence[Any]) -> None:
        self._collection = collection
        self._known = known
        self._conditions = conditions
        self._numbers: dict[str, int] = {}
        self.ids: list[str] = []

    def by_words(self, query: str, limit: int | None) -> Flow[list[Scored]]:
        """The points that have any word of a query, best first, equal scores in the order of adding."""
        words = self._collection.words.of_query(query)
        if not self._known.there or not words.indices or limit == 0:
            return []
        sparse = models.SparseVector(indices=words.indices, values=words.values)
        wanted = yield from self._wanted(WORDS, limit)
        asked = wanted + _MARGIN
        while True:
            points = yield from self._asked(sparse, WORDS, asked)
            best = sorted(points, key=lambda point: (-point.score, *_place(point)))[:wanted]
            if len(points) < asked or points[-1].score < best[-1].score:
                return [self._scored(point, point.score) for point in best]
            asked *= _GROWTH

    def by_vector(self, query: Floats, limit: int | None) -> Flow[list[Scored]]:
        """The points nearest to a query by cosine, best first, equal scores in the order of adding."""
        name, width = self._known.vector, self._known.label.dimensions
        if name is None or width is None:
            return []
        if query.shape[0] != width:
            check_width((yield from self._collection.label_without(self._known, ())), query)
            return []
        if limit == 0:
            return []
        wanted = yield from self._wanted(name, limit)
        asked = wanted + _MARGIN
        direction = unit(query).tolist()
        # Of a product of two float32 vectors of length 1, summed in any order.
        error = (width + 8) * 2.0**-23
        while True:
            points = yield from self._asked(direction, name, asked)
            if not points:
                return []
            lowest, full = points[-1].score, len(points) >= asked
            points.sort(key=_place)
            vectors = np.stack([vector_of(point.payload, width) for point in points])
            rows, scores = cosine_top(query, vectors, limit=wanted)
            if not full or not self._collection.exact or lowest + error < scores[-1]:
                return [
                    self._scored(points[row], score)
                    for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
                ]
            asked *= _GROWTH

    def _asked(self, query: Any, name: str, limit: int) -> Flow[list[Any]]:
        """The best points by Qdrant's own scores, best first."""
        answer = yield from self._collection.ask(
            "query_points",
            query=query,
            using=name,
            query_filter=filter_of(self._conditions),
            limit=limit,
            search_params=None if name == WORDS else self._collection.search_params,
            with_payload=[POSITION] if name == WORDS else [POSITION, VECTOR],
            with_vectors=False,
        )
        return list(answer.points)

    def _wanted(self, name: str, limit: int | None) -> Flow[int]:
        """How many hits at the most, as a number that a server can make room for."""
        if limit is not None and limit <= _SURELY_THERE:
            return limit
        fitting = filter_of([having(name), *self._conditions])
        counted = yield from self._collection.ask("count", count_filter=fitting, exact=True)
        total = max(int(counted.count), 1)
        return total if limit is None else min(limit, total)

    def _scored(self, point: Any, score: float) -> Scored:
        id = str(point.id)
        number = self._numbers.setdefault(id, len(self.ids))
        if number == len(self.ids):
            self.ids.append(id)
        return Scored(number, float(score))


def _place(point: Any) -> tuple[int, str]:
    """Where a point stands in the order of adding; writers at the same moment may have used one position."""
    return int(point.payload[POSITION]), str(point.id)
