"""Real HTTP servers on loopback that say what they are told to and remember what they were asked."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    """A request as it came in; `peer` tells connections apart."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    peer: tuple[Any, ...]


@dataclass(frozen=True)
class Answer:
    """What a server says."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)


class Loopback(ThreadingHTTPServer):
    """A server with a port of its own."""

    daemon_threads = True
    #: Many tasks may knock at once.
    request_queue_size = 128

    def __init__(self, answer: Callable[[Received], Answer], host: str, tls: ssl.SSLContext | None) -> None:
        self.answer = answer
        self.received: list[Received] = []
        #: The names that TLS was asked for.
        self.names: list[str | None] = []
        self.tls = tls
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, 0), _Handler)
        if tls is not None:
            tls.sni_callback = lambda _socket, name, _context: self.names.append(name)

    def server_bind(self) -> None:
        socket.socket.bind(self.socket, self.server_address)  # without asking for the machine's name
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address[:2]

    def finish_request(self, request: Any, client_address: Any) -> None:
        # In the connection's own thread, so that a slow handshake holds up nobody.
        if self.tls is None:
            super().finish_request(request, client_address)
        else:
            with self.tls.wrap_socket(request, server_side=True) as secure:
                super().finish_request(secure, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # clients that hang up are part of the tests

    @property
    def port(self) -> int:
        return self.server_port

    @property
    def peers(self) -> set[tuple[Any, ...]]:
        """The connections that requests came in on."""
        return {request.peer for request in self.received}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body leave in one packet, or the answer waits for an acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    def _serve(self) -> None:
        server: Any = self.server
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Received(self.command, self.path, headers, body, self.client_address)
        server.received.append(request)
        answer = server.answer(request)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)
        self.wfile.flush()

    do_GET = do_POST = _serve  # noqa: N815 - the names that the base class looks for

    def log_message(self, *_args: Any) -> None:
        pass


@contextmanager
def serving(
    answer: Callable[[Received], Answer] | None = None,
    *,
    host: str = "127.0.0.1",
    tls: ssl.SSLContext | None = None,
) -> Iterator[Loopback]:
    """Run a server for the length of a test."""
    with Loopback(answer or (lambda _request: Answer()), host, tls) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
