"""A server of models that answers well, and ways to ask it."""

from __future__ import annotations

import asyncio
import base64
import json

import numpy as np
import pytest

import rankmeld as rm
from support.loopback import Answer

pytest.importorskip("openai", reason="openai is not installed (rankmeld[http])")
pytest.importorskip("trustme", reason="trustme is not installed")

from .samples import loopback

#: Numbers whose float32 form is known, different for each text.
WIDTH = 3


def vector(text):
    return [float(len(text)), float(text.count("a")), 0.5]


def embeddings(request, *, form="base64", backwards=True):
    """A whole answer: by index, and not in the order of the texts."""
    data = [
        {
            "object": "embedding",
            "index": place,
            "embedding": vector(text)
            if form == "float"
            else base64.b64encode(np.array(vector(text), "<f4").tobytes()).decode(),
        }
        for place, text in enumerate(json.loads(request.body)["input"])
    ]
    return said({"object": "list", "data": data[::-1] if backwards else data, "model": "m"})


def said(answer, status=200, headers=None):
    return Answer(
        status, json.dumps(answer).encode(), {"Content-Type": "application/json", **(headers or {})}
    )


def chat(request):
    asked = json.loads(request.body)["messages"]
    text = " | ".join(f"{message['role']}: {message['content']}" for message in asked)
    return said({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]})


def both(request):
    return embeddings(request) if request.path == "/v1/embeddings" else chat(request)


def models(server, **options):
    options = {"max_retries": 0, **options}
    return rm.openai_compatible(f"http://127.0.0.1:{server.port}/v1", loopback(server.port), **options)


async def in_task(server, coroutine):
    async with server:
        return await coroutine


def ask_either(server, kind):
    """A chat and an embedding, waited for or awaited."""
    if kind == "sync":
        with server:
            return server.chat("c")("hi"), server.embedder("e")(["a"])

    async def both_asked():
        async with server:
            return await server.chat("c").achat("hi"), await server.embedder("e").aembed(["a"])

    return asyncio.run(both_asked())
