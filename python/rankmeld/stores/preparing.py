"""Turning documents and their vectors into what is written, before a transaction begins.

Embedding may take minutes. It is done here, so that no other writer waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankmeld.document import Document
from rankmeld.errors import InvalidArgumentError
from rankmeld.stores.labels import Labelled
from rankmeld.stores.matrix import Floats, as_vectors
from rankmeld.stores.rows import Row, to_row
from rankmeld.text import clean_text
from rankmeld.types import Embedder

__all__ = ["prepare"]

#: Documents embedded by one call, between two reports.
_DOCUMENTS_AT_ONCE = 64


def prepare(
    documents: Sequence[Document],
    vectors: Any,
    embedder: Embedder | None,
    report: Callable[[int, int], object],
    *,
    as_column: Callable[[str], str] = clean_text,
) -> tuple[list[Row], Labelled | None]:
    """Make the rows of documents; of those with the same id the last one counts.

    Parameters
    ----------
    documents : sequence of Document
        What is to be written.
    vectors : array of shape (N, D), list or None
        One vector for each document.
    embedder : Embedder or None
        Makes the vectors; beside `vectors` it only names their model.
    report : callable
        ``report(done, total)`` after every few documents that were embedded.
    as_column : callable, default `clean_text`
        What a column holds of a text, see `to_row`.

    Returns
    -------
    (list of Row, Labelled or None)
        Rows of distinct keys and their vectors.
    """
    rows = [to_row(document, as_column=as_column) for document in documents]
    last = {row.key: place for place, row in enumerate(rows)}
    kept = list(last.values())
    if vectors is not None:
        checked = as_vectors(vectors, [document.id for document in documents])
        model = None if embedder is None else embedder.model
        return [rows[place] for place in kept], Labelled(checked[kept], model)
    if embedder is not None:
        made = _embed([documents[place] for place in kept], embedder, report)
        return [rows[place] for place in kept], Labelled(made, embedder.model)
    return [rows[place] for place in kept], None


def _embed(documents: Sequence[Document], embedder: Embedder, report: Callable[[int, int], object]) -> Floats:
    parts = []
    for start in range(0, len(documents), _DOCUMENTS_AT_ONCE):
        chunk = documents[start : start + _DOCUMENTS_AT_ONCE]
        made = embedder([document.passage for document in chunk])
        what = f"what embedder {embedder.model!r} gave"
        parts.append(as_vectors(made, [document.id for document in chunk], what))
        if parts[-1].shape[1] != parts[0].shape[1]:
            raise InvalidArgumentError(
                f"{what} has {parts[-1].shape[1]} dimensions, and {parts[0].shape[1]} for the documents "
                "before; a model must always give the same"
            )
        report(start + len(chunk), len(documents))
    return np.concatenate(parts) if parts else np.empty((0, 0), np.float32)
