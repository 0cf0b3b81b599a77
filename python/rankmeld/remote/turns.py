"""Connections that notice an answer which was there before its request.

A server that answers twice leaves the second answer behind in what the HTTP client has read already, and
the client would take it for the answer to whatever is asked next.
"""

from __future__ import annotations

import ssl
from typing import Any

from rankmeld.errors import MissingExtraError

try:
    import httpcore2
except ImportError as error:
    raise MissingExtraError.for_extra("http", "asking a server over HTTP") from error

__all__ = ["AsyncTurnsStream", "TurnsStream", "is_out_of_turn"]


class _Turns:
    """Whether anything was read since the last write."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.has_heard = False

    def get_extra_info(self, info: str) -> Any:
        """What the connection says of itself."""
        return self._stream.get_extra_info(info)


class TurnsStream(_Turns, httpcore2.NetworkStream):  # type: ignore[misc]  # may not be installed
    """A connection of threads.

    Parameters
    ----------
    stream : httpcore2.NetworkStream
        What it reads from and writes to.
    """

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Wait for some bytes."""
        data: bytes = self._stream.read(max_bytes, timeout)
        self.has_heard = True
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of the bytes."""
        self.has_heard = False
        self._stream.write(buffer, timeout)

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> TurnsStream:
        """Speak TLS from here on."""
        return TurnsStream(self._stream.start_tls(ssl_context, server_hostname, timeout))


class AsyncTurnsStream(_Turns, httpcore2.AsyncNetworkStream):  # type: ignore[misc]  # as above
    """A connection of tasks; as `TurnsStream`."""

    def get_extra_info(self, info: str) -> Any:
        """What the connection says of itself."""
        return (info == "is_readable" and self._holds_more()) or super().get_extra_info(info)

    def _holds_more(self) -> bool:
        """Whether TLS has taken more from the socket than was read: asked for while nothing is awaited."""
        tls = self._stream.get_extra_info("ssl_object")
        if not isinstance(tls, ssl.SSLObject):
            return False
        try:
            tls.read(1)
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLError:
            return True  # it has ended
        return True

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Wait for some bytes."""
        data: bytes = await self._stream.read(max_bytes, timeout)
        self.has_heard = True
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Send all of the bytes."""
        self.has_heard = False
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: Any,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> AsyncTurnsStream:
        """Speak TLS from here on."""
        return AsyncTurnsStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))


def is_out_of_turn(answer: Any) -> bool:
    """Whether nothing of an answer was read after its request was sent.

    Parameters
    ----------
    answer : httpcore2.Response
        Its head is read.
    """
    stream = answer.extensions["network_stream"]
    # After an upgrade, for which nobody asks here, the stream is another one.
    return isinstance(stream, _Turns) and not stream.has_heard
