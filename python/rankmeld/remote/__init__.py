"""Talking to models elsewhere: what may be reached, and clients that reach nothing else."""

from rankmeld.remote.budget import RateBudget
from rankmeld.remote.endpoint import rerank_endpoint
from rankmeld.remote.policy import Origin, OutboundPolicy

__all__ = ["Origin", "OutboundPolicy", "RateBudget", "rerank_endpoint"]
