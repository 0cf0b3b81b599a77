"""Where a rerank service listens, from the base URL that people paste."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from rankmeld.errors import ConfigError

__all__ = ["endpoint_url", "rerank_endpoint"]

_VERSION = re.compile(r"v[0-9]+")


def rerank_endpoint(base_url: str) -> str:
    """The URL to which passages are sent, of a service's base URL.

    A last segment such as ``v1`` gets ``/rerank``, one that is ``rerank`` stays as it is, and any
    other gets ``/v1/rerank``. Slashes at the end go.

    Parameters
    ----------
    base_url : str
        An absolute http or https URL.

    Returns
    -------
    str
        The endpoint.

    Raises
    ------
    ConfigError
        The URL is blank or not absolute, or has a query, a fragment or user info. The message does
        not repeat it: there may be a key in it.
    TypeError
        It is not a `str`.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.rerank_endpoint("https://api.example.com")
    'https://api.example.com/v1/rerank'
    >>> rm.rerank_endpoint("https://api.example.com/v2/")
    'https://api.example.com/v2/rerank'
    >>> rm.rerank_endpoint("http://127.0.0.1:8080/rerank")
    'http://127.0.0.1:8080/rerank'
    """
    return endpoint_url(base_url, "rerank", "/v1")


def endpoint_url(base_url: str, action: str, prefix: str) -> str:
    """As `rerank_endpoint`, for services whose last segment is another, or comes without a version.

    Parameters
    ----------
    base_url : str
        An absolute http or https URL.
    action : str
        The last segment: ``rerank``.
    prefix : str
        What comes before it where the base has no version: ``/v1``, or nothing.
    """
    parts = _read(base_url)
    path = parts.path.rstrip("/")
    last = path.rpartition("/")[2]
    if _VERSION.fullmatch(last):
        path += f"/{action}"
    elif last != action:
        path += f"{prefix}/{action}"
    return f"{parts.scheme}://{parts.netloc}{path}"


def _read(base_url: str) -> SplitResult:
    if not isinstance(base_url, str):
        raise TypeError(f"base_url must be a str, not {type(base_url).__name__}")
    text = base_url.strip()
    if not text:
        raise ConfigError("base_url is blank; it must be like https://api.example.com/v1")
    if any(character.isspace() or not character.isprintable() or character == "\\" for character in text):
        raise ConfigError("base_url has white space, a control character or a backslash in it")
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError("base_url is not an absolute URL; it must be like https://api.example.com/v1")
    # `?` and `#` with nothing behind them count too: whoever wrote them meant something.
    if "?" in text or "#" in text:
        raise ConfigError(
            f"base_url for {parts.hostname!r} has a query or a fragment; leave it out, the key goes into the "
            "environment variable RANKMELD_RERANK_API_KEY"
        )
    if "@" in parts.netloc:
        raise ConfigError(
            f"base_url for {parts.hostname!r} has user info before the host; leave it out, the key goes into "
            "the environment variable RANKMELD_RERANK_API_KEY"
        )
    return parts
