"""What a search did: how each leg fared, and what each stage took in, gave, and cost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Leg", "Recorder", "SearchTrace", "StageTrace", "Status", "plain_legs", "plain_stages"]

#: How a leg fared.
Status = Literal["ok", "empty", "failed", "timeout", "skipped"]

#: The legs of an adaptive search, in the order in which a trace lists them.
LEGS = ("lexical", "vector", "hyde", "graph")


@dataclass(frozen=True, slots=True)
class Leg:
    """How one leg of a search fared.

    Attributes
    ----------
    status : {"ok", "empty", "failed", "timeout", "skipped"}
        It gave something; it gave nothing; it raised, or what it gave was no ranking; it took too
        long; it was not asked.
    error : str or None
        Of a leg that failed, timed out, was skipped or is empty, why, where it is known: one line,
        without credentials.

    Examples
    --------
    >>> str(Leg("failed", "ConnectionError: no route to host"))
    'failed (ConnectionError: no route to host)'
    """

    status: Status
    error: str | None = None

    def __str__(self) -> str:
        """The status, and why."""
        return self.status if self.error is None else f"{self.status} ({self.error})"


@dataclass(frozen=True, slots=True)
class StageTrace:
    """One stage of a search, or of a pipeline.

    Attributes
    ----------
    name : str
        A leg, or what was done with what the legs gave.
    candidates_in : int
        How many hits it took; of a leg, how many it gave.
    candidates_out : int
        How many hits it left; of a leg, how many of them counted.
    seconds : float
        How long it took. Legs run at the same time where the search is asynchronous or has a
        `leg_timeout`, so their seconds do not add up.
    status : {"ok", "empty", "skipped"}
        It left something; it left nothing; it did not apply, and the hits went on as they came.
    reason : str or None
        Why it did not apply.
    """

    name: str
    candidates_in: int
    candidates_out: int
    seconds: float
    status: Status = "ok"
    reason: str | None = None

    def __str__(self) -> str:
        """One line for people."""
        if self.status == "skipped":
            return f"{self.name}: skipped ({self.reason})"
        return f"{self.name}: {self.candidates_in} -> {self.candidates_out}, {self.seconds * 1000.0:.2f} ms"


@dataclass(frozen=True, slots=True)
class SearchTrace:
    """What a search did.

    Attributes
    ----------
    tier : str
        The tier that answered.
    legs : dict of str to Leg
        ``lexical``, ``vector``, ``hyde`` and ``graph``, in this order.
    stages : tuple of StageTrace
        In the order in which they ended.
    seconds : float
        How long the whole search took.
    """

    tier: str
    legs: dict[str, Leg]
    stages: tuple[StageTrace, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The trace in plain values, for strict JSON.

        Returns
        -------
        dict
            ``tier``, ``seconds``, ``legs`` (by name, each with ``status`` and ``error``), ``stages``
            (each with ``name``, ``candidates_in``, ``candidates_out``, ``seconds``).

        Examples
        --------
        >>> trace = SearchTrace("direct_factual", {"lexical": Leg("ok")}, (), 0.5)
        >>> trace.to_dict()["legs"]
        {'lexical': {'status': 'ok', 'error': None}}
        """
        return {
            "tier": self.tier,
            "seconds": self.seconds,
            "legs": plain_legs(self.legs),
            "stages": plain_stages(self.stages),
        }

    def __str__(self) -> str:
        """A few lines for people."""
        legs = ", ".join(f"{name} {leg}" for name, leg in self.legs.items())
        lines = [f"{self.tier}, {self.seconds * 1000.0:.2f} ms", f"legs: {legs}", *map(str, self.stages)]
        return "\n  ".join(lines)


def plain_legs(legs: Mapping[str, Leg]) -> dict[str, Any]:
    """Legs in plain values."""
    return {name: {"status": leg.status, "error": leg.error} for name, leg in legs.items()}


def plain_stages(stages: Sequence[StageTrace]) -> list[dict[str, Any]]:
    """Stages in plain values."""
    return [
        {
            "name": stage.name,
            "candidates_in": stage.candidates_in,
            "candidates_out": stage.candidates_out,
            "seconds": stage.seconds,
        }
        for stage in stages
    ]


@dataclass(slots=True)
class Recorder:
    """Collects the trace of one search."""

    legs: dict[str, Leg] = field(default_factory=lambda: dict.fromkeys(LEGS, Leg("skipped")))
    stages: list[StageTrace] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    @contextmanager
    def stage(self, name: str, candidates: int) -> Iterator[list[int]]:
        """Time a stage; it appends how many candidates it leaves."""
        left: list[int] = []
        started = time.perf_counter()
        yield left
        self.add(name, candidates, left[-1] if left else candidates, time.perf_counter() - started)

    def add(self, name: str, candidates_in: int, candidates_out: int, seconds: float) -> None:
        """Note a stage that was timed elsewhere."""
        self.stages.append(StageTrace(name, candidates_in, candidates_out, seconds))

    def finished(self, tier: str) -> SearchTrace:
        """The trace, once all is done."""
        return SearchTrace(tier, self.legs, tuple(self.stages), time.perf_counter() - self.began)
