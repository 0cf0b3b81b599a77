"""Names of hosts in one spelling, and URLs taken apart."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import urlsplit

from rankmeld.embed.packages import import_extra
from rankmeld.errors import OutboundRefusedError

__all__ = ["DEFAULT_PORTS", "HostError", "Origin", "as_literal", "one_spelling", "origin_of"]

#: The schemes that are spoken, and the port of each where a URL names none.
DEFAULT_PORTS = {"https": 443, "http": 80}

# Underscores are no part of host names, but occur in those of container networks.
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
# What the system's resolver may read as a number: 127.1, 0x7f.1, 017700000001, 2130706433.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
#: Characters that a name can have in DNS.
_LONGEST_NAME = 253


class HostError(ValueError):
    """What is wrong with the spelling of a host; callers say where it stood."""


class Origin(NamedTuple):
    """Where a request goes.

    Attributes
    ----------
    scheme : {"https", "http"}
        How.
    host : str
        The name in lower case and ASCII, without a trailing dot, or an address without brackets.
    port : int
        The port, also where the URL does not name it.
    """

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        """As a URL has it: ``https://host:port``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def as_literal(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host in its one spelling is, or ``None`` for a name."""
    try:
        return IPv6Address(host) if ":" in host else IPv4Address(host)
    except AddressValueError:
        return None


def one_spelling(host: str) -> str:
    """Write a host as it is compared: lower case, IDNA, no trailing dot; addresses in canonical form.

    Raises
    ------
    HostError
        It is no host name, or a number that some resolvers read as an IPv4 address.
    MissingExtraError
        The name is not ASCII and the package `idna` is not installed.
    """
    if ":" in host or host.startswith("["):
        bracketed = host.startswith("[") and host.endswith("]")
        return _one_spelling_of_ipv6(host[1:-1] if bracketed else host)
    name = host.lower()
    if not name.isascii():
        name = _as_idna(name)
    name = name.removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        if as_literal(name) is None:
            raise HostError(
                "ends in a number, which may be read as an IPv4 address; write an address as "
                "four decimal numbers without leading zeros, such as 192.0.2.1"
            )
        return name
    if len(name) > _LONGEST_NAME or not all(_LABEL.fullmatch(label) for label in labels):
        raise HostError("is not a host name")
    return name


def _one_spelling_of_ipv6(literal: str) -> str:
    if "%" in literal:
        raise HostError("has a zone; only addresses without one are dialled")
    try:
        return IPv6Address(literal).compressed
    except AddressValueError:
        raise HostError("is not an IPv6 address") from None


def _as_idna(name: str) -> str:
    """A name in its ASCII form of IDNA 2008, by the package that the HTTP client uses too."""
    idna = import_extra("idna", extra="http", purpose=f"the host {name!r}, which is not ASCII,")
    try:
        encoded: str = idna.encode(name).decode("ascii")
    except idna.IDNAError:
        raise HostError("is not a name that IDNA 2008 allows") from None
    return encoded


def origin_of(url: str) -> Origin:
    """Take a URL apart, as far as it says where a request goes.

    Raises
    ------
    OutboundRefusedError
        It is not an absolute http or https URL, has user info, or a host that is none. The message
        never repeats more of the URL than scheme, host and port: the rest may be secret.
    """
    if any(character.isspace() or not character.isprintable() or character == "\\" for character in url):
        raise OutboundRefusedError("the URL has white space, a control character or a backslash in it")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise OutboundRefusedError(
            "the URL cannot be read; it must be like https://host or https://host:port/path"
        ) from None
    if parts.scheme not in DEFAULT_PORTS:
        raise OutboundRefusedError(
            f"the URL has the scheme {parts.scheme!r}; only https is spoken (http with loopback, if opted in)"
        )
    if "@" in parts.netloc:
        raise OutboundRefusedError(
            "the URL has user info before its host; take it out, a key comes from the environment"
        )
    try:
        host = one_spelling(parts.hostname or "")
    except HostError as error:
        raise OutboundRefusedError(f"the URL's host {parts.hostname!r} {error}") from None
    return Origin(parts.scheme, host, DEFAULT_PORTS[parts.scheme] if port is None else port)
