"""The contract of stores, kept by both stores in Qdrant, in its local mode."""

from __future__ import annotations

import pytest

import rankmeld as rm
from stores.awaited import Awaited
from stores.document_contract import DocumentContract
from stores.search_contract import SearchContract

qdrant_client = pytest.importorskip("qdrant_client")


class InQdrant(DocumentContract, SearchContract):
    """What Qdrant does in its own way."""

    atomic = False  # Qdrant has no transactions: what is written in batches is seen batch by batch
    digits = 6  # it scores words in float32


class Closing(rm.QdrantStore):
    """A store with a client of its own."""

    def __init__(self):
        self.client = qdrant_client.QdrantClient(":memory:")
        super().__init__(self.client, "documents")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()


class AsyncClosing(rm.AsyncQdrantStore):
    """The same, awaited."""

    def __init__(self, client):
        self.client = client
        super().__init__(client, "documents")

    async def close(self):
        await self.client.close()

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass  # another one has the same client


class TestWaiting(InQdrant):
    """`QdrantStore`."""

    def make_store(self, _tmp_path):
        return Closing()


class TestAwaiting(InQdrant):
    """`AsyncQdrantStore`."""

    def make_store(self, _tmp_path):
        client = qdrant_client.AsyncQdrantClient(":memory:")

        async def make():
            return AsyncClosing(client)

        return Awaited(make)
