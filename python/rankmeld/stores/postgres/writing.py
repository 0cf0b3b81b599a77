"""Writing documents, vectors and sources, in the transaction that a caller has begun."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rankmeld._asking import Ask, Flow
from rankmeld.stores.encoding import encode
from rankmeld.stores.labels import Labelled, check_agreement
from rankmeld.stores.matrix import Floats
from rankmeld.stores.postgres.embeddings import safe, to_vector
from rankmeld.stores.postgres.filters import attribute_pairs
from rankmeld.stores.postgres.lexemes import Words
from rankmeld.stores.postgres.sessions import AnySession
from rankmeld.stores.postgres.state import State, keep, locked
from rankmeld.stores.rows import Row

__all__ = ["Entry", "as_key", "put", "remove", "remove_source", "replace_source"]

#: Rows written between two reports.
_ROWS_AT_ONCE = 256

#: Longer keys are known by their digest: a unique index takes no more than 2.7 KB.
_LONGEST_KEY = 1000


class Entry(NamedTuple):
    """A document that is to be written.

    Attributes
    ----------
    row : Row
        Its columns.
    words : Words
        Its words.
    """

    row: Row
    words: Words


def as_key(text: str) -> str:
    """A key as its unique index holds it; ``#`` begins no JSON, so no digest is another key."""
    encoded = text.encode()
    return text if len(encoded) <= _LONGEST_KEY else f"#{hashlib.sha256(encoded).hexdigest()}"


def put(
    session: AnySession,
    entries: Sequence[Entry],
    labelled: Labelled | None,
    *,
    report: Callable[[int], object] | None = None,
) -> Flow[None]:
    """Write documents of distinct keys, in place of those of the same keys.

    Parameters
    ----------
    session : session
        In a write transaction.
    entries : sequence of Entry
        What to write.
    labelled : Labelled or None
        Their vectors. ``None``: they get none, and lose what they had.
    report : callable, optional
        ``report(done)`` after every few hundred rows.
    """
    state = yield from locked(session)
    state = yield from _put(session, state, entries, labelled, report=report)
    yield from keep(session, state)


def remove(session: AnySession, keys: Sequence[str]) -> Flow[int]:
    """Delete the documents of these keys; gives how many there were."""
    state = yield from locked(session)
    places = yield from _places(session, keys)
    yield from keep(session, (yield from _delete_at(session, state, list(places.values()))))
    return len(places)


def replace_source(
    session: AnySession, path: str, digest: str, entries: Sequence[Entry], labelled: Labelled | None
) -> Flow[None]:
    """Register a source anew with its documents, in place of those that it had."""
    state, _ = yield from _forget_source(session, (yield from locked(session)), path)
    ((source,),) = yield session.ask(
        "INSERT INTO {sources} (path_key, path, digest) VALUES (%s, %s, %s) RETURNING source",
        as_key(encode(path)),
        encode(path),
        encode(digest),
    )
    yield from keep(session, (yield from _put(session, state, entries, labelled, source=source)))


def remove_source(session: AnySession, path: str) -> Flow[int]:
    """Delete a source with its documents; gives how many those were."""
    state, count = yield from _forget_source(session, (yield from locked(session)), path)
    yield from keep(session, state)
    return count


def _forget_source(session: AnySession, state: State, path: str) -> Flow[tuple[State, int]]:
    key = as_key(encode(path))
    rows = yield session.ask(
        "SELECT position FROM {documents} JOIN {sources} USING (source) WHERE path_key = %s", key
    )
    left = yield from _delete_at(session, state, [position for (position,) in rows])
    yield session.ask("DELETE FROM {sources} WHERE path_key = %s", key)
    return left, len(rows)


def _put(
    session: AnySession,
    state: State,
    entries: Sequence[Entry],
    labelled: Labelled | None,
    *,
    source: int | None = None,
    report: Callable[[int], object] | None = None,
) -> Flow[State]:
    # A replaced document keeps its place in the order of first appearance.
    places = yield from _places(session, [entry.row.key for entry in entries])
    state = yield from _delete_at(session, state, list(places.values()))
    if labelled is not None and entries:
        # What has just been replaced no longer counts, so that a whole store can change its model.
        check_agreement(state.label, labelled.label)
        state = state._replace(label=labelled.label if state.label.dimensions is None else state.label)
    for start in range(0, len(entries), _ROWS_AT_ONCE):
        chunk = entries[start : start + _ROWS_AT_ONCE]
        last = state.last
        positions = []
        for entry in chunk:
            place = places.get(as_key(entry.row.key))
            if place is None:
                place = last = last + 1
            positions.append(place)
        yield _load_documents(session, positions, chunk, source)
        vectors = 0
        if labelled is not None:
            yield _load_vectors(session, positions, safe(labelled.vectors[start : start + _ROWS_AT_ONCE]))
            vectors = len(chunk)
        state = state._replace(
            documents=state.documents + len(chunk),
            words=state.words + sum(entry.words.length for entry in chunk),
            vectors=state.vectors + vectors,
            last=last,
        )
        if report is not None:
            report(start + len(chunk))
    return state


def _places(session: AnySession, keys: Sequence[str]) -> Flow[dict[str, int]]:
    """Where the documents of these keys are."""
    rows = yield session.ask(
        "SELECT id_key, position FROM {documents} WHERE id_key = ANY(%s::text[])",
        [as_key(key) for key in keys],
    )
    return dict(rows)


def _delete_at(session: AnySession, state: State, positions: list[int]) -> Flow[State]:
    if not positions:
        return state
    ((vectors,),) = yield session.ask(
        "WITH gone AS (DELETE FROM {vectors} WHERE position = ANY(%s::bigint[]) RETURNING 1)"
        " SELECT count(*) FROM gone",
        positions,
    )
    ((documents, words),) = yield session.ask(
        "WITH gone AS (DELETE FROM {documents} WHERE position = ANY(%s::bigint[]) RETURNING length)"
        " SELECT count(*), coalesce(sum(length), 0)::bigint FROM gone",
        positions,
    )
    return state.without(documents, words, vectors)


def _load_documents(
    session: AnySession, positions: Sequence[int], entries: Sequence[Entry], source: int | None
) -> Ask:
    rows = (
        (
            position,
            as_key(row.key),
            row.title,
            row.topic,
            row.text,
            row.created_at,
            source,
            row.record,
            attribute_pairs(row.attributes),
            words.length,
            words.vector,
        )
        for position, (row, words) in zip(positions, entries, strict=True)
    )
    return session.load(
        "COPY {documents} (position, id_key, title, topic, text, created_at, source, record, attributes,"
        " length, words) FROM STDIN",
        rows,
    )


def _load_vectors(session: AnySession, positions: Sequence[int], vectors: Floats) -> Ask:
    return session.load(
        "COPY {vectors} (position, embedding) FROM STDIN (FORMAT BINARY)",
        zip(positions, map(to_vector, vectors), strict=True),
        ("int8", "vector"),
    )
