"""Pipelines: the stages, and what runs them."""

from rankmeld.pipeline.collection import Documents, NamedTime, PoolGroups, Weigh
from rankmeld.pipeline.running import Pipeline, PipelineResult
from rankmeld.pipeline.stages import (
    BoostMatches,
    Cut,
    Dedup,
    DedupNear,
    FuseRanks,
    FuseScores,
    Mmr,
    NotApplied,
    PipelineContext,
    PipelineStage,
    Propagate,
    Rrf,
    TimeDecay,
)
from rankmeld.pipeline.trace import PipelineTrace

__all__ = [
    "BoostMatches",
    "Cut",
    "Dedup",
    "DedupNear",
    "Documents",
    "FuseRanks",
    "FuseScores",
    "Mmr",
    "NamedTime",
    "NotApplied",
    "Pipeline",
    "PipelineContext",
    "PipelineResult",
    "PipelineStage",
    "PipelineTrace",
    "PoolGroups",
    "Propagate",
    "Rrf",
    "TimeDecay",
    "Weigh",
]
