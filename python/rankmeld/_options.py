"""Reading options: one function for each kind of argument, so that refusals read alike."""

from __future__ import annotations

import math
import numbers
import operator
import os
import sys
from typing import Any, SupportsIndex

import numpy as np

from rankmeld.errors import InvalidArgumentError

#: What decides between equal scores.
TIES = ("first", "id_asc", "id_desc")


def choose(value: Any, allowed: tuple[str, ...], name: str) -> str:
    """One of a few words."""
    if isinstance(value, str) and value in allowed:  # an array would compare item by item
        return value
    words = ", ".join(repr(word) for word in allowed)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {words}, not {type(value).__name__}")
    raise InvalidArgumentError(f"{name} is {value!r}; it must be one of {words}")


def as_limit(limit: SupportsIndex | None, name: str = "limit") -> int | None:
    """How many hits to give: ``None`` for all, else an integer that is not negative."""
    if limit is None:
        return None
    if isinstance(limit, bool | np.bool_) or not hasattr(limit, "__index__"):
        raise TypeError(f"{name} must be an integer or None, not {type(limit).__name__}")
    count = operator.index(limit)
    if count < 0:
        raise InvalidArgumentError(f"{name} is {count}; it must be 0 or more, or None for all")
    # A ranking is never longer than this, and the core counts in machine words.
    return min(count, sys.maxsize)


def as_number(value: float, name: str) -> float:
    """A finite number."""
    if type(value) is float and math.isfinite(value):  # as nearly always
        return value
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    number = as_float(value)
    if not math.isfinite(number):
        raise InvalidArgumentError(f"{name} is {number}; it must be finite")
    return number


def as_float(value: Any) -> float:
    """A number as a float; one beyond the range of floats is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a signalling NaN of `decimal`
        return math.nan


def as_half_life(value: float) -> float:
    """Days, above zero; infinite: nothing ever fades."""
    if value == math.inf:
        return math.inf
    half_life = as_number(value, "half_life_days")
    if not half_life > 0.0:
        raise InvalidArgumentError(
            f"half_life_days is {half_life}; it must be above zero (math.inf: no decay)"
        )
    return half_life


def not_negative(value: float, name: str) -> float:
    """A finite number that is not negative."""
    number = as_number(value, name)
    if number < 0.0:
        raise InvalidArgumentError(f"{name} is {number}; it must not be negative")
    return number


def as_integer(value: SupportsIndex, name: str) -> int:
    """An integer."""
    if type(value) is int:  # as nearly always
        return value
    if isinstance(value, bool | np.bool_) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}")
    return operator.index(value)


def require_order(value: object, name: str, items: str) -> None:
    """Refuse what has no order, or not that of its values, where order says what belongs together."""
    if isinstance(value, dict):
        why = "to pass its values, write list(d.values())"
    elif isinstance(value, set | frozenset):
        why = "the order of a set is not defined"
    elif hasattr(value, "columns") and hasattr(value, "shape"):
        why = 'pass one of its columns, as list(frame["text"])'
    else:
        return
    raise TypeError(f"{name} must be a list of {items}, not a {type(value).__name__}; {why}")


def as_list(values: Any, name: str, *, alone: str = "to pass one text alone, write [text]") -> list[Any]:
    """What should be a list of str as a list, its items not looked at; one str is the common slip."""
    if isinstance(values, str):
        raise TypeError(f"{name} must be a list of str, not a str; {alone}")
    try:
        items = iter(values)
    except TypeError:
        raise TypeError(f"{name} must be a list of str, not {type(values).__name__}") from None
    return list(items)


def as_positive(value: SupportsIndex, name: str) -> int:
    """An integer of 1 or more."""
    count = as_integer(value, name)
    if count < 1:
        raise InvalidArgumentError(f"{name} is {count}; it must be 1 or more")
    return count


#: More threads than this never pay.
_MOST_THREADS = 256


def as_threads(threads: SupportsIndex | None) -> int | None:
    """How many threads share a call's work, or `None` for as many as pay."""
    if threads is None:
        return None
    count = as_integer(threads, "threads")
    if count < 1:
        raise InvalidArgumentError(f"threads is {count}; it must be 1 or more, or None for what fits")
    return min(count, _MOST_THREADS)


def threads_for(threads: SupportsIndex | None, items: int, enough: int) -> int:
    """How many threads work on so many items: as asked, else one for `enough` of them, if there are cores."""
    count = as_threads(threads)
    if count is not None:
        return count
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    return max(1, min(cores, items // enough))
