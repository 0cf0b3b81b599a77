"""Many threads and processes on one store, kills and Ctrl-C."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import rankmeld as rm
from rankmeld.stores import connections
from stores.processes import POSIX, check_integrity, run_child


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture(params=["file", "memory"])
def store(request, path):
    with rm.SqliteStore(path if request.param == "file" else ":memory:") as store:
        yield store


# --- threads ------------------------------------------------------------------------------------


def test_many_threads_write_and_read_one_store(store):
    def write(thread):
        for i in range(25):
            documents = [rm.Document((thread, i, j), f"zebra number {j}") for j in range(4)]
            store.add(documents, vectors=[[1.0, j] for j in range(4)])

    def read(_):
        for _ in range(40):
            words, vectors = store.lexical("zebra", limit=None), store.vector([0, 1], limit=None)
            # Four at a time or not at all, in each leg.
            assert len(words) % 4 == 0
            assert len(vectors) % 4 == 0
            assert all(hit.document is not None for hit in vectors)

    with ThreadPoolExecutor(12) as pool:
        tasks = [pool.submit(write, n) for n in range(4)] + [pool.submit(read, n) for n in range(8)]
        for task in tasks:
            task.result()
    assert len(store) == 400
    assert len(store.vector([1, 0], limit=None)) == 400


def test_replacing_is_seen_as_a_whole_by_every_reader(store):
    """Both legs of one hybrid search, and all documents of it, are of one moment."""
    stop = threading.Event()
    torn = []

    def read():
        while not stop.is_set():
            texts = {document.text for document in store.lexical("edition", limit=None).documents}
            editions = {text.split()[1] for text in texts}
            if len(editions) > 1 or len(texts) not in (0, 20):
                torn.append(texts)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for edition in range(40):
        store.replace_source(
            "book", str(edition), [rm.Document(i, f"edition {edition} {i}") for i in range(20)]
        )
    stop.set()
    for reader in readers:
        reader.join()
    assert torn == []


def test_a_search_inside_progress_is_no_deadlock(store):
    seen = []
    store.add(
        [rm.Document(i, "zebra") for i in range(600)],
        progress=lambda *_: seen.append(len(store.lexical("zebra", limit=None))),
    )
    assert seen[-1] == 600
    assert set(seen[:-1]) == {0}


def test_closing_lets_running_calls_end(store):
    started, go = threading.Event(), threading.Event()
    outcome = []

    def progress(done, total):
        started.set()
        go.wait(10)

    thread = threading.Thread(
        target=lambda: outcome.append(store.add([rm.Document(i) for i in range(300)], progress=progress))
    )
    thread.start()
    assert started.wait(10)
    store.close()
    go.set()
    thread.join(10)
    assert outcome == [300]


def test_a_crowd_of_threads_leaves_few_connections(store):
    barrier = threading.Barrier(32)

    def read():
        with store._pool.reading():
            barrier.wait()

    threads = [threading.Thread(target=read) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= len(store._pool._idle) <= connections._MOST_IDLE


def test_a_writer_that_waits_too_long_says_so(store, monkeypatch):
    monkeypatch.setattr(connections, "_PATIENCE_SECONDS", 0.3)

    def progress(done, total):
        if done == 256:
            with pytest.raises(rm.StoreError, match="is busy: another process has been writing for long"):
                store.add([rm.Document("second")])

    store.add([rm.Document(i) for i in range(600)], progress=progress)
    assert len(store) == 600


# --- processes ----------------------------------------------------------------------------------


def _write_and_read(path, number) -> int:
    with rm.SqliteStore(path) as store:
        for i in range(10):
            store.add([rm.Document((number, i, j), "zebra") for j in range(5)], vectors=[[1.0, 0.0]] * 5)
            assert len(store.vector([1, 0], limit=None)) % 5 == 0
        return len(store.lexical("zebra", limit=None)) % 5


def test_many_processes_open_write_and_read_one_store(path):
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(4, mp_context=context) as pool:
        assert list(pool.map(_write_and_read, [path] * 4, range(4))) == [0] * 4
    with rm.SqliteStore(path) as store:
        assert len(store) == 200
    check_integrity(path)


@POSIX
@pytest.mark.parametrize("batches", [0, 1, 11, 25, 39])
def test_a_kill_in_the_middle_of_an_add_loses_nothing_that_was_committed(path, batches):
    child = run_child(
        """
        store = rm.SqliteStore(sys.argv[1])
        old = [rm.Document(("old", i), f"zebra {i}") for i in range(500)]
        store.add(old, vectors=[[1.0, i] for i in range(500)])
        store.replace_source("file", "digest", [rm.Document("of file", "zebra")])
        documents = [rm.Document(("old" if i < 300 else "new", i), "giraffe " * 40) for i in range(10_000)]
        print("adding", flush=True)
        def progress(done, total):
            if done >= 256 * int(sys.argv[2]):
                print("here", flush=True)
                time.sleep(60)
        if sys.argv[2] == "0":
            print("here", flush=True)
        store.add(documents, vectors=[[1.0, 0.0]] * 10_000, progress=progress)
        """,
        path,
        batches,
    )
    with child:
        assert child.stdout.readline() == "adding\n"
        assert child.stdout.readline() == "here\n"
        child.send_signal(signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    with rm.SqliteStore(path) as store:
        assert len(store) == 501
        assert store.get(("old", 7)).text == "zebra 7"
        assert store.lexical("giraffe", limit=None).ids == []
        assert len(store.lexical("zebra", limit=None)) == 501
        assert len(store.vector([1, 0], limit=None)) == 500
        assert store.sources() == {"file": "digest"}
        assert store.add([rm.Document(("new", i), "giraffe") for i in range(10)]) == 10  # no lock is left
    check_integrity(path)


@POSIX
@pytest.mark.parametrize("moment", [0.02, 0.11, 0.23])
def test_a_kill_at_any_moment_keeps_every_add_that_returned(path, moment):
    child = run_child(
        """
        store = rm.SqliteStore(sys.argv[1])
        for n in range(100_000):
            store.add([rm.Document((n, i), "zebra") for i in range(20)])
            print(n + 1, flush=True)
        """,
        path,
    )
    with child:
        assert child.stdout.readline() == "1\n"
        time.sleep(moment)
        child.send_signal(signal.SIGKILL)
        returned = max([1, *(int(line) for line in child.stdout if line.endswith("\n"))])
    with rm.SqliteStore(path) as store:
        assert len(store) % 20 == 0
        assert len(store) // 20 in (returned, returned + 1)
    check_integrity(path)


# --- Ctrl-C -------------------------------------------------------------------------------------


@POSIX
@pytest.mark.parametrize("call", ["add", "lexical", "statement", "wait"])
def test_ctrl_c_stops_a_long_call_soon(path, call):
    child = run_child(
        """
        store = rm.SqliteStore(sys.argv[1])
        words = [f"w{i}" for i in range(200)]
        text = " ".join(words)
        documents = [rm.Document(i, text) for i in range(20_000 if sys.argv[2] == "add" else 4_000)]
        def endless():
            while True:
                store.lexical(text, limit=None)
        def add():
            store.add(documents)
        def statement():
            with store._pool.reading() as connection:
                connection.execute(
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
                ).fetchall()
        calls = {"add": add, "lexical": endless, "statement": statement, "wait": add}
        if sys.argv[2] == "lexical":
            store.add(documents)
        if sys.argv[2] == "wait":
            import sqlite3
            other = sqlite3.connect(sys.argv[1], isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
        print("going", flush=True)
        try:
            calls[sys.argv[2]]()
        except KeyboardInterrupt:
            print("stopped", flush=True)
            if sys.argv[2] == "wait":
                other.close()
        print(len(store), flush=True)
        """,
        path,
        call,
    )
    with child:
        assert child.stdout.readline() == "going\n"
        time.sleep(0.5)
        start = time.perf_counter()
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "stopped\n"
        took = time.perf_counter() - start
        rest = child.stdout.read()
    assert took < 1.0  # 0.2 s on a quiet machine
    assert rest == ("4000\n" if call == "lexical" else "0\n")


@POSIX
@pytest.mark.parametrize("reading", [True, False])
def test_what_a_signal_handler_raises_is_what_comes_out(path, reading):
    class OutOfTimeError(Exception):
        pass

    def ring(*_):
        raise OutOfTimeError("3 o'clock")

    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    before = signal.signal(signal.SIGALRM, ring)
    try:
        with rm.SqliteStore(path) as store:
            for _ in range(3):  # the connection is as good as new afterwards
                transaction = store._pool.reading() if reading else store._pool.writing()
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                with pytest.raises(OutOfTimeError, match="3 o'clock"), transaction as connection:
                    connection.execute(endless).fetchall()
                assert store.add([rm.Document("a", "zebra")]) == 1
            assert store.lexical("zebra", limit=None).ids == ["a"]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
