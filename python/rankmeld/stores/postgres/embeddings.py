"""Vectors on their way to the server and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pgvector import Vector

from rankmeld.stores.failures import DamagedError
from rankmeld.stores.matrix import Floats

__all__ = ["as_matrix", "safe", "to_vector"]

#: Vectors whose largest number is within these powers of two are squared and summed in float32 without
#: loss to its range.
_SAFE = 30


def safe(vectors: Floats) -> Floats:
    """Vectors whose squares fit float32: those that are far from 1 are scaled by a power of two.

    It changes no direction, and no bit of a cosine.
    """
    largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0.0)
    _, exponent = np.frexp(largest)
    shift = np.where(np.abs(exponent) > _SAFE, -exponent, 0)
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
