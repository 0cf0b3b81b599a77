"""What only the SQLite store does when it searches: how it keeps vectors, the plan of a query."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

import numpy as np
import pytest

import rankmeld as rm


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def store(path):
    with rm.SqliteStore(path) as store:
        store.add([rm.Document(i, "zebra") for i in range(3)], vectors=np.eye(3))
        yield store


def test_vectors_are_little_endian_float32_in_the_file(store, path):
    store.add([rm.Document("v")], vectors=[[1.0, -2.0, 1 / 3]])
    with closing(sqlite3.connect(path)) as connection:
        (blob,) = connection.execute("SELECT vector FROM vectors ORDER BY position DESC").fetchone()
    assert blob == np.array([1.0, -2.0, 1 / 3], "<f4").tobytes()


def test_long_metadata_is_kept_once_and_found_by_its_digest(store, path):
    long = "metadata " * 10_000
    store.add([rm.Document("long", "lion", metadata={"abstract": long})])
    assert store.lexical("lion", limit=1, filters={"metadata.abstract": long}).ids == ["long"]
    with closing(sqlite3.connect(path)) as connection:
        (longest,) = connection.execute("SELECT max(length(value)) FROM attributes").fetchone()
    assert longest < 300


def test_a_filter_does_not_ask_the_index_once_for_each_document():
    """Where SQLite does so, the filtered search takes hundreds of times as long."""
    with rm.SqliteStore(":memory:") as store:
        words = " ".join(f"w{i}" for i in range(40))
        store.add(rm.Document(i, words, metadata={"project": i % 2}) for i in range(3000))

        def cost(filters):
            start = time.process_time()
            assert len(store.lexical(words, limit=10, filters=filters)) == 10
            return time.process_time() - start

        assert min(cost({"project": 1}) for _ in range(3)) < 10 * min(cost(None) for _ in range(3))
