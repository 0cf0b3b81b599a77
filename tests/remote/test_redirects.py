"""Redirects: few, of two kinds, each checked, and no key for anybody else."""

from __future__ import annotations

import pytest

import rankmeld as rm
from support.loopback import Answer, serving

httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed (rankmeld[http])")
pytest.importorskip("trustme", reason="trustme is not installed")

from .samples import AUTHORIZED, KEY, NAME, Plain, Resolver, asking, certificates, loopback  # noqa: E402
from .test_dialling import KINDS, SPOILED  # noqa: E402

#: Those that can stand in a URL.
LITERALS = [address for address in SPOILED if "%" not in address and " " not in address]
BODY = b'{"query": "q", "documents": ["a"]}'


def leading(*locations, status=307):
    """An answer that leads to one location after the other, told by the path ``/<number>``."""

    def answer(request):
        place = int(request.path.split("?")[0].strip("/") or 0)
        if place < len(locations):
            # A body that would be read for ever must not be.
            return Answer(status, b"moved", {"Location": locations[place]})
        return Answer(body=b'{"done": true}')

    return answer


@KINDS
@pytest.mark.parametrize("status", [307, 308])
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_up_to_three_redirects_keep_method_body_and_key_on_their_server(kind, status, hops):
    with serving(leading("/1", "2", "/3?x=y#z", status=status)) as server:
        with asking(kind, loopback(server.port), headers=AUTHORIZED) as client:
            answer = client.ask(f"http://127.0.0.1:{server.port}/{3 - hops}", content=BODY)
        assert answer.json() == {"done": True}
        assert [request.method for request in server.received] == ["POST"] * (hops + 1)
        assert {request.body for request in server.received} == {BODY}
        assert {request.headers["api-key"] for request in server.received} == {KEY}
        assert server.received[-1].path == "/3?x=y"


@KINDS
def test_the_fourth_redirect_is_refused(kind):
    with serving(leading("/1", "/2", "/3", "/4")) as server:
        with (
            asking(kind, loopback(server.port), headers=AUTHORIZED) as client,
            pytest.raises(rm.OutboundRefusedError) as caught,
        ):
            client.ask(f"http://127.0.0.1:{server.port}/0", content=BODY)
        assert str(caught.value) == (f"http://127.0.0.1:{server.port} redirected once more after 3 redirects")
        assert len(server.received) == 4


@KINDS
def test_a_loop_ends(kind):
    with serving(lambda request: Answer(308, b"", {"Location": request.path})) as server:
        with (
            asking(kind, loopback(server.port)) as client,
            pytest.raises(rm.OutboundRefusedError, match="redirected once more"),
        ):
            client.ask(f"http://127.0.0.1:{server.port}/x")
        assert len(server.received) == 4


@KINDS
@pytest.mark.parametrize("status", [301, 302, 303])
@pytest.mark.parametrize("follow", [False, True])
def test_redirects_that_change_the_request_are_refused(kind, status, follow):
    with serving(leading("/1", status=status)) as server:
        with (
            asking(kind, loopback(server.port), headers=AUTHORIZED) as client,
            pytest.raises(rm.OutboundRefusedError) as caught,
        ):
            client.ask(f"http://127.0.0.1:{server.port}/0", content=BODY, follow_redirects=follow)
        assert str(caught.value) == (
            f"http://127.0.0.1:{server.port} answered with a redirect of status {status}; only 307 and 308 "
            "are followed"
        )
        assert len(server.received) == 1


@KINDS
@pytest.mark.parametrize("status", [300, 302, 304, 307, 308])
def test_a_redirect_that_leads_nowhere_is_an_answer(kind, status):
    with (
        serving(lambda _request: Answer(status, b"")) as server,
        asking(kind, loopback(server.port)) as client,
    ):
        assert client.ask(f"http://127.0.0.1:{server.port}/").status_code == status


@KINDS
def test_another_server_gets_the_request_without_any_key(kind):
    with serving(leading()) as other, serving() as first:
        first.answer = leading(f"http://127.0.0.1:{other.port}/7")
        with asking(kind, loopback(first.port, other.port), headers=AUTHORIZED) as client:
            answer = client.ask(
                f"http://127.0.0.1:{first.port}/0",
                content=BODY,
                headers={"Content-Type": "application/json", "Proxy-Authorization": KEY},
            )
        assert answer.json() == {"done": True}
        (received,) = other.received
        assert KEY not in repr(received)
        assert received.body == BODY
        assert received.method == "POST"
        assert received.headers["content-type"] == "application/json"
        assert received.headers["host"] == f"127.0.0.1:{other.port}"
        assert KEY in repr(first.received)


@KINDS
def test_a_key_that_was_dropped_does_not_come_back(kind):
    """To another server and home again: the second hop was asked for by the other server."""
    with serving(leading()) as other, serving() as first:
        first.answer = leading(f"http://127.0.0.1:{other.port}/0", "/1")
        other.answer = leading(f"http://127.0.0.1:{first.port}/5")
        with asking(kind, loopback(first.port, other.port), headers=AUTHORIZED) as client:
            client.ask(f"http://127.0.0.1:{first.port}/0", content=BODY)
        assert KEY not in repr(other.received)
        assert KEY not in repr(first.received[1])


@KINDS
def test_another_name_of_the_same_address_is_another_server(kind):
    with serving() as server:
        server.answer = leading(f"http://{NAME}:{server.port}/1")
        policy = loopback(server.port, hosts=["127.0.0.1", NAME])
        with asking(kind, policy, resolver=Resolver(["127.0.0.1"]), headers=AUTHORIZED) as client:
            client.ask(f"http://127.0.0.1:{server.port}/0")
        assert KEY not in repr(server.received[1])


@KINDS
def test_from_https_to_http_goes_no_key(kind):
    served, trusted = certificates(NAME)
    with serving() as plain, serving(leading(f"http://{NAME}:{plain.port}/1"), tls=served) as secure:
        policy = loopback(plain.port, secure.port, hosts=[NAME])
        options = {"resolver": Resolver(["127.0.0.1"]), "tls": trusted, "headers": AUTHORIZED}
        with asking(kind, policy, **options) as client:
            client.ask(f"https://{NAME}:{secure.port}/0")
        assert KEY not in repr(plain.received)
        # Who did not opt into plain http gets nowhere.
        strict = rm.OutboundPolicy([NAME], allowed_ports=[plain.port, secure.port], allow_loopback=True)
        with (
            asking(kind, strict, **options) as client,
            pytest.raises(rm.OutboundRefusedError, match="would be reached by http"),
        ):
            client.ask(f"https://{NAME}:{secure.port}/0")
        assert len(plain.received) == 1


@KINDS
@pytest.mark.parametrize("address", LITERALS)
def test_redirects_to_addresses_of_every_class_are_refused(kind, address):
    literal = f"[{address}]" if ":" in address else address
    with serving() as server:
        server.answer = leading(f"http://{literal}:{server.port}/1")
        # Refused as a host that is not listed; and where a careless policy lists it, as an address.
        for hosts, words in (
            (["127.0.0.1"], "not in allowed_hosts"),
            (["127.0.0.1", address], "is not loopback|the address"),
        ):
            with (
                asking(kind, loopback(server.port, hosts=hosts), headers=AUTHORIZED) as client,
                pytest.raises(rm.OutboundRefusedError, match=words),
            ):
                client.ask(f"http://127.0.0.1:{server.port}/0")
        assert len(server.received) == 2


@KINDS
@pytest.mark.parametrize(
    "location",
    [
        "https://evil.example/",
        "//evil.example/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        f"http://user:{KEY}@127.0.0.1/",
        "http://127.0.0.1:22/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "data:text/plain,x",
        "http://127.0.0.1:99999/",
        "http://[::1",
        "http://127.0.0.1\\@evil.example/",
        "http://evil.example#@127.0.0.1/",
        "http://evil.example%2f@127.0.0.1/",
        "http://bücher.example/",
        "javascript:alert(1)",
    ],
)
def test_redirects_to_strange_places_are_refused(kind, location):
    with serving(lambda _request: Answer(307, b"", {"Location": location})) as server:
        with (
            asking(kind, loopback(server.port), headers=AUTHORIZED) as client,
            pytest.raises(rm.OutboundRefusedError) as caught,
        ):
            client.ask(f"http://127.0.0.1:{server.port}/0")
        assert KEY not in str(caught.value)
        assert len(server.received) == 1


@KINDS
def test_a_redirect_to_a_name_that_turned_private_is_refused(kind):
    with serving() as server:
        server.answer = leading(f"http://{NAME}:{server.port}/1")
        policy = loopback(server.port, hosts=["127.0.0.1", NAME])
        with (
            asking(kind, policy, resolver=Resolver(["10.0.0.1"])) as client,
            pytest.raises(rm.OutboundRefusedError, match=f"'{NAME}' was not dialled"),
        ):
            client.ask(f"http://127.0.0.1:{server.port}/0")


def test_a_body_that_is_read_only_once_cannot_be_sent_again():
    with serving(leading("/1")) as server, asking(Plain, loopback(server.port)) as client:
        with pytest.raises(rm.OutboundRefusedError) as caught:
            client.ask(
                f"http://127.0.0.1:{server.port}/0",
                content=iter([BODY]),
                headers={"Content-Length": str(len(BODY))},
            )
        assert str(caught.value) == "a redirect cannot be followed with a body that is read only once"


@KINDS
def test_refused_redirects_leave_no_connection_behind(kind):
    with serving(leading("http://10.0.0.1/")) as server, asking(kind, loopback(server.port)) as client:
        for _ in range(5):
            with pytest.raises(rm.OutboundRefusedError):
                client.ask(f"http://127.0.0.1:{server.port}/0")
        transport = client.client._transport
        pools = transport._pools if kind is Plain else next(iter(transport._loops._kept.values())).pools
        (pool,) = pools.values()
        assert pool.connections == []
