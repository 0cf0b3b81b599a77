"""Reading what callers hand to a store, before the file is touched."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from typing import Any

from rankmeld.document import Document
from rankmeld.errors import InvalidArgumentError
from rankmeld.types import Embedder, VectorQuery

__all__ = [
    "as_documents",
    "as_file",
    "as_ids",
    "as_path",
    "as_query",
    "as_vector_query",
    "check_embedder",
]


def as_query(query: str) -> str:
    """Any str is a query."""
    if not isinstance(query, str):
        raise TypeError(f"query must be a str, not {type(query).__name__}")
    return query


def as_vector_query(query: VectorQuery) -> VectorQuery:
    """What a vector index is asked; words are asked elsewhere."""
    if not isinstance(query, VectorQuery):
        raise TypeError(f"query must be a VectorQuery, not {type(query).__name__}; lexical() takes words")
    return query


def as_path(path: str | os.PathLike[str]) -> str:
    """A path as a str; bytes would be another name for the same source."""
    name = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(name, str):
        raise TypeError(f"path must be a str or a path, not {type(name).__name__}")
    return str.__str__(name)  # an enum's own says its name


def as_file(path: str | os.PathLike[str]) -> str:
    """A path that can be a file's."""
    name = as_path(path)
    if not name:
        raise InvalidArgumentError("path is empty; name a file, or ':memory:' for a store that is not kept")
    if "\0" in name:
        raise InvalidArgumentError(f"path is {name!r}, and no file's name has a NUL in it; leave it out")
    return name


def as_ids(ids: Iterable[Hashable]) -> list[Hashable]:
    """Several ids; one alone is the common slip."""
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise TypeError(f"ids must be an iterable of ids, not {type(ids).__name__}; one id goes as [id]")
    return list(ids)


def as_documents(documents: Iterable[Document]) -> list[Document]:
    """Several documents, read once."""
    if isinstance(documents, Document) or not isinstance(documents, Iterable):
        raise TypeError(
            f"documents must be an iterable of Document, not {type(documents).__name__}; one document goes "
            "as [document]"
        )
    given = list(documents)
    for place, document in enumerate(given):
        if not isinstance(document, Document):
            raise TypeError(
                f"documents[{place}] must be a Document, not {type(document).__name__}; "
                "make it with Document(id, text)"
            )
    return given


def check_embedder(embedder: Any) -> Embedder:
    """An embedder has a name, by which a store keeps vectors of different models apart."""
    if not callable(embedder) or not hasattr(embedder, "embed_query") or not hasattr(embedder, "model"):
        raise TypeError(
            f"embedder must have model and embed_query and be callable, and {type(embedder).__name__} does "
            "not; wrap a plain function as CallableEmbedder(fn, model='its name')"
        )
    checked: Embedder = embedder
    return checked
