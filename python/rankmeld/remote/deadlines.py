"""One moment until which a whole exchange has to be done, kept down to each read of the socket.

An HTTP client's timeouts hold for each wait by itself, so a server that sends a byte now and then can
take as long as it likes. In an event loop one cancels what takes too long; a thread cannot be
cancelled, so here each single wait is cut to what is left.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rankmeld.errors import MissingExtraError

try:
    import httpcore2
except ImportError as error:
    raise MissingExtraError.for_extra("http", "asking a server over HTTP") from error

__all__ = ["TimedStream", "left_of", "until"]

#: What `time.monotonic` will show when the exchange of this thread has to be done.
_DEADLINE: ContextVar[float | None] = ContextVar("rankmeld_deadline", default=None)

#: A request is written in parts of this many bytes, and the time is looked at between them.
_PART = 65_536

#: Seconds beyond which the system's own timers overflow; nobody waits longer.
_LONGEST = 1e8


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Let every read and write inside end by a moment of `time.monotonic`."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def left_of(timeout: float | None, expired: type[Exception]) -> float | None:
    """The seconds that one wait may take.

    Parameters
    ----------
    timeout : float or None
        What it may take by itself; ``None``: as long as it likes.
    expired : type of Exception
        What to raise where the exchange has no time left.
    """
    deadline = _DEADLINE.get()
    if deadline is None:
        return None if timeout is None else min(timeout, _LONGEST)
    left = deadline - time.monotonic()
    if left <= 0.0:
        raise expired("the time for the whole exchange is over")
    return min(left, _LONGEST if timeout is None else timeout, _LONGEST)


class TimedStream(httpcore2.NetworkStream):  # type: ignore[misc]  # may not be installed
    """A connection that keeps the deadline of the exchange that uses it.

    Parameters
    ----------
    stream : httpcore2.NetworkStream
        The connection.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Wait for some bytes."""
        data: bytes = self._stream.read(max_bytes, left_of(timeout, httpcore2.ReadTimeout))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of the bytes."""
        for start in range(0, len(buffer), _PART):
            part = buffer[start : start + _PART]
            self._stream.write(part, left_of(timeout, httpcore2.WriteTimeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> TimedStream:
        """Speak TLS from here on."""
        left = left_of(timeout, httpcore2.ConnectTimeout)
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        """What the connection says of itself."""
        return self._stream.get_extra_info(info)
