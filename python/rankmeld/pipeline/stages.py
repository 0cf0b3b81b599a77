"""Stages of a pipeline: the library's functions with their options, so that these can be seen and set.

None of them has a formula of its own: each calls the function that its documentation names.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from rankmeld._options import as_limit
from rankmeld.decay import time_decay
from rankmeld.dedup import dedup
from rankmeld.errors import InvalidArgumentError
from rankmeld.fusion import DEFAULT_RRF_K, Duplicates, Ties, rrf
from rankmeld.matches import boost_matches
from rankmeld.mmr import mmr
from rankmeld.near_duplicates import dedup_near
from rankmeld.propagation import Neighbors, propagate
from rankmeld.rank_fusion import fuse_ranks
from rankmeld.ranking import Ranking
from rankmeld.score_fusion import Combine, Normalize, fuse_scores
from rankmeld.types import DocumentLookup

__all__ = [
    "BoostMatches",
    "Cut",
    "Dedup",
    "DedupNear",
    "FuseRanks",
    "FuseScores",
    "Mmr",
    "NotApplied",
    "PipelineContext",
    "PipelineStage",
    "Propagate",
    "Rrf",
    "TimeDecay",
    "fusing",
]


@dataclass(frozen=True, slots=True)
class PipelineContext:
    """What stages know besides the ranking.

    Attributes
    ----------
    query : str or None
        What was asked.
    now : datetime
        The moment of the run, aware: one for all of its stages.
    """

    query: str | None
    now: dt.datetime


@dataclass(frozen=True, slots=True)
class NotApplied:
    """What a stage gives instead of a ranking where it has no say: the hits go on as they came.

    Attributes
    ----------
    reason : str
        Why, for the trace.
    """

    reason: str


_NO_QUERY = NotApplied("there is no query")
_ANY_TIME = PipelineContext("", dt.datetime(2000, 1, 1, tzinfo=dt.UTC))


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineStage:
    """Base of the stages here: a frozen dataclass that is called with a ranking and a `PipelineContext`.

    Options are checked when it is made. A stage of your own need not derive from it: any callable will do.
    """

    #: What traces and parameters call it.
    name: ClassVar[str]
    #: Whether it is a first stage, called with rankings.
    fuses: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self(Ranking(), _ANY_TIME)  # refuses what it would refuse later

    def __call__(self, ranking: Any, context: PipelineContext, /) -> Ranking | NotApplied:
        """Do what the stage does."""
        raise NotImplementedError

    @property
    def waits(self) -> bool:
        """Whether it may wait for something else, so that an event loop had better go on meanwhile."""
        return False


# ---------------------------------------------------------------------- fusion


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fusing(PipelineStage):
    """Base of the first stages: called with rankings in place of a ranking."""

    fuses: ClassVar[bool] = True

    weights: Sequence[float] | Mapping[str, float] | None = None
    limit: int | None = None
    ties: Ties = "first"

    def __post_init__(self) -> None:
        if isinstance(self.weights, Iterable) and not isinstance(self.weights, Mapping | str):
            object.__setattr__(self, "weights", tuple(self.weights))
        lists = len(self.weights) if isinstance(self.weights, tuple) else 0
        weights = self.weights if isinstance(self.weights, tuple) else None
        self._fused([()] * lists, weights)

    def __call__(self, rankings: Any, context: PipelineContext, /) -> Ranking:  # noqa: ARG002 - how stages are called
        """Fuse."""
        return self._fused(rankings, self.weights)

    def _fused(self, rankings: Any, weights: Any) -> Ranking:
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Rrf(_Fusing):
    """`rankmeld.rrf`."""

    name: ClassVar[str] = "rrf"

    k: float = DEFAULT_RRF_K
    rank_base: int = 1
    duplicates: Duplicates = "first"

    def _fused(self, rankings: Any, weights: Any) -> Ranking:
        return rrf(
            rankings,
            k=self.k,
            rank_base=self.rank_base,
            weights=weights,
            duplicates=self.duplicates,
            limit=self.limit,
            ties=self.ties,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FuseScores(_Fusing):
    """`rankmeld.fuse_scores`."""

    name: ClassVar[str] = "fuse_scores"

    normalize: Normalize = "minmax"
    combine: Combine = "sum"
    on_constant: float | None = None
    duplicates: Literal["sum", "first", "error"] = "sum"

    def _fused(self, rankings: Any, weights: Any) -> Ranking:
        return fuse_scores(
            rankings,
            normalize=self.normalize,
            combine=self.combine,
            on_constant=self.on_constant,
            weights=weights,
            duplicates=self.duplicates,
            limit=self.limit,
            ties=self.ties,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FuseRanks(_Fusing):
    """`rankmeld.fuse_ranks`."""

    name: ClassVar[str] = "fuse_ranks"

    method: Literal["isr", "log_isr", "logn_isr", "borda", "rbc", "condorcet", "rrf"]
    k: float | None = None
    rank_base: int | None = None
    phi: float | None = None
    duplicates: Literal["first", "last", "error"] = "first"

    def _fused(self, rankings: Any, weights: Any) -> Ranking:
        return fuse_ranks(
            rankings,
            method=self.method,
            k=self.k,
            rank_base=self.rank_base,
            phi=self.phi,
            weights=weights,
            duplicates=self.duplicates,
            limit=self.limit,
            ties=self.ties,
        )


_BY_SCORE: tuple[Normalize, ...] = ("minmax", "max", "sum", "zscore", "dbsf", "rank", "none")
_BY_RANK: tuple[Any, ...] = ("isr", "log_isr", "logn_isr", "borda", "rbc", "condorcet")


def fusing(word: str) -> PipelineStage:
    """The first stage that a word stands for."""
    if word == "rrf":
        return Rrf()
    for normalize in _BY_SCORE:
        if word == normalize:
            return FuseScores(normalize=normalize)
    for method in _BY_RANK:
        if word == method:
            return FuseRanks(method=method)
    words = ", ".join(map(repr, ("rrf", *_BY_SCORE, *_BY_RANK)))
    raise InvalidArgumentError(f"stages[0] is {word!r}; a word there must be one of {words}")


# ---------------------------------------------------------------------- later stages


@dataclass(frozen=True, slots=True, kw_only=True)
class Propagate(PipelineStage):
    """`rankmeld.propagate`; does not apply where none of the hits has neighbours."""

    name: ClassVar[str] = "propagate"

    neighbors: Neighbors = field(repr=False)
    weight: float = 0.4
    limit: int | None = None
    ties: Ties = "first"
    lookup: DocumentLookup | None = field(default=None, repr=False)

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking | NotApplied:  # noqa: ARG002 - how stages are called
        """Let evidence flow."""
        if len(ranking) and not any(id in self.neighbors for id in ranking._ids):
            return NotApplied("no hit has neighbours")
        return propagate(
            ranking,
            self.neighbors,
            weight=self.weight,
            limit=self.limit,
            ties=self.ties,
            lookup=self.lookup,
        )

    @property
    def waits(self) -> bool:
        """Where documents are looked up that are not at hand."""
        return not (self.lookup is None or isinstance(self.lookup, Mapping))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoostMatches(PipelineStage):
    """`rankmeld.boost_matches`; does not apply without a query."""

    name: ClassVar[str] = "boost_matches"

    field: str = "title"
    boost: float = 0.3
    ties: Ties = "first"

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking | NotApplied:
        """Lift what the query names."""
        if context.query is None:
            return _NO_QUERY
        return boost_matches(ranking, context.query, field=self.field, boost=self.boost, ties=self.ties)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeDecay(PipelineStage):
    """`rankmeld.time_decay`, with the moment of the run as now."""

    name: ClassVar[str] = "time_decay"

    half_life_days: float = 30.0
    curve: Literal["exponential", "hyperbolic"] = "exponential"
    importance_weight: float = 0.0
    undated: float = 1.0
    ties: Ties = "first"

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking:
        """Let scores fade with age."""
        return time_decay(
            ranking,
            now=context.now,
            half_life_days=self.half_life_days,
            curve=self.curve,
            importance_weight=self.importance_weight,
            undated=self.undated,
            ties=self.ties,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Dedup(PipelineStage):
    """`rankmeld.dedup`."""

    name: ClassVar[str] = "dedup"

    limit: int | None = None

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking:  # noqa: ARG002 - how stages are called
        """Drop exact duplicates."""
        return dedup(ranking, limit=self.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupNear(PipelineStage):
    """`rankmeld.dedup_near`."""

    name: ClassVar[str] = "dedup_near"

    threshold: float = 0.85
    num_perm: int = 128
    within: Literal["all", "parent"] = "all"
    linkage: Literal["chain", "star"] = "chain"

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking:  # noqa: ARG002 - how stages are called
        """Drop near-duplicates."""
        return dedup_near(
            ranking,
            threshold=self.threshold,
            num_perm=self.num_perm,
            within=self.within,
            linkage=self.linkage,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mmr(PipelineStage):
    """`rankmeld.mmr` over the documents' texts."""

    name: ClassVar[str] = "mmr"

    lambda_: float = 0.7
    limit: int | None = None
    scale: Literal["minmax"] | None = "minmax"

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking:  # noqa: ARG002 - how stages are called
        """Choose hits that do not repeat each other."""
        return mmr(ranking, lambda_=self.lambda_, limit=self.limit, scale=self.scale)


@dataclass(frozen=True, slots=True)
class Cut(PipelineStage):
    """The first `limit` hits."""

    name: ClassVar[str] = "cut"

    limit: int

    def __post_init__(self) -> None:
        if as_limit(self.limit) is None:
            raise TypeError("limit must be an integer, not NoneType")

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking:  # noqa: ARG002 - how stages are called
        """Cut."""
        return ranking[: self.limit]
