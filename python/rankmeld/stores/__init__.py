"""Stores that keep documents and search them."""

from __future__ import annotations

from rankmeld.stores.sqlite import SqliteStore

__all__ = ["SqliteStore"]
