"""The contract of stores, kept by both stores in PostgreSQL."""

from __future__ import annotations

import itertools

import pytest

import rankmeld as rm
from stores.awaited import Awaited
from stores.document_contract import DocumentContract
from stores.search_contract import SearchContract
from stores.source_contract import SourceContract

_NUMBERS = itertools.count()


class InSchema(DocumentContract, SearchContract, SourceContract):
    """Each store has a schema of its own."""

    @pytest.fixture(autouse=True)
    def _server(self, postgres):
        self.conninfo = postgres.conninfo()
        self.schema = f"contract{next(_NUMBERS)}"


class TestWaiting(InSchema):
    """`PostgresStore`."""

    def make_store(self, _tmp_path):
        return rm.PostgresStore(self.conninfo, schema=self.schema)


class TestAwaiting(InSchema):
    """`AsyncPostgresStore`."""

    def make_store(self, _tmp_path):
        return Awaited(lambda: rm.AsyncPostgresStore(self.conninfo, schema=self.schema).open())
