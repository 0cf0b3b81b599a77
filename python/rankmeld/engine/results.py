"""What a retrieval engine answers: a context, the ranking that it was made of, and how that came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rankmeld.engine.context import Context
from rankmeld.ranking import Ranking
from rankmeld.search.trace import Leg, StageTrace, plain_legs, plain_stages

__all__ = ["EngineResult", "EngineTrace", "HopTrace", "QueryOrigin", "Stop"]

#: Where the first query comes from: the message itself, the model's summary, or the message's beginning.
QueryOrigin = Literal["message", "summary", "beginning"]

#: Why no further hop followed.
Stop = Literal["done", "repeated", "max_hops", "no_reasoner", "reasoner_failed", "memory_failed"]


@dataclass(frozen=True, slots=True)
class HopTrace:
    """One question to the memory, and what was made of the answer.

    Attributes
    ----------
    query : str
        What was asked.
    memories : dict of str to Leg
        How each memory fared: ``memory``, or the names of a `MultiSourceMemory`.
    stages : tuple of StageTrace
        In the order in which they ended.
    seconds : float
        How long all of it took.
    """

    query: str
    memories: Mapping[str, Leg]
    stages: tuple[StageTrace, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The trace in plain values, for strict JSON."""
        return {
            "query": self.query,
            "memories": plain_legs(self.memories),
            "stages": plain_stages(self.stages),
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        """A few lines for people."""
        legs = ", ".join(f"{name} {leg}" for name, leg in self.memories.items())
        return "\n  ".join([f"{self.query!r}: {legs}", *map(str, self.stages)])


@dataclass(frozen=True, slots=True)
class EngineTrace:
    """How an engine came to its answer.

    Attributes
    ----------
    origin : {"message", "summary", "beginning"} or None
        Whether the message was its own query, was summed up by the model, or was cut. ``None`` for a
        blank message, with which nobody was asked.
    legs : dict of str to Leg
        How ``llm``, ``reasoner`` and ``feedback`` fared the last time that they were asked.
    hops : tuple of HopTrace
        One for each question to the memory.
    stages : tuple of StageTrace
        What was done with the candidates of all hops together.
    stopped : str or None
        Why no further hop followed: the reasoner was ``"done"`` or ``"repeated"`` a query, ``"max_hops"``
        were used up (so there might be more), there was ``"no_reasoner"``, or ``"reasoner_failed"`` or
        ``"memory_failed"`` after the first hop. ``None`` where only one was asked for.
    seconds : float
        How long the whole took.
    """

    origin: QueryOrigin | None
    legs: Mapping[str, Leg]
    hops: tuple[HopTrace, ...]
    stages: tuple[StageTrace, ...]
    stopped: Stop | None
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The trace in plain values, for strict JSON."""
        return {
            "origin": self.origin,
            "legs": plain_legs(self.legs),
            "hops": [hop.to_dict() for hop in self.hops],
            "stages": plain_stages(self.stages),
            "stopped": self.stopped,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        """A few lines for people."""
        legs = ", ".join(f"{name} {leg}" for name, leg in self.legs.items())
        stopped = "" if self.stopped is None else f", stopped: {self.stopped}"
        lines = [f"query from {self.origin}{stopped}, {self.seconds * 1000.0:.2f} ms", f"legs: {legs}"]
        return "\n  ".join([*lines, *map(str, self.hops), *map(str, self.stages)])


@dataclass(frozen=True, slots=True)
class EngineResult:
    """What an engine found for a message.

    Attributes
    ----------
    context : Context
        The text for the model, with a manifest of what is in it and what was left out.
    ranking : Ranking
        All candidates that were left, best first. ``explain(id)`` tells what each stage gave a hit.
    trace : EngineTrace
        How it came about.
    """

    context: Context
    ranking: Ranking
    trace: EngineTrace

    def __str__(self) -> str:
        """The text of the context."""
        return self.context.text

    def __repr__(self) -> str:
        """In a few words; print `trace` and `ranking` for more."""
        queries = ", ".join(repr(hop.query) for hop in self.trace.hops)
        return (
            f"EngineResult({len(self.ranking)} hits, {len(self.context.included)} of them in a context of "
            f"{self.context.tokens} tokens; asked {queries or 'nothing'})"
        )
