"""Conditions on documents, written as SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from rankmeld._filters import CreatedWithin, read_filters
from rankmeld.stores.rows import attribute
from rankmeld.types import Filters

__all__ = ["Condition", "conditions", "where"]


class Condition(NamedTuple):
    """One condition, as SQL over the table ``documents``.

    Attributes
    ----------
    sql : str
        An expression with placeholders.
    parameters : tuple
        What the placeholders stand for.
    """

    sql: str
    parameters: tuple[str | int, ...]


def conditions(filters: Filters | None) -> list[Condition]:
    """Read the conditions of a search; see `rankmeld._filters.read_filters`.

    Returns
    -------
    list of Condition
        All must hold; empty: every document fits.
    """
    found: list[Condition] = []
    for condition in read_filters(filters):
        if isinstance(condition, CreatedWithin):
            found.extend(
                Condition(f"documents.created_at {comparison} ?", (bound,))
                for bound, comparison in ((condition.start, ">="), (condition.stop, "<"))
                if bound is not None
            )
        else:
            values = json.dumps([attribute(choice) for choice in condition.values])
            found.append(
                Condition(
                    "documents.position IN (SELECT position FROM attributes WHERE name = ?"
                    " AND value IN (SELECT value FROM json_each(?)))",
                    (attribute(condition.name), values),
                )
            )
    return found


def where(found: Sequence[Condition], *, also: str = "") -> tuple[str, list[str | int]]:
    """Join conditions into a ``WHERE`` clause and its parameters.

    Parameters
    ----------
    found : sequence of Condition
        Conditions that must all hold.
    also : str, optional
        One more expression, without parameters.

    Returns
    -------
    (str, list)
        The clause, empty without conditions.
    """
    parts = [condition.sql for condition in found] + ([also] if also else [])
    parameters = [value for condition in found for value in condition.parameters]
    return (" WHERE " + " AND ".join(parts) if parts else ""), parameters
