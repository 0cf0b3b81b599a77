"""Vectors on their way to the server and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pgvector import Vector

from rankmeld.stores.failures import DamagedError
from rankmeld.stores.matrix import Floats

__all__ = ["as_matrix", "safe", "to_vector"]

#: Up to this power of two, squares of 16,000 numbers, as many as pgvector takes, sum up within float32.
_LARGEST = 55

#: From this power of two on, the squares of a vector's largest number are not lost in float32.
_SMALLEST = -30


def safe(vectors: Floats) -> Floats:
    """Vectors whose squares fit float32: those that are very large or small are scaled by a power of two.

    It changes no direction, and no bit of a cosine: large ones are made no smaller than they must be, so that
    the only numbers to lose bits are below 2**-180 of the largest beside them.
    """
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0.0)
    _, exponent = np.frexp(largest)
    shift = np.where(exponent < _SMALLEST, -exponent, np.minimum(_LARGEST - exponent, 0))
    return vectors if not shift.any() else np.ldexp(vectors, shift)


def to_vector(vector: Floats) -> Vector:
    """A vector as a parameter."""
    return Vector(vector)


def as_matrix(vectors: Sequence[Vector], dimensions: int) -> Floats:
    """Vectors that the server gave as rows of one array."""
    if any(vector.dimensions() != dimensions for vector in vectors):
        raise DamagedError(f"it has a vector that does not have {dimensions} dimensions")
    rows = [vector.to_numpy() for vector in vectors]
    return np.stack(rows) if rows else np.empty((0, dimensions), np.float32)
