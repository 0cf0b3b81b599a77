"""Conditions on documents, written as Qdrant's filters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qdrant_client import models

from rankmeld._filters import CreatedWithin, read_filters
from rankmeld.stores.qdrant.points import ATTRIBUTES, CREATED, as_attribute, split_time
from rankmeld.stores.rows import attribute
from rankmeld.types import Filters

__all__ = ["conditions", "filter_of", "having", "other_than"]


def conditions(filters: Filters | None) -> list[Any]:
    """Read the conditions of a search; see `rankmeld._filters.read_filters`.

    Returns
    -------
    list of models.Condition
        All must hold; empty: every document fits.
    """
    found: list[Any] = []
    for condition in read_filters(filters):
        if isinstance(condition, CreatedWithin):
            if condition.start is not None:
                found.append(_beside(condition.start, "gt", "gte"))
            if condition.stop is not None:
                found.append(_beside(condition.stop, "lt", "lt"))
        else:
            name = attribute(condition.name)
            choices = [as_attribute(name, attribute(value)) for value in condition.values]
            found.append(models.FieldCondition(key=ATTRIBUTES, match=models.MatchAny(any=choices)))
    return found


def filter_of(conditions: Iterable[Any], *, without: Iterable[str] = ()) -> Any:
    """One filter of all conditions, and of ids that are left out; ``None`` without any."""
    must = list(conditions)
    left_out = list(without)
    if not must and not left_out:
        return None
    return models.Filter(must=must or None, must_not=[other_than(left_out)] if left_out else None)


def having(name: str) -> Any:
    """That a point has a vector of this name."""
    return models.HasVectorCondition(has_vector=name)


def other_than(ids: list[str]) -> Any:
    """That a point has one of these ids, to be denied."""
    return models.HasIdCondition(has_id=ids)


def _beside(bound: int, seconds_beyond: str, at_second: str) -> Any:
    """That a document was created on the right side of a bound, exact to the microsecond."""
    seconds, microseconds = split_time(bound)
    return models.Filter(
        should=[
            _in_range("s", **{seconds_beyond: seconds}),
            models.Filter(
                must=[
                    _in_range("s", gte=seconds, lte=seconds),
                    _in_range("us", **{at_second: microseconds}),
                ]
            ),
        ]
    )


def _in_range(part: str, **bounds: int) -> Any:
    return models.FieldCondition(key=f"{CREATED}.{part}", range=models.Range(**bounds))
