"""Why a hit stands where it stands: worked out when asked, from columns that are there anyway."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmeld.errors import RankmeldError

if TYPE_CHECKING:
    from rankmeld._core import Trace

__all__ = ["HitExplanation", "SourceCredit", "Stage"]


@dataclass(frozen=True, slots=True)
class SourceCredit:
    """What one list gave a hit.

    Attributes
    ----------
    name : str
        The list's name, or ``rankings[i]`` for one without.
    position : int or None
        Position in the list, from 0; ``None`` where the list does not hold the hit.
    score : float or None
        The score that the list gave, where it gave one.
    normalized : float or None
        The score on the common scale, for methods that have one.
    weight : float
        The list's weight.
    credit : float
        What went into the combination, weight included.
    """

    name: str
    position: int | None
    score: float | None
    normalized: float | None
    weight: float
    credit: float

    def __str__(self) -> str:
        """One line for people."""
        if self.position is None:
            absent = f"{self.name}: absent"
            return f"{absent}, credit {self.credit:.6g}" if self.credit else absent
        parts = [f"{self.name}: position {self.position}"]
        if self.score is not None:
            parts.append(f"score {self.score:.6g}")
        if self.normalized is not None:
            parts.append(f"normalized {self.normalized:.6g}")
        if self.weight != 1.0:
            parts.append(f"weight {self.weight:.6g}")
        return f"{', '.join(parts)}, credit {self.credit:.6g}"


@dataclass(frozen=True, slots=True)
class Stage:
    """What a later step did to a hit.

    Attributes
    ----------
    name : str
        The step.
    details : Mapping[str, Any]
        What it worked with and what came out.
    """

    name: str
    details: Mapping[str, Any]

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.name}: {', '.join(f'{key} {_shown(value)}' for key, value in self.details.items())}"


def _shown(value: Any) -> str:
    if type(value) in (list, tuple):
        return f"({', '.join(map(_shown, value))})"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class HitExplanation:
    """How a hit came to its place.

    Attributes
    ----------
    id : Hashable
        The hit's id.
    score : float or None
        Its score in the ranking that was asked.
    method : str
        The fusion's name; empty for a ranking that was not fused.
    combination : str
        How credits became the fused score.
    sources : tuple of SourceCredit
        One for every entry that counted and one for every list that does not hold the hit. For
        ``rrf`` and for ``combine="sum"`` the credits' exactly rounded sum (`math.fsum`) is the
        fused score.
    stages : tuple of Stage
        What later steps did, in order.
    """

    id: Hashable
    score: float | None
    method: str
    combination: str
    sources: tuple[SourceCredit, ...]
    stages: tuple[Stage, ...]

    def __str__(self) -> str:
        """A few lines for people."""
        head = f"{self.id!r}" if self.score is None else f"{self.id!r}  {self.score:.6g}"
        if self.method:
            head += f"  {self.method} ({self.combination})"
        return "\n".join([head, *(f"  {line}" for line in (*self.sources, *self.stages))])


@dataclass(slots=True, eq=False)
class Fusion:
    """The first link of a chain: the fusion that made a ranking."""

    method: str
    combination: str
    names: Sequence[str | None]
    weights: Sequence[float]
    trace: Trace

    def origins(self, places: list[int]) -> list[_Origin]:
        """What every list gave the hits at these distinct places."""
        names = [f"rankings[{index}]" if name is None else name for index, name in enumerate(self.names)]
        credits = [
            tuple(
                SourceCredit(names[index], position, score, normalized, self.weights[index], credit)
                for index, position, score, normalized, credit in rows
            )
            for rows in self.trace.contributions(places)
        ]
        return [(self.method, self.combination, of_one, ()) for of_one in credits]


@dataclass(slots=True, eq=False)
class Step:
    """A later link: what a stage did, and where its hits stood before.

    Attributes
    ----------
    parent : Fusion, Step, Joined or None
        What came before; ``None`` where the stage got a ranking that nothing had made.
    places : sequence of int or None
        For each place of the stage's output, the hit's place in its input, ``None`` for one that the stage
        brought in.
    name : str
        The stage.
    columns : Mapping[str, Sequence]
        Details, each aligned with the stage's output.
    """

    parent: Chain | None
    places: Sequence[int | None]
    name: str
    columns: Mapping[str, Sequence[Any]]

    def stage(self, place: int) -> Stage:
        """What the stage did to the hit at this place of its output."""
        details = {key: column[place] for key, column in self.columns.items()}
        return Stage(self.name, details)


class Columns(Mapping[str, Sequence[Any]]):
    """Columns that are worked out, all at once, when somebody looks at one of them.

    Parameters
    ----------
    make : callable
        Gives the columns; it holds on to what it makes them of.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Mapping[str, Sequence[Any]]]) -> None:
        self._make = make
        self._made: Mapping[str, Sequence[Any]] | None = None

    def _columns(self) -> Mapping[str, Sequence[Any]]:
        made = self._made
        if made is None:  # two threads may both make them: they come out the same
            self._made = made = self._make()
        return made

    def __getitem__(self, key: str) -> Sequence[Any]:
        """One column."""
        return self._columns()[key]

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._columns())

    def __len__(self) -> int:
        """How many there are."""
        return len(self._columns())


@dataclass(slots=True, eq=False)
class Joined:
    """A link where several rankings became one, each hit being one of theirs.

    Attributes
    ----------
    parents : sequence of Fusion, Step, Joined or None
        What came before, for each of the rankings.
    picks : sequence of (int, int or None)
        For each hit the ranking that it is of, and its place in the output of that one's last link.
    """

    parents: Sequence[Chain | None]
    picks: Sequence[tuple[int, int | None]]

    def origins(self, places: list[int]) -> list[_Origin]:
        """What the rankings' own chains say of the hits at these places."""
        found: dict[int, _Origin] = {}
        for part, parent in enumerate(self.parents):
            mine = [place for place in places if self.picks[place][0] == part]
            if parent is not None and mine:
                rows = [self.picks[place][1] for place in mine]
                nothing: list[None] = [None] * len(mine)
                for place, one in zip(mine, explained(parent, rows, nothing, nothing), strict=True):
                    found[place] = (one.method, one.combination, one.sources, one.stages)
        return [found.get(place, _UNKNOWN) for place in places]


@dataclass(frozen=True, slots=True, eq=False)
class Lost:
    """In place of a chain that did not come along, as through pickling."""


Chain = Fusion | Step | Joined | Lost

#: Method, combination, credits and earlier stages of a hit.
_Origin = tuple[str, str, tuple[SourceCredit, ...], tuple[Stage, ...]]
_UNKNOWN: _Origin = ("", "", (), ())


def explained(
    chain: Chain | None,
    places: list[int | None],
    ids: Sequence[Hashable],
    scores: Sequence[float | None],
) -> list[HitExplanation]:
    """Explain the hits at these distinct places of the output of the chain's last link.

    ``None`` is the place of a hit that a later link brought in: of it the chain knows nothing.
    """
    stages: list[list[Stage]] = [[] for _ in places]
    while isinstance(chain, Step):
        for found, place in zip(stages, places, strict=True):
            if place is not None:
                found.append(chain.stage(place))
        places = [None if place is None else chain.places[place] for place in places]
        chain = chain.parent
    if isinstance(chain, Lost):
        raise RankmeldError(
            "this ranking was unpickled, and the columns behind its explanation stayed behind; "
            "ask for the explanation before pickling"
        )
    if chain is None and not any(stages) and places:
        raise RankmeldError(
            "this ranking was neither fused nor reordered, so there is nothing to explain; explain what "
            "rrf, fuse_scores, rerankers and the like return (of a search the score says all; for MaxSim "
            "there is maxsim(..., explain=True))"
        )
    known = [place for place in places if place is not None]
    origins = iter([_UNKNOWN] * len(known) if chain is None else chain.origins(known))
    return [
        _explanation(id_, score, _UNKNOWN if place is None else next(origins), found)
        for id_, score, place, found in zip(ids, scores, places, stages, strict=True)
    ]


def _explanation(id: Hashable, score: float | None, origin: _Origin, later: list[Stage]) -> HitExplanation:
    """How one hit came to its place; `later` stages come last first."""
    method, combination, credits, earlier = origin
    return HitExplanation(id, score, method, combination, credits, (*earlier, *reversed(later)))
