"""HyDE and compression with the models of a server, over real sockets, by threads and by tasks."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import Counter
from contextlib import contextmanager

import pytest

import rankmeld as rm
from support.model_server import model_server, said

pytest.importorskip("openai", reason="openai is not installed (rankmeld[http])")
pytest.importorskip("trustme", reason="trustme is not installed")

from .samples import KEY, loopback

VARIABLE = "RANKMELD_TEST_MODEL_KEY"
QUERY = "what is the refund rule"
SEMANTIC = rm.QueryTier.SEMANTIC_HYBRID
HITS = [(i, 1.0 - i / 10, rm.Document(i, f"Well, they say that number {i} is the one.")) for i in range(6)]


def vector(text):
    return [float(len(text)), 1.0]


@contextmanager
def models(chat, monkeypatch):
    """A chat model and an embedder of a server, and the server."""
    monkeypatch.setenv(VARIABLE, KEY)
    with model_server(chat, vector) as server:
        made = rm.openai_compatible(
            f"http://127.0.0.1:{server.port}/v1", loopback(server.port), key_variable=VARIABLE, max_retries=0
        )
        with made:
            yield made.chat("talker"), made.embedder("embedder"), server, made


def attempted(how, hyde, made):
    if how == "waited":
        return hyde.attempt(QUERY, SEMANTIC)

    async def main():
        try:
            return await hyde.aattempt(QUERY, SEMANTIC)
        finally:
            await made.aclose()

    return asyncio.run(main())


def asked(server):
    return Counter(request.path for request in server.received)


@pytest.mark.parametrize("how", ["waited", "awaited"])
@pytest.mark.parametrize("n", [1, 3])
def test_a_served_model_answers_and_a_served_embedder_embeds_what_it_said(monkeypatch, how, n):
    with models(lambda _prompt: "<think>hm</think>\n14 days.", monkeypatch) as (chat, embedder, server, made):
        hyde = rm.HydeGenerator(chat, embedder, enabled=True, model=chat.model, n=n)
        found = attempted(how, hyde, made)
        bodies = [json.loads(request.body) for request in server.received]
        # A batch of passages is one request; the query is another.
        assert asked(server) == {"/v1/chat/completions": n, "/v1/embeddings": min(n, 2)}
    assert (found.status, found.documents) == ("ok", ("14 days.",) * n)
    assert found.vector.tolist() == ([8.0, 1.0] if n == 1 else [pytest.approx((24 + len(QUERY)) / 4), 1.0])
    prompts = [body["messages"][0]["content"] for body in bodies if "messages" in body]
    assert prompts == [rm.hyde_prompt(QUERY)] * n
    assert [body["input"] for body in bodies if "input" in body][-1] == ["14 days."] * n


@pytest.mark.parametrize("how", ["waited", "awaited"])
def test_a_server_that_fails_costs_the_search_nothing_and_repeats_nothing(monkeypatch, caplog, how):
    def chat(prompt):
        return said({"error": {"message": f"{KEY} may not ask {prompt}"}}, 400)

    with (
        models(chat, monkeypatch) as (model, embedder, server, made),
        caplog.at_level(logging.DEBUG, "rankmeld"),
    ):
        found = attempted(how, rm.HydeGenerator(model, embedder, enabled=True), made)
        assert asked(server) == {"/v1/chat/completions": 1}
    assert (found.vector, found.status) == (None, "failed")
    assert found.reason.startswith("generate raised RemoteError: http://127.0.0.1:")
    assert found.reason.endswith("answered with status 400")
    assert KEY not in caplog.text
    assert QUERY not in caplog.text


def test_ten_threads_ask_the_server_once(monkeypatch):
    with models(lambda _prompt: "14 days.", monkeypatch) as (chat, embedder, server, _):
        hyde = rm.HydeGenerator(chat, embedder, enabled=True)
        barrier, found = threading.Barrier(10), []

        def ask():
            barrier.wait(30)
            found.append(hyde.vector_for(QUERY, SEMANTIC).tolist())

        threads = [threading.Thread(target=ask) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        assert found == [[8.0, 1.0]] * 10
        assert asked(server) == {"/v1/chat/completions": 1, "/v1/embeddings": 10}


def shortened(prompt):
    return prompt.rpartition("number ")[2].partition(" ")[0]


def test_texts_are_compressed_by_a_served_model_a_few_at_a_time(monkeypatch):
    running, most, lock = 0, 0, threading.Lock()
    together = threading.Barrier(3)

    def chat(prompt):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait(30)  # three are here at the same time
        with lock:
            running -= 1
        return shortened(prompt)

    with models(chat, monkeypatch) as (model, _, server, made):

        async def main():
            async with made:
                return await rm.acompress(HITS, model, concurrency=3)

        found = asyncio.run(main())
        assert asked(server) == {"/v1/chat/completions": 6}
    assert [document.text for document in found.documents] == ["0", "1", "2", "3", "4", "5"]
    assert most == 3


def test_a_text_that_the_server_refuses_is_named_and_nothing_is_applied(monkeypatch):
    def chat(prompt):
        return said({"error": {"message": KEY}}, 422) if "number 2" in prompt else shortened(prompt)

    with models(chat, monkeypatch) as (model, _, _server, made):
        assert [hit.document.text for hit in rm.compress(HITS, model, limit=2)] == ["0", "1"]
        with pytest.raises(rm.CompressionError) as caught:
            rm.compress(HITS, model)
        assert caught.value.id == 2
        assert isinstance(caught.value.__cause__, rm.RemoteError)
        assert str(caught.value) == (
            f"the text of 2: llm raised RemoteError: {made.name} answered with status 422; "
            "nothing was compressed"
        )
