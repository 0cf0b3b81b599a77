"""What an OpenAI-compatible server answers, read as what somebody else wrote: every part is checked."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import numpy as np

from rankmeld.embed.base import Vectors
from rankmeld.errors import RemoteError

__all__ = ["text_of", "vectors_of"]


def text_of(answer: Any, server: str) -> str:
    """The text of a chat's first choice.

    Parameters
    ----------
    answer : object
        What the JSON says.
    server : str
        Who said it, for messages.

    Returns
    -------
    str
        The text, which may be blank.

    Raises
    ------
    RemoteError
        There is none.
    """
    try:
        text = answer["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        text = None
    if not isinstance(text, str):
        raise RemoteError(f"{server} answered without a text in choices[0].message.content")
    return text


def vectors_of(answer: Any, count: int, width: int | None, server: str) -> Vectors:
    """The vectors of an answer, in the order of the texts: by their index, never by their place.

    Parameters
    ----------
    answer : object
        What the JSON says.
    count : int
        How many texts there were.
    width : int, optional
        How wide a vector must be; not given, they must only be of one width.
    server : str
        Who said it, for messages.

    Returns
    -------
    array of shape (count, D), float32
        Finite numbers.

    Raises
    ------
    RemoteError
        An index is missing, out of range or there twice; a vector is none, is of another width, or has
        a number that is not finite.
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise RemoteError(f"{server} answered without a list of embeddings in data")
    if len(data) != count:
        raise RemoteError(f"{server} answered with {len(data)} embeddings for {count} texts")
    rows: list[Vectors | None] = [None] * count
    for item in data:
        place = item.get("index") if isinstance(item, dict) else None
        if type(place) is not int or not 0 <= place < count or rows[place] is not None:
            raise RemoteError(
                f"{server} answered with an embedding whose index is not one of 0 to {count - 1}, each once"
            )
        rows[place] = _vector(item.get("embedding"), f"{server} answered, for text {place},")
    # Every place is filled: as many items as places, and no place twice.
    filled = [row for row in rows if row is not None]
    expected = filled[0].shape[0] if width is None else width
    for place, row in enumerate(filled):
        if row.shape[0] != expected:
            raise RemoteError(
                f"{server} answered, for text {place}, with a vector of width {row.shape[0]}, not {expected}"
            )
    return np.stack(filled)


def _vector(value: Any, said: str) -> Vectors:
    """One vector: numbers, or little-endian float32 in base64."""
    try:
        if isinstance(value, str):
            vector = np.frombuffer(base64.b64decode(value, validate=True), "<f4")
        else:
            vector = np.asarray(value if isinstance(value, list) else None)
    except (ValueError, binascii.Error):
        vector = np.empty(0)
    if vector.ndim != 1 or not vector.size or vector.dtype.kind not in "fiu":
        raise RemoteError(f"{said} with what is not a vector of numbers")
    with np.errstate(over="ignore"):  # what does not fit float32 is reported below
        row: Vectors = vector.astype(np.float32)
    if not np.isfinite(row).all():
        raise RemoteError(f"{said} with NaN, an infinity or a number beyond float32")
    return row
