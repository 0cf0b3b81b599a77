"""A service behind one URL: its key, its connections, and one request at a time."""

from __future__ import annotations

import asyncio
import time
import weakref
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rankmeld.errors import MissingExtraError
from rankmeld.remote.deadlines import until
from rankmeld.remote.policy import OutboundPolicy
from rankmeld.remote.quiet import quietly
from rankmeld.remote.secret import Secret
from rankmeld.remote.transport import AsyncPolicyTransport, PolicyTransport

try:
    import httpx2
except ImportError as error:
    raise MissingExtraError.for_extra("http", "asking a server over HTTP") from error

__all__ = ["MOST_BYTES", "Reply", "Service"]

#: An answer is read up to here and no further.
MOST_BYTES = 4 * 2**20

#: What went wrong on the way: it took too long; nobody was reached; the connection broke before an answer
#: began, or after; the answer was too long; or it came packed although nobody asked for that.
Fault = Literal["late", "unreachable", "dropped", "broken", "long", "packed"]


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, or why nothing did. It holds nothing of the request.

    Attributes
    ----------
    status : int
        The HTTP status; 0 where there is none.
    retry_after : str or None
        The header of that name.
    body : bytes
        The whole answer.
    fault : str or None
        What went wrong on the way.
    detail : str
        What the system says about it.
    """

    status: int = 0
    retry_after: str | None = field(default=None, repr=False)  # as the body, it may repeat the key
    body: bytes = field(default=b"", repr=False)
    fault: Fault | None = None
    detail: str = ""


class Service:
    """Sends requests to one URL, from threads and from the tasks of any event loop.

    Connections are kept open and used again: those of threads until `close` or until the service is
    forgotten, those of tasks until `aclose` or the end of their event loop. A forked process opens its own.

    Parameters
    ----------
    url : str
        Where requests go.
    policy : OutboundPolicy
        What may be reached; its timeout holds for each single wait.
    key : Secret
        Sent as a bearer token.

    Raises
    ------
    OutboundRefusedError
        The policy does not allow the URL.
    """

    def __init__(self, url: str, policy: OutboundPolicy, key: Secret) -> None:
        origin = policy.check_url(url)
        self.url = url
        self._target = httpx2.URL(url)
        self.name = origin.host if origin.port == 443 else str(origin).partition("//")[2]
        self._patience = policy.timeout
        self._key = key
        self._sync = PolicyTransport(policy)
        self._async = AsyncPolicyTransport(policy)
        # What this holds stays alive until it has run, so that no socket is found open by the collector.
        weakref.finalize(self, self._sync.close)

    def send(self, body: bytes, deadline: float) -> Reply:
        """Send a request and read the answer, all of it before a moment of `time.monotonic`."""
        response = None
        try:
            with quietly(), until(deadline):
                response = self._sync.handle_request(self._request(body, deadline))
                try:
                    reply, data = _opened(response), bytearray()
                    if reply.fault is None:
                        for part in response.iter_raw():
                            data += part
                            if len(data) > MOST_BYTES:
                                return replace(reply, fault="long")
                    return replace(reply, body=bytes(data))
                finally:
                    response.close()
        except httpx2.TransportError as error:
            return _failed(error, answered=response is not None)

    async def asend(self, body: bytes, deadline: float) -> Reply:
        """As `send`, for tasks."""
        try:
            with quietly():
                async with asyncio.timeout(max(deadline - time.monotonic(), 0.0)):
                    return await self._areply(body, deadline)
        except TimeoutError:
            return Reply(fault="late")

    async def _areply(self, body: bytes, deadline: float) -> Reply:
        response = None
        try:
            response = await self._async.handle_async_request(self._request(body, deadline))
            try:
                reply, data = _opened(response), bytearray()
                if reply.fault is None:
                    async for part in response.aiter_raw():
                        data += part
                        if len(data) > MOST_BYTES:
                            return replace(reply, fault="long")
                return replace(reply, body=bytes(data))
            finally:
                await response.aclose()
        except httpx2.TransportError as error:
            return _failed(error, answered=response is not None)

    def close(self) -> None:
        """Close the connections of threads; the next request opens new ones."""
        self._sync.close()

    async def aclose(self) -> None:
        """Close the connections of threads and of this event loop."""
        self._sync.close()
        await self._async.aclose()

    def _request(self, body: bytes, deadline: float) -> Any:
        wait = max(min(deadline - time.monotonic(), self._patience), 0.001)
        return httpx2.Request(
            "POST",
            self._target,
            headers={
                "Accept": "application/json",
                # A packed answer may be a thousand times as long as what was read.
                "Accept-Encoding": "identity",
                "Authorization": f"Bearer {self._key.reveal()}",
                "Content-Type": "application/json",
                "User-Agent": "rankmeld",
            },
            content=body,
            extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), wait)},
        )


def _opened(response: Any) -> Reply:
    """What the head of an answer says."""
    headers = response.headers
    packed = headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}
    announced = headers.get("content-length", "")
    long = announced.isdecimal() and (len(announced) > 18 or int(announced) > MOST_BYTES)
    return Reply(
        response.status_code,
        headers.get("retry-after"),
        fault="packed" if packed else "long" if long else None,
    )


def _failed(error: Exception, *, answered: bool) -> Reply:
    """What a failed request means. Texts of protocol errors repeat what the server sent: they end here."""
    if isinstance(error, httpx2.TimeoutException):
        return Reply(fault="late")
    if isinstance(error, httpx2.ConnectError):
        return Reply(fault="unreachable", detail=str(error))
    # A connection that was kept open, and that the server has closed meanwhile, ends like this.
    ended = isinstance(error, httpx2.NetworkError) or "disconnected" in str(error).lower()
    return Reply(fault="dropped" if ended and not answered else "broken")
