"""What the rerankers share that wait for somebody else's model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, SupportsIndex

from rankmeld._asking import Flow, adrive, drive
from rankmeld._options import as_integer
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking
from rankmeld.rerankers.base import BaseReranker, as_candidates
from rankmeld.text import is_blank

__all__ = ["AskingReranker", "as_batch_size", "batches"]


class AskingReranker(BaseReranker):
    """Base of the rerankers that wait for somebody else's code."""

    __slots__ = ()

    def _rescored(self, query: str, given: Ranking) -> Ranking:
        return drive(
            self._asked(query, given),
            "write `await reranker.arerank(query, ranking)` instead of `rerank`",
        )

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
        return await adrive(self._asked(query, given)) if len(given) else given

    @abstractmethod
    def _asked(self, query: str, given: Ranking) -> Flow[Ranking]:
        """Order candidates of which there is at least one: yields each `Ask`, receives its answer."""


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
