"""A copy of a store's file of one moment, made while others read and write it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from rankmeld._files import flush_folder
from rankmeld.errors import StoreError

__all__ = ["copy_into", "copy_to"]

#: Pages copied between two reports, and two looks at pending signals.
_PAGES_AT_ONCE = 256


def copy_to(
    connection: sqlite3.Connection, path: Path, progress: Callable[[int, int], object] | None
) -> None:
    """Copy the state that a transaction sees to a new file, which is there as a whole or not at all.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction.
    path : Path
        Where the copy goes.
    progress : callable or None
        ``progress(done, total)``, in pages.

    Raises
    ------
    StoreError
        There is something at `path`, or it cannot be written.
    """
    for place in (path, Path(f"{path}-wal")):  # a log left behind would be taken for the copy's own
        if os.path.lexists(place):
            raise _taken(place)
    partial = path.with_name(f".rankmeld-{os.getpid():x}-{os.urandom(4).hex()}.tmp")
    try:
        partial.touch(exist_ok=False)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}; check its folder") from error
    try:
        with closing(sqlite3.connect(partial, isolation_level=None)) as target:
            target.execute("PRAGMA synchronous = FULL")
            copy_into(target, connection, progress)
        _put_in_place(partial, path)
    finally:
        with suppress(OSError):
            partial.unlink()


def _put_in_place(partial: Path, path: Path) -> None:
    """Give the finished copy its name. A link, which fails where somebody was faster; a rename replaces."""
    try:
        os.link(partial, path)
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # a file system without links
        if os.path.lexists(path):
            raise _taken(path) from None
        partial.rename(path)
    flush_folder(path.parent)


def _taken(path: Path) -> StoreError:
    return StoreError(f"{path} is there already, and a backup replaces nothing; name a new file")


def copy_into(
    target: sqlite3.Connection, connection: sqlite3.Connection, progress: Callable[[int, int], object] | None
) -> None:
    """Copy the state that a transaction sees into another database.

    Parameters
    ----------
    target : sqlite3.Connection
        Not in a transaction; what it has goes.
    connection, progress
        As in `copy_to`.
    """

    def report(_: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    connection.backup(target, pages=_PAGES_AT_ONCE, progress=report, sleep=0)
