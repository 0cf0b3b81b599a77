"""What is Qdrant's own: collections, servers that fail, near-ties, and what is asked of it."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import rankmeld as rm
from stores.samples import LetterEmbedder

qdrant_client = pytest.importorskip("qdrant_client")
models = qdrant_client.models

WORD = [rm.Document("a", "word")]


@pytest.fixture
def client():
    with contextlib.closing(qdrant_client.QdrantClient(":memory:")) as client:
        yield client


class Recording:
    """A client that says nothing of being local, and remembers what it was asked."""

    def __init__(self, client):
        self._client, self.init_options, self.asked = client, {}, []

    def __getattr__(self, name):
        method = getattr(self._client, name)

        def call(*args, **kwargs):
            self.asked.append((name, dict(kwargs)))
            if name == "create_payload_index":
                return None  # local mode has none, and warns
            kwargs.pop("search_params", None)
            return method(*args, **kwargs)

        return call

    def of(self, method):
        return [kwargs for name, kwargs in self.asked if name == method]


# --- what a server is asked -----------------------------------------------------------------------


def test_a_server_gets_indexes_for_filters_once_and_every_write_is_waited_for(client):
    recording = Recording(client)
    store = rm.QdrantStore(recording, "c")
    store.add(WORD, vectors=[[1, 2]])
    store.add([rm.Document("b")])
    store.delete(["a"])
    indexes = {asked["field_name"]: asked["field_schema"] for asked in recording.of("create_payload_index")}
    assert indexes == {"attributes": "keyword", "created.s": "integer", "position": "integer"}
    writes = [
        kwargs for name, kwargs in recording.asked if name in ("upsert", "delete", "create_payload_index")
    ]
    assert len(writes) == 3 + 2 + 1
    assert all(kwargs["wait"] is True for kwargs in writes)


@pytest.mark.parametrize("exact", [True, False])
def test_exact_is_asked_for_and_an_index_only_where_it_is_wanted(client, exact):
    recording = Recording(client)
    store = rm.QdrantStore(recording, "c", exact=exact)
    store.add(WORD, vectors=[[1, 2]])
    assert store.vector([2, 1], limit=1).scores[0] == pytest.approx(0.8)
    (asked,) = recording.of("query_points")
    params = asked["search_params"]
    assert (params is not None) is exact
    assert not exact or (params.exact is True and params.quantization.ignore is True)


def test_documents_go_in_batches_that_a_server_takes(client):
    recording = Recording(client)
    store = rm.QdrantStore(recording, "c")
    store.add([rm.Document(i, "x" * 1_000_000) for i in range(5)] + [rm.Document(i) for i in range(9, 600)])
    sizes = [len(asked["points"]) for asked in recording.of("upsert")]
    assert sum(sizes) == 596
    assert sizes[0] < 5
    assert max(sizes) <= 256


# --- near-ties ------------------------------------------------------------------------------------


def test_more_documents_as_good_than_were_fetched_come_in_the_order_of_adding(client):
    recording = Recording(client)
    store = rm.QdrantStore(recording, "c")
    store.add([rm.Document(i, "same word") for i in range(500)], vectors=np.ones((500, 3)))
    recording.asked.clear()
    assert store.vector([1, 1, 1], limit=3).ids == [0, 1, 2]
    assert [asked["limit"] for asked in recording.of("query_points")] == [67, 268, 1072]
    assert store.lexical("word", limit=3).ids == [0, 1, 2]


def test_neighbours_closer_than_float32_are_told_apart_as_the_file_tells_them(client):
    generator = np.random.default_rng(5)
    base = generator.normal(size=64)
    vectors = (base + generator.normal(size=(400, 64)) * 1e-6).astype(np.float32)
    vectors *= generator.uniform(0.01, 100, size=(400, 1)).astype(np.float32)
    documents = [rm.Document(i) for i in range(400)]
    store = rm.QdrantStore(client, "c")
    store.add(documents, vectors=vectors)
    with rm.SqliteStore(":memory:") as file:
        file.add(documents, vectors=vectors)
        for limit in (1, 7, 100, None):
            assert store.vector(base, limit=limit) == file.vector(base, limit=limit)


@pytest.mark.parametrize("scale", [1e-40, 1e-20, 1e20, 3e38])
def test_vectors_of_any_length_are_found(client, scale):
    vectors = np.array([[scale, 0], [0, scale], [scale / 2, scale / 2]], np.float32)
    store = rm.QdrantStore(client, "c")
    store.add([rm.Document(i) for i in range(3)], vectors=vectors)
    with rm.SqliteStore(":memory:") as file:
        file.add([rm.Document(i) for i in range(3)], vectors=vectors)
        for query in ([scale, 0], [0.3 * scale, 0.1 * scale]):
            assert store.vector(query, limit=None) == file.vector(query, limit=None)


# --- collections ----------------------------------------------------------------------------------


def test_nothing_is_made_before_the_first_document(client):
    store = rm.QdrantStore(client, "c")
    assert (len(store), store.get("a"), store.delete(["a"]), store.model) == (0, None, 0, None)
    assert list(store.hybrid("word", embedder=LetterEmbedder(), limit=3)) == []
    assert store.add([]) == 0
    assert not client.collection_exists("c")


def test_a_collection_of_somebody_else_is_refused_and_left_alone(client):
    client.create_collection("theirs", models.VectorParams(size=2, distance=models.Distance.DOT))
    store = rm.QdrantStore(client, "theirs")
    for call in (
        lambda: len(store),
        lambda: store.add(WORD),
        lambda: store.delete(["a"]),
        lambda: store.vector([1, 2], limit=1),
    ):
        with pytest.raises(rm.StoreError, match=r"'theirs' was not made by rankmeld.*search_vectors"):
            call()
    assert client.count("theirs").count == 0


def test_a_newer_format_is_refused(client):
    store = rm.QdrantStore(client, "c")
    store.add(WORD)
    client.update_collection("c", metadata={"rankmeld": {"format": 99}})
    with pytest.raises(rm.StoreError, match=r"has format 99, and .* reads up to 1; use a newer"):
        len(store)


@pytest.mark.parametrize("other", [{"language": "german"}, {"language": None}, {"average_length": 10}])
def test_words_of_another_kind_are_refused(client, other):
    rm.QdrantStore(client, "c").add(WORD)
    with pytest.raises(rm.InvalidArgumentError, match=r"collection 'c' was made with .*; use that"):
        len(rm.QdrantStore(client, "c", **other))


def test_a_language_stems_its_words(client):
    store = rm.QdrantStore(client, "c", language="german")
    store.add([rm.Document("a", "Häuser am Meer"), rm.Document("b", "nichts")])
    assert store.lexical("haus haeuser häusern", limit=None).ids == ["a"]


def test_a_collection_is_found_again_in_a_folder(tmp_path):
    with contextlib.closing(qdrant_client.QdrantClient(path=tmp_path / "q")) as client:
        rm.QdrantStore(client, "c").add([rm.Document("a", "zebra")], embedder=LetterEmbedder())
    with contextlib.closing(qdrant_client.QdrantClient(path=tmp_path / "q")) as client:
        store = rm.QdrantStore(client, "c")
        assert (store.model, store.dimensions, len(store)) == ("letters", 3, 1)
        assert store.hybrid("zebra a", embedder=LetterEmbedder(), limit=1).ids == ["a"]
        with pytest.raises(rm.InvalidArgumentError, match="of model 'letters', and embedder is 'other'"):
            store.hybrid("zebra", embedder=LetterEmbedder("other"), limit=1)


def test_vectors_of_two_models_are_kept_apart_by_qdrant_itself(client):
    store = rm.QdrantStore(client, "c")
    store.add(WORD, embedder=LetterEmbedder())
    store.add(WORD, embedder=LetterEmbedder("other"))
    assert len(client.get_collection("c").config.params.vectors) == 2
    assert store.vector([1, 1, 1], limit=None).ids == ["a"]
    store.add(WORD, embedder=LetterEmbedder())  # and back
    assert store.model == "letters"


def test_a_point_that_something_else_wrote_is_named(client):
    store = rm.QdrantStore(client, "c")
    store.add(WORD, vectors=[[1, 2]])
    client.set_payload("c", {"vector": "?"}, models.Filter())
    with pytest.raises(rm.StoreError, match="no readable 'vector'"):
        store.vector([1, 2], limit=1)
    client.set_payload("c", {"record": "{"}, models.Filter())
    with pytest.raises(rm.StoreError, match="holds no document"):
        store.get("a")


def test_a_document_that_goes_while_it_is_looked_up_was_not_found(client):
    store = rm.QdrantStore(client, "c")
    store.add([rm.Document(i, f"word number{i}") for i in range(5)])
    retrieve = client.retrieve

    def racing(*args, **kwargs):
        client.retrieve = retrieve
        store.delete([0, 2])
        return retrieve(*args, **kwargs)

    for search in (
        lambda: store.lexical("word", limit=4),
        lambda: store.hybrid("word", embedder=None, limit=4),
    ):
        store.add([rm.Document(i, f"word number{i}") for i in range(5)])
        client.retrieve = racing
        assert set(search().ids) <= {1, 3, 4}


# --- servers --------------------------------------------------------------------------------------

KEY = "a-secret-key"


class Server(ThreadingHTTPServer):
    """Answers every request with one status and one text."""

    def __init__(self, status, text):
        super().__init__(("127.0.0.1", 0), Answer)
        self.status, self.text = status, text
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def store(self, **options):
        url = f"http://127.0.0.1:{self.server_port}"
        with pytest.warns(UserWarning, match="insecure"):
            client = qdrant_client.QdrantClient(url=url, api_key=KEY, check_compatibility=False, **options)
        return rm.QdrantStore(client, "c")


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.server.status is None:
            self.server.late.wait(10)
            return
        body = self.server.text.encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        pass


@pytest.mark.parametrize(
    ("status", "text", "message"),
    [
        (401, "Must provide an API key", "cannot be used without a valid key; give QdrantClient the right"),
        (403, "read-only", "cannot be used with this key"),
        (413, "", "cut texts into smaller documents"),
        (429, "slow down", "is asked too often"),
        (503, '{"status": {"error": "disk full"}}', "has a server that failed.*disk full"),
        (200, "<html>", "cannot do this|was not understood"),
    ],
)
def test_a_server_that_refuses_is_told_of_without_the_key(status, text, message):
    server = Server(status, text)
    try:
        with pytest.raises(rm.StoreError, match=message) as caught:
            len(server.store())
        assert KEY not in str(caught.value)
        assert str(caught.value).startswith("collection 'c' ")
    finally:
        server.shutdown()
        server.server_close()


def test_a_server_that_is_late_is_not_waited_for():
    server = Server(None, "")
    server.late = threading.Event()
    try:
        with pytest.raises(rm.StoreError, match=r"did not answer in time.*longer timeout"):
            len(server.store(timeout=1))
    finally:
        server.late.set()
        server.shutdown()
        server.server_close()


def test_a_server_that_is_gone_cannot_be_reached():
    client = qdrant_client.QdrantClient("http://127.0.0.1:1", check_compatibility=False)
    with pytest.raises(rm.StoreError, match="collection 'c' cannot be reached; check that the server runs"):
        len(rm.QdrantStore(client, "c"))
    awaited = qdrant_client.AsyncQdrantClient("http://127.0.0.1:1", check_compatibility=False)
    with pytest.raises(rm.StoreError, match="cannot be reached"):
        asyncio.run(rm.AsyncQdrantStore(awaited, "c").count())


def test_a_closed_client_is_named(client):
    store = rm.QdrantStore(client, "c")
    store.add(WORD)
    client.close()
    with pytest.raises(rm.StoreError, match="its client is closed; make a new client"):
        store.lexical("word", limit=1)


def test_a_writer_that_fails_midway_is_completed_by_adding_again(client):
    recording = Recording(client)
    upsert, calls = client.upsert, []

    def failing(*args, **kwargs):
        calls.append(1)
        if len(calls) == 2:
            raise ConnectionError("gone")
        return upsert(*args, **kwargs)

    client.upsert = failing
    store = rm.QdrantStore(recording, "c")
    documents = [rm.Document(i, "word") for i in range(600)]
    with pytest.raises(rm.StoreError, match="cannot be reached"):
        store.add(documents)
    assert len(store) == 256
    assert store.add(documents) == 600
    assert store.lexical("word", limit=None).ids == list(range(600))


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("x", "c"), TypeError, "client must be a QdrantClient, not str"),
        ((qdrant_client.QdrantClient, "c"), TypeError, "not the class QdrantClient; make one with"),
        ((qdrant_client.AsyncQdrantClient(":memory:"), "c"), TypeError, "AsyncQdrantStore takes"),
    ],
)
def test_a_client_of_another_kind_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        rm.QdrantStore(*arguments)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"collection": 3}, TypeError, "collection must be a str, not int"),
        ({"collection": ""}, rm.InvalidArgumentError, "collection is empty"),
        ({"exact": 1}, TypeError, "exact must be True or False"),
        ({"average_length": 0}, rm.InvalidArgumentError, "average_length is 0"),
        ({"average_length": "9"}, TypeError, "average_length"),
        ({"language": "klingon"}, rm.InvalidArgumentError, "language"),
    ],
)
def test_options_are_checked_before_anything_is_asked(client, options, error, message):
    with pytest.raises(error, match=message):
        rm.QdrantStore(client, **{"collection": "c", **options})


def test_a_client_that_waits_is_none_to_be_awaited(client):
    with pytest.raises(
        TypeError, match=r"client must be an AsyncQdrantClient, not QdrantClient, .* QdrantStore takes"
    ):
        rm.AsyncQdrantStore(client, "c")


def test_the_client_is_imported_by_nobody_who_has_none():
    code = """
import sys
import rankmeld as rm
rm.QdrantStore, rm.AsyncQdrantStore, rm.SqliteStore
assert "qdrant_client" not in sys.modules
sys.modules["qdrant_client"] = None
try:
    rm.QdrantStore(object(), "c")
except rm.errors.MissingExtraError as error:
    assert 'pip install "rankmeld[qdrant]"' in str(error), error
else:
    raise SystemExit("it was not missed")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_tasks_at_the_same_time():
    async def main():
        client = qdrant_client.AsyncQdrantClient(":memory:")
        store = rm.AsyncQdrantStore(client, "c")
        await store.add(WORD, embedder=LetterEmbedder())
        found = await asyncio.gather(*(store.lexical("word", limit=1) for _ in range(20)))
        assert all(ranking.ids == ["a"] for ranking in found)
        assert await store.contains("a")
        assert (await store.model(), await store.dimensions()) == ("letters", 3)
        memory = rm.StoreMemory(store, LetterEmbedder())
        assert (await memory.search_candidates("word abc", top_k=3)).ids == ["a"]
        await client.close()

    asyncio.run(main())
