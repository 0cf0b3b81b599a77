"""Adaptive search: as much work as a question needs, and a grade for what was found."""

from rankmeld.search.adaptive import AdaptiveResult, AdaptiveSearcher
from rankmeld.search.asked import HypotheticalVectors
from rankmeld.search.joining import KnowledgeGraph
from rankmeld.search.trace import Leg, SearchTrace, StageTrace

__all__ = [
    "AdaptiveResult",
    "AdaptiveSearcher",
    "HypotheticalVectors",
    "KnowledgeGraph",
    "Leg",
    "SearchTrace",
    "StageTrace",
]
