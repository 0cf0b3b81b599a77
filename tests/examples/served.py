"""The example server as a process, and what it should say."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import rankmeld as rm
from rankmeld.embed import available_embedders, load_embedder

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "rerank_server.py"
KEY = "sk-a-key-of-the-tests"
QUERY = "searching for vectors"
TEXTS = [
    "A river bank in spring",
    "Vector search finds near neighbours",
    "",
    "We searched the vectors of every document",
    'Quotes " and back\\slashes, 漢字 and 🙂, lone \ud800 too',
    "A river bank in spring",
]
MODELS = ["late-interaction", *(f"maxsim-{name}" for name in ("minilm", "static"))]


@contextmanager
def running(*options, key=KEY):
    """Run the server; gives the process and its port."""
    env = {**os.environ, "RERANK_SERVER_KEY": key}
    command = [sys.executable, str(EXAMPLE), "--port", "0", *options]
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith("serving late-interaction"), line
            yield process, int(line.rpartition(":")[2])
        finally:
            process.kill()


def the_model(name):
    """The reranker that a name stands for, here in this process."""
    if name == "late-interaction":
        return rm.LateInteractionReranker(rank_weight=0.0, maxsim_weight=1.0, maxsim_scale=1.0)
    name = name.removeprefix("maxsim-")
    if name not in available_embedders():
        pytest.skip(f"the embedder {name!r} is not installed")
    return rm.MaxSimReranker(load_embedder(name).embed_tokens)


def hits_of(texts):
    return [rm.Hit(place, None, rm.Document(place, text)) for place, text in enumerate(texts)]


def ranked(name, texts=TEXTS):
    """Places and scores, best first."""
    found = the_model(name).rerank(QUERY, hits_of(texts))
    return list(zip(found.ids, found.scores.tolist(), strict=True))


def ask(port, body, path="/v1/rerank", *, method="POST", headers=None, key=KEY):
    """Ask without any client: the status, the headers, and the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    sent = {"Authorization": f"Bearer {key}"} if key else {}
    connection.request(method, path, data, sent | (headers or {}))
    response = connection.getresponse()
    answer = json.loads(response.read())
    connection.close()
    assert response.headers["Content-Type"] == "application/json"
    return response.status, response.headers, answer
