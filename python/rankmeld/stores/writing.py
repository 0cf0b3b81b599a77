"""Writing documents, vectors and sources, inside the transaction that a caller has begun."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence

from rankmeld.stores.encoding import encode
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.labels import Label, Labelled, check_agreement
from rankmeld.stores.matrix import to_blob
from rankmeld.stores.rows import Row

__all__ = ["Progress", "label", "put", "remove", "remove_source", "renew_source"]

#: ``progress(done, total)``.
Progress = Callable[[int, int], object]

#: Rows written between two reports.
_ROWS_AT_ONCE = 256


def label(connection: sqlite3.Connection) -> Label:
    """Read the label; both ``None`` for a store without vectors."""
    found = dict(connection.execute("SELECT name, value FROM settings WHERE name IN ('model', 'dimensions')"))
    model, dimensions = found.get("model"), found.get("dimensions")
    if not isinstance(model, str | None) or not isinstance(dimensions, int | None):
        raise DamagedError(f"its vectors are of model {model!r} and of {dimensions!r} dimensions")
    return Label(model, dimensions)


def put(
    connection: sqlite3.Connection,
    rows: Sequence[Row],
    labelled: Labelled | None,
    *,
    source: int | None = None,
    report: Callable[[int], object] | None = None,
) -> None:
    """Write rows whose keys are distinct, in place of those of the same keys.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a write transaction.
    rows : sequence of Row
        What to write.
    labelled : Labelled or None
        Their vectors. ``None``: they get none, and lose what they had.
    source : int or None
        The registered source that they belong to.
    report : callable, optional
        ``report(done)`` after every few hundred rows.
    """
    # A replaced document keeps its place in the order of first appearance.
    places: dict[str, int] = dict(_positions(connection, [row.key for row in rows]))
    _delete_at(connection, places.values())
    (last,) = connection.execute("SELECT coalesce(max(position), 0) FROM documents").fetchone()
    last = max(last, *places.values()) if places else last
    if labelled is not None and rows:
        _claim(connection, labelled)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        chunk = rows[start : start + _ROWS_AT_ONCE]
        positions = []
        for row in chunk:
            if row.key not in places:
                last += 1
            positions.append(places.get(row.key, last))
        _insert(connection, chunk, positions, source)
        if labelled is not None:
            vectors = labelled.vectors[start : start + _ROWS_AT_ONCE]
            connection.executemany(
                "INSERT INTO vectors (position, vector) VALUES (?, ?)",
                zip(positions, map(to_blob, vectors), strict=True),
            )
        if report is not None:
            report(start + len(chunk))
    _forget_label(connection)


def remove(connection: sqlite3.Connection, keys: Sequence[str]) -> int:
    """Delete the documents of these keys; gives how many there were."""
    positions = [position for _, position in _positions(connection, keys)]
    _delete_at(connection, positions)
    _forget_label(connection)
    return len(positions)


def renew_source(connection: sqlite3.Connection, path: str, digest: str) -> int:
    """Register a source anew, without documents; gives its number."""
    remove_source(connection, path)
    connection.execute("INSERT INTO sources (path, digest) VALUES (?, ?)", (encode(path), encode(digest)))
    (source,) = connection.execute("SELECT last_insert_rowid()").fetchone()
    return int(source)


def remove_source(connection: sqlite3.Connection, path: str) -> int:
    """Delete a source with its documents; gives how many those were."""
    (count,) = connection.execute(
        "SELECT count(*) FROM documents JOIN sources USING (source) WHERE path = ?", (encode(path),)
    ).fetchone()
    connection.execute("DELETE FROM sources WHERE path = ?", (encode(path),))
    _forget_label(connection)
    return int(count)


def _positions(connection: sqlite3.Connection, keys: Sequence[str]) -> list[tuple[str, int]]:
    return connection.execute(
        "SELECT id_key, position FROM documents WHERE id_key IN (SELECT value FROM json_each(?))",
        (json.dumps(keys, ensure_ascii=False),),
    ).fetchall()


def _delete_at(connection: sqlite3.Connection, positions: Iterable[int]) -> None:
    """Delete documents; attributes and vectors go with them, and a trigger cleans the full-text index."""
    connection.execute(
        "DELETE FROM documents WHERE position IN (SELECT value FROM json_each(?))",
        (json.dumps(list(positions)),),
    )


def _insert(
    connection: sqlite3.Connection, rows: Sequence[Row], positions: Sequence[int], source: int | None
) -> None:
    connection.executemany(
        "INSERT INTO documents (position, id_key, title, topic, text, created_at, source, record)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (position, row.key, row.title, row.topic, row.text, row.created_at, source, row.record)
            for position, row in zip(positions, rows, strict=True)
        ),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO attributes (name, value, position) VALUES (?, ?, ?)",
        (
            (name, value, position)
            for position, row in zip(positions, rows, strict=True)
            for name, value in row.attributes
        ),
    )


def _claim(connection: sqlite3.Connection, labelled: Labelled) -> None:
    """Check new vectors against those that the store has; the first ones decide."""
    # What has just been replaced no longer counts, so that a whole store can change its model.
    _forget_label(connection)
    known, new = label(connection), labelled.label
    check_agreement(known, new)
    if known.dimensions is None:
        connection.executemany(
            "INSERT INTO settings (name, value) VALUES (?, ?)",
            [("model", new.model), ("dimensions", new.dimensions)],
        )


def _forget_label(connection: sqlite3.Connection) -> None:
    """A store without vectors is free to take those of any model."""
    connection.execute(
        "DELETE FROM settings WHERE name IN ('model', 'dimensions') AND NOT EXISTS (SELECT 1 FROM vectors)"
    )
