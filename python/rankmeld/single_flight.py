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

__all__ = ["MISSING", "SingleFlight"]

#: The flights that lead here, outermost first: what runs in them must not wait for them.
_LEADING: ContextVar[tuple[_Flight, ...]] = ContextVar("rankmeld_leading", default=())

#: Nothing there: told apart from every value that people may cache.
MISSING: Any = object()


class _Flight:
    """The making of one value.

    It ends with a value, with a failure, or with neither: then its leader was interrupted or
    cancelled, and one of those who wait has to lead.
    """

    __slots__ = ("_arrived", "_done", "_lock", "_loops", "awaits", "failure", "loop", "process", "value")

    def __init__(self) -> None:
        self.value: Any = MISSING
        self.failure: Exception | None = None
        #: The flights that its leader waits for.
        self.awaits: set[_Flight] = set()
        #: The event loop whose task leads; ``None`` for a thread.
        self.loop: Any = None
        self.process = os.getpid()
        self._done = False
        self._lock = threading.Lock()
        self._arrived: threading.Event | None = None
        self._loops: list[tuple[Any, Any]] = []

    def end(self) -> None:
        """Wake all who wait."""
        with self._lock:
            self._done = True
            arrived, loops = self._arrived, self._loops
        if arrived is not None:
            arrived.set()
        for loop, woken in loops:
            with contextlib.suppress(RuntimeError):  # that loop is closed: nobody waits there
                loop.call_soon_threadsafe(_wake, woken)

    def wait(self) -> None:
        """Block until the flight has ended."""
        with self._lock:
            if self._done:
                return
            arrived = self._arrived = self._arrived or threading.Event()
        arrived.wait()

    async def await_end(self) -> None:
        """Wait in a task until the flight has ended."""
        import asyncio  # noqa: PLC0415 - whoever awaits has it; others need not load it

        loop = asyncio.get_running_loop()
        woken = loop.create_future()
        with self._lock:
            if self._done:
                return
            self._loops.append((loop, woken))
        await woken

    @property
    def ended(self) -> bool:
        """Whether there is nothing left to wait for."""
        return self._done

    def outcome(self) -> Any:
        """The value, or `MISSING` where somebody else has to lead; raises what the leader met."""
        if self.failure is not None:
            raise self.failure
        return self.value


def _wake(woken: Any) -> None:
    if not woken.done():
        woken.set_result(None)


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
            flight, leads = self._board(key)
            try:
                if leads:
                    with self._leading(key, flight):
                        value = find(key)
                        if value is MISSING:
                            value = _plain(make())
                            keep(key, value)
                        flight.value = value
                    return value
                if flight.loop is not None and flight.loop is _running_loop():
                    # The task that leads needs this very thread: to wait is to wait for ever.
                    value = _plain(make())
                    keep(key, value)
                    return value
                with _waiting(key, flight):
                    flight.wait()
                value = flight.outcome()
                if value is not MISSING:
                    return value
            finally:
                del flight  # or an exception, its traceback and the flight would hold each other

    async def arun(
        self,
        key: Hashable,
        make: Callable[[], Awaitable[Any] | Any],
        find: Callable[[Hashable], Any],
        keep: Callable[[Hashable, Any], Any],
    ) -> Any:
        """As `run`, for tasks; what `make` gives is awaited if it can be."""
        while True:
            flight, leads = self._board(key)
            try:
                if leads:
                    flight.loop = _running_loop()
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
                del flight

    def _board(self, key: Hashable) -> tuple[_Flight, bool]:
        """The flight for a key, and whether the caller leads it."""
        mine = _Flight()
        while True:
            flight = self._flights.setdefault(key, mine)
            if flight is mine:
                return mine, True
            if not flight.ended and flight.process == mine.process:
                return flight, False
            # Its leader could not take it away, or stayed behind in the parent of a fork.
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
    """Wait for a flight inside; refused where the flight waits for the caller."""
    leading = tuple(led for led in _LEADING.get() if not led.ended)
    # First say it, then look: of two who close a circle at once, one at least sees it.
    for led in leading:
        led.awaits.add(flight)
    try:
        if _waits_for(flight, leading):
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
            ahead.extend(tuple(here.awaits))
    return False


def _plain(value: Any) -> Any:
    """What a function gave that should not have to be awaited."""
    if not inspect.isawaitable(value):
        return value
    if inspect.iscoroutine(value):
        value.close()  # or Python warns that it was never awaited
    raise TypeError(f"fn gave a {type(value).__name__}, which has to be awaited; use the async method")


def _running_loop() -> Any:
    """The event loop that runs in this thread, if one does."""
    import asyncio  # noqa: PLC0415 - only where tasks are in play, so it is there

    with contextlib.suppress(RuntimeError):
        return asyncio.get_running_loop()
    return None
