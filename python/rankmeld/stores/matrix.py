"""Vectors as callers hand them to a store, and as its file keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeld.errors import InvalidArgumentError

__all__ = ["STORED", "Floats", "as_query_vector", "as_vectors", "to_blob"]

Floats = npt.NDArray[np.float32]

#: As vectors are stored, whatever machine wrote them.
STORED = np.dtype("<f4")


def to_blob(vector: Floats) -> bytes:
    """The bytes under which a vector is stored."""
    return vector.astype(STORED, copy=False).tobytes()


def as_vectors(given: Any, names: Sequence[object], what: str = "vectors") -> Floats:
    """Read the vectors of documents, and refuse those that cannot be searched.

    Parameters
    ----------
    given : array of shape (N, D) or sequence of N vectors
        Real numbers.
    names : sequence
        The documents' ids, for messages.
    what : str, optional
        The argument, for messages.

    Returns
    -------
    array of shape (N, D), float32

    Raises
    ------
    TypeError
        Not an array, or not of numbers.
    InvalidArgumentError
        Another number of vectors than documents, other widths, NaN or an infinity.
    """
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        raise TypeError(f"{what} must be an array of shape (N, D) or a list, not {type(given).__name__}")
    if len(given) != len(names):
        raise InvalidArgumentError(
            f"{what} holds {len(given)} vectors for {len(names)} documents; pass one for each, in order"
        )
    if not len(names):
        return np.empty((0, 0), np.float32)
    if not isinstance(given, np.ndarray):
        given = [_as_array(row, f"{what}[{i}] (document {names[i]!r})") for i, row in enumerate(given)]
        for i, row in enumerate(given):
            if row.shape != given[0].shape:
                raise InvalidArgumentError(
                    f"{what}[{i}] (document {names[i]!r}) has {row.size} dimensions and the ones before it "
                    f"{given[0].size}; all must have the same"
                )
    array = _as_array(given, what)
    if array.ndim != 2 or array.shape[1] == 0:
        raise InvalidArgumentError(f"{what} has shape {array.shape}; it must be (N, D) with D of 1 or more")
    vectors = _to_float32(array)
    finite = np.isfinite(vectors)
    if not finite.all():
        row, column = (int(place) for place in np.argwhere(~finite)[0])
        raise InvalidArgumentError(
            f"{what}[{row}] (document {names[row]!r}) is {array[row, column]!s} in dimension {column}; every "
            "number must be finite and fit float32"
        )
    return vectors


def as_query_vector(given: Any) -> Floats:
    """Read the vector of a query: shape (D,), float32, finite."""
    if isinstance(given, str):
        raise TypeError(
            "query_vector must be a vector, not str; pass embedder.embed_query(text), or search with "
            "hybrid() or lexical(), which take text"
        )
    array = _as_array(given, "query_vector")
    if array.ndim != 1 or not array.size:
        raise InvalidArgumentError(f"query_vector has shape {array.shape}; it must be (D,), one vector")
    vector = _to_float32(array)
    if not np.isfinite(vector).all():
        column = int(np.argmin(np.isfinite(vector)))
        raise InvalidArgumentError(
            f"query_vector is {array[column]!s} in dimension {column}; every number must be finite and fit "
            "float32"
        )
    return vector


def _as_array(given: Any, what: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(given)
    except ValueError:
        raise InvalidArgumentError(f"{what} has rows of different lengths; all must be as wide") from None
    if array.dtype.kind not in "fiu" and array.size:
        raise TypeError(f"{what} must hold real numbers, not {array.dtype}")
    return array


def _to_float32(array: npt.NDArray[Any]) -> Floats:
    with np.errstate(over="ignore"):  # what does not fit becomes infinite, and is refused by the caller
        return np.ascontiguousarray(array, np.float32)
