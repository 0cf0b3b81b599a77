"""What a BM25 index holds at one moment: parts of ids and documents beside the core's snapshot.

Nothing here changes once it is made. Adding and removing make another state, which shares with the old one
what stayed the same; so a reader sees one moment, and nobody holds a lock while ids are hashed
or compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._filters import Condition, CreatedWithin, as_compared
from rankmeld._time import microseconds
from rankmeld.document import Document
from rankmeld.errors import InvalidArgumentError

__all__ = ["Columns", "Mask", "Part", "State"]

Mask = npt.NDArray[np.bool_]

#: Part and number of a document.
Place = tuple[int, int]

#: In place of the moment of a document without one; no year has it.
_UNDATED = np.iinfo(np.int64).min

#: A part with more removed documents than this share of it is made anew without them.
_GARBAGE = 0.25


class Part:
    """Ids and documents of one segment, by number.

    Parameters
    ----------
    ids : list of Hashable
        One for each document.
    documents : list of (Document or None), optional
        The documents themselves; ``None`` if none was given.
    """

    __slots__ = ("_columns", "_created", "documents", "ids", "numbers")

    def __init__(self, ids: list[Hashable], documents: list[Document | None] | None) -> None:
        self.ids = ids
        self.documents = documents
        self.numbers = {id: number for number, id in enumerate(ids)}
        # Made when a filter first asks: for a key of the metadata, who has which value.
        self._columns: dict[str, dict[str, list[int]]] = {}
        self._created: npt.NDArray[np.int64] | None = None

    def mask(self, conditions: Sequence[Condition], among: Iterable[Hashable] | None) -> Mask:
        """Which documents fit all conditions and are among these ids."""
        if among is None:
            fits = np.ones(len(self.ids), dtype=np.bool_)
        else:
            fits = _at(len(self.ids), [self.numbers[id] for id in among if id in self.numbers])
        for condition in conditions:
            if isinstance(condition, CreatedWithin):
                fits &= self._created_within(condition)
            else:
                rows = self._column(condition.name)
                fits &= _at(len(self.ids), [row for value in condition.values for row in rows.get(value, ())])
        return fits

    def _created_within(self, condition: CreatedWithin) -> Mask:
        dates = self._dates()
        fits: Mask = dates != _UNDATED
        if condition.start is not None:
            fits &= dates >= condition.start
        if condition.stop is not None:
            fits &= dates < condition.stop
        return fits

    def _dates(self) -> npt.NDArray[np.int64]:
        """Moments of creation in microseconds."""
        if self._created is None:
            dates = np.full(len(self.ids), _UNDATED)
            for number, document in enumerate(self.documents or ()):
                if document is not None and document.created_at is not None:
                    dates[number] = microseconds(document.created_at)
            self._created = dates
        return self._created

    def _column(self, name: str) -> dict[str, list[int]]:
        column = self._columns.get(name)
        if column is None:
            column = {}
            for number, document in enumerate(self.documents or ()):
                if document is None:
                    continue
                for key, value in document.metadata.items():
                    if value is not None and as_compared(key) == name:
                        column.setdefault(as_compared(value), []).append(number)
            self._columns[name] = column
        return column


def _at(length: int, numbers: list[int]) -> Mask:
    mask = np.zeros(length, dtype=np.bool_)
    mask[numbers] = True
    return mask


class Columns(NamedTuple):
    """What an index holds, in the order of insertion.

    Attributes
    ----------
    postings : bytes
        Of the core.
    ids : list of Hashable
        One for each document.
    documents : list of (Document or None), optional
        As many; ``None`` if none was given.
    """

    postings: bytes
    ids: list[Hashable]
    documents: list[Document | None] | None


class State(NamedTuple):
    """One moment of an index.

    Attributes
    ----------
    snapshot : Bm25Snapshot
        Postings, statistics, and which documents live.
    parts : tuple of Part
        One for each part of the snapshot.
    next_rank : int
        The rank of insertion that the next new document gets.
    """

    snapshot: _core.Bm25Snapshot
    parts: tuple[Part, ...] = ()
    next_rank: int = 0

    def place(self, id: Hashable) -> Place | None:
        """Where the living document of an id stands."""
        for number in range(len(self.parts) - 1, -1, -1):
            document = self.parts[number].numbers.get(id)
            if document is not None and self.snapshot.lives(number, document):
                return number, document
        return None

    def ids(self) -> list[Hashable]:
        """The ids of all that live, in the order of insertion."""
        lives, order_of = self.snapshot.lives, self.snapshot.order_of
        found = [
            (order_of(number, row), id)
            for number, part in enumerate(self.parts)
            for row, id in enumerate(part.ids)
            if lives(number, row)
        ]
        return [id for _, id in sorted(found, key=itemgetter(0))]

    def with_part(
        self, segment: _core.Bm25Segment, ids: Sequence[Hashable], documents: list[Document | None] | None
    ) -> State:
        """With a segment of distinct ids, in place of the documents that have them.

        A document that replaces another keeps its id object and its rank of insertion.
        """
        places = [self.place(id) for id in ids] if self.parts else [None] * len(ids)
        kept: list[Hashable] = []
        ranks: list[int] = []
        next_rank = self.next_rank
        for id, place in zip(ids, places, strict=True):
            if place is None:
                ranks.append(next_rank)
                kept.append(id)
                next_rank += 1
            else:
                ranks.append(self.snapshot.order_of(*place))
                kept.append(self.parts[place[0]].ids[place[1]])
        replaced = [place for place in places if place is not None]
        before = self.snapshot.without(replaced) if replaced else self.snapshot
        snapshot, stood = before.with_segment(segment, ranks)
        if replaced:
            rows = stood.tolist()
            kept = [kept[row] for row in rows]
            documents = None if documents is None else [documents[row] for row in rows]
        return State(snapshot, (*self.parts, Part(kept, documents)), next_rank)

    def without(self, places: list[Place]) -> State:
        """Without the documents at these places."""
        return self._replace(snapshot=self.snapshot.without(places))

    def tidied(self) -> State:
        """The same documents in fewer parts, each larger than all that follow it together.

        Parts then grow at least twofold whenever they are made anew, which keeps the cost of
        adding one by one within a factor of the logarithm, and the number of parts as well.
        """
        first = _first_to_merge(self.snapshot.sizes())
        if first is None:
            return self
        snapshot, parts, rows = self.snapshot.merged(first)
        places = list(zip(parts.tolist(), rows.tolist(), strict=True))
        if not places:
            return State(snapshot, self.parts[:first], self.next_rank)
        return State(snapshot, (*self.parts[:first], self._gathered(places)), self.next_rank)

    def _gathered(self, places: list[Place]) -> Part:
        ids = [self.parts[part].ids[row] for part, row in places]
        return Part(ids, self.documents_at(places))

    def columns(self) -> Columns:
        """All that lives, as columns."""
        postings, parts, rows = self.snapshot.to_bytes()
        gathered = self._gathered(list(zip(parts.tolist(), rows.tolist(), strict=True)))
        return Columns(postings, gathered.ids, gathered.documents)

    @classmethod
    def of_columns(cls, k1: float, b: float, columns: Columns) -> State:
        """The state that gave these `columns`.

        Raises
        ------
        InvalidArgumentError
            They do not fit together.
        """
        snapshot = _core.Bm25Snapshot.from_bytes(k1, b, columns.postings)
        part = Part(columns.ids, columns.documents)
        count = len(part.ids)
        if not count == len(part.numbers) == snapshot.statistics()[0]:
            raise InvalidArgumentError("the ids are not as many as the documents")
        return cls(snapshot, (part,) if count else (), count)

    def documents_at(self, places: Sequence[Place]) -> list[Document | None] | None:
        """The documents at these places; ``None`` if no part has any."""
        columns = [part.documents for part in self.parts]
        if all(column is None for column in columns):
            return None
        return [None if (column := columns[part]) is None else column[row] for part, row in places]


def _first_to_merge(sizes: list[tuple[int, int]]) -> int | None:
    """From which part on all are to become one; ``None`` if they may stay."""
    first, behind = len(sizes), 0
    for number in range(len(sizes) - 1, -1, -1):
        all_, living = sizes[number]
        if (number < len(sizes) - 1 and living <= behind) or all_ - living > _GARBAGE * all_:
            first = number
        behind += living
    return None if first == len(sizes) else first
