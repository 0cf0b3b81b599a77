"""Versions of the schema: older files are brought up to date, newer ones are refused."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest

import rankmeld as rm
from rankmeld.stores import files, schema


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def version(path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("PRAGMA user_version").fetchone()[0]


def fill(path):
    with rm.SqliteStore(path) as store:
        store.add([rm.Document(i, f"zebra {i}") for i in range(20)], vectors=[[1.0, i] for i in range(20)])


def shouting(connection):
    """A next step, such as a later release may bring: every text in capitals, in a column of its own."""
    connection.execute("ALTER TABLE documents ADD COLUMN loud TEXT NOT NULL DEFAULT ''")
    connection.execute("UPDATE documents SET loud = upper(text)")


def failing(connection):
    shouting(connection)
    raise rm.StoreError("the next step fails half-way")


@pytest.fixture
def next_release(monkeypatch):
    """Make the ladder one step longer, as in the next release."""

    def grow(step):
        ladder = (*schema.LADDER, step)
        monkeypatch.setattr(files, "needs_upgrade", lambda c, shown: schema.needs_upgrade(c, shown, ladder))
        monkeypatch.setattr(files, "upgrade", lambda c, shown: schema.upgrade(c, shown, ladder))

    return grow


def test_a_new_store_has_the_version_of_the_last_step(path):
    fill(path)
    assert version(path) == len(schema.LADDER)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    with rm.SqliteStore(path) as store:
        assert len(store) == 0
        store.add([rm.Document(1)])
    assert version(path) == len(schema.LADDER)


def test_an_empty_file_is_not_changed_by_reading(path):
    path.touch()
    with pytest.raises(
        rm.StoreError, match="is empty or has an older schema, and read_only=True changes nothing"
    ):
        rm.SqliteStore(path, read_only=True)
    assert path.read_bytes() == b""


def test_an_older_store_is_brought_up_to_date_with_all_it_holds(path, next_release):
    fill(path)
    before = version(path)
    next_release(shouting)
    with pytest.raises(rm.StoreError, match="older schema"):
        rm.SqliteStore(path, read_only=True)
    with rm.SqliteStore(path) as store:
        assert len(store) == 20
        assert store.lexical("zebra 7", limit=1).ids == [7]
        assert store.vector([0, 1], limit=1).ids == [19]
        store.add([rm.Document("new", "zebra")])
    assert version(path) == before + 1
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT loud FROM documents WHERE position = 8").fetchone() == ("ZEBRA 7",)
    with rm.SqliteStore(path) as store:  # and is not brought up to date twice
        assert len(store) == 21


def test_a_step_that_fails_leaves_the_store_as_it_was(path, next_release, monkeypatch):
    fill(path)
    before = version(path)
    with monkeypatch.context() as patch:
        ladder = (*schema.LADDER, failing)
        patch.setattr(files, "needs_upgrade", lambda c, shown: schema.needs_upgrade(c, shown, ladder))
        patch.setattr(files, "upgrade", lambda c, shown: schema.upgrade(c, shown, ladder))
        with pytest.raises(rm.StoreError, match="half-way"):
            rm.SqliteStore(path)
    assert version(path) == before
    with closing(sqlite3.connect(path)) as connection:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(documents)")}
    assert "loud" not in columns
    with rm.SqliteStore(path) as store:
        assert len(store) == 20


def test_a_newer_store_is_refused_and_left_alone(path):
    fill(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    known = len(schema.LADDER)
    for read_only in (False, True):
        with pytest.raises(
            rm.StoreError,
            match=rf"store\.db has schema version 99, and this rankmeld knows .* up to {known}; upgrade",
        ):
            rm.SqliteStore(path, read_only=read_only)
    assert path.read_bytes() == before


def test_many_may_open_a_new_store_at_once(path):
    barrier = threading.Barrier(8)
    failures = []

    def run(number):
        barrier.wait()
        try:
            with rm.SqliteStore(path) as store:
                store.add([rm.Document(number)])
        except rm.RankmeldError as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with rm.SqliteStore(path) as store:
        assert len(store) == 8
