"""Reranking for diversity: no two hits near the top that say the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from rankmeld._asking import Flow
from rankmeld._options import choose
from rankmeld.errors import InvalidArgumentError
from rankmeld.mmr import mmr
from rankmeld.ranking import Ranking
from rankmeld.rerankers.asking import AskingReranker, as_batch_size
from rankmeld.rerankers.embedding import BATCH_SIZE, as_embed, passage_vectors
from rankmeld.types import Embedder

__all__ = ["MMRReranker"]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class MMRReranker(AskingReranker):
    """A reranker that chooses hits one by one, each relevant and unlike those before it.

    Maximal marginal relevance (Carbonell and Goldstein, 1998), see `rankmeld.mmr`: next comes the
    hit with the highest ``lambda_ * relevance - (1 - lambda_) * similarity``, the similarity being
    the largest with a hit that was chosen before. Relevance is the ranking's score; the query is not
    looked at. Hits keep their scores and stand in the order of choice: ``ordered`` is ``False``.

    Parameters
    ----------
    lambda_ : float, default 0.7
        1 orders by relevance alone, 0 by unlikeness; within 0..1.
    similarity : {"jaccard", "cosine"}, default "jaccard"
        Of the sets of words of two texts, or of the vectors of two passages.
    embedder : Embedder or callable, optional
        Makes the vectors of ``similarity="cosine"``: ``embedder(texts)`` gives an array of shape
        (N, D). It may be asynchronous; then use `arerank`.
    scale : str, default "minmax"
        How scores become relevances; see `rankmeld.mmr`.
    batch_size : int, default 64
        How many passages are embedded in one call at the most; ``None`` for all of them.

    Raises
    ------
    TypeError, InvalidArgumentError
        An option is not allowed, or the embedder does not go with the similarity.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("a", 0.9, rm.Document("a", "readers never block the writer")),
    ...     ("b", 0.8, rm.Document("b", "the writer never blocks readers")),
    ...     ("c", 0.7, rm.Document("c", "vacuum gives space back")),
    ... ]
    >>> rm.MMRReranker(lambda_=0.3).rerank("writer", hits).ids
    ['a', 'c', 'b']
    """

    ordered: ClassVar[bool] = False

    lambda_: float = 0.7
    similarity: Literal["jaccard", "cosine"] = "jaccard"
    embedder: Embedder | Callable[[list[str]], Any] | None = None
    scale: Literal["minmax"] | None = "minmax"
    batch_size: int | None = BATCH_SIZE

    def __post_init__(self) -> None:
        choose(self.similarity, ("jaccard", "cosine"), "similarity")
        if self.similarity == "cosine" and self.embedder is None:
            raise InvalidArgumentError(
                "similarity is 'cosine', which needs vectors; give the embedder that makes them: embedder="
            )
        if self.similarity == "jaccard" and self.embedder is not None:
            raise InvalidArgumentError(
                "embedder is given, but similarity is 'jaccard', which needs none; "
                "write similarity='cosine' to use it"
            )
        if self.similarity == "jaccard" and self.batch_size != BATCH_SIZE:
            raise InvalidArgumentError(
                "batch_size is given, but similarity is 'jaccard', which embeds nothing"
            )
        if self.embedder is not None:
            as_embed(self.embedder, "embedder")
        object.__setattr__(self, "batch_size", as_batch_size(self.batch_size))
        mmr([], lambda_=self.lambda_, scale=self.scale)  # refuses what it would refuse later

    def _asked(self, query: str, given: Ranking) -> Flow[Ranking]:  # noqa: ARG002 - relevance is the score
        if self.similarity == "jaccard":
            return mmr(given, lambda_=self.lambda_, scale=self.scale)
        vectors = yield from passage_vectors(self.embedder, given, self.batch_size)
        if vectors is None:
            vectors = np.zeros((len(given), 1))
        return mmr(given, lambda_=self.lambda_, similarity="cosine", vectors=vectors, scale=self.scale)
