"""What only the SQLite store does when it searches: the matrix in memory, the plan of a query."""

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


def matrix_of(store):
    with store._pool.reading() as connection:
        return store._matrices.get(connection)


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


def test_the_matrix_can_be_read_without_a_copy_and_not_changed(store):
    vectors = matrix_of(store).vectors
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    assert not vectors.flags.writeable
    assert np.array_equal(vectors, np.eye(3))


def test_the_matrix_is_read_again_only_when_vectors_changed(store, path):
    matrix = matrix_of(store)
    store.add([rm.Document("words", "lion")])
    store.replace_source("file", "digest", [rm.Document("more words")])
    assert matrix_of(store) is matrix
    for change in (
        lambda other: other.add([rm.Document("v")], vectors=[[1.0, 1.0, 1.0]]),
        lambda other: other.add([rm.Document("v")], vectors=[[2.0, 1.0, 1.0]]),
        lambda other: other.delete(["v"]),
        lambda other: other.add([rm.Document(0)]),  # without its vector
    ):
        with rm.SqliteStore(path) as other:  # as another process would
            change(other)
        after = matrix_of(store)
        assert after is not matrix
        matrix = after
    assert len(matrix.positions) == 2


def test_an_older_transaction_sees_its_own_vectors_and_spoils_nothing(store):
    with store._pool.reading() as old:
        store.add([rm.Document("v")], vectors=[[1.0, 1.0, 1.0]])
        newer = matrix_of(store)
        assert len(newer.positions) == 4
        assert len(store._matrices.get(old).positions) == 3
    assert matrix_of(store) is newer


def test_closing_lets_the_matrix_go(store):
    matrix_of(store)
    store.close()
    assert store._matrices._matrix is None


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
