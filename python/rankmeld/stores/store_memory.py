"""Any store as the memory of a retrieval engine."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Hashable
from typing import Any, SupportsIndex

import numpy as np

from rankmeld._asking import Ask, Flow, adrive, drive
from rankmeld._filters import read_filters
from rankmeld._options import as_integer
from rankmeld.embedding_cache import QueryEmbeddingCache
from rankmeld.errors import InvalidArgumentError, InvalidScoreError
from rankmeld.ranking import Ranking
from rankmeld.stores.arguments import as_query, check_embedder
from rankmeld.stores.labels import Label, check_model, check_width
from rankmeld.stores.matrix import Floats, as_query_vector
from rankmeld.stores.query_text import query_terms
from rankmeld.text import clean_text
from rankmeld.types import Embedder, Filters

__all__ = ["StoreMemory"]

#: The filter that a user becomes.
_USER = "metadata.user_id"


class StoreMemory:
    """The documents of a store as an engine's memory: candidates for a query, with scores that compare.

    With an embedder the store is searched by vector, and scores are cosines. Without one, or where the
    store has no vectors, it is searched by words, and a BM25 score ``x`` becomes ``x / (1 + x)``: it
    depends on no other hit, so scores of several queries compare, and 0.7 is a BM25 of 2.33.

    Parameters
    ----------
    store : SqliteStore or any object
        Has ``vector(query_vector, limit=, filters=)`` or ``lexical(query, limit=, filters=)`` or both, plain
        or asynchronous, that give rankings with documents. ``model`` and ``dimensions``, where it has
        them (as attributes, or as methods, which may be asynchronous), tell what its vectors are.
    embedder : Embedder or None
        Embeds the query; the one that embedded the documents. ``None``: words alone.
    filters : Mapping[str, Any], optional
        Conditions on the documents of every search, as `SqliteStore` takes them.
    query_cache : QueryEmbeddingCache, optional
        Keeps the vectors of queries, so that one asked twice is embedded once.

    Raises
    ------
    TypeError
        The store cannot be searched in this way, or an argument is of the wrong kind.
    InvalidArgumentError
        A filter is not allowed.

    Examples
    --------
    >>> from rankmeld import Document, SqliteStore, StoreMemory
    >>> store = SqliteStore(":memory:")
    >>> store.add([
    ...     Document(1, "The cache forgets.", metadata={"user_id": "ann"}),
    ...     Document(2, "The cache is full.", metadata={"user_id": "bob"}),
    ...     Document(3, "Rankings are fused.", metadata={"user_id": "ann"}),
    ... ])
    3
    >>> memory = StoreMemory(store, None)
    >>> memory.search_candidates("cache", user_id="bob", top_k=5).ids
    [2]
    >>> store.close()
    """

    def __init__(
        self,
        store: Any,
        embedder: Embedder | None,
        *,
        filters: Filters | None = None,
        query_cache: QueryEmbeddingCache | None = None,
    ) -> None:
        if isinstance(store, type):
            raise TypeError(f"store is the class {store.__name__}; pass one of its objects")
        self._vector: Any = getattr(store, "vector", None)
        self._lexical: Any = getattr(store, "lexical", None)
        if not callable(self._vector) and not callable(self._lexical):
            raise TypeError(
                f"store must have a method `vector` or `lexical`, and {type(store).__name__} has neither"
            )
        if embedder is None and not callable(self._lexical):
            raise TypeError(
                f"embedder is None, so the store is searched by words, and {type(store).__name__} has no "
                "method `lexical`; pass the embedder of its documents"
            )
        self._embedder = None if embedder is None else check_embedder(embedder)
        if query_cache is not None and not isinstance(query_cache, QueryEmbeddingCache):
            raise TypeError(
                f"query_cache must be a QueryEmbeddingCache or None, not {type(query_cache).__name__}"
            )
        self._query_cache = query_cache
        read_filters(filters)
        self._filters = None if filters is None else dict(filters)
        self._store = store
        self._asynchronous = any(
            inspect.iscoroutinefunction(search) for search in (self._vector, self._lexical)
        )

    def search_candidates(
        self, query: str, *, user_id: Hashable | None = None, top_k: SupportsIndex = 20
    ) -> Any:
        """Find what may answer a query.

        Parameters
        ----------
        query : str
            Any text.
        user_id : Hashable, optional
            Only documents whose ``metadata["user_id"]`` is this one, compared as strings; ``""`` is a user
            like any other. ``None``: everybody's.
        top_k : int, default 20
            How many candidates at the most.

        Returns
        -------
        Ranking, or an awaitable of one
            With documents, best first. Empty for a query without a word. An awaitable where the
            store is asynchronous, which is what `asearch_candidates` gives.

        Raises
        ------
        InvalidArgumentError
            The embedder is not the one that made the store's vectors, by name or by width.
        """
        if self._asynchronous:
            return self.asearch_candidates(query, user_id=user_id, top_k=top_k)
        return drive(
            self._candidates(query, user_id, top_k), "write `await memory.asearch_candidates(query)`"
        )

    async def asearch_candidates(
        self, query: str, *, user_id: Hashable | None = None, top_k: SupportsIndex = 20
    ) -> Ranking:
        """As `search_candidates`, for tasks: what is not asynchronous runs in worker threads."""
        return await adrive(self._candidates(query, user_id, top_k))

    def _candidates(self, query: str, user_id: Hashable | None, top_k: SupportsIndex) -> Flow[Ranking]:
        query, limit, filters = as_query(query), _as_top_k(top_k), self._conditions(user_id)
        if limit == 0 or not query_terms(query):
            return Ranking(())
        vector = yield from self._embedded(query)
        name, search = ("lexical", self._lexical) if vector is None else ("vector", self._vector)
        asked = functools.partial(search, limit=limit, filters=filters)
        answer = yield Ask(f"store.{name}", asked, (query if vector is None else vector,))
        found = _read(f"store.{name}", answer, limit)
        return _saturated(found) if vector is None else found

    def _conditions(self, user_id: Hashable | None) -> dict[str, Any] | None:
        if user_id is None:
            return self._filters
        if self._filters is not None and _USER in self._filters:
            raise InvalidArgumentError(
                f"user_id is {user_id!r}, and filters has {_USER!r} as well; give one of them"
            )
        # In a list, what alone would set no condition (""), or several (a tuple), stands for itself.
        alone = user_id if isinstance(user_id, str) and user_id else None
        given = {**(self._filters or {}), _USER: [user_id] if alone is None else alone}
        read_filters(given)
        return given

    def _embedded(self, query: str) -> Flow[Floats | None]:
        """The query's vector; ``None`` where words have to do."""
        embedder = self._embedder
        if embedder is None or not callable(self._vector):
            return None
        known = yield from self._label()
        if known is not None:
            if known.dimensions is None and callable(self._lexical):
                return None
            check_model(known, embedder, str(getattr(self._store, "path", type(self._store).__name__)))
        awaited = None if self._awaited_embed() is None else self._aembed
        vector = as_query_vector((yield Ask("embedder.embed_query", self._embed, (query,), awaited)))
        if known is not None:
            check_width(known, vector)
        return vector

    def _embed(self, query: str) -> Any:
        embedder, text = self._embedder, clean_text(query)
        assert embedder is not None  # noqa: S101 - asked above
        if self._query_cache is None or inspect.iscoroutinefunction(embedder.embed_query):
            return embedder.embed_query(text)
        return self._query_cache.embed(embedder.model, text, embedder.embed_query)

    async def _aembed(self, query: str) -> Any:
        embedder, text, embed = self._embedder, clean_text(query), self._awaited_embed()
        assert embedder is not None  # noqa: S101 - asked above
        assert embed is not None  # noqa: S101 - asked above
        if self._query_cache is None:
            return await embed(text)
        return await self._query_cache.aembed(embedder.model, text, embed)

    def _awaited_embed(self) -> Any:
        """What embeds a query and can be awaited; ``None`` where there is only what has to be waited for."""
        embedder: Any = self._embedder
        awaited = getattr(embedder, "aembed_query", None)
        if callable(awaited):
            return awaited
        return embedder.embed_query if inspect.iscoroutinefunction(embedder.embed_query) else None

    def _label(self) -> Flow[Label | None]:
        """What the store knows of its vectors; ``None`` where it does not say."""
        if inspect.getattr_static(self._store, "dimensions", None) is None:
            return None
        model = yield Ask("store.model", self._told, ("model",))
        dimensions = yield Ask("store.dimensions", self._told, ("dimensions",))
        return Label(model, dimensions)

    def _told(self, name: str) -> Any:
        """An attribute, or what a method of that name gives; it may read the store's file."""
        value = getattr(self._store, name, None)
        return value() if callable(value) else value

    def __repr__(self) -> str:
        """The parts by name."""
        embedder = None if self._embedder is None else self._embedder.model
        filters = "" if self._filters is None else f", filters={self._filters!r}"
        return f"StoreMemory({type(self._store).__name__}, {embedder!r}{filters})"


def _as_top_k(top_k: SupportsIndex) -> int:
    limit = as_integer(top_k, "top_k")
    if limit < 0:
        raise InvalidArgumentError(f"top_k is {limit}; it must be 0 or more")
    return limit


def _read(name: str, answer: Any, limit: int) -> Ranking:
    """What a store gave: a ranking of finite scores, cut to what it was asked for."""
    try:
        found = answer if isinstance(answer, Ranking) else Ranking(answer)
    except TypeError as error:
        raise TypeError(f"{name} gave no ranking: {error}") from None
    scores = found._scores
    if len(found) and (scores is None or not np.isfinite(scores).all()):
        place = 0 if scores is None else int(np.argmin(np.isfinite(scores)))
        raise InvalidScoreError(
            f"{name}, position {place}, id {found[place].id!r}: there is no finite score; an engine weighs "
            "the scores of its memory"
        )
    return found if len(found) <= limit else found[:limit]


def _saturated(found: Ranking) -> Ranking:
    """BM25 scores brought into 0..1, one by one, in the same order."""
    if not len(found):
        return found
    before = np.maximum(np.asarray(found._scores, np.float64), 0.0)
    return found._step(
        range(len(found)), before / (1.0 + before), "saturated", {"score_before": before.tolist()}
    )
