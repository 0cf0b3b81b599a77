"""`cosine_rerank` against exact cosines, in every form of vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.cosine import cosine_scores as oracle
from support.check import fused
from support.refusals import refusal

HITS = [("a", 0.5), ("b", 0.9), ("c", None)]
ROWS = np.array([[0.0, 1.0], [2.0, 0.0], [3.0, 4.0]])
BAD = rm.InvalidArgumentError


def test_hits_are_ordered_by_cosine_which_is_their_new_score():
    found = rm.cosine_rerank([1, 0], HITS, ROWS)
    assert fused(found) == [("b", 1.0), ("c", 0.6), ("a", 0.0)]
    assert dict(found.explain("b").stages[0].details) == {
        "position_before": 1,
        "score_before": 0.9,
        "score": 1.0,
    }
    assert dict(found.explain("c").stages[0].details) == {
        "position_before": 2,
        "score_before": None,
        "score": 0.6,
    }


@pytest.mark.parametrize(
    "vectors",
    [
        ROWS,
        ROWS.astype(">f4"),
        np.asfortranarray(ROWS),
        ROWS.tolist(),
        list(ROWS),
        tuple(ROWS),
        (row for row in ROWS),
        [ROWS[0].astype("f2"), [2, 0], np.array([3, 4], dtype="u1")],
        dict(zip("abc", ROWS, strict=True)),
        {"z": [1, 2, 3], "c": [3, 4], "b": (2, 0), "a": ROWS[0]},
    ],
    ids=lambda vectors: type(vectors).__name__,
)
def test_every_form_of_vectors(vectors):
    assert fused(rm.cosine_rerank([1, 0], HITS, vectors)) == [("b", 1.0), ("c", 0.6), ("a", 0.0)]


@pytest.mark.parametrize("vectors", [[[-1, 0], None, [0, 0]], {"a": [-1, 0], "b": None, "c": [0, 0]}])
def test_without_a_direction_the_score_is_zero(vectors):
    assert fused(rm.cosine_rerank([1, 0], HITS, vectors)) == [("b", 0.0), ("c", 0.0), ("a", -1.0)]
    assert fused(rm.cosine_rerank([0, 0], HITS, vectors)) == [("a", 0.0), ("b", 0.0), ("c", 0.0)]


def test_an_id_that_occurs_twice_has_one_vector():
    found = rm.cosine_rerank([1, 0], ["a", "b", "a"], {"a": [1, 0], "b": [1, 1]})
    assert found.ids == ["a", "a", "b"]


def test_ties():
    hits, rows = ["b", "c", "a"], [[1, 0], [2, 0], [3, 0]]
    assert rm.cosine_rerank([1, 0], hits, rows).ids == ["b", "c", "a"]
    assert rm.cosine_rerank([1, 0], hits, rows, ties="id_asc").ids == ["a", "b", "c"]
    assert rm.cosine_rerank([1, 0], hits, rows, ties="id_desc").ids == ["c", "b", "a"]


@given(
    st.integers(1, 40).flatmap(
        lambda width: st.lists(
            st.lists(st.floats(-10, 10, width=32), min_size=width, max_size=width), min_size=1, max_size=6
        )
    )
)
def test_equals_exact_cosines_and_a_vector_is_as_near_to_itself_as_can_be(rows):
    query, vectors = np.array(rows[0], dtype=np.float32), np.array(rows, dtype=np.float32)
    expected = oracle(rows[0], rows)
    found = rm.cosine_rerank(query, range(len(rows)), vectors)
    assert dict(fused(found)) == pytest.approx(dict(enumerate(expected)), abs=1e-14)
    if any(rows[0]):
        assert dict(fused(found))[0] == 1.0
    doubled = rm.cosine_rerank(query, range(len(rows)), vectors.astype(np.float64))
    assert fused(doubled) == fused(found)


REFUSED = [
    (
        [1, 0],
        np.ones((3, 3)),
        BAD,
        "query_vector has 2 dimension(s) and vectors have 3; embed both with one model",
    ),
    (
        [1, 0],
        [[1, 0], [1], [0, 1]],
        BAD,
        "vectors[1] has 1 dimension(s) and the query has 2; embed all with one model",
    ),
    (
        [1, 0],
        np.ones((2, 2)),
        BAD,
        (
            "vectors has 2 row(s) for 3 hit(s); give one for each hit in the order of the ranking, or a "
            "mapping of ids to vectors"
        ),
    ),
    (
        [1, 0],
        {"b": [1, 0], "a": [1, math.nan]},
        BAD,
        "vectors['a'], dimension 1: the value is nan; vectors must be finite",
    ),
    (
        [1, 0],
        np.array([[1, 0], [math.nan, 0], [0, -math.inf]]),
        BAD,
        "vectors, row 1, column 0: the value is nan; vectors must be finite (row 2 is not, either)",
    ),
    ([1, math.inf], ROWS, BAD, "query_vector, dimension 1: the value is inf; vectors must be finite"),
    ([[1, 0]], ROWS, BAD, "query_vector has 2 dimension(s) (shape [1, 2]); it must have 1"),
    ([1, 0], np.ones(3), BAD, "vectors has 1 dimension(s) (shape [3]); it must have 2"),
    ([1, 0], [[[1, 0]]] * 3, BAD, "vectors[0] has 2 dimension(s) (shape [1, 2]); it must have 1"),
    (
        ["1", "0"],
        ROWS,
        TypeError,
        "query_vector has dtype <U1; it must hold real numbers (integers or floats)",
    ),
    (
        [1.0, [2]],
        ROWS,
        TypeError,
        (
            "query_vector must be an array of numbers (setting an array element with a sequence. The "
            "requested array has an inhomogeneous shape after 1 dimensions. The detected shape was (2,) + "
            "inhomogeneous part.)"
        ),
    ),
    (
        [1, 0],
        {(1, 0), (0, 1), (1, 1)},
        TypeError,
        "vectors must be a list of vectors, not a set; the order of a set is not defined",
    ),
    (
        [1, 0],
        [np.ma.masked_array([1, 0])] * 3,
        TypeError,
        "vectors[0] is a masked array; pass .filled(value) to give masked entries a value",
    ),
    (
        [1, 0],
        7,
        TypeError,
        (
            "vectors must be an array with a row for each hit, a list of vectors, or a mapping of ids to "
            "vectors, not int"
        ),
    ),
]


@pytest.mark.parametrize(("query", "vectors", "kind", "text"), REFUSED)
def test_what_does_not_fit_is_refused_by_name(query, vectors, kind, text):
    assert refusal(kind, rm.cosine_rerank, query, HITS, vectors) == text


def test_options_are_checked_first_and_nothing_in_is_nothing_out():
    with pytest.raises(rm.InvalidArgumentError, match="ties"):
        rm.cosine_rerank([1], [], [], ties="last")
    assert len(rm.cosine_rerank([1], [], [])) == 0
    assert len(rm.cosine_rerank([1], [], {"a": [1]})) == 0
    assert len(rm.cosine_rerank([1], [], np.zeros((0, 1)))) == 0


def test_vectors_without_numbers_score_zero_and_no_hit_is_lost():
    assert rm.cosine_scores([], np.zeros((3, 0))).tolist() == [0, 0, 0]
    assert rm.cosine_top([], np.zeros((3, 0)), limit=2)[0].tolist() == [0, 1]
    reranked = rm.cosine_rerank([], ["a", "b"], np.zeros((2, 0)))
    assert (reranked.ids, reranked.scores.tolist()) == (["a", "b"], [0, 0])


def test_vectors_of_other_ids_alone_are_a_slip():
    by_text = {"1": [1.0, 0.0], "2": [0.0, 1.0]}
    text = (
        "vectors has none of the 2 hit(s): its ids are like '1' (str), and the ranking's like 2 (int); give "
        "vectors by the ranking's ids"
    )
    for call in (
        lambda: rm.cosine_rerank([1.0, 0.0], [2, 1], by_text),
        lambda: rm.mmr([(2, 1.0), (1, 0.5)], similarity="cosine", vectors=by_text),
    ):
        with pytest.raises(rm.InvalidArgumentError) as refused:
            call()
        assert str(refused.value) == text
    assert rm.cosine_rerank([1.0, 0.0], [2, "1"], by_text).ids == ["1", 2]
    assert rm.cosine_rerank([1.0, 0.0], [2, 1], {}).ids == [2, 1]
    assert rm.cosine_rerank([1.0, 0.0], [2, 1], {2: None, "1": [1.0, 0.0]}).ids == [2, 1]
    assert rm.cosine_rerank([1.0, 0.0], [], by_text).ids == []
