"""What MaxSim refuses, and what it says."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeld as rm
from support.refusals import refusal

QUERY = np.eye(2, dtype=np.float32)
ROWS = np.ones((5, 2), np.float32)
CUBE = np.ones((2, 3, 2), np.float32)
INVALID = rm.InvalidArgumentError
NAN = float("nan")

TEXTS = [
    (
        INVALID,
        (QUERY, [ROWS, np.ones((2, 3))], {}),
        "documents[1] has vectors of 3 dimension(s), and query has 2; embed both with one model",
    ),
    (
        INVALID,
        (QUERY, np.ones((5, 3)), {"offsets": [0, 5]}),
        "documents has vectors of 3 dimension(s), and query has 2; embed both with one model",
    ),
    (INVALID, (QUERY[0], [ROWS], {}), "query has 1 dimension(s) (shape [2]); it must have 2"),
    (INVALID, (QUERY, [ROWS, ROWS[0]], {}), "documents[1] has 1 dimension(s) (shape [2]); it must have 2"),
    (
        INVALID,
        (QUERY, ROWS, {}),
        (
            "documents (without offsets; one document alone is written [document]) has 2 dimension(s) "
            "(shape [5, 2]); it must have 3"
        ),
    ),
    (
        INVALID,
        (QUERY, CUBE, {"offsets": [0, 5]}),
        "documents (with offsets) has 3 dimension(s) (shape [2, 3, 2]); it must have 2",
    ),
    (
        TypeError,
        (QUERY, [ROWS, np.ones((2, 2), object)], {}),
        "documents[1] has dtype object; it must hold real numbers (integers or floats)",
    ),
    (
        TypeError,
        (QUERY, np.array([ROWS, ROWS[:2]], object), {}),
        "documents is an array of objects; to pass the arrays that it holds, write list(documents)",
    ),
    (
        TypeError,
        (QUERY.astype(bool), [ROWS], {}),
        "query has dtype bool; it must hold real numbers (integers or floats)",
    ),
    (
        TypeError,
        (QUERY, 5, {}),
        "documents must be a list of arrays, an array with offsets, or an array of three dimensions, not int",
    ),
    (
        TypeError,
        (QUERY, "ab", {}),
        "documents must be a list of arrays, an array with offsets, or an array of three dimensions, not str",
    ),
    (
        TypeError,
        (QUERY, {}, {}),
        (
            "documents must be a list of arrays, an array with offsets, or an array of three dimensions, not "
            "dict; pass list(documents.values())"
        ),
    ),
    (
        TypeError,
        (QUERY, [ROWS, ""], {}),
        "documents[1] has dtype <U1; it must hold real numbers (integers or floats)",
    ),
    (
        INVALID,
        (QUERY, [ROWS, ROWS[:2]], {"mask": np.ones((2, 5), bool)}),
        (
            "mask is given, and documents is a list of documents of several lengths; a list of arrays takes "
            "no mask: leave it out and pass each document without its padding"
        ),
    ),
    (
        TypeError,
        (QUERY, [[[1.0, 2.0], [1.0]]], {}),
        (
            "documents[0] is a list whose parts differ in length; all rows of an array must be as long as "
            "the first"
        ),
    ),
    (
        INVALID,
        (CUBE, ROWS, {}),
        (
            "query has 3 dimensions and documents has 2, as if they had changed places; the query comes "
            "first, as maxsim(query, documents)"
        ),
    ),
    (
        INVALID,
        (QUERY, [], {"scales": -1.0}),
        "scales, vector 0: the scale is -1.0; scales must be finite and not negative",
    ),
    (
        INVALID,
        (QUERY, ROWS, {"offsets": np.array([0, 2**63 + 5], np.uint64)}),
        "offsets[1] is 9223372036854775813, where document 0 ends, and documents has 5 vector(s)",
    ),
    (INVALID, (QUERY, ROWS, {"offsets": [1, 5]}), "offsets[0] is 1; it must be 0"),
    (INVALID, (QUERY, ROWS, {"offsets": [-1, 5]}), "offsets[0] is -1; it must be 0"),
    (
        INVALID,
        (QUERY, ROWS, {"offsets": []}),
        "offsets is empty; it has one entry more than there are documents, 0 first",
    ),
    (
        INVALID,
        (QUERY, ROWS, {"offsets": [0, 4, 3, 5]}),
        "offsets[2] is 3, where document 1 ends, and it begins at 4; offsets must not decrease",
    ),
    (
        INVALID,
        (QUERY, ROWS, {"offsets": [0, 6]}),
        "offsets[1] is 6, where document 0 ends, and documents has 5 vector(s)",
    ),
    (
        INVALID,
        (QUERY, ROWS, {"offsets": [0, 4]}),
        (
            "offsets ends at 4, and documents has 5 vector(s); the last entry must be where the last "
            "document ends"
        ),
    ),
    (TypeError, (QUERY, ROWS, {"offsets": [0.0, 5.0]}), "offsets has dtype float64; it must hold integers"),
    (
        INVALID,
        (QUERY, CUBE, {"offsets": [0, 5], "mask": np.ones((2, 3), bool)}),
        (
            "offsets and mask are both given; offsets belong to documents of shape (vectors, width), a mask "
            "to (documents, vectors, width)"
        ),
    ),
    (
        INVALID,
        (QUERY, CUBE, {"mask": np.ones((3, 2), bool)}),
        "mask has shape [3, 2] for documents of shape [2, 3]; it must have one entry for each vector",
    ),
    (
        TypeError,
        (QUERY, CUBE, {"mask": np.ones((2, 3), int)}),
        "mask has dtype int64; it must be boolean, as mask.astype(bool) is",
    ),
    (
        INVALID,
        (QUERY, [ROWS], {"scales": 2.0}),
        "scales[0] is given, and documents[0] is not int8; scales belong to vectors of int8",
    ),
    (
        INVALID,
        (QUERY, [ROWS], {"query_scales": 2.0}),
        "query_scales is given, and query is not int8; scales belong to vectors of int8",
    ),
    (
        INVALID,
        (QUERY, [ROWS.astype("i1")], {"scales": [1.0, 2.0]}),
        "scales has 2 entries for 1 document(s); give an array or a number for each",
    ),
    (
        INVALID,
        (QUERY, [ROWS.astype("i1")], {"scales": [[1.0, 2.0]]}),
        "scales[0] has shape [2] for vectors of shape [5]; give one number for each vector, or one for all",
    ),
    (
        INVALID,
        (QUERY, CUBE.astype("i1"), {"scales": np.full((2, 3), -1.0)}),
        "scales, vector 0: the scale is -1.0; scales must be finite and not negative",
    ),
    (
        TypeError,
        (QUERY, CUBE.astype("i1"), {"scales": None, "threads": True}),
        "threads must be an integer, not bool",
    ),
    (INVALID, (QUERY, [], {"threads": 0}), "threads is 0; it must be 1 or more, or None for what fits"),
    (TypeError, (QUERY, [], {"normalize": 1}), "normalize must be True or False, not int"),
    (TypeError, (QUERY, [], {"explain": "yes"}), "explain must be True or False, not str"),
]


@pytest.mark.parametrize(("kind", "call", "text"), TEXTS, ids=[text[:40] for *_, text in TEXTS])
def test_texts(kind, call, text):
    query, documents, options = call
    assert refusal(kind, rm.maxsim, query, documents, **options) == text


@pytest.mark.parametrize("bad", [NAN, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["<f2", "<f4", ">f4", "<f8", "bf16"])
@pytest.mark.parametrize("rows", [1, 3, 13, 180])
def test_a_bad_value_is_found_wherever_it_is(dtype, bad, rows):
    rng = np.random.default_rng(rows)
    width = 20
    place = (int(rng.integers(rows)), int(rng.integers(width)))
    query = rng.normal(size=(4, width)).astype(np.float32)
    documents = [rng.normal(size=(rows, width)).astype(np.float32) for _ in range(5)]
    documents[2][place] = bad
    if dtype == "bf16":
        documents = [(d.view(np.uint32) >> 16).astype(np.uint16) for d in documents]
    else:
        documents = [d.astype(dtype) for d in documents]
    text = f"document 2, vector {place[0]}, dimension {place[1]}: the value is {bad}; vectors must be finite"
    for given in (
        query,
        query.astype(np.float64),
        query * 0,
        query[:0],
        (query.view(np.uint32) >> 16).astype("u2"),
    ):
        for options in ({}, {"normalize": True}, {"explain": True}, {"threads": 2}):
            assert refusal(INVALID, rm.maxsim, given, documents, **options) == text
    joined, offsets = np.concatenate(documents), np.arange(6) * rows
    assert refusal(INVALID, rm.maxsim, query, joined, offsets=offsets) == text
    assert refusal(INVALID, rm.maxsim, query, np.stack(documents)) == text
    mask = np.ones((5, rows), bool)
    mask[2, place[0]] = False
    assert np.isfinite(rm.maxsim(query, np.stack(documents), mask=mask)).all()


def test_a_bad_query_is_named_before_the_documents():
    query = QUERY.copy()
    query[1, 0] = NAN
    text = "query, vector 1, dimension 0: the value is nan; vectors must be finite"
    assert refusal(INVALID, rm.maxsim, query, []) == text
    assert refusal(INVALID, rm.maxsim, query, [query]) == text


def test_a_score_beyond_float64():
    huge = np.array([[1e300, 0.0]])
    text = "the score of document 1 is not a finite number; scale the vectors down"
    assert refusal(rm.InvalidScoreError, rm.maxsim, huge, [huge / 1e300, huge]) == text
    assert rm.maxsim(huge, [huge], normalize=True).tolist() == [1.0]


def test_a_similarity_beyond_float64_is_not_handed_out():
    query, documents = [[1e300], [-1e300]], [[[1.0]], [[1e300]]]
    text = "the similarity of query vector 0 to document 1 is not a finite number; scale the vectors down"
    assert rm.maxsim(query, documents).tolist() == [0.0, 0.0]
    assert refusal(rm.InvalidScoreError, rm.maxsim, query, documents, explain=True) == text


@pytest.mark.parametrize("limit", [2.0, "2", True])
def test_a_limit_of_the_wrong_kind(limit):
    with pytest.raises(TypeError, match="limit"):
        rm.maxsim_top(QUERY, [], limit=limit)


def test_options_come_before_data():
    assert "limit is -1" in refusal(INVALID, rm.maxsim_top, QUERY, 5, limit=-1)
    assert "ties is 'x'" in refusal(INVALID, rm.maxsim_top, QUERY, 5, limit=1, ties="x")
    with pytest.raises(TypeError):
        rm.maxsim(QUERY, [], limit=1)


def test_masked_arrays_are_refused():
    masked = np.ma.masked_array(ROWS, mask=np.zeros_like(ROWS, bool))
    assert "documents[0] is a masked array" in refusal(TypeError, rm.maxsim, QUERY, [masked])
    assert "query is a masked array" in refusal(TypeError, rm.maxsim, masked, [ROWS])


def test_quantizing_refuses_what_is_no_vector():
    assert "dtype object" in refusal(TypeError, rm.quantize_int8, np.ones(2, object))
    assert "no axis" in refusal(INVALID, rm.quantize_int8, 5.0)
    assert "NaN or an infinity" in refusal(INVALID, rm.quantize_int8, [[1.0, NAN]])
