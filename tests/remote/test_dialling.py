"""What is dialled is what was checked: real sockets, and resolvers that change their minds."""

from __future__ import annotations

import asyncio
import contextvars
import socket
import ssl
import threading
import time

import pytest

import rankmeld as rm
from support.loopback import Answer, serving

httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed (rankmeld[http])")
pytest.importorskip("trustme", reason="trustme is not installed")

from rankmeld.remote.deadlines import until  # noqa: E402
from rankmeld.remote.dialling import AsyncCheckedBackend, CheckedBackend, resolve  # noqa: E402
from rankmeld.remote.transport import http_client  # noqa: E402

from .samples import AUTHORIZED, KEY, NAME, Asynchronous, Plain, Resolver, asking, certificates, loopback  # noqa: E402

KINDS = pytest.mark.parametrize("kind", [Plain, Asynchronous])

#: One address of every class that a name could turn into.
SPOILED = [
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "0.0.0.0",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "192.0.2.1",
    "198.18.0.1",
    "::",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001::1",
    "fc00::1",
    "fe80::1",
    "fe80::1%1",
    "fec0::1",
    "ff02::1",
    "not an address",
]


@KINDS
def test_a_connection_is_used_again(kind):
    with serving() as server, asking(kind, loopback(server.port)) as client:
        for _ in range(5):
            assert client.ask(f"http://127.0.0.1:{server.port}/v1", json={"a": 1}).json() == {}
        assert len(server.received) == 5
        assert len(server.peers) == 1


@KINDS
def test_ipv6_literals_and_their_spellings(kind):
    if not socket.has_ipv6:
        pytest.skip("not applicable: no IPv6 here")
    with serving(host="::1") as server, asking(kind, loopback(server.port, hosts=["::1"])) as client:
        for literal in ("[::1]", "[0:0::1]"):
            assert client.ask(f"http://{literal}:{server.port}/").status_code == 200


@KINDS
def test_a_name_is_resolved_once_a_connection_and_tls_asks_for_it(kind):
    served, trusted = certificates(NAME)
    resolver = Resolver(["127.0.0.1"])
    with serving(tls=served) as server:
        policy = rm.OutboundPolicy([NAME], allowed_ports=[server.port], allow_loopback=True)
        with asking(kind, policy, tls=trusted, resolver=resolver) as client:
            for url in (f"https://{NAME}:{server.port}/", f"https://{NAME.upper()}.:{server.port}/"):
                assert client.ask(url).status_code == 200
        assert resolver.asked == [(NAME, server.port)]
        assert server.names == [NAME]
        assert server.received[0].headers["host"] == f"{NAME}:{server.port}"


@KINDS
def test_a_certificate_for_another_name_or_of_nobody_known_ends_it(kind):
    served, trusted = certificates("other.test")
    resolver = Resolver(["127.0.0.1"])
    with serving(tls=served) as server:
        policy = rm.OutboundPolicy([NAME], allowed_ports=[server.port], allow_loopback=True)
        for options in ({"tls": trusted}, {}):
            with (
                asking(kind, policy, resolver=resolver, headers=AUTHORIZED, **options) as client,
                pytest.raises(httpx2.ConnectError, match="certificate verify failed"),
            ):
                client.ask(f"https://{NAME}:{server.port}/")
        assert server.received == []


@KINDS
def test_no_request_can_ask_tls_for_another_name(kind):
    served, trusted = certificates("other.test")
    with serving(tls=served) as server:
        policy = rm.OutboundPolicy([NAME], allowed_ports=[server.port], allow_loopback=True)
        with (
            asking(kind, policy, resolver=Resolver(["127.0.0.1"]), tls=trusted) as client,
            pytest.raises(httpx2.ConnectError, match="certificate verify failed"),
        ):
            client.ask(f"https://{NAME}:{server.port}/", extensions={"sni_hostname": "other.test"})
        assert server.names == [NAME]


@KINDS
@pytest.mark.parametrize("address", SPOILED)
def test_a_name_with_one_bad_address_is_not_dialled_at_all(kind, address):
    with serving() as server:
        policy = loopback(server.port, hosts=[NAME])
        for answer in ([address], ["127.0.0.1", address], [address, "127.0.0.1"]):
            with (
                asking(kind, policy, resolver=Resolver(answer), headers=AUTHORIZED) as client,
                pytest.raises(rm.OutboundRefusedError, match=rf"^'{NAME}' was not dialled: ") as caught,
            ):
                client.ask(f"http://{NAME}:{server.port}/")
            assert KEY not in str(caught.value)
        assert server.received == []


@KINDS
def test_a_name_that_turns_private_is_refused_at_its_next_connection(kind):
    resolver = Resolver(["127.0.0.1"], ["169.254.169.254"])
    closing = {"Connection": "close"}
    with serving(lambda _request: Answer(headers=closing)) as server:
        with asking(kind, loopback(server.port, hosts=[NAME]), resolver=resolver) as client:
            assert client.ask(f"http://{NAME}:{server.port}/").status_code == 200
            with pytest.raises(rm.OutboundRefusedError, match=r"169\.254\.169\.254 is "):
                client.ask(f"http://{NAME}:{server.port}/")
        assert len(server.received) == 1
        assert len(resolver.asked) == 2


@KINDS
def test_the_name_is_not_resolved_again_between_check_and_connection(kind, monkeypatch):
    """A rebinding name: every question after the first gets another answer, and nobody may ask it."""
    asked = []
    real = socket.getaddrinfo

    def watched(host, *args, **options):
        asked.append(host)
        return real(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", watched)
    resolver = Resolver(["127.0.0.1"], ["169.254.169.254"])
    with (
        serving() as server,
        asking(kind, loopback(server.port, hosts=[NAME]), resolver=resolver) as client,
    ):
        client.ask(f"http://{NAME}:{server.port}/")
        assert resolver.asked == [(NAME, server.port)]
        assert NAME not in [host.decode() if isinstance(host, bytes) else host for host in asked]


@KINDS
def test_plain_http_goes_to_loopback_though_the_network_is_opted_in(kind):
    policy = loopback(80, hosts=[NAME], allow_networks=["10.0.0.0/8"])
    for address in ("10.0.0.1", "1.1.1.1"):
        with (
            asking(kind, policy, resolver=Resolver([address])) as client,
            pytest.raises(rm.OutboundRefusedError, match=f"{address} is not loopback; use https"),
        ):
            client.ask(f"http://{NAME}/")


@KINDS
def test_the_next_address_is_tried_when_one_does_not_answer(kind):
    with serving() as server, socket.create_server(("127.0.0.2", 0)) as taken:
        taken.close()  # nobody listens at 127.0.0.2 and the server's port
        resolver = Resolver(["127.0.0.2", "127.0.0.1"])
        with asking(kind, loopback(server.port, hosts=[NAME]), resolver=resolver) as client:
            assert client.ask(f"http://{NAME}:{server.port}/").status_code == 200


@KINDS
def test_nobody_there_is_a_failed_connection(kind):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for answer in (["127.0.0.1"], ["127.0.0.2", "127.0.0.1"]):
        with (
            asking(kind, loopback(port, hosts=[NAME]), resolver=Resolver(answer)) as client,
            pytest.raises(httpx2.ConnectError),
        ):
            client.ask(f"http://{NAME}:{port}/")


@KINDS
def test_a_name_that_nobody_knows_is_a_failed_connection(kind):
    def fails(_host, _port):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    for resolver, words in (
        (fails, f"'{NAME}' could not be resolved: .*Name or service not known"),
        (Resolver([]), f"the resolver gave no address for '{NAME}'"),
    ):
        with (
            asking(kind, loopback(80, hosts=[NAME]), resolver=resolver) as client,
            pytest.raises(httpx2.ConnectError, match=words),
        ):
            client.ask(f"http://{NAME}/")


@KINDS
def test_a_resolver_that_never_answers_holds_up_nobody(kind):
    released = threading.Event()

    def slow(_host, _port):
        released.wait(5)
        return ["127.0.0.1"]

    began = time.monotonic()
    try:
        with (
            asking(kind, loopback(80, hosts=[NAME], timeout=0.1), resolver=slow) as client,
            pytest.raises(httpx2.ConnectTimeout, match=f"'{NAME}' was not resolved in time"),
        ):
            client.ask(f"http://{NAME}/")
        # Nor does the end of an event loop wait for it.
        assert time.monotonic() - began < 2
    finally:
        released.set()


def test_a_resolver_sees_the_context_of_its_caller():
    variable = contextvars.ContextVar("variable", default="")
    seen = []

    def resolver(_host, _port):
        seen.append(variable.get())
        return ["127.0.0.1"]

    with serving() as server, asking(Plain, loopback(server.port, hosts=[NAME]), resolver=resolver) as client:
        variable.set("here")
        client.ask(f"http://{NAME}:{server.port}/")
    assert seen == ["here"]


@KINDS
def test_a_redirect_begins_no_new_time(kind):
    """Someone who answers late, and sends on to where nobody does."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))

        def late(_request):
            time.sleep(0.3)
            return Answer(307, b"", {"Location": f"http://127.0.0.1:{port}/"})

        with serving(late) as server, asking(kind, loopback(server.port, port, timeout=0.5)) as client:
            began = time.monotonic()
            with until(began + 0.5), pytest.raises(httpx2.ConnectTimeout):
                client.ask(f"http://127.0.0.1:{server.port}/")
            assert time.monotonic() - began < (0.7 if kind is Plain else 1.0)
        for one in waiting:
            one.close()


@KINDS
@pytest.mark.parametrize("timeout", [1e10, 1e300])
def test_a_timeout_may_be_as_long_as_one_likes(kind, timeout):
    with serving() as server, asking(kind, loopback(server.port, timeout=timeout)) as client:
        assert client.ask(f"http://127.0.0.1:{server.port}/").status_code == 200


def test_the_system_resolves_where_no_resolver_is_given():
    assert "127.0.0.1" in resolve("localhost", 80) or "::1" in resolve("localhost", 80)
    assert resolve("fe80::1%lo", 80)[0].startswith("fe80::1%")
    with serving() as server, http_client(loopback(server.port, hosts=["localhost"])) as client:
        assert client.get(f"http://localhost:{server.port}/").status_code == 200


@pytest.mark.parametrize("backend", [CheckedBackend, AsyncCheckedBackend])
def test_sockets_of_the_file_system_are_refused(backend):
    asked = backend(loopback(80), resolve, secure=True).connect_unix_socket
    with pytest.raises(rm.OutboundRefusedError, match="sockets of the file system are not dialled"):
        asyncio.run(asked("/var/run/docker.sock")) if backend is AsyncCheckedBackend else asked("/x")


@KINDS
def test_requests_that_the_policy_refuses_open_nothing(kind):
    with serving() as server:
        resolver = Resolver(["127.0.0.1"])
        policy = loopback(server.port, hosts=[NAME, "127.0.0.1"])
        with asking(kind, policy, resolver=resolver) as client:
            for url, words in (
                (f"http://{NAME}/", "the port 80"),
                (f"http://elsewhere.test:{server.port}/", "not in allowed_hosts"),
                (f"http://user:{KEY}@{NAME}:{server.port}/", "user info"),
                (f"ftp://{NAME}:{server.port}/", "reached by ftp"),
                (f"ws://{NAME}:{server.port}/", "reached by ws"),
                (f"http://2130706433:{server.port}/", "ends in a number"),
                (f"http://0x7f.1:{server.port}/", "ends in a number"),
            ):
                with pytest.raises(
                    (rm.OutboundRefusedError, httpx2.UnsupportedProtocol), match=words
                ) as caught:
                    client.ask(url)
                assert KEY not in str(caught.value)
        assert resolver.asked == []
        assert server.received == []


@KINDS
def test_the_environment_plays_no_part(kind, monkeypatch, tmp_path):
    served, trusted = certificates(NAME)
    keys = tmp_path / "keys"
    (tmp_path / ".netrc").write_text(f"machine 127.0.0.1 login me password {KEY}\n", encoding="utf-8")
    (tmp_path / ".netrc").chmod(0o600)
    with serving() as server, serving() as proxy, serving(tls=served) as secure:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            for spelling in (name, name.lower()):
                monkeypatch.setenv(spelling, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
        monkeypatch.setenv("SSLKEYLOGFILE", str(keys))
        with asking(kind, loopback(server.port)) as client:
            client.ask(f"http://127.0.0.1:{server.port}/")
        assert "authorization" not in server.received[0].headers
        policy = rm.OutboundPolicy([NAME], allowed_ports=[secure.port], allow_loopback=True)
        with asking(kind, policy, tls=trusted, resolver=Resolver(["127.0.0.1"])) as client:
            client.ask(f"https://{NAME}:{secure.port}/")
        with (
            asking(kind, policy, resolver=Resolver(["127.0.0.1"])) as client,
            pytest.raises(httpx2.ConnectError),
        ):
            client.ask(f"https://{NAME}:{secure.port}/")
        assert len(secure.received) == 1
        assert proxy.received == []
        assert not keys.exists()


def test_authorities_named_by_the_environment_are_not_trusted(monkeypatch, tmp_path):
    import trustme

    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(NAME).configure_cert(served)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    with serving(tls=served) as server:
        policy = rm.OutboundPolicy([NAME], allowed_ports=[server.port], allow_loopback=True)
        with (
            http_client(policy, resolver=Resolver(["127.0.0.1"])) as client,
            pytest.raises(httpx2.ConnectError, match="certificate verify failed"),
        ):
            client.get(f"https://{NAME}:{server.port}/")
