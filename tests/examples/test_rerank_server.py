"""The example server over plain HTTP: its answers, its refusals, its start and its end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

import rankmeld as rm
from rankmeld.embed import available_embedders

from .served import EXAMPLE, KEY, MODELS, QUERY, TEXTS, ask, ranked, running, the_model

# ----------------------------------------------------------------------------- without any client


def test_each_form_is_answered_in_its_own(port):
    texts = ["a river", "searching by vector"]
    score = rm.lexical_maxsim(QUERY, texts[1])
    usage = {"total_tokens": sum(len(rm.tokenize(text)) for text in (QUERY, *texts))}
    model = "late-interaction"
    asked = {"query": QUERY, "documents": texts}
    with_text = {"index": 1, "relevance_score": score, "document": {"text": texts[1]}}
    for path in ("/v1/rerank", "/v2/rerank", "/rerank", "/v1/rerank?a=b"):
        status, _, answer = ask(port, asked | {"top_n": 1, "return_documents": True}, path)
        assert status == 200
        assert answer == {"object": "list", "results": [with_text], "model": model, "usage": usage}
    _, _, answer = ask(port, asked | {"top_k": 1, "return_documents": True, "model": model})
    assert answer == {
        "object": "list",
        "data": [{"index": 1, "relevance_score": score, "document": texts[1]}],
        "model": model,
        "usage": usage,
    }
    for more in ({"truncation": True}, {"top_k": None}):
        assert ask(port, asked | more)[2].keys() == {"object", "data", "model", "usage"}
    _, _, answer = ask(port, {"query": QUERY, "texts": texts, "return_text": True}, "/rerank")
    assert answer[0] == {"index": 1, "score": score, "text": texts[1]}
    assert [result["index"] for result in answer] == [1, 0]
    _, _, answer = ask(port, asked | {"top_n": 99, "return_documents": None, "model": ""})
    assert [result.keys() for result in answer["results"]] == [{"index", "relevance_score"}] * 2


@pytest.mark.parametrize("query", ["", " ", "?!", "\ud800"])
@pytest.mark.parametrize("model", MODELS)
def test_a_query_that_says_nothing_scores_all_the_same(port, model, query):
    the_model(model)
    status, _, answer = ask(port, {"model": model, "query": query, "documents": ["", "a b"]})
    assert status == 200
    if not rm.tokenize(query) and model == "late-interaction":
        assert [result["relevance_score"] for result in answer["results"]] == [0.0, 0.0]
    assert [result["index"] for result in answer["results"]] in ([0, 1], [1, 0])


def test_models_and_health(port):
    status, _, answer = ask(port, None, "/v1/models", method="GET")
    assert status == 200
    listed = [model["id"] for model in answer["data"]]
    assert listed == ["late-interaction", *(f"maxsim-{name}" for name in available_embedders())]
    status, _, answer = ask(port, None, "/health", method="GET", key=None)
    assert (status, answer) == (200, {"status": "ok"})


GOOD = {"query": "q", "documents": ["a"]}


@pytest.mark.parametrize(
    ("body", "status", "detail"),
    [
        (b"", 400, "the body is not JSON in UTF-8"),
        (b"{", 400, "the body is not JSON in UTF-8"),
        (b"\xff\xfe{\x00}\x00", 400, "the body is not JSON in UTF-8"),
        (b"[" * 200_000, 400, "the body is not JSON in UTF-8"),
        ([], 400, "the body is not a JSON object"),
        (None, 411, "send a Content-Length and no Transfer-Encoding"),
        ({}, 422, "query must be a string"),
        ({"query": 1, "documents": ["a"]}, 422, "query must be a string"),
        ({"query": "q"}, 422, "documents must be a list"),
        ({"query": "q", "documents": "a"}, 422, "documents must be a list"),
        ({"query": "q", "documents": []}, 422, "documents is empty"),
        ({"query": "q", "texts": []}, 422, "texts is empty"),
        ({"query": "q", "documents": ["a", 1]}, 422, "document 1 is not a text"),
        ({"query": "q", "documents": [{"title": "a"}]}, 422, "document 0 is not a text"),
        (GOOD | {"top_n": 0}, 422, "top_n must be 1 or more"),
        (GOOD | {"top_n": True}, 422, "top_n must be an integer"),
        (GOOD | {"top_n": 1.5}, 422, "top_n must be an integer"),
        (GOOD | {"top_k": -1}, 422, "top_k must be 1 or more"),
        (GOOD | {"return_documents": "yes"}, 422, "return_documents must be true or false"),
        (GOOD | {"model": ["m"]}, 422, "model must be a string"),
        ({"query": "q", "documents": ["a"] * 1_001}, 413, "1001 documents are more than 1000"),
        (b" " * (2**20 + 1), 413, "the body has more than 1048576 bytes"),
        (b" " * 20_000_000, 413, "the body has more than 1048576 bytes"),
    ],
)
def test_what_is_refused(port, body, status, detail):
    given, _, answer = ask(port, body, headers={"Transfer-Encoding": "x"} if body is None else None)
    assert (given, answer) == (status, {"detail": detail})


def test_errors_have_one_form_wherever_they_come_from(port):
    for method, path, status, allowed in [
        ("GET", "/v1/rerank", 405, "POST"),
        ("POST", "/v1/models", 405, "GET"),
        ("GET", "/nowhere", 404, None),
        ("DELETE", "/v1/rerank", 501, None),
    ]:
        given, headers, answer = ask(port, GOOD, path, method=method)
        assert (given, headers["Allow"]) == (status, allowed)
        assert answer.keys() == {"detail"}
    for lengths in (b"Content-Length: 1_0\r\n", b"Content-Length: -1\r\n", b"Content-Length: 1\r\n" * 2):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(b"POST /v1/rerank HTTP/1.1\r\n" + lengths + b"\r\n")
            answer = connection.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert answer.endswith(b'{"detail": "the Content-Length is not a number"}')


def test_half_a_request_is_not_answered(port):
    body = json.dumps(GOOD).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        head = f"POST /v1/rerank HTTP/1.1\r\nContent-Length: {len(body) + 1}\r\n"
        connection.sendall(head.encode() + b"\r\n" + body)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""


@pytest.mark.parametrize("sent", [None, "wrong", f"{KEY} ", KEY.upper(), "é"])
def test_without_the_key_nothing_is_answered(port, sent):
    for method, path in (("POST", "/v1/rerank"), ("GET", "/v1/models")):
        status, headers, answer = ask(port, GOOD, path, method=method, key=sent)
        assert status == 401 or sent == f"{KEY} "  # spaces at the end of a header are none
        if status == 401:
            assert headers["WWW-Authenticate"] == "Bearer"
            assert answer == {"detail": "the key is missing or wrong"}


@pytest.mark.parametrize("key", ["abc", "clé 鍵"])
def test_the_key_is_read_in_utf_8_after_a_scheme_in_any_case(key):
    with running(key=key) as (_process, port):
        for scheme, status in (("Bearer", 200), ("bearer", 200), ("Basic", 401), ("Bearers", 401)):
            sent = {"Authorization": f"{scheme} {key}".encode()}
            assert ask(port, GOOD, headers=sent, key=None)[0] == status


def test_a_port_that_is_taken_is_an_error_of_one_line(port):
    for taken, why in ((port, "in use"), (99_999, "0-65535")):
        done = subprocess.run(
            [sys.executable, str(EXAMPLE), "--port", str(taken)],
            capture_output=True,
            check=False,
            encoding="utf-8",
            timeout=60,
        )
        assert done.returncode == 2
        assert f"error: cannot listen at 127.0.0.1, port {taken}: " in done.stderr
        assert why in done.stderr


def test_a_connection_is_kept_whatever_was_refused(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.connect()
    mine = connection.sock
    good, bad = json.dumps(GOOD).encode(), b"{}"
    asked = [("/v1/rerank", good, 200), ("/v1/rerank", bad, 422), ("/nowhere", good, 404)]
    for path, body, status in (*asked, *asked):
        connection.request("POST", path, body, {"Authorization": f"Bearer {KEY}"})
        response = connection.getresponse()
        response.read()
        assert (response.status, connection.sock) == (status, mine)
    connection.close()


def test_many_ask_at_once(port):
    expected = [place for place, _ in ranked(MODELS[0])]
    right = []

    def client():
        for _ in range(5):
            _, _, answer = ask(port, {"query": QUERY, "documents": TEXTS})
            right.append([result["index"] for result in answer["results"]] == expected)

    threads = [threading.Thread(target=client) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 80


# ------------------------------------------------------------------------------ start and end


def test_without_a_key_only_this_machine_is_served():
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), "--host", "0.0.0.0", "--port", "0"],
        env={**os.environ, "RERANK_SERVER_KEY": " "},
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 2
    assert "set RERANK_SERVER_KEY to serve others than this machine" in done.stderr
    with running(key="") as (_process, port):
        assert ask(port, GOOD, key=None)[0] == 200


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_though_connections_are_idle(number):
    with running() as (process, port), socket.create_connection(("127.0.0.1", port)) as silent:
        assert ask(port, GOOD)[0] == 200
        begun = time.monotonic()
        process.send_signal(number)
        assert silent.recv(1) == b""
        assert process.wait(timeout=10) == 0
        assert time.monotonic() - begun < 5.0


class _Slow:
    """Begins, and goes on when it is told to."""

    ordered = True

    def __init__(self):
        self.begun, self.go_on = threading.Event(), threading.Event()

    def rerank(self, query, ranking):
        self.begun.set()
        assert self.go_on.wait(20)
        return rm.LateInteractionReranker(rank_weight=0.0).rerank(query, ranking)


def broken(query, passages):
    raise ZeroDivisionError("of the model")


def test_what_was_asked_is_answered_before_the_end(example):
    model, answers = _Slow(), []
    server = example.Server(("127.0.0.1", 0), example.RerankService({"slow": model}, 10), KEY, 2**20)
    serves = threading.Thread(target=server.serve_forever, args=(0.01,))
    asking = threading.Thread(target=lambda: answers.append(ask(server.server_address[1], GOOD)))
    stopping = threading.Thread(target=server.stop)
    serves.start()
    asking.start()
    assert model.begun.wait(10)
    stopping.start()
    serves.join(10)  # no more connections
    assert stopping.is_alive()
    model.go_on.set()
    for thread in (asking, stopping):
        thread.join(10)
        assert not thread.is_alive()
    ((status, headers, _answer),) = answers
    assert (status, headers["Connection"]) == (200, "close")


def test_a_fault_of_a_model_is_told_without_its_words(example, capsys):
    server = example.Server(
        ("127.0.0.1", 0), example.RerankService({"broken": rm.CallableReranker(broken)}, 10), "", 2**20
    )
    serves = threading.Thread(target=server.serve_forever, args=(0.01,))
    serves.start()
    status, _, answer = ask(server.server_address[1], GOOD)
    server.stop()
    assert (status, answer) == (500, {"detail": "the server failed"})
    assert "ZeroDivisionError: of the model" in capsys.readouterr().err
