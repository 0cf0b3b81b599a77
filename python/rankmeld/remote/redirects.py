"""Redirects: few, checked like the first URL, and without the key where they leave its server."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from rankmeld.errors import MissingExtraError, OutboundRefusedError
from rankmeld.remote.hosts import DEFAULT_PORTS, Origin
from rankmeld.remote.policy import OutboundPolicy

try:
    import httpx2
except ImportError as error:
    raise MissingExtraError.for_extra("http", "asking a server over HTTP") from error

__all__ = ["MAX_REDIRECTS", "checked_origin", "followed"]

#: More hops than this are a loop or a search for a way round.
MAX_REDIRECTS = 3

#: The statuses that keep method and body.
_FOLLOWED = (307, 308)
#: Those that clients turn into a GET of something else.
_REFUSED = (301, 302, 303)

#: What goes along to another server. A list of what may: a key can stand in a header of any name.
_CARRIED = ("accept", "accept-encoding", "content-type", "content-length", "transfer-encoding", "user-agent")

#: Shorter words are no keys, and may well stand in a URL.
_SHORTEST_KEY = 8


def checked_origin(policy: OutboundPolicy, url: Any) -> Origin:
    """Check where a URL of httpx2 leads.

    Parameters
    ----------
    policy : OutboundPolicy
        What may be reached.
    url : httpx2.URL
        The URL, as it was parsed by who will dial it.

    Returns
    -------
    Origin
        Where to connect to.

    Raises
    ------
    OutboundRefusedError
        It may not be reached, or has user info.
    """
    if url.userinfo:
        raise OutboundRefusedError(
            "the URL has user info before its host; take it out, a key comes from the environment"
        )
    port = DEFAULT_PORTS.get(url.scheme, 0) if url.port is None else url.port
    return policy.check_origin(Origin(url.scheme, url.raw_host.decode("ascii"), port))


def followed(policy: OutboundPolicy, request: Any) -> Generator[tuple[Origin, Any], Any, Any]:
    """Follow redirects: yields where each request goes and the request, receives its response.

    Parameters
    ----------
    policy : OutboundPolicy
        What may be reached.
    request : httpx2.Request
        The first request.

    Returns
    -------
    httpx2.Response
        The last response, which is not a redirect.

    Raises
    ------
    OutboundRefusedError
        A URL is refused, there are too many redirects, or one would change the request.
    """
    origin = checked_origin(policy, request.url)
    for hops in range(MAX_REDIRECTS + 1):
        response = yield origin, request
        status = response.status_code
        if status not in (*_FOLLOWED, *_REFUSED) or "location" not in response.headers:
            return response
        if status in _REFUSED:
            raise OutboundRefusedError(
                f"{origin} answered with a redirect of status {status}; only 307 and 308 are followed"
            )
        if hops < MAX_REDIRECTS:
            if _repeats_the_key(request, response):
                # It would be sent on, and the messages and logs of the next request would show it.
                raise OutboundRefusedError(
                    f"{origin} redirected to a URL that repeats the Authorization header; it is not followed"
                )
            target = _target(request.url, response.headers["location"], origin)
            before, origin = origin, checked_origin(policy, target)
            request = _redirected(request, target, same=origin == before)
    raise OutboundRefusedError(f"{origin} redirected once more after {MAX_REDIRECTS} redirects")


def _repeats_the_key(request: Any, response: Any) -> bool:
    """Whether a redirect leads to a URL with the key in it, in either case of its letters."""
    key = request.headers.get("authorization", "").rpartition(" ")[2].lower()
    return len(key) >= _SHORTEST_KEY and key in response.headers["location"].lower()


def _target(url: Any, location: str, origin: Origin) -> Any:
    """Where a redirect leads; relative to where it was found."""
    try:
        return url.join(location)
    except httpx2.InvalidURL:
        raise OutboundRefusedError(f"{origin} redirected to what is not a URL") from None


def _redirected(request: Any, target: Any, *, same: bool) -> Any:
    """Make the same request of another URL."""
    if not isinstance(request.stream, httpx2.ByteStream):
        raise OutboundRefusedError("a redirect cannot be followed with a body that is read only once")
    headers = request.headers.copy()
    if not same:
        headers = httpx2.Headers([(name, value) for name, value in headers.items() if name in _CARRIED])
    headers["Host"] = target.netloc.decode("ascii")
    return httpx2.Request(
        request.method, target, headers=headers, stream=request.stream, extensions=request.extensions
    )
