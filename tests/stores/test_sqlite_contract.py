"""The contract of stores, kept by `SqliteStore` in a file and in memory."""

from __future__ import annotations

import rankmeld as rm
from stores.document_contract import DocumentContract
from stores.search_contract import SearchContract
from stores.source_contract import SourceContract


class TestFile(DocumentContract, SearchContract, SourceContract):
    """A file."""

    def make_store(self, tmp_path):
        return rm.SqliteStore(tmp_path / "store.db")


class TestMemory(DocumentContract, SearchContract, SourceContract):
    """A private store."""

    def make_store(self, _tmp_path):
        return rm.SqliteStore(":memory:")
