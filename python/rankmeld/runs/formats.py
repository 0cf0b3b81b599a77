"""Runs as dicts, JSON and Arrow tables."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmeld import _core
from rankmeld.errors import (
    FormatError,
    InvalidArgumentError,
    InvalidScoreError,
    MissingExtraError,
)
from rankmeld.runs.columns import Columns
from rankmeld.runs.trec import Readable, Writable, opened, path_of, written

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_arrow", "as_dicts", "read_arrow", "read_json", "write_json"]


def as_dicts(columns: Columns) -> dict[Hashable, dict[Hashable, float]]:
    """For each query the scores by id."""
    made: dict[Hashable, dict[Hashable, float]] = {}
    for row, query in enumerate(columns.queries):
        span = columns.span(row)
        ids, scores = columns.ids_at(span), columns.scores[span].tolist()
        made[query] = by_id = dict(zip(ids, scores, strict=True))
        if len(by_id) != len(ids):
            raise InvalidArgumentError(
                f"query {query!r} has a document twice, which a dict cannot hold; remove one of the two"
            )
        if any(map(math.isnan, scores)):
            raise InvalidScoreError(f"query {query!r} has hits without a score, which a dict of scores needs")
    return made


def read_json(source: Readable) -> Mapping[str, Any]:
    """An object of query ids to rankings."""
    path = path_of(source)
    with opened(source) as file:
        text = file.read()
    try:
        made = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg} at column {error.colno}", path, error.lineno) from None
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path) from None
    if not isinstance(made, dict):
        raise FormatError(f"a run is an object of query ids to rankings, not {type(made).__name__}", path)
    return made


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"{twice!r} stands twice in one object")
    return made


def write_json(columns: Columns, target: Writable | None) -> str | None:
    """An object of query ids to rankings, a query a line."""
    made: dict[str, Any] = {}
    for row, query in enumerate(columns.queries):
        if not isinstance(query, str):
            raise TypeError(f"query {query!r}: the id is a {type(query).__name__}; keys of JSON are str")
        made[query] = _plain(columns, row, query)

    def write_to(write: Callable[[bytes], object]) -> None:
        write(b"{")
        for place, (query, ranking) in enumerate(made.items()):
            line = f"{',' if place else ''}\n{json.dumps(query)}: {json.dumps(ranking, allow_nan=False)}"
            write(line.encode())
        write(b"\n}\n")

    return written(target, write_to)


def _plain(columns: Columns, row: int, query: str) -> Any:
    """A ranking in the first of the forms of JSON that says all of it."""
    span = columns.span(row)
    ids, scores = columns.ids_at(span), columns.scores[span]
    for id in ids:
        if type(id) not in {str, int}:
            raise TypeError(f"query {query!r}, id {id!r}: a {type(id).__name__} has no form in JSON")
    absent = np.isnan(scores)
    if absent.all():
        return ids
    if not np.isfinite(scores).all():
        place = int(np.flatnonzero(~np.isfinite(scores))[0])
        what = "there is no score" if absent[place] else f"the score is {scores[place]}"
        raise InvalidScoreError(f"query {query!r}, id {ids[place]!r}: {what}; JSON needs finite numbers")
    values = scores.tolist()
    whole = len(set(ids)) == len(ids) and all(type(id) is str for id in ids)
    if whole and not (np.diff(scores) > 0.0).any():
        return dict(zip(ids, values, strict=True))
    return list(zip(ids, values, strict=True))


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError.for_extra("frames", what) from None
    return pa


def as_arrow(columns: Columns) -> pa.Table:
    """A row for each hit."""
    arrow = _pyarrow("Run.to_arrow")
    counts = np.diff(columns.offsets)
    rows = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    used, codes = np.unique(columns.codes, return_inverse=True)
    ids = [columns.ids[code] for code in used.tolist()]
    try:
        queries = arrow.DictionaryArray.from_arrays(rows, arrow.array(columns.queries))
        documents = arrow.DictionaryArray.from_arrays(codes.astype(np.int32), arrow.array(ids))
    except (arrow.ArrowException, OverflowError, UnicodeError) as error:
        raise InvalidArgumentError(
            f"Arrow has no column for these ids ({error}); make the run with ids of one kind, such as str"
        ) from None
    scores = arrow.array(columns.scores, arrow.float64(), from_pandas=True)  # NaN is a hit without a score
    return arrow.table({"query_id": queries, "doc_id": documents, "score": scores})


def read_arrow(table: Any, query: str, id: str, score: str) -> Columns:
    """The columns of a table with a row for each hit."""
    arrow = _pyarrow("Run.from_arrow")
    if not isinstance(table, arrow.Table | arrow.RecordBatch) and not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(
            f"table must be a pyarrow Table or RecordBatch, or give an Arrow stream, not"
            f" {type(table).__name__}"
        )
    given = (
        arrow.table(table) if not isinstance(table, arrow.RecordBatch) else arrow.Table.from_batches([table])
    )
    queries, query_codes = _encoded(arrow, _column(given, query, "query"))
    ids, codes = _encoded(arrow, _column(given, id, "id"))
    try:
        scores = _column(given, score, "score").cast(arrow.float64()).to_numpy()
    except arrow.ArrowException as error:
        raise InvalidArgumentError(f"column {score!r} holds no numbers ({error})") from None
    if not np.isfinite(scores).all():
        place = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise InvalidScoreError(f"row {place}: the score is {scores[place]}; scores must be finite numbers")
    numbers = _core.run_of_rows(query_codes, len(queries), codes, scores)
    return Columns(queries, numbers[0], tuple(ids), numbers[1], numbers[2])


def _column(table: Any, name: str, option: str) -> Any:
    if name not in table.column_names:
        known = ", ".join(repr(other) for other in table.column_names)
        raise InvalidArgumentError(
            f"the table has no column {name!r} (columns: {known}); name it with {option}="
        )
    column = table.column(name)
    if column.null_count:
        raise InvalidArgumentError(f"column {name!r} holds {column.null_count} nulls; leave those rows out")
    return column


def _encoded(arrow: Any, column: Any) -> tuple[list[Hashable], Any]:
    """Distinct values in first-seen order, and for each row the place of its own."""
    if arrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    whole = column.combine_chunks().dictionary_encode()
    if isinstance(whole, arrow.ChunkedArray):
        whole = (
            whole.combine_chunks() if whole.num_chunks else arrow.array([], column.type).dictionary_encode()
        )
    return whole.dictionary.to_pylist(), whole.indices.to_numpy(zero_copy_only=False).astype(np.uint32)
