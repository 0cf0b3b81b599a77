"""Connections to one store file, shared out so that each is in one thread's hands at a time.

A connection is taken for one transaction and handed back. So threads never meet on one, none is
lost when a thread ends, and `ConnectionPool.close` never closes one that is in use: that one is closed when
it comes back. None is carried into a forked child, see `rankmeld.stores.forking`.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from urllib.parse import quote

from rankmeld.errors import StoreError
from rankmeld.stores.failures import is_busy, store_errors
from rankmeld.stores.forking import fork_guard

__all__ = ["ConnectionPool", "connect", "patiently", "stoppable"]

#: How long one waits for another writer before giving up.
_PATIENCE_SECONDS = 60.0

#: SQLite sleeps this long at a stretch for a lock; in between, Ctrl-C is seen.
_WAIT_MS = 100

#: Instructions of SQLite's machine between two looks at pending signals; a few milliseconds.
_STEPS_BETWEEN_SIGNALS = 20_000

#: More idle connections than this are closed: each costs three file handles.
_MOST_IDLE = 8


class Connection(sqlite3.Connection):
    """A connection that keeps what a signal handler raised while SQLite was at work.

    Attributes
    ----------
    stopped_by : list of BaseException
        SQLite ends the statement and reports only that it was interrupted.
    """

    stopped_by: list[BaseException]


def connect(path: Path, mode: str, *, durable: bool = True) -> Connection:
    """Open a file, without beginning anything.

    Parameters
    ----------
    path : Path
        Absolute path.
    mode : {"ro", "rw", "rwc", "ro&immutable=1"}
        SQLite's mode: only ``rwc`` creates a file.
    durable : bool, default True
        Whether a commit waits until the disk has it.

    Returns
    -------
    Connection
        In autocommit mode, usable by any one thread at a time.
    """
    place = path.as_posix()
    # A drive letter needs the slash; a network share keeps its own two.
    uri = f"file://{'' if place.startswith('/') else '/'}{quote(os.fsencode(place), safe='/:')}?mode={mode}"
    connection = sqlite3.connect(
        uri,
        uri=True,
        timeout=_WAIT_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
    )
    try:
        connection.stopped_by = []
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")
        watch = _look_at_signals(connection.stopped_by)
        next(watch)
        connection.set_progress_handler(watch.__next__, _STEPS_BETWEEN_SIGNALS)
    except BaseException:
        connection.close()
        raise
    return connection


def _look_at_signals(stopped_by: list[BaseException]) -> Iterator[int]:
    """Run as Python code inside a long statement, so that Python delivers signals; go on, or stop.

    A generator, because Python delivers them where code is entered: a function is entered outside of
    its ``try``, a generator inside, where it left off.
    """
    answer = 0
    while True:
        try:
            yield answer
            answer = 0
        except GeneratorExit:
            return
        except BaseException as raised:  # noqa: BLE001 - a handler may raise anything; it is raised again
            stopped_by.append(raised)
            answer = 1


@contextmanager
def stoppable(connection: Connection) -> Iterator[None]:
    """Raise what a signal handler raised during a statement, in place of SQLite's error.

    Parameters
    ----------
    connection : Connection
        The one that is used in the block.
    """
    try:
        yield
    except sqlite3.Error:
        if not connection.stopped_by:
            raise
    if connection.stopped_by:
        raised = connection.stopped_by[0]
        connection.stopped_by.clear()
        raise raised


def patiently(step: Callable[[], object]) -> None:
    """Run a step until no other process's lock is in its way, for a minute at most.

    Parameters
    ----------
    step : callable
        May be run again after it failed for a lock.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            step()
        except sqlite3.OperationalError as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
            time.sleep(0.001)  # SQLite does not wait for every kind of lock
        else:
            return


class ConnectionPool:
    """The connections to one file.

    Parameters
    ----------
    path : Path
        Absolute path of a file that exists.
    mode, durable
        As in `connect`.
    shown : str
        The store as messages show it.
    """

    def __init__(self, path: Path, mode: str, *, durable: bool, shown: str) -> None:
        self._path = path
        self._mode = mode
        self._durable = durable
        self._shown = shown
        self._identity = self._file_identity()
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._closed = False
        self._guard = fork_guard()
        self._guard.watch(self)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def close(self) -> None:
        """Close what is idle now, and what is in use as soon as it comes back."""
        self._closed = True
        if not self._guard.spoiled:  # there is nothing to be closed, and nothing to be touched
            with self._guard.using(self._shown):
                self.close_idle()

    def close_idle(self) -> None:
        """Close what is idle; others are opened on demand."""
        with self._lock:
            connections, self._idle = self._idle, []
        for connection in connections:
            connection.close()

    def forget_locks(self) -> None:
        """Go on in a forked child, where the thread that held the lock is not."""
        self._lock = threading.Lock()

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """A context that gives a connection which sees one state of the store throughout."""
        return self._transaction(_begin_reading)

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """A context that gives the only writer: all that it does is committed, or nothing."""
        return self._transaction(_begin_writing)

    @contextmanager
    def _transaction(self, begin: Callable[[sqlite3.Connection], None]) -> Iterator[sqlite3.Connection]:
        pid = os.getpid()
        with store_errors(self._shown), self._guard.using(self._shown):
            connection = self._take()
            try:
                with stoppable(connection):
                    patiently(lambda: begin(connection))
                    yield connection
                self._commit(connection, pid)
            except BaseException:
                if pid == os.getpid() and connection.in_transaction:
                    connection.rollback()
                raise
            finally:
                if pid == os.getpid():
                    self._give_back(connection)
                else:
                    self._guard.put_aside(connection)

    def _commit(self, connection: sqlite3.Connection, pid: int) -> None:
        if pid != os.getpid():
            raise StoreError(
                f"this process was forked in the middle of a call on store {self._shown}, which goes on in "
                "the parent alone"
            )
        connection.execute("COMMIT")

    def _take(self) -> Connection:
        if self._closed:
            raise StoreError(f"store {self._shown} is closed; open it again")
        self._check_file()
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return connect(self._path, self._mode, durable=self._durable)

    def _give_back(self, connection: Connection) -> None:
        with self._lock:
            keep = not self._closed and len(self._idle) < _MOST_IDLE
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()

    def _check_file(self) -> None:
        """What is written to a file that was deleted would be lost without a word."""
        if self._file_identity() != self._identity:
            raise StoreError(
                f"store {self._shown} was deleted or replaced by another file since it was opened; "
                "put the file back or open the store again"
            )

    def _file_identity(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino


def _begin_reading(connection: sqlite3.Connection) -> None:
    if not connection.in_transaction:
        connection.execute("BEGIN")
    # The first read takes the snapshot, so this is where a lock would show.
    connection.execute("SELECT value FROM settings WHERE name = 'generation'").fetchone()


def _begin_writing(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
