"""Understanding a query: what kind of question it is, and how it is written for a search."""

from rankmeld.query.hyde import HydeAttempt, HydeGenerator, hyde_from_env, hyde_prompt
from rankmeld.query.rewriting import (
    DEFAULT_CORRECTIONS,
    DEFAULT_SYNONYMS,
    expand_synonyms,
    normalize_query,
    refine_query,
)
from rankmeld.query.tiers import (
    FusionFeatures,
    QueryTier,
    classify_query,
    classify_query_with_fusion,
    fusion_features,
)
from rankmeld.query.vocabulary import DEFAULT_QUERY_VOCABULARY, ENGLISH, SPANISH, QueryVocabulary

__all__ = [
    "DEFAULT_CORRECTIONS",
    "DEFAULT_QUERY_VOCABULARY",
    "DEFAULT_SYNONYMS",
    "ENGLISH",
    "SPANISH",
    "FusionFeatures",
    "HydeAttempt",
    "HydeGenerator",
    "QueryTier",
    "QueryVocabulary",
    "classify_query",
    "classify_query_with_fusion",
    "expand_synonyms",
    "fusion_features",
    "hyde_from_env",
    "hyde_prompt",
    "normalize_query",
    "refine_query",
]
