"""One text form for ids and for the values of metadata: JSON, with a tag where JSON has no word.

`encode` and `decode` give back what went in. `id_key` gives ids that are equal in a ``dict`` one
key: ``1``, ``1.0`` and ``True`` share theirs, ``"1"`` has another.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np

from rankmeld.errors import InvalidArgumentError

#: Deeper nesting is refused on the way in, so that reading it back never exhausts the stack.
_DEEPEST = 100

#: Python reads and writes integers of up to 4,300 digits; this is a little less.
_MOST_BITS = 14_000

__all__ = ["decode", "encode", "id_key"]


def encode(value: object) -> str:
    """Write a value as text.

    Parameters
    ----------
    value : object
        ``None``, bool, int, float, str, bytes, UUID, datetime, date, and tuples, lists and mappings
        of these. NumPy scalars are written as Python values.

    Returns
    -------
    str
        JSON without lone surrogates.

    Raises
    ------
    TypeError
        A value is of another kind.
    InvalidArgumentError
        It contains itself, is nested more than 100 deep, or has an integer of more than 4,200 digits.
    """
    return _dump(_pack(value))


def decode(text: str) -> Any:
    """Read what `encode` wrote.

    Raises
    ------
    TypeError or ValueError
        It did not write this.
    """
    return _unpack(json.loads(text))


def id_key(id: Hashable) -> str:
    """Give the key under which a store keeps an id.

    Parameters
    ----------
    id : Hashable
        A str, int, float, bytes, UUID, or a tuple of these.

    Returns
    -------
    str
        Equal for ids that are equal in a ``dict``, and only for these.

    Raises
    ------
    TypeError
        The id is of another kind.
    InvalidArgumentError
        The id is NaN, nested more than 100 deep, or an integer of more than 4,200 digits.
    """
    return _dump(_pack(_canonical_id(id)))


def _canonical_id(value: object, depth: int = 0) -> object:
    value = _plain(value)
    if isinstance(value, tuple):
        return tuple(_canonical_id(part, _deeper(depth)) for part in value)
    if isinstance(value, float):
        if math.isnan(value):
            raise InvalidArgumentError("an id is NaN, which is not equal to itself; use a real id")
        return int(value) if value.is_integer() else value
    if isinstance(value, int):  # bool as well
        return int(value)
    if isinstance(value, str | bytes | UUID):
        return value
    raise TypeError(
        f"an id of type {type(value).__name__} cannot be stored; use a str, int, float, bytes, UUID or a "
        "tuple of these"
    )


def _dump(packed: object) -> str:
    return json.dumps(packed, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: object) -> object:
    """A NumPy scalar as the Python value that it stands for; anything else as it is."""
    if isinstance(value, np.number | np.bool_ | np.str_ | np.bytes_):
        return value.item()
    return value


def _deeper(depth: int) -> int:
    if depth >= _DEEPEST:
        raise InvalidArgumentError(
            f"a value contains itself or is nested more than {_DEEPEST} deep, which cannot be stored; "
            "make it flatter, or keep it as a str"
        )
    return depth + 1


def _pack(value: object, depth: int = 0) -> object:
    """Turn a value into what JSON has words for. An object of one member is a tagged value."""
    value = _plain(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return _pack_integer(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": repr(float(value))}
    if isinstance(value, str):
        return _pack_text(str.__str__(value))  # an enum's own says its name, not its value
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, UUID):
        return {"uuid": str(value)}
    if isinstance(value, dt.datetime):
        return {"datetime": value.isoformat()}
    if isinstance(value, dt.date):
        return {"date": value.isoformat()}
    if isinstance(value, list):
        return _pack_parts(value, depth)
    if isinstance(value, tuple):
        return {"tuple": _pack_parts(value, depth)}
    if isinstance(value, Mapping):
        return {"mapping": [_pack_parts(pair, depth) for pair in value.items()]}
    raise TypeError(
        f"a value of type {type(value).__name__} cannot be stored; use None, a bool, int, float, str, "
        "bytes, UUID, datetime or date, or a tuple, list or dict of these"
    )


def _pack_parts(parts: Sequence[object], depth: int) -> list[object]:
    inner = _deeper(depth)
    return [_pack(part, inner) for part in parts]


def _pack_integer(value: int) -> int:
    if value.bit_length() > _MOST_BITS:
        raise InvalidArgumentError(
            f"an integer of {value.bit_length()} bits is too large to be stored, as more than "
            f"{_MOST_BITS} are; keep it as a str or bytes"
        )
    return value


def _pack_text(text: str) -> object:
    """A str with surrogates, as file names may have them, is no UTF-8; it goes as its bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return {"surrogates": text.encode("utf-8", "surrogatepass").hex()}
    return text


_READERS: dict[str, Callable[[Any], object]] = {
    "float": float,
    "bytes": bytes.fromhex,
    "uuid": UUID,
    "datetime": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "tuple": lambda parts: tuple(_unpack(part) for part in parts),
    "mapping": lambda pairs: {_unpack(key): _unpack(part) for key, part in pairs},
    "surrogates": lambda text: bytes.fromhex(text).decode("utf-8", "surrogatepass"),
}


def _unpack(packed: Any) -> Any:
    if isinstance(packed, list):
        return [_unpack(part) for part in packed]
    if isinstance(packed, dict):
        ((tag, inner),) = packed.items()
        if tag not in _READERS:
            raise ValueError(f"the tag {tag!r} is unknown")
        return _READERS[tag](inner)
    return packed
