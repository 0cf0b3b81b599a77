"""A rerank service on loopback that answers well or badly, as a test says, over real sockets."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import rankmeld as rm

KEY = "sk-SECRET-123-abcdef"


@dataclass
class Request:
    """What came in."""

    path: str
    headers: dict[str, str]
    body: Any
    connection: int
    at: float = field(default_factory=time.monotonic)

    @property
    def passages(self):
        return next(self.body[name] for name in ("documents", "texts", "input") if name in self.body)


def score(query, passage):
    """How many distinct letters a passage shares with the query."""
    return float(len(set(query) & set(passage)))


class RerankService:
    """Serves while its context is open.

    Parameters
    ----------
    answers : callable
        ``(exchange, request)`` in order, each for one request; after the last one all is well.
    """

    def __init__(self, *answers, always=None):
        self.answers = deque(answers)
        self.always = well if always is None else always
        self.requests: list[Request] = []
        self.open = 0
        self.opened = 0
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        service = self

        class Handler(_Handler):
            pass

        Handler.service = service
        self.server = _Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.host = f"127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()

    def policy(self, **options):
        return rm.OutboundPolicy(
            ["127.0.0.1"],
            allowed_ports=options.pop("ports", [self.port]),
            allow_loopback=True,
            allow_insecure_loopback_http=True,
            **options,
        )

    def reranker(self, **options):
        policy = options.pop("policy", None) or self.policy()
        options.setdefault("budget", rm.RateBudget(per_minute=60_000))
        options.setdefault("model", "a-model")
        return rm.HttpReranker(options.pop("base_url", self.url), policy=policy, **options)

    def entered(self, change):
        with self._lock:
            self.open += change
            self.opened += change > 0
            return self.opened

    def received(self, request):
        with self._lock:
            self.requests.append(request)
            return self.answers.popleft() if self.answers else self.always

    def until_closed(self, seconds=5.0):
        """Wait until no connection is open."""
        end = time.monotonic() + seconds
        while self.open and time.monotonic() < end:
            time.sleep(0.01)
        return self.open == 0


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A client that leaves is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    service: RerankService

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.number = self.service.entered(1)

    def finish(self):
        try:
            super().finish()
        except OSError:
            pass
        finally:
            self.service.entered(-1)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body, self.number)
        try:
            self.service.received(request)(self, request)
        except OSError:
            self.close_connection = True

    def log_message(self, *_):
        """Say nothing."""

    def answer(self, status, body, headers=()):
        """A whole answer in one piece, so that nothing waits for the other end's acknowledgement."""
        head = f"HTTP/1.1 {status} whatever\r\nContent-Length: {len(body)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers)
        self.wfile.write(head.encode() + b"\r\n" + body)

    def pause(self, seconds):
        """Wait, but not beyond the test."""
        self.service.stopping.wait(seconds)


# ------------------------------------------------------------------------------------ answers


def results_of(request):
    """Honest results, worst first, so that their order helps nobody."""
    query = request.body["query"]
    found = [
        {"index": index, "relevance_score": score(query, passage)}
        for index, passage in enumerate(request.passages)
    ]
    return sorted(found, key=lambda result: result["relevance_score"])


def answer_to(request):
    """All is well, in the dialect of the question."""
    found = results_of(request)
    if "texts" in request.body:
        answer = [{"index": r["index"], "score": r["relevance_score"]} for r in found]
    elif "input" in request.body:
        answer = {"data": [{"index": r["index"], "score": r["relevance_score"]} for r in found]}
    elif "top_k" in request.body:
        answer = {"data": found}
    else:
        answer = {"results": found}
    return json.dumps(answer).encode()


def well(exchange, request):
    """A whole answer."""
    exchange.answer(200, answer_to(request))


def head_and_body(body):
    """A whole answer, as it is on the wire."""
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def status(code, **headers):
    """An answer of a status, with headers (``_`` for ``-``), that repeats all it was sent."""

    def answer(exchange, request):
        echo = json.dumps({"error": request.headers, "body": request.body}).encode()
        exchange.answer(code, echo, [(name.replace("_", "-"), value) for name, value in headers.items()])

    return answer


def text(body, code=200, **headers):
    """A body as it is."""

    def answer(exchange, request):
        data = body.encode() if isinstance(body, str) else body
        exchange.answer(code, data, [(name.replace("_", "-"), value) for name, value in headers.items()])

    return answer


def results(*pairs):
    """Results of these indices and scores."""
    return text(json.dumps({"results": [{"index": i, "relevance_score": s} for i, s in pairs]}))


def raw(data):
    """Bytes on the wire, and the end of the connection."""

    def answer(exchange, request):
        exchange.wfile.write(data)
        exchange.close_connection = True

    return answer


def at_most(count):
    """413 for more passages than these."""

    def answer(exchange, request):
        (well if len(request.passages) <= count else status(413))(exchange, request)

    return answer


def slow(seconds):
    """All is well, but late."""

    def answer(exchange, request):
        exchange.pause(seconds)
        well(exchange, request)

    return answer


def dribble(head, part, pause=0.02):
    """A beginning, and then a part now and then for ever."""

    def answer(exchange, request):
        exchange.wfile.write(head)
        while not exchange.service.stopping.is_set():
            exchange.wfile.write(part)
            exchange.pause(pause)
        exchange.close_connection = True

    return answer


slow_headers = dribble(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a")
slow_body = dribble(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b" ")
endless_body = dribble(b"HTTP/1.1 200 OK\r\n\r\n", b" " * 262_144, pause=0)
half_a_body = raw(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"results": [')
garbage = raw(b"\x16\x03\x01\x02\x00 not http at all\r\n\r\n")
hang_up = raw(b"")


def reset(exchange, request):
    """The connection is torn down after half of an answer."""
    exchange.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"results": [')
    exchange.wfile.flush()
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.connection.close()
    exchange.close_connection = True
