"""A document as a row of the store, and back, field by field."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from rankmeld._filters import as_compared
from rankmeld._time import microseconds
from rankmeld.document import Document
from rankmeld.errors import InvalidArgumentError
from rankmeld.stores.encoding import decode, encode, id_key
from rankmeld.stores.failures import DamagedError
from rankmeld.text import clean_text

__all__ = ["Row", "attribute", "to_document", "to_row"]

_TEXTS = ("title", "topic", "text")

#: Fields kept in the record, with the value that goes without saying.
_RECORDED: dict[str, object] = {
    "parent_id": None,
    "created_at": None,
    "updated_at": None,
    "valid_from": None,
    "last_accessed_at": None,
    "access_count": 0,
    "importance": None,
    "assessed_importance": None,
    "confidence": None,
    "tier": None,
    "evergreen": False,
    "volatile": False,
    "metadata": {},
}

_SURROGATES = re.compile("[\ud800-\udfff]")

#: Longer values of metadata are looked up by their digest: an index of whole texts is a second corpus.
_LONGEST_ATTRIBUTE = 200


class Row(NamedTuple):
    """A document as columns.

    Attributes
    ----------
    key : str
        The id's `id_key`.
    title, topic, text : str
        As they are indexed: composed (NFC).
    created_at : int or None
        Microseconds since 1970-01-01 UTC, for filters.
    record : str
        Every other field, and a text as it came where composing changed it.
    attributes : list of (str, str)
        Keys and values of the metadata in the form of `attribute`, for filters.
    """

    key: str
    title: str
    topic: str
    text: str
    created_at: int | None
    record: str
    attributes: list[tuple[str, str]]


def to_row(document: Document, *, as_column: Callable[[str], str] = clean_text) -> Row:
    """Turn a document into its row.

    Parameters
    ----------
    document : Document
        Any document.
    as_column : callable, default `clean_text`
        From a text without surrogates to what a column holds of it.

    Raises
    ------
    TypeError
        The id or a value of the metadata is of a kind that cannot be stored; the message names
        the document and the field.
    InvalidArgumentError
        It is of such a kind, but too large or too deep.
    """
    key = id_key(document.id)
    record: dict[str, object] = {"id": document.id}
    texts = {}
    for name in _TEXTS:
        given = _SURROGATES.sub("\ufffd", getattr(document, name))
        texts[name] = as_column(given)
        if texts[name] != given:
            record[name] = given
    for name, default in _RECORDED.items():
        value = getattr(document, name)
        if value != default:
            record[name] = value.value if name == "tier" else value
    created = document.created_at
    return Row(
        key,
        **texts,
        created_at=None if created is None else microseconds(created),
        record=_encode_record(document, record),
        attributes=[
            (attribute(name), attribute(value))
            for name, value in document.metadata.items()
            if value is not None
        ],
    )


def _encode_record(document: Document, record: dict[str, object]) -> str:
    try:
        return encode(record)
    except (TypeError, InvalidArgumentError) as error:
        for name, value in record.items():
            parts = document.metadata.items() if name == "metadata" else [(None, value)]
            for key, part in parts:
                try:
                    encode(part)
                except (TypeError, InvalidArgumentError) as reason:
                    place = name if key is None else f"{name}[{key!r}]"
                    raise type(reason)(f"{place} of document {document.id!r}: {reason}") from None
        raise type(error)(f"document {document.id!r}: {error}") from None


def to_document(title: str, topic: str, text: str, record: str) -> Document:
    """Turn a row back into the document that it was made of.

    Raises
    ------
    DamagedError
        It was made of none.
    """
    fields: dict[str, Any] = {"title": title, "topic": topic, "text": text}
    try:
        fields.update(decode(record))
        return Document(**fields)
    except (TypeError, ValueError) as error:
        raise DamagedError(f"the record of a document cannot be read: {error}") from error


def attribute(value: object) -> str:
    """The form in which a key or value of metadata is compared: as a string.

    It goes through `encode` so that no character, NUL included, ends it early inside SQLite.
    """
    text = as_compared(value)
    if len(text) > _LONGEST_ATTRIBUTE:
        import hashlib  # noqa: PLC0415 - starting OpenSSL takes longer than all else of this package

        return encode(hashlib.sha256(text.encode()).digest())
    return encode(text)
