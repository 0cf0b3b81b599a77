"""Vectors of queries: keys, what comes back, what is never kept, one call for many."""

from __future__ import annotations

import asyncio
import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from enum import Enum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.dedup import folded


class Model:
    """Counts its calls and remembers what it was given."""

    def __init__(self, outcome=(1.0, 2.0, 3.0)):
        self.outcome, self.asked = outcome, []

    def __call__(self, text):
        self.asked.append(text)
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


@given(st.text(), st.text(st.characters(exclude_characters="\0")))
def test_the_key_is_the_model_and_the_folded_query(query, model):
    key = rm.query_embedding_cache_key(model, query)
    assert key == f"{model}\0{folded(query)}"
    assert rm.query_embedding_cache_key(model, f" \t{query}\u3000") == key
    assert rm.query_embedding_cache_key(model, unicodedata.normalize("NFD", query)) == key


def test_keys_of_two_models_never_meet():
    assert rm.query_embedding_cache_key("m", "x") != rm.query_embedding_cache_key("mx", "")
    with pytest.raises(rm.InvalidArgumentError) as caught:
        rm.query_embedding_cache_key("m\0x", "q")
    assert str(caught.value) == r"model is 'm\x00x'; it must not contain NUL, which ends it in the key"


def test_a_member_of_an_enum_is_the_text_it_stands_for():
    class Model(str, Enum):  # noqa: UP042 - the older kind prints otherwise
        SMALL = "small"

        def __str__(self):
            return "printed"

        __format__ = str.__format__

    assert rm.query_embedding_cache_key(Model.SMALL, Model.SMALL) == "small\0small"


@pytest.mark.parametrize(
    ("model", "query", "message"),
    [(1, "q", "model must be a str, not int"), ("m", b"q", "query must be a str, not bytes")],
)
def test_wrong_kinds_are_named(model, query, message):
    for call in (rm.query_embedding_cache_key, lambda m, q: rm.QueryEmbeddingCache().embed(m, q, Model())):
        with pytest.raises(TypeError) as caught:
            call(model, query)
        assert str(caught.value) == message


def test_a_query_is_embedded_once_and_from_its_own_text():
    cache, model = rm.QueryEmbeddingCache(), Model()
    first = cache.embed("m", "  Straße \u0130 ", model)
    again = cache.embed("m", "STRASSE i\u0307", model)
    assert model.asked == ["  Straße \u0130 "]
    assert first.tolist() == again.tolist() == [1.0, 2.0, 3.0]
    assert (first.dtype, first.shape) == (np.float32, (3,))
    assert (cache.hits, cache.misses, len(cache)) == (1, 1, 1)
    assert cache.stats().bytes == 12
    cache.clear()
    assert len(cache) == 0


def test_no_caller_changes_what_others_get():
    source = np.array([1.0, 2.0, 3.0], np.float32)
    cache = rm.QueryEmbeddingCache()
    first = cache.embed("m", "q", lambda _: source)
    source[:] = 7.0  # the function's own array
    for vector in (first, cache.embed("m", "q", Model())):
        with pytest.raises(ValueError, match="read-only"):
            vector[0] = 99.0
        with pytest.raises(ValueError, match="WRITEABLE"):
            vector.flags.writeable = True
        with pytest.raises(ValueError, match="WRITEABLE"):
            vector.base.flags.writeable = True
    assert cache.embed("m", "q", Model()).tolist() == [1.0, 2.0, 3.0]
    assert cache.embed("m", "q", Model()) is not first


@pytest.mark.parametrize("empty", [[], (), np.empty(0), np.empty((0, 384)), np.empty((1, 0))], ids=repr)
def test_empty_vectors_are_never_kept(empty):
    cache, model = rm.QueryEmbeddingCache(), Model(empty)
    assert cache.embed("m", "q", model).shape == (0,)
    assert cache.embed("m", "q", model).size == 0
    assert (len(model.asked), len(cache), cache.misses) == (2, 0, 2)
    model.outcome = [5.0]
    assert cache.embed("m", "q", model).tolist() == [5.0]


def test_errors_are_never_kept():
    cache, model = rm.QueryEmbeddingCache(), Model(OSError("no model"))
    for _ in range(2):
        with pytest.raises(OSError, match="no model"):
            cache.embed("m", "q", model)
    assert (len(model.asked), len(cache)) == (2, 0)
    model.outcome = np.arange(3)
    assert cache.embed("m", "q", model).tolist() == [0.0, 1.0, 2.0]


SHAPED = "fn must give one vector of numbers, of shape (D,); it gave "
UNUSABLE = "fn gave a vector with NaN, an infinity or a number beyond float32"


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        ([[1.0, 2.0]], SHAPED + "shape (1, 2)"),
        (1.0, SHAPED + "shape ()"),
        (None, SHAPED + "NoneType"),
        ("vector", SHAPED + "str"),
        ([[1.0], [1.0, 2.0]], SHAPED + "list"),
        ([True, False], SHAPED + "list"),
        ([1.0, float("nan")], UNUSABLE),
        ([1.0, float("inf")], UNUSABLE),
        ([1e39], UNUSABLE),
    ],
    ids=repr,
)
def test_what_is_no_vector_is_refused_and_not_kept(outcome, message):
    cache = rm.QueryEmbeddingCache()
    with pytest.raises(rm.InvalidArgumentError) as caught:
        cache.embed("m", "q", lambda _: outcome)
    assert str(caught.value) == message
    assert len(cache) == 0


@pytest.mark.parametrize("kind", ["list", "float64", "big-endian", "strided", "int8"])
def test_any_form_of_a_vector_will_do(kind):
    numbers = np.array([1, -2, 3])
    forms = {
        "list": numbers.tolist(),
        "float64": numbers.astype(float),
        "big-endian": numbers.astype(">f4"),
        "strided": np.repeat(numbers, 3)[::3],
        "int8": numbers.astype(np.int8),
    }
    assert rm.QueryEmbeddingCache().embed("m", "q", lambda _: forms[kind]).tolist() == [1.0, -2.0, 3.0]


def test_capacity_and_time():
    cache, model = rm.QueryEmbeddingCache(capacity=2, ttl=None), Model()
    for query in ("a", "b", "c", "a"):
        cache.embed("m", query, model)
    assert model.asked == ["a", "b", "c", "a"]
    with pytest.raises(rm.InvalidArgumentError, match="ttl is 0"):
        rm.QueryEmbeddingCache(ttl=0)
    with pytest.raises(rm.InvalidArgumentError, match="capacity is 0"):
        rm.QueryEmbeddingCache(capacity=0)


def test_threads_and_tasks_share_one_call():
    cache, started, go_on = rm.QueryEmbeddingCache(), threading.Event(), threading.Event()
    asked = []

    def embed(text):
        asked.append(text)
        started.set()
        assert go_on.wait(10)
        return [1.0]

    async def tasks():
        waiting = [asyncio.ensure_future(cache.aembed("m", "q ", lambda _: [2.0])) for _ in range(3)]
        await asyncio.sleep(0.1)
        go_on.set()
        return [vector.tolist() for vector in await asyncio.gather(*waiting)]

    with ThreadPoolExecutor(4) as pool:
        threads = [pool.submit(cache.embed, "m", " Q", embed) for _ in range(4)]
        assert started.wait(10)
        assert asyncio.run(tasks()) == [[1.0]] * 3
        assert [future.result(10).tolist() for future in threads] == [[1.0]] * 4
    assert asked == [" Q"]


def test_a_coroutine_embeds_too():
    cache, asked = rm.QueryEmbeddingCache(), []

    async def embed(text):
        await asyncio.sleep(0)
        asked.append(text)
        return np.array([1.0, 2.0])

    async def main():
        return [await cache.aembed("m", query, embed) for query in ("Q", "q")]

    assert [vector.tolist() for vector in asyncio.run(main())] == [[1.0, 2.0]] * 2
    assert asked == ["Q"]
    with pytest.raises(TypeError, match="fn gave a coroutine, which has to be awaited; use the async method"):
        cache.embed("m", "other", embed)


def test_an_embedders_method_fits():
    from rankmeld.embed import CallableEmbedder

    embedder = CallableEmbedder(lambda texts: [[len(text), 1.0] for text in texts], model="length")
    assert rm.QueryEmbeddingCache().embed(embedder.model, "four", embedder.embed_query).tolist() == [4.0, 1.0]
