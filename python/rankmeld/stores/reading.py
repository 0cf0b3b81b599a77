"""Finding documents, by words, by vector and by id, inside the transaction that a caller has begun."""

from __future__ import annotations

import heapq
import json
import math
import sqlite3
from collections.abc import Iterable, Sequence

from rankmeld import _core
from rankmeld.document import Document
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.filters import Condition, within
from rankmeld.stores.fusing import Scored
from rankmeld.stores.held import Positions
from rankmeld.stores.matrix import Floats
from rankmeld.stores.query_text import match_expressions
from rankmeld.stores.rows import to_document

__all__ = ["by_key", "by_position", "lexical", "nearest"]

_COLUMNS = "title, topic, text, record"


def lexical(
    connection: sqlite3.Connection, query: str, found: Sequence[Condition], limit: int | None
) -> list[Scored]:
    """Rank the documents that have any term of a query by BM25.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction.
    query : str
        Any text.
    found : sequence of Condition
        What the documents must fulfil.
    limit : int or None
        How many at the most.

    Returns
    -------
    list of Scored
        Best first, equal scores by position; scores are above 0.
    """
    expressions = list(match_expressions(query))
    if not expressions:
        return []
    if len(expressions) == 1:
        return _matches(connection, expressions[0], found, limit)
    parts: dict[int, list[float]] = {}
    for expression in expressions:
        for position, score in _matches(connection, expression, found, None):
            parts.setdefault(position, []).append(score)
    totals = [Scored(position, math.fsum(scores)) for position, scores in parts.items()]
    wanted = len(totals) if limit is None else min(limit, len(totals))
    return heapq.nsmallest(wanted, totals, key=lambda scored: (-scored.score, scored.position))


def _matches(
    connection: sqlite3.Connection, expression: str, found: Sequence[Condition], limit: int | None
) -> list[Scored]:
    # The plus keeps SQLite from asking the index anew for each document that fulfils the conditions.
    clause, parameters = within("+rowid", found)
    # FTS5's bm25() is the negative of the score, so that ascending is best first.
    rows = connection.execute(
        "SELECT rowid, -bm25(passages) AS score FROM passages"  # noqa: S608 - names of this file, values bound
        f" WHERE passages MATCH ?{clause} ORDER BY score DESC, rowid LIMIT ?",
        [expression, *parameters, _sql_limit(limit)],
    )
    return [Scored(*row) for row in rows]


def _sql_limit(limit: int | None) -> int:
    """SQLite reads -1 as no limit, and cannot hold numbers beyond 64 bits."""
    return -1 if limit is None else min(limit, 2**63 - 1)


def nearest(
    table: _core.VectorTable, query: Floats, positions: Positions | None, limit: int | None
) -> list[Scored]:
    """Rank documents by the cosine of their vectors with a query's.

    Parameters
    ----------
    table : VectorTable
        The vectors to search.
    query : array of shape (D,), float32
        The query's vector, as wide as they are.
    positions : array of int64 or None
        The documents that may be found, ascending; ``None`` for all.
    limit : int or None
        How many at the most.

    Returns
    -------
    list of Scored
        Best first, equal scores by position.
    """
    found, scores = table.nearest(query, limit, positions, None)
    return list(map(Scored, found.tolist(), scores.tolist()))


def by_position(connection: sqlite3.Connection, positions: Iterable[int]) -> dict[int, Document]:
    """The documents at these positions."""
    wanted = list(positions)
    rows = connection.execute(
        f"SELECT position, {_COLUMNS} FROM documents"  # noqa: S608 - names of this file, values bound
        " WHERE position IN (SELECT value FROM json_each(?))",
        (json.dumps(wanted),),
    )
    found = {position: to_document(*columns) for position, *columns in rows}
    for position in wanted:
        if position not in found:
            raise DamagedError(f"an index has document {position}, which is missing")
    return found


def by_key(connection: sqlite3.Connection, keys: Iterable[str]) -> dict[str, Document]:
    """The documents of these keys."""
    rows = connection.execute(
        f"SELECT id_key, {_COLUMNS} FROM documents"  # noqa: S608 - names of this file, values bound
        " WHERE id_key IN (SELECT value FROM json_each(?))",
        (json.dumps(list(keys), ensure_ascii=False),),
    )
    return {key: to_document(*columns) for key, *columns in rows}
