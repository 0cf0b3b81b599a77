"""Bringing the vectors of a ranking's hits into one matrix."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeld._options import require_order
from rankmeld.errors import InvalidArgumentError

#: An array with a row for each hit, a sequence with a vector or ``None`` for each, or a mapping by id.
Vectors = npt.ArrayLike | Iterable[npt.ArrayLike | None] | Mapping[Any, npt.ArrayLike | None]


def rows_of_hits(vectors: Vectors, ids: Sequence[Hashable], width: int | None = None) -> npt.NDArray[Any]:
    """One row for each hit, in their order; a row of zeros where there is no vector.

    `width` is what vectors are as long as, where that is known before.

    Raises
    ------
    TypeError, InvalidArgumentError
        A vector cannot be read, or their number or widths do not fit; the message names the hit.
    """
    if isinstance(vectors, Mapping):
        found = [vectors.get(id) for id in ids]
        _require_one(found, vectors, ids)
        return _stacked(found, width, lambda place: f"vectors[{ids[place]!r}]")
    if isinstance(vectors, np.ndarray) or hasattr(vectors, "__array__"):
        rows = vectors if isinstance(vectors, np.ndarray) else np.asarray(vectors)
        if rows.ndim == 2:
            _require_count(len(rows), ids)
            _require_width(rows.shape[1], len(rows), width)
        return rows  # any other number of dimensions is refused where it is read
    if isinstance(vectors, str | bytes) or not isinstance(vectors, Iterable):
        raise TypeError(
            "vectors must be an array with a row for each hit, a list of vectors, or a mapping of ids "
            f"to vectors, not {type(vectors).__name__}"
        )
    require_order(vectors, "vectors", "vectors")
    found = list(vectors)
    _require_count(len(found), ids)
    return _stacked(found, width, lambda place: f"vectors[{place}]")


def _require_one(found: list[Any], vectors: Mapping[Any, Any], ids: Sequence[Hashable]) -> None:
    """Some may be absent; that all of them are is a slip: ids that are numbers here and text there."""
    if found and vectors and all(vector is None for vector in found) and not any(id in vectors for id in ids):
        key = next(iter(vectors))
        raise InvalidArgumentError(
            f"vectors has none of the {len(ids)} hit(s): its ids are like {key!r} ({type(key).__name__}), "
            f"and the ranking's like {ids[0]!r} ({type(ids[0]).__name__}); give vectors by the ranking's ids"
        )


def _require_count(count: int, ids: Sequence[Hashable]) -> None:
    if count != len(ids):
        raise InvalidArgumentError(
            f"vectors has {count} row(s) for {len(ids)} hit(s); give one for each hit in the order of "
            "the ranking, or a mapping of ids to vectors"
        )


def _require_width(got: int, rows: int, width: int | None) -> None:
    if got == 0 and rows > 0 and width is None:
        raise InvalidArgumentError("vectors have no dimensions; give each hit at least one number")


def _stacked(found: list[Any], width: int | None, name: Callable[[int], str]) -> npt.NDArray[Any]:
    rows = [
        None if vector is None else as_vector(vector, partial(name, place))
        for place, vector in enumerate(found)
    ]
    present = [(place, row) for place, row in enumerate(rows) if row is not None]
    if not present:
        return np.zeros((len(rows), 1 if width is None else width), dtype=np.float32)
    wanted = len(present[0][1]) if width is None else width
    against = name(present[0][0]) if width is None else "the query"
    matrix = np.zeros((len(rows), wanted), np.result_type(*{row.dtype for _, row in present}))
    _require_width(wanted, len(rows), width)
    for place, row in present:
        if len(row) != wanted:
            raise InvalidArgumentError(
                f"{name(place)} has {len(row)} dimension(s) and {against} has {wanted}; embed all with "
                "one model"
            )
        matrix[place] = row
    wrong = np.argwhere(~np.isfinite(matrix))
    if len(wrong):
        place, dimension = wrong[0].tolist()
        raise InvalidArgumentError(
            f"{name(place)}, dimension {dimension}: the value is {matrix[place, dimension]}; vectors must "
            "be finite"
        )
    return matrix


def as_vector(vector: Any, name: Callable[[], str]) -> npt.NDArray[Any]:
    """One vector of real numbers in the dtype in which it came; `name` is how a refusal calls it.

    Raises
    ------
    TypeError, InvalidArgumentError
        It is something else.
    """
    try:
        row: npt.NDArray[Any] = np.asanyarray(vector)
    except ValueError as error:
        raise TypeError(f"{name()} must be an array of numbers ({error})") from None
    if isinstance(row, np.ma.MaskedArray):
        raise TypeError(f"{name()} is a masked array; pass .filled(value) to give masked entries a value")
    if row.dtype.kind not in "iuf":
        raise TypeError(f"{name()} has dtype {row.dtype}; it must hold real numbers (integers or floats)")
    if row.ndim != 1:
        raise InvalidArgumentError(
            f"{name()} has {row.ndim} dimension(s) (shape {list(row.shape)}); it must have 1"
        )
    return row
