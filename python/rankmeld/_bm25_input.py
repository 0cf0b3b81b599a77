"""Reading what callers hand to a BM25 index."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

from rankmeld import _core
from rankmeld._terms import TermReader
from rankmeld.document import Document, as_id
from rankmeld.ranking import Ranking
from rankmeld.types import Hit

__all__ = ["Batch", "as_ids", "push", "read_documents"]


class Batch(NamedTuple):
    """What is to be added, with distinct ids."""

    ids: list[Hashable]
    texts: list[str]
    documents: list[Document | None] | None


def read_documents(documents: Iterable[Any]) -> Batch:
    """Read documents and pairs, once; of several with one id the last counts, in the first one's place."""
    if isinstance(documents, Document | str | bytes | Mapping) or not isinstance(documents, Iterable):
        hint = "; pass its .items()" if isinstance(documents, Mapping) else ""
        if isinstance(documents, Document):
            hint = "; one document goes as [document]"
        raise TypeError(
            "documents must be an iterable of Document or of (id, text) pairs, not "
            f"{type(documents).__name__}{hint}"
        )
    latest: dict[Hashable, tuple[str, Document | None]] = {}
    for place, item in enumerate(documents):
        if isinstance(item, Document):
            latest[item.id] = (item.passage, item)
            continue
        if not isinstance(item, tuple | list) or len(item) != 2:
            raise TypeError(
                f"documents[{place}] must be a Document or a pair (id, text), not {type(item).__name__}"
                f"{f' of {len(item)}' if isinstance(item, tuple | list) else ''}"
            )
        id, text = item
        if not isinstance(text, str):
            raise TypeError(f"the text of documents[{place}] must be a str, not {type(text).__name__}")
        latest[as_id(id, f"the id of documents[{place}]")] = (text, None)
    kept = [document for _, document in latest.values()]
    documents_given = any(document is not None for document in kept)
    return Batch(list(latest), [text for text, _ in latest.values()], kept if documents_given else None)


def push(builder: _core.Bm25Builder, reader: TermReader, batch: Batch, some: slice) -> None:
    """Have some documents of a batch read and counted."""
    texts = batch.texts[some]
    if reader.built_in:
        builder.push_texts(texts, reader.stemmer)
    else:
        named = zip(batch.ids[some], texts, strict=True)
        builder.push_tokens([reader.terms(text, f"document {id!r}") for id, text in named])


def as_ids(ids: Iterable[Hashable], name: str) -> list[Hashable]:
    """Several ids, also those of hits and documents; one alone is the common slip."""
    if isinstance(ids, str | bytes | Hit | Document) or not isinstance(ids, Iterable):
        raise TypeError(f"{name} must be an iterable of ids, not {type(ids).__name__}; one id goes as [id]")
    if isinstance(ids, Ranking):
        return ids.ids
    return [
        item.id if isinstance(item, Hit | Document) else as_id(item, f"{name}[{place}]")
        for place, item in enumerate(ids)
    ]
