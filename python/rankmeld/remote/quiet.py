"""What a server sends back is not logged: it may repeat the key.

The HTTP client's own log shows, at the level DEBUG, each response's headers and the bytes that are no HTTP.
Within our requests only the names of its steps go through; what others do with the client is theirs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["quietly"]

_QUIET: ContextVar[bool] = ContextVar("rankmeld_quiet", default=False)


@contextmanager
def quietly() -> Iterator[None]:
    """Keep what is received inside out of the log."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


class _Names(logging.Filter):
    """Leaves of a record the name of its step."""

    def filter(self, record: logging.LogRecord) -> bool:
        if _QUIET.get():
            record.msg, record.args = record.getMessage().partition(" ")[0], None
        return True


# It stays for as long as the process: there is no moment at which it could be taken off again.
logging.getLogger("httpcore2.http11").addFilter(_Names())
