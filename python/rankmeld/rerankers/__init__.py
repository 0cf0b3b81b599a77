"""Rerankers: the hits that are there already, ordered anew for the query."""

from rankmeld.rerankers.base import Reranker
from rankmeld.rerankers.bm25 import BM25Reranker
from rankmeld.rerankers.callable import CallableReranker
from rankmeld.rerankers.chain import ChainReranker
from rankmeld.rerankers.composite import CompositeReranker
from rankmeld.rerankers.cosine import CosineReranker
from rankmeld.rerankers.factory import RerankConfig, make_reranker, make_secure_reranker
from rankmeld.rerankers.http import HttpReranker
from rankmeld.rerankers.late_interaction import LateInteractionReranker
from rankmeld.rerankers.maxsim import MaxSimReranker
from rankmeld.rerankers.mmr import MMRReranker
from rankmeld.rerankers.temporal import TemporalReranker

__all__ = [
    "BM25Reranker",
    "CallableReranker",
    "ChainReranker",
    "CompositeReranker",
    "CosineReranker",
    "HttpReranker",
    "LateInteractionReranker",
    "MMRReranker",
    "MaxSimReranker",
    "RerankConfig",
    "Reranker",
    "TemporalReranker",
    "make_reranker",
    "make_secure_reranker",
]
