"""Several rerankers, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rankmeld._asking import Ask, Flow, name_of
from rankmeld._options import require_order
from rankmeld.errors import RerankResponseError
from rankmeld.ranking import Ranking
from rankmeld.rerankers.asking import AskingReranker
from rankmeld.rerankers.base import Reranker

__all__ = ["ChainReranker"]


@dataclass(frozen=True, slots=True, repr=False)
class ChainReranker(AskingReranker):
    """A reranker that runs others in order, each on what the one before made.

    Parameters
    ----------
    rerankers : sequence of Reranker
        In order; chains among them too. None at all: the ranking stays as it is.

    Raises
    ------
    TypeError
        One of them has no ``rerank``, or they have no order, as in a set.

    Notes
    -----
    `arerank` awaits those that have an ``arerank``; the others run in a worker thread. An
    explanation shows every step.

    Examples
    --------
    >>> import rankmeld as rm
    >>> def length(query, passages):
    ...     return [len(passage) for passage in passages]
    >>> def shared(query, passages):
    ...     return [len(set(query.split()) & set(passage.split())) for passage in passages]
    >>> chain = rm.ChainReranker([rm.CallableReranker(length), rm.CallableReranker(shared)])
    >>> hits = [("a", 1.0, rm.Document("a", "one")), ("b", 0.5, rm.Document("b", "one and two"))]
    >>> found = chain.rerank("one", hits)
    >>> found.ids
    ['b', 'a']
    >>> [stage.name for stage in found.explain("b").stages]
    ['length', 'shared']
    """

    rerankers: Sequence[Reranker]

    def __post_init__(self) -> None:
        listed: Any = self.rerankers
        if isinstance(listed, str) or not isinstance(listed, Iterable):
            hint = "; to run one alone, write [reranker]" if hasattr(listed, "rerank") else ""
            raise TypeError(f"rerankers must be a list of rerankers, not {type(listed).__name__}{hint}")
        require_order(listed, "rerankers", "rerankers")
        given = tuple(listed)
        for index, reranker in enumerate(given):
            if isinstance(reranker, type):
                name = reranker.__name__
                raise TypeError(f"rerankers[{index}] is the class {name}; make one of it: {name}(...)")
            if not callable(getattr(reranker, "rerank", None)):
                name = name_of(reranker) if callable(reranker) else repr(reranker)
                hint = f"; wrap it: CallableReranker({name})" if callable(reranker) else ""
                raise TypeError(
                    f"rerankers[{index}] must have a method rerank(query, ranking), "
                    f"which {name} has not{hint}"
                )
        object.__setattr__(self, "rerankers", given)

    @property
    def ordered(self) -> bool:  # type: ignore[override]  # it depends on the last one
        """Whether the output is by descending score: what the last reranker says."""
        return bool(self.rerankers) and bool(getattr(self.rerankers[-1], "ordered", True))

    def _asked(self, query: str, given: Ranking) -> Flow[Ranking]:
        ranking, hits = given, Counter(given.ids)
        for reranker in self.rerankers:
            name = name_of(reranker)
            answer = yield Ask(
                name, reranker.rerank, (query, ranking), awaited=getattr(reranker, "arerank", None)
            )
            if not isinstance(answer, Ranking) or Counter(answer.ids) != hits:
                got = type(answer).__name__
                if isinstance(answer, Ranking):
                    got = "other hits" if len(answer) == len(given) else f"{len(answer)} hits"
                raise RerankResponseError(
                    f"{name} gave {got}; a reranker must give a Ranking of exactly the {len(given)} hits "
                    "that it got"
                )
            ranking = answer
        return ranking

    def __repr__(self) -> str:
        """The rerankers as a list."""
        return f"ChainReranker({list(self.rerankers)!r})"
