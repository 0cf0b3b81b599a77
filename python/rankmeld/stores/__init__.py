"""Stores that keep documents and search them."""

from __future__ import annotations

from rankmeld.stores.sqlite import SqliteStore
from rankmeld.stores.store_memory import StoreMemory

__all__ = ["SqliteStore", "StoreMemory"]
