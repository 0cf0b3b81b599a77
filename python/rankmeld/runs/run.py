"""A run: the rankings that one system has for many queries."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from rankmeld import _core
from rankmeld.ranking import Ranking
from rankmeld.runs import formats, trec
from rankmeld.runs.columns import Columns, rows_of
from rankmeld.types import Source

if TYPE_CHECKING:
    import pyarrow as pa

    from rankmeld.fusion import Ties

__all__ = ["Run"]

#: Queries that a repr names.
_SHOWN = 3


class Run(Mapping[Hashable, Ranking]):
    """Rankings of many queries, held in columns; each distinct document id is held once.

    A run is made by `from_trec`, `from_dict`, `from_json` or `from_arrow`, and by `fuse_runs`. It cannot
    change. As a mapping it leads from query ids to `Ranking`, in first-seen order. Documents that came
    with rankings are not kept.

    See Also
    --------
    fuse_runs : Fuse the rankings of several runs, query by query.

    Examples
    --------
    >>> run = Run.from_dict({"q1": {"d1": 0.9, "d2": 0.4}, "q2": {"d2": 1.5}}, name="bm25")
    >>> run
    Run('bm25', 2 queries, 3 hits: 'q1', 'q2')
    >>> run["q1"].ids
    ['d1', 'd2']
    >>> print(run.to_trec(), end="")
    q1 Q0 d1 1 0.9 bm25
    q1 Q0 d2 2 0.4 bm25
    q2 Q0 d2 1 1.5 bm25
    """

    __slots__ = ("_columns", "_name", "_rows")

    _columns: Columns
    _name: str | None
    _rows: dict[Hashable, int]

    def __init__(self) -> None:
        raise TypeError(
            "a run is made by Run.from_trec, from_dict, from_json, from_arrow or rankmeld.fuse_runs"
        )

    @classmethod
    def _of(cls, columns: Columns, name: str | None = None) -> Run:
        """A run of columns that nobody else will change."""
        made = cls.__new__(cls)
        made._columns = columns.sealed()
        made._name = name
        made._rows = rows_of(columns.queries)
        return made

    # ------------------------------------------------------------------ making

    @classmethod
    def from_dict(cls, rankings: Mapping[Any, Any], *, name: str | None = None) -> Run:
        """Make a run of a mapping from query ids to rankings.

        Parameters
        ----------
        rankings : mapping of query id to ranking
            Whatever `Ranking` takes; a mapping of id to score is ordered by descending score, any other
            form stays in its order.
        name : str, optional
            A name, for `fuse_runs` and as the tag of lines.

        Raises
        ------
        TypeError
            `rankings` is no mapping, one of them is no ranking, or an id cannot be hashed.
        InvalidArgumentError, InvalidScoreError
            As `Ranking`; the message names the query.

        Notes
        -----
        Linear in the hits, plus the sort of those that came in mappings.

        Examples
        --------
        >>> Run.from_dict({"q1": ["d1", "d2"], "q2": [("d3", 0.5)]})["q2"]
        <Ranking: 1 hit>
           0  'd3'  0.5
        """
        if isinstance(rankings, Run):
            return rankings if name is None else rankings.named(name)
        if not isinstance(rankings, Mapping):
            raise TypeError(
                f"rankings must be a mapping of query id to ranking, not {type(rankings).__name__}"
            )
        queries = list(rankings)
        given = [_bare(rankings[query]) for query in queries]
        ids, (offsets, codes, scores) = _core.run_columns(queries, given)
        return cls._of(Columns(queries, offsets, ids, codes, scores), name)

    @classmethod
    def from_trec(
        cls,
        source: trec.Readable,
        *,
        name: str | None = None,
        ties: Ties = "first",
        duplicates: trec.Repeats = "error",
        progress: trec.Progress | None = None,
    ) -> Run:
        r"""Read lines ``query Q0 document rank score tag``.

        Columns are separated by spaces or tabs, in UTF-8. A byte-order mark, CRLF, blank lines, blanks at
        either end of a line and a missing last line break are passed over; any other character, such as a
        no-break space, belongs to an id. Ids are text as it stands: ``"01"`` and ``"1"`` are two. The
        order of a query's hits is that of their scores; the column of ranks is not looked at. Lines of a
        query need not stand together.

        Parameters
        ----------
        source : str, path, bytes, or file
            A path, the bytes of the lines, or an open file of bytes or text, which is read to its end:
            ``gzip.open(path)`` for one that is packed.
        name : str, optional
            The run's name; by default the tag of the first line.
        ties : {"first", "id_asc", "id_desc"}, default "first"
            What decides between equal scores of a query: the order of the file, or the id.
            ``"id_desc"`` is the order of trec_eval.
        duplicates : {"error", "first"}, default "error"
            A document twice for one query is an error, or only the better of the two counts; then a
            warning says how many were left out.
        progress : callable, optional
            Called as ``progress(done, total)`` with bytes now and then; the total is ``None`` where it is
            not known. An exception that it raises ends the call.

        Raises
        ------
        FormatError
            A line has other columns, its score is not a finite number, or it repeats a document; with
            file and line.
        OSError
            The file cannot be read.
        TypeError, InvalidArgumentError
            An argument is none of the above.

        Notes
        -----
        The file is read in pieces, so what is needed in memory is what the run holds: 12 bytes a hit, and
        each distinct id once. A score such as ``1e-400`` is the float nearest to it, 0.

        Examples
        --------
        >>> run = Run.from_trec(b"q1 Q0 d2 1 12.5 bm25\nq1 Q0 d1 2 1e1 bm25\n")
        >>> run.name, run["q1"].ids
        ('bm25', ['d2', 'd1'])
        """
        columns, tag = trec.read_run(source, ties, duplicates, progress)
        return cls._of(columns, tag if name is None else name)

    @classmethod
    def from_json(cls, source: trec.Readable, *, name: str | None = None) -> Run:
        """Read an object of query ids to rankings.

        Parameters
        ----------
        source : str, path, bytes, or file
            A path, the bytes of the object, or an open file. A ranking is an object of ids to scores, a
            list of ids, or a list of ``[id, score]``, as `from_dict` reads them.
        name : str, optional
            A name.

        Raises
        ------
        FormatError
            It is no such object.
        OSError
            The file cannot be read.

        Examples
        --------
        >>> Run.from_json(b'{"q1": {"d1": 0.4, "d2": 0.9}}')["q1"].ids
        ['d2', 'd1']
        """
        return cls.from_dict(formats.read_json(source), name=name)

    @classmethod
    def from_arrow(
        cls,
        table: pa.Table | pa.RecordBatch,
        *,
        query: str = "query_id",
        id: str = "doc_id",
        score: str = "score",
        name: str | None = None,
    ) -> Run:
        """Make a run of a table with a row for each hit, in any order.

        The order of a query's hits is that of their scores, equal ones as they come.

        Parameters
        ----------
        table : pyarrow.Table or pyarrow.RecordBatch
            Or whatever gives an Arrow stream, as frames of polars and pandas do.
        query, id, score : str
            The names of the columns: query ids, document ids, scores.
        name : str, optional
            A name.

        Raises
        ------
        MissingExtraError
            pyarrow is not installed.
        InvalidArgumentError
            A column is not there, or holds nulls.
        InvalidScoreError
            A score is not a finite number.

        Examples
        --------
        >>> import pyarrow as pa
        >>> table = pa.table({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [0.4, 0.9]})
        >>> Run.from_arrow(table)["q1"].ids
        ['d2', 'd1']
        """
        return cls._of(formats.read_arrow(table, query, id, score), name)

    # ----------------------------------------------------------------- writing

    @overload
    def to_trec(
        self, target: None = None, *, tag: str | None = None, strict: bool = False, rank_base: int = 1
    ) -> str: ...
    @overload
    def to_trec(
        self, target: trec.Writable, *, tag: str | None = None, strict: bool = False, rank_base: int = 1
    ) -> None: ...
    def to_trec(
        self,
        target: trec.Writable | None = None,
        *,
        tag: str | None = None,
        strict: bool = False,
        rank_base: int = 1,
    ) -> str | None:
        """Write lines ``query Q0 document rank score tag``, separated by single spaces.

        Scores have the fewest digits that read back as the same float, so that reading what was written
        gives an equal run.

        Parameters
        ----------
        target : str, path, or file, optional
            Where to: a path, or an open file of bytes or text. ``None`` gives the text.
        tag : str, optional
            The last column; by default the run's name, else ``rankmeld``.
        strict : bool, default False
            Write each score below the one before it: one that is not becomes the next smaller float.
            Programs that order equal scores in their own way then keep this order.
        rank_base : int, default 1
            The rank of a query's first hit.

        Raises
        ------
        TypeError
            An id is no str.
        InvalidArgumentError
            An id or the tag is empty or holds white space, a document stands for a query twice, or scores
            are not in order (and not `strict`). Nothing has been written then.
        InvalidScoreError
            A score is absent or not finite.
        OSError
            The file cannot be written.
        """
        return trec.write_run(self._columns, target, self._name if tag is None else tag, rank_base, strict)

    def to_dict(self) -> dict[Hashable, dict[Hashable, float]]:
        """Plain dicts: for each query the scores by document id, best first.

        Raises
        ------
        InvalidScoreError
            A hit has no score.
        InvalidArgumentError
            A document stands for a query twice.
        """
        return formats.as_dicts(self._columns)

    @overload
    def to_json(self, target: None = None) -> str: ...
    @overload
    def to_json(self, target: trec.Writable) -> None: ...
    def to_json(self, target: trec.Writable | None = None) -> str | None:
        """Write an object of query ids to rankings, which `from_json` reads back as an equal run.

        A ranking is an object of ids to scores where that says all; else a list of ids, or of
        ``[id, score]``.

        Parameters
        ----------
        target : str, path, or file, optional
            Where to. ``None`` gives the text.

        Raises
        ------
        TypeError
            A query id is no str, or a document id is neither str nor int.
        InvalidScoreError
            A score is not finite, or only some hits of a query have one.
        """
        return formats.write_json(self._columns, target)

    def to_arrow(self) -> pa.Table:
        """A pyarrow table with a row for each hit, in order: ``query_id``, ``doc_id``, ``score``.

        Ids are dictionary-encoded, as the run itself holds them.

        Raises
        ------
        MissingExtraError
            pyarrow is not installed.
        InvalidArgumentError
            Arrow has no column for these ids.
        """
        return formats.as_arrow(self._columns)

    # ----------------------------------------------------------------- mapping

    @property
    def name(self) -> str | None:
        """The run's name, if it has one."""
        return self._name

    @property
    def queries(self) -> list[Hashable]:
        """The query ids, in first-seen order (a new list)."""
        return list(self._columns.queries)

    def named(self, name: str | None) -> Run:
        """The same run under another name.

        Parameters
        ----------
        name : str or None
            The name.
        """
        return Run._of(self._columns, name)

    def __getitem__(self, query: Hashable) -> Ranking:
        """The ranking of a query; `KeyError` where there is none. It bears the run's name."""
        columns = self._columns
        span = columns.span(self._rows[query])
        scores = columns.scores[span]
        known = not len(scores) or not bool(np.isnan(scores).all())
        return Ranking._of(columns.ids_at(span), scores if known else None, None, self._name)

    def __iter__(self) -> Iterator[Hashable]:
        """The query ids, in first-seen order."""
        return iter(self._columns.queries)

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self._columns.queries)

    def __contains__(self, query: object) -> bool:
        """Whether there is a ranking for this query, be it empty."""
        return query in self._rows

    def __eq__(self, other: object) -> bool:
        """Whether there are the same queries with equal rankings, in any order; names do not matter."""
        if not isinstance(other, Run):
            return NotImplemented
        return len(self) == len(other) and all(
            query in other and self[query] == other[query] for query in self
        )

    def __hash__(self) -> int:
        """Of the query ids, which equal runs share."""
        return hash(frozenset(self._rows))

    def __repr__(self) -> str:
        """Name, size and the first queries."""
        size = (
            f"{_counted(len(self), 'query', 'queries')}, {_counted(len(self._columns.codes), 'hit', 'hits')}"
        )
        shown = [repr(query) for query in self._columns.queries[:_SHOWN]]
        shown += ["..."] * (len(self) > _SHOWN)
        name = "" if self._name is None else f"{self._name!r}, "
        return f"Run({name}{size}{': ' if shown else ''}{', '.join(shown)})"

    def __copy__(self) -> Run:
        """The run itself: it cannot change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """The columns."""
        return _unpickled, (tuple(self._columns), self._name)


def _unpickled(columns: tuple[Any, ...], name: str | None) -> Run:
    return Run._of(Columns(*columns), name)


def _bare(ranking: Any) -> Any:
    return ranking.hits if isinstance(ranking, Source) else ranking


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
