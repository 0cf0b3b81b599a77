"""Many threads, tasks and processes on one store in PostgreSQL; kills, timeouts, cancellations, backups."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rankmeld as rm
from stores.processes import POSIX, run_child
from stores.samples import LetterEmbedder
from support.postgres_server import PostgresServer

psycopg = pytest.importorskip("psycopg")
psycopg_pool = pytest.importorskip("psycopg_pool")


@pytest.fixture
def store(database):
    with rm.PostgresStore(database) as store:
        yield store


def check_counts(database, schema="rankmeld"):
    """What the store counts is what is there."""
    with psycopg.connect(database) as connection:
        kept = connection.execute(f"SELECT documents, words, vectors FROM {schema}.store").fetchone()
        counted = connection.execute(
            f"SELECT count(*), coalesce(sum(length), 0), (SELECT count(*) FROM {schema}.vectors)"
            f" FROM {schema}.documents"
        ).fetchone()
        assert kept == counted


def wait_until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


# --- at the same time ---------------------------------------------------------------------------


def test_many_threads_write_and_read_one_store(store, database):
    def write(thread):
        for i in range(10):
            documents = [rm.Document((thread, i, j), f"zebra number {j}") for j in range(4)]
            store.add(documents, vectors=[[1.0, j] for j in range(4)])

    def read(_):
        for _ in range(15):
            # Four at a time or not at all, in each leg.
            assert len(store.lexical("zebra", limit=None)) % 4 == 0
            assert len(store.vector([0, 1], limit=None)) % 4 == 0

    with ThreadPoolExecutor(12) as pool:
        tasks = [pool.submit(write, n) for n in range(4)] + [pool.submit(read, n) for n in range(8)]
        for task in tasks:
            task.result()
    assert len(store) == 160
    assert len(store.vector([1, 0], limit=None)) == 160
    check_counts(database)


def test_eight_processes_add_documents(store, database):
    code = """
    number = int(sys.argv[2])
    with rm.PostgresStore(sys.argv[1], pool_size=1) as store:
        for i in range(20):
            # Some that all of them write, in another order each.
            shared = [rm.Document(("all", j % 5), f"zebra {j}") for j in range(number, number + 5)]
            own = [rm.Document((number, i, j), "zebra lion") for j in range(3)]
            store.add(shared + own, vectors=[[1.0, j] for j in range(8)])
    """
    children = [run_child(code, database, number) for number in range(8)]
    for child in children:
        child.communicate(timeout=100)
    assert [child.returncode for child in children] == [0] * 8
    assert len(store) == 8 * 20 * 3 + 5
    assert len(store.lexical("zebra", limit=None)) == len(store)
    check_counts(database)


def test_replacing_is_seen_as_a_whole_by_every_reader(store):
    stop = threading.Event()
    torn = []

    def read():
        while not stop.is_set():
            texts = {document.text for document in store.lexical("edition", limit=None).documents}
            if len({text.split()[1] for text in texts}) > 1 or len(texts) not in (0, 20):
                torn.append(texts)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for edition in range(25):
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


def test_two_models_never_mix_whoever_is_first(store, database):
    barrier = threading.Barrier(4)

    def write(model):
        barrier.wait()
        documents = [rm.Document((model, i), "abc") for i in range(50)]
        try:
            return store.add(documents, embedder=LetterEmbedder(model))
        except rm.InvalidArgumentError as refusal:
            return str(refusal)

    with ThreadPoolExecutor(4) as pool:
        written = list(pool.map(write, "wxyz"))
    refusals = [answer for answer in written if isinstance(answer, str)]
    assert len(refusals) == 3
    assert all("a store has vectors of one model" in refusal for refusal in refusals)
    assert store.model == "wxyz"[written.index(50)]
    check_counts(database)


# --- asynchronous -------------------------------------------------------------------------------


def test_many_tasks_share_the_pool(database):
    async def main():
        async with rm.AsyncPostgresStore(database, pool_size=3) as store:
            await asyncio.gather(
                *(store.add([rm.Document((n, i), "zebra") for i in range(5)]) for n in range(20))
            )
            rankings = await asyncio.gather(*(store.lexical("zebra", limit=None) for _ in range(20)))
            return [len(ranking) for ranking in rankings]

    assert asyncio.run(main()) == [100] * 20
    check_counts(database)


def test_a_store_that_was_not_opened_says_how(database):
    store = rm.AsyncPostgresStore(database)
    for call in (lambda: store.get("a"), lambda: store.add([]), lambda: store.lexical("a", limit=1)):
        with pytest.raises(rm.StoreError, match="not open yet; begin with 'async with store:'"):
            asyncio.run(call())


def test_an_embedder_may_be_awaited_or_run_beside_the_loop(database):
    class Awaitable(LetterEmbedder):
        async def embed_query(self, text):
            await asyncio.sleep(0)
            return self([text])[0]

    class Slow(LetterEmbedder):
        def __call__(self, texts):
            time.sleep(0.3)
            return super().__call__(texts)

    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        async with rm.AsyncPostgresStore(database) as store:
            ticking = asyncio.create_task(tick())
            await store.add([rm.Document("a", "aaa"), rm.Document("b", "bbb")], embedder=Slow())
            beside = ticks
            found = [
                (await store.hybrid("b", embedder=kind(), limit=1)).ids
                for kind in (Awaitable, LetterEmbedder)
            ]
            ticking.cancel()
            return beside, found

    beside, found = asyncio.run(main())
    assert beside >= 8
    assert found == [["b"], ["b"]]
    with rm.PostgresStore(database) as store, pytest.raises(TypeError, match="AsyncPostgresStore awaits it"):
        store.hybrid("b", embedder=Awaitable(), limit=1)


def test_a_cancelled_call_is_undone_and_gives_its_connection_back(database):
    async def main():
        async with rm.AsyncPostgresStore(database, pool_size=1) as store:
            await store.add([rm.Document("before")])
            with psycopg.connect(database) as other:  # holds the writers' lock, so that the call waits
                other.execute("SELECT * FROM rankmeld.store FOR UPDATE")
                adding = asyncio.create_task(store.add([rm.Document("a")]))
                await asyncio.sleep(0.3)
                adding.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await adding
                waiting = other.execute(
                    "SELECT count(*) FROM pg_stat_activity"
                    " WHERE wait_event_type = 'Lock' AND datname = current_database()"
                ).fetchone()
            return waiting, await store.count(), await store.add([rm.Document("b")])

    assert asyncio.run(main()) == ((0,), 1, 1)


def test_a_cancellation_at_any_moment_leaves_all_or_nothing(database):
    documents = [rm.Document(i, "zebra " * 20) for i in range(600)]

    async def main():
        async with rm.AsyncPostgresStore(database, pool_size=2) as store:
            await store.add(documents, vectors=np.ones((600, 8)))
            await store.delete(range(600))
            start = time.monotonic()
            await store.add(documents, vectors=np.ones((600, 8)))
            whole = time.monotonic() - start
            await store.delete(range(600))
            for step in range(12):
                adding = asyncio.create_task(store.add(documents, vectors=np.ones((600, 8))))
                await asyncio.sleep(whole * step / 11)
                adding.cancel()
                try:
                    done = await adding
                except asyncio.CancelledError:
                    done = 0
                assert await store.count() in ({600} if done else {0, 600})
                await store.delete(range(600))
            return await store.count()

    assert asyncio.run(main()) == 0
    check_counts(database)


# --- waiting ------------------------------------------------------------------------------------


def test_a_writer_that_waits_too_long_is_told_so(database, store):
    store.add([rm.Document("a")])
    with (
        psycopg.connect(database) as other,
        rm.PostgresStore(database, lock_timeout=0.2) as impatient,
    ):
        other.execute("SELECT * FROM rankmeld.store FOR UPDATE")
        with pytest.raises(
            rm.StoreError, match=r"is busy: another process has been writing for long; try again"
        ):
            impatient.add([rm.Document("b")])
        assert impatient.get("b") is None  # who reads does not wait
        other.rollback()
        assert impatient.add([rm.Document("b")]) == 1


def test_a_statement_that_takes_too_long_is_stopped(database, store):
    with (
        psycopg.connect(database) as other,
        rm.PostgresStore(database, statement_timeout=0.2) as impatient,
    ):
        other.execute("LOCK TABLE rankmeld.documents IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(
            rm.StoreError, match=r"took too long, so it was stopped, .*raise statement_timeout"
        ):
            impatient.get("a")
        other.rollback()
        assert impatient.get("a") is None


def test_a_pool_without_a_free_connection_is_told_as_such(database):
    with rm.PostgresStore(database, pool_size=1, timeout=0.3) as store:
        errors = []

        def search(*_):
            try:
                store.lexical("zebra", limit=1)
            except rm.StoreError as error:
                errors.append(str(error))

        store.add([rm.Document(i) for i in range(300)], progress=search)
        assert len(errors) == 1  # the last report comes after the commit, when the connection is free
        assert (
            "all connections of the pool are in use; check the server, raise pool_size or timeout"
            in errors[0]
        )
        assert len(store) == 300


# --- kills --------------------------------------------------------------------------------------


@POSIX
def test_a_writer_that_is_killed_leaves_all_or_nothing(store, database):
    code = """
    store = rm.PostgresStore(sys.argv[1])
    for edition in range(10_000):
        store.replace_source("book", str(edition), [
            rm.Document(i, f"edition {edition} zebra") for i in range(300)
        ], vectors=[[1.0, edition]] * 300)
        print(edition, flush=True)
    """
    for pause in (0.0, 0.01, 0.03, 0.07):
        child = run_child(code, database)
        for _ in range(2):
            child.stdout.readline()
        time.sleep(pause)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        texts = {document.text for document in store.lexical("zebra", limit=None).documents}
        assert len(store) == 300
        assert len(texts) == 1
        assert store.sources()["book"] == next(iter(texts)).split()[1]
        check_counts(database)


def test_a_connection_that_the_server_ended_is_replaced(store, database):
    end = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    store.add([rm.Document("a")])
    with psycopg.connect(database, autocommit=True) as other:
        other.execute(end)
        assert len(store) == 1  # connections are tried before they are used

        with pytest.raises(rm.StoreError, match=r"lost its server while it was asked; nothing was changed"):
            store.add(
                [rm.Document(i) for i in range(600)],
                progress=lambda *_: other.execute(end),
            )
    assert len(store) == 1
    check_counts(database)


@POSIX
def test_a_server_that_crashes_comes_back_with_all_or_nothing():
    server = PostgresServer()
    try:
        store = rm.PostgresStore(server.conninfo(), timeout=5)
        store.add([rm.Document(("old", i), "zebra") for i in range(300)], vectors=np.ones((300, 4)))
        reports = []

        def crash(done, total):
            if done < total and not reports:
                reports.append(done)
                server.kill()
                time.sleep(0.3)

        with pytest.raises(rm.StoreError, match=r"lost its server|gave no connection"):
            store.add([rm.Document(i, "lion") for i in range(2000)], progress=crash)
        with pytest.raises(rm.StoreError, match="gave no connection in time"):
            len(store)
        server.start_again()
        assert len(store) == 300  # the same store, once its server is back
        assert store.lexical("lion", limit=None).ids == []
        assert store.add([rm.Document(i, "lion") for i in range(2000)]) == 2000
        check_counts(server.conninfo())
        store.close()
    finally:
        server.stop()


# --- backups ------------------------------------------------------------------------------------


def test_a_dump_restores_to_a_store_that_finds_the_same(postgres, store, database):
    rng = np.random.default_rng(0)
    documents = [rm.Document(i, f"zebra number {i % 17} \0", metadata={"project": i % 3}) for i in range(200)]
    store.replace_source("book", "d1", documents, vectors=rng.standard_normal((200, 8)))
    store.create_index()
    dump = postgres.call("pg_dump", "-h", postgres.folder, "-U", "postgres", database.rpartition("=")[2])
    name = f"restored_{database.rpartition('=')[2]}"
    postgres.call("createdb", "-h", postgres.folder, "-U", "postgres", name)
    postgres.call(
        "psql", "-h", postgres.folder, "-U", "postgres", "-q", "-v", "ON_ERROR_STOP=1", name, text=dump
    )
    with rm.PostgresStore(postgres.conninfo(name)) as restored:
        query = rng.standard_normal(8)
        assert list(restored.vector(query, limit=None)) == list(store.vector(query, limit=None))
        assert list(restored.lexical("number 7", limit=9)) == list(store.lexical("number 7", limit=9))
        assert restored.sources() == {"book": "d1"}
        assert restored.create_index() is False
        assert restored.replace_source("book", "d2", []) == 0
        assert restored.add([rm.Document("a")]) == 1
        assert len(restored) == 1
