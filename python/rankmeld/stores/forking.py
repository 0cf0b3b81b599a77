"""No connection crosses a fork.

What SQLite knows of its locks is memory, which a forked child inherits, while the locks themselves
stay with the parent. A child with an inherited connection to a file, even an idle one, therefore believes in
locks that nobody honours, and a parent that closes then deletes the log under the child. So all
connections are closed before a fork, and each side opens its own when it needs one.
"""

from __future__ import annotations

import functools
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from weakref import WeakSet

from rankmeld.errors import StoreError

__all__ = ["ForkGuard", "fork_guard"]

#: How long a fork waits for connections that other threads have in use.
_PATIENCE_SECONDS = 10.0


class Pool(Protocol):
    """What holds connections that nobody is using."""

    def close_idle(self) -> None:
        """Close them all."""

    def forget_locks(self) -> None:
        """Replace what a thread of the parent may have held when this process was forked."""


class ForkGuard:
    """Knows who uses SQLite in this process, and lets it be forked when nobody does."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._users: dict[int, int] = {}  # connections in use, by thread
        self._forkers: set[int] = set()
        self._pools: WeakSet[Pool] = WeakSet()
        self._clean = False  # between the two ends of a fork: whether no connection is open
        self._spoiled = False
        self._inherited: list[sqlite3.Connection] = []

    def watch(self, pool: Pool) -> None:
        """Close what is idle in a pool before each fork, for as long as the pool lives."""
        with self._condition:
            self._pools.add(pool)

    @property
    def spoiled(self) -> bool:
        """Whether this process was forked while a connection was open, and must not use SQLite."""
        return self._spoiled

    def put_aside(self, connection: sqlite3.Connection) -> None:
        """Keep a connection of the parent untouched: closing it would touch the parent's file."""
        self._inherited.append(connection)

    @contextmanager
    def using(self, shown: str) -> Iterator[None]:
        """A context in which a connection may be opened, used and closed, and no fork happens.

        Parameters
        ----------
        shown : str
            The store as messages show it.

        Raises
        ------
        StoreError
            This process was forked while a connection was open.
        """
        me, pid = threading.get_ident(), os.getpid()
        with self._condition:
            # Who has a connection already goes on, since the fork waits for it to be given back.
            if me not in self._users and me not in self._forkers:
                self._condition.wait_for(lambda: not self._forkers)
            if self._spoiled:
                raise StoreError(
                    f"store {shown} cannot be used in this process: it was forked while a call on a store "
                    "was under way, and SQLite does not survive that; fork when no call is under way, or "
                    "start the process by the method 'spawn'"
                )
            self._users[me] = self._users.get(me, 0) + 1
        try:
            yield
        finally:
            if pid == os.getpid():  # forked inside the block: the count is the parent's
                self._leave(me)

    def _leave(self, me: int) -> None:
        with self._condition:
            self._users[me] -= 1
            if not self._users[me]:
                del self._users[me]
            self._condition.notify_all()

    def before(self) -> None:
        """Wait until other threads are done, close everything, and let nobody in until `after`."""
        me = threading.get_ident()
        self._condition.acquire()
        self._forkers.add(me)
        self._condition.wait_for(lambda: self._users.keys() <= {me}, _PATIENCE_SECONDS)
        for pool in list(self._pools):
            pool.close_idle()
        self._clean = not self._users

    def after_in_parent(self) -> None:
        """Let the others in again."""
        me = threading.get_ident()
        if me in self._forkers:  # not if waiting for the lock was interrupted
            self._clean = False
            self._forkers.remove(me)
            self._condition.notify_all()
            self._condition.release()

    def after_in_child(self) -> None:
        """Start anew: the threads that may have held a lock are not here."""
        self._condition = threading.Condition()
        self._users, self._forkers = {}, set()
        self._spoiled, self._clean = self._spoiled or not self._clean, False
        for pool in list(self._pools):
            pool.forget_locks()


@functools.cache
def fork_guard() -> ForkGuard:
    """The guard of this process; it begins with the first store that is opened."""
    guard = ForkGuard()
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(
            before=guard.before,
            after_in_parent=guard.after_in_parent,
            after_in_child=guard.after_in_child,
        )
    return guard
