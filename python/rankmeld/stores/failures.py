"""What SQLite reports, as an error that says which file, what is wrong, and what helps."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from rankmeld.errors import StoreError

__all__ = ["DamagedError", "is_busy", "store_errors"]

_DAMAGED = "is damaged; restore it from a copy, or delete it and index again"

#: By primary result code (the low byte of SQLite's extended codes).
_EXPLANATIONS = {
    sqlite3.SQLITE_NOTADB: "is not a database; name another file, or a new one to be created",
    sqlite3.SQLITE_READONLY: "cannot be written; make the file and its folder writable, or open it with "
    "read_only=True",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; check that its folder exists, that this user may read and "
    "write there, and that the whole path is not longer than 500 bytes",
    sqlite3.SQLITE_PERM: "cannot be opened; check that this user may read and write it",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    # Every statement is right for the tables that a store has, so the file does not have these.
    sqlite3.SQLITE_ERROR: _DAMAGED,
    sqlite3.SQLITE_CONSTRAINT: _DAMAGED,
    sqlite3.SQLITE_MISMATCH: _DAMAGED,
    sqlite3.SQLITE_FULL: "cannot grow; free some disk space, then try again (nothing was changed)",
    sqlite3.SQLITE_IOERR: "cannot be read or written; check the disk, then try again",
    sqlite3.SQLITE_BUSY: "is busy: another process has been writing for long; try again when it is done",
    sqlite3.SQLITE_LOCKED: "is busy: another process has been writing for long; try again when it is done",
    sqlite3.SQLITE_TOOBIG: "cannot hold a text or vector this large; cut it into smaller documents",
}


#: Longer reports are cut: SQLite's may hold a whole document.
_LONGEST_REPORT = 200


class DamagedError(sqlite3.DatabaseError):
    """What was read from a file is not what a store writes, though SQLite sees nothing wrong."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


@contextmanager
def store_errors(shown: str) -> Iterator[None]:
    """Turn what SQLite raises inside the block into a `StoreError`.

    Parameters
    ----------
    shown : str
        The store as messages show it: its path.
    """
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # a mistake of this package, not of the store
    except UnicodeDecodeError as error:  # SQLite's report quotes the file, which is no text there
        if not _is_of_this_package(error):
            raise
        raise StoreError(f"store {shown} {_DAMAGED} ({error})") from error
    except sqlite3.Error as error:
        if not _is_of_this_package(error):
            raise
        reason = _EXPLANATIONS.get(_primary_code(error), "cannot do this")
        report = str(error)
        if len(report) > _LONGEST_REPORT:
            report = f"{report[:_LONGEST_REPORT]}..."
        raise StoreError(f"store {shown} {reason} (SQLite: {report})") from error


def _is_of_this_package(error: Exception) -> bool:
    """Whether a call that this package made failed, and not a callback, which has a frame of its own."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith("rankmeld.stores.")


def is_busy(error: sqlite3.Error) -> bool:
    """Whether someone else's lock is all that stands in the way."""
    return _primary_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _primary_code(error: sqlite3.Error) -> int:
    # Errors of the sqlite3 module itself carry no code.
    return int(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF
