"""Two drivers of one flow: legs that are waited for, and legs that are awaited.

A flow is a generator. It yields rounds, each a tuple of tasks that may run at the same time, and is sent
what came of them; what it returns is the result. A task is a generator too: it yields calls, one after
the other. Neither knows who drives it.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_threads
from dataclasses import dataclass
from typing import Any

from rankmeld._asking import WrongDriverError
from rankmeld.ranking import Ranking
from rankmeld.search.asked import Call, Found, NothingError, Task
from rankmeld.search.complaints import complaint
from rankmeld.search.trace import Status
from rankmeld.search.workers import Workers

__all__ = ["Flow", "Outcome", "Round", "Team"]

#: Hits that are read on the event loop; more are read in a thread.
_HITS_ON_LOOP = 256
#: Characters of passages, or of the query, that are worked on on the event loop: well under 5 ms of work.
_CHARACTERS_ON_LOOP = 50_000
#: What a hit costs beside its passage.
_CHARACTERS_A_HIT = 200


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task.

    Attributes
    ----------
    status : str
        As in `rankmeld.Leg`.
    value : object
        What the task returned; ``None`` where it failed.
    error : str or None
        What went wrong.
    seconds : float
        How long it took, or how long it was waited for.
    raised : BaseException or None
        What the task raised, for whoever passes it on.
    """

    status: Status
    value: Any = None
    error: str | None = None
    seconds: float = 0.0
    raised: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """Tasks that may run at the same time; with a `timeout`, that one counts and not the team's."""

    tasks: tuple[Task, ...]
    timeout: float | None = None


#: What a search does, up to each round of calls of somebody else's code.
Flow = Generator[Round, Sequence[Outcome], Any]

_Driven = Generator[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class _Done:
    value: Any


def _advance(steps: _Driven, answer: Any) -> Any:
    """Hand over an answer; the generator asks for more, or is done."""
    try:
        return steps.send(answer)
    except StopIteration as end:
        return _Done(end.value)


class Team:
    """Drives the flows of one searcher.

    Parameters
    ----------
    names : sequence of str
        The legs. Each has threads of its own, so that one that hangs takes none from the others.
    timeout : float or None
        Seconds that a leg may take in a round.
    """

    def __init__(self, names: Sequence[str], timeout: float | None) -> None:
        self._timeout = timeout
        self._workers = {name: Workers(name) for name in names}
        self._between = Workers("search")
        self._left_behind: set[asyncio.Task[Any]] = set()

    # ------------------------------------------------------------------ waiting

    def drive(self, flow: Flow) -> Any:
        """Drive a flow and wait.

        Without a timeout the legs run here, one after the other, and no thread is started. With one, each
        runs in a thread, all at the same time: only from another thread can a leg be left behind.
        """
        step = _advance(flow, None)
        while isinstance(step, Round):
            step = _advance(flow, self._together(step.tasks, self._limit(step)))
        return step.value

    def _limit(self, step: Round) -> float | None:
        return self._timeout if step.timeout is None else step.timeout

    def _together(self, tasks: tuple[Task, ...], timeout: float | None) -> list[Outcome]:
        if timeout is None:
            return [_run(task) for task in tasks]
        started = time.monotonic()
        futures: list[Future[Outcome]] = []
        try:
            futures.extend(self._workers[task.name].submit(_run, task) for task in tasks)
            wait_for_threads(futures, max(0.0, started + timeout - time.monotonic()))
            return [future.result() if future.done() else _late(timeout) for future in futures]
        finally:
            for future in futures:
                future.cancel()

    # ----------------------------------------------------------------- awaiting

    async def adrive(self, flow: Flow, weight: int) -> Any:
        """Drive a flow and await its legs, all at the same time.

        What is not asynchronous runs in threads, and so does what the flow itself does where it is much:
        `weight` is the number of characters that its beginning has to look at.
        """
        step = await self._aadvance(flow, None, weight)
        while isinstance(step, Round):
            outcomes = await self._atogether(step.tasks, self._limit(step))
            weight += sum(map(_weight, outcomes))
            step = await self._aadvance(flow, outcomes, weight)
        return step.value

    async def _aadvance(self, flow: Flow, outcomes: Sequence[Outcome] | None, weight: int) -> Any:
        if weight <= _CHARACTERS_ON_LOOP:
            return _advance(flow, outcomes)
        return await _in_thread(self._between, _advance, flow, outcomes)

    async def _atogether(self, tasks: tuple[Task, ...], limit: float | None) -> list[Outcome]:
        running = [asyncio.ensure_future(self._arun(task)) for task in tasks]
        try:
            await asyncio.wait(running, timeout=limit)
            return [_outcome(task, limit) for task in running]
        finally:
            for task in running:
                if not task.done():
                    # Not awaited: a leg that does not let itself be stopped would hold up everybody.
                    task.cancel()
                    self._left_behind.add(task)
                    task.add_done_callback(self._left_behind.discard)

    async def _arun(self, task: Task) -> Outcome:
        started = time.perf_counter()
        try:
            steps = task.begin()
            step = _advance(steps, None)
            while isinstance(step, Call):
                step = _advance(steps, await self._answer(step))
        except Exception as error:  # noqa: BLE001 - whatever a leg raises is the leg's
            return _failed(error, started)
        return _outcome_of(step.value, started)

    async def _answer(self, call: Call) -> Any:
        """Call without holding up the event loop."""
        workers = self._workers[call.name]
        form: Any = call.call if call.awaited is None else call.awaited
        if _is_coroutine_function(form):
            answer = await form(*call.args, **call.kwargs)
        else:
            answer = await _in_thread(workers, _call_and_read, call, form)
            if not inspect.isawaitable(answer):
                return answer
            answer = await answer
        if call.size(answer) <= _HITS_ON_LOOP:
            return call.read(answer)
        return await _in_thread(workers, call.read, answer)


def _outcome(task: asyncio.Task[Outcome], timeout: float | None) -> Outcome:
    if not task.done():
        return _late(timeout or 0.0)
    if task.cancelled():
        return Outcome("failed", error="CancelledError: the leg was cancelled from inside")
    return task.result()


def _late(timeout: float) -> Outcome:
    return Outcome("timeout", error=f"no answer within {timeout:g} s", seconds=timeout)


def _run(task: Task) -> Outcome:
    """Run a task and wait."""
    started = time.perf_counter()
    try:
        steps = task.begin()
        step = _advance(steps, None)
        while isinstance(step, Call):
            step = _advance(steps, step.answer())
    except WrongDriverError:
        raise
    # Nobody cancels a search that waits: what was cancelled is an event loop's work within the leg.
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - whatever a leg raises is the leg's
        return _failed(error, started)
    return _outcome_of(step.value, started)


def _outcome_of(value: Any, started: float) -> Outcome:
    found = value.ranking if isinstance(value, Found) else value
    status: Status = "empty" if found is None or not len(found) else "ok"
    return Outcome(status, value, None, time.perf_counter() - started)


def _failed(error: BaseException, started: float) -> Outcome:
    if isinstance(error, NothingError):
        return Outcome(error.status, None, error.reason, time.perf_counter() - started)
    status: Status = "timeout" if isinstance(error, TimeoutError) else "failed"
    return Outcome(status, None, complaint(error), time.perf_counter() - started, error)


def _is_coroutine_function(call: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__)


def _call_and_read(call: Call, form: Callable[..., Any]) -> Any:
    answer = form(*call.args, **call.kwargs)
    return answer if inspect.isawaitable(answer) else call.read(answer)


@dataclass(frozen=True, slots=True)
class _Raised:
    error: BaseException


async def _in_thread(workers: Workers, call: Callable[..., Any], *args: Any) -> Any:
    """Run a call in a thread and await it."""
    answer = await asyncio.wrap_future(workers.submit(_caught, call, args))
    if isinstance(answer, _Raised):
        raise answer.error
    return answer


def _caught(call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call, and give what it raises: a future that ends with StopIteration would never be done."""
    try:
        return call(*args)
    except StopIteration as error:
        return _Raised(RuntimeError(f"StopIteration: {error}"))
    except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
        return _Raised(error)


def _weight(outcome: Outcome) -> int:
    """How many characters there are to look at in what came of a task."""
    if isinstance(outcome.value, str):
        return len(outcome.value)
    ranking = outcome.value.ranking if isinstance(outcome.value, Found) else None
    if not isinstance(ranking, Ranking):
        return 0
    documents = [] if ranking._documents is None else ranking._documents
    passages = sum(
        len(document.text) + len(document.title) + len(document.topic)
        for document in documents
        if document is not None
    )
    return passages + _CHARACTERS_A_HIT * len(ranking)
