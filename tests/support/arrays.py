"""One array in every layout that NumPy has."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np


def spread(values: np.ndarray) -> np.ndarray:
    """Every other element of a larger array; what lies between is misleading on purpose."""
    wide = np.full([2 * n for n in values.shape], 77, dtype=values.dtype)
    view = wide[tuple(slice(None, None, 2) for _ in values.shape)]
    view[...] = values
    return view


def backwards(values: np.ndarray) -> np.ndarray:
    """Negative strides."""
    turn = tuple(slice(None, None, -1) for _ in values.shape)
    return np.ascontiguousarray(values[turn])[turn]


def unaligned(values: np.ndarray) -> np.ndarray:
    """One byte beside where the processor would like it."""
    raw = np.zeros(values.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(values.dtype).reshape(values.shape)
    view[...] = values
    return view


def read_only(values: np.ndarray) -> np.ndarray:
    values = values.copy()
    values.flags.writeable = False
    return values


def from_buffer(values: np.ndarray) -> np.ndarray:
    return np.frombuffer(values.tobytes(), dtype=values.dtype).reshape(values.shape)


def pickled(values: np.ndarray) -> np.ndarray:
    """What a worker process sends back: its memory need not be aligned."""
    return pickle.loads(pickle.dumps(values, protocol=5))


def column(values: np.ndarray) -> np.ndarray:
    """A field of a structured array."""
    record = np.zeros(values.shape, dtype=[("tag", "u1"), ("value", values.dtype)])
    record["value"] = values
    return record["value"]


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "contiguous": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "spread": spread,
    "backwards": backwards,
    "unaligned": unaligned,
    "read-only": read_only,
    "from a buffer": from_buffer,
    "pickled": pickled,
    "a field": column,
}


def mapped(values: np.ndarray, folder: Path) -> np.ndarray:
    """A read-only view of a file."""
    path = folder / "values.npy"
    np.save(path, values)
    return np.load(path, mmap_mode="r")


def byte_orders(dtype: str) -> Iterator[str]:
    """The dtype little and big end first."""
    yield from {np.dtype(dtype).newbyteorder(end).str for end in "<>"}
