"""Conditions on documents: read from a mapping, and asked of a document.

One meaning of filters for everything that takes them: a store that writes them as SQL, an index in
memory that asks its columns, a search over somebody else's index that asks each document.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rankmeld._time import microseconds, read_moment
from rankmeld.document import Document
from rankmeld.errors import InvalidArgumentError
from rankmeld.text import clean_text
from rankmeld.types import Filters

__all__ = ["Condition", "CreatedWithin", "OneOf", "as_compared", "constraining", "fits", "read_filters"]

#: Keys of the metadata that have a filter of their own; others are reached as ``metadata.KEY``.
_NAMED = ("project", "scope", "type", "source")
_PREFIX = "metadata."
_TIME = "created_at"


class OneOf(NamedTuple):
    """That a value of the metadata is one of several.

    Attributes
    ----------
    name : str
        The key, in the form of `as_compared`.
    values : tuple of str
        What it may be, in the same form.
    """

    name: str
    values: tuple[str, ...]


class CreatedWithin(NamedTuple):
    """That a document was created within a span of time; one without a date was not.

    Attributes
    ----------
    start, stop : int or None
        Microseconds since 1970-01-01 UTC, `stop` excluded; ``None``: no bound.
    """

    start: int | None
    stop: int | None


Condition = OneOf | CreatedWithin


def read_filters(filters: Filters | None) -> list[Condition]:
    """Read the conditions of a search.

    Parameters
    ----------
    filters : Mapping[str, Any] or None
        ``project``, ``scope``, ``type``, ``source`` or ``metadata.KEY``, each with a value, or a list or
        tuple of values of which one must fit; values are compared as strings, also with a list in the
        metadata, which is not searched in. ``created_at`` with a pair ``(from, to)``, the only range,
        `to` excluded, either may be ``None``. ``None`` and ``""`` set no condition.

    Returns
    -------
    list of Condition
        All must hold; empty: every document fits.

    Raises
    ------
    TypeError
        `filters` is no mapping, a key is no str, a value is no value (a function, a pattern, a slice, an
        object that no string stands for), or ``created_at`` is no pair.
    InvalidArgumentError
        An unknown key, a ``None`` in a list, or a moment that cannot be read.
    """
    return [condition for key, value in _entries(filters) for condition in _conditions(key, value)]


def constraining(filters: Filters | None, *, strict: bool) -> tuple[dict[str, Any], list[Condition]]:
    """Read the conditions of a search that is handed on to somebody else's index.

    Parameters
    ----------
    filters : Mapping[str, Any] or None
        As `read_filters` takes them.
    strict : bool
        Whether an unknown key is refused; else it sets no condition.

    Returns
    -------
    (dict, list of Condition)
        The entries that set a condition, as they were given, and what they say.
    """
    entries: dict[str, Any] = {}
    found: list[Condition] = []
    for key, value in _entries(filters):
        said = _conditions(key, value) if strict or _is_known(key) else []
        if said:
            entries[key] = value
            found += said
    return entries, found


def fits(document: Document, conditions: Iterable[Condition]) -> bool:
    """Whether a document in memory meets all conditions.

    What is ``None`` in the metadata is not there, and where two keys are one once they are compared
    (``1`` and ``"1"``), either may have the value: as a store that holds the document answers.
    """
    return all(
        _is_created_within(document, condition)
        if isinstance(condition, CreatedWithin)
        else _has_one_of(document, condition)
        for condition in conditions
    )


def _is_created_within(document: Document, span: CreatedWithin) -> bool:
    if document.created_at is None:
        return False
    created = microseconds(document.created_at)
    return (span.start is None or created >= span.start) and (span.stop is None or created < span.stop)


def _has_one_of(document: Document, condition: OneOf) -> bool:
    return any(
        value is not None and as_compared(key) == condition.name and as_compared(value) in condition.values
        for key, value in document.metadata.items()
    )


def _entries(filters: Filters | None) -> Iterable[tuple[str, Any]]:
    if filters is None:
        return
    if not isinstance(filters, Mapping):
        raise TypeError(f"filters must be a mapping of conditions, not {type(filters).__name__}")
    for key, value in filters.items():
        if not isinstance(key, str):
            raise TypeError(f"a key of filters must be a str, not {type(key).__name__}")
        yield key, value


def _conditions(key: str, value: Any) -> list[Condition]:
    """What one entry says: nothing where it is open, else one condition."""
    name = _metadata_key(key)
    if _is_open(value):
        return []
    return _in_time(value) if name is None else [_one_of(key, name, value)]


def _is_known(key: str) -> bool:
    return key == _TIME or key in _NAMED or (key.startswith(_PREFIX) and key != _PREFIX)


def _metadata_key(key: str) -> str | None:
    """The key of the metadata that a filter is about; ``None`` for the time."""
    if _is_known(key):
        return None if key == _TIME else key.removeprefix(_PREFIX)
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
    for choice in values:
        if not _stands_for_itself(choice):
            raise TypeError(
                f"filters[{key!r}] must be a value or a list of values, not {type(choice).__name__}; values "
                "are compared as strings, so there are neither functions nor patterns nor ranges"
            )
    return OneOf(as_compared(name), tuple(as_compared(choice) for choice in values))


def _stands_for_itself(value: object) -> bool:
    """Whether some metadata may have this value's string, which for an object at an address none has."""
    kind = type(value)
    is_told_apart = kind.__str__ is not object.__str__ or kind.__repr__ is not object.__repr__
    return is_told_apart and not callable(value) and not isinstance(value, slice | re.Pattern)


def _in_time(value: Any) -> list[Condition]:
    if not isinstance(value, list | tuple):
        ends = (
            "; pass (anchor.start, anchor.end)" if hasattr(value, "start") and hasattr(value, "end") else ""
        )
        raise TypeError(
            f"filters[{_TIME!r}] must be a pair (from, to), either of them None for no bound, "
            f"not {type(value).__name__}{ends}"
        )
    if len(value) != 2:
        raise InvalidArgumentError(
            f"filters[{_TIME!r}] has {len(value)} entries; it must be a pair (from, to), either of them "
            "None for no bound"
        )
    start, stop = (
        None if _is_open(bound) else read_moment(bound, f"{name} of filters[{_TIME!r}]")[1]
        for bound, name in zip(value, ("from", "to"), strict=True)
    )
    return [] if start is None and stop is None else [CreatedWithin(start, stop)]


def _is_open(value: object) -> bool:
    """``None`` and ``""`` set no condition; every other value does, 0 and an empty list included."""
    return value is None or (isinstance(value, str) and not value)


def as_compared(value: object) -> str:
    """The string as which a key or value of metadata is compared.

    As ``str`` gives it, composed; but an enum that is a str or an int goes by its value, which it equals.
    """
    return clean_text(_as_text(value))


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return str.__str__(value)
    try:
        if isinstance(value, int) and not isinstance(value, bool):
            return int.__repr__(value)
        return str(value)
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError(
            f"a value of type {type(value).__name__} cannot be compared as a string: {error}"
        ) from None
