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
from rankmeld._time import Moment, read_moment
from rankmeld.errors import InvalidArgumentError
from rankmeld.text import is_blank

__all__ = ["Document", "Tier", "as_id", "no_text", "signals_of"]


class Tier(enum.Enum):
    """How long a memory is meant to live.

    ``WORKING`` and ``EPISODIC`` memories are short-term, ``SEMANTIC`` (facts) and
    ``PROCEDURAL`` (how to do a thing) last.
    """

    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class _Weighable:
    """Room for the numbers that kernels weigh: no field, so that nothing compares or shows them."""

    __slots__ = ("_signals",)

    _signals: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Document(_Weighable):
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

    def __init__(  # noqa: C901, PLR0915 - a call for each field would double the time that it takes
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
        # What is of the expected kind, as nearly always, is not looked at a second time.
        if type(id) is not str:
            id = as_id(id, "id")
        if type(text) is not str:
            _require_text(text, "text")
        if type(title) is not str:
            _require_text(title, "title")
        if type(topic) is not str:
            _require_text(topic, "topic")
        if parent_id is not None and type(parent_id) is not str:
            parent_id = as_id(parent_id, "parent_id")
        created = updated = valid = accessed = None  # microseconds
        if created_at is not None:
            created_at, created = read_moment(created_at, "created_at")
        if updated_at is not None:
            updated_at, updated = read_moment(updated_at, "updated_at")
        if valid_from is not None:
            valid_from, valid = read_moment(valid_from, "valid_from")
        if last_accessed_at is not None:
            last_accessed_at, accessed = read_moment(last_accessed_at, "last_accessed_at")
        if type(access_count) is not int or access_count != 0:
            access_count = _as_count(access_count)
        if importance is not None:
            importance = _as_finite(importance, "importance")
        if assessed_importance is not None:
            assessed_importance = _as_finite(assessed_importance, "assessed_importance")
        if confidence is not None:
            confidence = _as_finite(confidence, "confidence")
        if tier is not None:
            tier = _as_tier(tier)
        if type(evergreen) is not bool:
            evergreen = _as_flag(evergreen, "evergreen")
        if type(volatile) is not bool:
            volatile = _as_flag(volatile, "volatile")

        put = object.__setattr__  # the record is frozen from here on
        put(self, "id", id)
        put(self, "text", text)
        put(self, "title", title)
        put(self, "topic", topic)
        put(self, "parent_id", parent_id)
        put(self, "created_at", created_at)
        put(self, "updated_at", updated_at)
        put(self, "valid_from", valid_from)
        put(self, "last_accessed_at", last_accessed_at)
        put(self, "access_count", access_count)
        put(self, "importance", importance)
        put(self, "assessed_importance", assessed_importance)
        put(self, "confidence", confidence)
        put(self, "tier", tier)
        put(self, "evergreen", evergreen)
        put(self, "volatile", volatile)
        put(self, "metadata", _EMPTY if metadata is None else _as_metadata(metadata))
        put(
            self,
            "_signals",
            (
                created,
                updated,
                valid,
                accessed,
                None if access_count == 0 else _familiarity(access_count),
                importance if assessed_importance is None else assessed_importance,
                confidence,
                None if tier is None else _TIER_NUMBERS[tier._value_],
                evergreen,
            ),
        )

    @property
    def passage(self) -> str:
        """Title, topic and text joined by single spaces, blank parts left out."""
        parts = (self.title, self.topic, self.text)
        return " ".join([part for part in parts if part and not (part.isspace() and is_blank(part))])

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
        return self._with("metadata", {**self.metadata, **values})

    def with_text(self, text: str) -> Document:
        """A copy with another text.

        Parameters
        ----------
        text : str
            The text; title and topic stay.

        Returns
        -------
        Document
            The copy; this document stays as it is.
        """
        return self._with("text", text)

    def _with(self, name: str, value: Any) -> Document:
        kind, given, added = self._parts()
        return _rebuild(kind, {**given, name: value}, added)

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
        return _rebuild, self._parts()

    def _parts(self) -> tuple[type[Document], dict[str, Any], dict[str, Any]]:
        """The class, the fields as plain values, and what a derived class keeps beside them."""
        values = {name: getattr(self, name) for name in _FIELDS}
        values["metadata"] = dict(self.metadata)
        return type(self), values, {} if type(self) is Document else _added(self)


_FIELDS = tuple(field.name for field in fields(Document))
_DEFAULTS: dict[str, Any] = {
    name: {"metadata": {}, "access_count": 0, "evergreen": False, "volatile": False}.get(
        name, "" if name in ("text", "title", "topic") else None
    )
    for name in _FIELDS
    if name != "id"
}


#: Of all documents without metadata.
_EMPTY: Mapping[str, Any] = MappingProxyType({})

#: What kernels call the tiers; 0 is none.
_TIER_NUMBERS = {tier.value: number for number, tier in enumerate(Tier, start=1)}


def signals_of(document: Document) -> tuple[float | None, ...]:
    """What kernels weigh, read from the fields.

    For documents of classes that set their fields by themselves: `Document.__init__` keeps these
    numbers at hand.
    """
    values = {name: getattr(document, name) for name in _FIELDS}
    return Document(**values)._signals


def _familiarity(access_count: int) -> float:
    """``ln(1 + n)``, of any integer."""
    return math.log(1 + access_count)


def _rebuild(
    cls: type[Document], values: dict[str, Any], added: Mapping[str, Any] = MappingProxyType({})
) -> Document:
    if cls is Document:
        return Document(**values)
    document: Document = object.__new__(cls)  # whose own constructor may want something else
    Document.__init__(document, **values)
    for name, value in added.items():
        object.__setattr__(document, name, value)
    return document


def _added(document: Document) -> dict[str, Any]:
    """What the class of a document keeps in slots or in a ``__dict__`` of its own."""
    state = object.__getstate__(document)
    own, slots = state if isinstance(state, tuple) else (state, None)
    return {
        name: value
        for name, value in {**(own or {}), **(slots or {})}.items()
        if name not in _FIELDS and name != "_signals"
    }


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


def _require_text(value: object, name: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")


def _as_count(value: int) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"access_count must be an integer, not {type(value).__name__}")
    count = operator.index(value)
    if count < 0:
        raise InvalidArgumentError(f"access_count is {count}; it must be 0 or more")
    return count


def _as_finite(value: float, name: str) -> float:
    if type(value) is float and math.isfinite(value):  # as nearly always
        return value
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number or None, not {type(value).__name__}")
    number = as_float(value)
    if not math.isfinite(number):
        raise InvalidArgumentError(f"{name} is {number}; it must be finite, or None if unknown")
    return number


def _as_tier(value: Tier | str) -> Tier:
    if isinstance(value, Tier):
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


def _as_metadata(value: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"metadata must be a mapping, not {type(value).__name__}")
    return MappingProxyType(dict(value))
