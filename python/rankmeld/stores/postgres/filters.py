"""Conditions on documents, written as PostgreSQL's SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from psycopg import sql

from rankmeld._filters import CreatedWithin, read_filters
from rankmeld.stores.rows import attribute
from rankmeld.types import Filters

__all__ = ["Conditions", "attribute_pairs", "conditions"]


class Conditions(NamedTuple):
    """Conditions that must all hold, as SQL over ``documents``.

    Attributes
    ----------
    sql : Composable
        An expression; ``true`` without conditions.
    parameters : list
        What its placeholders stand for.
    """

    sql: sql.Composable
    parameters: list[object]

    def __bool__(self) -> bool:
        """Whether there is any condition."""
        return bool(self.parameters)


def conditions(filters: Filters | None) -> Conditions:
    """Read the conditions of a search; see `rankmeld._filters.read_filters`."""
    parts: list[sql.Composable] = []
    parameters: list[object] = []
    for condition in read_filters(filters):
        if isinstance(condition, CreatedWithin):
            for bound, comparison in ((condition.start, ">="), (condition.stop, "<")):
                if bound is not None:
                    parts.append(sql.SQL(f"documents.created_at {comparison} %s::bigint"))
                    parameters.append(bound)
        else:
            parts.append(sql.SQL("documents.attributes && %s::text[]"))
            name = attribute(condition.name)
            parameters.append([name + attribute(value) for value in condition.values])
    return Conditions(sql.SQL(" AND ").join(parts) if parts else sql.SQL("true"), parameters)


def attribute_pairs(attributes: Iterable[Sequence[str]]) -> list[str]:
    """Names and values of metadata, each pair as one string.

    Both are JSON, which tells where it ends, so no two pairs give one string.
    """
    return sorted({name + value for name, value in attributes})
