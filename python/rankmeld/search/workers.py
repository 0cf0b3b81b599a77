"""Threads for legs that wait: as many as are needed at once, never more than a bound, none for long.

A thread cannot be stopped from outside. So a leg that hangs keeps its thread, but these threads are
daemons, which keep no interpreter alive, and there is a bound to them: when all hang, further calls of
that leg wait for one of them until their own time is over, and are then taken back unmade.
"""

from __future__ import annotations

import contextvars
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

__all__ = ["MOST_THREADS", "Workers"]

#: Threads that one leg of one searcher may have at once.
MOST_THREADS = 32
#: Seconds after which a thread without work ends.
_IDLE = 5.0

_Call = tuple[contextvars.Context, Callable[..., Any], tuple[Any, ...]]


@dataclass(slots=True, eq=False)
class _Crew:
    """The threads of one process: a fork takes none along, so the child starts anew."""

    process: int
    changed: threading.Condition = field(default_factory=threading.Condition)
    jobs: OrderedDict[Future[Any], _Call] = field(default_factory=OrderedDict)
    threads: int = 0
    waiting: int = 0

    def take_back(self, future: Future[Any]) -> None:
        """Forget a job that was cancelled before its turn."""
        if future.cancelled():
            with self.changed:
                self.jobs.pop(future, None)

    def work(self) -> None:
        """Run jobs until there have been none for a while."""
        while (job := self._next()) is not None:
            future, (context, call, args) = job
            del job
            if future.set_running_or_notify_cancel():
                try:
                    answer = context.run(call, *args)
                except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
                    future.set_exception(error)
                else:
                    future.set_result(answer)
                    del answer
            del future, context, call, args  # a thread without work must not hold on to them

    def _next(self) -> tuple[Future[Any], _Call] | None:
        with self.changed:
            if not self.jobs:
                self.waiting += 1
                self.changed.wait_for(lambda: self.jobs, _IDLE)
                self.waiting -= 1
            if self.jobs:
                return self.jobs.popitem(last=False)
            self.threads -= 1
            return None


class Workers:
    """Daemon threads that run calls.

    Parameters
    ----------
    name : str
        What the threads are called.
    """

    __slots__ = ("_crew", "_name")

    def __init__(self, name: str) -> None:
        self._name = name
        self._crew = _Crew(os.getpid())

    def submit(self, call: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run a call in a thread, in the caller's context.

        A future that is cancelled before its turn never runs; one that runs goes on unheard.
        """
        crew = self._crew
        if crew.process != os.getpid():
            crew = self._crew = _Crew(os.getpid())
        future: Future[Any] = Future()
        with crew.changed:
            crew.jobs[future] = (contextvars.copy_context(), call, args)
            wanted = len(crew.jobs) > crew.waiting and crew.threads < MOST_THREADS
            crew.threads += wanted
            if not wanted:
                crew.changed.notify()
        if wanted:
            try:
                threading.Thread(target=crew.work, name=f"rankmeld-{self._name}", daemon=True).start()
            except BaseException:  # no thread to be had
                with crew.changed:
                    crew.threads -= 1
                    crew.jobs.pop(future, None)
                raise
        future.add_done_callback(crew.take_back)
        return future
