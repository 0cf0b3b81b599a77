"""A store in PostgreSQL, for those who wait."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rankmeld._asking import Flow, drive
from rankmeld.document import Document
from rankmeld.ranking import Ranking
from rankmeld.stores.postgres.opening import Opening
from rankmeld.types import Embedder, Filters, IndexCapabilities, VectorQuery

if TYPE_CHECKING:
    from rankmeld.stores.postgres.operations import Progress

__all__ = ["PostgresStore"]

T = TypeVar("T")

#: For the message where an embedder has to be awaited.
_INSTEAD = "AsyncPostgresStore awaits it"


class PostgresStore(Opening):
    """Documents in PostgreSQL, searched by words and by vectors (pgvector).

    The face of `SqliteStore`: what goes in comes back, filters mean the same, and the same vectors give the
    same ranking with the same scores. Any number of threads and processes may use a store; those who write to
    one go one after the other, and those who read never wait.

    Parameters
    ----------
    conninfo : str or psycopg_pool.ConnectionPool
        ``"postgresql://user@host:5432/database"`` or ``"host=... dbname=..."``, for which a pool is made and
        closed with the store; or a pool of your own, which stays open. Passwords are best kept in
        ``~/.pgpass`` or ``PGPASSWORD``, which libpq reads. No message or repr shows one.
    schema : str, default "rankmeld"
        The schema of the tables; made if it is not there. Several stores live in one database, each
        in its schema or under its prefix.
    prefix : str, default ""
        Begins the names of the tables.
    language : str, optional
        Whose endings are taken off words, one of `rankmeld.text.SNOWBALL_LANGUAGES` or ``"light"``.
        Fixed when the store is made; ``"english"`` if not given then.
    exact : bool, default True
        Compare a query with every vector. ``False``: through the index of `create_index`, where there is one,
        which may miss some of the nearest.
    ef_search : int, default 100
        Candidates that the index keeps in hand, 1..1000: more miss less and take longer.
    read_only : bool, default False
        Neither make nor change tables; the right to SELECT is enough.
    pool_size : int, default 4
        Connections at the most, where a connection string was given.
    timeout : float, default 30.0
        Seconds to wait for a connection.
    statement_timeout : float, optional
        Seconds after which the server stops a statement; not given: as the server is configured.
    lock_timeout : float, default 60.0
        Seconds to wait for another writer.

    Raises
    ------
    MissingExtraError
        psycopg, its pool or pgvector's package is not installed (``pip install "rankmeld[postgres]"``).
    StoreError
        The server cannot be reached or refuses the user, the database has no pgvector and the user may not
        put it there, or a newer rankmeld made the store. Every other method raises it as well where
        the server fails; nothing was changed then.
    TypeError, InvalidArgumentError
        An option is of the wrong kind or out of range.

    Notes
    -----
    Words are cut, stemmed and folded by rankmeld, kept as a ``tsvector`` under a GIN index, and ranked by
    BM25 (k1 1.2, b 0.75, the idf of `bm25_scores`) computed in the server. A word counts up to 255 times in a
    document, and places beyond the 16,383rd word of one count as one.

    An exact vector search lets pgvector, which computes in float32, choose candidates with a margin
    that its rounding cannot exceed, and scores those as `rankmeld.cosine_scores` does: no neighbour is
    missed, and scores have the same bits as those of `SqliteStore`.

    A connection cannot be carried into a forked process: the child's calls are StoreErrors, and it
    opens the store for itself.

    Ids, metadata and filters are as `SqliteStore` describes them. PostgreSQL holds no NUL in a text: the
    columns have U+FFFD there, and the document comes back with it.

    Examples
    --------
    >>> from rankmeld import Document, PostgresStore
    >>> with PostgresStore("postgresql://localhost/app") as store:  # doctest: +SKIP
    ...     store.add([Document("a", "Reciprocal rank fusion joins rankings.")])
    ...     store.lexical("joining a ranking", limit=1).ids
    1
    ['a']
    """

    _connections_name = "Connections"

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
        try:
            self._wait(self._operations.open())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the store; a pool of your own stays open.

        Closing twice is no error; any other call on a closed store is a `StoreError`.
        """
        self._wait(self._operations.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # --- changing -------------------------------------------------------------------------------

    def add(
        self,
        documents: Iterable[Document],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> int:
        """Add documents, in place of those with the same ids; all of them or, on an error, none.

        Parameters
        ----------
        documents : iterable of Document
            Of several with one id, the last counts.
        vectors : array of shape (N, D) or list of N vectors, optional
            The documents' vectors, in order; kept as float32. D is 16,000 at the most.
        embedder : Embedder, optional
            Makes the vectors of the documents' passages. With `vectors`, it is only asked for its
            name. With neither, the documents are found by words alone.
        progress : callable, optional
            ``progress(done, total)``, in documents: embedded, or written if nothing is to be
            embedded. ``done`` equals ``total`` once, after the commit. An exception that it
            raises undoes the whole call.

        Returns
        -------
        int
            How many documents were written.

        Raises
        ------
        TypeError
            Something that is no Document, or an id or a value that cannot be stored.
        InvalidArgumentError
            Vectors that are not finite, not as many as documents, or not of the width and model of
            those that the store has. The message names the document.
        """
        return self._wait(self._operations.add(documents, vectors, embedder, progress))

    def delete(self, ids: Iterable[Hashable]) -> int:
        """Delete documents, and give how many there were; ids that the store does not have are no error."""
        return self._wait(self._operations.delete(ids))

    # --- looking --------------------------------------------------------------------------------

    def get(self, id: Hashable, /) -> Document | None:
        """Give a document, or ``None`` if the store does not have it."""
        return self._wait(self._operations.get(id))

    def get_many(self, ids: Iterable[Hashable], /) -> dict[Hashable, Document]:
        """Give several documents by their ids, in the order asked; those that are missing are left out."""
        return self._wait(self._operations.get_many(ids))

    def __contains__(self, id: Hashable) -> bool:
        return self.get(id) is not None

    def __len__(self) -> int:
        return self._wait(self._operations.state()).documents

    @property
    def model(self) -> str | None:
        """Name of the model that made the vectors; ``None`` without vectors, or if it was not told."""
        return self._wait(self._operations.state()).label.model

    @property
    def dimensions(self) -> int | None:
        """Width of the vectors; ``None`` for a store without vectors."""
        return self._wait(self._operations.state()).label.dimensions

    # --- searching ------------------------------------------------------------------------------

    def lexical(self, query: str, *, limit: int | None, filters: Filters | None = None) -> Ranking:
        """Search by words.

        Parameters
        ----------
        query : str
            Any text; every word counts, none is an operator. A document matches if it has any of
            the words.
        limit : int or None
            How many hits at the most; ``None`` for all.
        filters : Mapping[str, Any], optional
            Conditions on the documents, see `SqliteStore`.

        Returns
        -------
        Ranking
            With documents and BM25 scores (above 0), best first; equal scores in the order in which the
            documents were added. Empty for a query without a word.

        Notes
        -----
        Rarity is counted over the whole store, whatever the filters.
        """
        return self._wait(self._operations.lexical(query, limit, filters))

    def vector(self, query_vector: Any, *, limit: int | None, filters: Filters | None = None) -> Ranking:
        """Search by the vector of a query.

        Parameters
        ----------
        query_vector : array of shape (D,)
            Made by the model that made the store's vectors; any length.
        limit : int or None
            How many hits at the most; ``None`` for all.
        filters : Mapping[str, Any], optional
            Conditions on the documents, see `SqliteStore`.

        Returns
        -------
        Ranking
            With documents and cosines, best first; equal scores in the order in which the
            documents were added. Documents without a vector are not found. With ``exact=False`` some of the
            nearest may be missed, but never does a search come back with fewer hits than there are.

        Raises
        ------
        InvalidArgumentError
            The vector is not finite or not as wide as the store's.
        """
        return self._wait(self._operations.vector(query_vector, limit, filters))

    def capabilities(self) -> IndexCapabilities:
        """Filters are applied before the search."""
        return IndexCapabilities(filtering="pre")

    def search(self, query: VectorQuery, /) -> list[tuple[Hashable, float]]:
        """Search as a `VectorIndex`: ids and cosines, best first."""
        return self._wait(self._operations.search(query))

    def hybrid(
        self,
        query: str,
        *,
        embedder: Embedder | None,
        limit: int | None,
        filters: Filters | None = None,
        depth: int = 1000,
    ) -> Ranking:
        """Search by words and by meaning, and fuse what both find.

        The legs ``"lexical"`` and ``"vector"`` bring their best candidates, which are fused by
        reciprocal rank (`rankmeld.rrf`), and hits of the same text are dropped (`rankmeld.dedup`).

        Parameters
        ----------
        query : str
            Any text.
        embedder : Embedder or None
            Embeds the query; the one that embedded the documents. ``None``: words alone. A store
            without vectors is searched by words alone as well.
        limit : int or None
            How many hits at the most; ``None`` for all.
        filters : Mapping[str, Any], optional
            Conditions on the documents, see `SqliteStore`.
        depth : int, default 1000
            How many candidates each leg brings, whatever the limit.

        Returns
        -------
        Ranking
            With documents and fused scores, best first; ``explain`` tells where each hit came from.
            Empty for a query without a word.

        Raises
        ------
        InvalidArgumentError
            The embedder is not the one that made the store's vectors.
        """
        return self._wait(self._operations.hybrid(query, embedder, limit, filters, depth))

    # --- indexes --------------------------------------------------------------------------------

    def create_index(self, *, m: int = 16, ef_construction: int = 64) -> bool:
        """Make an index over the vectors (HNSW [1]_), for a store that is opened with ``exact=False``.

        Others go on reading and writing meanwhile (``CREATE INDEX CONCURRENTLY``). It takes in what is added
        later. After all documents were replaced by those of another width, make it again.

        Parameters
        ----------
        m : int, default 16
            Links of a vector, 2..100.
        ef_construction : int, default 64
            Candidates for them, 4..1000, twice `m` or more.

        Returns
        -------
        bool
            False if there was such an index already.

        Raises
        ------
        StoreError
            The store has no vectors, or making it failed.
        InvalidArgumentError
            A parameter is out of range, or the vectors have more than 4,000 dimensions. (Above 2,000 the
            index has them with half of the precision.)

        References
        ----------
        .. [1] Y. Malkov, D. Yashunin, "Efficient and Robust Approximate Nearest Neighbor Search Using
           Hierarchical Navigable Small World Graphs", IEEE TPAMI 42(4), 2020.
        """
        return self._wait(self._operations.create_index(m, ef_construction))

    def drop_index(self) -> bool:
        """Drop the index over vectors, and give whether there was one."""
        return self._wait(self._operations.drop_index())

    # --- sources: files that were indexed -------------------------------------------------------

    def sources(self) -> dict[str, str]:
        """Give the registered sources: from each path to its digest, in the order of their last writing."""
        return self._wait(self._operations.sources())

    def source_digest(self, path: str | os.PathLike[str]) -> str | None:
        """Give the digest under which a source was registered; ``None`` if it is not."""
        return self._wait(self._operations.source_digest(path))

    def replace_source(
        self,
        path: str | os.PathLike[str],
        digest: str,
        documents: Iterable[Document],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
    ) -> int:
        """Register a source with its documents, in place of those that it had; all or nothing.

        Parameters
        ----------
        path : str or os.PathLike
            Names the source.
        digest : str
            Tells later whether the source has changed.
        documents, vectors, embedder
            As in `add`. A document that was added otherwise under one of these ids now belongs to
            this source.

        Returns
        -------
        int
            How many documents were written.
        """
        return self._wait(self._operations.replace_source(path, digest, documents, vectors, embedder))

    def remove_source(self, path: str | os.PathLike[str]) -> int:
        """Forget a source and delete its documents, and give how many those were."""
        return self._wait(self._operations.remove_source(path))

    @staticmethod
    def _wait(flow: Flow[T]) -> T:
        return drive(flow, _INSTEAD)
