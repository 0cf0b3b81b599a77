"""The time that a query names, and rankings that aim at it."""

from rankmeld.temporal.anchors import (
    AnchorExtractor,
    CallableAnchorExtractor,
    RegexAnchorExtractor,
    TimeAnchor,
)
from rankmeld.temporal.proximity import temporal_proximity
from rankmeld.temporal.rerank import DEFAULT_TEMPORAL_BOOST, rerank_temporal

__all__ = [
    "DEFAULT_TEMPORAL_BOOST",
    "AnchorExtractor",
    "CallableAnchorExtractor",
    "RegexAnchorExtractor",
    "TimeAnchor",
    "rerank_temporal",
    "temporal_proximity",
]
