"""Reranking by the time that the query names."""

from __future__ import annotations

from dataclasses import dataclass

from rankmeld._time import Moment
from rankmeld.composite import DEFAULT_QUALITY, DEFAULT_RERANK_WEIGHTS, RerankWeights
from rankmeld.quality import QualityModel
from rankmeld.ranking import Ranking
from rankmeld.rerankers.base import BaseReranker
from rankmeld.temporal.anchors import AnchorExtractor
from rankmeld.temporal.rerank import DEFAULT_EXTRACTOR, DEFAULT_TEMPORAL_BOOST, rerank_temporal

__all__ = ["TemporalReranker"]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class TemporalReranker(BaseReranker):
    """A reranker that lifts hits of the time that the query names.

    See `rankmeld.rerank_temporal`, which it calls. A query that names no time is reranked as
    `CompositeReranker` does.

    Parameters
    ----------
    weights : RerankWeights, default DEFAULT_RERANK_WEIGHTS
        What each part of the composite score counts.
    quality : QualityModel
        How the parts are read off a document.
    extractor : AnchorExtractor or None
        What finds the time in the query: English phrases if not given.
    boost : float, default 0.40
        By which share a hit of just the right time is lifted.
    now : datetime, date, str or float, optional
        The moment that ages and phrases count from; the time of each call if not given.

    Raises
    ------
    TypeError, InvalidArgumentError
        An option is not allowed.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [("new", 0.9, rm.Document("new", created_at="2024-03-09", tier="semantic")),
    ...         ("old", 0.8, rm.Document("old", created_at="2024-02-18", tier="semantic"))]
    >>> rm.TemporalReranker(now="2024-03-10").rerank("what was said three weeks ago", hits).ids
    ['old', 'new']
    """

    weights: RerankWeights = DEFAULT_RERANK_WEIGHTS
    quality: QualityModel = DEFAULT_QUALITY
    extractor: AnchorExtractor | None = DEFAULT_EXTRACTOR
    boost: float = DEFAULT_TEMPORAL_BOOST
    now: Moment | None = None

    def __post_init__(self) -> None:
        self._rescored("", Ranking())  # refuses what it would refuse later

    def _rescored(self, query: str, given: Ranking) -> Ranking:
        return rerank_temporal(
            given,
            query,
            now=self.now,
            weights=self.weights,
            quality=self.quality,
            extractor=self.extractor,
            boost=self.boost,
        )
