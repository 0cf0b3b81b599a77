"""A store in PostgreSQL, for those who await."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rankmeld._asking import adrive
from rankmeld.document import Document
from rankmeld.ranking import Ranking
from rankmeld.stores.postgres.opening import Opening
from rankmeld.types import Embedder, Filters, IndexCapabilities, VectorQuery

if TYPE_CHECKING:
    from rankmeld.stores.postgres.operations import Progress

__all__ = ["AsyncPostgresStore"]


class AsyncPostgresStore(Opening):
    """`PostgresStore` for asynchronous code: the same store, the same answers, methods to be awaited.

    Making one connects nowhere: open it by ``async with`` or `open`. The event loop is never held up: queries
    are awaited, an embedder that is not asynchronous runs in a thread, and so does what is computed before
    documents are written. A call that is cancelled is stopped in the server too, and undone.

    Parameters
    ----------
    conninfo : str or psycopg_pool.AsyncConnectionPool
        As for `PostgresStore`.
    schema, prefix, language, exact, ef_search, read_only, pool_size, timeout, statement_timeout, lock_timeout
        As for `PostgresStore`.

    Raises
    ------
    MissingExtraError, TypeError, InvalidArgumentError
        As for `PostgresStore`; StoreError from `open` on.

    Notes
    -----
    What are properties and operators there are `model`, `dimensions`, `count` and `contains` here.

    Examples
    --------
    >>> from rankmeld import AsyncPostgresStore, Document
    >>> async def main():
    ...     async with AsyncPostgresStore("postgresql://localhost/app") as store:
    ...         await store.add([Document("a", "Reciprocal rank fusion joins rankings.")])
    ...         print((await store.lexical("joining a ranking", limit=1)).ids)
    """

    _connections_name = "AsyncConnections"

    def __init__(
        self,
        conninfo: Any,
        *,
        schema: str = "rankmeld",
        prefix: str = "",
        language: str | None = None,
        exact: bool = True,
        ef_search: int = 100,
        read_only: bool = False,
        pool_size: int = 4,
        timeout: float = 30.0,
        statement_timeout: float | None = None,
        lock_timeout: float = 60.0,
    ) -> None:
        super().__init__(
            conninfo,
            schema=schema,
            prefix=prefix,
            language=language,
            exact=exact,
            ef_search=ef_search,
            read_only=read_only,
            pool_size=pool_size,
            timeout=timeout,
            statement_timeout=statement_timeout,
            lock_timeout=lock_timeout,
        )

    async def open(self) -> Self:
        """Connect, make the tables or bring them up to date where that is needed, and give the store."""
        try:
            await adrive(self._operations.open())
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        """Close the store; a pool of your own stays open."""
        await adrive(self._operations.close())

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def add(
        self,
        documents: Iterable[Document],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> int:
        """Add documents as `PostgresStore.add`; `progress` may be called in another thread."""
        return await adrive(self._operations.add(documents, vectors, embedder, progress))

    async def delete(self, ids: Iterable[Hashable]) -> int:
        """Delete documents, and give how many there were."""
        return await adrive(self._operations.delete(ids))

    async def get(self, id: Hashable, /) -> Document | None:
        """Give a document, or ``None`` if the store does not have it."""
        return await adrive(self._operations.get(id))

    async def get_many(self, ids: Iterable[Hashable], /) -> dict[Hashable, Document]:
        """Give several documents by their ids, in the order asked; those that are missing are left out."""
        return await adrive(self._operations.get_many(ids))

    async def contains(self, id: Hashable, /) -> bool:
        """Whether the store has a document."""
        return await self.get(id) is not None

    async def count(self) -> int:
        """How many documents there are."""
        return (await adrive(self._operations.state())).documents

    async def model(self) -> str | None:
        """Name of the model that made the vectors; ``None`` without vectors, or if it was not told."""
        return (await adrive(self._operations.state())).label.model

    async def dimensions(self) -> int | None:
        """Width of the vectors; ``None`` for a store without vectors."""
        return (await adrive(self._operations.state())).label.dimensions

    async def lexical(self, query: str, *, limit: int | None, filters: Filters | None = None) -> Ranking:
        """Search by words as `PostgresStore.lexical`."""
        return await adrive(self._operations.lexical(query, limit, filters))

    async def vector(
        self, query_vector: Any, *, limit: int | None, filters: Filters | None = None
    ) -> Ranking:
        """Search by a vector as `PostgresStore.vector`."""
        return await adrive(self._operations.vector(query_vector, limit, filters))

    def capabilities(self) -> IndexCapabilities:
        """Filters are applied before the search."""
        return IndexCapabilities(filtering="pre")

    async def search(self, query: VectorQuery, /) -> list[tuple[Hashable, float]]:
        """Search as a vector index: ids and cosines, best first."""
        return await adrive(self._operations.search(query))

    async def hybrid(
        self,
        query: str,
        *,
        embedder: Embedder | None,
        limit: int | None,
        filters: Filters | None = None,
        depth: int = 1000,
    ) -> Ranking:
        """Search by words and by meaning as `PostgresStore.hybrid`; ``embed_query`` may be asynchronous."""
        return await adrive(self._operations.hybrid(query, embedder, limit, filters, depth))

    async def create_index(self, *, m: int = 16, ef_construction: int = 64) -> bool:
        """Make an index over the vectors as `PostgresStore.create_index`."""
        return await adrive(self._operations.create_index(m, ef_construction))

    async def drop_index(self) -> bool:
        """Drop the index over vectors, and give whether there was one."""
        return await adrive(self._operations.drop_index())

    async def sources(self) -> dict[str, str]:
        """Give the registered sources: from each path to its digest, in the order of their last writing."""
        return await adrive(self._operations.sources())

    async def source_digest(self, path: str | os.PathLike[str]) -> str | None:
        """Give the digest under which a source was registered; ``None`` if it is not."""
        return await adrive(self._operations.source_digest(path))

    async def replace_source(
        self,
        path: str | os.PathLike[str],
        digest: str,
        documents: Iterable[Document],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
    ) -> int:
        """Register a source with its documents as `PostgresStore.replace_source`."""
        return await adrive(self._operations.replace_source(path, digest, documents, vectors, embedder))

    async def remove_source(self, path: str | os.PathLike[str]) -> int:
        """Forget a source and delete its documents, and give how many those were."""
        return await adrive(self._operations.remove_source(path))
