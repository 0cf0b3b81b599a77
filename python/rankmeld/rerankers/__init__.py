"""Rerankers: the hits that are there already, ordered anew for the query."""

from rankmeld.rerankers.base import Reranker
from rankmeld.rerankers.callable import CallableReranker
from rankmeld.rerankers.chain import ChainReranker
from rankmeld.rerankers.cosine import CosineReranker

__all__ = ["CallableReranker", "ChainReranker", "CosineReranker", "Reranker"]
