"""Faults tried over every store: what a caller is told, and what is there afterwards.

The guide's page of faults has a row for each.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess

import pytest

import rankmeld as rm
from stores.processes import run_child
from stores.samples import LetterEmbedder
from support.postgres_server import NoServerError, PostgresServer

resource = pytest.importorskip("resource", reason="Windows limits no process's files")

OLD = [rm.Document(("old", i), f"zebra {i}") for i in range(60)]


class Place:
    """Where a store is kept: how it is opened here, and in a program of its own."""

    whole = True  # a write is there as a whole or not at all

    def __init__(self, folder, request):
        self.folder, self.request = folder, request

    def open(self):
        raise NotImplementedError


class InFile(Place):
    code = "store = rm.SqliteStore(sys.argv[1])"

    def __init__(self, folder, request):
        super().__init__(folder, request)
        self.argument = str(folder / "store.db")

    def open(self):
        return rm.SqliteStore(self.argument)


class InPostgres(Place):
    code = "store = rm.PostgresStore(sys.argv[1])"

    def __init__(self, folder, request):
        super().__init__(folder, request)
        self.argument = request.getfixturevalue("database")

    def open(self):
        return rm.PostgresStore(self.argument)


class InQdrant(Place):
    whole = False  # Qdrant has no transactions
    code = """
from qdrant_client import QdrantClient
store = rm.QdrantStore(QdrantClient(path=sys.argv[1]), 'c')
"""

    def __init__(self, folder, request):
        super().__init__(folder, request)
        self.client = pytest.importorskip("qdrant_client").QdrantClient
        self.argument = str(folder / "qdrant")

    @contextlib.contextmanager
    def open(self):
        with contextlib.closing(self.client(path=self.argument)) as client:
            yield rm.QdrantStore(client, "c")


@pytest.fixture(params=[InFile, InPostgres, InQdrant])
def place(request, tmp_path):
    return request.param(tmp_path, request)


def filled(place):
    with place.open() as store:
        store.add(OLD, embedder=LetterEmbedder())


def test_another_model_is_refused_and_nothing_is_changed(place):
    filled(place)
    with place.open() as store:
        for documents in ([rm.Document("new")], OLD[:5]):
            with pytest.raises(rm.InvalidArgumentError, match=r"of model 'other', and those .* of 'letters'"):
                store.add(documents, embedder=LetterEmbedder("other"))
        assert (len(store), store.model) == (60, "letters")
        assert len(store.vector([1, 1, 1], limit=None)) == 60


@pytest.mark.parametrize("done", [0, 256])
def test_a_writer_that_is_killed(place, done):
    filled(place)
    child = run_child(
        place.code
        + """
documents = [rm.Document(("new", i), "giraffe " * 20) for i in range(600)]
def progress(done, total):
    if done >= int(sys.argv[2]):
        print("here", flush=True)
        time.sleep(60)
if sys.argv[2] == "0":
    print("here", flush=True)
store.add(documents, vectors=[[1.0, 0.0, 0.0]] * 600, embedder=type("E", (), {
    "model": "letters", "dimensions": 3, "embed_query": None, "__call__": None})(), progress=progress)
""",
        place.argument,
        done,
    )
    with child:
        assert child.stdout.readline() == "here\n"
        child.send_signal(signal.SIGKILL)
    with place.open() as store:
        there = len(store) - 60
        assert there == 0 if place.whole else there < 600
        assert store.get(("old", 7)) == OLD[7]
        assert len(store.lexical("giraffe", limit=None)) == there
        assert len(store.lexical("zebra", limit=None)) == 60
        new = [rm.Document(("new", i), "giraffe") for i in range(600)]
        assert (
            store.add(new, vectors=[[1.0, 0, 0]] * 600, embedder=LetterEmbedder()) == 600
        )  # no lock is left
        assert len(store) == 660


@pytest.mark.parametrize("kind", [InFile, InQdrant])
def test_a_full_disk(kind, request, tmp_path):
    place = kind(tmp_path, request)
    filled(place)
    with place.open() as store:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))  # as a full disk: files stop growing
        try:
            with pytest.raises(rm.StoreError, match=r"^(store|collection) .*(disk|full|cannot)"):
                store.add([rm.Document(("new", i), f"giraffe {i} " * 3000) for i in range(200)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            signal.signal(signal.SIGXFSZ, handler)
    with place.open() as store:
        there = len(store) - 60
        assert there == 0 if place.whole else there < 200
        assert store.get(("old", 7)) == OLD[7]
        assert len(store.vector([1, 1, 1], limit=None)) == 60
        assert store.add([rm.Document("new", "giraffe")]) == 1


@pytest.fixture
def server():
    """A server of one's own, to be harmed."""
    pytest.importorskip("psycopg_pool")
    try:
        server = PostgresServer()
    except NoServerError as error:
        pytest.skip(str(error))
    yield server
    server.stop()


def test_a_full_disk_of_a_server(server):
    small = server.folder / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", small], check=False)
    if mounted.returncode:
        pytest.skip("a disk of its own may not be mounted here")
    try:
        if os.geteuid() == 0:
            shutil.chown(small, "nobody")
        server.call(
            "psql", "-h", server.folder, "-U", "postgres", "-c",
            f"CREATE TABLESPACE small LOCATION '{small}'", "-c", "CREATE DATABASE tight TABLESPACE small",
        )  # fmt: skip
        with rm.PostgresStore(server.conninfo("tight")) as store:
            store.add(OLD, embedder=LetterEmbedder())
            large = [rm.Document(("new", i), os.urandom(100_000).hex()) for i in range(200)]
            with pytest.raises(rm.StoreError, match=r"server's disk is full; free some .*nothing was"):
                store.add(large)
            assert len(store) == 60
            assert len(store.vector([1, 1, 1], limit=None)) == 60
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_tables_of_somebody_else_are_refused_and_left_alone(database):
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA rankmeld")
        connection.execute("CREATE TABLE rankmeld.documents (x int)")
        with pytest.raises(rm.StoreError, match="is not a store's; name another schema or prefix"):
            rm.PostgresStore(database)
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'rankmeld'").fetchall()
        assert found == [("documents",)]
