"""Reading scores that come without ids."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeld._options import as_float, require_order


def read_scores(scores: Any, name: str) -> npt.NDArray[Any] | list[float | None]:
    """An array as it is, of any dtype that holds numbers or not; of anything else its items.

    Arrays of objects, as tables have them for columns with gaps, are read item by item.
    """
    if hasattr(scores, "__array__"):
        array = np.asarray(scores)
        if array.dtype != object or array.ndim != 1:
            return array
        scores = array.tolist()
    require_order(scores, name, "numbers")
    if isinstance(scores, str | bytes) or not isinstance(scores, Iterable):
        raise TypeError(f"{name} must be an array or a list of numbers, not {type(scores).__name__}")
    return [
        score if type(score) is float else _as_score(score, f"{name}[{place}]")
        for place, score in enumerate(scores)
    ]


def _as_score(score: Any, name: str) -> float | None:
    return None if score is None else as_score(score, name)


def as_score(score: Any, name: str) -> float:
    """A number as a float, whether or not it is finite; those of `decimal` too, as databases give them."""
    if not isinstance(score, numbers.Real | Decimal) or isinstance(score, bool):
        raise TypeError(f"{name} must be a number, not {type(score).__name__}")
    return as_float(score)
