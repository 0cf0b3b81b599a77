"""Reranking by BM25 among the candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmeld._options import not_negative
from rankmeld.bm25 import as_options, bm25_scores
from rankmeld.ranking import Ranking
from rankmeld.rerankers.base import BaseReranker, passages_of, reordered
from rankmeld.rerankers.blend import Scale, blended, check_scale
from rankmeld.text import bm25_tokenize

if TYPE_CHECKING:
    from rankmeld.bm25 import CollectionStatistics

__all__ = ["BM25Reranker"]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class BM25Reranker(BaseReranker):
    """A reranker by BM25, with the candidates as the collection.

    The new score is ``rank_weight * s + bm25_weight * bm25``. With the defaults it is BM25 alone, so
    that the ranking needs no scores. ``BM25Reranker(rank_weight=0.7, bm25_weight=0.3,
    normalized=True)`` lets words correct a ranking by meaning whose scores are within 0..1.

    Parameters
    ----------
    k1, b : float, default 1.5 and 0.75
        How soon a repeated term stops to count, and how much length counts; see
        `rankmeld.bm25_scores`.
    normalized : bool, default False
        Divide the BM25 scores by their maximum, which brings them to 0..1.
    rank_weight : float, default 0.0
        Weight of the ranking's own scores; finite, not negative. 0: scores are not needed.
    bm25_weight : float, default 1.0
        Weight of BM25; finite, not negative.
    scale : {"max", "minmax"} or None, default None
        What the ranking's scores are brought to before they are weighed, as in
        `LateInteractionReranker`; with a `rank_weight` above 0 only.
    tokenizer : callable, default rankmeld.bm25_tokenize
        ``tokenizer(text)`` gives the terms of a text.
    stats : CorpusStats or BM25Index, optional
        Statistics of a whole collection, in place of those of the candidates.

    Raises
    ------
    TypeError, InvalidArgumentError
        An option is not allowed.

    Notes
    -----
    A query without a term scores 0 everywhere, so that with the defaults the order stays.

    The explanation has both credits, which sum to the score, and under ``matches`` the terms of the
    query that the passage holds, worked out when somebody looks.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("a", 0.9, rm.Document("a", "garden market river")),
    ...     ("b", 0.7, rm.Document("b", "vector search engine")),
    ... ]
    >>> rm.BM25Reranker().rerank("searching vectors", hits).ids
    ['b', 'a']
    """

    k1: float = 1.5
    b: float = 0.75
    normalized: bool = False
    rank_weight: float = 0.0
    bm25_weight: float = 1.0
    scale: Scale | None = None
    tokenizer: Callable[[str], list[str]] = bm25_tokenize
    stats: CollectionStatistics | None = None

    def __post_init__(self) -> None:
        for name in ("rank_weight", "bm25_weight"):
            object.__setattr__(self, name, not_negative(getattr(self, name), name))
        check_scale(self.scale, None, self.rank_weight)
        as_options(**self._options())  # refuses what would be refused later

    def _options(self) -> dict[str, Any]:
        names = ("k1", "b", "normalized", "tokenizer", "stats")
        return {name: getattr(self, name) for name in names}

    def _rescored(self, query: str, given: Ranking) -> Ranking:
        passages = passages_of(given)
        scores, parts = blended(
            given,
            bm25_scores(query, passages, **self._options()),
            name="bm25",
            rank_weight=self.rank_weight,
            weights=(self.bm25_weight,),
            scale=self.scale,
        )
        parts["matches"] = lambda place: self._matches(query, passages[place])
        return reordered(given, scores, "bm25", parts)

    def _matches(self, query: str, passage: str) -> tuple[str, ...]:
        """The distinct terms of the query that a passage holds, in the query's order."""
        there = set(self.tokenizer(passage))
        return tuple(term for term in dict.fromkeys(self.tokenizer(query)) if term in there)
