"""`mmr` against the formula, and each of its rules by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.mmr import jaccard, order
from reference.mmr import mmr as oracle
from support.check import fused
from support.strategies import any_scores, ordinary_scores

WORDS = st.lists(st.sampled_from(["one", "two", "three", "four", "five", "One", "!", "x"]), max_size=6)
few_scores = st.sampled_from([0.0, -0.0, 0.25, 0.5, 0.75, 1.0, -1.0])
lambdas = st.one_of(st.sampled_from([0, 0.0, 0.25, 0.5, 0.7, 1.0, 1]), st.floats(0, 1))
limits = st.one_of(st.none(), st.integers(0, 9))
scales = st.sampled_from(["minmax", None])


def hits(scores, texts):
    return [
        (f"d{place % 5}", score, rm.Document(f"d{place % 5}", " ".join(text)) if text is not None else None)
        for place, (score, text) in enumerate(zip(scores, texts, strict=False))
    ]


@given(
    st.lists(st.one_of(few_scores, ordinary_scores, any_scores), max_size=8),
    st.lists(st.one_of(st.none(), WORDS), min_size=8, max_size=8),
    lambdas,
    limits,
    scales,
)
def test_jaccard_equals_the_formula(scores, texts, lambda_, limit, scale):
    tokens = [set(rm.tokenize(" ".join(text or []))) for text in texts]
    ranking = hits(scores, texts)
    options = {"lambda_": lambda_, "limit": limit, "scale": scale}
    expected = oracle(ranking, similarity=lambda i, j: jaccard(tokens[i], tokens[j]), **options)
    assert fused(rm.mmr(ranking, **options)) == expected


@st.composite
def with_matrix(draw):
    scores = draw(st.lists(st.one_of(few_scores, any_scores), max_size=7))
    value = st.one_of(st.sampled_from([0.0, 0.5, 1.0, -1.0]), st.floats(-2, 2))
    row = st.lists(value, min_size=len(scores), max_size=len(scores))
    return scores, draw(st.lists(row, min_size=len(scores), max_size=len(scores)))


@given(with_matrix(), lambdas, limits, scales)
def test_a_matrix_equals_the_formula_also_an_asymmetric_one(given_, lambda_, limit, scale):
    scores, matrix = given_
    ranking = list(enumerate(scores))
    options = {"lambda_": lambda_, "limit": limit, "scale": scale}
    expected = oracle(ranking, similarity=lambda i, j: matrix[i][j], **options)
    array = np.array(matrix).reshape(len(scores), len(scores))
    assert fused(rm.mmr(ranking, similarity=array, **options)) == expected


@given(
    st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), min_size=1, max_size=9),
    lambdas,
    limits,
    st.sampled_from(["f4", "f8", "i2"]),
)
def test_cosine_equals_the_formula_over_the_librarys_own_cosines(vectors, lambda_, limit, dtype):
    array = np.array(vectors, dtype=dtype)
    matrix = [rm.cosine_scores(row, array) for row in array]
    scores = [float(place % 4) for place in range(len(vectors))]
    expected = order(scores, lambda i, j: matrix[i][j], lambda_, limit, "minmax")
    found = rm.mmr(list(enumerate(scores)), similarity="cosine", vectors=array, lambda_=lambda_, limit=limit)
    assert found.ids == expected


@given(st.lists(any_scores, max_size=9), st.lists(WORDS, min_size=9, max_size=9), limits)
def test_lambda_1_is_the_order_by_score(scores, texts, limit):
    ranking = list(enumerate(scores))
    with_texts = [(id, score, rm.Document(id, " ".join(texts[id]))) for id, score in ranking]
    expected = sorted(ranking, key=lambda hit: -hit[1])[:limit]
    assert fused(rm.mmr(with_texts, lambda_=1, limit=limit)) == expected


@given(st.lists(ordinary_scores, max_size=9), st.lists(WORDS, min_size=9, max_size=9), lambdas)
def test_it_is_a_permutation_that_a_limit_cuts(scores, texts, lambda_):
    ranking = hits(scores, texts)
    everything = rm.mmr(ranking, lambda_=lambda_)
    assert sorted(fused(everything)) == sorted((id, score) for id, score, _ in ranking)
    for limit in (0, 1, 3, 9, 10**30):
        assert rm.mmr(ranking, lambda_=lambda_, limit=limit) == everything[: min(limit, 9)]


@given(
    st.lists(st.integers(-50, 50), max_size=9),
    st.integers(-1000, 1000),
    st.lists(WORDS, min_size=9, max_size=9),
)
def test_a_constant_added_to_all_scores_changes_nothing(scores, constant, texts):
    moved = [score + constant for score in scores]
    places = [rm.mmr(hits(column, texts), lambda_=0.6).ids for column in (scores, moved)]
    assert places[0] == places[1]


def test_the_first_pick_is_the_most_relevant_even_where_only_diversity_counts():
    assert rm.mmr([("x", 0.1), ("y", 0.9), ("z", 0.9)], lambda_=0).ids == ["y", "x", "z"]


def test_tiny_scores_do_not_vanish_and_huge_ones_do_not_overflow():
    tiny = [("a", 1e-300), ("b", 3e-300), ("c", 2e-300), ("d", 5e-324)]
    assert rm.mmr(tiny).ids == ["b", "c", "a", "d"]
    huge = [("a", -1.7e308), ("b", 1.7e308), ("c", 0.0)]
    assert rm.mmr(huge, lambda_=0.5).ids == ["b", "c", "a"]
    assert rm.mmr(huge, lambda_=0.5).explain("c").stages[0].details["relevance"] == 0.5


def test_scores_that_meet_on_the_scale_keep_their_order():
    close = [("worse", 1.0), ("better", 1.0 + 2**-52), ("far", -1e300)]
    assert rm.mmr(close, lambda_=1).ids == ["better", "worse", "far"]
    assert rm.mmr(close, lambda_=0.5, limit=1).ids == ["better"]


def test_hits_that_share_an_id_are_hits_of_their_own():
    ranking = [("a", 0.9, rm.Document("a", "red apples")), ("a", 0.8), ("a", 0.8)]
    assert fused(rm.mmr(ranking)) == [("a", 0.9), ("a", 0.8), ("a", 0.8)]


def test_two_texts_without_tokens_are_not_similar():
    ranking = [("a", 1.0, rm.Document("a", "!")), ("b", 0.5, rm.Document("b", "!")), ("c", 0.4)]
    found = rm.mmr(ranking, lambda_=0.5)
    assert found.ids == ["a", "b", "c"]
    assert found.explain("b").stages[0].details["similarity"] == 0.0


def test_only_the_text_counts_not_the_title():
    first = rm.Document("a", "red apples", title="fruit")
    second = rm.Document("b", "blue whales", title="fruit")
    found = rm.mmr([("a", 1.0, first), ("b", 0.5, second)])
    assert found.explain("b").stages[0].details["similarity"] == 0.0


def test_a_hit_without_a_vector_is_similar_to_none():
    ranking = [("a", 1.0), ("b", 0.9), ("c", 0.8)]
    for vectors in (
        {"a": [1, 0], "b": [1, 0]},
        [[1, 0], np.array([1, 0]), None],
        np.eye(3)[[0, 0, 1], :2] * 1,
    ):
        assert rm.mmr(ranking, similarity="cosine", vectors=vectors, lambda_=0.3).ids == ["a", "c", "b"]


def test_equal_rows_tie_to_the_last_bit_whatever_their_dtype():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(6, 37)).astype(np.float32)
    vectors = np.concatenate([rows, rows[::-1]])
    scores = [1.0] * 12
    found = rm.mmr((list(range(12)), scores), similarity="cosine", vectors=vectors, lambda_=0.5)
    assert found.ids[0] == 0
    assert found.ids[-1] == 11  # the twin of the first pick is as similar as can be
    assert found.explain(11).stages[0].details["similarity"] == 1.0
    other = rm.mmr((list(range(12)), scores), similarity="cosine", vectors=vectors.astype("f8"), lambda_=0.5)
    assert other.ids == found.ids


def test_the_explanation_says_what_a_hit_was_held_against():
    ranking = [
        ("a", 0.9, rm.Document("a", "red apples")),
        ("b", 0.8, rm.Document("b", "red apples")),
        ("c", 0.5, rm.Document("c", "blue whales")),
    ]
    found = rm.mmr(ranking, lambda_=0.5)
    assert found.ids == ["a", "c", "b"]
    assert dict(found.explain("b").stages[0].details) == {
        "position_before": 1,
        "relevance": pytest.approx(0.75),
        "most_similar_to": "a",
        "similarity": 1.0,
        "value": pytest.approx(-0.125),
    }
    assert dict(found.explain("a").stages[0].details) == {
        "position_before": 0,
        "relevance": 1.0,
        "most_similar_to": None,
        "similarity": None,
        "value": 0.5,
    }


def test_a_large_choice_is_that_of_the_formula():
    rng = np.random.default_rng(2)
    vectors = rng.normal(size=(300, 24)).astype(np.float32)
    scores = rng.random(300).tolist()
    matrix = np.array([rm.cosine_scores(row, vectors) for row in vectors])
    expected = order(scores, lambda i, j: matrix[i, j], 0.6, 40, "minmax")
    found = rm.mmr((np.arange(300), scores), similarity="cosine", vectors=vectors, lambda_=0.6, limit=40)
    assert found.ids == expected
    by_matrix = rm.mmr((np.arange(300), scores), similarity=matrix, lambda_=0.6, limit=40)
    assert by_matrix.ids == expected


def test_many_texts_have_tokens_that_few_share():
    rng = np.random.default_rng(3)
    texts = [" ".join(f"w{t}" for t in rng.zipf(1.3, 12) % 5000) for _ in range(400)]
    tokens = [set(rm.tokenize(text)) for text in texts]
    scores = rng.random(400).tolist()
    expected = order(scores, lambda i, j: jaccard(tokens[i], tokens[j]), 0.4, 30, "minmax")
    ranking = [
        (i, score, rm.Document(i, text)) for i, (score, text) in enumerate(zip(scores, texts, strict=True))
    ]
    assert rm.mmr(ranking, lambda_=0.4, limit=30).ids == expected


def test_what_two_texts_of_many_share_counts_whatever_number_the_pick_has():
    twins = [f"alpha{place // 2} beta{place // 2} own{place}" for place in range(400)]
    ranking = [(place, 1.0, rm.Document(place, text)) for place, text in enumerate(twins)]
    found = rm.mmr(ranking, lambda_=0.5)
    assert found.ids == [*range(0, 400, 2), *range(1, 400, 2)]
    nearest = [found.explain(place).stages[0].details for place in range(1, 400, 2)]
    assert [one["most_similar_to"] for one in nearest] == list(range(0, 400, 2))
    assert {one["similarity"] for one in nearest} == {0.5}
