"""Exact cosine similarity over many vectors."""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import as_limit

__all__ = ["cosine_scores", "cosine_top"]


def cosine_scores(query: npt.ArrayLike, vectors: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Cosine of a query with each of many vectors.

    Parameters
    ----------
    query : array of shape (D,)
        Real numbers.
    vectors : array of shape (N, D)
        Finite real numbers. C-contiguous float32 or float64 is read without a copy; any other
        dtype, byte order or stride is converted once.

    Returns
    -------
    array of shape (N,), float64
        Within -1..1, in row order; 0 for a zero vector.

    Raises
    ------
    TypeError
        The arrays do not hold real numbers.
    InvalidArgumentError
        The widths differ, a shape is wrong, or a value is not finite.

    Notes
    -----
    O(N D). Products of float32 are exact, sums run in float64 in a fixed order, and nothing
    overflows or vanishes on the way.

    Examples
    --------
    >>> cosine_scores([1, 0], [[1, 0], [0, 2], [0, 0]])
    array([1., 0., 0.])
    """
    return _core.cosine_scores(query, vectors, "query")


def cosine_top(
    query: npt.ArrayLike, vectors: npt.ArrayLike, *, limit: SupportsIndex | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """The vectors nearest to a query by cosine.

    Parameters
    ----------
    query, vectors
        As in `cosine_scores`.
    limit : int or None
        How many to give; ``None`` gives all.

    Returns
    -------
    rows : array of int64
        Row numbers, best first, equal cosines in row order.
    scores : array of float64
        Their cosines.

    Raises
    ------
    TypeError, InvalidArgumentError
        As in `cosine_scores`.

    Examples
    --------
    >>> rows, scores = cosine_top([1, 0], [[0, 1], [1, 1], [2, 0]], limit=2)
    >>> rows
    array([2, 1])
    """
    return _core.cosine_top(query, vectors, as_limit(limit))
