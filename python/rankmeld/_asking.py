"""Asking somebody else's model: one flow for those who wait and for those who await.

A flow is a generator. It yields what it wants to know, an `Ask` or several flows `Together`, and is
sent the answer, or is thrown what asking raised; what it returns is the result. It does not know who
drives it: `drive`, which waits, or `adrive`, which awaits.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeVar

__all__ = ["Ask", "Flow", "Together", "WrongDriverError", "adrive", "as_function", "drive", "name_of"]

T = TypeVar("T")


class WrongDriverError(TypeError):
    """What has to be awaited was called by somebody who waits: the caller's slip, not the model's."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A call of somebody else's code, to be made by whoever drives the flow.

    Attributes
    ----------
    name : str
        What messages call the function.
    call : callable
        The function.
    args : tuple
        Its arguments.
    awaited : callable, optional
        What to call instead where the answer can be awaited.
    """

    name: str
    call: Callable[..., Any]
    args: tuple[Any, ...]
    awaited: Callable[..., Any] | None = None

    def answer(self, instead: str) -> Any:
        """Call, and wait as long as it takes."""
        answer = _called(self.call, self.args)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()  # or Python warns that it was never awaited
            raise WrongDriverError(
                f"{self.name} is asynchronous (it gave a {type(answer).__name__}); {instead}"
            )
        return answer

    async def awaited_answer(self) -> Any:
        """Call without holding up the event loop: what is not asynchronous runs in a thread."""
        call = self.call if self.awaited is None else self.awaited
        if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__):
            return await call(*self.args)
        import asyncio  # noqa: PLC0415 - whoever awaits has it; the others need not pay for it

        answer = await asyncio.to_thread(_called, call, self.args)
        return await answer if inspect.isawaitable(answer) else answer


def _called(call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call; StopIteration would end the flow that it is thrown into, and a future would never be done."""
    try:
        return call(*args)
    except StopIteration as error:
        raise RuntimeError(f"{call!r} raised StopIteration") from error


@dataclass(frozen=True, slots=True)
class Together:
    """Flows that do not depend on each other; the answer is the list of their results.

    Whoever waits drives them one after the other, whoever awaits so many at a time. The first error
    ends them all.
    """

    flows: Sequence[Flow[Any]]
    concurrency: int

    def answer(self, instead: str) -> list[Any]:
        """Drive each, and wait."""
        return [drive(flow, instead) for flow in self.flows]

    async def awaited_answer(self) -> list[Any]:
        """Drive them at the same time."""
        import asyncio  # noqa: PLC0415 - as above

        results: list[Any] = [None] * len(self.flows)
        waiting = enumerate(self.flows)
        hands = min(self.concurrency, len(self.flows))
        working = [asyncio.ensure_future(_work(waiting, results)) for _ in range(hands)]
        try:
            if working:
                await asyncio.wait(working, return_when=asyncio.FIRST_EXCEPTION)
            for hand in working:
                if hand.done():
                    hand.result()  # raises what it met
        finally:
            for hand in working:
                hand.cancel()
            await asyncio.gather(*working, return_exceptions=True)
        return results


async def _work(waiting: Iterator[tuple[int, Flow[Any]]], results: list[Any]) -> None:
    for place, flow in waiting:
        results[place] = await adrive(flow)


#: What is done up to each answer that has to be waited for.
Flow = Generator[Ask | Together, Any, T]


def drive(flow: Flow[T], instead: str) -> T:
    """Drive a flow, and wait for each answer.

    Parameters
    ----------
    flow : Flow
        It is closed at the end.
    instead : str
        What to do where something is asynchronous, for the message of the error.

    Raises
    ------
    WrongDriverError
        Something is; the flow is not told.
    """
    with closing(flow):
        step = _advance(flow.send, None)
        while isinstance(step, Ask | Together):
            resume: Callable[[Any], Any] = flow.send
            try:
                answer = step.answer(instead)
            except WrongDriverError:
                raise
            except Exception as error:  # noqa: BLE001 - the flow knows what to make of it
                resume, answer = flow.throw, error
            try:
                step = _advance(resume, answer)
            finally:
                del answer  # an error that goes through and this frame would hold each other
        result: T = step
        return result


async def adrive(flow: Flow[T]) -> T:
    """Drive a flow, and await each answer; what is not asynchronous runs in worker threads.

    A cancellation goes through at once; the flow is closed and not told.
    """
    with closing(flow):
        step = _advance(flow.send, None)
        while isinstance(step, Ask | Together):
            resume: Callable[[Any], Any] = flow.send
            try:
                answer = await step.awaited_answer()
            except WrongDriverError:
                raise
            except Exception as error:  # noqa: BLE001 - as above
                resume, answer = flow.throw, error
            try:
                step = _advance(resume, answer)
            finally:
                del answer
        result: T = step
        return result


def _advance(resume: Callable[[Any], Any], value: Any) -> Any:
    """Let a flow go on; it asks for more, or is done and this is its result."""
    try:
        return resume(value)
    except StopIteration as end:
        return end.value


def as_function(value: Any, name: str, signature: str) -> None:
    """Check that an argument can be called; `signature` says how it will be."""
    if not callable(value):
        raise TypeError(f"{name} must be a callable {signature}, not {type(value).__name__}")


def name_of(function: Any) -> str:
    """What messages call a function, or an object that can be called."""
    name: str = getattr(function, "__qualname__", None) or type(function).__qualname__
    return name
