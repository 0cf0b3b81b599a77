"""Dialling what was checked: a name is resolved here, and the checked address is what is connected to."""

from __future__ import annotations

import asyncio
import contextvars
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from rankmeld.errors import MissingExtraError, OutboundRefusedError
from rankmeld.remote.addresses import Address, parse_address
from rankmeld.remote.deadlines import TimedStream, left_of
from rankmeld.remote.hosts import as_literal
from rankmeld.remote.policy import OutboundPolicy
from rankmeld.remote.turns import AsyncTurnsStream, TurnsStream

try:
    import httpcore2
except ImportError as error:
    raise MissingExtraError.for_extra("http", "asking a server over HTTP") from error

__all__ = ["AsyncCheckedBackend", "CheckedBackend", "Resolver", "resolve"]

#: Gives the addresses of a host, best first: ``resolver(host, port)``.
Resolver = Callable[[str, int], Sequence[str]]


def resolve(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a host, in its order of preference.

    Parameters
    ----------
    host : str
        A name.
    port : int
        The port that will be dialled.

    Returns
    -------
    list of str
        Its addresses, with a zone (``fe80::1%2``) where there is one.

    Raises
    ------
    OSError
        There are none, or nobody could be asked.
    """
    found = []
    for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        zone = f"%{address[3]}" if len(address) == 4 and address[3] else ""
        found.append(f"{address[0]}{zone}")
    return found


class _Checked:
    """What both backends share: which addresses to try, and for how long each."""

    def __init__(self, policy: OutboundPolicy, resolver: Resolver, *, secure: bool) -> None:
        self._policy = policy
        self._resolver = resolver
        self._secure = secure

    def _addresses(self, host: str, found: Iterable[str]) -> list[Address]:
        """Check every address before the first is dialled: one bad answer spoils them all."""
        addresses = []
        for text in found:
            try:
                addresses.append(self._policy.check_address(parse_address(text), secure=self._secure))
            except OutboundRefusedError as refusal:
                raise OutboundRefusedError(f"{host!r} was not dialled: {refusal}") from None
        return list(dict.fromkeys(addresses))


@contextmanager
def _resolving(host: str) -> Iterator[None]:
    """A name that cannot be resolved is a failed connection, which callers may try again."""
    try:
        yield
    except OutboundRefusedError:
        raise
    except TimeoutError:
        raise httpcore2.ConnectTimeout(f"{host!r} was not resolved in time") from None
    except OSError as error:
        raise httpcore2.ConnectError(f"{host!r} could not be resolved: {error}") from error


def _looking_up(resolver: Resolver, host: str, port: int) -> Future[Sequence[str]]:
    """Resolve a name in a thread that nobody has to wait for: the system's resolver knows no timeout.

    Not in an executor, whose threads an event loop, and the end of Python, would wait for.
    """
    future: Future[Sequence[str]] = Future()
    future.set_running_or_notify_cancel()  # from here on nobody can cancel it, only stop waiting
    context = contextvars.copy_context()

    def look_up() -> None:
        try:
            found = context.run(resolver, host, port)
        except BaseException as error:  # noqa: BLE001 - it is for whoever waits
            future.set_exception(error)
        else:
            future.set_result(found)

    threading.Thread(target=look_up, name="rankmeld-resolver", daemon=True).start()
    return future


def _shares(addresses: list[Address], deadline: float | None) -> Iterator[tuple[str, float | None, bool]]:
    """Addresses, the seconds that each may take, and whether it is the last.

    The seconds are an equal share of what the ones before left, so that one which swallows packets
    does not keep the others from being tried.
    """
    for untried, address in zip(range(len(addresses), 0, -1), addresses, strict=True):
        seconds = None if deadline is None else max(deadline - time.monotonic(), 0.001) / untried
        yield str(address), seconds, untried == 1


class CheckedBackend(_Checked, httpcore2.NetworkBackend):  # type: ignore[misc]  # may not be installed
    """Makes the connections of a `PolicyTransport`.

    Parameters
    ----------
    policy : OutboundPolicy
        What may be dialled.
    resolver : callable
        ``resolver(host, port)`` gives addresses.
    secure : bool
        Whether TLS will be spoken.
    """

    def __init__(self, policy: OutboundPolicy, resolver: Resolver, *, secure: bool) -> None:
        super().__init__(policy, resolver, secure=secure)
        self._network = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Any:
        """Connect to the first checked address of a host that answers."""
        timeout = left_of(timeout, httpcore2.ConnectTimeout)
        deadline = None if timeout is None else time.monotonic() + timeout
        found: Sequence[str] = [host]
        if as_literal(host) is None:
            with _resolving(host):
                found = _looking_up(self._resolver, host, port).result(timeout)
        for address, seconds, last in _shares(self._addresses(host, found), deadline):
            try:
                stream = self._network.connect_tcp(address, port, seconds, local_address, socket_options)
                return TurnsStream(TimedStream(stream))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if last:
                    raise
        raise httpcore2.ConnectError(f"the resolver gave no address for {host!r}")

    def connect_unix_socket(self, *_args: Any, **_options: Any) -> Any:
        """Refuse: nothing says who listens behind a path."""
        raise OutboundRefusedError("sockets of the file system are not dialled")


class AsyncCheckedBackend(_Checked, httpcore2.AsyncNetworkBackend):  # type: ignore[misc]  # as above
    """Makes the connections of an `AsyncPolicyTransport`; as `CheckedBackend`, for tasks."""

    def __init__(self, policy: OutboundPolicy, resolver: Resolver, *, secure: bool) -> None:
        super().__init__(policy, resolver, secure=secure)
        self._network = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the pool's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> Any:
        """Connect to the first checked address of a host that answers; names are resolved in a thread."""
        deadline = None if timeout is None else time.monotonic() + timeout
        found: Sequence[str] = [host]
        if as_literal(host) is None:
            with _resolving(host):
                async with asyncio.timeout(timeout):
                    found = await asyncio.wrap_future(_looking_up(self._resolver, host, port))
        for address, seconds, last in _shares(self._addresses(host, found), deadline):
            try:
                stream = await self._network.connect_tcp(
                    address, port, seconds, local_address, socket_options
                )
                return AsyncTurnsStream(stream)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                if last:
                    raise
        raise httpcore2.ConnectError(f"the resolver gave no address for {host!r}")

    async def connect_unix_socket(self, *_args: Any, **_options: Any) -> Any:
        """Refuse: nothing says who listens behind a path."""
        raise OutboundRefusedError("sockets of the file system are not dialled")

    async def sleep(self, seconds: float) -> None:
        """Wait between two attempts."""
        await asyncio.sleep(seconds)
