"""rankmeld: fuse rankings, remove duplicates, and explain the result.

Several retrievers have answered; this is the step that makes one ranking of their answers::

    import rankmeld as rm

    fused = rm.rrf([rm.Source("dense", dense_hits), rm.Source("lexical", lexical_hits)], limit=10)
    print(fused.explain(fused[0].id))
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from rankmeld._core import __version__
from rankmeld.bm25 import bm25_scores
from rankmeld.bm25_index import BM25Index
from rankmeld.corpus_stats import CorpusStats
from rankmeld.cosine_rerank import cosine_rerank
from rankmeld.decay import time_decay
from rankmeld.dedup import dedup
from rankmeld.document import Document, Tier
from rankmeld.errors import (
    CompressionError,
    ConfigError,
    FormatError,
    InvalidArgumentError,
    InvalidScoreError,
    MissingExtraError,
    OutboundRefusedError,
    RankmeldError,
    RemoteError,
    RemoteTimeoutError,
    RerankResponseError,
    StoreError,
)
from rankmeld.explanation import HitExplanation, SourceCredit, Stage
from rankmeld.fusion import (
    DEFAULT_RRF_K,
    STEEP_RRF_K,
    KindFusion,
    rrf,
    rrf_by_kind,
    rrf_preset,
)
from rankmeld.late_interaction import (
    STOP_WORDS,
    TokenMatch,
    lexical_matches,
    lexical_maxsim,
    lexical_maxsim_many,
    token_similarity,
    token_weight,
)
from rankmeld.maxsim import MaxSimMatches, maxsim, maxsim_top, quantize_int8
from rankmeld.mmr import mmr
from rankmeld.rank_fusion import fuse_ranks
from rankmeld.ranking import Ranking
from rankmeld.records import from_records
from rankmeld.score_fusion import DEFAULT_FUSION_ALPHA, convex, fuse_scores
from rankmeld.text import bm25_tokenize, light_stem, tokenize
from rankmeld.types import (
    Chat,
    DocumentLookup,
    Embedder,
    Hit,
    IndexCapabilities,
    Source,
    VectorIndex,
    VectorQuery,
)
from rankmeld.vectors import cosine_scores, cosine_top

if _TYPE_CHECKING:
    from rankmeld.composite import DEFAULT_RERANK_WEIGHTS, RerankWeights, rerank
    from rankmeld.compression import acompress, compress, compression_prompt
    from rankmeld.confidence import (
        ChainOfNote,
        CragConfig,
        CragEvaluation,
        CragGrade,
        PassageNote,
        SignalScore,
        chain_of_note,
        evaluate_crag,
        grade_scores,
        normalize_signals,
        recognition_filter,
    )
    from rankmeld.contexts import in_context, is_question
    from rankmeld.conversation import conversation_pipeline
    from rankmeld.embedding_cache import QueryEmbeddingCache, query_embedding_cache_key
    from rankmeld.engine import (
        FEEDBACK_CAP,
        RELEVANCE_THRESHOLD,
        Context,
        ContextAssembler,
        EngineResult,
        EngineSettings,
        EngineTrace,
        Feedback,
        FeedbackStore,
        HopTrace,
        MemoryFeedback,
        MultiSourceMemory,
        RetrievalEngine,
        Skipped,
        feedback_factor,
        relevance_filter,
    )
    from rankmeld.graph import Graph
    from rankmeld.hippo import HippoRag, hippo_rag
    from rankmeld.likeness import alike
    from rankmeld.matches import boost_matches
    from rankmeld.minhash_index import MinHashIndex
    from rankmeld.near_duplicates import DedupedRanking, dedup_near, near_duplicate_clusters
    from rankmeld.pagerank import PageRank, personalized_pagerank
    from rankmeld.pipeline import Pipeline, PipelineResult, PipelineTrace
    from rankmeld.pooling import pool_groups
    from rankmeld.propagation import adjacent, propagate
    from rankmeld.quality import QualityModel
    from rankmeld.query import (
        DEFAULT_QUERY_VOCABULARY,
        FusionFeatures,
        HydeAttempt,
        HydeGenerator,
        QueryTier,
        QueryVocabulary,
        classify_query,
        classify_query_with_fusion,
        expand_synonyms,
        fusion_features,
        hyde_from_env,
        hyde_prompt,
        normalize_query,
        refine_query,
    )
    from rankmeld.remote import OutboundPolicy, RateBudget, rerank_endpoint
    from rankmeld.remote.openai_compatible import openai_compatible
    from rankmeld.rerankers import (
        BM25Reranker,
        CallableReranker,
        ChainReranker,
        CompositeReranker,
        CosineReranker,
        HttpReranker,
        LateInteractionReranker,
        MaxSimReranker,
        MMRReranker,
        RerankConfig,
        Reranker,
        make_reranker,
        make_secure_reranker,
    )
    from rankmeld.scoped_cache import CacheStats, ScopedCache
    from rankmeld.search import (
        POST_FILTER_POOL,
        AdaptiveResult,
        AdaptiveSearcher,
        Leg,
        SearchTrace,
        StageTrace,
        revalidate,
        search_vectors,
    )
    from rankmeld.stores import SqliteStore, StoreMemory
    from rankmeld.stores.postgres import AsyncPostgresStore, PostgresStore
    from rankmeld.stores.qdrant import AsyncQdrantStore, QdrantStore
    from rankmeld.stores.sqlite_feedback import SqliteFeedback
    from rankmeld.temporal import (
        DEFAULT_TEMPORAL_BOOST,
        AnchorExtractor,
        CallableAnchorExtractor,
        RegexAnchorExtractor,
        TimeAnchor,
        rerank_temporal,
        temporal_proximity,
    )
    from rankmeld.weighing import weigh

__all__ = [
    "DEFAULT_FUSION_ALPHA",
    "DEFAULT_QUERY_VOCABULARY",
    "DEFAULT_RERANK_WEIGHTS",
    "DEFAULT_RRF_K",
    "DEFAULT_TEMPORAL_BOOST",
    "FEEDBACK_CAP",
    "POST_FILTER_POOL",
    "RELEVANCE_THRESHOLD",
    "STEEP_RRF_K",
    "STOP_WORDS",
    "AdaptiveResult",
    "AdaptiveSearcher",
    "AnchorExtractor",
    "AsyncPostgresStore",
    "AsyncQdrantStore",
    "BM25Index",
    "BM25Reranker",
    "CacheStats",
    "CallableAnchorExtractor",
    "CallableReranker",
    "ChainOfNote",
    "ChainReranker",
    "Chat",
    "CompositeReranker",
    "CompressionError",
    "ConfigError",
    "Context",
    "ContextAssembler",
    "CorpusStats",
    "CosineReranker",
    "CragConfig",
    "CragEvaluation",
    "CragGrade",
    "DedupedRanking",
    "Document",
    "DocumentLookup",
    "Embedder",
    "EngineResult",
    "EngineSettings",
    "EngineTrace",
    "Feedback",
    "FeedbackStore",
    "FormatError",
    "FusionFeatures",
    "Graph",
    "HippoRag",
    "Hit",
    "HitExplanation",
    "HopTrace",
    "HttpReranker",
    "HydeAttempt",
    "HydeGenerator",
    "IndexCapabilities",
    "InvalidArgumentError",
    "InvalidScoreError",
    "KindFusion",
    "LateInteractionReranker",
    "Leg",
    "MMRReranker",
    "MaxSimMatches",
    "MaxSimReranker",
    "MemoryFeedback",
    "MinHashIndex",
    "MissingExtraError",
    "MultiSourceMemory",
    "OutboundPolicy",
    "OutboundRefusedError",
    "PageRank",
    "PassageNote",
    "Pipeline",
    "PipelineResult",
    "PipelineTrace",
    "PostgresStore",
    "QdrantStore",
    "QualityModel",
    "QueryEmbeddingCache",
    "QueryTier",
    "QueryVocabulary",
    "Ranking",
    "RankmeldError",
    "RateBudget",
    "RegexAnchorExtractor",
    "RemoteError",
    "RemoteTimeoutError",
    "RerankConfig",
    "RerankResponseError",
    "RerankWeights",
    "Reranker",
    "RetrievalEngine",
    "ScopedCache",
    "SearchTrace",
    "SignalScore",
    "Skipped",
    "Source",
    "SourceCredit",
    "SqliteFeedback",
    "SqliteStore",
    "Stage",
    "StageTrace",
    "StoreError",
    "StoreMemory",
    "TemporalReranker",
    "Tier",
    "TimeAnchor",
    "TokenMatch",
    "VectorIndex",
    "VectorQuery",
    "__version__",
    "acompress",
    "adjacent",
    "alike",
    "bm25_scores",
    "bm25_tokenize",
    "boost_matches",
    "chain_of_note",
    "classify_query",
    "classify_query_with_fusion",
    "compress",
    "compression_prompt",
    "conversation_pipeline",
    "convex",
    "cosine_rerank",
    "cosine_scores",
    "cosine_top",
    "dedup",
    "dedup_near",
    "evaluate_crag",
    "expand_synonyms",
    "feedback_factor",
    "from_records",
    "fuse_ranks",
    "fuse_scores",
    "fusion_features",
    "grade_scores",
    "hippo_rag",
    "hyde_from_env",
    "hyde_prompt",
    "in_context",
    "is_question",
    "lexical_matches",
    "lexical_maxsim",
    "lexical_maxsim_many",
    "light_stem",
    "make_reranker",
    "make_secure_reranker",
    "maxsim",
    "maxsim_top",
    "mmr",
    "near_duplicate_clusters",
    "normalize_query",
    "normalize_signals",
    "openai_compatible",
    "personalized_pagerank",
    "pool_groups",
    "propagate",
    "quantize_int8",
    "query_embedding_cache_key",
    "recognition_filter",
    "refine_query",
    "relevance_filter",
    "rerank",
    "rerank_endpoint",
    "rerank_temporal",
    "revalidate",
    "rrf",
    "rrf_by_kind",
    "rrf_preset",
    "search_vectors",
    "temporal_proximity",
    "time_decay",
    "token_similarity",
    "token_weight",
    "tokenize",
    "weigh",
]


#: Modules that are fetched when a name of theirs is first asked for: those who only fuse need neither a
#: database nor rerankers nor caches.
_FETCHED = {
    "ChainOfNote": "rankmeld.confidence",
    "CragConfig": "rankmeld.confidence",
    "CragEvaluation": "rankmeld.confidence",
    "CragGrade": "rankmeld.confidence",
    "PassageNote": "rankmeld.confidence",
    "SignalScore": "rankmeld.confidence",
    "chain_of_note": "rankmeld.confidence",
    "evaluate_crag": "rankmeld.confidence",
    "grade_scores": "rankmeld.confidence",
    "normalize_signals": "rankmeld.confidence",
    "recognition_filter": "rankmeld.confidence",
    "SqliteFeedback": "rankmeld.stores.sqlite_feedback",
    "SqliteStore": "rankmeld.stores",
    "StoreMemory": "rankmeld.stores",
    "AsyncPostgresStore": "rankmeld.stores.postgres",
    "PostgresStore": "rankmeld.stores.postgres",
    "AsyncQdrantStore": "rankmeld.stores.qdrant",
    "QdrantStore": "rankmeld.stores.qdrant",
    "DedupedRanking": "rankmeld.near_duplicates",
    "MinHashIndex": "rankmeld.minhash_index",
    "dedup_near": "rankmeld.near_duplicates",
    "near_duplicate_clusters": "rankmeld.near_duplicates",
    "OutboundPolicy": "rankmeld.remote",
    "openai_compatible": "rankmeld.remote.openai_compatible",
    "Graph": "rankmeld.graph",
    "HippoRag": "rankmeld.hippo",
    "hippo_rag": "rankmeld.hippo",
    "PageRank": "rankmeld.pagerank",
    "personalized_pagerank": "rankmeld.pagerank",
    "RateBudget": "rankmeld.remote",
    "rerank_endpoint": "rankmeld.remote",
    "DEFAULT_RERANK_WEIGHTS": "rankmeld.composite",
    "RerankWeights": "rankmeld.composite",
    "rerank": "rankmeld.composite",
    "QualityModel": "rankmeld.quality",
    "acompress": "rankmeld.compression",
    "compress": "rankmeld.compression",
    "compression_prompt": "rankmeld.compression",
    "BM25Reranker": "rankmeld.rerankers",
    "CallableReranker": "rankmeld.rerankers",
    "ChainReranker": "rankmeld.rerankers",
    "CompositeReranker": "rankmeld.rerankers",
    "CosineReranker": "rankmeld.rerankers",
    "HttpReranker": "rankmeld.rerankers",
    "LateInteractionReranker": "rankmeld.rerankers",
    "MaxSimReranker": "rankmeld.rerankers",
    "MMRReranker": "rankmeld.rerankers",
    "RerankConfig": "rankmeld.rerankers",
    "Reranker": "rankmeld.rerankers",
    "TemporalReranker": "rankmeld.rerankers",
    "DEFAULT_TEMPORAL_BOOST": "rankmeld.temporal",
    "rerank_temporal": "rankmeld.temporal",
    "temporal_proximity": "rankmeld.temporal",
    "make_reranker": "rankmeld.rerankers",
    "make_secure_reranker": "rankmeld.rerankers",
    "FEEDBACK_CAP": "rankmeld.engine",
    "EngineResult": "rankmeld.engine",
    "EngineSettings": "rankmeld.engine",
    "EngineTrace": "rankmeld.engine",
    "HopTrace": "rankmeld.engine",
    "MultiSourceMemory": "rankmeld.engine",
    "RELEVANCE_THRESHOLD": "rankmeld.engine",
    "RetrievalEngine": "rankmeld.engine",
    "relevance_filter": "rankmeld.engine",
    "Context": "rankmeld.engine",
    "ContextAssembler": "rankmeld.engine",
    "Feedback": "rankmeld.engine",
    "FeedbackStore": "rankmeld.engine",
    "MemoryFeedback": "rankmeld.engine",
    "Skipped": "rankmeld.engine",
    "feedback_factor": "rankmeld.engine",
    "POST_FILTER_POOL": "rankmeld.search",
    "revalidate": "rankmeld.search",
    "search_vectors": "rankmeld.search",
    "AdaptiveResult": "rankmeld.search",
    "AdaptiveSearcher": "rankmeld.search",
    "Leg": "rankmeld.search",
    "SearchTrace": "rankmeld.search",
    "StageTrace": "rankmeld.search",
    "CacheStats": "rankmeld.scoped_cache",
    "ScopedCache": "rankmeld.scoped_cache",
    "QueryEmbeddingCache": "rankmeld.embedding_cache",
    "query_embedding_cache_key": "rankmeld.embedding_cache",
    "DEFAULT_QUERY_VOCABULARY": "rankmeld.query",
    "FusionFeatures": "rankmeld.query",
    "HydeAttempt": "rankmeld.query",
    "HydeGenerator": "rankmeld.query",
    "QueryTier": "rankmeld.query",
    "QueryVocabulary": "rankmeld.query",
    "classify_query": "rankmeld.query",
    "classify_query_with_fusion": "rankmeld.query",
    "expand_synonyms": "rankmeld.query",
    "fusion_features": "rankmeld.query",
    "hyde_from_env": "rankmeld.query",
    "hyde_prompt": "rankmeld.query",
    "normalize_query": "rankmeld.query",
    "refine_query": "rankmeld.query",
    "AnchorExtractor": "rankmeld.temporal",
    "CallableAnchorExtractor": "rankmeld.temporal",
    "RegexAnchorExtractor": "rankmeld.temporal",
    "TimeAnchor": "rankmeld.temporal",
    "Pipeline": "rankmeld.pipeline",
    "conversation_pipeline": "rankmeld.conversation",
    "PipelineResult": "rankmeld.pipeline",
    "PipelineTrace": "rankmeld.pipeline",
    "boost_matches": "rankmeld.matches",
    "adjacent": "rankmeld.propagation",
    "propagate": "rankmeld.propagation",
    "alike": "rankmeld.likeness",
    "in_context": "rankmeld.contexts",
    "is_question": "rankmeld.contexts",
    "pool_groups": "rankmeld.pooling",
    "weigh": "rankmeld.weighing",
}


def __getattr__(name: str) -> object:
    """Fetch what is not needed by everybody."""
    if name in _FETCHED:
        return getattr(_import_module(_FETCHED[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, those that are fetched later among them."""
    return list(__all__)
