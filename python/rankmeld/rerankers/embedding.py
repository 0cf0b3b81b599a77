"""Passages and query as vectors of somebody's embedder, in batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankmeld._asking import Ask, Flow, name_of
from rankmeld.errors import RerankResponseError
from rankmeld.ranking import Ranking
from rankmeld.rerankers.answers import Rows, as_query_vector, as_vectors
from rankmeld.rerankers.asking import batches
from rankmeld.rerankers.base import passages_of
from rankmeld.text import clean_text

__all__ = ["BATCH_SIZE", "as_embed", "passage_vectors", "query_vector"]

#: Passages that go to an embedder at a time: enough to keep it busy, few enough to hold and to send.
BATCH_SIZE = 64


def as_embed(embedder: Any, name: str) -> None:
    """Check that an embedder can be asked: an `Embedder`, or a callable ``texts -> (N, D)``.

    Raises
    ------
    TypeError
        It cannot be called.
    """
    if not callable(embedder):
        hint = "; pass load_embedder(...) of rankmeld.embed" if isinstance(embedder, str) else ""
        if hasattr(embedder, "embed_documents"):
            hint = f"; pass its method {type(embedder).__name__}.embed_documents"
        raise TypeError(
            f"{name} must be an embedder or a callable texts -> (N, D), not {type(embedder).__name__}{hint}"
        )


def query_vector(embedder: Any, query: str) -> Flow[Rows]:
    """The vector of a query, shape (D,): of its own method where there is one."""
    text = clean_text(query)
    own: Callable[[str], Any] | None = getattr(embedder, "embed_query", None)
    if own is None:
        name = name_of(embedder)
        answer = yield Ask(name, embedder, ([text],))
        return as_query_vector(answer, name)
    name = name_of(own)
    answer = yield Ask(name, own, (text,))
    return as_query_vector(answer, name)


def passage_vectors(embedder: Any, given: Ranking, batch_size: int | None) -> Flow[Rows | None]:
    """The vectors of the passages, shape (N, D); `None` where all of them are blank.

    A blank passage says nothing, and some services refuse it: it is not embedded, and its vector is
    the zero vector, which is similar to nothing.
    """
    name = name_of(embedder)
    vectors: Rows | None = None
    for places, texts in batches(passages_of(given), batch_size, blank=False):
        answer = yield Ask(name, embedder, (texts,))
        rows = as_vectors(answer, places, name)
        if vectors is None:
            vectors = np.zeros((len(given), rows.shape[1]), rows.dtype)
        check_width(rows.shape[1], vectors.shape[1], f"passage {places[0]}", name)
        # A batch of whole numbers, or of shorter floats, must not round those that follow it.
        vectors = vectors.astype(np.result_type(vectors, rows), copy=False)
        vectors[places] = rows
    return vectors


def check_width(found: int, before: int, where: str, name: str) -> None:
    """All vectors of one ranking are of one width.

    Raises
    ------
    RerankResponseError
        These are not.
    """
    if found != before:
        raise RerankResponseError(
            f"{name} gave a vector of width {found} for {where}, and of width {before} before; "
            "query and passages must come from one model"
        )
