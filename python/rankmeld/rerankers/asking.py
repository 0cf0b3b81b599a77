"""Asking somebody else's model: one flow for those who wait and for those who await."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, SupportsIndex

from rankmeld._options import as_integer
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking
from rankmeld.rerankers.base import BaseReranker, as_candidates
from rankmeld.text import is_blank

__all__ = ["Ask", "AskingReranker", "Flow", "as_batch_size", "as_function", "batches", "name_of"]


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

    def answer(self) -> Any:
        """Call, and wait as long as it takes."""
        answer = self.call(*self.args)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()  # or Python warns that it was never awaited
            raise TypeError(
                f"{self.name} is asynchronous (it gave a {type(answer).__name__}); "
                "write `await reranker.arerank(query, ranking)` instead of `rerank`"
            )
        return answer

    async def awaited_answer(self) -> Any:
        """Call without holding up the event loop: what is not asynchronous runs in a thread."""
        call = self.call if self.awaited is None else self.awaited
        if inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__):
            return await call(*self.args)
        import asyncio  # noqa: PLC0415 - whoever awaits has it; the others need not pay for it

        answer = await asyncio.to_thread(_without_stop_iteration, call, self.args)
        return await answer if inspect.isawaitable(answer) else answer


def _without_stop_iteration(call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call in a thread: a future that ends with StopIteration would never be done."""
    try:
        return call(*args)
    except StopIteration as error:
        raise RuntimeError(f"{call!r} raised StopIteration") from error


#: What a reranker does, up to each call of somebody else's code.
Flow = Generator[Ask, Any, Ranking]


def _advance(flow: Flow, answer: Any) -> Ask | Ranking:
    """Hand over an answer; the flow asks for more, or is done."""
    try:
        return flow.send(answer)
    except StopIteration as end:
        ranking: Ranking = end.value
        return ranking


class AskingReranker(BaseReranker):
    """Base of the rerankers that wait for somebody else's code."""

    __slots__ = ()

    def _rescored(self, query: str, given: Ranking) -> Ranking:
        with closing(self._asked(query, given)) as flow:
            step = _advance(flow, None)
            while isinstance(step, Ask):
                step = _advance(flow, step.answer())
            return step

    async def arerank(self, query: str, ranking: Any) -> Ranking:
        """Do what `rerank` does, and await what is asynchronous.

        A function that is not asynchronous runs in a worker thread, so that the event loop goes on.
        A cancellation goes through at once, and nothing is applied.

        Parameters
        ----------
        query : str
            What was asked.
        ranking : ranking
            The candidates, in any form; see `Ranking`.

        Returns
        -------
        Ranking
            As `rerank` gives it.
        """
        given = as_candidates(query, ranking)
        if not len(given):
            return given
        with closing(self._asked(query, given)) as flow:
            step = _advance(flow, None)
            while isinstance(step, Ask):
                step = _advance(flow, await step.awaited_answer())
            return step

    @abstractmethod
    def _asked(self, query: str, given: Ranking) -> Flow:
        """Order candidates of which there is at least one: yields each `Ask`, receives its answer."""


def as_function(value: Any, name: str, signature: str) -> None:
    """Check that an argument can be called; `signature` says how it will be."""
    if not callable(value):
        raise TypeError(f"{name} must be a callable {signature}, not {type(value).__name__}")


def as_batch_size(value: SupportsIndex | None) -> int | None:
    """How many passages go into one call: ``None`` for all, else 1 or more."""
    if value is None:
        return None
    size = as_integer(value, "batch_size")
    if size < 1:
        raise InvalidArgumentError(f"batch_size is {size}; it must be 1 or more, or None for all at once")
    return size


def batches(
    passages: list[str], size: int | None, *, blank: bool
) -> Iterator[tuple[Sequence[int], list[str]]]:
    """Cut passages into lists of at most this length, each with the places of its passages.

    With ``blank=False`` those that say nothing are left out.
    """
    places = [place for place, text in enumerate(passages) if blank or not is_blank(text)]
    step = len(places) if size is None else size
    for start in range(0, len(places), max(step, 1)):
        some = places[start : start + step]
        yield some, [passages[place] for place in some]


def name_of(function: Any) -> str:
    """What messages call a function, or an object that can be called."""
    name: str = getattr(function, "__qualname__", None) or type(function).__qualname__
    return name
