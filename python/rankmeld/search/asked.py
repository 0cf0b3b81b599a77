"""What a search asks of others: the forms that legs come in, and the calls that are made of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from rankmeld._asking import WrongDriverError
from rankmeld.errors import InvalidArgumentError, InvalidScoreError
from rankmeld.ranking import Ranking
from rankmeld.search.trace import Status
from rankmeld.types import Filters

__all__ = [
    "Asking",
    "Call",
    "Found",
    "HypotheticalVectors",
    "NothingError",
    "Retriever",
    "Task",
    "as_generator",
    "as_retriever",
    "length_of",
    "length_of_text",
    "method_of",
    "read_hits",
    "takes",
]


@runtime_checkable
class HypotheticalVectors(Protocol):
    """Makes the vector of an answer that nobody has written, to search with it (HyDE).

    An object may also have ``avector_for``, a coroutine function with the same arguments and result;
    `AdaptiveSearcher.asearch` awaits it. Where it has ``attempt`` (and ``aattempt``), as a `HydeGenerator`
    does, these are asked instead, and the trace tells what became of it.
    """

    def vector_for(self, query: str, tier: Any, /) -> Any:
        """The vector, or ``None`` where there is none to be had."""


class NothingError(Exception):
    """A leg has nothing to give, and says how it fared and why; raised by its task.

    Attributes
    ----------
    status : str
        As in `rankmeld.search.trace.Leg`.
    reason : str or None
        Why, on one line.
    """

    def __init__(self, status: Status, reason: str | None) -> None:
        super().__init__(status, reason)
        self.status = status
        self.reason = reason


@dataclass(slots=True)
class Call:
    """A call of a leg's code, to be made by whoever drives the search.

    Attributes
    ----------
    name : str
        The leg.
    call : callable or None
        The plain form; ``None`` where there is only one that is awaited.
    args, kwargs
        Its arguments.
    awaited : callable or None
        What is called instead where the answer can be awaited.
    read : callable
        Makes of the answer what the search works with; it belongs to the call, so that time and
        errors are the leg's.
    size : callable
        How much there is to read, roughly in hits: much is not read on the event loop.
    instead : str
        What to write where the answer can only be awaited, for the message of the error.
    """

    name: str
    call: Callable[..., Any] | None
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    awaited: Callable[..., Any] | None = None
    read: Callable[[Any], Any] = lambda answer: answer
    size: Callable[[Any], int] = lambda _answer: 0
    instead: str = "write `await searcher.asearch(query)`, not `search`"

    def answer(self) -> Any:
        """Call, wait as long as it takes, and read the answer."""
        inside = None
        try:
            answer = None if self.call is None else self.call(*self.args, **self.kwargs)
        except WrongDriverError as error:  # a model within the leg
            answer, inside = None, error
        if self.call is None or inside is not None or inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()  # or Python warns that it was never awaited
            raise WrongDriverError(f"the {self.name} leg is asynchronous; {self.instead}") from inside
        return self.read(answer)


#: What a leg does: yields each `Call`, receives its answer, and returns what it gives.
Asking = Generator[Call, Any, Any]


class Task(NamedTuple):
    """One leg's part in a round: its name, and what begins it."""

    name: str
    begin: Callable[[], Asking]


def method_of(leg: Any, name: str) -> Callable[..., Any] | None:
    """A method that an object has."""
    found = getattr(leg, name, None)
    return found if callable(found) else None


class Found(NamedTuple):
    """What a retriever gave: how many hits, and those that count."""

    given: int
    ranking: Ranking


@dataclass(frozen=True, slots=True)
class Retriever:
    """A leg that finds: how it is called, and how its answer is read."""

    name: str
    call: Callable[..., Any] | None
    awaited: Callable[..., Any] | None
    takes_filters: bool

    def asked(
        self,
        query: Any,
        limit: int | None,
        filters: Filters | None,
        *,
        scored: bool = False,
        name: str | None = None,
    ) -> Call:
        """The call for a query, or for a vector; `scored`: each hit must have a score."""
        options: dict[str, Any] = {"limit": limit}
        if self.takes_filters:
            options["filters"] = filters
        return Call(
            name or self.name,
            self.call,
            (query,),
            options,
            self.awaited,
            lambda answer: read_hits(answer, limit, scored=scored),
            length_of,
        )


def as_retriever(leg: Any, name: str, signature: str) -> Retriever:
    """Read a leg: a callable, or an object that has ``search``, ``asearch`` or both.

    Raises
    ------
    TypeError
        It is none, takes no ``limit``, or cannot be called without an argument that no search gives.
    """
    if isinstance(leg, type):
        raise TypeError(f"{name} is the class {leg.__name__}; pass one of its objects")
    call, awaited = method_of(leg, "search"), method_of(leg, "asearch")
    if call is None and callable(leg):
        call = leg
    if call is None and awaited is None:
        raise TypeError(
            f"{name} must be a callable {signature} or an object with such a `search`, "
            f"not {type(leg).__name__}"
        )
    asked = [form for form in (call, awaited) if form is not None]
    if not all(takes(form, "limit") for form in asked):
        raise TypeError(
            f"{name} takes no `limit`; it is called as {signature}, so wrap it: "
            "lambda query, limit, filters: ..."
        )
    wanted = [name for form in asked for name in _unmet(form)]
    if wanted:
        raise TypeError(
            f"{name} cannot do without `{wanted[0]}`, which no search gives; it is called as {signature}, so "
            "wrap it: lambda query, limit, filters: ..."
        )
    return Retriever(name, call, awaited, all(takes(form, "filters") for form in asked))


def as_generator(hyde: Any) -> Any:
    """Check that an object can be asked for the vector of a hypothetical answer."""
    forms = [method_of(hyde, "vector_for"), method_of(hyde, "avector_for")]
    if hyde is not None and (isinstance(hyde, type) or forms == [None, None]):
        raise TypeError(
            "hyde must be an object with `vector_for(query, tier)`, such as a HydeGenerator, "
            f"not {hyde.__name__ if isinstance(hyde, type) else type(hyde).__name__}"
        )
    return hyde


def takes(call: Callable[..., Any], name: str) -> bool:
    """Whether a function takes a keyword; one that does not say so is taken to."""
    try:
        parameters = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return True
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return True
    return name in parameters and parameters[name].kind is not inspect.Parameter.POSITIONAL_ONLY


def _unmet(call: Callable[..., Any]) -> list[str]:
    """The arguments without which a leg cannot be called, beside the query, ``limit`` and ``filters``."""
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return []
    if parameters and parameters[0].kind is not inspect.Parameter.KEYWORD_ONLY:
        del parameters[0]  # the query
    return [
        parameter.name
        for parameter in parameters
        if parameter.default is inspect.Parameter.empty
        and parameter.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        and parameter.name not in ("limit", "filters")
    ]


def length_of(answer: Any) -> int:
    """How many hits an answer has; much, where it does not say."""
    if isinstance(answer, Ranking):
        return 0  # read already
    return len(answer) if isinstance(answer, list | tuple | Mapping) else 1_000_000


def length_of_text(answer: Any) -> int:
    """How many hits a text is like, as to the time that it takes to read it."""
    return len(answer) // 200 if isinstance(answer, str) else 0


def read_hits(answer: Any, limit: int | None, *, scored: bool) -> Found:
    """Read what a leg gave: a ranking of finite scores, cut to what was asked, each id once.

    An iterator is read only as far as that takes, so one without an end does no harm.
    """
    if isinstance(answer, Iterator):
        answer = list(answer if limit is None else islice(answer, limit))
    ranking = answer if isinstance(answer, Ranking) else Ranking(answer)
    given = len(ranking)
    ranking = ranking if limit is None or given <= limit else ranking[:limit]
    _require_scores(ranking, scored=scored)
    return Found(given, _distinct(ranking))


def _require_scores(ranking: Ranking, *, scored: bool) -> None:
    scores = ranking._scores
    if scores is None:
        if scored and len(ranking):
            raise InvalidScoreError(
                f"position 0, id {ranking[0].id!r}: there is no score; this tier weighs the scores of the leg"
            )
        return
    if not np.isfinite(scores).all():
        place = int(np.flatnonzero(~np.isfinite(scores))[0])
        score = "absent or NaN" if np.isnan(scores[place]) else str(scores[place])
        raise InvalidScoreError(
            f"position {place}, id {ranking[place].id!r}: the score is {score}; scores must be finite"
        )


def _distinct(ranking: Ranking) -> Ranking:
    """Each id at its best position."""
    ids = ranking.ids
    first = {id: place for place, id in reversed(list(enumerate(ids)))}
    if len(first) == len(ids):
        return ranking
    places = sorted(first.values())
    scores = None if ranking._scores is None else ranking._scores[places]
    return ranking._step(places, scores, "distinct", {"position_before": places})


def require_filters(retrievers: list[Retriever], filters: Filters | None) -> None:
    """Refuse filters that a leg could not heed: its hits would pass for filtered ones."""
    for retriever in retrievers:
        if filters is not None and not retriever.takes_filters:
            raise InvalidArgumentError(
                f"filters are given, and the {retriever.name} leg takes none; give it a parameter `filters`"
            )
