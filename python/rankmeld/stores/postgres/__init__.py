"""A store in PostgreSQL: documents, full-text search and vectors in a database that the team runs already."""

from __future__ import annotations

from rankmeld.stores.postgres.asynchronous import AsyncPostgresStore
from rankmeld.stores.postgres.store import PostgresStore

__all__ = ["AsyncPostgresStore", "PostgresStore"]
