"""Chat and embeddings through the openai package."""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import logging
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.embed import as_embedder
from support.loopback import Answer, serving
from support.refusals import refusal

pytest.importorskip("openai", reason="openai is not installed (rankmeld[http])")
pytest.importorskip("trustme", reason="trustme is not installed")

from .model_samples import (
    WIDTH,
    ask_either,
    both,
    embeddings,
    in_task,
    models,
    said,
    vector,
)
from .samples import KEY, NAME, Resolver, certificates, loopback


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_chat_and_embeddings_over_one_connection(key, kind):
    with serving(both) as server:
        text, vectors = ask_either(models(server, key_variable=key), kind)
        assert text == "user: hi"
        assert vectors.dtype == np.float32
        assert vectors.tolist() == [vector("a")]
        assert [request.path for request in server.received] == ["/v1/chat/completions", "/v1/embeddings"]
        assert len(server.peers) == 1
        assert {request.headers["authorization"] for request in server.received} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("form", ["base64", "float"])
def test_vectors_come_back_in_the_order_of_the_texts(key, form):
    texts = ["a" * n for n in range(1, 8)]
    with serving(lambda request: embeddings(request, form=form)) as server, models(server) as served:
        embedder = served.embedder("m", batch_size=3)
        assert embedder(texts).tolist() == [vector(text) for text in texts]
        assert [len(json.loads(request.body)["input"]) for request in server.received] == [3, 3, 1]
        assert embedder.embed_query("aa").tolist() == vector("aa")
        assert embedder.dimensions == WIDTH
        assert asyncio.run(in_task(served, embedder.aembed_query("aa"))).tolist() == vector("aa")


def test_an_embedder_of_a_server_is_an_embedder(key):
    with serving(both) as server, models(server) as served:
        embedder = served.embedder("bge-m3", options={"user": "me"})
        assert as_embedder(embedder) is embedder
        assert embedder.model == "bge-m3"
        assert embedder([]).shape == (0, 0)
        assert server.received == []
        assert embedder.dimensions == WIDTH
        assert embedder([]).shape == (0, WIDTH)
        assert isinstance(embedder, rm.Embedder)  # looks at the width, so not before
        embedder(["", " \n", "e\u0301", "\ud800"])
        body = json.loads(server.received[-1].body)
        assert body["input"] == [" ", " ", "é", "\ufffd"]
        assert (body["model"], body["user"], "dimensions" in body) == ("bge-m3", "me", False)
        hits = [(name, 1.0, rm.Document(name, text=name)) for name in ("bbbb", "aaaa")]
        assert rm.CosineReranker(embedder).rerank("aaaa", hits).ids == ["aaaa", "bbbb"]


def test_a_width_is_asked_for_and_insisted_on(key):
    with serving(both) as server, models(server) as served:
        assert served.embedder("m", dimensions=WIDTH)(["a"]).shape == (1, WIDTH)
        assert json.loads(server.received[0].body)["dimensions"] == WIDTH
        narrow = served.embedder("m", dimensions=2)
        assert narrow.dimensions == 2
        assert refusal(rm.RemoteError, narrow, ["a"]) == (
            f"http://127.0.0.1:{server.port} answered, for text 0, with a vector of width 3, not 2"
        )


def test_a_chat_of_a_server_is_a_chat(key):
    with serving(both) as server, models(server) as served:
        model = served.chat("qwen", system="Be brief.", options={"temperature": 0})
        assert isinstance(model, rm.Chat)
        assert model("hi\ud800") == "system: Be brief. | user: hi\ufffd"
        body = json.loads(server.received[0].body)
        assert (body["model"], body["temperature"]) == ("qwen", 0)
        assert model.model == "qwen"


def test_only_what_is_needed_is_sent(key, monkeypatch):
    """The openai package reads variables of its own, and would tell the server about the machine."""
    for name in ("API_KEY", "ORG_ID", "PROJECT_ID", "ADMIN_KEY", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", "FROM-ENVIRONMENT")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Spy: FROM-ENVIRONMENT\nAuthorization: FROM-ENVIRONMENT")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/FROM-ENVIRONMENT")
    for variable in (None, key):
        with serving(both) as server:
            for kind in ("sync", "async"):
                ask_either(models(server, key_variable=variable), kind)
            assert "FROM-ENVIRONMENT" not in repr(server.received)
            for request in server.received:
                names = set(request.headers) - {"authorization"}
                assert names <= {
                    "accept",
                    "accept-encoding",
                    "connection",
                    "content-length",
                    "content-type",
                    "host",
                    "user-agent",
                }
                assert ("authorization" in request.headers) is (variable is not None)


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_the_policy_guards_the_package(key, kind):
    """A rebinding name and a redirect are refused as they are, and not tried again."""
    resolver = Resolver(["169.254.169.254"])
    served = rm.openai_compatible(
        f"http://{NAME}:8080/v1", loopback(8080, hosts=[NAME]), key_variable=key, resolver=resolver
    )
    with pytest.raises(rm.OutboundRefusedError, match=r"169\.254\.169\.254 is not loopback"):
        ask_either(served, kind)
    assert len(resolver.asked) == 1
    moved = Answer(307, b"", {"Location": "https://evil.example/v1/chat/completions"})
    with serving(lambda _request: moved) as server:
        with pytest.raises(rm.OutboundRefusedError, match=r"'evil\.example' is not in allowed_hosts"):
            ask_either(models(server, key_variable=key, max_retries=2), kind)
        assert len(server.received) == 1


def test_the_key_does_not_follow_to_another_server(key):
    with serving(both) as other:
        place = f"http://127.0.0.1:{other.port}/v1/chat/completions"
        with serving(lambda _request: Answer(308, b"", {"Location": place})) as server:
            policy = loopback(server.port, other.port)
            base = f"http://127.0.0.1:{server.port}/v1"
            with rm.openai_compatible(base, policy, key_variable=key) as served:
                assert served.chat("m")("hi") == "user: hi"
        assert KEY not in repr(other.received)
        assert KEY in repr(server.received)


def test_tls_with_an_authority_of_ones_own(key):
    served_tls, trusted = certificates(NAME)
    with serving(both, tls=served_tls) as server:
        policy = rm.OutboundPolicy([NAME], allowed_ports=[server.port], allow_loopback=True)
        options = {"key_variable": key, "tls": trusted, "resolver": Resolver(["127.0.0.1"])}
        text, _ = ask_either(
            rm.openai_compatible(f"https://{NAME}:{server.port}/v1/", policy, **options), "sync"
        )
        assert text == "user: hi"
        assert server.received[0].path == "/v1/chat/completions"


def test_a_server_is_pickled_without_its_key(key, monkeypatch):
    with serving(both) as server, models(server, key_variable=key) as served:
        embedder = served.embedder("m", dimensions=WIDTH)
        for thing in (served, embedder, served.chat("m")):
            assert KEY not in repr(thing)
            assert KEY.encode() not in pickle.dumps(thing)
        monkeypatch.setenv(key, "ANOTHER")
        with pickle.loads(pickle.dumps(served)) as again, copy.deepcopy(served) as copied:
            assert again.chat("m")("hi") == copied.chat("m")("hi") == "user: hi"
        assert [r.headers["authorization"] for r in server.received] == ["Bearer ANOTHER"] * 2
        assert pickle.loads(pickle.dumps(embedder))(["a"]).tolist() == [vector("a")]
        monkeypatch.delenv(key)
        with pytest.raises(rm.ConfigError, match=f"the environment variable {key} is not set"):
            pickle.loads(pickle.dumps(served))


def test_a_server_that_was_closed_says_so(key):
    with serving(both) as server:
        served = models(server, key_variable=key)
        chat = served.chat("m")
        with served:
            chat("hi")
        closed = f"{served.name} was not asked: close() ended this ModelServer; make another one"
        assert refusal(rm.RemoteError, chat, "hi") == closed

        async def later():
            async with models(server, key_variable=key) as other:
                await other.chat("m").achat("hi")
            await other.chat("m").achat("hi")

        assert refusal(rm.RemoteError, asyncio.run, later()) == closed


def test_keys_that_no_header_can_carry_are_not_shown(key, monkeypatch):
    monkeypatch.setenv(key, f" {KEY}\n")
    with serving(both) as server, models(server, key_variable=key) as served:
        served.chat("m")("hi")
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
    for bad in (f"{KEY} x", f"{KEY}\nx", f"{KEY}é"):
        monkeypatch.setenv(key, bad)
        with pytest.raises(rm.ConfigError) as caught:
            models(server, key_variable=key)
        assert KEY not in str(caught.value)
        assert key in str(caught.value)
        # Some reporters of errors show the variables of every frame.
        shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        frames = [frame for frame in shown.stack if frame.filename != __file__]
        assert len(frames) >= 3
        assert not any(KEY in value for frame in frames for value in (frame.locals or {}).values())


@pytest.mark.parametrize("given", [KEY, "sk-proj-0a1b2c", "hf_AbCdEf", "A" * 65, ""])
def test_a_key_in_place_of_its_variable_is_not_repeated(given):
    with serving(both) as server:
        message = refusal(rm.ConfigError, models, server, key_variable=given)
    assert message == (
        "key_variable is the name of an environment variable, such as EXAMPLE_API_KEY, and not the key "
        "itself; there is no variable of the name that was given"
    )


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (
            {"base_url": ""},
            rm.ConfigError,
            "base_url is blank; it must be like https://models.example.com/v1",
        ),
        ({"base_url": None}, TypeError, "base_url must be a str, not NoneType"),
        (
            {"base_url": f"https://models.example.com/v1?key={KEY}"},
            rm.ConfigError,
            "base_url for https://models.example.com:443 has a query or a fragment; leave it out",
        ),
        (
            {"base_url": "https://other.example.com"},
            rm.OutboundRefusedError,
            "the host 'other.example.com' is not in allowed_hosts",
        ),
        ({"policy": None}, TypeError, "policy must be an OutboundPolicy, not NoneType"),
        ({"max_retries": -1}, rm.InvalidArgumentError, "max_retries is -1; it must be 0 or more"),
        ({"max_retries": 1.5}, TypeError, "max_retries must be an integer, not float"),
    ],
)
def test_arguments_are_checked(change, kind, message):
    given = {
        "base_url": "https://models.example.com/v1",
        "policy": rm.OutboundPolicy(["models.example.com"]),
        **change,
    }
    assert refusal(kind, lambda: rm.openai_compatible(**given)) == message


@pytest.mark.parametrize(
    ("method", "options", "kind", "message"),
    [
        ("chat", {"model": 1}, TypeError, "model must be a str, not int"),
        ("chat", {"model": " "}, rm.InvalidArgumentError, "model is blank; write its name on the server"),
        ("chat", {"options": []}, TypeError, "options must be a mapping of fields, not list"),
        (
            "chat",
            {"options": {"stream": True}},
            rm.InvalidArgumentError,
            "options has 'stream', which is not set there",
        ),
        ("chat", {"system": 1}, TypeError, "text must be a str, not int"),
        ("embedder", {"dimensions": 0}, rm.InvalidArgumentError, "dimensions is 0; it must be 1 or more"),
        ("embedder", {"batch_size": 0}, rm.InvalidArgumentError, "batch_size is 0; it must be 1 or more"),
        (
            "embedder",
            {"options": {"encoding_format": "float"}},
            rm.InvalidArgumentError,
            "options has 'encoding_format', which is not set there",
        ),
    ],
)
def test_options_of_models_are_checked(method, options, kind, message):
    served = rm.openai_compatible("https://models.example.com/v1", rm.OutboundPolicy(["models.example.com"]))
    assert refusal(kind, getattr(served, method), **{"model": "m", **options}) == message


def test_one_text_alone_is_a_slip():
    served = rm.openai_compatible("https://models.example.com", rm.OutboundPolicy(["models.example.com"]))
    assert "texts is one str" in refusal(TypeError, served.embedder("m"), "text")
    assert "must be a str, not int" in refusal(TypeError, served.chat("m"), 7)


def test_a_later_batch_that_fails_gives_nothing(key):
    def second_fails(request):
        return embeddings(request) if len(server.received) == 1 else said({"data": []})

    with serving(second_fails) as server, models(server) as served:
        embedder = served.embedder("m", batch_size=1)
        with pytest.raises(rm.RemoteError, match="0 embeddings for 1 texts"):
            embedder(["a", "b"])
        assert embedder([]).shape == (0, 0)


def test_threads_and_tasks_share_a_server(key):
    with serving(both) as server, models(server) as served:
        embedder = served.embedder("m")
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda n: embedder.embed_query("a" * n).tolist(), range(1, 41)))
        assert found == [vector("a" * n) for n in range(1, 41)]

        async def together():
            async with served:
                return await asyncio.gather(*(embedder.aembed_query("a" * n) for n in range(1, 41)))

        assert [row.tolist() for row in asyncio.run(together())] == found


def test_a_server_is_asked_from_one_event_loop_after_the_other(key):
    with serving(both) as server, models(server) as served:
        embedder = served.embedder("m")
        for n in range(1, 4):
            assert asyncio.run(embedder.aembed_query("a" * n)).tolist() == vector("a" * n)
            assert len(served._async_http._transport._loops) == 0
        gc.collect()
        assert len(server.peers) == 3


def test_a_cancelled_task_ends_at_once(key):
    released = threading.Event()

    def hangs(_request):
        released.wait(5)
        return Answer()

    async def cancelled():
        async with models(server, max_retries=5) as served:
            task = asyncio.create_task(served.chat("m").achat("hi"))
            await asyncio.sleep(0.2)
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return time.monotonic() - began

    with serving(hangs) as server:
        assert asyncio.run(cancelled()) < 0.5
        released.set()
        assert len(server.received) == 1


def test_the_package_is_loaded_when_a_server_is_made():
    code = (
        "import json, logging, sys, rankmeld as rm; rm.openai_compatible;"
        "print(json.dumps([name for name in ('openai', 'httpx2', 'asyncio') if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=os.environ)
    assert json.loads(done.stdout) == []


def test_without_the_extra_the_message_has_the_install_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    policy = rm.OutboundPolicy(["models.example.com"])
    message = refusal(rm.MissingExtraError, rm.openai_compatible, "https://models.example.com", policy)
    assert message == 'openai_compatible needs an optional dependency: pip install "rankmeld[http]"'
    assert logging.getLogger("openai").handlers == []
