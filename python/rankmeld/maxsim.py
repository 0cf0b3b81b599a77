"""MaxSim over embeddings, the late interaction of ColBERT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import TIES, as_limit, as_threads, choose
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking

__all__ = ["MaxSimMatches", "maxsim", "maxsim_top", "quantize_int8"]

#: Scales of int8 vectors: one for all, one for each, or for a list of documents one entry for each.
Scales = float | npt.ArrayLike | Sequence[npt.ArrayLike]

#: What the largest element of a vector becomes: the range is symmetric, so -128 is not used.
_LARGEST_INT8 = 127.0


@dataclass(frozen=True, slots=True, eq=False)
class MaxSimMatches:
    """Scores, and which vectors of the documents they come from.

    Attributes
    ----------
    scores : array of shape (N,), float64
        As `maxsim` gives them: the sums of the rows of `similarities`.
    matches : array of shape (N, Q), int64
        For each document and query vector the number of the document's vector that is most similar,
        counted within the document (masked ones included); the first of equal ones, and -1 in a
        document without vectors.
    similarities : array of shape (N, Q), float64
        How similar that vector is; 0 in a document without vectors.
    """

    scores: npt.NDArray[np.float64]
    matches: npt.NDArray[np.int64]
    similarities: npt.NDArray[np.float64]


@overload
def maxsim(
    query: npt.ArrayLike,
    documents: Any,
    *,
    offsets: npt.ArrayLike | None = ...,
    mask: npt.ArrayLike | None = ...,
    normalize: bool = ...,
    scales: Scales | None = ...,
    query_scales: Scales | None = ...,
    threads: SupportsIndex | None = ...,
    explain: Literal[False] = ...,
) -> npt.NDArray[np.float64]: ...
@overload
def maxsim(
    query: npt.ArrayLike,
    documents: Any,
    *,
    offsets: npt.ArrayLike | None = ...,
    mask: npt.ArrayLike | None = ...,
    normalize: bool = ...,
    scales: Scales | None = ...,
    query_scales: Scales | None = ...,
    threads: SupportsIndex | None = ...,
    explain: Literal[True],
) -> MaxSimMatches: ...
def maxsim(
    query: npt.ArrayLike,
    documents: Any,
    *,
    offsets: npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    normalize: bool = False,
    scales: Scales | None = None,
    query_scales: Scales | None = None,
    threads: SupportsIndex | None = None,
    explain: bool = False,
) -> npt.NDArray[np.float64] | MaxSimMatches:
    """Score documents by the vectors that are most similar to those of the query.

    For each document the sum over query vectors of the largest dot product with one of the
    document's vectors [1]_.

    Parameters
    ----------
    query : array of shape (Q, D)
        The query's vectors, one for each token.
    documents : list of arrays of shape (T, D), or one array
        The documents' vectors: a list (or any iterable) with an array for each document; or an array
        of shape (sum of all T, D) with `offsets`; or one of shape (N, T, D), with a `mask` if documents
        are padded. float32, float16, float64, bfloat16 and int8 are read without a copy where they
        are C-contiguous; any other real dtype, byte order or stride is converted once. An array of
        uint16 holds the bits of bfloat16; the dtype of ``ml_dtypes`` is known too.
    offsets : array of shape (N + 1,), int, optional
        Where each document begins in the one array, 0 first; the last entry is where the last
        document ends.
    mask : array of shape (N, T), bool, optional
        Which vectors count. The others are not looked at: padding never wins over real
        vectors with negative similarities, and may hold anything.
    normalize : bool, default False
        Make the similarities cosines, for vectors that are not of length 1. Zero vectors stay zero.
    scales : float or array, optional
        For documents of int8: what their vectors are multiplied by. One number for all; or one for
        each vector, in the shape of `documents` without the last axis; or, for a list of documents, a
        list with a number or an array for each. Not negative.
    query_scales : float or array of shape (Q,), optional
        The same for a query of int8.
    threads : int, optional
        How many threads share the documents; by default as many as there are processors, if the work
        takes some milliseconds. Their number changes no bit of the result.
    explain : bool, default False
        Tell which vectors the scores come from.

    Returns
    -------
    array of shape (N,), float64
        Scores in document order; 0 for a document without vectors. With `explain` a `MaxSimMatches`.

    Raises
    ------
    TypeError
        An array does not hold real numbers, the mask is not boolean, or documents are no list of arrays.
    InvalidArgumentError
        A shape does not fit, offsets decrease or do not end where the vectors do, or a value that
        counts is NaN or infinite. The message names the document.
    InvalidScoreError
        A score is beyond the range of float64.

    Notes
    -----
    O(Q D sum T). Dot products run in the precision of the inputs: in float64 if the query or the document
    is float64 (as are lists of Python floats), else in float32, in which products of narrower numbers
    are exact; int8 with int8 is exact. A document with values so large or small that float32 would
    overflow or lose them is computed in float64. Scores are summed up in float64. The same
    input gives the same bits on every processor, and the same score whatever documents are beside.
    One exception: bfloat16 with bfloat16 uses the processor's own instruction where there is one,
    which takes numbers below 1.2e-38 for zero on the way.

    The kernel takes 16 query vectors at a time, so fewer cost as much as 16; it needs no more memory
    than the scores.

    References
    ----------
    .. [1] Khattab and Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized
       Late Interaction over BERT", SIGIR 2020.

    Examples
    --------
    >>> import numpy as np
    >>> import rankmeld as rm
    >>> query = np.array([[1, 0], [0, 1]], dtype=np.float32)
    >>> documents = [
    ...     np.array([[1, 0], [0.6, 0.8]], dtype=np.float32),
    ...     np.array([[-1, 0]], dtype=np.float32),
    ... ]
    >>> rm.maxsim(query, documents).round(3)
    array([ 1.8, -1. ])
    >>> rm.maxsim(query, documents, explain=True).matches
    array([[0, 1],
           [0, 0]])
    """
    scores, found = _core.maxsim(
        query,
        documents,
        offsets,
        mask,
        _as_flag(normalize, "normalize"),
        scales,
        query_scales,
        as_threads(threads),
        _as_flag(explain, "explain"),
    )
    return scores if found is None else MaxSimMatches(scores, *found)


def maxsim_top(
    query: npt.ArrayLike,
    documents: Any,
    *,
    limit: SupportsIndex | None,
    offsets: npt.ArrayLike | None = None,
    mask: npt.ArrayLike | None = None,
    normalize: bool = False,
    scales: Scales | None = None,
    query_scales: Scales | None = None,
    threads: SupportsIndex | None = None,
    ties: str = "first",
) -> Ranking:
    """Rank documents by `maxsim`.

    Parameters
    ----------
    query, documents, offsets, mask, normalize, scales, query_scales, threads
        As in `maxsim`.
    limit : int or None
        How many to give; ``None`` gives all.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        The order of equal scores: by position, or by position from the last to the first.

    Returns
    -------
    Ranking
        The ids are positions in `documents`.

    Raises
    ------
    TypeError, InvalidArgumentError, InvalidScoreError
        As in `maxsim`, and for a `limit` or `ties` that is not allowed.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.maxsim_top([[1.0, 0.0]], [[[0.0, 1.0]], [[0.6, 0.8], [1.0, 0.0]]], limit=1)[0]
    Hit(id=1, score=1.0, document=None)
    """
    count = as_limit(limit)
    choose(ties, TIES, "ties")
    scores = maxsim(
        query,
        documents,
        offsets=offsets,
        mask=mask,
        normalize=normalize,
        scales=scales,
        query_scales=query_scales,
        threads=threads,
    )
    order = _core.order(scores, np.arange(len(scores)), count, ties)
    return Ranking((order, scores[order]))


def quantize_int8(
    vectors: npt.ArrayLike,
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Round vectors to int8, each with a scale of its own.

    Parameters
    ----------
    vectors : array of shape (..., D)
        Finite real numbers.

    Returns
    -------
    vectors : array of shape (..., D), int8
        The largest element of each vector becomes 127 or -127; a zero vector stays zero.
    scales : array of shape (...), float32
        What to multiply each vector by to get it back, to about 0.4% of its largest element: the
        `scales` or `query_scales` of `maxsim`.

    Raises
    ------
    TypeError
        The array does not hold real numbers.
    InvalidArgumentError
        It has no axis, or a value is not finite.

    Examples
    --------
    >>> from rankmeld import quantize_int8
    >>> small, scales = quantize_int8([[0.5, -0.25], [0.0, 0.0]])
    >>> small
    array([[127, -64],
           [  0,   0]], dtype=int8)
    >>> (small[0] * scales[0]).round(3)
    array([ 0.5  , -0.252], dtype=float32)
    """
    given = np.asarray(vectors)
    if given.dtype.kind not in "fiu":
        raise TypeError(f"vectors has dtype {given.dtype}; it must hold real numbers (integers or floats)")
    if given.ndim == 0:
        raise InvalidArgumentError("vectors has no axis; it must have the shape (..., D)")
    wide = given.astype(np.float64)
    largest = np.abs(wide).max(axis=-1, initial=0.0)
    if not np.isfinite(largest).all():
        raise InvalidArgumentError("vectors holds NaN or an infinity; vectors must be finite")
    scales = (largest / _LARGEST_INT8).astype(np.float32)
    divisor = np.where(scales > 0.0, scales, 1.0).astype(np.float64)
    rounded = np.rint(wide / divisor[..., np.newaxis])
    return np.clip(rounded, -_LARGEST_INT8, _LARGEST_INT8).astype(np.int8), scales


def _as_flag(value: bool, name: str) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise TypeError(f"{name} must be True or False, not {type(value).__name__}")
