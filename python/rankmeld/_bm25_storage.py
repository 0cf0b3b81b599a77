"""A BM25 index as a file: parameters, ids and documents as text, postings as the core's bytes."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields
from functools import partial
from typing import Any, NamedTuple

from rankmeld._bm25_state import Columns, State
from rankmeld._files import FileKind, load_parts, save_parts
from rankmeld._terms import TermReader, Tokenizer
from rankmeld.bm25 import as_parameters
from rankmeld.document import Document, Tier
from rankmeld.errors import FormatError, InvalidArgumentError
from rankmeld.stores.encoding import decode, encode
from rankmeld.text import bm25_tokenize, tokenize

__all__ = ["Loaded", "load", "save"]

_KIND = FileKind("bm25 index", 1, "BM25 index")

#: Fields kept of a document, beside its id.
_FIELDS = tuple(field.name for field in fields(Document) if field.name != "id")
_NOTHING = Document(None)


class Loaded(NamedTuple):
    """What a file holds."""

    k1: float
    b: float
    reader: TermReader
    state: State


def save(path: str | os.PathLike[str], state: State, k1: float, b: float, reader: TermReader) -> None:
    """Write a state and what it was made with."""
    postings, ids, documents = state.columns()
    described = {"k1": k1, "b": b, "tokenizer": _name_of(reader), "stemmer": reader.stemmer}
    records = [None if document is None else _record(document) for document in documents or ()]
    parts = [
        encode(described),
        _all_encoded(ids, lambda place: f"id {ids[place]!r}"),
        _all_encoded(records, lambda place: f"document {ids[place]!r}"),
    ]
    save_parts(path, _KIND, [*(part.encode() for part in parts), postings])


def load(path: str | os.PathLike[str], tokenizer: Tokenizer | None) -> Loaded:
    """Read what `save` wrote."""
    asked = None if tokenizer is None else TermReader(tokenizer)
    _, parts = load_parts(path, _KIND)
    try:
        described, encoded_ids, encoded_records, postings = parts
        options = decode(described.decode())
        k1, b = as_parameters(options["k1"], options["b"])
        kept = _reader_of(options["tokenizer"], options["stemmer"])
        ids: list[Hashable] = decode(encoded_ids.decode())
        records: list[dict[str, Any] | None] = decode(encoded_records.decode())
        documents = (
            [
                None if record is None else Document(id, **record)
                for id, record in zip(ids, records, strict=True)
            ]
            if records
            else None
        )
        state = State.of_columns(k1, b, Columns(postings, ids, documents))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"this BM25 index does not hold what it should: {error}", path) from error
    return Loaded(k1, b, _agreed(path, kept, asked), state)


def _name_of(reader: TermReader) -> str | None:
    """What a file calls the tokenizer; ``None`` for one that it cannot keep."""
    if reader.built_in:
        return "bm25_tokenize"
    return "tokenize" if reader.tokenizer is tokenize else None


def _reader_of(name: str | None, stemmer: str | None) -> TermReader | None:
    match name:
        case None:
            return None
        case "tokenize":
            return TermReader(tokenize)
        case "bm25_tokenize":
            return TermReader(
                bm25_tokenize if stemmer == "light" else partial(bm25_tokenize, stemmer=stemmer)
            )
    raise ValueError(f"there is no tokenizer {name!r}")


def _agreed(path: str | os.PathLike[str], kept: TermReader | None, asked: TermReader | None) -> TermReader:
    """The tokenizer to go on with, which has to be the one that the file was made with."""
    if kept is None:
        if asked is None or _name_of(asked) is not None:
            raise InvalidArgumentError(
                f"the index in {os.fspath(path)!r} was made with a tokenizer of its own, which a file cannot "
                "keep; pass it as tokenizer="
            )
        return asked
    if asked is not None and not asked.same_as(kept):
        raise InvalidArgumentError(
            f"the index in {os.fspath(path)!r} was made with {_shown(kept)}, and tokenizer is another one; "
            "leave it out, or index the documents again"
        )
    return kept if asked is None else asked


def _shown(reader: TermReader) -> str:
    return f"bm25_tokenize and stemmer {reader.stemmer!r}" if reader.built_in else "tokenize"


def _record(document: Document) -> dict[str, Any]:
    """The fields of a document that say something."""
    record = {}
    for name in _FIELDS:
        value = getattr(document, name)
        if value != getattr(_NOTHING, name):
            record[name] = value.value if isinstance(value, Tier) else value
    return record


def _all_encoded(values: Sequence[object], name: Callable[[int], str]) -> str:
    """All values as one text; if that cannot be, the message names the first that is to blame."""
    try:
        return encode(values)
    except (TypeError, InvalidArgumentError) as error:
        for place, value in enumerate(values):
            try:
                encode(value)
            except (TypeError, InvalidArgumentError) as reason:
                raise type(reason)(f"{name(place)} cannot be saved: {reason}") from None
        raise error from None
