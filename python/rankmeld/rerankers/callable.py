"""Anybody's own model as a reranker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankmeld._asking import Ask, Flow, as_function
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking
from rankmeld.rerankers.answers import as_scores
from rankmeld.rerankers.asking import AskingReranker, as_batch_size, batches
from rankmeld.rerankers.base import passages_of, reordered
from rankmeld.text import clean_text

__all__ = ["CallableReranker"]


@dataclass(frozen=True, slots=True, repr=False)
class CallableReranker(AskingReranker):
    """A reranker made of a function that scores passages for a query.

    Its scores replace those of the ranking, which may have none.

    Parameters
    ----------
    fn : callable
        ``fn(query, passages)`` gives one finite number for each passage, higher is better: a list,
        an array of shape (N,) or (N, 1), or a tensor. `passages` is a list of `str`, composed (NFC)
        and without lone surrogates, never empty; that of a hit without a document is ``""``. It may
        be a coroutine function; then `arerank` awaits it, and `rerank` says so.
    name : str, optional
        What explanations and errors call it; the function's own name if not given.
    batch_size : int, optional
        How many passages go into one call at the most; ``None`` for all of them.

    Raises
    ------
    TypeError
        `fn` cannot be called, or an option is of the wrong kind.
    InvalidArgumentError
        `name` is blank or `batch_size` is not positive.

    See Also
    --------
    CosineReranker : for a model that gives vectors.

    Notes
    -----
    `rerank` raises `RerankResponseError`, and nothing is applied, where the answer has another
    length than the passages or is not finite. What `fn` itself raises comes through as it is.

    Examples
    --------
    >>> def shared_words(query, passages):
    ...     words = set(query.split())
    ...     return [len(words & set(passage.split())) for passage in passages]
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("a", 0.9, rm.Document("a", "the river")),
    ...     ("b", 0.7, rm.Document("b", "vector search")),
    ... ]
    >>> rm.CallableReranker(shared_words).rerank("search by vector", hits).ids
    ['b', 'a']

    A cross-encoder of sentence-transformers scores pairs of texts::

        model = CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2")

        def cross_encoder(query, passages):
            return model.predict([(query, passage) for passage in passages])

        reranker = rm.CallableReranker(cross_encoder, batch_size=32)
    """

    fn: Callable[[str, list[str]], Any]
    name: str | None = field(default=None, kw_only=True)
    batch_size: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        as_function(self.fn, "fn", "(query, passages) -> scores")
        if self.name is not None and not isinstance(self.name, str):
            raise TypeError(f"name must be a str or None, not {type(self.name).__name__}")
        if self.name is not None and not self.name.strip():
            raise InvalidArgumentError("name is blank; explanations and errors show it")
        object.__setattr__(self, "batch_size", as_batch_size(self.batch_size))

    def _asked(self, query: str, given: Ranking) -> Flow[Ranking]:
        name, asked = self._stage(), clean_text(query)
        scores = np.empty(len(given))
        for places, passages in batches(passages_of(given), self.batch_size, blank=True):
            answer = yield Ask(name, self.fn, (asked, passages))
            scores[places] = as_scores(answer, places, name)
        return reordered(given, scores, name, {})

    def _stage(self) -> str:
        """The name that was given, else the function's; that of a lambda would say nothing."""
        own: str = getattr(self.fn, "__name__", type(self.fn).__name__)
        return self.name or ("callable" if own == "<lambda>" else own)
