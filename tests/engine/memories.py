"""Memories over tables, models and stores that fail on request, and what happened to them."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
from typing import Any

import rankmeld as rm

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def hit(id: Any, score: float, text: str = "", **fields: Any) -> tuple[Any, float, rm.Document]:
    return (id, score, rm.Document(id, text, **fields))


KEYS = [
    hit("mat", 0.8, "The key is under the mat."),
    hit("cat", 0.6, "The cat sleeps on the mat."),
    hit("car", 0.4, "The car is in the garage."),
]


class Table:
    """A memory that gives a table, or one table after the other, and keeps what it was asked."""

    def __init__(self, *tables: Any) -> None:
        self.tables = list(tables)
        self.asked: list[tuple[str, str | None, int]] = []

    def search_candidates(self, query, *, user_id, top_k):
        self.asked.append((query, user_id, top_k))
        table = self.tables[min(len(self.asked), len(self.tables)) - 1]
        if isinstance(table, BaseException):
            raise table
        return table

    @property
    def queries(self) -> list[str]:
        return [query for query, _, _ in self.asked]


class AwaitedTable(Table):
    """The same, awaited."""

    def __init__(self, *tables: Any, seconds: float = 0.0) -> None:
        super().__init__(*tables)
        self.seconds = seconds
        self.cancelled = 0

    async def asearch_candidates(self, query, *, user_id, top_k):
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return Table.search_candidates(self, query, user_id=user_id, top_k=top_k)

    search_candidates = None  # type: ignore[assignment]


class Hanging:
    """A memory that answers when it is let go."""

    def __init__(self) -> None:
        self.release = threading.Event()

    def search_candidates(self, query, *, user_id, top_k):
        self.release.wait(30)
        return KEYS


class Model:
    """A language model that says one thing after the other."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt):
        self.prompts.append(prompt)
        answer = self.answers[min(len(self.prompts), len(self.answers)) - 1]
        if isinstance(answer, BaseException):
            raise answer
        return answer


def retrieved(engine: rm.RetrievalEngine, message: str, **options: Any) -> rm.EngineResult:
    return engine.retrieve(message, now=NOW, **options)


def aretrieved(engine: rm.RetrievalEngine, message: str, **options: Any) -> rm.EngineResult:
    return asyncio.run(asyncio.wait_for(engine.aretrieve(message, now=NOW, **options), 60))


def stages(found: rm.EngineResult) -> list[str]:
    hops = [stage.name for hop in found.trace.hops for stage in hop.stages]
    return [*hops, *(stage.name for stage in found.trace.stages)]
