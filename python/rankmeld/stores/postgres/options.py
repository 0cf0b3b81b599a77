"""What a store in PostgreSQL is opened with, checked before a server is asked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rankmeld._options import as_integer, as_number
from rankmeld.errors import InvalidArgumentError
from rankmeld.stores.stems import as_language

__all__ = ["Options", "read_options"]

#: Bytes of an identifier; PostgreSQL cuts longer ones, and would then take two names for one.
_LONGEST_NAME = 63

#: What is left of it once the longest name of ours has been added.
_LONGEST_PREFIX = 40

#: hnsw.ef_search goes as far.
_LARGEST_EF = 1000

#: A timeout is given to the server in milliseconds, as an int4.
_LONGEST_WAIT = 2_000_000.0


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for when the store was opened; see `PostgresStore`."""

    schema: str
    prefix: str
    language: str | None
    exact: bool
    ef_search: int
    read_only: bool
    pool_size: int
    timeout: float
    statement_timeout: float | None
    lock_timeout: float


def read_options(
    *,
    schema: Any,
    prefix: Any,
    language: Any,
    exact: Any,
    ef_search: Any,
    read_only: Any,
    pool_size: Any,
    timeout: Any,
    statement_timeout: Any,
    lock_timeout: Any,
) -> Options:
    """Check the options of a store.

    Raises
    ------
    TypeError, InvalidArgumentError
        One of them is of the wrong kind, or out of its range.
    """
    for name, value in (("exact", exact), ("read_only", read_only)):
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, not {type(value).__name__}")
    return Options(
        schema=_as_name(schema, "schema", _LONGEST_NAME),
        prefix=_as_name(prefix, "prefix", _LONGEST_PREFIX) if prefix else _as_str(prefix, "prefix"),
        language=as_language(language),
        exact=exact,
        ef_search=_within(ef_search, "ef_search", 1, _LARGEST_EF),
        read_only=read_only,
        pool_size=_within(pool_size, "pool_size", 1, 10_000),
        timeout=_as_seconds(timeout, "timeout"),
        statement_timeout=(
            None if statement_timeout is None else _as_seconds(statement_timeout, "statement_timeout")
        ),
        lock_timeout=_as_seconds(lock_timeout, "lock_timeout"),
    )


def _as_str(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    return str.__str__(value)


def _as_name(value: Any, name: str, longest: int) -> str:
    text = _as_str(value, name)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        size = 0
    # psycopg takes a percent sign for the beginning of a placeholder, in names too.
    if not size or size > longest or "\0" in text or "%" in text:
        raise InvalidArgumentError(
            f"{name} is {text!r}; it must be a name of 1 to {longest} bytes of UTF-8 without NUL and %"
        )
    return text


def _within(value: Any, name: str, least: int, most: int) -> int:
    number = as_integer(value, name)
    if not least <= number <= most:
        raise InvalidArgumentError(f"{name} is {number}; it must be within {least}..{most}")
    return number


def _as_seconds(value: Any, name: str) -> float:
    seconds = as_number(value, name)
    if not math.isfinite(seconds) or not 0.001 <= seconds <= _LONGEST_WAIT:
        raise InvalidArgumentError(
            f"{name} is {seconds}; it must be seconds, within 0.001..{_LONGEST_WAIT:,.0f}"
        )
    return seconds
