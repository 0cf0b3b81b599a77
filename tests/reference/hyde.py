"""Hypothetical documents by the book: what is cleaned off, what is cached, what is averaged."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from typing import Any

GATE = ("semantic_hybrid", "multi_hop_graph")


def said(answer: str) -> str:
    """An answer without reasoning, without a fence around it all, trimmed."""
    while (block := re.search(r"<think>.*?</think>", answer, re.DOTALL | re.IGNORECASE)) is not None:
        before = answer[: block.start()]
        if "</think>" in before.lower():  # its beginning stood in the prompt
            answer = answer[before.lower().index("</think>") + len("</think>") :]
        else:
            answer = before + answer[block.end() :]
    while "</think>" in answer.lower():
        answer = answer[answer.lower().index("</think>") + len("</think>") :]
    if "<think>" in answer.lower():
        answer = answer[: answer.lower().index("<think>")]
    answer = answer.strip()
    lines = answer.split("\n")
    for mark in ("`", "~"):
        for length in range(len(lines[0]), 2, -1):
            fence = mark * length
            if (
                len(lines) >= 2
                and lines[0].startswith(fence)
                and "`" not in lines[0][length:]
                and lines[-1].strip() == fence
                and not any(line.strip().startswith(fence) for line in lines[1:-1])
            ):
                return "\n".join(lines[1:-1]).strip()
    said = answer
    return "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in said)


def key(query: str) -> str:
    return " ".join(unicodedata.normalize("NFC", query).split()).casefold()


def usable(vector: Any) -> bool:
    """Whether a vector can be searched with."""
    return (
        isinstance(vector, list)
        and len(vector) > 0
        and all(type(x) is float and math.isfinite(x) for x in vector)
        and any(x != 0.0 for x in vector)
    )


class Hyde:
    """A generator whose cache never forgets."""

    def __init__(self, generate: Callable[[], Any], embed: Callable[[str], Any], *, n: int) -> None:
        self.generate, self.embed, self.n = generate, embed, n
        self.documents: dict[str, list[str]] = {}
        self.calls = self.hits = self.misses = 0

    def vector_for(self, query: str, tier: str) -> tuple[list[float] | None, str]:
        """The vector, and the status."""
        if tier not in GATE or not query.strip():
            return None, "skipped"
        if key(query) in self.documents:
            self.hits += 1
        else:
            self.misses += 1
            made, failed = self._generated()
            if not made:
                return None, "failed" if failed else "empty"
            self.documents[key(query)] = made
        vectors = [self._embedded(text) for text in self.documents[key(query)]]
        if self.n == 1:
            return (vectors[0], "ok") if usable(vectors[0]) else (None, "failed")
        own = self._embedded(query)
        if not usable(own):
            return None, "failed"
        good = [vector for vector in vectors if usable(vector) and len(vector) == len(own)]
        mean = [math.fsum(column) / (len(good) + 1) for column in zip(own, *good, strict=True)]
        return (mean, "ok") if good and usable(mean) else (None, "failed")

    def _generated(self) -> tuple[list[str], bool]:
        made, failed = [], False
        for _ in range(self.n):
            self.calls += 1
            try:
                answer = self.generate()
            except RuntimeError:
                failed = True
                continue
            if not isinstance(answer, str):
                failed = True
            elif said(answer):
                made.append(said(answer))
        return made, failed

    def _embedded(self, text: str) -> Any:
        try:
            return self.embed(text)
        except RuntimeError:
            return None
