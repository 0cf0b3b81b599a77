"""Sums of feedback in a store's file, inside the transaction that a caller has begun."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence

from rankmeld.stores.encoding import decode
from rankmeld.stores.failures import DamagedError

__all__ = ["Row", "add", "everything", "forget", "put", "sums"]

#: ``(user_key, id_key, net)``: the user and the id as `encoding.encode` and `encoding.id_key` write them.
Row = tuple[str, str, int]


def add(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Add to sums; what was not there counts as 0."""
    connection.executemany(
        "INSERT INTO feedback (user_key, id_key, net) VALUES (?, ?, ?)"
        " ON CONFLICT (user_key, id_key) DO UPDATE SET net = feedback.net + excluded.net",
        rows,
    )
    _drop_zeros(connection, rows)


def put(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Set sums, whatever they were."""
    connection.executemany("INSERT OR REPLACE INTO feedback (user_key, id_key, net) VALUES (?, ?, ?)", rows)
    _drop_zeros(connection, rows)


def _drop_zeros(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """What has been called useful as often as harmful is as if nobody had said a word."""
    connection.executemany(
        "DELETE FROM feedback WHERE user_key = ? AND id_key = ? AND net = 0", [row[:2] for row in rows]
    )


def sums(connection: sqlite3.Connection, user_key: str, keys: Sequence[str]) -> Mapping[str, int]:
    """The sums of these keys; those without feedback are left out."""
    found: list[tuple[str, object]] = connection.execute(
        "SELECT id_key, net FROM feedback WHERE user_key = ? AND id_key IN (SELECT value FROM json_each(?))",
        (user_key, json.dumps(keys, ensure_ascii=False)),
    ).fetchall()
    return {key: _net(net) for key, net in found}


def forget(connection: sqlite3.Connection, user_key: str) -> int:
    """Delete a user's sums; gives how many there were."""
    return connection.execute("DELETE FROM feedback WHERE user_key = ?", (user_key,)).rowcount


def everything(connection: sqlite3.Connection) -> list[tuple[object, object, int]]:
    """All sums, as ``(id, user, net)``."""
    rows = connection.execute(
        "SELECT id_key, user_key, net FROM feedback ORDER BY user_key, id_key"
    ).fetchall()
    try:
        return [(decode(id_key), decode(user_key), _net(net)) for id_key, user_key, net in rows]
    except (TypeError, ValueError) as error:
        raise DamagedError(f"an entry of the feedback cannot be read: {error}") from error


def _net(net: object) -> int:
    """A sum as it is kept; SQLite would keep anything in its place."""
    if not isinstance(net, int):
        raise DamagedError(f"an entry of the feedback cannot be read: its sum is {net!r}")
    return net
