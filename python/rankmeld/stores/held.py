"""The vectors of a store in memory, brought up to the file's state by what has changed alone."""

from __future__ import annotations

import functools
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld.errors import InvalidArgumentError
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.filters import Condition
from rankmeld.stores.matrix import STORED

__all__ = ["HeldVectors", "positions_where"]

Positions = npt.NDArray[np.int64]

#: Rows that SQLite is asked for at a time; in between, Ctrl-C is seen.
_ROWS_AT_ONCE = 1024

#: Numbers that are handed to the table at a time.
_NUMBERS_AT_ONCE = 1 << 21

#: Bytes that older states may take, however few vectors there are.
_SMALL = 1 << 22

#: States that are held at the most, for transactions that began before the newest one.
_MOST_STATES = 4


class State(NamedTuple):
    """The vectors that a store has, or had.

    Attributes
    ----------
    generation : int
        The store's count of changes of its vectors.
    mark : int or None
        Drawn when the last change was made: a copy of the file that was put back, and then changed
        as often, has another. ``None`` if nothing changed since changes are noted.
    table : VectorTable or None
        The vectors by position; ``None`` without any. States share what is the same in both.
    """

    generation: int
    mark: int | None
    table: _core.VectorTable | None


class HeldVectors:
    """Holds the newest vectors that were asked for, for all threads of a process."""

    def __init__(self) -> None:
        self._states: tuple[State, ...] = ()  # the newest first
        self._lock = threading.Lock()  # held by who uses a connection, so no fork happens meanwhile

    def clear(self) -> None:
        """Let go of the memory."""
        self._states = ()

    def get(self, connection: sqlite3.Connection) -> _core.VectorTable | None:
        """Give the vectors of the state that a transaction sees.

        Parameters
        ----------
        connection : sqlite3.Connection
            In a transaction.

        Returns
        -------
        VectorTable or None
            Of the same state; ``None`` for a store without vectors.
        """
        generation, mark = _moment(connection)
        state = self._held(generation, mark)
        if state is None:
            with self._lock:  # one thread reads, the others wait for what it read
                state = self._held(generation, mark)
                if state is None:
                    state = self._read(connection, generation, mark)
        return state.table

    def _held(self, generation: int, mark: int | None) -> State | None:
        for state in self._states:
            if state.generation == generation and state.mark == mark:
                return state
        return None

    def _read(self, connection: sqlite3.Connection, generation: int, mark: int | None) -> State:
        """Read what changed since a state that is held, or else everything."""
        # A transaction may be older than what others have read meanwhile.
        newer = tuple(state for state in self._states if state.generation > generation)[:1]
        older = [state for state in self._states if state.generation < generation]
        for base in older:
            table = None if base.table is None else _caught_up(connection, base, base.table, generation)
            if table is not None:
                state = State(generation, mark, table)
                self._states = (*newer, state, *_worth_holding(table, older))
                return state
        state = State(generation, mark, _everything(connection))
        self._states = (*newer, state)
        return state


def _worth_holding(newest: _core.VectorTable, older: Sequence[State]) -> tuple[State, ...]:
    """Older states, as long as they take little memory that the newest does not."""
    kept: list[State] = []
    spare = max(newest.nbytes // 4, _SMALL)
    for state in older[: _MOST_STATES - 1]:
        spare -= 0 if state.table is None else state.table.bytes_beside(newest)
        if spare < 0:
            break
        kept.append(state)
    return tuple(kept)


def _moment(connection: sqlite3.Connection) -> tuple[int, int | None]:
    row = connection.execute(
        "SELECT value, (SELECT mark FROM changes WHERE generation = value)"
        " FROM settings WHERE name = 'generation'"
    ).fetchone()
    if row is None or not isinstance(row[0], int):
        raise DamagedError("the setting 'generation' is no number")
    generation, mark = row
    return generation, mark


def _caught_up(
    connection: sqlite3.Connection, base: State, table: _core.VectorTable, generation: int
) -> _core.VectorTable | None:
    """The vectors of a state with all later changes; ``None`` where it is no earlier state of the file."""
    changes = generation - base.generation
    if not 0 < changes < max(len(table), 1) or _width(connection) != table.width:
        return None
    (mark,) = connection.execute(
        "SELECT (SELECT mark FROM changes WHERE generation = ?)", (base.generation,)
    ).fetchone()
    (noted,) = connection.execute(
        "SELECT count(*) FROM changes WHERE generation > ?", (base.generation,)
    ).fetchone()
    if mark != base.mark or noted != changes:
        return None
    since = "SELECT position FROM changes WHERE generation > ?"
    changed = _positions(connection, since, (base.generation,))
    rows = connection.execute(
        f"SELECT position, vector FROM vectors WHERE position IN ({since}) ORDER BY position",  # noqa: S608 - names of this file, values bound
        (base.generation,),
    )
    for positions, vectors in _chunks(rows, table.width):
        table = _updated(table, positions, vectors, changed[:0])
        changed = np.setdiff1d(changed, positions, assume_unique=True)
    return _updated(table, changed[:0], np.empty((0, table.width), np.float32), changed)


def _everything(connection: sqlite3.Connection) -> _core.VectorTable | None:
    width = _width(connection)
    rows = connection.execute("SELECT position, vector FROM vectors ORDER BY position")
    table = None
    for positions, vectors in _chunks(rows, width):
        table = _core.VectorTable(width) if table is None else table
        table = _updated(table, positions, vectors, positions[:0])
    return table


def _width(connection: sqlite3.Connection) -> int:
    """The width of the vectors; 0 where none is told."""
    row = connection.execute("SELECT value FROM settings WHERE name = 'dimensions'").fetchone()
    if row is not None and (not isinstance(row[0], int) or row[0] < 1):
        raise DamagedError("the setting 'dimensions' is no number of them")
    return 0 if row is None else int(row[0])


def _chunks(rows: sqlite3.Cursor, width: int) -> Iterator[tuple[Positions, npt.NDArray[np.float32]]]:
    """Positions and vectors, so many at a time as make a few megabytes."""
    size, most = width * STORED.itemsize, max(_NUMBERS_AT_ONCE // max(width, 1), 1)
    chunk: list[tuple[Any, Any]] = []
    while True:
        some = rows.fetchmany(min(_ROWS_AT_ONCE, most))
        for position, blob in some:
            if not isinstance(position, int) or not isinstance(blob, bytes) or len(blob) != size:
                raise DamagedError(f"the vector of document {position!r} does not have {width} dimensions")
        chunk += some
        if chunk and (not some or len(chunk) >= most):
            flat = np.frombuffer(b"".join(blob for _, blob in chunk), STORED)
            positions = np.array([position for position, _ in chunk], np.int64)
            yield positions, flat.reshape(len(chunk), width).astype(np.float32, copy=False)
            chunk = []
        if not some:
            return


def _updated(
    table: _core.VectorTable, positions: Positions, vectors: npt.NDArray[np.float32], gone: Positions
) -> _core.VectorTable:
    try:
        return table.updated(positions, vectors, gone)
    except InvalidArgumentError as error:
        raise DamagedError("its vectors are not those that were written") from error


def positions_where(connection: sqlite3.Connection, found: Sequence[Condition]) -> Positions | None:
    """The positions of the documents that fulfil conditions, ascending; ``None``: all, without any."""
    if not found:
        return None
    each = [_positions(connection, sql, parameters) for sql, parameters in found]
    each.sort(key=len)
    return functools.reduce(functools.partial(np.intersect1d, assume_unique=True), each)


def _positions(connection: sqlite3.Connection, select: str, parameters: tuple[str | int, ...]) -> Positions:
    """What a query for positions gives, ascending, each once; in one text, for there may be very many."""
    count, text = connection.execute(
        f"SELECT count(*), group_concat(position) FROM ({select})",  # noqa: S608 - written in this package
        parameters,
    ).fetchone()
    try:
        positions = np.fromstring(text or "", np.int64, sep=",")
    except (TypeError, ValueError, DeprecationWarning):
        positions = np.empty(0, np.int64)
    if len(positions) != count:
        raise DamagedError("a position is no number")
    return np.unique(positions)
