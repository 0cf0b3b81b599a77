"""Reranking by the vectors of tokens, as ColBERT makes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankmeld._asking import Ask, Flow, as_function, name_of
from rankmeld.maxsim import maxsim
from rankmeld.ranking import Ranking
from rankmeld.rerankers.answers import Rows, as_query_tokens, as_token_vectors
from rankmeld.rerankers.asking import AskingReranker, as_batch_size, batches
from rankmeld.rerankers.base import passages_of, reordered
from rankmeld.rerankers.embedding import check_width
from rankmeld.text import clean_text

__all__ = ["MaxSimReranker"]

#: A passage is many vectors here, so fewer passages go into one call.
_BATCH_SIZE = 32


@dataclass(frozen=True, slots=True, repr=False)
class MaxSimReranker(AskingReranker):
    """A reranker by late interaction over token vectors: MaxSim, as in ColBERT.

    The new score is the sum over the query's vectors of the largest similarity with a vector of the
    passage (`rankmeld.maxsim`). It replaces the ranking's score, which may be absent.

    Parameters
    ----------
    embed_tokens : callable
        ``embed_tokens(texts)`` gives for each passage an array of shape (T, D), one row a token,
        padding left out. It may be asynchronous; then use `arerank`.
    embed_query_tokens : callable, optional
        ``embed_query_tokens(text)`` gives the query's array of shape (Q, D): ColBERT marks and pads
        queries otherwise than passages. Not given: the method of that name that `embed_tokens` has,
        else ``embed_tokens([query])[0]``.
    normalize : bool, default True
        Bring every vector to length 1, so that similarities are cosines, as ColBERT means them.
    batch_size : int, default 32
        How many passages are embedded in one call at the most; ``None`` for all of them.

    Raises
    ------
    TypeError, InvalidArgumentError
        A function cannot be called, or an option is not allowed.

    Notes
    -----
    A blank passage, as that of a hit without a document, is not embedded; without vectors it scores
    0. `rerank` raises `RerankResponseError` where the vectors do not fit.

    The explanation has for each vector of the query the largest similarity, under ``similarities``,
    which sum to the score, and the number of the passage's vector that has it, under ``matches``.

    Late interaction: Khattab and Zaharia, "ColBERT" (2020).

    Examples
    --------
    >>> import rankmeld as rm
    >>> axes = {"vector": [1.0, 0.0], "search": [0.0, 1.0], "river": [0.6, -0.8]}
    >>> def embed_tokens(texts):
    ...     return [[axes[word] for word in text.split() if word in axes] for text in texts]
    >>> hits = [
    ...     ("a", 0.9, rm.Document("a", "a river")),
    ...     ("b", 0.7, rm.Document("b", "a vector search")),
    ... ]
    >>> rm.MaxSimReranker(embed_tokens).rerank("search vector", hits).scores.round(3)
    array([ 2. , -0.2])
    """

    embed_tokens: Callable[[list[str]], Any]
    embed_query_tokens: Callable[[str], Any] | None = field(default=None, kw_only=True)
    normalize: bool = field(default=True, kw_only=True)
    batch_size: int | None = field(default=_BATCH_SIZE, kw_only=True)

    def __post_init__(self) -> None:
        as_function(self.embed_tokens, "embed_tokens", "texts -> list of (T, D) arrays")
        if self.embed_query_tokens is not None:
            as_function(self.embed_query_tokens, "embed_query_tokens", "text -> (Q, D) array, or None")
        maxsim(np.zeros((1, 1)), [], normalize=self.normalize)  # refuses what it would refuse later
        object.__setattr__(self, "batch_size", as_batch_size(self.batch_size))

    def _asked(self, query: str, given: Ranking) -> Flow[Ranking]:
        name = name_of(self.embed_tokens)
        found: list[Rows | None] = [None] * len(given)
        width = 0
        for places, texts in batches(passages_of(given), self.batch_size, blank=False):
            answer = yield Ask(name, self.embed_tokens, (texts,))
            for place, rows in zip(places, as_token_vectors(answer, places, name), strict=True):
                if len(rows):
                    check_width(rows.shape[1], width or rows.shape[1], f"passage {place}", name)
                    width, found[place] = rows.shape[1], rows
        asked = np.empty((0, width)) if not width else (yield from self._query_tokens(query))
        if not len(asked):  # either side says nothing
            return reordered(given, np.zeros(len(given)), "maxsim", {})
        check_width(asked.shape[1], width, "the query", name)
        documents = [np.empty((0, width), asked.dtype) if rows is None else rows for rows in found]
        made = maxsim(asked, documents, normalize=self.normalize, explain=True)
        parts = {
            "similarities": lambda place: tuple(made.similarities[place].tolist()),
            "matches": lambda place: tuple(made.matches[place].tolist()),
        }
        return reordered(given, made.scores, "maxsim", parts)

    def _query_tokens(self, query: str) -> Flow[Rows]:
        """The vectors of the query's tokens, shape (Q, D)."""
        text = clean_text(query)
        own = self.embed_query_tokens or getattr(self.embed_tokens, "embed_query_tokens", None)
        if own is None:
            answer = yield Ask(name_of(self.embed_tokens), self.embed_tokens, ([text],))
        else:
            answer = yield Ask(name_of(own), own, (text,))
        return as_query_tokens(answer, name_of(own or self.embed_tokens))
