"""What a search of a BM25 index does before and after the core is asked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._bm25_input import as_ids
from rankmeld._bm25_state import Mask, State
from rankmeld._filters import read_filters
from rankmeld.ranking import Ranking
from rankmeld.types import Filters

__all__ = ["allowed_of", "ranking_of"]

#: Parts, rows in them and scores, as the core gives them.
Hits = tuple[list[int], list[int], npt.NDArray[np.float64]]


def allowed_of(state: State, filters: Filters | None, among: Iterable[Hashable] | None) -> list[Mask] | None:
    """For each part which documents may be found; ``None``: all."""
    if filters is None and among is None:
        return None
    conditions = read_filters(filters)
    ids = None if among is None else as_ids(among, "among")
    if not conditions and ids is None:
        return None
    return [part.mask(conditions, ids) for part in state.parts]


def ranking_of(state: State, found: Hits, limit: int | None, ties: str) -> Ranking:
    """Hits of the core with ids and documents, equal scores by the tie rule."""
    parts, rows, scores = found
    if len(state.parts) == 1:
        part = state.parts[0]
        ids = [part.ids[row] for row in rows]
        documents = None if part.documents is None else [part.documents[row] for row in rows]
    else:
        places = list(zip(parts, rows, strict=True))
        ids = [state.parts[part].ids[row] for part, row in places]
        documents = state.documents_at(places)
    if ties != "first":
        order = _core.order(scores, ids, limit, ties).tolist()
        ids, scores = [ids[place] for place in order], scores[order]
        documents = None if documents is None else [documents[place] for place in order]
    return Ranking._of(ids, scores, documents, "bm25")
