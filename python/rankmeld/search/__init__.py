"""Searching over what others hold: adaptively, as a question needs, and over any vector index."""

from rankmeld.search.adaptive import AdaptiveResult, AdaptiveSearcher
from rankmeld.search.asked import HypotheticalVectors
from rankmeld.search.joining import KnowledgeGraph
from rankmeld.search.revalidation import revalidate
from rankmeld.search.trace import Leg, SearchTrace, StageTrace
from rankmeld.search.vector_search import POST_FILTER_POOL, search_vectors

__all__ = [
    "POST_FILTER_POOL",
    "AdaptiveResult",
    "AdaptiveSearcher",
    "HypotheticalVectors",
    "KnowledgeGraph",
    "Leg",
    "SearchTrace",
    "StageTrace",
    "revalidate",
    "search_vectors",
]
