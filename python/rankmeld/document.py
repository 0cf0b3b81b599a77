"""What is retrieved: a document, or the chunk of one."""

from __future__ import annotations

import datetime as dt
import enum
import math
import numbers
import operator
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from rankmeld._options import as_float
from rankmeld._time import Moment, as_moment
from rankmeld.errors import InvalidArgumentError
from rankmeld.text import is_blank

__all__ = ["Document", "Tier", "as_id", "no_text"]


class Tier(enum.Enum):
    """How long a memory is meant to live.

    ``WORKING`` and ``EPISODIC`` memories are short-term, ``SEMANTIC`` (facts) and
    ``PROCEDURAL`` (how to do a thing) last.
    """

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Document:
    """A passage that can be retrieved, with what is known about it.

    A frozen record that compares and hashes by value. Only ``id`` is required.

    Parameters
    ----------
    id : Hashable
        Identity. ``1``, ``1.0`` and ``True`` are one id, as in a ``dict``; ``"1"`` is another.
    text, title, topic : str, default ""
        What is read; see `passage`.
    parent_id : Hashable, optional
        The source document that this chunk belongs to.
    created_at, updated_at, valid_from, last_accessed_at : datetime, date, str or float, optional
        Moments: aware or naive (UTC) datetimes, dates (midnight UTC), ISO 8601 strings or
        epoch seconds. They are kept as aware datetimes.
    access_count : int, default 0
        How often the document was used; not negative.
    importance, assessed_importance, confidence : float, optional
        Finite. Values outside 0..1 are kept, and clamped where they are used.
        ``assessed_importance`` is set by a model and wins over ``importance``.
    tier : Tier or str, optional
        A `Tier` or its name in any case.
    evergreen : bool, default False
        Age takes nothing from it.
    volatile : bool, default False
        To be verified before it is relied on.
    metadata : Mapping[str, Any], optional
        Anything else; copied, and read-only from then on.

    Raises
    ------
    TypeError
        A field is of the wrong kind, or the id cannot be hashed.
    InvalidArgumentError
        A number is not finite, a moment is impossible, the tier is unknown or the id is NaN.

    Examples
    --------
    >>> document = Document("d1", title="Rank fusion", text="Two lists become one.", tier="semantic")
    >>> document.passage
    'Rank fusion Two lists become one.'
    >>> document.tier
    <Tier.SEMANTIC: 'semantic'>
    """

    id: Hashable
    text: str
    title: str
    topic: str
    parent_id: Hashable | None
    created_at: dt.datetime | None
    updated_at: dt.datetime | None
    valid_from: dt.datetime | None
    last_accessed_at: dt.datetime | None
    access_count: int
    importance: float | None
    assessed_importance: float | None
    confidence: float | None
    tier: Tier | None
    evergreen: bool
    volatile: bool
    metadata: Mapping[str, Any]

    def __init__(
        self,
        id: Hashable,
        text: str = "",
        title: str = "",
        topic: str = "",
        *,
        parent_id: Hashable | None = None,
        created_at: Moment | None = None,
        updated_at: Moment | None = None,
        valid_from: Moment | None = None,
        last_accessed_at: Moment | None = None,
        access_count: int = 0,
        importance: float | None = None,
        assessed_importance: float | None = None,
        confidence: float | None = None,
        tier: Tier | str | None = None,
        evergreen: bool = False,
        volatile: bool = False,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        put = object.__setattr__  # the record is frozen from here on
        put(self, "id", as_id(id, "id"))
        put(self, "text", _as_text(text, "text"))
        put(self, "title", _as_text(title, "title"))
        put(self, "topic", _as_text(topic, "topic"))
        put(self, "parent_id", None if parent_id is None else as_id(parent_id, "parent_id"))
        put(self, "created_at", _as_optional_moment(created_at, "created_at"))
        put(self, "updated_at", _as_optional_moment(updated_at, "updated_at"))
        put(self, "valid_from", _as_optional_moment(valid_from, "valid_from"))
        put(self, "last_accessed_at", _as_optional_moment(last_accessed_at, "last_accessed_at"))
        put(self, "access_count", _as_count(access_count))
        put(self, "importance", _as_optional_number(importance, "importance"))
        put(
            self,
            "assessed_importance",
            _as_optional_number(assessed_importance, "assessed_importance"),
        )
        put(self, "confidence", _as_optional_number(confidence, "confidence"))
        put(self, "tier", _as_tier(tier))
        put(self, "evergreen", _as_flag(evergreen, "evergreen"))
        put(self, "volatile", _as_flag(volatile, "volatile"))
        put(self, "metadata", _as_metadata(metadata))

    @property
    def passage(self) -> str:
        """Title, topic and text joined by single spaces, blank parts left out."""
        parts = (self.title, self.topic, self.text)
        return " ".join([part for part in parts if not is_blank(part)])

    def with_metadata(self, **values: Any) -> Document:
        """A copy whose metadata has these values added or replaced.

        Parameters
        ----------
        **values
            Keys of the metadata and what they become.

        Returns
        -------
        Document
            The copy; this document stays as it is.
        """
        given = {name: getattr(self, name) for name in _FIELDS}
        given["metadata"] = {**self.metadata, **values}
        return Document(**given)

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values: moments as ISO 8601 strings, the tier by its name.

        Returns
        -------
        dict
            What ``Document(**values)`` makes an equal document of.
        """
        values = {name: getattr(self, name) for name in _FIELDS}
        for name, value in values.items():
            if isinstance(value, dt.datetime):
                values[name] = value.isoformat()
        values["tier"] = None if self.tier is None else self.tier.value
        values["metadata"] = dict(self.metadata)
        return values

    def __hash__(self) -> int:
        """Of the fields that tell documents apart; metadata may hold what cannot be hashed."""
        return hash((self.id, self.text, self.title, self.topic))

    def __repr__(self) -> str:
        """The id and what differs from the defaults, long texts cut."""
        shown = [f"{self.id!r}"]
        for name, default in _DEFAULTS.items():
            value = getattr(self, name)
            if value != default:
                shown.append(f"{name}={_clip(dict(value) if name == 'metadata' else value)}")
        return f"Document({', '.join(shown)})"

    def __reduce__(self) -> tuple[Any, ...]:
        """A mapping proxy cannot be pickled, so the fields go out as plain values."""
        values = {name: getattr(self, name) for name in _FIELDS}
        values["metadata"] = dict(self.metadata)
        return _rebuild, (type(self), values)


_FIELDS = tuple(field.name for field in fields(Document))
_DEFAULTS: dict[str, Any] = {
    name: {"metadata": {}, "access_count": 0, "evergreen": False, "volatile": False}.get(
        name, "" if name in ("text", "title", "topic") else None
    )
    for name in _FIELDS
    if name != "id"
}


def _rebuild(cls: type[Document], values: dict[str, Any]) -> Document:
    return cls(**values)


def _clip(value: object, width: int = 60) -> str:
    shown = repr(value)
    return shown if len(shown) <= width else f"{shown[: width - 4]}...{shown[-1]}"


def no_text(value: object) -> str:
    """What is no text, as messages name it: its kind, and for a document where its text is."""
    return type(value).__name__ + ("; pass document.passage" if isinstance(value, Document) else "")


def as_id(value: Hashable, name: str) -> Hashable:
    """Check an id, and give a NumPy scalar as the Python value that it stands for."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"{name} is a {type(value).__name__}, which cannot be hashed; "
            "pass a str, an int, a tuple or another hashable value"
        ) from None
    if value != value:  # noqa: PLR0124 - NaN, of whatever type
        raise InvalidArgumentError(f"{name} is NaN, which is not equal to itself; pass a real id")
    return value


def _as_text(value: str, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    return value


def _as_optional_moment(value: Moment | None, name: str) -> dt.datetime | None:
    return None if value is None else as_moment(value, name)


def _as_count(value: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"access_count must be an integer, not {type(value).__name__}")
    count = operator.index(value)
    if count < 0:
        raise InvalidArgumentError(f"access_count is {count}; it must be 0 or more")
    return count


def _as_optional_number(value: float | None, name: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number or None, not {type(value).__name__}")
    number = as_float(value)
    if not math.isfinite(number):
        raise InvalidArgumentError(f"{name} is {number}; it must be finite, or None if unknown")
    return number


def _as_tier(value: Tier | str | None) -> Tier | None:
    if value is None or isinstance(value, Tier):
        return value
    if not isinstance(value, str):
        raise TypeError(f"tier must be a Tier, its name or None, not {type(value).__name__}")
    try:
        return Tier(value.lower())
    except ValueError:
        allowed = ", ".join(repr(tier.value) for tier in Tier)
        raise InvalidArgumentError(f"tier is {value!r}; it must be one of {allowed}") from None


def _as_flag(value: bool, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, not {type(value).__name__}")
    return bool(value)


def _as_metadata(value: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if value is None:
        return MappingProxyType({})
    if not isinstance(value, Mapping):
        raise TypeError(f"metadata must be a mapping, not {type(value).__name__}")
    return MappingProxyType(dict(value))
