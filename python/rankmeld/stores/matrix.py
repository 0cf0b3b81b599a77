"""The vectors of a store as one matrix, kept in memory for as long as the file has the same ones."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankmeld.errors import InvalidArgumentError
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.filters import Condition, where

__all__ = ["Floats", "Matrix", "MatrixCache", "as_query_vector", "as_vectors", "to_blob"]

Floats = npt.NDArray[np.float32]

#: As vectors are stored, whatever machine wrote them.
_STORED = np.dtype("<f4")

#: Vectors read from the file at a time; between two reads, Ctrl-C is seen.
_ROWS_AT_ONCE = 1024


class Matrix(NamedTuple):
    """All vectors of a store.

    Attributes
    ----------
    generation : int
        The store's count of changes when they were read.
    positions : array of shape (N,), int64
        The documents' positions, ascending.
    vectors : array of shape (N, D), float32
        Their vectors, read-only and C-contiguous.
    """

    generation: int
    positions: npt.NDArray[np.int64]
    vectors: Floats

    def where(self, connection: sqlite3.Connection, found: Sequence[Condition]) -> Matrix:
        """The part whose documents fulfil the conditions; the matrix itself without any."""
        if not found:
            return self
        clause, parameters = where(found)
        rows = connection.execute(f"SELECT position FROM documents{clause}", parameters)  # noqa: S608
        wanted = np.fromiter((position for (position,) in rows), np.int64)
        kept = np.isin(self.positions, wanted, assume_unique=True)
        return Matrix(self.generation, self.positions[kept], self.vectors[kept])


class MatrixCache:
    """Holds the newest matrix that was asked for, for all threads of a process."""

    def __init__(self) -> None:
        self._matrix: Matrix | None = None
        self._lock = threading.Lock()  # held by who uses a connection, so no fork happens meanwhile

    def clear(self) -> None:
        """Let go of the memory."""
        self._matrix = None

    def get(self, connection: sqlite3.Connection) -> Matrix:
        """Give the matrix of the state that a transaction sees.

        Parameters
        ----------
        connection : sqlite3.Connection
            In a transaction.

        Returns
        -------
        Matrix
            Of the same state; (0, 0) for a store without vectors.
        """
        generation = _count(connection, "generation")
        matrix = self._matrix
        if matrix is not None and matrix.generation == generation:
            return matrix
        with self._lock:  # one thread reads, the others wait for what it read
            matrix = self._matrix
            if matrix is None or matrix.generation < generation:
                self._matrix = matrix = _read(connection, generation)
        # A transaction may be older than what others have read meanwhile.
        return matrix if matrix.generation == generation else _read(connection, generation)


def _count(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    if row is None or not isinstance(row[0], int):
        raise DamagedError(f"the setting {name!r} is no number")
    return row[0]


def _read(connection: sqlite3.Connection, generation: int) -> Matrix:
    (count,) = connection.execute("SELECT count(*) FROM vectors").fetchone()
    width = _count(connection, "dimensions") if count else 0
    rows = connection.execute("SELECT position, vector FROM vectors ORDER BY position")
    chunk = rows.fetchmany(_ROWS_AT_ONCE)
    _check(chunk, width)  # before memory is asked for
    positions = np.empty(count, np.int64)
    vectors = np.empty((count, width), np.float32)
    start = 0
    while chunk:
        stop = start + len(chunk)
        flat = np.frombuffer(b"".join(blob for _, blob in chunk), _STORED)
        if stop > count or not np.isfinite(flat).all():
            raise DamagedError("its vectors are not those that were written")
        positions[start:stop] = [position for position, _ in chunk]
        vectors[start:stop] = flat.reshape(len(chunk), width)
        start, chunk = stop, rows.fetchmany(_ROWS_AT_ONCE)
        _check(chunk, width)
    if start != count:
        raise DamagedError(f"it has {start} vectors, and counts {count}")
    positions.flags.writeable = False
    vectors.flags.writeable = False
    return Matrix(generation, positions, vectors)


def _check(chunk: Sequence[tuple[int, Any]], width: int) -> None:
    size = width * _STORED.itemsize
    for position, blob in chunk:
        if not isinstance(blob, bytes) or len(blob) != size:
            raise DamagedError(f"the vector of document {position} does not have {width} dimensions")


def to_blob(vector: Floats) -> bytes:
    """The bytes under which a vector is stored."""
    return vector.astype(_STORED, copy=False).tobytes()


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
