"""Searching any vector index, and looking candidates up: a loop over candidates and one over filters."""

from __future__ import annotations

import enum
import unicodedata
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from .decay import moment
from .errors import Refused

NAMED = {"project", "scope", "type", "source"}
POOL = 3


def as_string(value: Any) -> str:
    """How a value is compared: enums that are a str or an int by their value."""
    if isinstance(value, enum.Enum) and isinstance(value, str | int):
        value = value.value
    readable = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in str(value))
    return unicodedata.normalize("NFC", readable)


def known(key: str) -> bool:
    return key in NAMED or key == "created_at" or (key.startswith("metadata.") and key != "metadata.")


def constrains(key: str, value: Any) -> bool:
    if value is None or value == "":
        return False
    return key != "created_at" or any(bound not in {None, ""} for bound in value)


def meets(document: Any, filters: Mapping[str, Any]) -> bool:
    """Whether a document meets every filter; all keys are known."""
    return all(meets_one(document, *entry) for entry in filters.items() if constrains(*entry))


def meets_one(document: Any, key: str, value: Any) -> bool:
    if key == "created_at":
        start, stop = (None if bound in {None, ""} else moment(bound) for bound in value)
        created = document.created_at
        return (
            created is not None and (start is None or start <= created) and (stop is None or created < stop)
        )
    name = as_string(key.removeprefix("metadata."))
    wanted = {as_string(one) for one in (value if isinstance(value, list | tuple) else [value])}
    has = {as_string(v) for k, v in document.metadata.items() if v is not None and as_string(k) == name}
    return bool(has & wanted)


def search_vectors(
    search: Callable[[int], list[tuple[Hashable, float]]],
    filtering: str,
    limit: int,
    filters: Mapping[str, Any],
    documents: Mapping[Hashable, Any],
    *,
    strict: bool = True,
) -> list[tuple[Hashable, float]]:
    """What an index gives for so many candidates, as far as it meets the filters."""
    if strict and not all(map(known, filters)):
        raise Refused("unknown key")
    filters = {key: value for key, value in filters.items() if known(key)}
    if limit == 0:
        return []
    if filtering == "pre":
        return search(limit)[:limit]
    found = []
    for id, score in search(POOL * limit)[: POOL * limit]:
        constrained = any(constrains(*entry) for entry in filters.items())
        if not constrained or (id in documents and meets(documents[id], filters)):
            found.append((id, score))
    return found[:limit]


def revalidate(
    candidates: list[tuple[Hashable, float]], get: Callable[[Hashable], Any]
) -> list[tuple[Hashable, float, Any]]:
    """Candidates whose document is there."""
    found = []
    for id, score in candidates:
        try:
            document = get(id)
        except RuntimeError:
            continue
        if document is not None:
            found.append((id, score, document))
    return found
