"""A leg that also finds what has none of a question's words: passages linked to the things it names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rankmeld.hippo import hippo_rag
from rankmeld.search import KnowledgeGraph
from rankmeld.stores import SqliteStore
from rankmeld.types import Hit

__all__ = ["LinkedWords"]

#: The part of the hits asked for that linked passages may take from the weakest ones by words.
_LINKED_PART = 4


class LinkedWords:
    """Searches a store by words, and adds the passages of a graph that are nearest to what is named.

    "What breaks if X changes" is answered by files that never mention X: those that import what imports
    it. They have no score by words (0), so that the graph alone decides how far they rise.
    """

    def __init__(self, store: SqliteStore, graph: KnowledgeGraph) -> None:
        self._store = store
        self._graph = graph

    def search(self, query: str, *, limit: int, filters: dict[str, Any] | None) -> list[Hit]:
        """The best by words, then what is linked; with filters, words alone."""
        found = list(self._store.lexical(query, limit=limit, filters=filters))
        if filters is not None:  # what is linked is fetched by id, past all filters
            return found
        known = {hit.id for hit in found}
        linked = [id for id in self._near(query) if id not in known][: max(1, limit // _LINKED_PART)]
        documents = self._store.get_many(linked)
        added = [Hit(id, 0.0, document) for id, document in documents.items()]
        return [*found[: limit - len(added)], *added]

    def _near(self, query: str) -> Iterator[Any]:
        """Passages by what flows to them from the things that the query names."""
        (named,) = self._graph.named_in([query])
        if named:
            walk = hippo_rag(
                self._graph.nodes, self._graph.edges, passages=[], concepts=dict.fromkeys(named, 1.0)
            )
            yield from (hit.id for hit in walk.passages if hit.score)
