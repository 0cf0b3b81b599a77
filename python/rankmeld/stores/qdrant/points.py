"""Documents as points of a collection, and back.

Qdrant takes numbers and UUIDs for ids. A document's point has a UUID that is made of its id, and the id
itself is in the payload, so any id that a store takes comes back as it was.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid5

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from rankmeld.document import Document
from rankmeld.errors import StoreError
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.matrix import Floats
from rankmeld.stores.qdrant.words import Words
from rankmeld.stores.rows import Row, to_document

__all__ = [
    "ATTRIBUTES",
    "CREATED",
    "DOCUMENT",
    "POINTS_AT_ONCE",
    "POSITION",
    "VECTOR",
    "WORDS",
    "as_attribute",
    "as_point",
    "batches",
    "document_of",
    "parts",
    "point_id",
    "split_time",
    "unit",
    "vector_of",
]

#: Fields of the payload.
POSITION, ATTRIBUTES, CREATED, VECTOR, KEY = "position", "attributes", "created", "vector", "key"

#: What it takes to make the document again.
DOCUMENT = [KEY, "title", "topic", "text", "record"]

#: Name of the sparse vectors.
WORDS = "words"

_NAMESPACE = UUID("5a2f1f0e-6d5c-5a53-9a5e-8a0c8c1f3c77")

#: Points in one request, and about how many bytes: a server takes 32 MB by default.
POINTS_AT_ONCE = 256
_BYTES_AT_ONCE = 8_000_000

#: Ids in one request.
_IDS_AT_ONCE = 1000

_STORED = np.dtype("<f4")
_MICROSECONDS = 1_000_000


def point_id(key: str) -> str:
    """The id of the point that holds the document of an `id_key`."""
    return str(uuid5(_NAMESPACE, key))


def split_time(microseconds: int) -> tuple[int, int]:
    """Seconds and microseconds: Qdrant compares ranges as float64, which would round the sum."""
    return divmod(microseconds, _MICROSECONDS)


def as_attribute(name: str, value: str) -> str:
    """A key and a value of metadata as one keyword; both are JSON, so no two pairs look alike."""
    return f"{name}:{value}"


def as_point(
    row: Row, position: int, vector: Floats | None, name: str | None, words: Words
) -> models.PointStruct:
    """Make the point of a row.

    Parameters
    ----------
    row : Row
        The document.
    position : int
        Its place in the order of adding.
    vector : array of shape (D,), float32, or None
        As it came; the payload keeps it, since Qdrant's own copy is normalized.
    name : str or None
        Name of the dense vectors.
    words : Words
        What makes its sparse vector.
    """
    payload: dict[str, Any] = {
        KEY: row.key,
        "title": row.title,
        "topic": row.topic,
        "text": row.text,
        "record": row.record,
        POSITION: position,
        ATTRIBUTES: sorted({as_attribute(*pair) for pair in row.attributes}),
    }
    if row.created_at is not None:
        payload[CREATED] = dict(zip(("s", "us"), split_time(row.created_at), strict=True))
    vectors: dict[str, Any] = {}
    sparse = words.of_document(f"{row.title} {row.topic} {row.text}")
    if sparse.indices:
        vectors[WORDS] = models.SparseVector(indices=sparse.indices, values=sparse.values)
    if vector is not None and name is not None:
        vectors[name] = unit(vector).tolist()
        payload[VECTOR] = base64.b64encode(vector.astype(_STORED, copy=False).tobytes()).decode("ascii")
    return models.PointStruct(id=point_id(row.key), vector=vectors, payload=payload)


def unit(vector: Floats) -> Floats:
    """A vector of length 1 and the same direction; a zero vector as it is.

    Qdrant does this too, but in float32, where the squares of large numbers are infinite.
    """
    wide = vector.astype(np.float64)
    length = float(np.sqrt(np.dot(wide, wide)))
    return vector if not length else (wide / length).astype(np.float32)


def vector_of(payload: Mapping[str, Any], width: int) -> npt.NDArray[np.float32]:
    """The vector as it was given.

    Raises
    ------
    StoreError
        The payload has none of this width.
    """
    try:
        vector = np.frombuffer(base64.b64decode(payload[VECTOR], validate=True), _STORED)
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"a point of the collection has no readable {VECTOR!r} ({error}); {_AGAIN}"
        ) from error
    if vector.shape != (width,):
        raise StoreError(f"a point of the collection has {vector.size} dimensions, not {width}; {_AGAIN}")
    return vector


def document_of(payload: Mapping[str, Any]) -> Document:
    """The document of a point.

    Raises
    ------
    StoreError
        The payload is not one that a store writes.
    """
    try:
        return to_document(payload["title"], payload["topic"], payload["text"], payload["record"])
    except (KeyError, DamagedError) as error:
        raise StoreError(f"a point of the collection holds no document ({error!r}); {_AGAIN}") from error


_AGAIN = "something else has written to it; delete the point, or add its document again"


def batches(points: Sequence[models.PointStruct]) -> Iterator[list[models.PointStruct]]:
    """Cut points, not more than go in one request, into fewer where they are large."""
    batch: list[models.PointStruct] = []
    size = 0
    for point in points:
        weight = _weight(point)
        if batch and size + weight > _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(point)
        size += weight
    if batch:
        yield batch


def parts(ids: Sequence[str]) -> Iterator[list[str]]:
    """Cut ids into requests."""
    return (list(ids[start : start + _IDS_AT_ONCE]) for start in range(0, len(ids), _IDS_AT_ONCE))


def _weight(point: models.PointStruct) -> int:
    """About how many bytes a point takes as JSON."""
    payload = point.payload
    numbers = sum(
        len(part) if isinstance(part, list) else 2 * len(part.indices) for part in point.vector.values()
    )
    texts = sum(4 * len(value) for value in payload.values() if isinstance(value, str))
    return texts + 24 * numbers + sum(map(len, payload[ATTRIBUTES]))
