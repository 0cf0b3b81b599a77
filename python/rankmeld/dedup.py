"""Removing hits whose text was there before."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, SupportsIndex

from rankmeld._options import as_limit
from rankmeld.ranking import Ranking
from rankmeld.text import fold_text

__all__ = ["dedup"]


def dedup(ranking: Any, *, limit: SupportsIndex | None = None) -> Ranking:
    """Drop hits whose text equals that of a better one.

    Texts are compared composed (NFC), case folded, with runs of white space as one space, trimmed.
    Blank texts say nothing, so all of them are kept. A hit without a document is dropped only if
    an earlier hit without a document has its id.

    Parameters
    ----------
    ranking : ranking
        Best first; see `Ranking`. Scores are not looked at.
    limit : int, optional
        Stop when so many hits are kept.

    Returns
    -------
    Ranking
        The hits that are kept, in their order, scores as they were.

    Raises
    ------
    TypeError, InvalidArgumentError
        As in `Ranking`, and for a `limit` that is not allowed.

    Notes
    -----
    Linear in the length of the texts. Each kept hit's explanation has how many copies were
    dropped in its favour, among the hits that were looked at.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("a", 0.9, rm.Document("a", "One fact.")),
    ...     ("b", 0.8, rm.Document("b", "one  FACT.")),
    ...     ("c", 0.7, rm.Document("c", "Another.")),
    ... ]
    >>> rm.dedup(hits).ids
    ['a', 'c']
    """
    count = as_limit(limit)
    given = Ranking(ranking) if not isinstance(ranking, Ranking) else ranking
    kept: list[int] = []
    dropped: list[int] = []  # for each kept hit, how many copies of it went
    seen: dict[tuple[str, Hashable], int] = {}
    for place, (id_, document) in enumerate(zip(given.ids, given.documents, strict=True)):
        if count is not None and len(kept) >= count:
            break
        key = ("id", id_) if document is None else ("text", fold_text(document.text))
        if key in seen:
            dropped[seen[key]] += 1
            continue
        if key != ("text", ""):
            seen[key] = len(kept)
        kept.append(place)
        dropped.append(0)
    scores = None if given.scores is None else given.scores[kept]
    return given._step(kept, scores, "dedup", {"copies_dropped": dropped})
