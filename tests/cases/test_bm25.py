"""Known failures of BM25 elsewhere, each as a test of its whole kind."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeld as rm


def index_of(corpus, **options):
    index = rm.BM25Index(**options)
    index.add(enumerate(corpus))
    return index


def scored(corpus, query, **options):
    """Scores of a corpus, which an index gives just so."""
    scores = rm.bm25_scores(query, corpus, **options).tolist()
    hits = {hit.id: hit.score for hit in index_of(corpus, **options).search(query, limit=None)}
    assert hits == {place: score for place, score in enumerate(scores) if score > 0}
    return scores


def test_c165_matching_never_costs_score():
    first, second = scored(["alpha beta", "alpha gamma"], "alpha beta")
    assert first > second > 0
    for copies in (1, 2, 50):
        assert all(score > 0 for score in scored(["alpha"] * copies, "alpha"))


def test_c168_no_match_is_zero_and_never_nan():
    blanks = ["", "   ", "..."]
    for query in ("anything", "", "   "):
        assert scored(blanks, query) == [0.0, 0.0, 0.0]
        assert rm.bm25_scores(query, blanks, normalized=True).tolist() == [0.0, 0.0, 0.0]
    first, second = scored(["", "real words here"], "words")
    assert first == 0.0
    assert second > 0.0


@pytest.mark.parametrize("limit", [2, 3, 10, 10**9, None])
def test_c169_a_limit_above_the_corpus_pads_nothing(limit):
    ranking = index_of(["one fish", "two fish"]).search("fish", limit=limit)
    assert ranking.ids == [0, 1]
    assert np.isfinite(ranking.scores).all()


def test_c171_a_partial_selection_is_stable():
    corpus = ["alpha", "bravo", "charlie", "rapid delta", "rapid echo"]
    ranking = index_of(corpus).search("rapid", limit=2)
    assert ranking.ids == [3, 4]
    assert ranking[0].score == ranking[1].score > 0
    assert scored(corpus, "rapid")[:3] == [0.0, 0.0, 0.0]
    many = index_of(["rapid delta"] * 5_000)
    for limit in (1, 2, 64, 65, 2_048, 2_049, 4_999):
        assert many.search("rapid", limit=limit).ids == list(range(limit))


def test_c172_zero_is_a_parameter_like_any_other():
    corpus = ["a1 a1 a1 a1".replace("1", "b"), "ab xy", "cd ef gh ij kl mn"]
    presence = scored(corpus, "ab", k1=0.0, b=0.75)
    assert presence[0] == presence[1] > presence[2] == 0.0
    lengthless = scored(corpus, "ab", k1=1.2, b=0.0)
    assert lengthless[0] > lengthless[1]
    longer = scored([corpus[0], corpus[1] + " more words" * 9, corpus[2]], "ab", k1=1.2, b=0.0)
    assert longer == lengthless
    for bad in ({"k1": -1.0}, {"b": 1.5}, {"b": -0.5}, {"k1": float("inf")}, {"b": float("nan")}):
        with pytest.raises(rm.InvalidArgumentError):
            rm.bm25_scores("ab", corpus, **bad)
        with pytest.raises(rm.InvalidArgumentError):
            rm.BM25Index(**bad)


def test_c271_any_text_is_read():
    corpus = ["a\ud83db", "\0", "\ufffd", "a" * 10_000_000, "ordinary words"]
    assert scored(corpus, "words") == [0.0, 0.0, 0.0, 0.0, scored(corpus, "words")[4]]
    assert index_of(corpus).search("a" * 10_000_000).ids == [3]
