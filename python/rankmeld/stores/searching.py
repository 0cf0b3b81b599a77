"""Searching a store: by words, by vector, and by both."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Sequence
from typing import Any

from rankmeld._options import as_limit
from rankmeld.ranking import Ranking
from rankmeld.stores import reading, writing
from rankmeld.stores.arguments import as_query, as_vector_query, check_embedder
from rankmeld.stores.filters import Condition, conditions
from rankmeld.stores.fusing import Lookups, Scored, as_depth, fused, leg, ranked
from rankmeld.stores.held import positions_where
from rankmeld.stores.labels import check_model, check_width
from rankmeld.stores.matrix import Floats, as_query_vector
from rankmeld.stores.opened import OpenedStore
from rankmeld.stores.query_text import query_terms
from rankmeld.text import clean_text
from rankmeld.types import Embedder, Filters, IndexCapabilities, VectorQuery

__all__ = ["SearchableStore"]


class SearchableStore(OpenedStore):
    """A store that is open and can be searched."""

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
            With documents and BM25 scores (k1 1.2, b 0.75, above 0), best first; equal scores in the
            order in which the documents were added. Empty for a query without a word.

        Notes
        -----
        A word that half of the documents have or more tells nothing: it lets a document match, and
        adds next to nothing to its score. Rarity is counted over the whole store, whatever the filters.

        SQLite weighs each document that has any of the words, in one to two microseconds: with the common
        words of a sentence, most documents of the store.
        """
        as_query(query)
        wanted, found = as_limit(limit), conditions(filters)
        with self._pool.reading() as connection:
            scored = reading.lexical(connection, query, found, wanted)
            return _looked_up(connection, ranked(scored, "lexical"))

    def vector(self, query_vector: Any, *, limit: int | None, filters: Filters | None = None) -> Ranking:
        """Search by the vector of a query: exact cosine with every document's.

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
            documents were added. Documents without a vector are not found.

        Raises
        ------
        InvalidArgumentError
            The vector is not finite or not as wide as the store's.

        Notes
        -----
        The vectors are held in memory, in five bytes for each number, by all threads together; after a
        change those that changed are read, and no others. A search goes through all N vectors in one
        byte for each number, which bounds each cosine, and takes the exact cosines of those that may be
        among the best: the same bits as those of all. Where very many are as good as the last, or the limit
        is not far below N, it takes all of them. Filters make N smaller.
        """
        vector = as_query_vector(query_vector)
        wanted, found = as_limit(limit), conditions(filters)
        with self._pool.reading() as connection:
            scored = self._nearest(connection, vector, found, wanted)
            return _looked_up(connection, ranked(scored, "vector"))

    def capabilities(self) -> IndexCapabilities:
        """Filters are applied before the search."""
        return IndexCapabilities(filtering="pre")

    def search(self, query: VectorQuery, /) -> list[tuple[Hashable, float]]:
        """Search as a `VectorIndex`.

        Parameters
        ----------
        query : VectorQuery
            Vector, limit and filters, as in `vector`.

        Returns
        -------
        list of (id, score)
            Best first.
        """
        asked = as_vector_query(query)
        ranking = self.vector(asked.vector, limit=asked.limit, filters=asked.filters)
        return [(hit.id, float(hit.score)) for hit in ranking if hit.score is not None]

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
            How many candidates each leg brings. It does not follow `limit`: the first hits of a
            larger request are those of a smaller one.

        Returns
        -------
        Ranking
            With documents and fused scores, best first; ``explain`` tells where each hit came from.
            Empty for a query without a word.

        Raises
        ------
        InvalidArgumentError
            The embedder is not the one that made the store's vectors.

        Examples
        --------
        >>> from rankmeld import Document, SqliteStore
        >>> from rankmeld.embed import CallableEmbedder
        >>> embedder = CallableEmbedder(
        ...     lambda texts: [[1.0, float("fusion" in text)] for text in texts], model="toy"
        ... )
        >>> store = SqliteStore(":memory:")
        >>> store.add([Document(1, "rank fusion"), Document(2, "a rank")], embedder=embedder)
        2
        >>> ranking = store.hybrid("fusion of ranks", embedder=embedder, limit=2)
        >>> ranking.ids
        [1, 2]
        >>> [credit.name for credit in ranking.explain(1).sources]
        ['lexical', 'vector']
        >>> store.close()
        """
        as_query(query)
        wanted, found, candidates = as_limit(limit), conditions(filters), as_depth(depth)
        vector = None if embedder is None else self._embed_query(query, check_embedder(embedder))
        with self._pool.reading() as connection:  # one transaction: both legs see the same documents
            legs = [leg("lexical", reading.lexical(connection, query, found, candidates))]
            if vector is not None:
                legs.append(leg("vector", self._nearest(connection, vector, found, candidates)))
            return _looked_up(connection, fused(legs, wanted))

    def _embed_query(self, query: str, embedder: Embedder) -> Floats | None:
        """The query's vector; ``None`` where there is nothing that it could find."""
        with self._pool.reading() as connection:
            label = writing.label(connection)
        if label.dimensions is None or not query_terms(query):
            return None
        check_model(label, embedder, self._shown)
        return as_query_vector(embedder.embed_query(clean_text(query)))

    def _nearest(
        self, connection: sqlite3.Connection, vector: Floats, found: Sequence[Condition], limit: int | None
    ) -> list[Scored]:
        table = self._held.get(connection)
        if table is None:
            return []
        if table.width != len(vector):
            check_width(writing.label(connection), vector)
        return reading.nearest(table, vector, positions_where(connection, found), limit)


def _looked_up(connection: sqlite3.Connection, lookups: Lookups) -> Ranking:
    positions = next(lookups)
    while True:
        try:
            positions = lookups.send(reading.by_position(connection, positions))
        except StopIteration as end:
            ranking: Ranking = end.value
            return ranking
