"""Where candidates come from: one memory, or several that are asked together."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, SupportsIndex, runtime_checkable

from rankmeld._options import as_positive, not_negative
from rankmeld.engine.candidates import joined, read_candidates
from rankmeld.engine.settings import as_timeout
from rankmeld.errors import InvalidArgumentError, RankmeldError
from rankmeld.ranking import Ranking
from rankmeld.search.asked import Asking, Call, Task, length_of, method_of, takes
from rankmeld.search.driving import Outcome, Round, Team
from rankmeld.search.trace import Leg

__all__ = ["Gathered", "Memory", "MultiSourceMemory", "Sources", "as_sources", "user_of"]

_log = logging.getLogger("rankmeld")

_ASKED_AS = "search_candidates(query, *, user_id, top_k)"
_FARED = {"failed": "failed", "timeout": "timed out"}


@runtime_checkable
class Memory(Protocol):
    """What a `RetrievalEngine` asks for candidates.

    It may also have ``asearch_candidates``, a coroutine function with the same arguments and result,
    which asynchronous callers await; `search_candidates` may be a coroutine function itself.
    """

    def search_candidates(self, query: str, *, user_id: str | None, top_k: int) -> Any:
        """At most `top_k` hits with documents and scores, best first, as any form of `Ranking`.

        Parameters
        ----------
        query : str
            What to look for.
        user_id : str or None
            Whose memories count; ``None`` for no user in particular.
        top_k : int
            How many hits are wanted.
        """
        ...


class _Source(NamedTuple):
    """One memory, and how it is asked."""

    name: str
    leg: str
    memory: Any
    weight: float

    def asked(self, query: str, user_id: str | None, top_k: int, instead: str) -> Asking:
        """Ask for candidates."""
        return (
            yield Call(
                self.leg,
                method_of(self.memory, "search_candidates"),
                (query,),
                {"user_id": user_id, "top_k": top_k},
                awaited=method_of(self.memory, "asearch_candidates"),
                read=lambda answer: read_candidates(answer, top_k),
                size=length_of,
                instead=instead,
            )
        )


class Gathered(NamedTuple):
    """What came of asking: the candidates, how each source fared, and the seconds that each took."""

    ranking: Ranking
    legs: dict[str, Leg]
    counts: dict[str, tuple[int, int, float]]


@dataclass(frozen=True, slots=True)
class Sources:
    """The memories that are asked together, and how long each may take."""

    sources: tuple[_Source, ...]
    timeout: float | None
    many: bool

    @property
    def legs(self) -> list[str]:
        """What drivers call the memories."""
        return [source.leg for source in self.sources]

    def gathered(
        self, query: str, user_id: str | None, top_k: int, instead: str
    ) -> Generator[Round, Sequence[Outcome], Gathered]:
        """Ask all, and join what they give.

        Raises
        ------
        RankmeldError
            None could be asked; the message names each with its error.
        """
        tasks = tuple(
            Task(source.leg, partial(source.asked, query, user_id, top_k, instead)) for source in self.sources
        )
        outcomes = yield Round(tasks, self.timeout)
        legs: dict[str, Leg] = {}
        counts: dict[str, tuple[int, int, float]] = {}
        found: list[tuple[_Source, Ranking]] = []
        for source, outcome in zip(self.sources, outcomes, strict=True):
            legs[source.name] = Leg(outcome.status, outcome.error)
            if outcome.value is not None:
                found.append((source, outcome.value.ranking))
                counts[source.name] = (outcome.value.given, len(outcome.value.ranking), outcome.seconds)
            else:
                counts[source.name] = (0, 0, outcome.seconds)
        if not found:
            raise _nobody(self.sources, outcomes)
        for name, leg in legs.items():
            if leg.status in _FARED:
                _log.warning("engine: %s %s: %s", _named(name, self.many), _FARED[leg.status], leg.error)
        if not self.many:
            return Gathered(found[0][1], legs, counts)
        return Gathered(_joined(found, top_k), legs, counts)


def _named(name: str, many: bool) -> str:
    return f"the memory {name!r}" if many else "the memory"


def _nobody(sources: Sequence[_Source], outcomes: Sequence[Outcome]) -> RankmeldError:
    """The error that says that nobody could look, which is no empty answer."""
    each = [
        f"{source.name} ({type(source.memory).__name__}): {outcome.error}"
        for source, outcome in zip(sources, outcomes, strict=True)
    ]
    what = "the memory could not be asked" if len(each) == 1 else "no memory could be asked"
    error = RankmeldError(f"{what}, so there is no answer, not even an empty one: {'; '.join(each)}")
    error.__cause__ = next((outcome.raised for outcome in outcomes if outcome.raised is not None), None)
    return error


def _joined(found: Sequence[tuple[_Source, Ranking]], top_k: int) -> Ranking:
    """The candidates of several sources, weighted; each once, with its best score."""
    weighted = [_weighted(ranking, source.weight) for source, ranking in found]
    ranking, picks, holders = joined(weighted, top_k)
    names = [source.name for source, _ in found]
    columns: dict[str, Sequence[Any]] = {
        "source": [names[pick.part] for pick in picks],
        "position_before": [pick.place for pick in picks],
        "weight": [found[pick.part][0].weight for pick in picks],
        "found_in": [[names[part] for part in parts] for parts in holders],
    }
    return ranking._step(range(len(ranking)), ranking._scores, "sources", columns)


def _weighted(ranking: Ranking, weight: float) -> Ranking:
    if weight == 1.0 or ranking._scores is None:
        return ranking
    before = ranking._scores
    scores = before * weight
    columns = {"score_before": before.tolist(), "weight": [weight] * len(ranking), "score": scores.tolist()}
    return ranking._step(range(len(ranking)), scores, "source_weight", columns)


class MultiSourceMemory:
    """Several memories as one: all are asked, and what they give is joined.

    A candidate that several know, by id or else by an equal text, stands there once, with its best
    score. Scores are not fused by rank but kept, so that a threshold on them goes on to mean what it
    means for each memory alone; for that they should be on one scale, as cosine similarities are.

    Parameters
    ----------
    sources : mapping of str to memory, or iterable of memories
        Each has ``search_candidates(query, *, user_id, top_k)``, plain or a coroutine function, or
        ``asearch_candidates``; see `rankmeld.engine.Memory`. Those of an iterable are called ``source 0`` and
        so on.
    weights : mapping of str to float, optional
        By what the scores of a source are multiplied, by its name; not negative, 1 for those that are
        not named.
    timeout : float, optional
        Seconds that each source may take; above 0. ``None``: as long as it takes, or as long as the
        engine's own timeout says.

    Raises
    ------
    TypeError, InvalidArgumentError
        There is no source, one cannot be asked, a weight or the timeout is not allowed, or a weight
        names no source.

    Notes
    -----
    A source that raises, times out, or gives no ranking of finite scores degrades the answer: the
    engine's trace says so, and a warning is logged (logger ``rankmeld``). Where all fail, a
    `RankmeldError` says why. Asynchronous callers ask all sources at the same time, plain ones
    one after the other, or, with a timeout, in threads at the same time.

    Examples
    --------
    >>> import rankmeld as rm
    >>> class Notes:
    ...     def __init__(self, *hits):
    ...         self.hits = hits
    ...     def search_candidates(self, query, *, user_id, top_k):
    ...         return [(id, score, rm.Document(id, text)) for id, score, text in self.hits][:top_k]
    >>> memory = rm.MultiSourceMemory({
    ...     "notes": Notes(("n1", 0.8, "The key is under the mat."), ("n2", 0.3, "Feed the cat.")),
    ...     "chat": Notes(("c1", 0.9, "Where is the key?"), ("c2", 0.7, "the KEY is under the mat.")),
    ... })
    >>> memory.search_candidates("key", user_id=None, top_k=10).ids
    ['c1', 'n1', 'n2']
    """

    __slots__ = ("_read", "_team")

    def __init__(
        self,
        sources: Mapping[str, Any] | Iterable[Any],
        *,
        weights: Mapping[str, float] | None = None,
        timeout: float | None = None,
    ) -> None:
        named = _as_named(sources)
        shares = _as_weights(weights, named)
        read = tuple(
            _Source(name, f"memory {name}", _as_memory(memory, f"sources[{name!r}]"), shares.get(name, 1.0))
            for name, memory in named.items()
        )
        self._read = Sources(read, as_timeout(timeout), many=True)
        self._team = Team(self._read.legs, None)

    @property
    def names(self) -> list[str]:
        """The names of the sources, in order."""
        return [source.name for source in self._read.sources]

    def search_candidates(
        self, query: str, *, user_id: str | None = None, top_k: SupportsIndex = 20
    ) -> Ranking:
        """Ask all sources and wait.

        Parameters
        ----------
        query : str
            What to look for.
        user_id : str or None
            Whose memories count.
        top_k : int, default 20
            How many hits each source is asked for, and how many are given.

        Returns
        -------
        Ranking
            By descending score.

        Raises
        ------
        RankmeldError
            Every source failed.
        TypeError, InvalidArgumentError
            An argument is not allowed, or a source would have to be awaited.
        """
        flow = self._flow(query, user_id, top_k)
        gathered: Gathered = self._team.drive(flow)
        return gathered.ranking

    async def asearch_candidates(
        self, query: str, *, user_id: str | None = None, top_k: SupportsIndex = 20
    ) -> Ranking:
        """As `search_candidates`, asking all sources at the same time."""
        flow = self._flow(query, user_id, top_k)
        gathered: Gathered = await self._team.adrive(flow, len(query))
        return gathered.ranking

    def _flow(
        self, query: str, user_id: str | None, top_k: SupportsIndex
    ) -> Generator[Round, Sequence[Outcome], Gathered]:
        if not isinstance(query, str):
            raise TypeError(f"query must be a str, not {type(query).__name__}")
        instead = "write `await memory.asearch_candidates(query)`, not `search_candidates`"
        return self._read.gathered(query, user_of(user_id), as_positive(top_k, "top_k"), instead)

    def __reduce__(self) -> tuple[Any, ...]:
        """The sources go out, if they can; threads are started anew."""
        sources = {source.name: source.memory for source in self._read.sources}
        weights = {source.name: source.weight for source in self._read.sources}
        return _unpickled, (sources, weights, self._read.timeout)

    def __repr__(self) -> str:
        """The sources by name."""
        each = (
            f"{source.name}: {type(source.memory).__name__}"
            + ("" if source.weight == 1.0 else f" * {source.weight:g}")
            for source in self._read.sources
        )
        return f"MultiSourceMemory({', '.join(each)})"


def _unpickled(
    sources: Mapping[str, Any], weights: Mapping[str, float], timeout: float | None
) -> MultiSourceMemory:
    return MultiSourceMemory(sources, weights=weights, timeout=timeout)


def as_sources(memory: Any) -> Sources:
    """Read an engine's memory; the sources of a `MultiSourceMemory` are asked by the engine itself."""
    if isinstance(memory, MultiSourceMemory):
        return memory._read
    return Sources((_Source("memory", "memory", _as_memory(memory, "memory"), 1.0),), None, many=False)


def user_of(user_id: Any) -> str | None:
    """A user's name, or nobody in particular."""
    if user_id is not None and not isinstance(user_id, str):
        raise TypeError(f"user_id must be a str or None, not {type(user_id).__name__}; pass str(user_id)")
    return user_id


def _as_memory(memory: Any, name: str) -> Any:
    """Check that an object can be asked for candidates."""
    if isinstance(memory, type):
        raise TypeError(f"{name} is the class {memory.__name__}; pass one of its objects")
    forms = [method_of(memory, form) for form in ("search_candidates", "asearch_candidates")]
    if forms == [None, None]:
        hint = "; StoreMemory(store, embedder) makes one of a store" if method_of(memory, "search") else ""
        raise TypeError(
            f"{name} must be an object with {_ASKED_AS}, and {type(memory).__name__} has none{hint}"
        )
    for form in forms:
        for keyword in ("user_id", "top_k"):
            if form is not None and not takes(form, keyword):
                raise TypeError(f"{name} takes no `{keyword}`; it is called as {_ASKED_AS}")
    return memory


def _as_named(sources: Any) -> dict[str, Any]:
    if isinstance(sources, Mapping):
        named = dict(sources)
    elif isinstance(sources, Iterable) and not isinstance(sources, str):
        named = {f"source {place}": memory for place, memory in enumerate(sources)}
    else:
        raise TypeError(
            "sources must be a mapping of names to memories, or a list of memories, not "
            f"{type(sources).__name__}"
        )
    for name in named:
        if not isinstance(name, str):
            raise TypeError(f"the names of sources must be str, not {type(name).__name__}")
    if not named:
        raise InvalidArgumentError("sources is empty; give one memory or more")
    return named


def _as_weights(weights: Any, named: Mapping[str, Any]) -> dict[str, float]:
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise TypeError(f"weights must be a mapping of source names to numbers, not {type(weights).__name__}")
    for name in weights:
        if name not in named:
            raise InvalidArgumentError(
                f"weights names {name!r}; the sources are {', '.join(map(repr, named))}"
            )
    return {name: not_negative(weight, f"weights[{name!r}]") for name, weight in weights.items()}
