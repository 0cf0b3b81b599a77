"""Stages that know a collection: its documents, its groups, what is thought of each document beforehand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rankmeld.composite import RerankWeights
from rankmeld.document import Document
from rankmeld.fusion import Ties
from rankmeld.pipeline.stages import NotApplied, PipelineContext, PipelineStage
from rankmeld.pooling import pool_groups
from rankmeld.ranking import Ranking
from rankmeld.temporal.rerank import DEFAULT_EXTRACTOR, DEFAULT_TEMPORAL_BOOST, rerank_temporal
from rankmeld.weighing import weigh

__all__ = ["Documents", "NamedTime", "PoolGroups", "Weigh"]

#: Of what `rerank_temporal` weighs, the scores alone, so that the time makes all of the difference.
_SCORES_ALONE = RerankWeights(1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents(PipelineStage):
    """Documents, by id, for hits that came without one; does not apply where all have theirs."""

    name: ClassVar[str] = "documents"

    known: Mapping[Any, Document] = field(repr=False)

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking | NotApplied:  # noqa: ARG002 - how stages are called
        """Fill in what is missing."""
        if not isinstance(self.known, Mapping):
            raise TypeError(f"known must be a mapping of ids to documents, not {type(self.known).__name__}")
        given = ranking._documents or [None] * len(ranking)
        if len(ranking) and all(document is not None for document in given):
            return NotApplied("all hits have documents")
        ids = ranking.ids
        found = [
            self.known.get(id) if document is None else document
            for id, document in zip(ids, given, strict=True)
        ]
        return ranking._identified(ids, found)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolGroups(PipelineStage):
    """`rankmeld.pool_groups`; does not apply where no hit is in a group."""

    name: ClassVar[str] = "pool_groups"

    groups: Mapping[Any, Hashable] = field(repr=False)
    weight: float = 0.3
    ties: Ties = "first"

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking | NotApplied:  # noqa: ARG002 - how stages are called
        """Give each hit a share of the best of its group."""
        if len(ranking) and not any(id in self.groups for id in ranking._ids):
            return NotApplied("no hit is in a group")
        return pool_groups(ranking, self.groups, weight=self.weight, ties=self.ties)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weigh(PipelineStage):
    """`rankmeld.weigh`; does not apply where no hit has a factor."""

    name: ClassVar[str] = "weigh"

    factors: Mapping[Any, float] = field(repr=False)
    ties: Ties = "first"

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking | NotApplied:  # noqa: ARG002 - how stages are called
        """Multiply by the factors."""
        if len(ranking) and not any(id in self.factors for id in ranking._ids):
            return NotApplied("no hit has a factor")
        return weigh(ranking, self.factors, ties=self.ties)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTime(PipelineStage):
    """`rankmeld.rerank_temporal` by scores and time alone; does not apply where the query names no time."""

    name: ClassVar[str] = "named_time"

    boost: float = DEFAULT_TEMPORAL_BOOST
    ties: Ties = "first"

    def __post_init__(self) -> None:
        self._reranked(Ranking(), "", dt.datetime(2000, 1, 1, tzinfo=dt.UTC))

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking | NotApplied:
        """Lift hits of the time that the query names."""
        if context.query is None:
            return NotApplied("there is no query")
        if DEFAULT_EXTRACTOR.anchor(context.query, context.now) is None:
            return NotApplied("the query names no time")
        return self._reranked(ranking, context.query, context.now)

    def _reranked(self, ranking: Ranking, query: str, now: dt.datetime) -> Ranking:
        return rerank_temporal(
            ranking, query, now=now, weights=_SCORES_ALONE, boost=self.boost, ties=self.ties
        )
