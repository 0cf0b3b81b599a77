"""Legs over tables, and what happened to them."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import rankmeld as rm


def hit(id: Any, score: float | None, text: str = "", kind: str = "note") -> tuple[Any, Any, rm.Document]:
    return (id, score, rm.Document(id, text, metadata={"type": kind}))


WORDS = [
    hit("a", 0.9, "the retry policy is exponential"),
    hit("b", 0.6, "caching notes from the team"),
    hit("c", 0.2, "garden planning"),
]
MEANING = [
    hit("b", 0.8, "caching notes from the team"),
    hit("d", 0.7, "backoff and retry budget"),
    hit("a", 0.5, "the retry policy is exponential"),
]
VECTOR = [1.0, 0.0]
DIRECT, SEMANTIC, HOPS, WHOLE = (
    "retry_policy",
    "notes about caching and retries",
    "why is the retry policy exponential",
    "overview of the service and more",
)


class Table:
    """A leg that gives a table, and keeps what it was asked."""

    def __init__(self, table: Any) -> None:
        self.table = table
        self.asked: list[tuple[Any, int | None, Any]] = []

    def search(self, query, *, limit, filters):
        self.asked.append((query, limit, filters))
        if isinstance(self.table, BaseException):
            raise self.table
        return self.table[:limit] if isinstance(self.table, list) else self.table


class AwaitedTable(Table):
    """The same, awaited."""

    def __init__(self, table: Any, seconds: float = 0.0) -> None:
        super().__init__(table)
        self.seconds = seconds
        self.cancelled = 0

    async def asearch(self, query, *, limit, filters):
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return Table.search(self, query, limit=limit, filters=filters)

    search = None  # type: ignore[assignment]


class Hanging:
    """A leg that answers when it is let go."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.calls = 0

    def __call__(self, query, *, limit, filters):
        self.calls += 1
        self.release.wait(30)
        return WORDS


class Hypothetical:
    """Makes a vector for a hypothetical answer, or fails to."""

    def __init__(self, vector: Any) -> None:
        self.vector = vector
        self.tiers: list[Any] = []

    def vector_for(self, query, tier):
        self.tiers.append(tier)
        if isinstance(self.vector, BaseException):
            raise self.vector
        return self.vector


def statuses(found: rm.AdaptiveResult) -> dict[str, str]:
    return {name: leg.status for name, leg in found.trace.legs.items()}


def until(condition: Any, seconds: float = 20.0) -> bool:
    """Whether a condition comes true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True
