"""Adding and deleting, as flows that a client that waits or an awaited one answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from qdrant_client import models

from rankmeld._asking import Ask, Flow
from rankmeld.document import Document
from rankmeld.stores.arguments import as_documents, as_ids, check_embedder
from rankmeld.stores.encoding import id_key
from rankmeld.stores.matrix import Floats
from rankmeld.stores.preparing import prepare
from rankmeld.stores.qdrant.collection import Collection
from rankmeld.stores.qdrant.points import (
    POINTS_AT_ONCE,
    POSITION,
    as_point,
    batches,
    parts,
    point_id,
)
from rankmeld.stores.qdrant.words import Words
from rankmeld.stores.rows import Row
from rankmeld.stores.writing import Progress
from rankmeld.types import Embedder

__all__ = ["add", "delete"]


def add(
    collection: Collection,
    documents: Iterable[Document],
    vectors: Any,
    embedder: Embedder | None,
    progress: Progress | None,
) -> Flow[int]:
    """Write documents in place of those with the same ids; gives how many were written."""
    given = as_documents(documents)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a callable (done, total), not {type(progress).__name__}")
    if embedder is not None:
        check_embedder(embedder)

    def report(done: int, total: int) -> None:
        if progress is not None and done < total:  # all is done when it is written
            progress(done, total)

    known = yield from collection.known()
    rows, labelled = yield Ask("embedder", prepare, (given, vectors, embedder, report))
    if not rows:
        return 0
    ids = [point_id(row.key) for row in rows]
    known = yield from collection.claimed(known, None if labelled is None else labelled.label, ids)
    # A replaced document keeps its place in the order of adding.
    places = yield from _there(collection, ids)
    last = yield from _last_position(collection)
    for id in ids:
        if id not in places:
            places[id] = last = last + 1
    for start in range(0, len(rows), POINTS_AT_ONCE):
        some = slice(start, start + POINTS_AT_ONCE)
        vectors_there = [None] * len(rows[some]) if labelled is None else labelled.vectors[some]
        positions = [places[id] for id in ids[some]]
        arguments = (collection.words, known.vector, rows[some], positions, vectors_there)
        done = start
        for batch in batches((yield Ask("points", _points, arguments))):
            yield from collection.ask("upsert", points=batch, wait=True)
            done += len(batch)
            if embedder is None or vectors is not None:
                report(done, len(rows))
    if progress is not None:
        progress(len(rows), len(rows))
    return len(rows)


def delete(collection: Collection, ids: Iterable[Hashable]) -> Flow[int]:
    """Delete documents; gives how many there were."""
    wanted = [point_id(id_key(id)) for id in as_ids(ids)]
    known = yield from collection.known()
    if not known.there:
        return 0
    found = list((yield from _there(collection, wanted)))
    for some in parts(found):
        yield from collection.ask("delete", points_selector=some, wait=True)
    return len(found)


def _points(
    words: Words,
    name: str | None,
    rows: Sequence[Row],
    positions: Sequence[int],
    vectors: Sequence[Floats | None],
) -> list[models.PointStruct]:
    """Cut texts into words and make the points: work that is long enough to hold up an event loop."""
    return [
        as_point(row, position, vector, name, words)
        for row, position, vector in zip(rows, positions, vectors, strict=True)
    ]


def _there(collection: Collection, ids: Sequence[str]) -> Flow[dict[str, int]]:
    """The points that there are, and their positions."""
    found: dict[str, int] = {}
    for some in parts(ids):
        points = yield from collection.ask("retrieve", ids=some, with_payload=[POSITION], with_vectors=False)
        found.update((str(point.id), int(point.payload[POSITION])) for point in points)
    return found


def _last_position(collection: Collection) -> Flow[int]:
    newest = models.OrderBy(key=POSITION, direction=models.Direction.DESC)
    points, _ = yield from collection.ask("scroll", order_by=newest, limit=1, with_payload=[POSITION])
    return max((int(point.payload[POSITION]) for point in points), default=0)
