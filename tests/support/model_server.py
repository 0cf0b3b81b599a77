"""A server of models on loopback that speaks OpenAI's API, with functions in place of models."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from support.loopback import Answer, Loopback, Received, serving


def said(answer: Any, status: int = 200) -> Answer:
    return Answer(status, json.dumps(answer).encode(), {"Content-Type": "application/json"})


@contextmanager
def model_server(
    chat: Callable[[str], str | Answer], embed: Callable[[str], Sequence[float]]
) -> Iterator[Loopback]:
    """Run a server; `chat` may also give a whole answer, such as an error."""

    def answer(request: Received) -> Answer:
        body = json.loads(request.body)
        if request.path == "/v1/embeddings":
            return said(
                {"data": [_embedding(place, embed(text)) for place, text in enumerate(body["input"])]}
            )
        text = chat(body["messages"][-1]["content"])
        if isinstance(text, Answer):
            return text
        return said({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]})

    with serving(answer) as server:
        yield server


def _embedding(place: int, vector: Sequence[float]) -> dict[str, Any]:
    packed = base64.b64encode(np.array(vector, "<f4").tobytes()).decode()
    return {"object": "embedding", "index": place, "embedding": packed}
