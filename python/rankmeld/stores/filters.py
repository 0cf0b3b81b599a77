"""Conditions on documents, read from a mapping and written as SQL."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rankmeld._time import as_moment
from rankmeld.errors import InvalidArgumentError
from rankmeld.stores.rows import attribute, microseconds
from rankmeld.types import Filters

__all__ = ["Condition", "conditions", "where"]

#: Keys of the metadata that have a filter of their own; others are reached as ``metadata.KEY``.
_NAMED = ("project", "scope", "type", "source")
_PREFIX = "metadata."
_TIME = "created_at"


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
    """Read the conditions of a search.

    Parameters
    ----------
    filters : Mapping[str, Any] or None
        ``project``, ``scope``, ``type``, ``source`` or ``metadata.KEY``, each with a value, or a list
        of values of which one must fit; values are compared as strings. ``created_at`` with a pair
        ``(from, to)``, `to` excluded, either may be ``None``. ``None`` and ``""`` set no condition.

    Returns
    -------
    list of Condition
        All must hold; empty: every document fits.

    Raises
    ------
    TypeError
        `filters` is no mapping, a key is no str, or ``created_at`` is no pair.
    InvalidArgumentError
        An unknown key, a ``None`` in a list, or a moment that cannot be read.
    """
    if filters is None:
        return []
    if not isinstance(filters, Mapping):
        raise TypeError(f"filters must be a mapping of conditions, not {type(filters).__name__}")
    found = []
    for key, value in filters.items():
        if not isinstance(key, str):
            raise TypeError(f"a key of filters must be a str, not {type(key).__name__}")
        name = _metadata_key(key)
        if _is_open(value):
            continue
        found.extend(_in_time(value) if name is None else [_one_of(key, name, value)])
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


def _metadata_key(key: str) -> str | None:
    """The key of the metadata that a filter is about; ``None`` for the time."""
    if key == _TIME:
        return None
    if key in _NAMED:
        return key
    if key.startswith(_PREFIX) and key != _PREFIX:
        return key.removeprefix(_PREFIX)
    known = ", ".join(repr(name) for name in (*_NAMED, _TIME))
    raise InvalidArgumentError(
        f"filters has the unknown key {key!r}; it must be one of {known}, or {_PREFIX + key!r} for a key "
        "of the metadata"
    )


def _one_of(key: str, name: str, value: Any) -> Condition:
    if isinstance(value, Mapping | Iterator):
        raise TypeError(
            f"filters[{key!r}] must be a value or a list of values, not {type(value).__name__}; pass a list"
        )
    several = isinstance(value, Collection) and not isinstance(value, str | bytes)
    values = list(value) if several else [value]
    if any(choice is None for choice in values):
        raise InvalidArgumentError(
            f"filters[{key!r}] lists None, which sets no condition; leave it out of the list"
        )
    return Condition(
        "documents.position IN (SELECT position FROM attributes WHERE name = ?"
        " AND value IN (SELECT value FROM json_each(?)))",
        (attribute(name), json.dumps([attribute(choice) for choice in values])),
    )


def _in_time(value: Any) -> list[Condition]:
    if not isinstance(value, list | tuple):
        raise TypeError(
            f"filters[{_TIME!r}] must be a pair (from, to), either of them None for no bound, "
            f"not {type(value).__name__}"
        )
    if len(value) != 2:
        raise InvalidArgumentError(
            f"filters[{_TIME!r}] has {len(value)} entries; it must be a pair (from, to), either of them "
            "None for no bound"
        )
    found = []
    for bound, name, comparison in zip(value, ("from", "to"), (">=", "<"), strict=True):
        if not _is_open(bound):
            moment = microseconds(as_moment(bound, f"{name} of filters[{_TIME!r}]"))
            found.append(Condition(f"documents.created_at {comparison} ?", (moment,)))
    return found


def _is_open(value: object) -> bool:
    """``None`` and ``""`` set no condition; every other value does, 0 and an empty list included."""
    return value is None or (isinstance(value, str) and not value)
