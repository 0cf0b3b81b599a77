"""Reranking by BM25 among the candidates."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.rerankers import blend as oracle
from reference.rerankers import passages, read
from rerankers.samples import HITS, QUERY
from support.check import fused
from support.refusals import refusal

words = st.sampled_from(["vector", "vectors", "search", "the", "house", ""])
documents = st.one_of(
    st.none(), st.lists(words, max_size=6).map(lambda text: rm.Document("d", " ".join(text)))
)
hits = st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(-9, 9), documents), min_size=1, max_size=6)


@given(hits, words, st.sampled_from([0.0, 0.7]), st.sampled_from([0.0, 0.3, 1.0]), st.booleans())
def test_equals_the_oracle(given_hits, query, rank_weight, bm25_weight, normalized):
    reranker = rm.BM25Reranker(rank_weight=rank_weight, bm25_weight=bm25_weight, normalized=normalized)
    found = reranker.rerank(query, given_hits)
    similarity = rm.bm25_scores(query, passages(read(given_hits)), normalized=normalized).tolist()
    expected = oracle(given_hits, similarity, rank_weight, [bm25_weight], None)
    assert sorted(fused(found)) == [(id, pytest.approx(score)) for id, score in sorted(expected)]
    for line in found.explanation():
        details = line.stages[0].details
        assert details["rank_credit"] + details["bm25_credit"] == line.score
        assert details["bm25_credit"] == bm25_weight * details["bm25"]


def test_alone_it_is_bm25_and_needs_no_scores():
    texts = [hit.document.text for hit in HITS]
    bare = [(hit.id, None, hit.document) for hit in HITS]
    expected = dict(zip([hit.id for hit in HITS], rm.bm25_scores(QUERY, texts).tolist(), strict=True))
    assert dict(fused(rm.BM25Reranker().rerank(QUERY, bare))) == expected


def test_beside_the_score():
    found = dict(
        fused(rm.BM25Reranker(rank_weight=0.7, bm25_weight=0.3, normalized=True).rerank(QUERY, HITS))
    )
    assert found["vector"] == pytest.approx(0.7 * 0.8 + 0.3)
    assert found["river"] == pytest.approx(0.7 * 0.9)
    scaled = rm.BM25Reranker(rank_weight=1.0, bm25_weight=0.0, scale="minmax").rerank(QUERY, HITS)
    assert fused(scaled)[0] == ("river", 1.0)
    assert fused(scaled)[-1] == ("blank", 0.0)


def test_a_query_without_a_term_leaves_the_order():
    assert fused(rm.BM25Reranker().rerank("?", HITS)) == [(hit.id, 0.0) for hit in HITS]


def test_options_are_passed_on():
    hits = [
        ("long", None, rm.Document("l", "vector " * 3 + "word " * 20)),
        ("short", None, rm.Document("s", "vector")),
    ]
    assert rm.BM25Reranker(b=0.0).rerank("vector", hits).ids == ["long", "short"]
    assert rm.BM25Reranker(k1=0.0).rerank("vector", hits).ids == ["long", "short"]  # presence alone: a tie
    assert rm.BM25Reranker(b=1.0).rerank("vector", hits).ids == ["short", "long"]
    found = rm.BM25Reranker(tokenizer=str.split).rerank("vectors", HITS)
    assert found.explain("vector").stages[0].details["matches"] == ("vectors",)


def test_why_a_hit_moved():
    found = rm.BM25Reranker().rerank("finding vectors, finding a search", HITS)
    details = found.explain("vector").stages[0].details
    assert details["matches"] == ("vector", "search")
    assert details["position_before"] == 1
    assert found.explain("copper").stages[0].details["matches"] == ()


ROWS = {
    "negative weight": (
        {"bm25_weight": -1},
        rm.InvalidArgumentError,
        "bm25_weight is -1.0; it must not be negative",
    ),
    "NaN weight": (
        {"rank_weight": math.nan},
        rm.InvalidArgumentError,
        "rank_weight is nan; it must be finite",
    ),
    "unknown scale": (
        {"scale": "sum", "rank_weight": 1},
        rm.InvalidArgumentError,
        "scale is 'sum'; it must be 'max', 'minmax' or None",
    ),
    "a scale without effect": (
        {"scale": "max"},
        rm.InvalidArgumentError,
        (
            "scale is 'max', but rank_weight is 0, so that the ranking's scores do not count; give a "
            "rank_weight above 0, or leave scale out"
        ),
    ),
}


@pytest.mark.parametrize(("options", "kind", "text"), ROWS.values(), ids=ROWS)
def test_options(options, kind, text):
    assert refusal(kind, lambda: rm.BM25Reranker(**options)) == text


@pytest.mark.parametrize("options", [{"k1": -1.0}, {"b": 1.5}, {"b": math.nan}, {"normalized": "yes"}])
def test_c172_options_of_bm25_are_checked_before_any_data(options):
    with pytest.raises((TypeError, rm.InvalidArgumentError), match=next(iter(options))):
        rm.BM25Reranker(**options)


def test_a_tokenizer_is_not_called_before_there_is_a_text():
    def cut(text):
        if not text:
            raise ValueError("nothing to cut")
        return text.split()

    reranker = rm.BM25Reranker(tokenizer=cut)
    hits = [hit for hit in HITS if hit.document.text]
    assert reranker.rerank("vectors", hits) == rm.BM25Reranker(tokenizer=str.split).rerank("vectors", hits)


def test_repr_shows_what_was_chosen():
    assert repr(rm.BM25Reranker()) == "BM25Reranker()"
    assert repr(rm.BM25Reranker(b=0.5, tokenizer=str.split)) == "BM25Reranker(b=0.5, tokenizer=str.split)"
