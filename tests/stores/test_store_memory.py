"""A store as an engine's memory: by vector, by words, for one user, over any object that is a store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.embed import CallableEmbedder


def _count(texts: list[str]) -> list[list[float]]:
    return [[1.0 + text.count("fox"), float(text.count("bear")), 1.0] for text in texts]


EMBEDDER = CallableEmbedder(_count, model="toy", dimensions=3)

DOCUMENTS = [
    rm.Document("a", "a fox runs", metadata={"user_id": "ann", "project": "x"}),
    rm.Document("b", "a bear sleeps", metadata={"user_id": "bob", "project": "x"}),
    rm.Document("c", "a fox and a bear", metadata={"user_id": "ann", "project": "y"}),
    rm.Document("d", "nothing of the kind", metadata={"user_id": ""}),
    rm.Document("e", "the fox of everybody"),
]


@pytest.fixture
def store() -> Iterator[rm.SqliteStore]:
    with rm.SqliteStore(":memory:") as opened:
        opened.add(DOCUMENTS, embedder=EMBEDDER)
        yield opened


class Recorded:
    """A store that says what it was asked."""

    def __init__(self, answer: Any = (), **told: Any) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.answer = answer
        self.__dict__.update(told)

    def vector(self, query_vector: Any, *, limit: int, filters: Any) -> Any:
        self.calls.append(("vector", np.asarray(query_vector).tolist(), limit, filters))
        return self.answer

    def lexical(self, query: str, *, limit: int, filters: Any) -> Any:
        self.calls.append(("lexical", query, limit, filters))
        return self.answer


class Asynchronous:
    """The same face, awaited; it tells what it has by methods."""

    def __init__(self, inner: rm.SqliteStore) -> None:
        self.inner = inner

    async def vector(self, query_vector: Any, *, limit: int, filters: Any) -> Any:
        await asyncio.sleep(0)
        return self.inner.vector(query_vector, limit=limit, filters=filters)

    async def lexical(self, query: str, *, limit: int, filters: Any) -> Any:
        return self.inner.lexical(query, limit=limit, filters=filters)

    async def model(self) -> str | None:
        return self.inner.model

    async def dimensions(self) -> int | None:
        return self.inner.dimensions


def test_vectors_give_cosines(store: rm.SqliteStore) -> None:
    found = rm.StoreMemory(store, EMBEDDER).search_candidates("fox", user_id=None, top_k=3)
    expected = store.vector(EMBEDDER.embed_query("fox"), limit=3)
    assert found == expected
    assert all(document is not None for document in found.documents)
    assert found.scores.tolist() == pytest.approx(
        sorted(rm.cosine_scores(EMBEDDER.embed_query("fox"), EMBEDDER([d.text for d in DOCUMENTS])))[::-1][:3]
    )


def test_words_give_saturated_scores_in_the_same_order(store: rm.SqliteStore) -> None:
    found = rm.StoreMemory(store, None).search_candidates("bear kind", top_k=10)
    plain = store.lexical("bear kind", limit=10)
    assert found.ids == plain.ids
    assert found.scores.tolist() == [score / (1 + score) for score in plain.scores.tolist()]
    (step,) = found.explain(found.ids[0]).stages
    assert step.details["score_before"] == plain.scores[0]


@pytest.mark.parametrize("embedder", [EMBEDDER, None])
def test_a_user_sees_only_their_own(store: rm.SqliteStore, embedder: Any) -> None:
    memory = rm.StoreMemory(store, embedder)
    assert set(memory.search_candidates("fox bear kind", user_id="ann", top_k=9).ids) == {"a", "c"}
    assert set(memory.search_candidates("fox bear kind", user_id="", top_k=9).ids) == {"d"}
    assert memory.search_candidates("fox bear", user_id=("ann", "bob"), top_k=9).ids == []
    assert set(memory.search_candidates("fox bear kind", top_k=9).ids) == set("abcde")


def test_filters_and_user_hold_together(store: rm.SqliteStore) -> None:
    filters = {"project": "x"}
    memory = rm.StoreMemory(store, EMBEDDER, filters=filters)
    filters["project"] = "y"  # the memory has its own
    assert memory.search_candidates("fox", user_id="ann").ids == ["a"]
    assert set(memory.search_candidates("fox").ids) == {"a", "b"}


def test_the_user_is_the_filter_on_the_metadata() -> None:
    store = Recorded()
    memory = rm.StoreMemory(store, None, filters={"type": "note"})
    memory.search_candidates("a word", user_id="ann", top_k=5)
    memory.search_candidates("a word", top_k=5)
    memory.search_candidates("a word", user_id=7, top_k=5)
    assert store.calls == [
        ("lexical", "a word", 5, {"type": "note", "metadata.user_id": "ann"}),
        ("lexical", "a word", 5, {"type": "note"}),
        ("lexical", "a word", 5, {"type": "note", "metadata.user_id": [7]}),
    ]


def test_a_store_without_vectors_is_searched_by_words() -> None:
    with rm.SqliteStore(":memory:") as store:
        store.add(DOCUMENTS)
        found = rm.StoreMemory(store, EMBEDDER).search_candidates("bear", top_k=9)
    assert set(found.ids) == {"b", "c"}


def test_the_embedder_must_be_the_one_of_the_store(store: rm.SqliteStore) -> None:
    other = CallableEmbedder(_count, model="other", dimensions=3)
    with pytest.raises(
        rm.InvalidArgumentError, match=r"of model 'toy', and embedder is 'other'; search with"
    ):
        rm.StoreMemory(store, other).search_candidates("fox", top_k=1)
    wide = CallableEmbedder(lambda texts: [[1.0] * 4 for _ in texts], model="toy")
    with pytest.raises(
        rm.InvalidArgumentError, match=r"query_vector has 4 dimensions and the vectors of the"
    ):
        rm.StoreMemory(store, wide).search_candidates("fox", top_k=1)
    untold = Recorded([("a", 0.5)], model="toy", dimensions=3)
    with pytest.raises(rm.InvalidArgumentError, match=r"vectors of store Recorded are of model 'toy'"):
        rm.StoreMemory(untold, other).search_candidates("fox", top_k=1)
    assert untold.calls == []


def test_a_store_that_tells_nothing_is_trusted() -> None:
    store = Recorded([("a", 0.5), ("b", 0.25), ("c", 0.0)])
    assert rm.StoreMemory(store, EMBEDDER).search_candidates("fox", top_k=2).ids == ["a", "b"]
    assert store.calls == [("vector", [2.0, 0.0, 1.0], 2, None)]


def test_nothing_asked_nothing_found(store: rm.SqliteStore) -> None:
    memory = rm.StoreMemory(store, EMBEDDER)
    assert memory.search_candidates("", top_k=5).ids == []
    assert memory.search_candidates(" ?! ", top_k=5).ids == []
    assert memory.search_candidates("fox", top_k=0).ids == []


def test_a_query_asked_twice_is_embedded_once(store: rm.SqliteStore) -> None:
    asked: list[str] = []

    def embed(texts: list[str]) -> Any:
        asked.extend(texts)
        return _count(texts)

    cache = rm.QueryEmbeddingCache()
    memory = rm.StoreMemory(store, CallableEmbedder(embed, model="toy"), query_cache=cache)
    first, second = (memory.search_candidates("fox", top_k=2) for _ in range(2))
    assert first == second
    assert asked == ["fox"]
    assert (cache.hits, cache.misses) == (1, 1)


class AwaitedEmbedder:
    """An embedder whose queries are awaited."""

    model, dimensions = "toy", EMBEDDER.dimensions

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, texts: list[str]) -> Any:
        return _count(texts)

    async def embed_query(self, text: str) -> Any:
        self.asked.append(text)
        await asyncio.sleep(0)
        return _count([text])[0]


class BothWays(AwaitedEmbedder):
    """One that can be waited for as well."""

    def embed_query(self, text: str) -> Any:  # type: ignore[override]
        return _count([text])[0]

    aembed_query = AwaitedEmbedder.embed_query


@pytest.mark.parametrize("kind", [AwaitedEmbedder, BothWays])
@pytest.mark.parametrize("cache", [None, rm.QueryEmbeddingCache()])
def test_an_embedder_that_can_be_awaited_is_awaited(store: rm.SqliteStore, kind: Any, cache: Any) -> None:
    embedder, expected = kind(), rm.StoreMemory(store, EMBEDDER).search_candidates("fox", top_k=2)
    if cache is not None:
        cache.clear()
    memory = rm.StoreMemory(store, embedder, query_cache=cache)
    for _ in range(2):
        assert asyncio.run(memory.asearch_candidates("fox", top_k=2)) == expected
    assert embedder.asked == ["fox"] * (2 if cache is None else 1)
    if kind is BothWays:
        assert memory.search_candidates("fox", top_k=2) == expected
        return
    with pytest.raises(TypeError, match=r"embed_query is asynchronous.*await memory\.asearch_candidates"):
        memory.search_candidates("bear", top_k=2)


@pytest.mark.parametrize(
    ("top_k", "kind", "message"),
    [
        (-1, rm.InvalidArgumentError, "top_k is -1; it must be 0 or more"),
        (None, TypeError, "top_k must be an integer, not NoneType"),
        (True, TypeError, "top_k must be an integer, not bool"),
    ],
)
def test_how_many_must_be_said(store: rm.SqliteStore, top_k: Any, kind: type, message: str) -> None:
    with pytest.raises(kind) as refusal:
        rm.StoreMemory(store, None).search_candidates("fox", top_k=top_k)
    assert str(refusal.value) == message


def test_a_memory_says_what_it_is_made_of(store: rm.SqliteStore) -> None:
    memory = rm.StoreMemory(store, EMBEDDER, filters={"type": "note"})
    assert repr(memory) == "StoreMemory(SqliteStore, 'toy', filters={'type': 'note'})"
    assert repr(rm.StoreMemory(store, None)) == "StoreMemory(SqliteStore, None)"


def test_an_asynchronous_store_is_awaited(store: rm.SqliteStore) -> None:
    plain = rm.StoreMemory(store, EMBEDDER)
    for embedder in (EMBEDDER, None):
        memory = rm.StoreMemory(Asynchronous(store), embedder)
        expected = rm.StoreMemory(store, embedder).search_candidates("fox bear", user_id="ann", top_k=5)

        async def ask(memory: Any = memory) -> list[Any]:
            return [
                await memory.search_candidates("fox bear", user_id="ann", top_k=5),
                await memory.asearch_candidates("fox bear", user_id="ann", top_k=5),
            ]

        assert asyncio.run(ask()) == [expected, expected]
    assert asyncio.run(plain.asearch_candidates("fox", top_k=2)) == plain.search_candidates("fox", top_k=2)
    other = rm.StoreMemory(Asynchronous(store), CallableEmbedder(_count, model="other"))
    with pytest.raises(rm.InvalidArgumentError, match="of model 'toy', and embedder is 'other'"):
        asyncio.run(other.asearch_candidates("fox", top_k=2))


def test_a_plain_call_of_what_turns_out_asynchronous_is_refused() -> None:
    class Late(Recorded):
        def lexical(self, query: str, *, limit: int, filters: Any) -> Any:
            async def later() -> Any:
                return []

            return later()

    with pytest.raises(TypeError, match=r"store\.lexical is asynchronous .*; write `await memory\.asearch"):
        rm.StoreMemory(Late(), None).search_candidates("fox", top_k=1)
    assert asyncio.run(rm.StoreMemory(Late(), None).asearch_candidates("fox", top_k=1)).ids == []


class WordsOnly:
    """Half a store."""

    def lexical(self, query: str, *, limit: int, filters: Any) -> Any:
        return [("a", 3.0)]


def test_half_a_store_is_enough() -> None:
    assert rm.StoreMemory(WordsOnly(), EMBEDDER).search_candidates("fox", top_k=1)[0].score == 0.75


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: rm.StoreMemory({}, EMBEDDER), TypeError, "`vector` or `lexical`, and dict has neither"),
        (
            lambda: rm.StoreMemory(rm.SqliteStore, EMBEDDER),
            TypeError,
            "store is the class SqliteStore; pass one",
        ),
        (lambda: rm.StoreMemory(WordsOnly(), len), TypeError, "embedder must have model and embed_query"),
        (lambda: rm.StoreMemory(Recorded(), None, filters={"x": 1}), ValueError, "the unknown key 'x'"),
        (
            lambda: rm.StoreMemory(Recorded(), None, query_cache={}),
            TypeError,
            "query_cache must be a QueryEmbeddingCache or None, not dict",
        ),
        (
            lambda: rm.StoreMemory(type("V", (), {"vector": len})(), None),
            TypeError,
            "embedder is None, so the store is searched by words, and V has no method `lexical`",
        ),
        (lambda: _asked(top_k=None), TypeError, "top_k must be an integer, not NoneType"),
        (lambda: _asked(top_k=-1), ValueError, "top_k is -1; it must be 0 or more"),
        (lambda: _asked(user_id=len), TypeError, "must be a value or a list of values, not builtin_function"),
        (
            lambda: rm.StoreMemory(Recorded(), None, filters={"metadata.user_id": "a"}).search_candidates(
                "fox", user_id="b"
            ),
            ValueError,
            "user_id is 'b', and filters has 'metadata.user_id' as well; give one of them",
        ),
        (lambda: _asked(answer=7), TypeError, "store.lexical gave no ranking: "),
        (
            lambda: _asked(answer=["a"]),
            ValueError,
            "store.lexical, position 0, id 'a': there is no finite score",
        ),
        (
            lambda: _asked(answer=[("a", 1.0), ("b", float("nan"))]),
            ValueError,
            "position 1, id 'b': there is no",
        ),
    ],
)
def test_refusals(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert text in str(caught.value)


def _asked(answer: Any = (), **options: Any) -> Any:
    return rm.StoreMemory(Recorded(answer), None).search_candidates("fox", **options)
