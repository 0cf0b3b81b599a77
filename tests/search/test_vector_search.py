"""Searching any vector index: filters mean what they mean to a store, whatever the index can do."""

from __future__ import annotations

import datetime as dt
import enum
import importlib
import importlib.util
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.embed import CallableEmbedder
from reference import vector_search as oracle
from support.check import fused
from support.refusals import refusal

#: Qdrant's local mode, where its client is installed.
QDRANT = (
    None
    if importlib.util.find_spec("qdrant_client") is None
    else importlib.import_module("qdrant_client").QdrantClient(":memory:")
)
VECTOR = [1.0, 0.0]
MODEL = CallableEmbedder(lambda texts: np.ones((len(texts), 2), np.float32), model="m", dimensions=2)


class Colour(enum.StrEnum):
    RED = "red"


class Level(enum.IntEnum):
    SEVEN = 7


class Index:
    """Gives what it was made with, and remembers what it was asked for."""

    def __init__(self, stored: Any, filtering: Any = "none") -> None:
        self.stored, self.filtering = stored, filtering
        self.asked: list[rm.VectorQuery] = []

    def capabilities(self) -> Any:
        return rm.IndexCapabilities(self.filtering)

    def search(self, query: rm.VectorQuery, /) -> Any:
        self.asked.append(query)
        return self.stored


DOCUMENTS = {
    "a": rm.Document("a", metadata={"type": "note"}, created_at="2024-01-01"),
    "b": rm.Document("b", metadata={"type": "rule", "colour": Colour.RED, "level": 7}),
}
STORED = [("x", 0.9), ("a", 0.8), ("b", 0.7)]


def search(index: Any, limit: Any = 2, filters: Any = None, lookup: Any = DOCUMENTS, **options: Any) -> Any:
    return rm.search_vectors(index, rm.VectorQuery(VECTOR, limit, filters), lookup, **options)


VALUES = st.one_of(
    st.sampled_from(
        ["a", "A", "7", "", "e\u0301", "\u00e9", "True", "None", "\ud800", "\ufffd", Colour.RED, "red"]
    ),
    st.sampled_from([7, 7.0, True, None, Level.SEVEN, 0, b"a"]),
)
MOMENTS = st.sampled_from(["2024-01-01", "2024-01-02", dt.datetime(2024, 1, 1, 12), 1_704_067_200.0])
METADATA = st.dictionaries(
    st.sampled_from(["project", "scope", "type", "source", "colour", "7", "e\u0301"]), VALUES, max_size=4
)
FILTERS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(
            ["project", "type", "metadata.colour", "metadata.7", "metadata.\u00e9"],
            VALUES | st.lists(VALUES.filter(lambda value: value is not None), max_size=3),
        ),
        "created_at": st.tuples(MOMENTS | st.sampled_from([None, ""]), MOMENTS | st.none()),
    },
)


@st.composite
def collections(draw: st.DrawFn) -> list[rm.Document]:
    made = draw(st.lists(st.tuples(METADATA, MOMENTS | st.none()), min_size=1, max_size=8))
    return [
        rm.Document(n, f"text {n}", metadata=metadata, created_at=created)
        for n, (metadata, created) in enumerate(made)
    ]


ONE_OF_EACH = [
    rm.Document(0, "text 0", metadata={"type": None, "colour": Colour.RED, 7: "seven"}),
    rm.Document(1, "text 1", metadata={"type": "None", "level": Level.SEVEN}, created_at="2024-01-01"),
    rm.Document(2, "text 2", metadata={"type": "e\u0301", "7": 7.0}, created_at="2024-01-02"),
    rm.Document(
        3, "text 3", metadata={"type": ["a", "b"], "level": True}, created_at="2024-01-03T00:00:00+02:00"
    ),
]
TABLE = [
    ({}, [0, 1, 2, 3]),
    ({"type": "None"}, [1]),
    ({"type": "\u00e9"}, [2]),
    ({"type": "a"}, []),
    ({"type": []}, []),
    ({"type": ["None", "\u00e9"], "metadata.level": 7}, [1]),
    ({"metadata.colour": "red"}, [0]),
    ({"metadata.colour": Colour.RED}, [0]),
    ({"metadata.level": "7"}, [1]),
    ({"metadata.level": 1}, []),
    ({"metadata.level": "True"}, [3]),
    ({"metadata.7": ["seven", "7.0"]}, [0, 2]),
    ({"metadata.7": 7}, []),
    ({"created_at": (None, "2024-01-02")}, [1]),
    ({"created_at": ("2024-01-02", None)}, [2, 3]),
    ({"created_at": ("2024-01-01", "2024-01-02T22:00:00Z")}, [1, 2]),
    ({"created_at": (None, "")}, [0, 1, 2, 3]),
    ({"created_at": ("2024-01-02", "2024-01-01")}, []),
]


@pytest.mark.parametrize(("filters", "expected"), TABLE)
def test_what_meets_a_filter(filters: dict[str, Any], expected: list[int]) -> None:
    assert agreed(ONE_OF_EACH, filters) == expected


@given(collections(), FILTERS)
def test_a_document_is_asked_as_a_store_and_an_index_of_words_ask_it(
    documents: list[rm.Document], filters: dict[str, Any]
) -> None:
    agreed(documents, filters)


def agreed(documents: list[rm.Document], filters: dict[str, Any]) -> list[Any]:
    """The ids of what meets the filters, on which every way to ask agrees."""
    index = Index([(document.id, 1.0) for document in documents])
    found: list[Any] = search(index, None, filters, {document.id: document for document in documents}).ids
    assert found == [document.id for document in documents if oracle.meets(document, filters)]
    with rm.SqliteStore(":memory:") as store:
        store.add(documents, vectors=np.ones((len(documents), 2), np.float32), embedder=MODEL)
        assert store.vector(VECTOR, limit=None, filters=filters).ids == found
        assert search(index, None, filters, store).ids == found
        assert search(store, None, filters, store).ids == found
    if QDRANT is not None:
        collection = rm.QdrantStore(QDRANT, "agreed")
        QDRANT.delete_collection("agreed")
        collection.add(documents, vectors=np.ones((len(documents), 2), np.float32), embedder=MODEL)
        assert search(collection, None, filters, collection).ids == found
        assert sorted(collection.lexical("text", limit=None, filters=filters).ids) == found
    words = rm.BM25Index()
    words.add(documents)
    assert sorted(words.search("text", limit=None, filters=filters).ids) == found
    return found


@given(
    st.lists(st.tuples(st.integers(0, 9), st.floats(-1, 1)), max_size=25),
    collections(),
    FILTERS,
    st.tuples(st.sampled_from(["pre", "post", "none"]), st.integers(0, 9)),
    st.booleans(),
)
def test_parity(stored, documents, filters, index, unknown) -> None:
    filtering, limit = index
    held = {document.id: document for document in documents}
    asked = {**filters, **({"color": "red"} if unknown else {})}
    found = search(Index(stored, filtering), limit, asked, held, strict=False)
    assert fused(found) == oracle.search_vectors(
        lambda pool: stored[:pool], filtering, limit, asked, held, strict=False
    )
    for hit in found:
        assert hit.document is None or hit.document is held[hit.id]


def test_an_index_that_filters_first_is_asked_for_no_more_and_the_lookup_not_at_all() -> None:
    index = Index(STORED, "pre")
    assert search(index, 2, {"type": "note", "scope": "", "source": None}, Lookup(fails=True)).ids == [
        "x",
        "a",
    ]
    assert [(query.limit, query.filters) for query in index.asked] == [(2, {"type": "note"})]


@pytest.mark.parametrize("filtering", ["post", "none"])
def test_others_are_asked_for_three_times_as_many(filtering: str) -> None:
    index = Index(STORED, filtering)
    assert fused(search(index, 2, {"type": ["note", "rule"]})) == [("a", 0.8), ("b", 0.7)]
    assert index.asked[0].limit == 2 * rm.POST_FILTER_POOL == 6
    assert index.asked[0].vector is VECTOR
    assert search(index, None, {"metadata.colour": "red", "metadata.level": "7"}).ids == ["b"]
    assert index.asked[1].limit is None
    assert search(index, 0).ids == []
    assert len(index.asked) == 2


def test_capabilities_that_tell_nothing_are_no_promise() -> None:
    class Fails(Index):
        def capabilities(self) -> Any:
            raise RuntimeError

    class Garbage(Index):
        def capabilities(self) -> Any:
            return "pre"

    class Bare:
        def search(self, query: rm.VectorQuery) -> Any:
            return STORED

    class Waits(Index):
        async def capabilities(self) -> Any:
            return rm.IndexCapabilities("pre")

    for index in (Fails(STORED), Garbage(STORED), Bare(), Waits(STORED)):
        assert search(index, 1, {"type": "rule"}).ids == ["b"]


def test_hits_have_their_documents_where_the_filters_were_applied_here_and_say_so() -> None:
    found = search(Index(STORED), 2, {"type": ["note", "rule"]})
    assert found.documents == [DOCUMENTS["a"], DOCUMENTS["b"]]
    assert "filtered" in str(found.explain("a"))
    assert search(Index(STORED), 2).documents == [None, None]


def test_what_an_index_gives_is_read_as_any_ranking() -> None:
    assert fused(search(Index((np.array([4, 5]), np.array([0.5, 0.25], np.float32))))) == [
        (4, 0.5),
        (5, 0.25),
    ]
    assert search(Index([("a", 0.1), ("a", 0.2), ("b", 0.3)])).ids == ["a", "a"]
    assert search(Index([(n, 1.0) for n in range(100)]), 3).ids == [0, 1, 2]
    endless = iter(lambda: ("a", 1.0), None)
    assert search(Index(endless), 2, {"type": "note"}).ids == ["a", "a"]
    assert search(Index([])).ids == []
    assert search(None).ids == []


@pytest.mark.parametrize(
    ("stored", "kind", "text"),
    [
        (None, TypeError, "index.search gave no ranking of (id, score) pairs: "),
        ("abc", TypeError, "index.search gave no ranking of (id, score) pairs: "),
        (
            [("a", 1.0), ("b", float("nan"))],
            rm.InvalidScoreError,
            "index.search, position 1, id 'b': the score is absent or NaN; scores must be finite",
        ),
        (
            [("a", float("inf"))],
            rm.InvalidScoreError,
            "index.search, position 0, id 'a': the score is inf; scores must be finite",
        ),
        (
            ["a"],
            rm.InvalidScoreError,
            "index.search, position 0, id 'a': there is no score; give (id, score) pairs",
        ),
    ],
)
def test_garbage_of_an_index_is_told(stored: Any, kind: type[Exception], text: str) -> None:
    assert refusal(kind, search, Index(stored)).startswith(text)


def test_what_a_search_raises_is_not_hidden() -> None:
    class Down(Index):
        def search(self, query: rm.VectorQuery, /) -> Any:
            raise ConnectionError("down")

    class Waits(Index):
        async def search(self, query: rm.VectorQuery, /) -> Any:
            return STORED

    with pytest.raises(ConnectionError, match="down"):
        search(Down(STORED))
    assert refusal(TypeError, search, Waits(STORED)).endswith("wrap it in a plain function that waits")


UNKNOWN = (
    "filters has the unknown key 'colour'; it must be one of 'project', 'scope', 'type', 'source', "
    "'created_at', or 'metadata.colour' for a key of the metadata"
)
NO_LOOKUP = (
    "lookup must be an object with `get(id)`, such as a SqliteStore or a dict of documents, not NoneType"
)


@pytest.mark.parametrize("index", [None, Index(STORED), Index(STORED, "pre")])
@pytest.mark.parametrize(
    ("change", "kind", "text"),
    [
        (
            {"filters": {"colour": "red"}},
            rm.InvalidArgumentError,
            UNKNOWN,
        ),
        ({"filters": ["type"]}, TypeError, "filters must be a mapping of conditions, not list"),
        ({"limit": -1}, rm.InvalidArgumentError, "query.limit is -1; it must be 0 or more, or None for all"),
        ({"limit": True}, TypeError, "query.limit must be an integer or None, not bool"),
        ({"strict": 1}, TypeError, "strict must be True or False, not int"),
        (
            {"lookup": None},
            TypeError,
            NO_LOOKUP,
        ),
    ],
)
def test_arguments_are_checked_before_anything_is_asked(
    index: Any, change: dict[str, Any], kind: type[Exception], text: str
) -> None:
    assert refusal(kind, search, index, **change) == text
    assert index is None or not index.asked


def test_wrong_kinds_are_told() -> None:
    assert refusal(TypeError, rm.search_vectors, None, VECTOR, {}) == (
        "query must be a VectorQuery, not list; make one with VectorQuery(vector, limit, filters)"
    )
    assert refusal(TypeError, search, Index) == (
        "index must be an object with `search(query)`, such as a SqliteStore, or None, not the class Index"
    )
    assert refusal(TypeError, search, {}) == (
        "index must be an object with `search(query)`, such as a SqliteStore, or None, not dict"
    )
    for vector, text in (
        ([1.0, float("nan")], "query.vector is nan in dimension 1; every number must be finite"),
        ([], "query.vector is empty; it must have the width of the index's vectors"),
        ([[1.0]], "query.vector has 2 dimension(s) (shape [1, 1]); it must have 1"),
    ):
        query = rm.VectorQuery(vector, 1)
        assert refusal(rm.InvalidArgumentError, rm.search_vectors, None, query, {}) == text


class Lookup:
    """A dict of documents that counts, and can fail."""

    def __init__(self, documents: Any = DOCUMENTS, *, fails: bool = False) -> None:
        self.documents, self.fails = documents, fails
        self.singles: list[Any] = []

    def get(self, id: Any, /) -> Any:
        self.singles.append(id)
        if self.fails:
            raise RuntimeError("no lookup")
        return self.documents.get(id)


def test_a_lookup_that_fails_has_no_documents() -> None:
    assert search(Index(STORED), 2, {"type": "note"}, Lookup(fails=True)).ids == []
    assert search(Index(STORED), 2, {}, Lookup(fails=True)).ids == ["x", "a"]
