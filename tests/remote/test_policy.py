"""The policy by itself: what it reads, what it refuses and in which words; no network."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from ipaddress import IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.remote import Origin, OutboundPolicy
from support.refusals import refusal

pytest.importorskip("idna", reason="idna is not installed (rankmeld[http])")

HOST = "api.example.com"
POLICY = OutboundPolicy([HOST])
LOOPBACK = OutboundPolicy(["localhost", "127.0.0.1", "::1"], allowed_ports=[443, 8080], allow_loopback=True)
PLAIN = OutboundPolicy(
    ["localhost", "127.0.0.1", "::1", "10.0.0.1"],
    allowed_ports=[80, 8080],
    allow_networks=["10.0.0.0/8"],
    allow_loopback=True,
    allow_insecure_loopback_http=True,
)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com",
        "https://api.example.com/",
        "https://api.example.com:443/v1/rerank?x=1#y",
        "HTTPS://API.Example.COM/v1",
        "https://api.example.com.",
        "https://api.example.com.:443/",
        "https://api.example.com:/",
    ],
)
def test_spellings_of_one_host_are_one_host(url):
    assert POLICY.check_url(url) == Origin("https", HOST, 443)


@pytest.mark.parametrize(
    "spelling",
    ["bücher.example", "BÜCHER.example", "bücher.example.", "xn--bcher-kva.example", "bücher。example"],
)
def test_international_names_are_compared_in_their_ascii_form(spelling):
    policy = OutboundPolicy([spelling])
    assert policy.allowed_hosts == ("xn--bcher-kva.example",)
    assert policy.check_url("https://bücher.example/").host == "xn--bcher-kva.example"
    assert policy.check_url("https://XN--BCHER-KVA.example./").host == "xn--bcher-kva.example"


def test_names_that_only_look_alike_are_others():
    policy = OutboundPolicy(["straße.example", "paypal.example"])
    assert "not in allowed_hosts" in refusal(
        rm.OutboundRefusedError, policy.check_url, "https://strasse.example"
    )
    cyrillic = "https://p\u0430ypal.example"
    assert "not in allowed_hosts" in refusal(rm.OutboundRefusedError, policy.check_url, cyrillic)


@pytest.mark.parametrize(
    "host",
    [
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.01",
        "127.0.0.1.5",
        "256.1.1.1",
        "1.2.3",
        "0",
        "0x",
        "example.0x",
        "127.0.0.1..",
        "1.0x7f",
    ],
)
def test_strange_spellings_of_ipv4_are_refused_everywhere(host):
    # A name that is not listed would be refused as well, but only with other words.
    words = "is not a host name" if ".." in host else "ends in a number, which may be read as an IPv4 address"
    message = refusal(rm.OutboundRefusedError, LOOPBACK.check_url, f"https://{host}/")
    assert message.startswith(f"the URL's host {host!r} {words}")
    message = refusal(rm.InvalidArgumentError, OutboundPolicy, [host])
    assert message.startswith(f"allowed_hosts has {host!r}, which {words}")


@pytest.mark.parametrize("host", ["１２７.0.0.1", "127。0。0。1", "①②⑦.0.0.1", "⓵27.0.0.1"])
def test_digits_of_other_scripts_are_no_way_round(host):
    with pytest.raises(rm.OutboundRefusedError):
        POLICY.check_url(f"https://{host}/")


@pytest.mark.parametrize(
    "literal", ["[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "127.0.0.1", "localhost", "LOCALHOST."]
)
def test_loopback_is_reached_where_it_is_opted_in(literal):
    assert LOOPBACK.check_url(f"https://{literal}:8080/").port == 8080


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://api.example.com/", "would be reached by http; use https"),
        ("ftp://api.example.com/", "has the scheme 'ftp'; only https is spoken"),
        ("file:///etc/passwd", "has the scheme 'file'"),
        ("api.example.com/v1", "has the scheme ''"),
        ("//api.example.com/v1", "has the scheme ''"),
        ("", "has the scheme ''"),
        ("https://user@api.example.com/", "user info before its host"),
        ("https://user:pw@api.example.com/", "user info before its host"),
        ("https://@api.example.com/", "user info before its host"),
        ("https://api.example.com@evil.example/", "user info before its host"),
        ("https://evil.example/", "the host 'evil.example' is not in allowed_hosts"),
        ("https://sub.api.example.com/", "is not in allowed_hosts"),
        ("https://api.example.com.evil.example/", "is not in allowed_hosts"),
        ("https://example.com/", "is not in allowed_hosts"),
        ("https://api.example.com..", "is not a host name"),
        (
            "https://api.example.com:8443/",
            "the port 8443 of 'api.example.com' is not in allowed_ports, which lists 443",
        ),
        ("https://api.example.com:0/", "the port 0 of 'api.example.com' is not in allowed_ports"),
        ("https://api.example.com:99999/", "the URL cannot be read"),
        ("https://api.example.com:x/", "the URL cannot be read"),
        ("https://[::1/", "the URL cannot be read"),
        ("https:///v1", "is not a host name"),
        ("https://api%2eexample.com/", "is not a host name"),
        ("https://api.example.com\\@evil.example/", "white space, a control character or a backslash"),
        ("https://api.example.com\t/", "white space, a control character or a backslash"),
        ("https://api.exa\nmple.com/", "white space, a control character or a backslash"),
        (" https://api.example.com/", "white space, a control character or a backslash"),
        ("https://api.example.com/\x00", "white space, a control character or a backslash"),
        ("https://[fe80::1%25eth0]/", "has a zone"),
        ("https://*.example.com/", "is not a host name"),
    ],
)
def test_urls_that_are_refused(url, words):
    assert words in refusal(rm.OutboundRefusedError, POLICY.check_url, url)


def test_what_a_url_may_keep_secret_is_in_no_message():
    for url in (
        "https://user:hunter2@api.example.com/hunter2?key=hunter2#hunter2",
        "https://evil.example/hunter2?key=hunter2",
        "http://api.example.com/hunter2?hunter2",
        "https://api.example.com:8443/hunter2",
        "https://api.example.com:99999/hunter2",
        "https://[::1/hunter2",
        "https://127.1/hunter2",
    ):
        assert "hunter2" not in refusal(rm.OutboundRefusedError, POLICY.check_url, url)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (
            "10.1.2.3",
            (
                "the address 10.1.2.3 is private (RFC 1918); to reach a server of your own network, add its "
                "range to allow_networks"
            ),
        ),
        (
            "100.64.0.1",
            (
                "the address 100.64.0.1 is shared address space (RFC 6598); to reach a server of your own "
                "network, add its range to allow_networks"
            ),
        ),
        (
            "127.0.0.1",
            (
                "the address 127.0.0.1 is loopback (RFC 1122); to reach a server of this machine, pass "
                "allow_loopback=True"
            ),
        ),
        (
            "::1",
            (
                "the address ::1 is loopback (RFC 4291); to reach a server of this machine, pass "
                "allow_loopback=True"
            ),
        ),
        ("169.254.169.254", "the address 169.254.169.254 is link-local (RFC 3927)"),
        ("0.0.0.0", "the address 0.0.0.0 is unspecified (RFC 1122)"),
        ("255.255.255.255", "the address 255.255.255.255 is broadcast (RFC 919)"),
        ("240.0.0.1", "the address 240.0.0.1 is reserved (RFC 1112)"),
        ("224.0.0.1", "the address 224.0.0.1 is multicast (RFC 5771)"),
        ("::", "the address :: is unspecified (RFC 4291)"),
        ("::ffff:8.8.8.8", "the address ::ffff:808:808 is IPv4-mapped (RFC 4291)"),
        ("64:ff9b::808:808", "the address 64:ff9b::808:808 is NAT64 (RFC 6052)"),
        ("64:ff9b:1::1", "the address 64:ff9b:1::1 is NAT64 (RFC 8215)"),
        ("2002:a00:1::", "the address 2002:a00:1:: is 6to4 (RFC 3056)"),
        ("2001::1", "the address 2001::1 is Teredo (RFC 4380)"),
        ("fec0::1", "the address fec0::1 is site-local (RFC 3879)"),
        (
            "fd00::1",
            (
                "the address fd00::1 is unique local (RFC 4193); to reach a server of your own network, add "
                "its range to allow_networks"
            ),
        ),
        ("fe80::1%eth0", "the address 'fe80::1%eth0' has a zone; only addresses without one are dialled"),
        ("2606:4700::1%1", "the address '2606:4700::1%1' has a zone; only addresses without one are dialled"),
        ("localhost", "'localhost' is not an IP address; the resolver must give some"),
        ("127.1", "'127.1' is not an IP address; the resolver must give some"),
    ],
)
def test_refused_addresses_say_what_they_are(address, message):
    assert (
        refusal(rm.OutboundRefusedError, POLICY.check_address, address).replace(
            "::ffff:8.8.8.8", "::ffff:808:808"
        )
        == message
    )


def test_an_address_object_with_a_zone_is_refused_too():
    assert "has a zone" in refusal(
        rm.OutboundRefusedError, POLICY.check_address, IPv6Address("2606:4700::1%1")
    )


@pytest.mark.parametrize("address", ["127.0.0.1", "127.255.255.255", "::1"])
def test_loopback_opens_loopback_alone(address):
    assert str(LOOPBACK.check_address(address)) == address
    for other in (
        "10.0.0.1",
        "169.254.0.1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "::7f00:1",
        "0.0.0.0",
        "::",
    ):
        with pytest.raises(rm.OutboundRefusedError):
            LOOPBACK.check_address(other)


def test_networks_open_themselves_alone():
    policy = OutboundPolicy([HOST], allow_networks=["10.20.0.0/16", "fd00:1::/32", "100.64.0.0/10"])
    for address in ("10.20.0.0", "10.20.255.255", "fd00:1::", "100.127.255.255", "1.1.1.1"):
        assert str(policy.check_address(address)) == address
    for address in ("10.19.255.255", "10.21.0.0", "fd00:2::", "192.168.0.1", "::ffff:10.20.0.1", "127.0.0.1"):
        with pytest.raises(rm.OutboundRefusedError):
            policy.check_address(address)


def test_plain_http_is_for_loopback_alone():
    assert PLAIN.check_url("http://localhost:8080/").scheme == "http"
    assert PLAIN.check_url("http://127.0.0.1/").port == 80
    assert PLAIN.check_address("10.0.0.1", secure=True)
    for address in ("10.0.0.1", "1.1.1.1"):
        assert (
            refusal(rm.OutboundRefusedError, PLAIN.check_address, address, secure=False)
            == f"the address {address} is not loopback; use https to reach it"
        )
    with pytest.raises(rm.OutboundRefusedError, match="is not loopback"):
        PLAIN.check_url("http://10.0.0.1:8080/")
    # Opted into loopback, but not into plain http.
    with pytest.raises(rm.OutboundRefusedError, match="would be reached by http"):
        LOOPBACK.check_url("http://127.0.0.1:8080/")
    with pytest.raises(rm.OutboundRefusedError, match="use https to reach it"):
        LOOPBACK.check_address("127.0.0.1", secure=False)


def test_a_literal_host_is_checked_as_an_address_at_once():
    policy = OutboundPolicy(["169.254.169.254", "10.0.0.1"])
    assert "link-local" in refusal(rm.OutboundRefusedError, policy.check_url, "https://169.254.169.254/")
    assert "private" in refusal(rm.OutboundRefusedError, policy.check_url, "https://10.0.0.1/")


def test_no_hosts_is_a_policy_that_lets_nothing_out():
    with pytest.raises(rm.OutboundRefusedError):
        OutboundPolicy([]).check_url("https://api.example.com")


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (TypeError, {"allowed_hosts": HOST}, "allowed_hosts must be a list, not one str; write [value]"),
        (TypeError, {"allowed_hosts": None}, "allowed_hosts must be a list, not NoneType; write [value]"),
        (TypeError, {"allowed_hosts": [b"x"]}, "allowed_hosts must hold str, not bytes"),
        (TypeError, {"allowed_ports": 443}, "allowed_ports must be a list, not int; write [value]"),
        (TypeError, {"allowed_ports": ["443"]}, "a port of allowed_ports must be an integer, not str"),
        (TypeError, {"allowed_ports": [True]}, "a port of allowed_ports must be an integer, not bool"),
        (rm.InvalidArgumentError, {"allowed_ports": [0]}, "allowed_ports has 0; a port is from 1 to 65535"),
        (
            rm.InvalidArgumentError,
            {"allowed_ports": [65536]},
            "allowed_ports has 65536; a port is from 1 to 65535",
        ),
        (
            TypeError,
            {"allow_networks": "10.0.0.0/8"},
            "allow_networks must be a list, not one str; write [value]",
        ),
        (
            TypeError,
            {"allow_networks": [10]},
            "allow_networks must hold str such as '10.20.0.0/16', not int",
        ),
        (TypeError, {"allow_loopback": "false"}, "allow_loopback must be True or False, not str"),
        (TypeError, {"allow_loopback": 1}, "allow_loopback must be True or False, not int"),
        (
            TypeError,
            {"allow_insecure_loopback_http": None},
            "allow_insecure_loopback_http must be True or False, not NoneType",
        ),
        (TypeError, {"timeout": None}, "timeout must be a number, not NoneType"),
        (rm.InvalidArgumentError, {"timeout": 0}, "timeout is 0.0; it must be above 0 seconds"),
        (rm.InvalidArgumentError, {"timeout": float("inf")}, "timeout is inf; it must be finite"),
        (
            rm.ConfigError,
            {"allow_insecure_loopback_http": True},
            "allow_insecure_loopback_http has no effect without allow_loopback=True",
        ),
        (
            rm.InvalidArgumentError,
            {"allow_networks": ["0.0.0.0/0"]},
            (
                "allow_networks has 0.0.0.0/0, which is not inside a range that one's own servers stand in: "
                "10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16, fc00::/7"
            ),
        ),
        (
            rm.InvalidArgumentError,
            {"allow_networks": ["127.0.0.0/8"]},
            (
                "allow_networks has 127.0.0.0/8, which is not inside a range that one's own servers stand "
                "in: 10.0.0.0/8, 100.64.0.0/10, 172.16.0.0/12, 192.168.0.0/16, fc00::/7; for loopback pass "
                "allow_loopback=True"
            ),
        ),
    ],
)
def test_arguments_are_checked(kind, options, message):
    options = {"allowed_hosts": [HOST], **options}
    assert refusal(kind, OutboundPolicy, options.pop("allowed_hosts"), **options) == message


@pytest.mark.parametrize(
    "network",
    ["169.254.0.0/16", "::/0", "fe80::/10", "8.0.0.0/6", "::ffff:10.0.0.0/104", "64:ff9b::/96", "1.1.1.1"],
)
def test_networks_that_hold_no_servers_of_ones_own_are_refused(network):
    assert "not inside a range" in refusal(
        rm.InvalidArgumentError, OutboundPolicy, [HOST], allow_networks=[network]
    )


@pytest.mark.parametrize("network", ["10.0.0.1/8", "10.0.0.0/33", "ten", "10.0.0", "", "10.0.0.0/8 "])
def test_networks_that_cannot_be_read_are_refused(network):
    message = refusal(rm.InvalidArgumentError, OutboundPolicy, [HOST], allow_networks=[network])
    assert message.startswith(f"allow_networks has {network!r}, which is not a range (")
    assert message.endswith("; write it like 10.20.0.0/16")


@pytest.mark.parametrize(
    "host",
    [
        "api.example.com/v1",
        "*.example.com",
        "*",
        "",
        ".",
        " api.example.com",
        "user@api.example.com",
        "-x.example",
        "x" * 64 + ".example",
        "a." * 127 + "example",
        "a..b",
        "fe80::1%eth0",
        "[::1",
        "\u2025.example",
    ],
)
def test_hosts_are_whole_names(host):
    message = refusal(rm.InvalidArgumentError, OutboundPolicy, [host])
    assert message.startswith(f"allowed_hosts has {host!r}, which ")
    assert message.endswith(
        "list whole names such as 'api.example.com', without scheme, port, path or wildcard"
    )


@pytest.mark.parametrize(
    ("host", "what"),
    [
        ("https://api.example.com/v1", "a URL"),
        ("http://127.0.0.1:11434", "a URL"),
        ("localhost:11434", "a host with a port"),
    ],
)
def test_urls_and_ports_are_told_where_they_belong(host, what):
    assert refusal(rm.InvalidArgumentError, OutboundPolicy, [host]) == (
        f"allowed_hosts has {host!r}, which is {what}; list the name alone, such as 'api.example.com', and "
        "its port in allowed_ports"
    )


def test_a_policy_is_a_value():
    twin = OutboundPolicy(["API.example.com."], allowed_ports=(443,), allow_networks=())
    assert twin == POLICY
    assert hash(twin) == hash(POLICY)
    everything = OutboundPolicy(
        iter([HOST, "::1"]),
        allowed_ports=iter([1, 2]),
        allow_networks=[ip_network("10.0.0.0/8"), "fd00::/8"],
        allow_loopback=True,
        allow_insecure_loopback_http=True,
        timeout=1,
    )
    for copied in (pickle.loads(pickle.dumps(everything)), copy.deepcopy(everything), copy.copy(everything)):
        assert copied == everything
        assert copied.check_url("http://[::1]:2") == Origin("http", "::1", 2)
    assert everything != POLICY
    with pytest.raises(AttributeError):
        POLICY.allow_loopback = True
    assert repr(POLICY) == (
        "OutboundPolicy(allowed_hosts=('api.example.com',), allowed_ports=(443,), allow_networks=(), "
        "allow_loopback=False, allow_insecure_loopback_http=False, timeout=30.0)"
    )


def test_the_refusal_is_what_except_clauses_expect():
    for kind in (rm.RankmeldError, PermissionError, OSError):
        with pytest.raises(kind) as caught:
            POLICY.check_url("https://evil.example")
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@given(st.text(max_size=30))
def test_any_url_is_allowed_or_refused(text):
    for url in (text, f"https://{text}", f"https://{HOST}{text}", f"https://{text}@{HOST}/"):
        try:
            origin = POLICY.check_url(url)
        except rm.OutboundRefusedError:
            continue
        assert origin == Origin("https", HOST, 443)


@given(st.text(alphabet="0123456789abcdefx.:[]%-", max_size=24))
def test_any_host_of_digits_is_an_address_or_refused(host):
    everything = OutboundPolicy(["127.0.0.1", "::1"], allow_loopback=True)
    try:
        origin = everything.check_url(f"https://{host}/")
    except rm.OutboundRefusedError:
        return
    assert origin.host in ("127.0.0.1", "::1")


def test_the_policy_needs_no_http_client():
    code = (
        "import json, sys, rankmeld as rm; rm.OutboundPolicy(['a.example']).check_url('https://a.example');"
        "clients = ('httpx2', 'httpcore2', 'openai', 'idna', 'anyio', 'asyncio');"
        "print(json.dumps([name for name in clients if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=os.environ)
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize("address", [2130706433, b"\x7f\0\0\1", True, None])
def test_an_address_is_no_number(address):
    message = refusal(TypeError, POLICY.check_address, address)
    assert message == f"address must be a str or an address of ipaddress, not {type(address).__name__}"
