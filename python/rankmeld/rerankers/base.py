"""What a reranker is, and what all of them share: reading candidates, ordering them anew, saying so."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Protocol, overload, runtime_checkable

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld.ranking import Ranking
from rankmeld.text import clean_text

__all__ = ["BaseReranker", "Reranker", "Scores", "as_candidates", "passages_of", "reordered"]

Scores = npt.NDArray[np.float64]

#: What went into the new scores, in the order of the candidates: a column, or a function that gives
#: the value at a place when somebody asks.
Parts = Mapping[str, npt.NDArray[Any] | Callable[[int], Any]]


@runtime_checkable
class Reranker(Protocol):
    """Anything that orders the hits of a ranking anew for a query.

    All of rankmeld's rerankers keep these promises, and so should yours:

    - The output holds exactly the hits of the input, each as often as it was there.
    - It is ordered by descending score, equal scores as they came. A reranker that orders otherwise
      says so with an attribute ``ordered = False``, as `rankmeld.MMRReranker` does.
    - Nothing that was passed in changes; where an exception is raised, nothing was applied.

    One that waits for something, such as a service, may also have ``arerank``, a coroutine function
    with the same arguments and result. `rankmeld.ChainReranker` awaits it.

    Examples
    --------
    >>> import rankmeld as rm
    >>> class Alphabetical:
    ...     def rerank(self, query, ranking):
    ...         ids = sorted(rm.Ranking(ranking).ids)
    ...         return rm.Ranking([(id, -float(place)) for place, id in enumerate(ids)])
    >>> isinstance(Alphabetical(), Reranker)
    True
    """

    def rerank(self, query: str, ranking: Any, /) -> Ranking:
        """Order the hits of a ranking anew for a query.

        Parameters
        ----------
        query : str
            What was asked.
        ranking : ranking
            The candidates, in any form; see `Ranking`.

        Returns
        -------
        Ranking
            The same hits with new scores, best first.
        """
        ...


class BaseReranker(ABC):
    """Base of the rerankers here: checks the query, reads the ranking, passes empty ones through.

    A subclass is a frozen dataclass: its options can be read, it can be shared between threads, and
    it can be pickled where the functions that it was given can.
    """

    __slots__ = ()

    #: Whether the output is by descending score.
    ordered: ClassVar[bool] = True

    def rerank(self, query: str, ranking: Any) -> Ranking:
        """Order the hits of a ranking anew for a query.

        Parameters
        ----------
        query : str
            What was asked.
        ranking : ranking
            The candidates, in any form; see `Ranking`. A hit without a document has an empty passage.

        Returns
        -------
        Ranking
            The same hits with new scores. Each can `explain` what was done to it.
        """
        given = as_candidates(query, ranking)
        return self._rescored(query, given) if len(given) else given

    rerank.__qualname__ = "Reranker.rerank"  # as Python's own messages call it: this class is not public

    @abstractmethod
    def _rescored(self, query: str, given: Ranking) -> Ranking:
        """Order candidates of which there is at least one."""

    def __repr__(self) -> str:
        """The options that differ from their defaults."""
        shown = (
            _shown(field, getattr(self, field.name))
            for field in dataclasses.fields(self)  # type: ignore[arg-type]  # every subclass is one
            if field.repr and getattr(self, field.name) != field.default
        )
        return f"{type(self).__name__}({', '.join(shown)})"


def _shown(field: dataclasses.Field[Any], value: Any) -> str:
    """An option as it was passed; functions and models by name: an address says nothing."""
    text = getattr(value, "__qualname__", None) or repr(value)
    text = type(value).__qualname__ if " at 0x" in text else text
    return f"{field.name}={text}" if field.kw_only else text


def as_candidates(query: str, ranking: Any) -> Ranking:
    """Read the arguments that every reranker has.

    Raises
    ------
    TypeError
        The query is no text, or the ranking is none.
    """
    if not isinstance(query, str):
        raise TypeError(f"query must be a str, not {type(query).__name__}")
    return ranking if isinstance(ranking, Ranking) else Ranking(ranking)


def passages_of(given: Ranking) -> list[str]:
    """The passage of each hit, composed (NFC) and without lone surrogates; empty without a document."""
    passages = ["" if document is None else document.passage for document in given._documents or ()]
    if not passages:
        return [""] * len(given)
    return [passage if passage.isascii() else clean_text(passage) for passage in passages]


def reordered(given: Ranking, scores: Scores, stage: str, parts: Parts) -> Ranking:
    """Give the hits new scores, and order them by these.

    Parameters
    ----------
    given : Ranking
        The candidates.
    scores : array of shape (N,)
        Their new scores, finite, in the order of the candidates.
    stage : str
        What an explanation calls the reranker.
    parts : Mapping
        What went into the new scores, for the explanation.
    """
    order = _core.order(scores, given._ids, None, "first")
    places = order.tolist()
    before = given._score_list()
    columns: dict[str, Sequence[Any]] = {
        "position_before": places,
        "score_before": list(map(before.__getitem__, places)),
    }
    for name, part in parts.items():
        columns[name] = _OnRequest(part, places) if callable(part) else part[order].tolist()
    columns["score"] = scores[order].tolist()
    return given._step(places, scores[order], stage, columns)


class _OnRequest(Sequence[Any]):
    """A column of an explanation that is worked out when somebody looks at it."""

    __slots__ = ("_places", "_value_at")

    def __init__(self, value_at: Callable[[int], Any], places: list[int]) -> None:
        self._value_at = value_at
        self._places = places

    def __len__(self) -> int:
        """How many hits there are."""
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """The value at a place of the output."""
        if isinstance(index, slice):
            return [self._value_at(place) for place in self._places[index]]
        return self._value_at(self._places[index])

    def __iter__(self) -> Iterator[Any]:
        """The values, best hit first."""
        return map(self._value_at, self._places)
