"""What may be reached: hosts, ports and addresses, checked without any network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_network
from typing import Any

from rankmeld._options import as_integer, as_number
from rankmeld.errors import ConfigError, InvalidArgumentError, OutboundRefusedError
from rankmeld.remote.addresses import REFUSED, Address, Network, parse_address, refused_range
from rankmeld.remote.hosts import HostError, Origin, as_literal, one_spelling, origin_of

__all__ = ["Origin", "OutboundPolicy"]


@dataclass(frozen=True, slots=True, init=False)
class OutboundPolicy:
    """What a client may connect to: everything that is not allowed here is refused.

    A policy is checked three times: for a URL, for every redirect, and for each address that a name
    resolves to, at the moment of dialling. It is that checked address which is then dialled, so a
    name that changes its answer in between gains nothing.

    Addresses that are no server on the public internet are refused: private, link-local, shared
    (100.64.0.0/10), multicast, reserved, unspecified, broadcast, documentation, benchmarking and
    site-local ones, and all that carry an IPv4 address inside (IPv4-mapped, -compatible and -translated,
    NAT64, 6to4, Teredo, ISATAP). If one address of a name is refused, the name is.

    Parameters
    ----------
    allowed_hosts : iterable of str
        Names or addresses, compared whole: no wildcards, no subdomains. Letter case, the form of
        international names and a trailing dot do not matter. Empty: nothing may be reached.
    allowed_ports : iterable of int, default (443,)
        Ports from 1 to 65535.
    allow_networks : iterable of str, default ()
        Private, unique local or shared ranges in CIDR form, for a model server in one's own network:
        ``["10.20.0.0/16"]``. What is reached there speaks https like everything else.
    allow_loopback : bool, default False
        Whether 127.0.0.0/8 and ::1 may be reached.
    allow_insecure_loopback_http : bool, default False
        Whether plain http may be spoken with them, and with nothing else. Needs `allow_loopback`.
    timeout : float, default 30
        Seconds that connecting, sending a part, and waiting for a part may each take.

    Attributes
    ----------
    allowed_hosts : tuple of str
        As they are compared: lower case, ASCII, without a trailing dot.
    allowed_ports : tuple of int
        As given.
    allow_networks : tuple of IPv4Network or IPv6Network
        As given.

    Raises
    ------
    TypeError
        An argument is of the wrong kind; a single string is not a list of hosts.
    InvalidArgumentError
        A host has a scheme, port, path or wildcard; a port or the timeout is out of range; a network
        is none that one's own servers stand in.
    ConfigError
        `allow_insecure_loopback_http` without `allow_loopback`.

    Notes
    -----
    The ranges are those of the IANA registries for special-purpose addresses. Two things cannot be seen
    from an address: a NAT64 prefix of one's own network, and what a public address forwards to.

    Examples
    --------
    >>> policy = OutboundPolicy(["api.example.com"])
    >>> policy.check_url("https://API.example.com./v1/rerank")
    Origin(scheme='https', host='api.example.com', port=443)
    >>> policy.check_address("10.0.0.7")
    Traceback (most recent call last):
        ...
    rankmeld.errors.OutboundRefusedError: the address 10.0.0.7 is private (RFC 1918); to reach a server \
of your own network, add its range to allow_networks
    """

    allowed_hosts: tuple[str, ...]
    allowed_ports: tuple[int, ...] = field(kw_only=True)
    allow_networks: tuple[Network, ...] = field(kw_only=True)
    allow_loopback: bool = field(kw_only=True)
    allow_insecure_loopback_http: bool = field(kw_only=True)
    timeout: float = field(kw_only=True)

    def __init__(
        self,
        allowed_hosts: Iterable[str],
        *,
        allowed_ports: Iterable[int] = (443,),
        allow_networks: Iterable[str | Network] = (),
        allow_loopback: bool = False,
        allow_insecure_loopback_http: bool = False,
        timeout: float = 30,
    ) -> None:
        for name, value in (
            ("allowed_hosts", tuple(_as_host(host) for host in _listed(allowed_hosts, "allowed_hosts"))),
            ("allowed_ports", tuple(_as_port(port) for port in _listed(allowed_ports, "allowed_ports"))),
            ("allow_networks", tuple(_as_network(net) for net in _listed(allow_networks, "allow_networks"))),
            ("allow_loopback", _as_switch(allow_loopback, "allow_loopback")),
            (
                "allow_insecure_loopback_http",
                _as_switch(allow_insecure_loopback_http, "allow_insecure_loopback_http"),
            ),
            ("timeout", as_number(timeout, "timeout")),
        ):
            object.__setattr__(self, name, value)
        if self.timeout <= 0:
            raise InvalidArgumentError(f"timeout is {self.timeout}; it must be above 0 seconds")
        if self.allow_insecure_loopback_http and not self.allow_loopback:
            raise ConfigError("allow_insecure_loopback_http has no effect without allow_loopback=True")

    def check_url(self, url: str) -> Origin:
        """Check where a URL leads, as far as that can be seen without resolving its host.

        Parameters
        ----------
        url : str
            An absolute URL.

        Returns
        -------
        Origin
            Scheme, host and port.

        Raises
        ------
        OutboundRefusedError
            The policy does not allow it, or it cannot be read.
        """
        if not isinstance(url, str):
            raise TypeError(f"url must be a str, not {type(url).__name__}")
        return self.check_origin(origin_of(url))

    def check_origin(self, origin: Origin) -> Origin:
        """Check scheme, host and port, and the address where the host is one.

        Parameters
        ----------
        origin : Origin
            Where a request is to go, the host in any spelling.

        Returns
        -------
        Origin
            The same, the host in the spelling in which it is compared.

        Raises
        ------
        OutboundRefusedError
            The policy does not allow it.
        """
        scheme, host, port = origin
        if scheme != "https" and not (scheme == "http" and self.allow_insecure_loopback_http):
            raise OutboundRefusedError(
                f"{origin} would be reached by {scheme}; use https (http is for loopback, with "
                "allow_loopback=True and allow_insecure_loopback_http=True)"
            )
        try:
            host = one_spelling(host)
        except HostError as error:
            raise OutboundRefusedError(f"the host {host!r} {error}") from None
        if host not in self.allowed_hosts:
            raise OutboundRefusedError(f"the host {host!r} is not in allowed_hosts")
        if port not in self.allowed_ports:
            raise OutboundRefusedError(
                f"the port {port} of {host!r} is not in allowed_ports, which lists "
                f"{', '.join(map(str, self.allowed_ports)) or 'none'}"
            )
        literal = as_literal(host)
        if literal is not None:
            self.check_address(literal, secure=scheme == "https")
        return Origin(scheme, host, port)

    def check_address(self, address: str | Address, *, secure: bool = True) -> Address:
        """Check an address that is about to be dialled.

        Parameters
        ----------
        address : str, IPv4Address or IPv6Address
            The address.
        secure : bool, default True
            Whether TLS is spoken there. Without it only loopback is allowed, and only if opted in.

        Returns
        -------
        IPv4Address or IPv6Address
            The address, to be dialled as it is.

        Raises
        ------
        OutboundRefusedError
            The policy does not allow it.
        """
        if isinstance(address, str) or getattr(address, "scope_id", None) is not None:
            address = parse_address(str(address))
        elif not isinstance(address, IPv4Address | IPv6Address):
            raise TypeError(f"address must be a str or an address of ipaddress, not {type(address).__name__}")
        refused = refused_range(address)
        loopback = refused is not None and refused.kind == "loopback"
        if not secure and not (loopback and self.allow_insecure_loopback_http):
            raise OutboundRefusedError(f"the address {address} is not loopback; use https to reach it")
        if refused is None or (loopback and self.allow_loopback) or self._opted_in(address):
            return address
        hint = ""
        if loopback:
            hint = "; to reach a server of this machine, pass allow_loopback=True"
        elif refused.own:
            hint = "; to reach a server of your own network, add its range to allow_networks"
        raise OutboundRefusedError(f"the address {address} is {refused.kind} ({refused.source}){hint}")

    def _opted_in(self, address: Address) -> bool:
        return any(address in network for network in self.allow_networks)


def _listed(values: Any, name: str) -> tuple[Any, ...]:
    """Read a list, and refuse the common slip of passing one value alone."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        given = "one str" if isinstance(values, str) else type(values).__name__
        raise TypeError(f"{name} must be a list, not {given}; write [value]")
    return tuple(values)


def _as_switch(value: bool, name: str) -> bool:
    # A string such as "false" must never open anything.
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {type(value).__name__}")
    return value


def _as_host(host: Any) -> str:
    if not isinstance(host, str):
        raise TypeError(f"allowed_hosts must hold str, not {type(host).__name__}")
    # Said by itself, for an IPv6 address has colons, too.
    if "://" in host or host.count(":") == 1:
        what = "a URL" if "://" in host else "a host with a port"
        raise InvalidArgumentError(
            f"allowed_hosts has {host!r}, which is {what}; list the name alone, such as 'api.example.com', "
            "and its port in allowed_ports"
        )
    try:
        return one_spelling(host)
    except HostError as error:
        raise InvalidArgumentError(
            f"allowed_hosts has {host!r}, which {error}; list whole names such as 'api.example.com', without "
            "scheme, port, path or wildcard"
        ) from None


def _as_port(port: Any) -> int:
    number = as_integer(port, "a port of allowed_ports")
    if not 1 <= number <= 65535:
        raise InvalidArgumentError(f"allowed_ports has {number}; a port is from 1 to 65535")
    return number


def _as_network(given: Any) -> Network:
    """Read a range that lies within one that can be opted in."""
    try:
        network = ip_network(given) if isinstance(given, str) else given
        own = any(
            row.own and row.network.version == network.version and network.subnet_of(row.network)  # type: ignore[arg-type]  # of one version
            for row in REFUSED
        )
    except AttributeError:
        raise TypeError(
            f"allow_networks must hold str such as '10.20.0.0/16', not {type(given).__name__}"
        ) from None
    except ValueError as error:
        raise InvalidArgumentError(
            f"allow_networks has {given!r}, which is not a range ({error}); write it like 10.20.0.0/16"
        ) from None
    if not own:
        ranges = ", ".join(str(row.network) for row in REFUSED if row.own)
        loopback = "; for loopback pass allow_loopback=True" if network.is_loopback else ""
        raise InvalidArgumentError(
            f"allow_networks has {network}, which is not inside a range that one's own servers stand in: "
            f"{ranges}{loopback}"
        )
    return network
