"""Times several ways of doing one thing, fairly.

All cases of a group run in turn, in one process and in an order that is drawn anew for every round,
so that whatever else the machine does hits all of them alike, and none always finds the caches as
the same other one left them. The figure to trust is the smallest process CPU time: it does
not count the time in which other processes had the core. Nothing is timed before it has given the
right answer.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: How long one sample lasts: short enough to fit between two interruptions, long against the clock.
SAMPLE_SECONDS = 0.004

#: Calls in one sample at most, for cases that take next to nothing.
MOST_CALLS = 100_000


@dataclass(frozen=True)
class Case:
    """One way of doing what the group does.

    `check` is given the result of one call before anything is timed, and raises if it is wrong.
    Only what has no answer of its own (a bound, a part of the work) goes without; `note` says so.
    """

    name: str
    call: Callable[..., Any]
    check: Callable[[Any], None] | None
    #: Makes the argument of each call, outside the clock: for calls that use their input up.
    prepare: Callable[[], Any] | None = None
    #: Ranked entries that one call handles, for a column of time per entry.
    entries: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Goal:
    """That one case takes at most so large a share of another's time."""

    text: str
    case: str
    against: str
    at_most: float


@dataclass(frozen=True)
class Group:
    """Cases that do the same, and what they are to show."""

    title: str
    cases: Sequence[Case]
    reference: str
    goals: Sequence[Goal] = ()


@dataclass(frozen=True)
class Effort:
    """How long a group is timed."""

    seconds: float
    least_rounds: int
    most_rounds: int = 400


@dataclass
class Timing:
    """What was measured of a case, in seconds per call."""

    case: Case
    calls: int
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def cpu_min(self) -> float:
        return min(self.cpu)

    @property
    def wall_min(self) -> float:
        return min(self.wall)

    @property
    def wall_median(self) -> float:
        return statistics.median(self.wall)

    @property
    def spread(self) -> float:
        """Median over minimum of the CPU time: near 1 when nothing disturbed the rounds."""
        return statistics.median(self.cpu) / self.cpu_min


@dataclass(frozen=True)
class Verdict:
    """A goal beside what was measured; `measured` is `None` where that was not possible."""

    goal: str
    limit: float
    measured: float | None
    unit: str = ""

    @property
    def word(self) -> str:
        if self.measured is None:
            return "not measured"
        return "met" if self.measured <= self.limit else "missed"


@dataclass(frozen=True)
class Result:
    """A group after measuring."""

    title: str
    timings: Sequence[Timing]
    reference: str
    verdicts: Sequence[Verdict]


def measure(group: Group, effort: Effort) -> Result:
    """Check every case of a group, then time them in turn."""
    timings = {case.name: _checked(case) for case in group.cases}
    _time(list(timings.values()), effort)
    verdicts = [
        Verdict(goal.text, goal.at_most, timings[goal.case].cpu_min / timings[goal.against].cpu_min)
        for goal in group.goals
        if goal.case in timings and goal.against in timings
    ]
    return Result(group.title, list(timings.values()), group.reference, verdicts)


def _checked(case: Case) -> Timing:
    """See that the answer is right, and find how many calls make up a sample."""
    first = Timing(case, calls=1)
    result = case.call() if case.prepare is None else case.call(case.prepare())
    if case.check is not None:
        case.check(result)
    elif not case.note:
        raise AssertionError(f"{case.name} is not checked, and no note says why")
    _sample(first)
    if case.prepare is not None or first.wall_min > SAMPLE_SECONDS:
        return Timing(case, calls=1)
    return Timing(case, calls=min(MOST_CALLS, max(1, int(SAMPLE_SECONDS / max(first.wall_min, 1e-9)))))


def _time(timings: list[Timing], effort: Effort) -> None:
    orders = np.random.default_rng(0)
    gc.collect()
    gc.disable()
    try:
        started = time.perf_counter()
        for turn in range(effort.most_rounds):
            for place in orders.permutation(len(timings)):
                _sample(timings[place])
            gc.collect()
            if turn + 1 >= effort.least_rounds and time.perf_counter() - started > effort.seconds:
                break
    finally:
        gc.enable()


def _sample(timing: Timing) -> None:
    call, calls = timing.case.call, timing.calls
    if timing.case.prepare is not None:
        argument = timing.case.prepare()
        cpu, wall = time.process_time(), time.perf_counter()
        call(argument)
    else:
        turns = range(calls)
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in turns:
            call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    timing.wall.append(wall / calls)
    timing.cpu.append(cpu / calls)
