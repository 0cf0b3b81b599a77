"""Judgements: which documents answer which query, and how well."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, SupportsIndex

import numpy as np

from rankmeld.errors import InvalidArgumentError
from rankmeld.runs import trec
from rankmeld.runs.beir import read_beir
from rankmeld.runs.columns import Columns, rows_of

__all__ = ["Qrels"]


class Qrels(Mapping[Hashable, Mapping[Hashable, int]]):
    """For each query the grades of the documents that somebody has judged.

    As a mapping it leads from query ids to dicts of document id to grade. A grade is a whole number; above
    zero a document is relevant, and the larger the better. `from_trec`, `from_beir` and `from_dict` make it.

    Examples
    --------
    >>> qrels = Qrels.from_dict({"q1": {"d1": 2, "d2": 0}})
    >>> qrels["q1"]
    {'d1': 2, 'd2': 0}
    """

    __slots__ = ("_columns", "_rows")

    _columns: Columns
    _rows: dict[Hashable, int]

    def __init__(self) -> None:
        raise TypeError("judgements are made by Qrels.from_trec, from_beir or from_dict")

    @classmethod
    def _of(cls, columns: Columns) -> Qrels:
        made = cls.__new__(cls)
        made._columns = columns.sealed()
        made._rows = rows_of(columns.queries)
        return made

    @classmethod
    def from_trec(cls, source: trec.Readable, *, progress: trec.Progress | None = None) -> Qrels:
        r"""Read lines ``query 0 document grade``.

        Columns, encoding and ids are as in `Run.from_trec`. A line that says again what an earlier one has
        said is left out, with a warning.

        Parameters
        ----------
        source : str, path, bytes, or file
            As in `Run.from_trec`.
        progress : callable, optional
            As in `Run.from_trec`.

        Raises
        ------
        FormatError
            A line has other columns, its grade is not a whole number (``1.0`` is one, ``0.5`` is not: it
            would be cut off by programs that read integers), or a document has two grades; with file and
            line.
        OSError
            The file cannot be read.

        Examples
        --------
        >>> Qrels.from_trec(b"q1 0 d1 2\nq1 0 d2 0\n")
        Qrels(1 query, 2 judgements)
        """
        return cls._of(trec.read_qrels(source, progress))

    @classmethod
    def from_beir(cls, source: trec.Readable) -> Qrels:
        r"""Read a table as BEIR has it, with the header ``query-id``, ``corpus-id``, ``score``.

        Parameters
        ----------
        source : str, path, bytes, or file
            As in `Run.from_trec`.

        Raises
        ------
        FormatError
            The header or a line has other columns, a score is not a whole number, or a document has two.
        OSError
            The file cannot be read.

        Examples
        --------
        >>> Qrels.from_beir(b"query-id\tcorpus-id\tscore\nq1\td1\t2\n")["q1"]
        {'d1': 2}
        """
        return cls.from_dict(read_beir(source))

    @classmethod
    def from_dict(cls, grades: Mapping[Any, Mapping[Any, SupportsIndex]]) -> Qrels:
        """Make judgements of a mapping from query ids to grades by document id.

        Parameters
        ----------
        grades : mapping of query id to mapping of document id to int
            Grades are whole numbers, negative ones included.

        Raises
        ------
        TypeError
            It is no such mapping.
        InvalidArgumentError
            A grade is a fraction.
        """
        if not isinstance(grades, Mapping):
            raise TypeError(f"grades must be a mapping of query id to grades, not {type(grades).__name__}")
        queries = list(grades)
        table: dict[Hashable, int] = {}
        offsets, codes, numbers = [0], [], []
        for query in queries:
            if not isinstance(grades[query], Mapping):
                kind = type(grades[query]).__name__
                raise TypeError(f"query {query!r}: a mapping of document id to grade is wanted, not a {kind}")
            for id, grade in grades[query].items():
                codes.append(table.setdefault(id, len(table)))
                numbers.append(_as_grade(grade, query, id))
            offsets.append(len(codes))
        return cls._of(
            Columns(
                queries,
                np.array(offsets, np.int64),
                tuple(table),
                np.array(codes, np.uint32),
                np.array(numbers, np.float64),
            )
        )

    @property
    def queries(self) -> list[Hashable]:
        """The query ids, in first-seen order (a new list)."""
        return list(self._columns.queries)

    def to_dict(self) -> dict[Hashable, dict[Hashable, int]]:
        """Plain dicts: for each query the grades by document id."""
        return {query: self[query] for query in self}

    def __getitem__(self, query: Hashable) -> dict[Hashable, int]:
        """The grades of a query by document id (a new dict); `KeyError` where there are none."""
        columns = self._columns
        span = columns.span(self._rows[query])
        return dict(zip(columns.ids_at(span), columns.scores[span].astype(np.int64).tolist(), strict=True))

    def __iter__(self) -> Iterator[Hashable]:
        """The query ids, in first-seen order."""
        return iter(self._columns.queries)

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self._columns.queries)

    def __contains__(self, query: object) -> bool:
        """Whether anything was judged for this query."""
        return query in self._rows

    def __repr__(self) -> str:
        """How much there is."""
        queries, judgements = len(self), len(self._columns.codes)
        return (
            f"Qrels({queries:,} {'query' if queries == 1 else 'queries'}, "
            f"{judgements:,} judgement{'' if judgements == 1 else 's'})"
        )

    def __eq__(self, other: object) -> bool:
        """Whether the same documents have the same grades, in any order."""
        return self.to_dict() == other.to_dict() if isinstance(other, Qrels) else NotImplemented

    def __hash__(self) -> int:
        """Of the query ids, which equal judgements share."""
        return hash(frozenset(self._rows))

    def __copy__(self) -> Qrels:
        """The judgements themselves: they cannot change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """The columns."""
        return _unpickled, (tuple(self._columns),)


def _unpickled(columns: tuple[Any, ...]) -> Qrels:
    return Qrels._of(Columns(*columns))


def _as_grade(grade: Any, query: Hashable, id: Hashable) -> int:
    if isinstance(grade, float | np.floating) and float(grade).is_integer():
        return int(grade)
    if isinstance(grade, float | np.floating):
        raise InvalidArgumentError(
            f"query {query!r}, id {id!r}: the grade is {grade}; grades are whole numbers: multiply them all"
            " if some are fractions"
        )
    if isinstance(grade, bool | np.bool_) or not hasattr(grade, "__index__"):
        kind = type(grade).__name__
        raise TypeError(f"query {query!r}, id {id!r}: the grade is a {kind}; grades are whole numbers")
    return operator.index(grade)
