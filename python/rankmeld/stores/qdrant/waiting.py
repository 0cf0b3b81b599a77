"""The store in Qdrant, for those who wait."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, TypeVar

from rankmeld._asking import Flow, drive
from rankmeld.document import Document
from rankmeld.ranking import Ranking
from rankmeld.stores.qdrant.opening import opened
from rankmeld.stores.writing import Progress
from rankmeld.types import Embedder, Filters, IndexCapabilities, VectorQuery

__all__ = ["QdrantStore"]

T = TypeVar("T")


class QdrantStore:
    """Documents in a collection of Qdrant, searched by words and by vectors.

    Vectors are compared exactly, and with the same scores, to the bit, as `SqliteStore` has for the same
    vectors. Words are searched by BM25: Qdrant weighs sparse vectors by the rarity of words in the whole
    collection (its IDF modifier), and this store makes them; accents are ignored, words are stemmed.

    Parameters
    ----------
    client : qdrant_client.QdrantClient
        Of a server (1.18 or newer), or Qdrant's local mode. Its address, key and timeout are its own; the
        store does not close it.
    collection : str
        The collection, which is made when the first document is added. One that something else made is
        refused.
    exact : bool, default True
        Whether every vector is compared. ``False`` searches Qdrant's HNSW index: faster from some ten
        thousand documents on, and may miss some; what it finds has exact scores.
    language : str or None, default "english"
        Whose endings are taken off words: a language of `rankmeld.text.SNOWBALL_LANGUAGES`, ``"light"``,
        or ``None`` for words as they are. Fixed when the collection is made.
    average_length : float, default 256.0
        Words of a document that BM25 takes for neither long nor short; fixed when the collection is made.

    Raises
    ------
    MissingExtraError
        qdrant-client is not installed: ``pip install "rankmeld[qdrant]"``.
    TypeError, InvalidArgumentError
        An argument is of the wrong kind, or empty.

    See Also
    --------
    AsyncQdrantStore : the same, awaited.

    Notes
    -----
    Nothing is asked before the first call; then each method raises `StoreError` where the server cannot be
    reached, refuses, or has a collection that is not one of this package.

    Qdrant has no transactions. Everything is checked and embedded before the first write; then documents go
    in batches of up to 256, each of which is written as a whole, and waited for. Where the server fails
    midway the earlier batches stay, and adding the same documents again completes them.
    Two programs that add at the same moment may be given the same place in the order of adding.

    A point's payload has the document (``title``, ``topic``, ``text``, ``record``), ``attributes`` and
    ``created`` for filters, and ``vector``, the vector as it was given, since Qdrant normalizes its own.
    Ids, metadata and filters are those of `SqliteStore`.

    Examples
    --------
    >>> from qdrant_client import QdrantClient
    >>> from rankmeld import Document, QdrantStore
    >>> store = QdrantStore(QdrantClient(":memory:"), "handbook")
    >>> store.add(
    ...     [
    ...         Document("a", "Fusion joins rankings."),
    ...         Document("b", "A cache forgets.", metadata={"type": "note"}),
    ...     ],
    ...     vectors=[[1.0, 0.0], [0.6, 0.8]],
    ... )
    2
    >>> store.lexical("joined ranking", limit=1).ids
    ['a']
    >>> store.vector([1.0, 0.0], limit=2, filters={"type": "note"}).ids
    ['b']
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
            awaited=False,
        )

    def __repr__(self) -> str:
        return f"QdrantStore({self._operations.name!r})"

    @property
    def path(self) -> str:
        """The name of the collection."""
        return self._operations.name

    @property
    def model(self) -> str | None:
        """Name of the model that made the vectors; ``None`` without vectors, or if it was not told."""
        return _driven(self._operations.label()).model

    @property
    def dimensions(self) -> int | None:
        """Width of the vectors; ``None`` for a store without vectors."""
        return _driven(self._operations.label()).dimensions

    def add(
        self,
        documents: Iterable[Document],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> int:
        """Add documents, in place of those with the same ids.

        Parameters
        ----------
        documents, vectors, embedder
            As `SqliteStore.add` takes them.
        progress : callable, optional
            ``progress(done, total)``, in documents: embedded, or written if nothing is to be embedded.
            ``done`` equals ``total`` once, at the end. What it raises ends the call; what is written stays.

        Returns
        -------
        int
            How many documents were written.

        Raises
        ------
        TypeError, InvalidArgumentError
            As `SqliteStore.add`; then nothing is written.
        """
        return _driven(self._operations.add(documents, vectors, embedder, progress))

    def delete(self, ids: Iterable[Hashable]) -> int:
        """Delete documents; gives how many of these ids there were."""
        return _driven(self._operations.delete(ids))

    def get(self, id: Hashable, /) -> Document | None:
        """Give a document; ``None`` if the store does not have it."""
        return _driven(self._operations.get(id))

    def get_many(self, ids: Iterable[Hashable], /) -> dict[Hashable, Document]:
        """Give several documents at once, by id, in the order asked, without those that are not there."""
        return _driven(self._operations.get_many(ids))

    def __contains__(self, id: Hashable) -> bool:
        return self.get(id) is not None

    def __len__(self) -> int:
        return _driven(self._operations.count())

    def lexical(self, query: str, *, limit: int | None, filters: Filters | None = None) -> Ranking:
        """Search by words, as `SqliteStore.lexical` does.

        Scores are BM25 (k1 1.2, b 0.75) in float32, above 0. They are not those of `SqliteStore`: a word
        that most documents have still counts a little, and `average_length` is fixed.
        """
        return _driven(self._operations.lexical(query, limit, filters))

    def vector(self, query_vector: Any, *, limit: int | None, filters: Filters | None = None) -> Ranking:
        """Search by the vector of a query, as `SqliteStore.vector` does, with the same scores.

        Raises
        ------
        InvalidArgumentError
            The vector is not finite or not as wide as the store's.

        Notes
        -----
        Qdrant is asked for 64 candidates more than `limit`, and for four times as many again as long as its
        rounding leaves open whether a better document, or one as good and added before, lies beyond.
        """
        return _driven(self._operations.vector(query_vector, limit, filters))

    def hybrid(
        self,
        query: str,
        *,
        embedder: Embedder | None,
        limit: int | None,
        filters: Filters | None = None,
        depth: int = 1000,
    ) -> Ranking:
        """Search by words and by meaning, and fuse what both find, as `SqliteStore.hybrid` does."""
        return _driven(self._operations.hybrid(query, limit, filters, embedder=embedder, depth=depth))

    def capabilities(self) -> IndexCapabilities:
        """Filters are applied before the search."""
        return IndexCapabilities(filtering="pre")

    def search(self, query: VectorQuery, /) -> list[tuple[Hashable, float]]:
        """Search as a `VectorIndex`: ids and scores, best first."""
        return _driven(self._operations.search(query))


def _driven(flow: Flow[T]) -> T:
    return drive(flow, "use AsyncQdrantStore")
