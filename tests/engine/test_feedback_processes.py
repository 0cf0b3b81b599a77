"""Feedback under many processes, kills, forks, backups and closed files."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sqlite3
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing

import pytest

import rankmeld as rm
from rankmeld.stores import schema
from rankmeld.stores.rows import to_row
from stores.processes import POSIX, check_integrity, run_child


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def _add_marks(path, number, times) -> None:
    with rm.SqliteFeedback(path) as feedback:
        for n in range(times):
            feedback.add(["shared", (number, n % 3)], ["bad"], user_id="ada")


@pytest.mark.timeout(300)  # each mark waits for the disk
def test_eight_processes_lose_none_of_a_thousand_marks_each(path):
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(8, mp_context=context) as pool:
        list(pool.map(_add_marks, [path] * 8, range(8), [1000] * 8))
    with rm.SqliteFeedback(path) as feedback:
        sums = feedback.net(["shared", "bad", *((n, 0) for n in range(8))], user_id="ada")
    assert sums == {"shared": 8000, "bad": -8000, **{(n, 0): 334 for n in range(8)}}


def _add_both(path, number) -> None:
    with rm.SqliteStore(path) as store, rm.SqliteFeedback(path) as feedback:
        for n in range(40):
            store.add([rm.Document((number, n), "zebra")], vectors=[[1.0, n]])
            feedback.add([(number, n), "shared"], user_id="ada")
            assert feedback.net([(number, n)], user_id="ada") == {(number, n): 1}
            assert len(store.lexical("zebra", limit=5)) == min(5, len(store))


def test_eight_processes_add_documents_and_feedback_to_one_file(path):
    rm.SqliteStore(path).close()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(8, mp_context=context) as pool:
        list(pool.map(_add_both, [path] * 8, range(8)))
    with rm.SqliteStore(path) as store, rm.SqliteFeedback(path, read_only=True) as feedback:
        assert len(store) == 320
        assert feedback.net(["shared"], user_id="ada") == {"shared": 320}
        assert len(feedback.entries()) == 321
    check_integrity(path)


def test_feedback_outlives_its_documents(path):
    with rm.SqliteStore(path) as store, rm.SqliteFeedback(path) as feedback:
        store.replace_source("notes", "1", [rm.Document("a", "One edition.")])
        feedback.add(["a"], user_id="ada")
        store.replace_source("notes", "2", [rm.Document("a", "Another edition.")])
        assert feedback.net(["a"], user_id="ada") == {"a": 1}
        store.delete(["a"])
        assert feedback.net(["a"], user_id="ada") == {"a": 1}
        feedback.clear("ada")
        assert len(store) == 0


def test_a_store_of_the_first_version_learns_to_keep_feedback(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        schema.upgrade(connection, "store", schema.LADDER[:1])
        row = to_row(rm.Document("a", "zebra"))
        connection.execute(
            "INSERT INTO documents (id_key, title, topic, text, record) VALUES (?, ?, ?, ?, ?)",
            (row.key, row.title, row.topic, row.text, row.record),
        )
    with pytest.raises(rm.StoreError, match="has an older schema"):
        rm.SqliteFeedback(path, read_only=True)
    with rm.SqliteFeedback(path) as feedback:
        feedback.add(["a"], user_id="ada")
    with rm.SqliteStore(path) as store:
        assert store.lexical("zebra", limit=None).ids == ["a"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.LADDER),)
    check_integrity(path)


@POSIX
@pytest.mark.parametrize("moment", [0.0, 0.03, 0.11, 0.23])
def test_a_kill_at_any_moment_keeps_every_mark_that_was_confirmed_and_no_half_one(path, moment):
    child = run_child(
        """
        feedback = rm.SqliteFeedback(sys.argv[1])
        ids = list(range(200))
        for n in range(100_000):
            feedback.add(ids, ["bad"], user_id="ada")
            print(n + 1, flush=True)
        """,
        path,
    )
    with child:
        assert child.stdout.readline() == "1\n"
        time.sleep(moment)
        child.send_signal(signal.SIGKILL)
        confirmed = max([1, *(int(line) for line in child.stdout if line.endswith("\n"))])
    with rm.SqliteFeedback(path) as feedback:
        sums = set(feedback.net(range(200), user_id="ada").values())
        assert len(sums) == 1
        assert sums <= {confirmed, confirmed + 1}
        assert feedback.net(["bad"], user_id="ada") == {"bad": -sums.pop()}
        feedback.add(["after"], user_id="ada")  # no lock is left
    check_integrity(path)


@POSIX
@pytest.mark.parametrize("phase", ["begun", "changed", "committing"])
def test_a_kill_in_each_phase_leaves_all_or_nothing(path, phase):
    with rm.SqliteFeedback(path) as feedback:
        feedback.add(["a", "b"], user_id="ada")
    child = run_child(
        """
        from rankmeld.stores import connections, feedback as statements
        def stop(*_):
            print("here", flush=True)
            time.sleep(60)
        real = statements.add
        if sys.argv[2] == "begun":
            statements.add = stop
        elif sys.argv[2] == "changed":
            statements.add = lambda *given: (real(*given), stop())
        else:
            connections.ConnectionPool._commit = stop
        rm.SqliteFeedback(sys.argv[1]).add(["a", "c"], ["b"], user_id="ada")
        """,
        path,
        phase,
    )
    with child:
        assert child.stdout.readline() == "here\n"
        child.send_signal(signal.SIGKILL)
    with rm.SqliteFeedback(path) as feedback:
        assert feedback.net(["a", "b", "c"], user_id="ada") == {"a": 1, "b": 1, "c": 0}
        feedback.add(["c"], user_id="ada")
    check_integrity(path)


def test_an_import_that_fails_half_way_changes_nothing(path, monkeypatch):
    with rm.SqliteFeedback(path) as feedback:
        feedback.add(["a"], user_id="ada")
        lines = [*feedback.export(), '{"user":"ada","id":"b","net":9}', "broken"]
        with pytest.raises(rm.FormatError):
            feedback.import_(lines)
        assert feedback.net(["a", "b"], user_id="ada") == {"a": 1, "b": 0}


@POSIX
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_forked_children_add_to_the_same_sums(path):
    with rm.SqliteFeedback(path) as feedback:
        feedback.add(["a"], user_id="ada")
        children = []
        for _ in range(3):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                for _ in range(20):
                    feedback.add(["a"], user_id="ada")
                os._exit(0)
            children.append(child)
        for _ in range(20):
            feedback.add(["a"], user_id="ada")
        assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]
        assert feedback.net(["a"], user_id="ada") == {"a": 81}
    check_integrity(path)


def test_asynchronous_code_adds_through_threads(path):
    async def all_of_it(feedback):
        await asyncio.gather(
            *(asyncio.to_thread(feedback.add, ["a"], user_id="ada") for _ in range(40)),
        )

    with rm.SqliteFeedback(path) as feedback:
        asyncio.run(all_of_it(feedback))
        assert feedback.net(["a"], user_id="ada") == {"a": 40}


def test_the_file_is_opened_as_a_store_is(path, tmp_path):
    with pytest.raises(rm.StoreError, match=r"store\.db does not exist, and read_only=True creates none"):
        rm.SqliteFeedback(path, read_only=True)
    foreign = tmp_path / "foreign.db"
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(rm.StoreError, match="not one that rankmeld made"):
        rm.SqliteFeedback(foreign)
    feedback = rm.SqliteFeedback(path)
    assert repr(feedback) == f"SqliteFeedback({str(path)!r})"
    feedback.close()
    assert repr(feedback) == f"SqliteFeedback({str(path)!r}) (closed)"
    with pytest.raises(rm.StoreError, match=r"store\.db is closed; open it again$"):
        feedback.net(["a"], user_id="ada")
    reader = rm.SqliteFeedback(path, read_only=True)
    for change in (lambda: reader.add(["a"], user_id="ada"), lambda: reader.clear("ada")):
        with pytest.raises(rm.StoreError, match="was opened with read_only=True; open it without"):
            change()
    with pytest.raises(TypeError, match=r"open it there with SqliteFeedback\(path\)"):
        reader.__reduce__()
    reader.close()


def test_a_damaged_entry_is_named(path):
    with rm.SqliteFeedback(path) as feedback:
        feedback.add(["a"], user_id="ada")
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("UPDATE feedback SET id_key = '{'")
        with pytest.raises(rm.StoreError, match="is damaged; restore it from a copy"):
            feedback.entries()
