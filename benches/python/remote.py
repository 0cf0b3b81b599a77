"""What a rerank over HTTP costs here, beside the same requests by bare clients.

The server is another process that gives a prepared answer, so that process CPU time is that of the client.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import rankmeld as rm

from .agreement import close, ranked
from .harness import Case, Effort, Goal, Group, Result, measure
from .workloads import Texts

_CANDIDATES = 100
_WORDS = 120
_BATCH = 32

_SERVER = """
import json, socketserver

class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        while self.rfile.readline():
            length = 0
            while (line := self.rfile.readline()) != b"\\r\\n":
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            count = len(json.loads(self.rfile.read(length))["documents"])
            results = [{"index": i, "relevance_score": 1.0 / (i + 2)} for i in reversed(range(count))]
            body = json.dumps({"results": results}).encode()
            self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)

class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def run(*, quick: bool) -> Iterator[Result]:
    """A query over 100 passages of 120 words, in four requests."""
    if find_spec("httpx2") is None:
        print("httpx2 is not installed, so reranking over HTTP is not measured")
        return
    with _server() as port:
        yield measure(_group(port), Effort(1.0, 5) if quick else Effort(6.0, 12))


@contextmanager
def _server() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def _group(port: int) -> Group:
    texts = Texts()
    query = texts.text(12)
    documents = texts.documents(_CANDIDATES, _WORDS)
    ranking = rm.Ranking([(document.id, None, document) for document in documents])
    os.environ.setdefault("RANKMELD_RERANK_API_KEY", "a-word")
    policy = rm.OutboundPolicy(
        ["127.0.0.1"], allowed_ports=[port], allow_loopback=True, allow_insecure_loopback_http=True
    )
    options: dict[str, Any] = {"policy": policy, "model": "m", "budget": rm.RateBudget(10**9)}
    reranker = rm.HttpReranker(f"http://127.0.0.1:{port}", **options)
    known = rm.HttpReranker(f"http://127.0.0.1:{port}", cache=rm.ScopedCache(ttl=None), **options)
    expected = [(document.id, 1.0 / (place % _BATCH + 2)) for place, document in enumerate(documents)]

    passages = [document.passage for document in documents]
    headers = {"Authorization": "Bearer a-word", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", port)
    client = import_module("httpx2").Client(headers=headers, trust_env=False)
    url = f"http://127.0.0.1:{port}/v1/rerank"

    def by_http_client(body: bytes) -> bytes:
        connection.request("POST", "/v1/rerank", body, headers)
        return connection.getresponse().read()

    def by_httpx2(body: bytes) -> bytes:
        content: bytes = client.post(url, content=body).content
        return content

    def bare(post: Callable[[bytes], bytes]) -> list[float]:
        scores = [0.0] * len(passages)
        for start in range(0, len(passages), _BATCH):
            some = passages[start : start + _BATCH]
            asked = {"model": "m", "query": query, "documents": some, "top_n": len(some)}
            for result in json.loads(post(json.dumps(asked).encode()))["results"]:
                scores[start + result["index"]] = result["relevance_score"]
        return scores

    def same(found: list[float]) -> None:
        assert found == [score for _, score in expected]

    cases = [
        Case(
            "HttpReranker",
            lambda: reranker.rerank(query, ranking),
            close(expected, ranked),
            entries=_CANDIDATES,
        ),
        Case("httpx2.Client, nothing checked", lambda: bare(by_httpx2), same, entries=_CANDIDATES),
        Case("http.client, nothing checked", lambda: bare(by_http_client), same, entries=_CANDIDATES),
        Case(
            "HttpReranker, all in the cache",
            lambda: known.rerank(query, ranking),
            close(expected, ranked),
            entries=_CANDIDATES,
        ),
    ]
    goal = Goal("rerank over HTTP beside bare requests of httpx2", cases[0].name, cases[1].name, 1.5)
    title = f"rerank over HTTP on loopback, {_CANDIDATES} passages of {_WORDS} words in 4 requests"
    return Group(title, cases, cases[1].name, goals=[goal])
