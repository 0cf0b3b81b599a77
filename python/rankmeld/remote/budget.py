"""How many requests go out in a minute: one line for threads and event loops alike."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Self, SupportsIndex

from rankmeld._options import as_integer, as_number
from rankmeld.errors import InvalidArgumentError

__all__ = ["RateBudget"]

#: A request that comes this much later than it could, because a machine was busy, is made up for.
_SLACK_SECONDS = 0.05
#: Sums of floats, and clocks, do not tell moments apart that are closer than this.
_INSTANT = 1e-6
#: Seconds after which whoever waits looks again at the latest; much longer ones overflow the system's timers.
_LONGEST = 86_400.0
#: Seconds between turns so rare that none comes; sums of them stay finite.
_NEVER = 1e15


class _Waiter:
    """One who stands in line, and how they are told to look again."""

    __slots__ = ("due", "number", "served", "wake")

    def __init__(self, wake: Callable[[], object]) -> None:
        self.wake = wake
        self.served = False
        #: Counts those who ever entered the line.
        self.number = 0
        #: When the turn comes if nobody ahead leaves and nobody is late.
        self.due = float("inf")


class _Line:
    """Who waits, and when the next turn comes; every method is told the time.

    Each who waits has a timer of their own and calls `serve` when it rings, which gives a turn to
    all whose time has come, whoever sleeps. So a turn passes even where a loop stands still, and
    nobody has to watch the clock for the others.
    """

    __slots__ = ("_credit", "_due", "_entered", "_gap", "_lock", "waiting")

    def __init__(self, gap: float, burst: int) -> None:
        self._gap = gap
        self._credit = (burst - 1) * gap
        #: When the next turn would come if all before had been taken on time.
        self._due = float("-inf")
        # A destructor may run at any step and leave the line: the lock must let its own thread in.
        self._lock = threading.RLock()
        self._entered = 0
        self.waiting: OrderedDict[_Waiter, None] = OrderedDict()

    def enter(self, waiter: _Waiter, now: float) -> None:
        """Stand at the end of the line, and take the turn if there is one."""
        with self._lock:
            self._entered += 1
            waiter.number = self._entered
            waiter.due = self._next(now) + len(self.waiting) * self._gap
            self.waiting[waiter] = None
        self.serve(now)

    def serve(self, now: float) -> None:
        """Give a turn to everybody whose time has come, in order."""
        woken: list[_Waiter] = []
        with self._lock:
            while self.waiting:
                waiter = next(iter(self.waiting))
                due = self._next(now)
                if due - now > _INSTANT:
                    # Whoever has moved up since they set their timer has to set it anew.
                    if waiter.due - due > 0.01 * self._gap:
                        woken.append(waiter)
                    waiter.due = due
                    break
                self._due = due + self._gap
                waiter.served = True
                self.waiting.pop(waiter, None)
                woken.append(waiter)
        for waiter in woken:
            try:
                waiter.wake()
            except RuntimeError:  # its loop is closed: nobody waits there, and the turn goes to the next
                self.leave(waiter, now)

    def leave(self, waiter: _Waiter, now: float) -> None:
        """Give the place back, or a turn that was given but will not be used."""
        with self._lock:
            self.waiting.pop(waiter, None)
            if waiter.served:
                waiter.served = False
                self._due -= self._gap
        self.serve(now)

    def look(self, waiter: _Waiter, now: float) -> float:
        """Serve, and say when a waiter should look again."""
        self.serve(now)
        with self._lock:
            if waiter.due <= now and waiter in self.waiting:  # the machine was late, and so are all turns
                first = next(iter(self.waiting))
                waiter.due = self._next(now) + (waiter.number - first.number) * self._gap
        return waiter.due

    def _next(self, now: float) -> float:
        """When the next turn comes; an idle time is remembered only as far as a burst goes."""
        return max(self._due, now - self._credit)


class RateBudget:
    """Paces requests: first come, first served, at most so many in a minute.

    One budget is shared by everything that talks to one host, or pays from one account: threads,
    tasks, and tasks of several event loops, all at once. It has no thread of its own, and costs
    the same however many turns were given.

    Parameters
    ----------
    per_minute : float, default 60
        Turns in a minute; above zero. No 60 seconds ever give more, however they are laid.
    burst : int, optional
        How many turns may be taken at once after a quiet time; from 1 to `per_minute`. If not
        given, as many as come in a twentieth of a second, so that a busy machine loses nothing:
        1 up to 2,400 in a minute (turns are spaced evenly then), 50 for 60,000. A larger burst
        answers a single call of several batches sooner, and slows the turns after it: they are
        ``60 / (per_minute - burst + 1)`` seconds apart, which is what keeps the promise above.
    clock : callable, default time.monotonic
        ``clock()`` gives seconds from any fixed moment; for tests.

    Raises
    ------
    InvalidArgumentError
        `per_minute` is not above zero, or `burst` is out of range.
    TypeError
        An argument is of the wrong kind.

    Notes
    -----
    The rule is a token bucket in the form of the generic cell rate algorithm (ITU-T I.371), which
    keeps one moment instead of a count that has to be refilled. Who stops waiting, because of a
    timeout, a cancellation or Ctrl-C, gives the turn back, and those behind move up. A loop that
    stands still holds up nobody but itself.

    A copy, as a task queue makes one, is the budget itself; an unpickled one is a new budget, for
    processes cannot share one. After a fork the child starts a line of its own.

    Examples
    --------
    >>> budget = RateBudget(per_minute=6, burst=2)
    >>> budget.acquire(), budget.acquire()  # at once
    (True, True)
    >>> budget.acquire(timeout=0.1)  # the next turn comes 12 s later, so there is nothing to wait for
    False
    """

    __slots__ = ("__weakref__", "_burst", "_clock", "_gap", "_lines", "_per_minute")

    def __init__(
        self,
        per_minute: float = 60,
        *,
        burst: SupportsIndex | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        rate = as_number(per_minute, "per_minute")
        if rate <= 0.0:
            raise InvalidArgumentError(f"per_minute is {rate:g}; it must be above zero")
        if not callable(clock):
            raise TypeError(f"clock must be a callable that gives seconds, not {type(clock).__name__}")
        count = max(1, int(rate / 60.0 * _SLACK_SECONDS)) if burst is None else as_integer(burst, "burst")
        if not 1 <= count <= max(1.0, rate):
            raise InvalidArgumentError(
                f"burst is {count}; it must be from 1 to per_minute, which is {rate:g}"
            )
        self._per_minute = per_minute
        self._burst = count
        self._clock = clock
        self._gap = 60.0 / (rate - count + 1.0) if rate >= 1.0 else min(60.0 / rate, _NEVER)
        self._lines: dict[int, _Line] = {}

    def _line(self) -> _Line:
        """The line of this process: in that of its parent, a lock may be held for ever."""
        here = os.getpid()
        line = self._lines.get(here)
        return self._lines.setdefault(here, _Line(self._gap, self._burst)) if line is None else line

    @property
    def per_minute(self) -> float:
        """Turns in a minute."""
        return self._per_minute

    @property
    def burst(self) -> int:
        """Turns that may be taken at once after a quiet time."""
        return self._burst

    @property
    def waiting(self) -> int:
        """How many stand in line now."""
        return len(self._line().waiting)

    def acquire(self, timeout: float | None = None) -> bool:
        """Take a turn, and block until it comes.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait at the most; ``None``: as long as it takes.

        Returns
        -------
        bool
            Whether the turn was taken. False comes at once where it would come too late.
        """
        arrived = threading.Event()
        waiter, line = _Waiter(arrived.set), self._line()
        end = self._end(timeout)
        try:
            pause = self._entered(waiter, line, end)
            while pause is not None:
                arrived.wait(pause)
                arrived.clear()
                pause = self._pause(waiter, line, end)
        except BaseException:
            line.leave(waiter, self._clock())
            raise
        return waiter.served

    async def aacquire(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - as `acquire`
        """As `acquire`, for a task: the event loop goes on meanwhile."""
        import asyncio  # noqa: PLC0415 - whoever awaits has it; the others need not pay for it

        loop = asyncio.get_running_loop()
        arrived = asyncio.Event()
        waiter, line = _Waiter(lambda: loop.call_soon_threadsafe(arrived.set)), self._line()
        end = self._end(timeout)
        try:
            pause = self._entered(waiter, line, end)
            while pause is not None:
                timer = loop.call_later(pause, arrived.set)
                try:
                    await arrived.wait()
                finally:
                    timer.cancel()
                arrived.clear()
                pause = self._pause(waiter, line, end)
        except BaseException:
            line.leave(waiter, self._clock())
            raise
        return waiter.served

    def _end(self, timeout: float | None) -> float:
        """When waiting is over."""
        return float("inf") if timeout is None else self._clock() + as_number(timeout, "timeout")

    def _entered(self, waiter: _Waiter, line: _Line, end: float) -> float | None:
        """Stand in line; how long to wait, or `None` where there is nothing to wait for."""
        now = self._clock()
        line.enter(waiter, now)
        if waiter.served:
            return None
        if waiter.due > end:
            line.leave(waiter, now)
            return None
        return min(max(waiter.due - now, 0.0), _LONGEST)

    def _pause(self, waiter: _Waiter, line: _Line, end: float) -> float | None:
        """How long to wait before looking again, or `None` where there is nothing to wait for."""
        if waiter.served:
            return None
        now = self._clock()
        due = line.look(waiter, now)
        if waiter.served:
            return None
        if now >= end:
            line.leave(waiter, now)
            return None
        return min(min(due, end) - now, _LONGEST)

    # ---------------------------------------------------------------------------- copies

    def __repr__(self) -> str:
        """What it allows."""
        return f"{type(self).__name__}(per_minute={self._per_minute:g}, burst={self._burst})"

    def __copy__(self) -> Self:
        """The budget itself: two would allow twice as much."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """The budget itself."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """The rate; a line cannot leave its process."""
        return _unpickled, (type(self), self._per_minute, self._burst)


def _unpickled(kind: type[RateBudget], per_minute: float, burst: int) -> RateBudget:
    return kind(per_minute, burst=burst)
