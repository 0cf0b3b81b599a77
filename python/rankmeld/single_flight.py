"""One call for many callers: threads, tasks, and both at once.

The first who asks for a key leads and makes the value; whoever comes meanwhile waits for what the
leader gets. No lock is held while anything of a caller runs: the table of flights is a `dict`,
whose `setdefault` decides who leads.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import threading
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextvars import ContextVar
from typing import Any

from rankmeld.errors import RankmeldError

__all__ = ["MISSING", "SingleFlight", "plain"]

#: The flights that lead here, outermost first: what runs in them must not wait for them.
_LEADING: ContextVar[tuple[_Flight, ...]] = ContextVar("rankmeld_leading", default=())

#: Nothing there: told apart from every value that people may cache.
MISSING: Any = object()


class _Flight:
    """The making of one value.

    It ends with a value, with a failure, or with neither: then its leader was interrupted or
    cancelled, and one of those who wait has to lead.
    """

    __slots__ = ("_waiting", "awaits", "ended", "failure", "loop", "process", "thread", "value")

    def __init__(self, loop: Any) -> None:
        self.value: Any = MISSING
        self.failure: Exception | None = None
        #: The flights that its leader waits for.
        self.awaits: set[_Flight] = set()
        #: The event loop whose task leads; ``None`` where a thread does.
        self.loop = loop
        self.process = os.getpid()
        self.thread = threading.get_ident()
        #: Whether there is nothing left to wait for.
        self.ended = False
        #: What wakes each who waits. A destructor or a signal may come by at any step here and ask
        #: for the same key, so there is no lock, only a `dict` whose single steps are whole: who
        #: waits enters and then looks at `ended`, which is set before those who wait are taken out.
        self._waiting: dict[Any, Callable[[], object]] = {}

    def end(self) -> None:
        """Wake all who wait."""
        self.ended = True
        with contextlib.suppress(KeyError):
            while True:
                _, wake = self._waiting.popitem()
                with contextlib.suppress(RuntimeError):  # its loop is closed: nobody waits there
                    wake()

    def wait(self) -> None:
        """Block until the flight has ended."""
        arrived = threading.Event()
        self._waiting[arrived] = arrived.set
        try:
            if not self.ended:
                arrived.wait()
        finally:
            self._waiting.pop(arrived, None)

    async def await_end(self) -> None:
        """Wait in a task until the flight has ended."""
        import asyncio  # noqa: PLC0415 - whoever awaits has it; others need not load it

        loop = asyncio.get_running_loop()
        arrived = loop.create_future()
        self._waiting[arrived] = lambda: loop.call_soon_threadsafe(_arrive, arrived)
        try:
            if not self.ended:
                await arrived
        finally:
            self._waiting.pop(arrived, None)

    def stalled(self, here: Any) -> bool:
        """Whether a task leads that gets no further: its loop stands still, or needs this thread.

        `here` is the loop whose task asks; ``None`` where a thread does, which would block.
        """
        if self.loop is None or self.loop is here:
            return False
        return self.thread == threading.get_ident() or not self.loop.is_running()

    def outcome(self) -> Any:
        """The value, or `MISSING` where somebody else has to lead; raises what the leader met."""
        if self.failure is not None:
            raise self.failure
        return self.value


class _Lead:
    """Held by the leader alone: however it is lost, by an interrupt at any step too, the flight ends."""

    flight: _Flight | None = None

    def __del__(self) -> None:
        if self.flight is not None:
            self.flight.end()


def _arrive(arrived: Any) -> None:
    if not arrived.done():
        arrived.set_result(None)


class SingleFlight:
    """Who is making what."""

    __slots__ = ("_flights",)

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight] = {}

    def run(
        self,
        key: Hashable,
        make: Callable[[], Any],
        find: Callable[[Hashable], Any],
        keep: Callable[[Hashable, Any], Any],
    ) -> Any:
        """Make a value or wait for it.

        Parameters
        ----------
        key : Hashable
            What concurrent callers are compared by.
        make : callable
            ``make()`` gives the value.
        find : callable
            ``find(key)`` gives what another flight kept since the caller looked, or `MISSING`.
        keep : callable
            ``keep(key, value)`` puts the value where the next caller finds it.
        """
        while True:
            flight, lead = self._board(key, None)
            try:
                if lead is not None:
                    with self._leading(key, flight):
                        value = find(key)
                        if value is MISSING:
                            value = plain(make())
                            keep(key, value)
                        flight.value = value
                    return value
                with _waiting(key, flight):
                    flight.wait()
                value = flight.outcome()
                if value is not MISSING:
                    return value
            finally:
                del flight, lead  # or an exception, its traceback and the flight would hold each other

    async def arun(
        self,
        key: Hashable,
        make: Callable[[], Awaitable[Any] | Any],
        find: Callable[[Hashable], Any],
        keep: Callable[[Hashable, Any], Any],
    ) -> Any:
        """As `run`, for tasks; what `make` gives is awaited if it can be."""
        import asyncio  # noqa: PLC0415 - whoever awaits has it; others need not load it

        here = asyncio.get_running_loop()
        while True:
            flight, lead = self._board(key, here)
            try:
                if lead is not None:
                    with self._leading(key, flight):
                        value = find(key)
                        if value is MISSING:
                            value = make()
                            if inspect.isawaitable(value):
                                value = await value
                            keep(key, value)
                        flight.value = value
                    return value
                with _waiting(key, flight):
                    await flight.await_end()
                value = flight.outcome()
                if value is not MISSING:
                    return value
            finally:
                del flight, lead

    def _board(self, key: Hashable, here: Any) -> tuple[_Flight, _Lead | None]:
        """The flight for a key, and the lead if it is the caller's."""
        lead = _Lead()
        lead.flight = mine = _Flight(here)
        while True:
            flight = self._flights.setdefault(key, mine)
            if flight is mine:
                return mine, lead
            ended = flight.ended or flight.process != mine.process
            if not ended and (flight in _LEADING.get() or not flight.stalled(here)):
                return flight, None
            # Its leader could not take it away, stayed behind in the parent of a fork, or gets no further.
            self._leave(key, flight)

    def _leave(self, key: Hashable, flight: _Flight) -> None:
        there = self._flights.pop(key, flight)
        if there is not flight:
            self._flights.setdefault(key, there)

    @contextlib.contextmanager
    def _leading(self, key: Hashable, flight: _Flight) -> Iterator[None]:
        outer = _LEADING.get()
        token = _LEADING.set((*outer, flight))
        for other in outer:
            other.awaits.add(flight)
        try:
            yield
        except Exception as error:
            flight.failure = error
            raise
        finally:
            with contextlib.suppress(ValueError):  # a task that was never finished, collected elsewhere
                _LEADING.reset(token)
            for other in outer:
                other.awaits.discard(flight)
            try:
                self._leave(key, flight)
            finally:
                flight.end()


@contextlib.contextmanager
def _waiting(key: Hashable, flight: _Flight) -> Iterator[None]:
    """Wait for a flight inside; refused where the flight waits for the caller.

    A thread that leads and asks again is further inside of its own call, be it a destructor or a
    signal's handler that asks.
    """
    leading = tuple(led for led in _LEADING.get() if not led.ended)
    # First say it, then look: of two who close a circle at once, one at least sees it.
    for led in leading:
        led.awaits.add(flight)
    try:
        nested = flight.loop is None and flight.thread == threading.get_ident()
        if nested or _waits_for(flight, leading):
            raise RankmeldError(
                f"what makes the value of key {key!r} waits for that same key, directly or through "
                "another one; compute it without the cache, or under a key of its own"
            )
        yield
    finally:
        for led in leading:
            led.awaits.discard(flight)


def _waits_for(flight: _Flight, others: tuple[_Flight, ...]) -> bool:
    """Whether a flight is one of the others or, through any chain, waits for one."""
    ahead, seen = [flight], set()
    while ahead:
        here = ahead.pop()
        if here in others:
            return True
        if here not in seen:
            seen.add(here)
            ahead.extend(here.awaits.copy())
    return False


def plain(value: Any) -> Any:
    """What a function gave that should not have to be awaited."""
    if not inspect.isawaitable(value):
        return value
    if inspect.iscoroutine(value):
        value.close()  # or Python warns that it was never awaited
    raise TypeError(f"fn gave a {type(value).__name__}, which has to be awaited; use the async method")
