"""The vectors in memory follow the file: by what changed alone, in every state that somebody sees."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.stores import held, preparing, schema, writing

WIDTH = 3


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def store(path):
    with rm.SqliteStore(path) as store:
        store.add([rm.Document(i, "zebra") for i in range(9)], vectors=vectors_of(range(9)))
        yield store


@pytest.fixture
def read(monkeypatch):
    """How many vectors were read from the file."""
    counts: list[int] = []
    chunks = held._chunks

    def counting(rows: Any, width: int) -> Any:
        for positions, vectors in chunks(rows, width):
            counts.append(len(positions))
            yield positions, vectors

    monkeypatch.setattr(held, "_chunks", counting)
    return counts


def vectors_of(numbers):
    return np.array([[1.0, number, number * number] for number in numbers], np.float32).reshape(-1, WIDTH)


def table_of(store):
    with store._pool.reading() as connection:
        return store._held.get(connection)


def found(store, **options):
    ranking = store.vector([1.0, 2.0, -0.5], limit=None, **options)
    return [(hit.id, hit.score) for hit in ranking]


def expected(documents, path):
    """What a store says that has read the whole file."""
    with rm.SqliteStore(path) as fresh:
        assert len(fresh) == documents
        return found(fresh)


def test_nothing_is_read_where_no_vector_changed(store, read):
    table = table_of(store)
    store.add([rm.Document("words", "lion")])
    store.replace_source("file", "digest", [rm.Document("more words")])
    assert table_of(store) is table
    assert read == [9]


def test_only_what_changed_is_read(store, path, read):
    table_of(store)
    changes = [
        (lambda other: other.add([rm.Document("v")], vectors=[[1.0, 1.0, 1.0]]), [1], 10),
        (lambda other: other.add([rm.Document("v")], vectors=[[2.0, 1.0, 1.0]]), [1], 10),
        (lambda other: other.delete(["v"]), [], 9),
        (lambda other: other.add([rm.Document(0)]), [], 8),  # without its vector
        (lambda other: other.replace_source("f", "1", [rm.Document(4)], vectors=vectors_of([1])), [1], 8),
        (lambda other: other.remove_source("f"), [], 7),
    ]
    for change, wanted, count in changes:
        with rm.SqliteStore(path) as other:  # as another process would
            change(other)
        read.clear()
        got, table = found(store), table_of(store)
        assert read == wanted
        assert len(table) == count
        assert table_of(store) is table
        with rm.SqliteStore(path) as fresh:
            assert got == found(fresh)


def test_an_older_transaction_sees_its_own_vectors_and_spoils_nothing(store, read):
    table_of(store)
    with store._pool.reading() as old:
        store.add([rm.Document("v")], vectors=[[1.0, 1.0, 1.0]])
        newer = table_of(store)
        assert len(newer) == 10
        assert len(store._held.get(old)) == 9
        assert read == [9, 1]
    assert table_of(store) is newer


def test_a_transaction_older_than_all_that_is_held_reads_for_itself(path):
    with rm.SqliteStore(path) as store:
        store.add([rm.Document(1)], vectors=vectors_of([1]))
        with store._pool.reading() as old:
            store.add([rm.Document(2)], vectors=vectors_of([2]))
            assert len(table_of(store)) == 2
            assert len(store._held.get(old)) == 1
        assert len(table_of(store)) == 2


def test_older_states_are_held_while_they_take_little_memory(path):
    with rm.SqliteStore(path) as store:
        many = np.ones((3000, 400), np.float32)
        store.add([rm.Document(i) for i in range(3000)], vectors=many)
        table_of(store)
        for change in range(8):
            store.add([rm.Document(-1 - change)], vectors=many[:1])
            table_of(store)
        assert len(store._held._states) in range(2, 5)
        store.add([rm.Document(i) for i in range(0, 3000, 100)], vectors=many[:30])  # in every piece
        assert len(table_of(store)) == 3008
        assert len(store._held._states) == 1


def test_closing_lets_the_vectors_go(store):
    table_of(store)
    store.close()
    assert store._held._states == ()


def test_vectors_of_another_width_take_the_place_of_all(store, path):
    found(store)
    with rm.SqliteStore(path) as other:
        other.delete(range(9))
        assert found(store) == []
        other.add([rm.Document("w")], vectors=[[1.0, 0.0]])
    assert store.vector([1.0, 0.0], limit=1).ids == ["w"]
    with pytest.raises(rm.InvalidArgumentError, match="query_vector has 3 dimensions and the vectors of the"):
        found(store)


def test_changes_are_noted_up_to_a_number_and_then_all_is_read(path, monkeypatch, read):
    monkeypatch.setattr(schema, "_CHANGES_NOTED", 5)
    with rm.SqliteStore(path) as store:
        store.add([rm.Document(i) for i in range(9)], vectors=vectors_of(range(9)))
        found(store)
        for count, wanted in ((4, 4), (5, 18)):
            read.clear()
            store.add([rm.Document((count, i)) for i in range(count)], vectors=vectors_of(range(count)))
            got = found(store)
            assert read == [wanted]
            with rm.SqliteStore(path) as fresh:
                assert got == found(fresh)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM changes").fetchone() == (5,)


def test_a_copy_put_back_into_the_open_file_is_another_history(store, path, tmp_path):
    found(store)
    with closing(sqlite3.connect(path)) as here, closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        here.backup(copy)
        store.add([rm.Document("lost")], vectors=[[1.0, 2.0, -0.5]])
        assert found(store)[0][0] == "lost"
        copy.backup(here)
    assert "lost" not in dict(found(store))
    store.add([rm.Document("new")], vectors=[[-1.0, -2.0, 0.5]])  # as many changes as before
    assert found(store)[-1] == ("new", -1.0)
    assert found(store) == expected(10, path)


def old_file(path, count, version):
    """A store as it was before changes were noted, and perhaps before feedback was kept."""
    with rm.SqliteStore(path) as store:
        store.add([rm.Document(i) for i in range(count)], vectors=vectors_of(range(count)))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for event in ("insert", "update", "delete"):
            connection.execute(f"DROP TRIGGER note_{event}")
        connection.execute("DROP TABLE changes")
        if version == 1:
            connection.execute("DROP TABLE feedback")
        for event, name in (("INSERT", "count_new_vector"), ("DELETE", "count_gone_vector")):
            connection.execute(
                f"CREATE TRIGGER {name} AFTER {event} ON vectors BEGIN"
                " UPDATE settings SET value = value + 1 WHERE name = 'generation'; END"
            )
        connection.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("version", [1, 2])
def test_an_older_file_is_brought_up_to_date(path, read, version):
    old_file(path, 9, version)
    with rm.SqliteStore(path) as store:
        assert len(found(store)) == 9
        store.add([rm.Document("v")], vectors=[[1.0, 1.0, 1.0]])
        store.delete([3])
        assert found(store) == expected(9, path)
        assert read == [9, 1, 9]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.LADDER),)


def test_a_vector_that_was_changed_by_hand_is_seen(store, path):
    found(store)
    with closing(sqlite3.connect(path)) as connection, connection:
        blob = np.array([1.0, 2.0, -0.5], "<f4").tobytes()
        connection.execute("UPDATE vectors SET vector = ? WHERE position = 4", (blob,))
    assert found(store)[0] == (3, 1.0)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE vectors SET vector = x'00' WHERE position = 4",
        "UPDATE vectors SET vector = x'0000c07f0000000000000000' WHERE position = 4",
        "INSERT INTO vectors VALUES (99, 'text'), (98, x'00')",
        "UPDATE settings SET value = 'x' WHERE name = 'dimensions'; DELETE FROM vectors WHERE position = 1",
    ],
)
def test_damage_is_seen_in_what_changed(store, path, statement):
    found(store)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statement)
    with pytest.raises(rm.StoreError, match="is damaged; restore it from a copy"):
        found(store)


ids = st.integers(0, 30)
changes = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.dictionaries(ids, st.integers(-9, 9), max_size=12)),
        st.tuples(st.just("words"), st.dictionaries(ids, st.none(), max_size=4)),
        st.tuples(st.just("delete"), st.dictionaries(ids, st.none(), max_size=12)),
        st.tuples(st.just("look"), st.just({})),
    ),
    max_size=12,
)


@settings(max_examples=30, deadline=None)
@given(changes)
def test_whatever_happens_the_vectors_are_those_of_the_file(story):
    with rm.SqliteStore(":memory:") as store:
        model: dict[int, int | None] = {}
        for what, entries in story:
            if what == "add":
                store.add([rm.Document(i) for i in entries], vectors=vectors_of(entries.values()))
                model.update(entries)
            elif what == "words":
                store.add([rm.Document(i) for i in entries])
                model.update(dict.fromkeys(entries))
            elif what == "delete":
                store.delete(entries)
                model = {id: value for id, value in model.items() if id not in entries}
            kept = [(id, value) for id, value in model.items() if value is not None]
            table = table_of(store)
            assert (0 if table is None else len(table)) == len(kept)
            if kept:
                rows, scores = rm.cosine_top(
                    np.float32([1.0, 2.0, -0.5]), vectors_of([value for _, value in kept]), limit=None
                )
                assert found(store) == [
                    (kept[row][0], score) for row, score in zip(rows, scores, strict=True)
                ]


def test_threads_that_write_and_search_at_once(path):
    """Each search sees one state: the vectors that were there when it began, all or none of a commit."""
    errors: list[BaseException] = []
    with rm.SqliteStore(path) as store:
        store.add([rm.Document((0, i)) for i in range(40)], vectors=vectors_of([1] * 40))
        done = threading.Event()

        def search() -> None:
            try:
                while not done.is_set():
                    ranking = store.vector([1.0, 1.0, 1.0], limit=None)
                    rounds = {id[0] for id in ranking.ids}
                    assert len(ranking) == 40
                    assert len(rounds) == 1, rounds
            except Exception as error:  # noqa: BLE001 - it is reported below
                errors.append(error)

        threads = [threading.Thread(target=search) for _ in range(3)]
        for thread in threads:
            thread.start()
        for turn in range(1, 25):
            with store._writing() as connection:
                rows, labelled = _prepared([(turn, i) for i in range(40)])
                connection.execute("DELETE FROM documents")
                writing.put(connection, rows, labelled)
        done.set()
        for thread in threads:
            thread.join()
    assert not errors, errors


def _prepared(ids: list[Any]) -> Any:
    return preparing.prepare(
        [rm.Document(id) for id in ids], vectors_of([1] * len(ids)), None, lambda *_: None
    )
