"""Documents in a Qdrant collection, searched by words and by vectors."""

from __future__ import annotations

from rankmeld.stores.qdrant.awaiting import AsyncQdrantStore
from rankmeld.stores.qdrant.waiting import QdrantStore

__all__ = ["AsyncQdrantStore", "QdrantStore"]
