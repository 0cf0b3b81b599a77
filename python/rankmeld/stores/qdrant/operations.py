"""All that a store does, as flows: whoever waits and whoever awaits drive the same ones."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from rankmeld._asking import Flow
from rankmeld.document import Document
from rankmeld.ranking import Ranking
from rankmeld.stores.arguments import as_vector_query
from rankmeld.stores.labels import Label
from rankmeld.stores.qdrant import reading, writing
from rankmeld.stores.qdrant.collection import Collection
from rankmeld.stores.writing import Progress
from rankmeld.types import Embedder, Filters, VectorQuery

__all__ = ["Operations"]


class Operations:
    """What can be asked of a collection.

    Parameters
    ----------
    collection : Collection
        The collection.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self.name = collection.name

    def label(self) -> Flow[Label]:
        """What the vectors are."""
        return self._collection.label()

    def add(
        self,
        documents: Iterable[Document],
        vectors: Any,
        embedder: Embedder | None,
        progress: Progress | None,
    ) -> Flow[int]:
        """Write documents in place of those with the same ids; gives how many were written."""
        return writing.add(self._collection, documents, vectors, embedder, progress)

    def delete(self, ids: Iterable[Hashable]) -> Flow[int]:
        """Delete documents; gives how many there were."""
        return writing.delete(self._collection, ids)

    def count(self) -> Flow[int]:
        """How many documents there are."""
        return reading.count(self._collection)

    def get(self, id: Hashable) -> Flow[Document | None]:
        """One document, if it is there."""
        return (yield from self.get_many([id])).get(id)

    def get_many(self, ids: Iterable[Hashable]) -> Flow[dict[Hashable, Document]]:
        """The documents of these ids, in the order asked."""
        return reading.get_many(self._collection, ids)

    def lexical(self, query: str, limit: int | None, filters: Filters | None) -> Flow[Ranking]:
        """Rank the documents that have any word of a query."""
        return reading.lexical(self._collection, query, limit, filters)

    def vector(self, query: Any, limit: int | None, filters: Filters | None) -> Flow[Ranking]:
        """Rank documents by the cosine of their vectors with a query's."""
        return reading.vector(self._collection, query, limit, filters)

    def hybrid(
        self,
        query: str,
        limit: int | None,
        filters: Filters | None,
        *,
        embedder: Embedder | None,
        depth: int,
    ) -> Flow[Ranking]:
        """Search by words and by meaning, and fuse what both find."""
        return reading.hybrid(self._collection, query, limit, filters, embedder=embedder, depth=depth)

    def search(self, query: VectorQuery) -> Flow[list[tuple[Hashable, float]]]:
        """Search as a `VectorIndex`."""
        asked = as_vector_query(query)
        ranking = yield from self.vector(asked.vector, asked.limit, asked.filters)
        return [(hit.id, float(hit.score)) for hit in ranking if hit.score is not None]
