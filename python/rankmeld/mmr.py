"""Maximal marginal relevance: the best hits that do not repeat each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex

import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import as_limit, as_number, choose
from rankmeld._vectors import Vectors, rows_of_hits
from rankmeld.decay import finite_scores
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking

__all__ = ["mmr"]

_SIMILARITIES = ("jaccard", "cosine")


def mmr(
    ranking: Any,
    *,
    lambda_: float = 0.7,
    limit: SupportsIndex | None = None,
    similarity: Literal["jaccard", "cosine"] | npt.ArrayLike = "jaccard",
    vectors: Vectors | None = None,
    scale: Literal["minmax"] | None = "minmax",
) -> Ranking:
    """Choose hits that are relevant and unlike those chosen before.

    The first pick is the hit with the highest score. Each further one is the hit with the largest
    ``lambda_ * relevance - (1 - lambda_) * s``, where ``s`` is its greatest similarity to any pick
    so far; of equal ones the first.

    Parameters
    ----------
    ranking : ranking
        With finite scores; see `Ranking`. Each hit counts, also those that share an id.
    lambda_ : float, default 0.7
        Weight of relevance, within 0..1: 1 is the order by score, 0 looks at nothing but
        diversity after the first pick.
    limit : int, optional
        How many hits to choose; all if not given. It only cuts: the first n of a larger request
        equal a request for n.
    similarity : {"jaccard", "cosine"} or array of shape (N, N), default "jaccard"
        Jaccard similarity of the sets of tokens (`tokenize`) of the documents' ``text``, 0 for two
        without tokens; cosine of `vectors`; or finite numbers in the order of the ranking, where
        row i, column j is the similarity of hit i to hit j once j is chosen.
    vectors : array of shape (N, D), sequence of N vectors, or mapping of id to vector, optional
        For ``similarity="cosine"``, and only for it; as in `cosine_rerank`. A hit without a vector,
        or with a zero one, is similar to none.
    scale : {"minmax"} or None, default "minmax"
        How scores become relevance: ``(s - min) / (max - min)``, 1 if all are equal; ``None`` takes
        them as they are. Similarities are never scaled.

    Returns
    -------
    Ranking
        The chosen hits in the order of choice. They keep their scores, so the scores need not
        descend.

    Raises
    ------
    InvalidScoreError
        A score is absent or not finite.
    TypeError, InvalidArgumentError
        An option is not allowed, or vectors or similarities do not fit the ranking.

    Notes
    -----
    O(limit N) similarities at most. A hit's value only falls as hits are chosen, so it is compared
    with new picks only when its last value would have it chosen; the result is that of comparing
    all. Values are float64, computed as written above. `Ranking.explain` has for each pick its
    relevance, what it is most similar to, and its value.

    Jaime Carbonell and Jade Goldstein, The use of MMR, diversity-based reranking for reordering
    documents and producing summaries, SIGIR 1998.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("a", 0.9, rm.Document("a", "red apples")),
    ...     ("b", 0.8, rm.Document("b", "red apples")),
    ...     ("c", 0.5, rm.Document("c", "blue whales")),
    ... ]
    >>> rm.mmr(hits, lambda_=0.5).ids
    ['a', 'c', 'b']
    >>> print(rm.mmr(hits, lambda_=0.5).explain("b"))
    'b'  0.8
      mmr: position_before 1, relevance 0.75, most_similar_to a, similarity 1, value -0.125
    """
    weight = as_number(lambda_, "lambda_")
    if not 0.0 <= weight <= 1.0:
        raise InvalidArgumentError(
            f"lambda_ is {weight}; it must be within 0..1 (1: relevance alone, 0: diversity alone)"
        )
    count = as_limit(limit)
    _require_similarity(similarity, vectors)
    minmax = _is_minmax(scale)
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    scores = finite_scores(given)
    ids = given.ids
    if vectors is not None:
        chosen = _core.mmr_cosine(scores, rows_of_hits(vectors, ids), weight, count, minmax)
    elif isinstance(similarity, str):
        chosen = _core.mmr_jaccard(scores, _texts(given), weight, count, minmax)
    else:
        chosen = _core.mmr_matrix(scores, similarity, weight, count, minmax)
    places, relevance, similarities, nearest, values = chosen
    columns: dict[str, Sequence[Any]] = {
        "position_before": places,
        "relevance": relevance,
        "most_similar_to": [None if place is None else ids[place] for place in nearest],
        "similarity": similarities,
        "value": values,
    }
    return given._step(places, scores[places], "mmr", columns)


def _require_similarity(similarity: object, vectors: object) -> None:
    if similarity is None:
        raise TypeError("similarity must be 'jaccard', 'cosine' or an array, not NoneType")
    if callable(similarity):
        raise TypeError(
            f"similarity must be 'jaccard', 'cosine' or an array, not {type(similarity).__name__}: functions "
            "are not called; pass the array of what yours gives, [[similarity(a, b) for b in hits] for a in "
            "hits], in the order of the ranking"
        )
    if isinstance(similarity, str):
        choose(similarity, _SIMILARITIES, "similarity")
    by_cosine = isinstance(similarity, str) and similarity == "cosine"
    if by_cosine and vectors is None:
        raise InvalidArgumentError(
            'similarity="cosine" needs vectors=: a row for each hit, or a mapping of ids to vectors'
        )
    if not by_cosine and vectors is not None:
        raise InvalidArgumentError('vectors= are for similarity="cosine" only; leave them out, or ask for it')


def _is_minmax(scale: object) -> bool:
    if scale is None:
        return False
    if not isinstance(scale, str):
        raise TypeError(f"scale must be 'minmax' or None, not {type(scale).__name__}")
    if scale != "minmax":
        raise InvalidArgumentError(f"scale is {scale!r}; it must be 'minmax' or None")
    return True


def _texts(ranking: Ranking) -> list[str]:
    if ranking._documents is None:
        return [""] * len(ranking)
    return ["" if document is None else document.text for document in ranking._documents]
