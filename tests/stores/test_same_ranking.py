"""The same questions over every store: the same ranking of the same vectors, with and without filters."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.embed import CallableEmbedder
from support.shared import shared_folder

_DATA = shared_folder()
_DOCUMENTS, _QUESTIONS = 800, 12

pytestmark = pytest.mark.skipif(_DATA is None, reason="the shared data is not there")


class Collection:
    """Real texts, their vectors, and those of real questions."""

    def __init__(self, name):
        self.name = name.replace("-", "_")
        folder = _DATA / "data" / name
        arrays = np.load(folder / "embeddings.npz")
        lines = (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
        rows = {row["_id"]: row for row in map(json.loads, lines)}
        self.documents = [
            rm.Document(
                id,
                rows[id]["text"],
                rows[id].get("title") or "",
                created_at=1_700_000_000 + 3600.25 * place,
                metadata={"type": f"kind {place % 5}", "user_id": place % 3},
            )
            for place, id in enumerate(arrays["corpus_ids"][:_DOCUMENTS].tolist())
        ]
        self.vectors = arrays["corpus"][:_DOCUMENTS].astype(np.float32)
        # The same text twice, and the same direction at another length: equal scores.
        self.documents += [
            rm.Document(("copy", i), self.documents[i].text, metadata={"type": "kind 0"}) for i in range(40)
        ]
        self.vectors = np.concatenate([self.vectors, self.vectors[:20], 4.0 * self.vectors[20:40]])
        self.questions = arrays["queries"][:_QUESTIONS].astype(np.float32)
        self.texts = [
            json.loads(line)["text"]
            for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()[:_QUESTIONS]
        ]
        by_text = dict(zip(self.texts, self.questions, strict=True))
        self.embedder = CallableEmbedder(
            lambda texts: np.array([by_text[text] for text in texts]), model="of the data", dimensions=384
        )

    def fill(self, store):
        store.add(self.documents, vectors=self.vectors, embedder=self.embedder)
        return store


@pytest.fixture(scope="module", params=["scifact-dev", "cranfield"])
def collection(request):
    return Collection(request.param)


@pytest.fixture(scope="module")
def sqlite(collection, tmp_path_factory):
    with rm.SqliteStore(tmp_path_factory.mktemp("same") / "store.db") as store:
        yield collection.fill(store)


@pytest.fixture(scope="module", params=["postgres", "qdrant"])
def other(request, collection):
    with contextlib.ExitStack() as stack:
        if request.param == "qdrant":
            client = pytest.importorskip("qdrant_client").QdrantClient(":memory:")
            stack.callback(client.close)
            store = rm.QdrantStore(client, "same")
        else:
            server = request.getfixturevalue("postgres")
            schema = "same_" + collection.name
            store = stack.enter_context(rm.PostgresStore(server.conninfo(), schema=schema))
        yield collection.fill(store)


FILTERS = [
    None,
    {"type": "kind 0"},
    {"type": ["kind 1", "kind 2"], "metadata.user_id": 2},
    {"created_at": (1_700_000_000, 1_700_000_000 + 3600.25 * 100)},
    {"type": "nothing"},
]


@pytest.mark.parametrize("filters", FILTERS)
@pytest.mark.parametrize("limit", [1, 10, 300, None])
def test_vectors(collection, sqlite, other, filters, limit):
    for question in collection.questions[: 4 if limit is None else None]:
        expected = sqlite.vector(question, limit=limit, filters=filters)
        found = other.vector(question, limit=limit, filters=filters)
        assert found.ids == expected.ids
        assert [hit.score for hit in found] == [hit.score for hit in expected]  # to the bit
        assert found.documents == expected.documents
        assert len(found) == 0 if filters == {"type": "nothing"} else len(found) > 0


def test_directions_that_are_documents(collection, sqlite, other):
    for place in (0, 19, 20, 39):
        question = collection.vectors[place]
        expected = sqlite.vector(question, limit=3)
        assert {collection.documents[place].id, ("copy", place)} == set(expected.ids[:2])
        assert other.vector(question, limit=3) == expected


def test_an_engine_over_them_gives_the_same_text(collection, sqlite, other):
    for text in collection.texts[:10]:
        contexts = [
            rm.RetrievalEngine(rm.StoreMemory(store, collection.embedder))
            .retrieve(text, user_id=user)
            .context
            for store in (sqlite, other)
            for user in (None, "2")
        ]
        assert contexts[0].text == contexts[2].text != ""
        assert contexts[1].text == contexts[3].text


def test_words_find_the_same_documents(collection, sqlite, other):
    """Each stems and scores in its own way, so some are found by one alone, and the order is its own."""
    for text in collection.texts:
        expected, found = sqlite.lexical(text, limit=None), other.lexical(text, limit=None)
        shared = len(set(expected.ids) & set(found.ids))
        assert shared > 0.9 * max(len(expected), len(found))
        assert len(set(expected.ids[:10]) & set(found.ids[:10])) >= 4
