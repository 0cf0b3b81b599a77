"""An answer that nobody asked for is never taken for that to the next request."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest

httpx2 = pytest.importorskip("httpx2", reason="httpx2 is not installed (rankmeld[http])")
pytest.importorskip("trustme", reason="trustme is not installed")

from .samples import NAME, Resolver, asking, certificates, loopback  # noqa: E402
from .test_dialling import KINDS  # noqa: E402


def whole(text):
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(text), text)


#: What the first request of a connection is answered with, part by part, and a pause after each.
SURPLUS = {
    "in one piece": [(whole(b"right") + whole(b"STALE"), 0.0)],
    "at once, in two": [(whole(b"right"), 0.0), (whole(b"STALE"), 0.0)],
    "with the body in two": [(whole(b"right")[:-2], 0.05), (b"ht" + whole(b"STALE"), 0.0)],
    "later": [(whole(b"right"), 0.05), (whole(b"STALE"), 0.0)],
    "half of it": [(whole(b"right") + whole(b"STALE")[:-20], 0.0), (whole(b"STALE")[-20:], 0.0)],
    "an early hint": [(whole(b"right") + b"HTTP/1.1 103 Early Hints\r\n\r\n", 0.0)],
    "no answer": [(whole(b"right") + b"surplus", 0.0)],
}


def was_asked(requests):
    """Read one request; false where there is none any more."""
    length = 0
    while (line := requests.readline()) not in {b"", b"\r\n"}:
        if line.startswith(b"Content-Length:"):
            length = int(line[15:])
    requests.read(length)
    return line != b""


@contextmanager
def answering(parts, tls=None):
    """A server whose connections begin like that; every later request on one gets ``next``."""

    def serve(connection):
        end = connection if tls is None else tls.wrap_socket(connection, server_side=True)
        with suppress(OSError), end, end.makefile("rb") as requests:
            while was_asked(requests):
                for part, pause in plan.pop() if plan else [(whole(b"next"), 0.0)]:
                    end.sendall(part)
                    time.sleep(pause)

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    plan = [parts]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@KINDS
@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("surplus", SURPLUS)
def test_what_came_too_much_answers_nothing(kind, surplus, secure):
    tls, trust = certificates(NAME) if secure else (None, None)
    with answering(SURPLUS[surplus], tls) as port:
        policy = loopback(port, hosts=(NAME,))
        url = f"{'https' if secure else 'http'}://{NAME}:{port}/"
        with asking(kind, policy, resolver=Resolver(["127.0.0.1"]), tls=trust) as client:
            assert client.ask(url, content=b"first").text == "right"
            time.sleep(0.1)
            with suppress(httpx2.TransportError):  # the connection is at fault, and gone
                assert client.ask(url, content=b"second").text == "next"
            assert client.ask(url, content=b"third").text == "next"
