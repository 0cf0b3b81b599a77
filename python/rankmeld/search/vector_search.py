"""Searching any vector index, with one meaning of filters whatever it can do by itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from rankmeld._asking import Ask
from rankmeld._filters import Condition, constraining, fits
from rankmeld._options import as_limit
from rankmeld._vectors import as_vector
from rankmeld.errors import InvalidArgumentError, InvalidScoreError
from rankmeld.ranking import Ranking
from rankmeld.search.revalidation import check_lookup, documents_of, with_documents
from rankmeld.types import DocumentLookup, IndexCapabilities, VectorIndex, VectorQuery

__all__ = ["POST_FILTER_POOL", "search_vectors"]

#: How many candidates for each hit an index is asked for that does not filter before it searches.
POST_FILTER_POOL = 3


def search_vectors(
    index: VectorIndex | None, query: VectorQuery, lookup: DocumentLookup, *, strict: bool = True
) -> Ranking:
    """Search a vector index, and see to it that what comes back meets the filters.

    An index that filters before it searches is trusted. Any other is asked for `POST_FILTER_POOL` (3)
    times as many candidates, and the filters are asked of each candidate's document.

    Parameters
    ----------
    index : VectorIndex or None
        A `SqliteStore`, or any object with ``search(query)`` that gives ids and scores, best first.
        One whose ``capabilities()`` are absent or fail is taken to ignore filters. ``None``: there is no
        index, and nothing is found.
    query : VectorQuery
        Vector, limit and filters (as `SqliteStore` takes them).
    lookup : DocumentLookup
        Where the documents are: a `SqliteStore`, a dict, or any object with ``get(id)`` and perhaps
        ``get_many(ids)``, see `revalidate`. It is asked only if filters have to be applied here; a
        candidate whose document it does not have is then dropped.
    strict : bool, default True
        Whether an unknown key among the filters is refused; else it sets no condition, and the index
        does not see it.

    Returns
    -------
    Ranking
        At most ``query.limit`` hits in the order of the index, which alone knows whether its scores are
        similarities or distances; an id that it gives twice stays twice. Where filters were applied here
        the hits have their documents; `revalidate` fetches them otherwise.

    Raises
    ------
    TypeError
        An argument is of the wrong kind, or the index gave what is no ranking.
    InvalidArgumentError
        The limit, the vector or a filter is not allowed.
    InvalidScoreError
        The index gave a hit without a finite score.

    Notes
    -----
    An index that does not filter first can give fewer hits than there are: what fits may lie beyond
    the candidates. What it gives beyond the number that it was asked for is not read. What its
    ``search`` raises is not caught.

    Examples
    --------
    >>> import rankmeld as rm
    >>> class Index:
    ...     def search(self, query):
    ...         return [("c", 0.9), ("b", 0.8), ("a", 0.7)][: query.limit]
    >>> kinds = {"a": "note", "b": "rule", "c": "note"}
    >>> documents = {id: rm.Document(id, metadata={"type": kind}) for id, kind in kinds.items()}
    >>> rm.search_vectors(Index(), rm.VectorQuery([1.0, 0.0], 1, {"type": "rule"}), documents).ids
    ['b']
    """
    if not isinstance(query, VectorQuery):
        raise TypeError(
            f"query must be a VectorQuery, not {type(query).__name__}; make one with "
            "VectorQuery(vector, limit, filters)"
        )
    if not isinstance(strict, bool):
        raise TypeError(f"strict must be True or False, not {type(strict).__name__}")
    limit = as_limit(query.limit, "query.limit")
    entries, conditions = constraining(query.filters, strict=strict)
    _check_vector(query.vector)
    check_lookup(lookup)
    _check_index(index)
    if index is None or limit == 0:
        return Ranking((), name="vector")
    filters_first = _filters_first(index)
    pool = limit
    if limit is not None and not filters_first:
        pool = min(POST_FILTER_POOL * limit, sys.maxsize)
    found = _asked(index, VectorQuery(query.vector, pool, entries or None), pool)
    if conditions and not filters_first:
        found = _filtered(found, conditions, lookup)
    return found if limit is None or len(found) <= limit else found[:limit]


def _check_vector(vector: Any) -> None:
    row = as_vector(vector, lambda: "query.vector")
    if not row.size:
        raise InvalidArgumentError("query.vector is empty; it must have the width of the index's vectors")
    if not np.isfinite(row).all():
        column = int(np.argmin(np.isfinite(row)))
        raise InvalidArgumentError(
            f"query.vector is {row[column]!s} in dimension {column}; every number must be finite"
        )


def _check_index(index: Any) -> None:
    if index is None:
        return
    if isinstance(index, type) or not callable(getattr(index, "search", None)):
        given = f"the class {index.__name__}" if isinstance(index, type) else type(index).__name__
        raise TypeError(
            f"index must be an object with `search(query)`, such as a SqliteStore, or None, not {given}"
        )


def _filters_first(index: Any) -> bool:
    """Whether the index says so; one that cannot tell does not."""
    try:
        told = Ask("index.capabilities", index.capabilities, ()).answer("make it a plain method")
    except Exception:  # noqa: BLE001 - filters are then applied here, which is always right
        return False
    return isinstance(told, IndexCapabilities) and told.filtering == "pre"


def _asked(index: Any, query: VectorQuery, pool: int | None) -> Ranking:
    """The candidates of an index, as far as they were asked for."""
    answer = Ask("index.search", index.search, (query,)).answer("wrap it in a plain function that waits")
    if isinstance(answer, Iterator):
        answer = list(islice(answer, pool))
    try:
        found = Ranking(answer).named("vector")
    except TypeError as error:
        raise TypeError(f"index.search gave no ranking of (id, score) pairs: {error}") from None
    found = found if pool is None or len(found) <= pool else found[:pool]
    _require_scores(found)
    return found


def _require_scores(found: Ranking) -> None:
    scores = found._scores
    if scores is None:
        if len(found):
            raise InvalidScoreError(
                f"index.search, position 0, id {found[0].id!r}: there is no score; give (id, score) pairs"
            )
    elif not np.isfinite(scores).all():
        place = int(np.argmin(np.isfinite(scores)))
        score = "absent or NaN" if np.isnan(scores[place]) else str(scores[place])
        raise InvalidScoreError(
            f"index.search, position {place}, id {found[place].id!r}: the score is {score}; scores must be "
            "finite"
        )


def _filtered(found: Ranking, conditions: list[Condition], lookup: DocumentLookup) -> Ranking:
    documents = documents_of(found.ids, lookup)
    fitting = {id: document for id, document in documents.items() if fits(document, conditions)}
    return with_documents(found, fitting, "filtered")
