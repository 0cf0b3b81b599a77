"""Forks: each side has its own connections, and a child that could not have them says so."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

import rankmeld as rm
from rankmeld.stores import forking
from stores.processes import POSIX, check_integrity, run_child

pytestmark = [POSIX, pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture(params=["file", "memory"])
def store(request, path):
    with rm.SqliteStore(path if request.param == "file" else ":memory:") as store:
        store.add([rm.Document("before", "zebra")], vectors=[[1.0, 0.0]])
        yield store


def fork(call) -> int:
    """Run a call in a forked child, which a watchdog ends; gives the child's number."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        code = 1
        try:
            call()
            code = 0
        finally:
            os._exit(code)
    return child


def wait(child: int) -> None:
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_forked_child_uses_the_store_and_so_does_its_parent(store):
    assert store.vector([1, 0], limit=None).ids == ["before"]

    def use():
        store.add([rm.Document("child", "zebra")], vectors=[[0.0, 1.0]])
        assert store.vector([1, 0], limit=None).ids == ["before", "child"]
        assert len(store.lexical("zebra", limit=None)) == 2
        store.close()

    wait(fork(use))
    store.add([rm.Document("parent", "zebra")], vectors=[[1.0, 1.0]])
    assert store.vector([1, 0], limit=None).ids == ["before", "parent", "child"]
    assert len(store.lexical("zebra", limit=None)) == 3


def test_what_a_child_commits_outlives_the_closing_of_its_parent(path):
    opened, closed = os.pipe(), os.pipe()
    store = rm.SqliteStore(path)
    store.add([rm.Document("parent", "zebra")])

    def use():
        assert len(store) == 1
        os.write(opened[1], b".")
        os.read(closed[0], 1)
        store.add([rm.Document("child", "zebra")])
        assert len(store) == 2

    child = fork(use)
    os.read(opened[0], 1)
    store.close()
    os.write(closed[1], b".")
    wait(child)
    for end in (*opened, *closed):
        os.close(end)
    with rm.SqliteStore(path) as again:
        assert set(again.lexical("zebra", limit=None).ids) == {"parent", "child"}
    check_integrity(path)


def test_parent_and_children_write_at_the_same_time(path):
    def write(who):
        for n in range(20):
            store.add([rm.Document((who, n, i), "zebra") for i in range(10)])

    with rm.SqliteStore(path) as store:
        assert len(store) == 0
        children = [fork(lambda who=who: write(who)) for who in range(3)]
        write("parent")
        for child in children:
            wait(child)
        assert len(store) == 4 * 20 * 10
    check_integrity(path)


def test_a_fork_while_other_threads_use_the_store(store):
    stop = threading.Event()

    def read():
        while not stop.is_set():
            store.lexical("zebra", limit=5)
            store.vector([1, 0], limit=3)

    def write():
        n = 0
        while not stop.is_set():
            store.add([rm.Document(("parent", n % 50), "zebra")], vectors=[[1.0, 2.0]])
            n += 1

    def use(n):
        assert "before" in store.lexical("zebra", limit=None).ids
        store.vector([1, 0], limit=3)
        store.add([rm.Document(("child", n), "zebra")], vectors=[[1.0, 3.0]])

    threads = [threading.Thread(target=target) for target in (read, read, read, write)]
    for thread in threads:
        thread.start()
    try:
        for n in range(10):
            wait(fork(lambda n=n: use(n)))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert sum(("child", n) in store for n in range(10)) == 10


def refused(store):
    for call in (lambda: len(store), lambda: store.add([rm.Document("child")]), lambda: rm.SqliteStore("x")):
        with pytest.raises(rm.StoreError, match="was forked while a call on a store was under way"):
            call()
    store.close()


def test_a_child_forked_in_the_middle_of_a_call_is_told_so(store):
    children = []

    def progress(done, total):
        if done < total:
            children.append(fork(lambda: refused(store)))

    assert store.add([rm.Document(i) for i in range(300)], progress=progress) == 300
    for child in children:
        wait(child)
    assert len(children) == 1
    assert len(store) == 301


def test_a_child_does_not_go_on_with_the_call_of_its_parent(path):
    child = run_child(
        """
        store = rm.SqliteStore(sys.argv[1])
        forked = []
        try:
            store.add([rm.Document(i) for i in range(300)], progress=lambda *_: forked.append(os.fork()))
        except rm.StoreError as error:
            print(error, flush=True)
            os._exit(0)
        os.waitpid(forked[0], 0)
        print(len(store), flush=True)
        """,
        path,
    )
    with child:
        out = child.stdout.read()
    assert "forked in the middle of a call on store" in out
    assert out.endswith("300\n")
    check_integrity(path)


def test_a_fork_does_not_wait_for_ever(store, monkeypatch):
    monkeypatch.setattr(forking, "_PATIENCE_SECONDS", 0.3)
    taken, go = threading.Event(), threading.Event()

    def hold():
        with store._pool.reading():
            taken.set()
            go.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert taken.wait(10)
    start = time.monotonic()
    child = fork(lambda: refused(store))
    assert time.monotonic() - start < 5
    wait(child)
    go.set()
    thread.join()
    wait(fork(lambda: len(store)))  # the next one finds nothing in its way


def test_a_fork_that_waits_holds_off_new_calls_but_not_nested_ones(store):
    taken, forking_now, outcome = threading.Event(), threading.Event(), []

    def hold():
        with store._pool.reading():
            taken.set()
            forking_now.wait(10)
            time.sleep(0.2)
            outcome.append(len(store))  # one more connection, on which the end of the first depends

    thread = threading.Thread(target=hold)
    thread.start()
    assert taken.wait(10)
    forking_now.set()
    wait(fork(lambda: store.add([rm.Document("child")])))
    thread.join()
    assert outcome == [1]
    assert len(store) == 2


def test_a_forked_child_leaves_a_store_in_memory_to_its_parent():
    child = run_child(
        """
        store = rm.SqliteStore(":memory:")
        store.add([rm.Document(1)])
        if os.fork() == 0:
            assert len(store) == 1
            sys.exit(0)  # an ordinary end, with all that is done at exit
        os.wait()
        store.add([rm.Document(2)])
        print(len(store), flush=True)
        """
    )
    with child:
        assert child.stdout.read() == "2\n"
    assert child.returncode == 0


def test_only_an_opened_store_prepares_for_forks():
    child = run_child(
        """
        seen = []
        os.register_at_fork = lambda **hooks: seen.extend(
            when for when, hook in hooks.items() if hook.__module__.startswith("rankmeld")
        )
        for module in [name for name in sys.modules if name.startswith("rankmeld")]:
            del sys.modules[module]
        import rankmeld as rm
        assert rm.SqliteStore
        print(seen)
        rm.SqliteStore(":memory:").close()
        rm.SqliteStore(":memory:").close()
        print(sorted(seen), flush=True)
        """
    )
    with child:
        assert child.stdout.read() == "[]\n['after_in_child', 'after_in_parent', 'before']\n"
