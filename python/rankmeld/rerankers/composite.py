"""Reranking by what is known about documents: age, importance and quality beside relevance."""

from __future__ import annotations

from dataclasses import dataclass

from rankmeld._time import Moment
from rankmeld.composite import DEFAULT_QUALITY, DEFAULT_RERANK_WEIGHTS, RerankWeights, rerank
from rankmeld.quality import QualityModel
from rankmeld.ranking import Ranking
from rankmeld.rerankers.base import BaseReranker

__all__ = ["CompositeReranker"]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class CompositeReranker(BaseReranker):
    """A reranker that weighs relevance, recency, importance and quality.

    See `rankmeld.rerank`, which it calls; the query is not looked at.

    Parameters
    ----------
    weights : RerankWeights, default DEFAULT_RERANK_WEIGHTS
        What each part counts.
    quality : QualityModel
        How the parts are read off a document.
    now : datetime, date, str or float, optional
        The moment that age counts to; the time of each call if not given.

    Raises
    ------
    TypeError, InvalidArgumentError
        An option is not allowed.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [("old", 0.9, rm.Document("old", created_at="2020-01-01")),
    ...         ("new", 0.8, rm.Document("new", created_at="2024-03-01"))]
    >>> rm.CompositeReranker(now="2024-03-01").rerank("anything", hits).ids
    ['new', 'old']
    """

    weights: RerankWeights = DEFAULT_RERANK_WEIGHTS
    quality: QualityModel = DEFAULT_QUALITY
    now: Moment | None = None

    def __post_init__(self) -> None:
        rerank([], weights=self.weights, quality=self.quality, now=self.now)  # refuses what it would later

    def _rescored(self, query: str, given: Ranking) -> Ranking:  # noqa: ARG002 - relevance is the score
        return rerank(given, weights=self.weights, quality=self.quality, now=self.now)
