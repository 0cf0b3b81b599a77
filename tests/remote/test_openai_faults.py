"""The models of a server that answers badly, slowly, without end, or with the key."""

from __future__ import annotations

import contextlib
import gzip
import pickle
import socket
import threading
import time
import traceback

import pytest

import rankmeld as rm
from rankmeld.remote.openai_answers import text_of, vectors_of
from support.loopback import Answer, serving
from support.refusals import refusal

pytest.importorskip("openai", reason="openai is not installed (rankmeld[http])")
pytest.importorskip("trustme", reason="trustme is not installed")

from .model_samples import (
    ask_either,
    both,
    models,
    said,
)
from .samples import KEY, loopback


def repeated(request):
    """Everything that came in, wherever an answer has room for it."""
    names = ("X-Request-Id", "Retry-After", "X-Any", "Server-Timing")
    return said(dict(request.headers), 500, dict.fromkeys(names, request.headers.get("authorization", "")))


FAULTS = {
    "401": (lambda _request: said({"error": {"message": f"bad key {KEY}"}}, 401), "answered with status 401"),
    "403": (lambda _request: said({"error": KEY}, 403), "answered with status 403"),
    "404": (
        lambda _request: said({"error": KEY}, 404),
        "status 404; check base_url and the name of",
    ),
    "400": (lambda _request: said({"error": KEY}, 400), "answered with status 400"),
    "429": (lambda _request: said({}, 429), "answered with status 429"),
    "500": (repeated, "answered with status 500"),
    "503": (lambda _request: Answer(503, KEY.encode()), "answered with status 503"),
    "html": (lambda _request: Answer(200, b"<html>bad gateway</html>"), "answered with what is not JSON"),
    "deep": (lambda _request: Answer(200, b"[" * 100_000), "answered with what is not JSON"),
    "empty": (lambda _request: Answer(200, b""), "answered with what is not JSON"),
    "null": (lambda _request: said(None), "answered without a"),
    "list": (lambda _request: said([]), "answered without a"),
    "number": (lambda _request: said(7), "answered without a"),
}


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_faults_are_one_kind_of_error_without_the_key(key, caplog, fault, kind):
    caplog.set_level(1)
    for name in ("openai", "openai._base_client", "httpx2", "httpcore2.http11"):
        caplog.set_level(1, logger=name)
    answer, words = FAULTS[fault]
    with serving(answer) as server:
        served = models(server, key_variable=key)
        with pytest.raises(rm.RemoteError) as caught:
            ask_either(served, kind)
    error = caught.value
    assert str(error).startswith(f"http://127.0.0.1:{server.port} ")
    assert words in str(error)
    assert error.status == (int(fault) if fault.isdigit() else 200 if "JSON" in words else None)
    assert error.__cause__ is None or KEY not in repr(error.__cause__)
    shown = "".join(traceback.format_exception(error))
    pickled = pickle.dumps(error)
    assert str(pickle.loads(pickled)) == str(error)
    for text in (shown, repr(error), repr(vars(error)), repr(pickled), caplog.text, repr(served)):
        assert KEY not in text
    # Nothing of the package hangs on to it, and with it the request.
    chained, seen = [error], []
    while chained:
        some = chained.pop()
        seen.append(type(some).__module__.split(".")[0])
        chained += [other for other in (some.__cause__, some.__context__) if other is not None]
    assert "openai" not in seen
    assert "httpx2" not in seen


def shown_by(error):
    """All that a reporter of errors could show, but for the frames of the tests."""
    shown = [str(error), repr(error.args), repr(vars(error))]
    trace = traceback.TracebackException.from_exception(error, capture_locals=True)
    while trace is not None:
        shown += [repr(frame.locals) for frame in trace.stack if "tests" not in frame.filename]
        trace = trace.__cause__ or trace.__context__
    return "".join(shown)


REPEATS = {
    "reason": f"HTTP/1.1 500 {KEY}\r\nContent-Length: 0\r\n\r\n",
    "no status": f"{KEY}\r\n\r\n",
    "no header": f"HTTP/1.1 200 OK\r\nAuthorization : Bearer {KEY}\r\n\r\n",
    "no chunk": f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{KEY}\r\n",
    "host": f"HTTP/1.1 307 OK\r\nLocation: https://{KEY}.test/\r\n\r\n",
    "scheme": f"HTTP/1.1 307 OK\r\nLocation: {KEY}:x\r\n\r\n",
    "path": f"HTTP/1.1 308 OK\r\nLocation: /{KEY}\r\n\r\n",
    "request id": f"HTTP/1.1 500 OK\r\nX-Request-ID: {KEY}\r\nContent-Length: 0\r\n\r\n",
    "unpacked": f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(KEY)}\r\n\r\n{KEY}",
}


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("answer", REPEATS.values(), ids=REPEATS)
def test_a_server_that_repeats_the_key_is_not_repeated(key, caplog, answer, kind):
    for name in ("", "openai", "httpx2", "httpcore2", "httpcore2.connection", "httpcore2.http11"):
        caplog.set_level(1, logger=name)
    with raw(answer.encode()) as port:
        served = rm.openai_compatible(
            f"http://127.0.0.1:{port}/v1", loopback(port), key_variable=key, max_retries=0
        )
        with pytest.raises((rm.RemoteError, rm.OutboundRefusedError)) as caught:
            ask_either(served, kind)
    for text in (shown_by(caught.value), caplog.text):
        assert KEY.lower() not in text.lower()


@contextlib.contextmanager
def raw(answer):
    """A server that reads once, sends these bytes again and again, and its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        received = b""
                        while not received.endswith(b"}"):
                            received += connection.recv(65536)
                        connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_an_answer_without_end_is_read_no_further(key, kind, monkeypatch):
    monkeypatch.setattr("rankmeld.remote.openai_compatible._MOST_BYTES", 100_000)
    with serving(lambda _request: Answer(200, b" " * 200_000, {})) as server:
        served = models(server, max_retries=2)
        with pytest.raises(
            rm.RemoteError, match="answered with more than 100000 bytes; it was read no further"
        ):
            ask_either(served, kind)
        assert len(server.received) == 1  # nor asked for again


def test_a_packed_answer_is_refused(key):
    bomb = gzip.compress(b" " * 10_000_000)
    with (
        serving(lambda _request: Answer(200, bomb, {"Content-Encoding": "gzip"})) as server,
        models(server) as served,
    ):
        message = refusal(rm.RemoteError, served.chat("m"), "hi")
        assert message.endswith("gave a compressed answer, although none was asked for")
        assert server.received[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("retries", [0, 2])
def test_a_server_that_never_comes_to_an_end_is_left(key, kind, retries):
    """It sends something well before each single wait is over."""
    with dripping() as port:
        served = rm.openai_compatible(
            f"http://127.0.0.1:{port}/v1", loopback(port), timeout=0.5, max_retries=retries
        )
        began = time.monotonic()
        with pytest.raises(rm.RemoteTimeoutError, match=r"did not answer in time; see timeout="):
            ask_either(served, kind)
        assert time.monotonic() - began < (2 if kind == "async" or not retries else 3)


@contextlib.contextmanager
def dripping():
    """A server whose answers go on for ever, a byte at a time, and its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip(connection):
            with connection, contextlib.suppress(OSError):
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while True:
                    connection.sendall(b" ")
                    time.sleep(0.02)

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=drip, args=(listening.accept()[0],), daemon=True).start()

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_refused_keys_name_their_variable(key):
    with serving(lambda _request: said({}, 401)) as server:
        for variable, hint in (
            (key, f"; it does not accept the key in {key}"),
            (None, "; pass key_variable=, the environment variable of its key"),
        ):
            with models(server, key_variable=variable) as served:
                assert refusal(rm.RemoteError, served.chat("m"), "hi").endswith(f"status 401{hint}")


def test_failed_requests_are_tried_again_as_often_as_asked(key):
    def twice(request):
        return both(request) if len(server.received) > 2 else said({}, 503, {"Retry-After": "0"})

    with serving(twice) as server, models(server, max_retries=2) as served:
        assert served.chat("m")("hi") == "user: hi"
        assert len(server.received) == 3


def test_nobody_there_and_nobody_in_time(key):
    with serving() as gone:
        pass
    with models(gone) as served:
        message = refusal(rm.RemoteError, served.chat("m"), "hi")
        assert message.startswith(f"http://127.0.0.1:{gone.port} could not be reached: ")

    def slow(_request):
        time.sleep(0.5)
        return Answer()

    with serving(slow) as server:
        policy = loopback(server.port, timeout=0.1)
        with rm.openai_compatible(f"http://127.0.0.1:{server.port}", policy, max_retries=0) as served:
            assert refusal(rm.RemoteTimeoutError, served.chat("m"), "hi") == (
                f"http://127.0.0.1:{server.port} did not answer in time; "
                "see timeout= and the policy's timeout"
            )


def item(index, embedding):
    return {"index": index, "embedding": embedding}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "answered with 0 embeddings for 2 texts"),
        ([item(0, [1.0])], "answered with 1 embeddings for 2 texts"),
        ([item(n, [1.0]) for n in range(3)], "answered with 3 embeddings for 2 texts"),
        ([item(0, [1.0]), item(0, [2.0])], "index is not one of 0 to 1, each once"),
        ([item(0, [1.0]), item(2, [2.0])], "index is not one of 0 to 1, each once"),
        ([item(0, [1.0]), item(-1, [2.0])], "index is not one of 0 to 1, each once"),
        ([item(0, [1.0]), item("1", [2.0])], "index is not one of 0 to 1, each once"),
        ([item(False, [1.0]), item(True, [2.0])], "index is not one of 0 to 1, each once"),
        ([item(0, [1.0]), item(1.0, [2.0])], "index is not one of 0 to 1, each once"),
        ([item(0, [1.0]), {"embedding": [2.0]}], "index is not one of 0 to 1, each once"),
        ([item(0, [1.0]), 7], "index is not one of 0 to 1, each once"),
        ([item(0, [1.0]), item(1, [1.0, 2.0])], "for text 1, with a vector of width 2, not 1"),
        ([item(0, [1.0]), item(1, [])], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, None)], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, {"a": 1})], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, [[1.0]])], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, [[1.0], 2.0])], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, ["1.0"])], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, [True])], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, [None])], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, "!!")], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, "AAAA")], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, "é")], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, [10**400])], "for text 1, with what is not a vector of numbers"),
        ([item(0, [1.0]), item(1, [float("nan")])], "for text 1, with NaN, an infinity or a number beyond"),
        ([item(0, [1.0]), item(1, [1e39])], "for text 1, with NaN, an infinity or a number beyond float32"),
        (
            [item(0, [1.0]), item(1, "AACAfw==")],
            "for text 1, with NaN, an infinity or a number beyond float32",
        ),
        (None, "answered without a list of embeddings in data"),
        ({"0": [1.0]}, "answered without a list of embeddings in data"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(data, words):
    message = refusal(rm.RemoteError, vectors_of, {"data": data}, 2, None, "s")
    assert message.startswith("s answered")
    assert words in message


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [{}]},
        {"choices": [{"message": {"content": None}}]},
        {"choices": [{"message": {"content": ["a"]}}]},
        {"choices": [{"message": "a"}]},
        {"choices": {"0": 1}},
        "text",
        None,
    ],
)
def test_answers_without_a_text_are_refused(answer):
    assert refusal(rm.RemoteError, text_of, answer, "s") == (
        "s answered without a text in choices[0].message.content"
    )
