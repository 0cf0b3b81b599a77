"""Stages that know a collection: its documents, its groups, what is thought of each document beforehand."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rankmeld.document import Document
from rankmeld.fusion import Ties
from rankmeld.pipeline.stages import NotApplied, PipelineContext, PipelineStage
from rankmeld.pooling import pool_groups
from rankmeld.ranking import Ranking
from rankmeld.weighing import weigh

__all__ = ["Documents", "PoolGroups", "Weigh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents(PipelineStage):
    """Documents, by id, for hits that came without one; does not apply where all have theirs."""

    name: ClassVar[str] = "documents"

    known: Mapping[Any, Document] = field(repr=False)

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking | NotApplied:  # noqa: ARG002
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

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking | NotApplied:  # noqa: ARG002
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

    def __call__(self, ranking: Ranking, context: PipelineContext, /) -> Ranking | NotApplied:  # noqa: ARG002
        """Multiply by the factors."""
        if len(ranking) and not any(id in self.factors for id in ranking._ids):
            return NotApplied("no hit has a factor")
        return weigh(ranking, self.factors, ties=self.ties)
