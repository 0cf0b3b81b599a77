"""Reranking by the vectors of an embedder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankmeld._asking import Flow, name_of
from rankmeld.cosine_rerank import cosine_rerank
from rankmeld.ranking import Ranking
from rankmeld.rerankers.asking import AskingReranker, as_batch_size
from rankmeld.rerankers.embedding import BATCH_SIZE, as_embed, check_width, passage_vectors, query_vector
from rankmeld.types import Embedder

__all__ = ["CosineReranker"]


@dataclass(frozen=True, slots=True, repr=False)
class CosineReranker(AskingReranker):
    """A reranker by the cosine between the vectors of query and passage.

    Cosines replace the ranking's scores, which may be absent. Where vectors are at hand already,
    `rankmeld.cosine_rerank` takes them as they are.

    Parameters
    ----------
    embedder : Embedder or callable
        Embeds texts: ``embedder(texts)`` gives an array of shape (N, D). The query goes to its
        ``embed_query`` where it has one. Both may be asynchronous; then use `arerank`.
    batch_size : int, default 64
        How many passages are embedded in one call at the most; ``None`` for all of them.

    Raises
    ------
    TypeError, InvalidArgumentError
        The embedder cannot be called, or an option is not allowed.

    Notes
    -----
    A blank passage, as that of a hit without a document, is not embedded and scores 0, as a zero
    vector does. `rerank` raises `RerankResponseError` where the vectors do not fit.

    Examples
    --------
    >>> import rankmeld as rm
    >>> def embed(texts):
    ...     return [[text.count("vector"), text.count("river")] for text in texts]
    >>> hits = [
    ...     ("a", 0.9, rm.Document("a", "a river, a vector")),
    ...     ("b", 0.7, rm.Document("b", "two vectors")),
    ... ]
    >>> rm.CosineReranker(embed).rerank("vector", hits).ids
    ['b', 'a']
    """

    embedder: Embedder | Callable[[list[str]], Any]
    batch_size: int | None = field(default=BATCH_SIZE, kw_only=True)

    def __post_init__(self) -> None:
        as_embed(self.embedder, "embedder")
        object.__setattr__(self, "batch_size", as_batch_size(self.batch_size))

    def _asked(self, query: str, given: Ranking) -> Flow[Ranking]:
        vectors = yield from passage_vectors(self.embedder, given, self.batch_size)
        if vectors is None:  # nothing is like anything, so nobody has to be asked about the query
            return cosine_rerank([0.0], given, np.zeros((len(given), 1)))
        asked = yield from query_vector(self.embedder, query)
        check_width(len(asked), vectors.shape[1], "the query", name_of(self.embedder))
        return cosine_rerank(asked, given, vectors)
