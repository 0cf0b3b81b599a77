"""Conditions on documents, written as SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from rankmeld._filters import CreatedWithin, OneOf, read_filters
from rankmeld.stores.rows import attribute
from rankmeld.types import Filters

__all__ = ["Condition", "conditions", "within"]


class Condition(NamedTuple):
    """One condition, as a query for the documents that fulfil it.

    Attributes
    ----------
    positions : str
        A ``SELECT`` of positions, from an index alone; it may give one twice.
    parameters : tuple
        What its placeholders stand for.
    """

    positions: str
    parameters: tuple[str | int, ...]


def conditions(filters: Filters | None) -> list[Condition]:
    """Read the conditions of a search; see `rankmeld._filters.read_filters`.

    Returns
    -------
    list of Condition
        All must hold; empty: every document fits.
    """
    return [
        _created_within(condition) if isinstance(condition, CreatedWithin) else _one_of(condition)
        for condition in read_filters(filters)
    ]


def _created_within(condition: CreatedWithin) -> Condition:
    bounds = [
        (f"created_at {comparison} ?", bound)
        for bound, comparison in ((condition.start, ">="), (condition.stop, "<"))
        if bound is not None
    ]
    # The index of moments has those alone that there are.
    holds = " AND ".join(["created_at IS NOT NULL", *(sql for sql, _ in bounds)])
    sql = f"SELECT position FROM documents WHERE {holds}"  # noqa: S608 - written here
    return Condition(sql, tuple(bound for _, bound in bounds))


def _one_of(condition: OneOf) -> Condition:
    name, values = attribute(condition.name), [attribute(choice) for choice in condition.values]
    sql = "SELECT position FROM attributes WHERE name = ? AND value "
    if len(values) == 1:
        return Condition(f"{sql}= ?", (name, *values))
    return Condition(f"{sql}IN (SELECT value FROM json_each(?))", (name, json.dumps(values)))  # noqa: S608 - as above


def within(column: str, found: Sequence[Condition]) -> tuple[str, list[str | int]]:
    """What a ``WHERE`` clause has to say besides, and its parameters.

    Parameters
    ----------
    column : str
        The position that must fulfil all conditions.
    found : sequence of Condition
        Conditions that must all hold.

    Returns
    -------
    (str, list)
        Begins with ``AND``; empty without conditions.
    """
    sql = "".join(f" AND {column} IN ({condition.positions})" for condition in found)
    return sql, [value for condition in found for value in condition.parameters]
