"""Reordering by the cosine of vectors with the query's."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import TIES, choose
from rankmeld._vectors import Vectors, as_vector, rows_of_hits
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking

__all__ = ["cosine_rerank"]


def cosine_rerank(
    query_vector: npt.ArrayLike, ranking: Any, vectors: Vectors, *, ties: Ties = "first"
) -> Ranking:
    """Order hits by the cosine of their vectors with the query's.

    Parameters
    ----------
    query_vector : array of shape (D,)
        Finite real numbers.
    ranking : ranking
        See `Ranking`. Scores are replaced, so they may be absent.
    vectors : array of shape (N, D), sequence of N vectors, or mapping of id to vector
        Finite real numbers of any dtype; an array or a sequence in the order of the ranking. In a
        sequence ``None``, and in a mapping an absent id, is a hit without a vector. A mapping may
        hold ids that the ranking does not, beside one or more that it does.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal cosines.

    Returns
    -------
    Ranking
        The same hits by descending cosine, which is their score; 0 for a hit without a vector or
        with a zero one.

    Raises
    ------
    TypeError
        A vector does not hold real numbers, or `vectors` is none of these forms.
    InvalidArgumentError
        Widths or the number of rows do not fit, a mapping has other ids alone, or a value is not
        finite; the message names the row or the id.

    Notes
    -----
    O(N D), exact as `cosine_scores` is: equal vectors tie to the last bit.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.cosine_rerank([1, 0], ["a", "b", "c"], {"a": [0, 1], "b": [2, 0]}).ids
    ['b', 'a', 'c']
    """
    choose(ties, TIES, "ties")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    query = as_vector(query_vector, lambda: "query_vector")
    cosines = _core.cosine_scores(query, rows_of_hits(vectors, given.ids, len(query)), "query_vector")
    order = _core.order(cosines, given._ids, None, ties).tolist()
    before = given._score_list()
    columns = {
        "position_before": order,
        "score_before": [before[place] for place in order],
        "score": cosines[order].tolist(),
    }
    return given._step(order, cosines[order], "cosine_rerank", columns)
