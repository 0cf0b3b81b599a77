"""What PostgreSQL reports, as an error that says which store, what is wrong, and what helps.

No message holds a password: of a connection string it tells user, host, port and database.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import psycopg_pool

from rankmeld.errors import StoreError

__all__ = ["store_errors"]

_UNDONE = "nothing was changed"
_DAMAGED = "lacks a part of its tables; restore it from a backup, or drop them and index again"
_UNREACHED = (
    "cannot be reached, or its server refuses this user or database; check host, port, user, password and "
    "database, and that the server runs"
)
_GONE = (
    f"lost its server while it was asked; {_UNDONE} by a call that was under way, unless its commit was; "
    "check the server, then try again (adding the same documents again does no harm)"
)

#: By SQLSTATE, or by its class (the first two characters).
_EXPLANATIONS = {
    "08": _GONE,
    "22P05": "is in a database that cannot hold every character; make one with ENCODING 'UTF8'",
    "25006": "cannot be written, as the server or the user is read-only; connect to the primary, or open it "
    "with read_only=True",
    "28": "refuses this user; check user, password and the server's pg_hba.conf",
    "3D000": "is in a database that does not exist; create it, or name another",
    "3F000": _DAMAGED,
    "40": f"met another transaction on the same rows, and {_UNDONE}; try again",
    "42501": "does not let this user do that; ask its owner to GRANT it",
    "42703": _DAMAGED,
    "42P01": _DAMAGED,
    "42P07": "has a table that is not a store's; name another schema or prefix for the store",
    "53100": f"cannot grow, as the server's disk is full; free some space, then try again ({_UNDONE})",
    "53200": f"ran out of the server's memory, and {_UNDONE}; ask for less at once, or give it more",
    "53300": "gets no connection, as the server has as many as it allows; close some, or raise "
    "max_connections",
    "54": f"cannot hold a text or vector this large, and {_UNDONE}; cut it into smaller documents",
    "55P03": "is busy: another process has been writing for long; try again when it is done",
    "57014": f"was asked for something that took too long, so it was stopped, and {_UNDONE}; ask for less at "
    "once, or raise statement_timeout",
    "57P": _GONE,
}

#: Longer reports are cut: the server's may hold a whole document.
_LONGEST_REPORT = 200


@contextmanager
def store_errors(shown: str, *, connecting: bool = False) -> Iterator[None]:
    """Turn what psycopg raises inside the block into a `StoreError`.

    Parameters
    ----------
    shown : str
        The store as messages show it.
    connecting : bool, default False
        Whether there was no connection before.
    """
    try:
        yield
    except psycopg.Error as error:
        lost = _UNREACHED if connecting else _GONE
        raise StoreError(
            f"store {shown} {_explanation(error, lost)} (PostgreSQL: {_report(error)})"
        ) from error


def _explanation(error: psycopg.Error, lost: str) -> str:
    if isinstance(error, psycopg_pool.PoolTimeout):
        return (
            "gave no connection in time: its server cannot be reached, or all connections of the pool are in "
            "use; check the server, raise pool_size or timeout, or ask for less at once"
        )
    if isinstance(error, psycopg_pool.PoolClosed):
        return "is closed; open it again"
    state = error.sqlstate or ""
    for length in (5, 3, 2):
        if state[:length] in _EXPLANATIONS:
            return _EXPLANATIONS[state[:length]]
    if not state and isinstance(error, psycopg.OperationalError):
        return lost
    return "cannot do this"


def _report(error: psycopg.Error) -> str:
    """The first line; what follows are the server's hints for its own administrator, or data."""
    report = (error.diag.message_primary or str(error)).strip() or type(error).__name__
    report = " ".join(report.split())
    return report if len(report) <= _LONGEST_REPORT else f"{report[:_LONGEST_REPORT]}..."
