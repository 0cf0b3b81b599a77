"""Readers beside writers, callbacks that come back, forks and signals."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm
from support.interrupts import assert_a_signal_stops


def test_readers_see_one_moment_while_others_write():
    """Documents come and go in threes: every search sees whole threes, of any one moment."""
    index = rm.BM25Index()
    index.add([("base", "zebra base")])
    stop = threading.Event()
    torn = []

    def read():
        while not stop.is_set():
            found = index.search("zebra", limit=None).ids
            many = index.search_many(["zebra", "zebra base"], limit=None)
            if len(found) % 3 != 1 or len(many[0]) != len(many[1]) or len(index) % 3 != 1:
                torn.append(found)

    def write(thread):
        for turn in range(60):
            index.add([((thread, turn, n), "zebra word") for n in range(3)])
            if turn % 4 == 3:
                index.remove([((thread, turn - 2, n)) for n in range(3)])
            if turn % 5 == 4:
                index.add([((thread, turn, n), "zebra other word") for n in range(3)])

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(write, n) for n in range(4)]:
            done.result()
    stop.set()
    for reader in readers:
        reader.join()
    assert torn == []
    assert len(index) == 1 + 4 * 3 * (60 - 15)
    fresh = rm.BM25Index()
    fresh.add([(id, index_text(id)) for id in index.search("zebra", limit=None).ids])
    assert fresh.average_length == index.average_length


def index_text(id):
    if id == "base":
        return "zebra base"
    return "zebra other word" if id[1] % 5 == 4 else "zebra word"


def test_nothing_is_lost_when_many_add_at_once():
    index = rm.BM25Index()

    def add(thread):
        for n in range(100):
            index.add([((thread, n), f"word w{n}")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(8)))
    assert len(index) == 800
    assert len(index.search("word", limit=None)) == 800


def test_readers_do_not_wait_for_a_long_add():
    index = rm.BM25Index()
    index.add([("there", "zebra")])
    longest = 0.0
    adding = threading.Thread(
        target=index.add, args=([(n, f"zebra w{n} " + "common words " * 60) for n in range(15_000)],)
    )
    adding.start()
    searches = 0
    while adding.is_alive():
        start = time.perf_counter()
        found = index.search("zebra", limit=5)
        longest = max(longest, time.perf_counter() - start)
        searches += 1
        assert found.ids in (["there"], found.ids)
    adding.join()
    assert searches > 20
    assert longest < 1.0, "a search waited for the writer"
    assert len(index) == 15_001


def test_c269_a_callback_may_use_the_index_again():
    """A tokenizer, an id's hash and comparison, a progress report and a tie's comparison."""
    index = rm.BM25Index(tokenizer=lambda text: [*text.split(), str(len(index))])

    class Curious:
        def __init__(self, n):
            self.n = n

        def __hash__(self):
            index.search("word")
            return 7

        def __eq__(self, other):
            index.search("word")
            return isinstance(other, Curious) and self.n == other.n

        def __lt__(self, other):
            index.add([("from lt", "word")])
            return self.n < other.n

    index.add([(Curious(n), "word") for n in range(5)], progress=lambda *_: index.add([("inner", "word")]))
    assert len(index) == 6
    assert index.remove([Curious(3), Curious(9)]) == 1
    index.remove(["inner"])
    assert [id.n for id in index.search("word", ties="id_desc").ids] == [4, 2, 1, 0]
    assert "from lt" in index


def test_c269_one_index_in_eight_threads_gives_what_one_thread_gets():
    index = rm.BM25Index()
    index.add([(n, " ".join(f"w{(n * k) % 60}" for k in range(2, 14))) for n in range(2_000)])
    queries = [f"w{n} w{(3 * n) % 60} w{(7 * n) % 60}" for n in range(60)]
    expected = [index.search(query) for query in queries]

    def ask(start):
        for n in range(1_000):
            place = (start + n) % len(queries)
            assert index.search(queries[place]) == expected[place]

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))


def test_c270_callbacks_and_plain_reads_finish_and_python_runs_meanwhile():
    def searching(text):
        if text != "y":
            index.search("y")
        return text.split()

    index = rm.BM25Index(tokenizer=searching)
    counted = 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0.001)

    def work(thread):
        for n in range(40):
            index.add([((thread, n), "x word")])
            index.search("word x", limit=3)
            assert (thread, n) in index

    counter = threading.Thread(target=count)
    counter.start()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8), timeout=30))
    native = rm.BM25Index()
    before = counted
    native.add([(n, "common words " * 100) for n in range(5_000)])
    native.search_many(["common words"] * 500, limit=3)
    stop.set()
    counter.join()
    assert len(index) == 320
    assert counted > before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not applicable: there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_it_works_after_fork_whatever_other_threads_do():
    index = rm.BM25Index()
    index.add([(n, f"word w{n % 50}") for n in range(3_000)])
    stop = threading.Event()

    def churn():
        n = 0
        while not stop.is_set():
            index.add([(("t", n % 40), "word")])
            index.search_many(["word w3"] * 200, threads=2)
            n += 1

    threads = [threading.Thread(target=churn) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            pid = os.fork()
            if pid == 0:
                try:
                    index.add([("child", "rareword")])
                    right = index.search("rareword").ids == ["child"]
                    right &= len(index.search_many(["word"] * 200, threads=2)) == 200
                    os._exit(0 if right else 1)
                finally:
                    os._exit(2)
            deadline = time.monotonic() + 20
            while (done := os.waitpid(pid, os.WNOHANG)) == (0, 0) and time.monotonic() < deadline:
                time.sleep(0.01)
            if done == (0, 0):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            assert done == (pid, 0)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert "child" not in index


def _search(index, query):
    return index.search(query).ids


def test_it_crosses_to_spawned_processes():
    index = rm.BM25Index()
    index.add([("a", "zebra"), ("b", "horse")])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_search, (index, "zebra")) == ["a"]


THOUSAND = " ".join(f"w{n}" for n in range(1_000))


def _text(thousands):
    return " ".join([THOUSAND] * thousands)


WORK = {
    "add": lambda: (rm.BM25Index().add, [(n, _text(2)) for n in range(3_000)]),
    "add one huge text": lambda: (rm.BM25Index().add, [(0, _text(8_000))]),
    "scores": lambda: (lambda texts: rm.bm25_scores("w1 w2", texts), [_text(2)] * 6_000),
    "scores of one huge text": lambda: (lambda texts: rm.bm25_scores("w1 w2", texts), [_text(8_000)]),
}


@pytest.mark.parametrize("work", WORK)
def test_a_signal_stops_long_work(work):
    call, given = WORK[work]()
    assert_a_signal_stops(lambda: call(given))


def test_a_signal_during_an_add_adds_nothing():
    index = rm.BM25Index()
    index.add([("there", "word")])
    documents = [(n, _text(2)) for n in range(4_000)]
    assert_a_signal_stops(lambda: index.add(documents))
    assert len(index) in (1, 4_001)
    assert index.search("word").ids == ["there"]
