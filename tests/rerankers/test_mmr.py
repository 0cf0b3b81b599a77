"""Reranking for diversity, with texts or with somebody's vectors."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeld as rm
from rerankers.samples import HITS, QUERY, Calls, letters
from support.check import fused
from support.refusals import refusal


def test_it_is_mmr_over_all_hits():
    for lambda_ in (0.0, 0.3, 0.7, 1.0):
        found = rm.MMRReranker(lambda_=lambda_).rerank(QUERY, HITS)
        assert found == rm.mmr(HITS, lambda_=lambda_)
        assert len(found) == len(HITS)


def test_with_an_embedder_it_is_mmr_by_cosine():
    vectors = letters([hit.document.passage for hit in HITS])
    found = rm.MMRReranker(similarity="cosine", embedder=letters, lambda_=0.3, batch_size=2).rerank(
        QUERY, HITS
    )
    assert found == rm.mmr(HITS, similarity="cosine", vectors=vectors, lambda_=0.3)
    assert (
        found.explanation() == rm.mmr(HITS, similarity="cosine", vectors=vectors, lambda_=0.3).explanation()
    )


def test_the_query_is_not_asked_about_and_hits_keep_their_scores():
    embed = Calls(letters)
    found = rm.MMRReranker(similarity="cosine", embedder=embed).rerank(QUERY, HITS)
    assert embed.calls == [([hit.document.text for hit in HITS if hit.document.text],)]
    assert dict(fused(found)) == {hit.id: hit.score for hit in HITS}
    assert rm.MMRReranker.ordered is False


def test_the_same_id_twice_has_two_vectors():
    hits = [("a", 0.9, rm.Document("a", "vvv")), ("a", 0.8, rm.Document("a", "eee")), ("b", 0.85, None)]
    found = rm.MMRReranker(similarity="cosine", embedder=letters, lambda_=0.5).rerank(QUERY, hits)
    assert [hit.id for hit in found] == ["a", "b", "a"]


def test_where_no_passage_says_anything_scores_decide():
    embed = Calls(letters)
    found = rm.MMRReranker(similarity="cosine", embedder=embed).rerank(QUERY, [("a", 0.1), ("b", 0.2)])
    assert found.ids == ["b", "a"]
    assert embed.calls == []


def test_c150_equal_hits_come_once_each_and_in_order():
    hits = [(id, 1.0, rm.Document(id, "one text")) for id in "abc"]
    assert rm.MMRReranker(lambda_=0.3).rerank(QUERY, hits).ids == ["a", "b", "c"]


ROWS = {
    "no embedder": (
        {"similarity": "cosine"},
        rm.InvalidArgumentError,
        "similarity is 'cosine', which needs vectors; give the embedder that makes them: embedder=",
    ),
    "an embedder too many": (
        {"embedder": letters},
        rm.InvalidArgumentError,
        (
            "embedder is given, but similarity is 'jaccard', which needs none; write similarity='cosine' to "
            "use it"
        ),
    ),
    "batches of nothing": (
        {"batch_size": 8},
        rm.InvalidArgumentError,
        "batch_size is given, but similarity is 'jaccard', which embeds nothing",
    ),
    "unknown similarity": (
        {"similarity": "dice"},
        rm.InvalidArgumentError,
        "similarity is 'dice'; it must be one of 'jaccard', 'cosine'",
    ),
    "a matrix": (
        {"similarity": np.eye(2)},
        TypeError,
        "similarity must be one of 'jaccard', 'cosine', not ndarray",
    ),
    "lambda": (
        {"lambda_": 1.5},
        rm.InvalidArgumentError,
        "lambda_ is 1.5; it must be within 0..1 (1: relevance alone, 0: diversity alone)",
    ),
    "no embedder at all": (
        {"similarity": "cosine", "embedder": "minilm"},
        TypeError,
        (
            "embedder must be an embedder or a callable texts -> (N, D), not str; pass load_embedder(...) of "
            "rankmeld.embed"
        ),
    ),
}


@pytest.mark.parametrize(("options", "kind", "text"), ROWS.values(), ids=ROWS)
def test_options(options, kind, text):
    assert refusal(kind, lambda: rm.MMRReranker(**options)) == text


@pytest.mark.parametrize("scale", ["max", 1])
def test_scale_is_checked_before_any_data(scale):
    with pytest.raises((TypeError, rm.InvalidArgumentError), match="scale"):
        rm.MMRReranker(scale=scale)


def test_repr_shows_what_was_chosen():
    assert repr(rm.MMRReranker()) == "MMRReranker()"
    shown = repr(rm.MMRReranker(similarity="cosine", embedder=letters))
    assert shown == "MMRReranker(similarity='cosine', embedder=letters)"
