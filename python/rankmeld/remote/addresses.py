"""Which addresses are nobody's public server: a table of ranges, each with the document that sets it aside.

`ipaddress.is_private` and its kin differ between versions of Python and know nothing of addresses that
carry another one inside, so every range is written out here.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from rankmeld.errors import OutboundRefusedError

__all__ = ["REFUSED", "Address", "Network", "RefusedRange", "parse_address", "refused_range"]

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class RefusedRange:
    """A range whose addresses are not dialled.

    Attributes
    ----------
    network : IPv4Network or IPv6Network
        The range.
    kind : str
        What its addresses are, as messages say it.
    source : str
        The document that sets it aside.
    own : bool
        Whether a server of one's own network can stand in it, so that it may be opted in.
    """

    network: Network
    kind: str
    source: str
    own: bool = False


def _range(network: str, kind: str, source: str, *, own: bool = False) -> RefusedRange:
    return RefusedRange(ip_network(network), kind, source, own)


#: The first range that holds an address says what it is: narrow ones stand before those around them.
REFUSED: tuple[RefusedRange, ...] = (
    _range("0.0.0.0/32", "unspecified", "RFC 1122"),
    _range("0.0.0.0/8", "this network", "RFC 791"),
    _range("10.0.0.0/8", "private", "RFC 1918", own=True),
    _range("100.64.0.0/10", "shared address space", "RFC 6598", own=True),
    _range("127.0.0.0/8", "loopback", "RFC 1122"),
    _range("169.254.0.0/16", "link-local", "RFC 3927"),
    _range("172.16.0.0/12", "private", "RFC 1918", own=True),
    _range("192.0.0.0/24", "protocol assignments", "RFC 6890"),
    _range("192.0.2.0/24", "documentation", "RFC 5737"),
    _range("192.88.99.0/24", "6to4 relay", "RFC 7526"),
    _range("192.168.0.0/16", "private", "RFC 1918", own=True),
    _range("198.18.0.0/15", "benchmarking", "RFC 2544"),
    _range("198.51.100.0/24", "documentation", "RFC 5737"),
    _range("203.0.113.0/24", "documentation", "RFC 5737"),
    _range("224.0.0.0/4", "multicast", "RFC 5771"),
    _range("255.255.255.255/32", "broadcast", "RFC 919"),
    _range("240.0.0.0/4", "reserved", "RFC 1112"),
    _range("::/128", "unspecified", "RFC 4291"),
    _range("::1/128", "loopback", "RFC 4291"),
    _range("::/96", "IPv4-compatible", "RFC 4291"),
    _range("::ffff:0:0/96", "IPv4-mapped", "RFC 4291"),
    _range("::ffff:0:0:0/96", "IPv4-translated", "RFC 2765"),
    _range("64:ff9b::/96", "NAT64", "RFC 6052"),
    _range("64:ff9b:1::/48", "NAT64", "RFC 8215"),
    _range("100::/64", "discard", "RFC 6666"),
    _range("100:0:0:1::/64", "dummy", "RFC 9780"),
    _range("2001::/32", "Teredo", "RFC 4380"),
    _range("2001:2::/48", "benchmarking", "RFC 5180"),
    _range("2001::/23", "protocol assignments", "RFC 2928"),
    _range("2001:db8::/32", "documentation", "RFC 3849"),
    _range("2002::/16", "6to4", "RFC 3056"),
    _range("3fff::/20", "documentation", "RFC 9637"),
    _range("5f00::/16", "segment routing", "RFC 9602"),
    _range("fc00::/7", "unique local", "RFC 4193", own=True),
    _range("fe80::/10", "link-local", "RFC 4291"),
    _range("fec0::/10", "site-local", "RFC 3879"),
    _range("ff00::/8", "multicast", "RFC 4291"),
    # Of all of IPv6 only 2000::/3 is given out; the rest is kept for uses yet to be found.
    _range("::/3", "reserved", "RFC 4291"),
    _range("4000::/2", "reserved", "RFC 4291"),
    _range("8000::/1", "reserved", "RFC 4291"),
)

#: Interface identifiers of ISATAP, whose low half is an IPv4 address: they occur under any prefix.
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
_ISATAP_RANGE = _range("::5efe:0:0/96", "ISATAP", "RFC 5214")


def refused_range(address: Address) -> RefusedRange | None:
    """Find what speaks against an address.

    Parameters
    ----------
    address : IPv4Address or IPv6Address
        An address without a zone.

    Returns
    -------
    RefusedRange or None
        The first row of `REFUSED` that holds it; ``None`` for an address of the public internet.
    """
    for row in REFUSED:
        if address in row.network:
            return row
    if address.version == 6 and (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return _ISATAP_RANGE
    return None


def parse_address(text: str) -> Address:
    """Read an address as a resolver or a socket writes it.

    Raises
    ------
    OutboundRefusedError
        It has a zone (``fe80::1%eth0``), or is no address at all.
    """
    if "%" in text:
        raise OutboundRefusedError(f"the address {text!r} has a zone; only addresses without one are dialled")
    try:
        return ip_address(text)
    except ValueError:
        raise OutboundRefusedError(f"{text!r} is not an IP address; the resolver must give some") from None
