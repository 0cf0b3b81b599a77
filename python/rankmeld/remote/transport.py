"""Transports and clients of httpx2 that reach what a policy allows, and nothing else."""

from __future__ import annotations

import os
import ssl
import weakref
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rankmeld.errors import InvalidArgumentError, MissingExtraError, RemoteError
from rankmeld.remote.deadlines import left_of
from rankmeld.remote.dialling import AsyncCheckedBackend, CheckedBackend, Resolver, resolve
from rankmeld.remote.loops import LoopBound, Pools
from rankmeld.remote.policy import Origin, OutboundPolicy
from rankmeld.remote.redirects import followed
from rankmeld.remote.turns import is_out_of_turn

try:
    import httpcore2
    import httpx2
except ImportError as error:
    raise MissingExtraError.for_extra("http", "asking a server over HTTP") from error

__all__ = ["AsyncPolicyTransport", "PolicyTransport", "async_http_client", "http_client"]

#: Idle connections are kept this long, in seconds, for the next request.
_KEEP_ALIVE = 30.0

_OUT_OF_TURN = "the server answered before it was asked"


class _Pooled:
    """What both transports share: their pools of connections, and requests in the form of the pools."""

    _pool_class: Any
    _backend_class: Any

    def __init__(
        self,
        policy: OutboundPolicy,
        *,
        resolver: Resolver = resolve,
        tls: ssl.SSLContext | None = None,
        max_connections: int = 100,
        most_bytes: int | None = None,
    ) -> None:
        if not isinstance(policy, OutboundPolicy):
            raise TypeError(f"policy must be an OutboundPolicy, not {type(policy).__name__}")
        if not callable(resolver):
            raise TypeError(
                f"resolver must be a callable (host, port) -> addresses, not {type(resolver).__name__}"
            )
        self._policy = policy
        self._resolver = resolver
        self._tls = _as_tls(tls)
        self._max_connections = max_connections
        self._most_bytes = most_bytes
        self._open()

    def _open(self) -> None:
        """Make what keeps the pools."""
        raise NotImplementedError

    def _pool(self, pools: Pools, scheme: str) -> Any:
        """The pool of a scheme; a forked process has its own, as two on one connection would mix up."""
        key = (os.getpid(), scheme)
        return pools.get(key) or pools.setdefault(key, self._new_pool(scheme))

    def _new_pool(self, scheme: str) -> Any:
        # By scheme, since plain http is for loopback only and the backend has to know.
        secure = scheme == "https"
        if secure and self._tls is None:
            # The system's authorities, without SSLKEYLOGFILE, SSL_CERT_FILE and SSL_CERT_DIR.
            self._tls = httpx2.create_ssl_context(trust_env=False)
        return self._pool_class(
            ssl_context=self._tls,
            max_connections=self._max_connections,
            max_keepalive_connections=self._max_connections,
            keepalive_expiry=_KEEP_ALIVE,
            network_backend=self._backend_class(self._policy, self._resolver, secure=secure),
        )


class PolicyTransport(_Pooled, httpx2.BaseTransport):  # type: ignore[misc]  # may not be installed
    """A transport for `httpx2.Client` that enforces a policy when it dials.

    Every request and every redirect is checked. A name is resolved here, each of its addresses is
    checked, and a checked one is dialled, while TLS still asks for the name. At most three redirects are
    followed, of status 307 and 308 only; where one leads to another scheme, host or port, no header goes
    along that could hold a key. Proxies, sockets of the file system and the environment play no part.
    It can be shared between threads, and goes on working in a forked process.

    Parameters
    ----------
    policy : OutboundPolicy
        What may be reached.
    resolver : callable, optional
        ``resolver(host, port)`` gives addresses, best first; it must be safe to call from several threads.
        Not given: the system is asked.
    tls : ssl.SSLContext, optional
        For a certificate authority of one's own. It must verify certificates and host names. Not given:
        the authorities that the system trusts.
    max_connections : int, default 100
        Connections at a time; they are kept open and used again.
    most_bytes : int, optional
        How long a body may be, as it is sent (a packed one unfolds to more). It is read no further.

    Raises
    ------
    TypeError
        An argument is of the wrong kind.
    InvalidArgumentError
        `tls` does not verify whom it talks to.
    OutboundRefusedError
        On a request: the policy does not allow it.
    RemoteError
        On a request: the body is longer than `most_bytes`.

    Examples
    --------
    >>> import httpx2
    >>> policy = OutboundPolicy(["api.example.com"])
    >>> client = httpx2.Client(transport=PolicyTransport(policy), trust_env=False)
    >>> client.get("https://169.254.169.254/latest/meta-data/")
    Traceback (most recent call last):
        ...
    rankmeld.errors.OutboundRefusedError: the host '169.254.169.254' is not in allowed_hosts
    >>> client.close()
    """

    _pool_class = httpcore2.ConnectionPool
    _backend_class = CheckedBackend

    def _open(self) -> None:
        self._pools: Pools = {}

    def handle_request(self, request: Any) -> Any:
        """Send a request and follow where it is redirected to, as far as the policy allows."""
        flow = followed(self._policy, request)
        origin, sent = next(flow)
        while True:
            response = self._sent(origin, sent)
            try:
                origin, sent = flow.send(response)
            except StopIteration as end:
                return end.value
            except BaseException:
                response.close()
                raise
            response.close()

    def _sent(self, origin: Origin, request: Any) -> Any:
        with _as_httpx2():
            answer = self._pool(self._pools, origin.scheme).handle_request(_as_httpcore(origin, request))
            if is_out_of_turn(answer):
                answer.close()  # unread, and with it its connection
                raise httpcore2.ReadError(_OUT_OF_TURN)
        return httpx2.Response(
            answer.status,
            headers=answer.headers,
            stream=_Stream(answer.stream, _Limit(origin, self._most_bytes)),
            extensions=_passed_on(answer.extensions),
        )

    def close(self) -> None:
        """Close the connections of this process."""
        for (process, _), pool in list(self._pools.items()):
            if process == os.getpid():
                pool.close()


class AsyncPolicyTransport(_Pooled, httpx2.AsyncBaseTransport):  # type: ignore[misc]  # as above
    """A transport for `httpx2.AsyncClient` that enforces a policy when it dials.

    As `PolicyTransport`, for tasks of asyncio. Each event loop gets connections of its own, so a client
    outlives one ``asyncio.run``; they are closed with their loop, or when the transport is forgotten.

    Parameters
    ----------
    policy : OutboundPolicy
        What may be reached.
    resolver, tls, max_connections, most_bytes
        As in `PolicyTransport`; the resolver is called in a thread.
    """

    _pool_class = httpcore2.AsyncConnectionPool
    _backend_class = AsyncCheckedBackend

    def _open(self) -> None:
        self._loops = LoopBound()
        weakref.finalize(self, self._loops.let_go)

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request and follow where it is redirected to, as far as the policy allows."""
        flow = followed(self._policy, request)
        origin, sent = next(flow)
        while True:
            response = await self._sent(origin, sent)
            try:
                origin, sent = flow.send(response)
            except StopIteration as end:
                return end.value
            except BaseException:
                await response.aclose()
                raise
            await response.aclose()

    async def _sent(self, origin: Origin, request: Any) -> Any:
        pools = await self._loops.here()
        with _as_httpx2():
            answer = await self._pool(pools, origin.scheme).handle_async_request(
                _as_httpcore(origin, request)
            )
            if is_out_of_turn(answer):
                await answer.aclose()
                raise httpcore2.ReadError(_OUT_OF_TURN)
        return httpx2.Response(
            answer.status,
            headers=answer.headers,
            stream=_AsyncStream(answer.stream, _Limit(origin, self._most_bytes), self),
            extensions=_passed_on(answer.extensions),
        )

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        await self._loops.aclose()


def http_client(
    policy: OutboundPolicy, *, headers: Mapping[str, str] | None = None, **options: Any
) -> httpx2.Client:
    """Make a client that reaches what a policy allows, and nothing else.

    Parameters
    ----------
    policy : OutboundPolicy
        What may be reached; its `timeout` holds for connecting, and for each part sent or awaited.
    headers : Mapping[str, str], optional
        Sent with every request.
    **options
        `resolver`, `tls`, `max_connections` and `most_bytes`, as in `PolicyTransport`.

    Returns
    -------
    httpx2.Client
        To be closed when it is no longer needed. It reads no proxies, keys or certificates from the
        environment and no ``.netrc``.

    Examples
    --------
    >>> with http_client(OutboundPolicy(["api.example.com"])) as client:
    ...     client.get("http://api.example.com/")
    Traceback (most recent call last):
        ...
    rankmeld.errors.OutboundRefusedError: http://api.example.com:80 would be reached by http; use https \
(http is for loopback, with allow_loopback=True and allow_insecure_loopback_http=True)
    """
    transport = PolicyTransport(policy, **options)
    return httpx2.Client(transport=transport, headers=headers, timeout=policy.timeout, trust_env=False)


def async_http_client(
    policy: OutboundPolicy, *, headers: Mapping[str, str] | None = None, **options: Any
) -> httpx2.AsyncClient:
    """Make a client for tasks that reaches what a policy allows, and nothing else.

    Parameters
    ----------
    policy : OutboundPolicy
        What may be reached.
    headers : Mapping[str, str], optional
        Sent with every request.
    **options
        `resolver`, `tls`, `max_connections` and `most_bytes`, as in `PolicyTransport`.

    Returns
    -------
    httpx2.AsyncClient
        As `http_client`.
    """
    transport = AsyncPolicyTransport(policy, **options)
    return httpx2.AsyncClient(transport=transport, headers=headers, timeout=policy.timeout, trust_env=False)


def _as_tls(tls: Any) -> ssl.SSLContext | None:
    if tls is None:
        return None
    if not isinstance(tls, ssl.SSLContext):
        raise TypeError(f"tls must be an ssl.SSLContext or None, not {type(tls).__name__}")
    if tls.verify_mode != ssl.CERT_REQUIRED or not tls.check_hostname:
        raise InvalidArgumentError(
            "tls does not verify certificates and host names; for an authority of your own write "
            "ssl.create_default_context(cafile=...)"
        )
    return tls


def _as_httpcore(origin: Origin, request: Any) -> Any:
    """The request as the pool takes it, for the host as it was checked.

    Of the extensions only these two go along: another could name a different host to TLS.
    """
    extensions = {
        "timeout": {
            name: left_of(seconds, httpcore2.ConnectTimeout)
            for name, seconds in request.extensions.get("timeout", {}).items()
        }
    }
    if "trace" in request.extensions:
        extensions["trace"] = request.extensions["trace"]
    url = httpcore2.URL(
        scheme=origin.scheme.encode("ascii"),
        host=origin.host.encode("ascii"),
        port=origin.port,
        target=request.url.raw_path,
    )
    return httpcore2.Request(
        request.method, url, headers=request.headers.raw, content=request.stream, extensions=extensions
    )


@contextmanager
def _as_httpx2() -> Iterator[None]:
    """Turn the errors of the pool into those of the client; they have the same names."""
    try:
        yield
    except Exception as error:
        for kind in type(error).__mro__:
            known = getattr(httpx2, kind.__name__, None)
            if kind.__module__.startswith("httpcore2") and known is not None:
                raise known(str(error)) from error
        raise


def _passed_on(extensions: Any) -> dict[str, Any]:
    """What the pool says of a response, without its reason phrase.

    Clients log that, it is the server's own words, and these may repeat the key; the status says enough.
    """
    return {name: value for name, value in extensions.items() if name != "reason_phrase"}


class _Limit:
    """Counts the bytes of a body."""

    def __init__(self, origin: Origin, most: int | None) -> None:
        self._origin = origin
        self._most = most
        self._seen = 0

    def counted(self, part: bytes) -> bytes:
        """The same bytes; raises where the body becomes too long."""
        self._seen += len(part)
        if self._most is not None and self._seen > self._most:
            raise RemoteError(
                f"{self._origin} answered with more than {self._most} bytes; it was read no further"
            )
        return part


class _Stream(httpx2.SyncByteStream):  # type: ignore[misc]  # as above
    """The body of a response, whose errors are those of the client."""

    def __init__(self, stream: Any, limit: _Limit) -> None:
        self._stream = stream
        self._limit = limit

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx2():
            yield from map(self._limit.counted, self._stream)

    def close(self) -> None:
        self._stream.close()


class _AsyncStream(httpx2.AsyncByteStream):  # type: ignore[misc]  # as above
    """As `_Stream`, for tasks."""

    def __init__(self, stream: Any, limit: _Limit, transport: AsyncPolicyTransport) -> None:
        self._stream = stream
        self._limit = limit
        self._transport = transport  # connections are closed when it is forgotten

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx2():
            async for part in self._stream:
                yield self._limit.counted(part)

    async def aclose(self) -> None:
        await self._stream.aclose()
