"""A rerank service of our own: the local rerankers behind the API that Cohere, Jina, Voyage and TEI speak.

    python examples/rerank_server.py --port 8000

    curl http://127.0.0.1:8000/v1/rerank --json \
        '{"query": "vector search", "documents": ["a river", "searching by vector"], "top_n": 1}'

It scores with lexical late interaction, which needs no model, and with MaxSim over the token vectors of
each embedder that is installed (`pip install "rankmeld[embed]"` or `"rankmeld[embed-static]"`). How a client
asks is told by its field names, so any of them may use any of the paths.

Whoever asks must bring the key in RERANK_SERVER_KEY as a bearer token; without that variable anyone may ask,
and only this machine is served. SIGTERM and Ctrl-C end the server when what was asked is answered. On an
open network it belongs behind a proxy, which speaks TLS and bounds the number of connections.
"""

from __future__ import annotations

import argparse
import hmac
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from threading import BoundedSemaphore, Event, Lock, Thread
from typing import Any

import rankmeld as rm
from rankmeld.embed import available_embedders, load_embedder

KEY_VARIABLE = "RERANK_SERVER_KEY"
#: What a refused request may still send, so that its client comes to read why: a connection that is closed
#: with unread bytes is reset, and the answer is lost.
DRAINED = 64 * 2**20


def local_models() -> dict[str, rm.Reranker]:
    """The rerankers by the names that clients call them; the first serves who names none."""
    models: dict[str, rm.Reranker] = {
        # The passages come without scores, so the words alone count: 0 to 1.
        "late-interaction": rm.LateInteractionReranker(rank_weight=0.0, maxsim_weight=1.0, maxsim_scale=1.0)
    }
    for name in available_embedders():
        models[f"maxsim-{name}"] = rm.MaxSimReranker(load_embedder(name).embed_tokens)
    return models


# --------------------------------------------------------------------- what is asked, and answered


class RefusedError(Exception):
    """A request that is answered with an error: its status, the reason, and headers that go with it."""

    def __init__(self, status: HTTPStatus, detail: str, *headers: tuple[str, str]) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = headers


@dataclass(frozen=True)
class Form:
    """One way to ask and to be answered: names of fields, and how a document is sent back."""

    documents: str
    top: str
    results: str | None  # None: the answer is the list itself
    shown: Callable[[str], dict[str, Any]]
    with_text: str = "return_documents"
    score: str = "relevance_score"


COHERE = Form("documents", "top_n", "results", lambda text: {"document": {"text": text}})
VOYAGE = Form("documents", "top_k", "data", lambda text: {"document": text})
TEI = Form("texts", "top_n", None, lambda text: {"text": text}, "return_text", "score")


def form_of(request: dict[str, Any]) -> Form:
    """Tell them apart: Voyage's clients always say whether texts may be cut, nobody else sends a `top_k`."""
    if "texts" in request:
        return TEI
    return VOYAGE if "top_k" in request or "truncation" in request else COHERE


def field(request: dict[str, Any], name: str, kind: type, default: Any = None) -> Any:
    """Read a field; without a default it has to be there."""
    value = request.get(name)
    if value is None and default is not None:
        return default
    if type(value) is not kind:  # True is no number
        wanted = {str: "a string", int: "an integer", bool: "true or false", list: "a list"}[kind]
        raise RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, f"{name} must be {wanted}")
    return value


def text_of(document: Any, place: int) -> str:
    """Read a document: a text, or an object that holds one."""
    text = document.get("text") if isinstance(document, dict) else document
    if not isinstance(text, str):
        raise RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, f"document {place} is not a text")
    return text


class RerankService:
    """Answers requests, whichever form they have; of HTTP it knows the statuses."""

    def __init__(self, models: dict[str, rm.Reranker], max_documents: int) -> None:
        self.models = models
        self.max_documents = max_documents
        # More at a time would only make each of them wait longer, and hold more vectors.
        self._slots = BoundedSemaphore(os.cpu_count() or 1)

    def list_models(self) -> dict[str, Any]:
        """What can be asked for, in OpenAI's form."""
        listed = [{"id": name, "object": "model", "owned_by": "rankmeld"} for name in self.models]
        return {"object": "list", "data": listed}

    def rerank(self, body: bytes) -> Any:
        """Read a request, rank its documents, and give the answer in its own form."""
        try:
            request = json.loads(body.decode())
        except (ValueError, RecursionError):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "the body is not JSON in UTF-8") from None
        if not isinstance(request, dict):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "the body is not a JSON object")
        form = form_of(request)
        query = field(request, "query", str)
        given = field(request, form.documents, list)
        top = field(request, form.top, int, len(given))
        with_text = field(request, form.with_text, bool, default=False)
        if len(given) > self.max_documents:
            # The status at which clients send smaller batches.
            many = f"{len(given)} documents are more than {self.max_documents}"
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, many)
        if not given or top < 1:
            what = f"{form.top} must be 1 or more" if given else f"{form.documents} is empty"
            raise RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, what)
        name = field(request, "model", str, "") or next(iter(self.models))
        if name not in self.models:
            have = ", ".join(self.models)
            raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no such model; there are: {have}")
        texts = [text_of(document, place) for place, document in enumerate(given)]
        results = [
            {"index": place, form.score: score} | (form.shown(texts[place]) if with_text else {})
            for place, score in self._ranked(self.models[name], query, texts)[:top]
        ]
        if form.results is None:
            return results
        usage = {"total_tokens": sum(len(rm.tokenize(text)) for text in (query, *texts))}
        return {"object": "list", form.results: results, "model": name, "usage": usage}

    def _ranked(self, reranker: rm.Reranker, query: str, texts: list[str]) -> list[tuple[int, float]]:
        """Give the place of each text in the request and its score, best first."""
        hits = [rm.Hit(place, None, rm.Document(place, text)) for place, text in enumerate(texts)]
        with self._slots:
            found = reranker.rerank(query, hits)
        # There are no scores for a query without a word.
        scores = [0.0] * len(found) if found.scores is None else found.scores.tolist()
        places: list[Any] = found.ids
        return list(zip(places, scores, strict=True))


# ------------------------------------------------------------------------------------------- HTTP


class Server(ThreadingTCPServer):
    """A thread for each connection; closing waits for what is being answered."""

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], service: RerankService, key: str, max_bytes: int) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, Handler)
        self.service = service
        self.key = key
        self.max_bytes = max_bytes
        self.stopping = False
        self._open: set[socket.socket] = set()
        self._lock = Lock()

    def finish_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._open.add(request)
            if self.stopping:
                _read_no_more(request)
        try:
            super().finish_request(request, client_address)
        finally:
            with self._lock:
                self._open.remove(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that goes away is no news.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def stop(self) -> None:
        """Take no more connections, and end those that are open when what they asked is answered."""
        self.stopping = True
        self.shutdown()
        with self._lock:
            for connection in self._open:
                _read_no_more(connection)
        self.server_close()


def _read_no_more(connection: socket.socket) -> None:
    """Let what has come be read and answered; whoever waits for more finds the end."""
    with suppress(OSError):  # its client has gone
        connection.shutdown(socket.SHUT_RD)


class Handler(BaseHTTPRequestHandler):
    """Requests of one connection, one after the other."""

    server: Server
    protocol_version = "HTTP/1.1"
    #: Seconds that a client may be silent.
    timeout = 30.0
    #: Or a body would wait until its head is acknowledged.
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        try:
            self.reply(HTTPStatus.OK, self.answered(self.body()))
        except RefusedError as refusal:
            self.reply(refusal.status, {"detail": str(refusal)}, *refusal.headers)
        except OSError:
            raise  # there is nobody to hear of it
        except Exception as error:  # noqa: BLE001 - the client has to hear of anything else
            self.log_error("%s: %s", type(error).__name__, error)
            self.reply(HTTPStatus.INTERNAL_SERVER_ERROR, {"detail": "the server failed"})

    do_GET = do_POST  # noqa: N815 - as the base class calls it

    def body(self) -> bytes:
        """Read the body, which must say how long it is: else nobody knows where the next request starts."""
        lengths = self.headers.get_all("Content-Length", ["0"] if self.command == "GET" else [])
        if "Transfer-Encoding" in self.headers or not lengths:
            self.close_connection = True
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "send a Content-Length and no Transfer-Encoding")
        if len(lengths) > 1 or not (lengths[0].isascii() and lengths[0].isdecimal()):
            self.close_connection = True
            raise RefusedError(HTTPStatus.BAD_REQUEST, "the Content-Length is not a number")
        length, most = int(lengths[0][:18]), self.server.max_bytes
        if length > most:
            self.close_connection = True
            left = min(length, DRAINED)
            while left > 0 and (part := self.rfile.read1(65_536)):
                left -= len(part)
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the body has more than {most} bytes")
        body = self.rfile.read(length)
        if len(body) < length:
            raise ConnectionAbortedError("the client left before its request was complete")
        return body

    def answered(self, body: bytes) -> Any:
        """Answer what the path stands for."""
        path, service = self.path.partition("?")[0], self.server.service
        routes: dict[str, tuple[str, Callable[[], Any]]] = {
            **dict.fromkeys(("/v1/rerank", "/v2/rerank", "/rerank"), ("POST", lambda: service.rerank(body))),
            "/v1/models": ("GET", service.list_models),
            "/health": ("GET", lambda: {"status": "ok"}),
        }
        if path not in routes:
            raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no such path; there are: {', '.join(routes)}")
        method, answer = routes[path]
        if self.command != method:
            raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, f"use {method}", ("Allow", method))
        if self.server.key and path != "/health" and not self.has_key():
            challenge = ("WWW-Authenticate", "Bearer")
            raise RefusedError(HTTPStatus.UNAUTHORIZED, "the key is missing or wrong", challenge)
        return answer()

    def has_key(self) -> bool:
        """Whether the request bears the key, in UTF-8; the scheme is written in any case."""
        scheme, _, sent = self.headers.get("Authorization", "").partition(" ")
        # Compared in a time that does not tell how much of the key was right. Headers come read as Latin-1.
        same = hmac.compare_digest(sent.strip().encode("latin-1", "replace"), self.server.key.encode())
        return same and scheme.lower() == "bearer"

    def reply(self, status: int, answer: Any, *headers: tuple[str, str]) -> None:
        body = json.dumps(answer).encode()
        self.close_connection |= self.server.stopping
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for header in headers:
            self.send_header(*header)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Give what the base class refuses the form of all other errors."""
        self.close_connection = True
        self.reply(code, {"detail": message or explain or HTTPStatus(code).phrase})

    def version_string(self) -> str:
        """Say nothing of Python."""
        return f"rankmeld/{rm.__version__}"


def main() -> None:
    """Serve until SIGTERM or Ctrl-C."""
    parser = argparse.ArgumentParser(description="Serve the local rerankers over HTTP.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8000, help="0 picks a free one (default: %(default)s)")
    parser.add_argument("--max-bytes", type=int, default=2**20, help="of a request (default: %(default)s)")
    parser.add_argument("--max-documents", type=int, default=1000, help="of a request (default: %(default)s)")
    options = parser.parse_args()
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not key and options.host not in {"127.0.0.1", "::1", "localhost"}:
        parser.error(f"set {KEY_VARIABLE} to serve others than this machine")

    service = RerankService(local_models(), options.max_documents)
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        server = Server((options.host, options.port), service, key, options.max_bytes)
    except (OSError, OverflowError) as error:
        parser.error(f"cannot listen at {options.host}, port {options.port}: {error}")
    Thread(target=server.serve_forever, args=(0.1,)).start()
    host = f"[{options.host}]" if ":" in options.host else options.host
    print(f"serving {', '.join(service.models)} at http://{host}:{server.server_address[1]}", flush=True)
    stop.wait()
    server.stop()


if __name__ == "__main__":
    main()
