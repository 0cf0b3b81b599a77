"""Reranking by an embedder: against the oracle, and what the embedder is asked."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.embed import CallableEmbedder
from reference.rerankers import cosine_rerank as oracle
from rerankers.samples import HITS, QUERY, Calls, letters
from support.check import fused
from support.refusals import refusal

numbers = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, -7.25])
vectors = st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=8)


@given(vectors, st.integers(1, 9))
def test_equals_the_oracle(rows, size):
    """Each passage is the number of its vector, so that the embedder only looks it up."""
    given_hits = [(str(i), None, rm.Document(str(i), str(i))) for i in range(1, len(rows))]

    def embed(asked):
        return [rows[int(text)] for text in asked]

    found = fused(rm.CosineReranker(embed, batch_size=size).rerank("0", given_hits))
    expected = oracle(given_hits, rows[0], rows[1:])
    assert sorted(found) == [(id, pytest.approx(score, abs=1e-12)) for id, score in sorted(expected)]
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_passages_go_in_batches_and_blank_ones_stay_here():
    embed = Calls(letters)
    hits = [("none", 9.0, None), *HITS, ("spaces", 9.0, rm.Document("s", " \n"))]
    found = rm.CosineReranker(embed, batch_size=3).rerank(QUERY, hits)
    asked = [texts for (texts,) in embed.calls]
    assert asked == [[h.document.text for h in HITS[:3]], [HITS[3].document.text], [QUERY]]
    assert [hit.score for hit in found if hit.id in ("none", "blank", "spaces")] == [0.0] * 3
    assert found.ids[-3:] == ["none", "blank", "spaces"]


def test_where_all_passages_are_blank_nothing_is_asked():
    embed = Calls(letters)
    assert fused(rm.CosineReranker(embed).rerank(QUERY, ["a", "b"])) == [("a", 0.0), ("b", 0.0)]
    assert embed.calls == []


def test_one_call_for_all():
    embed = Calls(letters)
    rm.CosineReranker(embed, batch_size=None).rerank(QUERY, HITS * 100)
    assert [len(texts) for (texts,) in embed.calls] == [400, 1]


def test_an_embedder_embeds_its_queries_itself():
    class Model(CallableEmbedder):
        def embed_query(self, text):
            return -super().embed_query(text)

    plain = CallableEmbedder(letters, model="letters")
    assert rm.CosineReranker(plain).rerank(QUERY, HITS) == rm.CosineReranker(letters).rerank(QUERY, HITS)
    turned = rm.CosineReranker(Model(letters, model="turned")).rerank(QUERY, HITS)
    assert turned[0].id == "blank"  # 0 is above the others now


def test_an_embedder_may_be_asynchronous_in_part():
    class Service:
        def __call__(self, texts):
            return letters(texts)

        async def embed_query(self, text):
            await asyncio.sleep(0)
            return letters([text])[0]

    reranker = rm.CosineReranker(Service())
    expected = rm.CosineReranker(letters).rerank(QUERY, HITS)
    assert asyncio.run(reranker.arerank(QUERY, HITS)) == expected
    with pytest.raises(TypeError, match=r"Service\.embed_query is asynchronous"):
        reranker.rerank(QUERY, HITS)


@pytest.mark.parametrize("dtype", ["f2", "<f4", ">f8", "i1", "i8"])
def test_vectors_of_any_dtype(dtype):
    found = rm.CosineReranker(lambda texts: letters(texts).astype(dtype)).rerank(QUERY, HITS)
    expected = rm.CosineReranker(letters).rerank(QUERY, HITS)
    assert found.ids == expected.ids
    assert found.scores.tolist() == pytest.approx(expected.scores.tolist())


def test_tensors_and_lists_are_arrays():
    for embed in (lambda texts: letters(texts).tolist(), lambda texts: np.asfortranarray(letters(texts))):
        assert rm.CosineReranker(embed).rerank(QUERY, HITS) == rm.CosineReranker(letters).rerank(QUERY, HITS)


class LikeLangchain:
    """An embedder of another library."""

    def embed_documents(self, texts):
        return letters(texts).tolist()


ROWS = {
    "a name": (
        "minilm",
        (
            "embedder must be an embedder or a callable texts -> (N, D), not str; pass load_embedder(...) "
            "of rankmeld.embed"
        ),
    ),
    "another library's": (
        LikeLangchain(),
        (
            "embedder must be an embedder or a callable texts -> (N, D), not LikeLangchain; pass its method "
            "LikeLangchain.embed_documents"
        ),
    ),
    "vectors": (
        np.ones((2, 2)),
        "embedder must be an embedder or a callable texts -> (N, D), not ndarray",
    ),
}


@pytest.mark.parametrize(("embedder", "text"), ROWS.values(), ids=ROWS)
def test_what_is_no_embedder_is_refused(embedder, text):
    assert refusal(TypeError, rm.CosineReranker, embedder) == text


def test_another_librarys_method_is_taken():
    found = rm.CosineReranker(LikeLangchain().embed_documents).rerank(QUERY, HITS)
    assert found == rm.CosineReranker(letters).rerank(QUERY, HITS)


def test_batch_size_is_checked():
    text = refusal(rm.InvalidArgumentError, lambda: rm.CosineReranker(letters, batch_size=-1))
    assert text == "batch_size is -1; it must be 1 or more, or None for all at once"


def test_repr_names_the_model():
    assert repr(rm.CosineReranker(letters)) == "CosineReranker(letters)"
    assert (
        repr(rm.CosineReranker(CallableEmbedder(letters, model="m")))
        == "CosineReranker(CallableEmbedder(model='m'))"
    )
    assert repr(rm.CosineReranker(Calls(letters), batch_size=2)) == "CosineReranker(Calls, batch_size=2)"


def test_batches_of_several_dtypes_are_rounded_to_none_of_them():
    """Whole numbers in the first batch, as of lists, must not cut what follows to whole numbers."""
    rows = {"one": [1, 0], "two": [0.6, 0.8], "question": [0.0, 1.0]}
    hits = [(text, 0.0, rm.Document(text, text)) for text in ("one", "two")]
    for size in (None, 1):
        found = rm.CosineReranker(lambda texts: [rows[text] for text in texts], batch_size=size)
        assert found.rerank("question", hits).scores.tolist() == [pytest.approx(0.8), 0.0]
