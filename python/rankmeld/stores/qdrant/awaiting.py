"""The store in Qdrant, for those who await."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from rankmeld._asking import adrive
from rankmeld.document import Document
from rankmeld.ranking import Ranking
from rankmeld.stores.qdrant.opening import opened
from rankmeld.stores.writing import Progress
from rankmeld.types import Embedder, Filters, IndexCapabilities, VectorQuery

__all__ = ["AsyncQdrantStore"]


class AsyncQdrantStore:
    """`QdrantStore` for tasks: the same collections, and the same answers.

    Parameters
    ----------
    client : qdrant_client.AsyncQdrantClient
        As `QdrantStore` takes a client that waits.
    collection, exact, language, average_length
        As `QdrantStore` takes them.

    Raises
    ------
    MissingExtraError, TypeError, InvalidArgumentError
        As `QdrantStore`.

    Notes
    -----
    Embedders run in worker threads, one call at a time, and ``progress`` is called there while documents are
    embedded. A cancelled `add` leaves the batches that were written.

    Examples
    --------
    >>> import asyncio
    >>> from qdrant_client import AsyncQdrantClient
    >>> from rankmeld import AsyncQdrantStore, Document
    >>> async def main():
    ...     store = AsyncQdrantStore(AsyncQdrantClient(":memory:"), "handbook")
    ...     await store.add([Document("a", "Fusion joins rankings."), Document("b", "A cache forgets.")])
    ...     return (await store.lexical("ranking", limit=1)).ids
    >>> asyncio.run(main())
    ['a']
    """

    def __init__(
        self,
        client: Any,
        collection: str,
        *,
        exact: bool = True,
        language: str | None = "english",
        average_length: float = 256.0,
    ) -> None:
        self._operations = opened(
            client,
            collection,
            exact=exact,
            language=language,
            average_length=average_length,
            awaited=True,
        )

    def __repr__(self) -> str:
        return f"AsyncQdrantStore({self._operations.name!r})"

    @property
    def path(self) -> str:
        """The name of the collection."""
        return self._operations.name

    async def model(self) -> str | None:
        """Name of the model that made the vectors; ``None`` without vectors, or if it was not told."""
        return (await adrive(self._operations.label())).model

    async def dimensions(self) -> int | None:
        """Width of the vectors; ``None`` for a store without vectors."""
        return (await adrive(self._operations.label())).dimensions

    async def add(
        self,
        documents: Iterable[Document],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> int:
        """As `QdrantStore.add`."""
        return await adrive(self._operations.add(documents, vectors, embedder, progress))

    async def delete(self, ids: Iterable[Hashable]) -> int:
        """As `QdrantStore.delete`."""
        return await adrive(self._operations.delete(ids))

    async def get(self, id: Hashable, /) -> Document | None:
        """As `QdrantStore.get`."""
        return await adrive(self._operations.get(id))

    async def get_many(self, ids: Iterable[Hashable], /) -> dict[Hashable, Document]:
        """As `QdrantStore.get_many`."""
        return await adrive(self._operations.get_many(ids))

    async def contains(self, id: Hashable, /) -> bool:
        """Whether the store has a document of this id."""
        return await self.get(id) is not None

    async def count(self) -> int:
        """How many documents there are."""
        return await adrive(self._operations.count())

    async def lexical(self, query: str, *, limit: int | None, filters: Filters | None = None) -> Ranking:
        """As `QdrantStore.lexical`."""
        return await adrive(self._operations.lexical(query, limit, filters))

    async def vector(
        self, query_vector: Any, *, limit: int | None, filters: Filters | None = None
    ) -> Ranking:
        """As `QdrantStore.vector`."""
        return await adrive(self._operations.vector(query_vector, limit, filters))

    async def hybrid(
        self,
        query: str,
        *,
        embedder: Embedder | None,
        limit: int | None,
        filters: Filters | None = None,
        depth: int = 1000,
    ) -> Ranking:
        """As `QdrantStore.hybrid`."""
        return await adrive(self._operations.hybrid(query, limit, filters, embedder=embedder, depth=depth))

    def capabilities(self) -> IndexCapabilities:
        """Filters are applied before the search."""
        return IndexCapabilities(filtering="pre")

    async def search(self, query: VectorQuery, /) -> list[tuple[Hashable, float]]:
        """As `QdrantStore.search`."""
        return await adrive(self._operations.search(query))
