"""Copies of a store that is in use, and what is restored from them."""

from __future__ import annotations

import itertools
import signal
import sqlite3
import threading
import time
from contextlib import closing

import pytest

import rankmeld as rm
from rankmeld.stores import backup
from stores.processes import POSIX, check_integrity, run_child


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def fill(path, count=100):
    with rm.SqliteStore(path) as store, rm.SqliteFeedback(path) as feedback:
        store.add(
            [rm.Document(i, f"zebra {i} " * 40) for i in range(count)],
            vectors=[[1.0, i] for i in range(count)],
        )
        feedback.add([1, 2], [3], user_id="ada")


def test_a_backup_holds_documents_vectors_and_feedback(path, tmp_path):
    fill(path)
    copy = tmp_path / "copy.db"
    with rm.SqliteStore(path) as store:
        store.backup(copy)
        store.add([rm.Document("later", "zebra")], vectors=[[1.0, 0.0]])
    with rm.SqliteStore(copy, read_only=True) as restored:
        assert len(restored) == len(restored.lexical("zebra", limit=None)) == 100
        assert restored.vector([1, 0], limit=1).ids == [0]
        assert "later" not in restored
    with rm.SqliteFeedback(copy) as feedback:
        assert feedback.net([1, 3], user_id="ada") == {1: 1, 3: -1}
    check_integrity(copy)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "store.db"]


def test_feedback_alone_makes_the_same_backup(path, tmp_path):
    fill(path)
    with rm.SqliteFeedback(path, read_only=True) as feedback:
        feedback.backup(str(tmp_path / "copy.db"))
    with rm.SqliteStore(tmp_path / "copy.db") as restored:
        assert len(restored) == 100


def test_a_store_in_memory_is_saved_by_a_backup(tmp_path):
    with rm.SqliteStore(":memory:") as store:
        store.add([rm.Document("a", "zebra")])
        store.backup(tmp_path / "kept.db")
    with rm.SqliteStore(tmp_path / "kept.db") as kept:
        assert kept.lexical("zebra", limit=None).ids == ["a"]


def test_backups_taken_while_others_write_are_each_of_one_moment(path, tmp_path):
    """A batch of ten documents and its mark of feedback are in a copy or not; earlier ones always are."""
    stop = threading.Event()

    def write():
        with rm.SqliteStore(path) as store, rm.SqliteFeedback(path) as feedback:
            for n in itertools.count():
                if stop.is_set():
                    return
                store.add([rm.Document((n, i), "zebra " * 50) for i in range(10)], vectors=[[1.0, n]] * 10)
                feedback.add([n], user_id="ada")

    rm.SqliteStore(path).close()
    writer = threading.Thread(target=write)
    writer.start()
    try:
        with rm.SqliteStore(path) as store:
            for n in range(8):
                time.sleep(0.02)
                store.backup(tmp_path / f"copy{n}.db")
    finally:
        stop.set()
        writer.join()
    sizes = []
    for n in range(8):
        copy = tmp_path / f"copy{n}.db"
        check_integrity(copy)
        with rm.SqliteStore(copy) as restored, rm.SqliteFeedback(copy) as feedback:
            sizes.append(len(restored))
            assert len(restored) % 10 == 0
            assert len(restored.vector([1, 0], limit=None)) == len(restored)
            assert len(feedback.entries()) in (len(restored) // 10, len(restored) // 10 - 1)
    assert sizes == sorted(sizes)
    assert sizes[-1] > 0


def test_a_backup_replaces_nothing(path, tmp_path):
    fill(path)
    (tmp_path / "copy.db").write_text("precious")
    (tmp_path / "other.db-wal").write_text("a log of what was there once")
    with rm.SqliteStore(path) as store:
        for name in ("copy.db", "other.db", "store.db"):
            with pytest.raises(rm.StoreError, match="is there already, and a backup replaces nothing"):
                store.backup(tmp_path / name)
        with pytest.raises(rm.StoreError, match=r"cannot be written: No such file .*; check its folder"):
            store.backup(tmp_path / "nowhere" / "copy.db")
        with pytest.raises(TypeError, match="progress must be a callable"):
            store.backup(tmp_path / "new.db", progress=7)
        assert len(store) == 100
    assert (tmp_path / "copy.db").read_text() == "precious"


def test_somebody_who_was_faster_is_not_replaced(path, tmp_path, monkeypatch):
    fill(path)
    copy = tmp_path / "copy.db"
    real = backup.copy_into

    def slow(*given):
        real(*given)
        copy.write_text("precious")

    monkeypatch.setattr(backup, "copy_into", slow)
    with rm.SqliteStore(path) as store, pytest.raises(rm.StoreError, match="is there already"):
        store.backup(copy)
    assert copy.read_text() == "precious"


def test_a_file_system_without_links_gets_a_backup_as_well(path, tmp_path, monkeypatch):
    def no_links(*_):
        raise PermissionError(1, "Operation not permitted")

    fill(path)
    monkeypatch.setattr(backup.os, "link", no_links)
    with rm.SqliteStore(path) as store:
        store.backup(tmp_path / "copy.db")
    with rm.SqliteStore(tmp_path / "copy.db", read_only=True) as restored:
        assert len(restored) == 100


def test_progress_counts_to_the_end_and_may_stop_it(path, tmp_path):
    fill(path, 3000)
    seen = []
    with rm.SqliteStore(path) as store:
        store.backup(tmp_path / "copy.db", progress=lambda *report: seen.append(report))
        assert len(seen) > 1
        assert seen[-1][0] == seen[-1][1]
        assert seen == sorted(seen)

        def enough(done, total):
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            store.backup(tmp_path / "second.db", progress=enough)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "store.db"]


@POSIX
def test_a_kill_in_the_middle_leaves_no_half_backup(path, tmp_path):
    fill(path, 3000)
    child = run_child(
        """
        def wait(done, total):
            print("here", flush=True)
            time.sleep(60)
        rm.SqliteStore(sys.argv[1]).backup(sys.argv[2], progress=wait)
        """,
        path,
        tmp_path / "copy.db",
    )
    with child:
        assert child.stdout.readline() == "here\n"
        child.send_signal(signal.SIGKILL)
    assert not (tmp_path / "copy.db").exists()
    with rm.SqliteStore(path) as store:
        store.backup(tmp_path / "copy.db")
    check_integrity(tmp_path / "copy.db")


def test_a_restored_file_is_used_like_any_other(path, tmp_path):
    fill(path)
    with rm.SqliteStore(path) as store:
        store.backup(tmp_path / "copy.db")
        store.delete(range(100))
    path.unlink()
    (tmp_path / "copy.db").rename(path)
    with rm.SqliteStore(path) as store, rm.SqliteFeedback(path) as feedback:
        assert len(store) == 100
        store.add([rm.Document("new", "zebra")], vectors=[[0.0, 1.0]])
        feedback.add([1], user_id="ada")
        assert feedback.net([1], user_id="ada") == {1: 2}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
