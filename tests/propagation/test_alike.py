"""`alike` against the oracle, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.context import alike as oracle

rows = st.lists(st.lists(st.integers(-2, 2), min_size=2, max_size=2), max_size=7)


@given(rows, st.integers(1, 4))
def test_equals_the_oracle(vectors, k):
    ids = [f"d{place}" for place in range(len(vectors))]
    found = rm.alike(ids, np.array(vectors, dtype=np.float64).reshape(-1, 2), k=k)
    assert {id: [near for near, _ in listed] for id, listed in found.items()} == oracle(ids, vectors, k=k)
    assert {weight for listed in found.values() for _, weight in listed} <= {1 / k}


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u2", ">f4"])
def test_any_dtype(dtype):
    vectors = np.array([[1, 0], [2, 1], [0, 1], [0, 3]], dtype=dtype)
    expected = {0: ((1, 1.0),), 1: ((0, 1.0),), 2: ((3, 1.0),), 3: ((2, 1.0),)}
    assert rm.alike([0, 1, 2, 3], vectors, k=1) == expected
    assert rm.alike([0, 1, 2, 3], np.asfortranarray(vectors), k=1) == expected


def test_each_gains_the_mean_of_its_nearest():
    near = rm.alike("abc".__iter__(), [[1.0, 0.0], [1.0, 0.1], [1.0, 0.2]], k=2)
    found = rm.propagate([("a", 0.6), ("b", 0.4)], near, weight=0.5)
    assert dict(zip(found.ids, found.scores, strict=True)) == pytest.approx(
        {"a": 0.6 + 0.5 * 0.2, "b": 0.4 + 0.5 * 0.3, "c": 0.5 * 0.5}
    )


def test_opposites_zero_vectors_and_nothing():
    assert rm.alike([1, 2, 3], [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]]) == {1: (), 2: (), 3: ()}
    assert rm.alike([], np.empty((0, 4))) == {}
    assert rm.alike(["a"], [[1.0]]) == {"a": ()}


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (TypeError, "ids must be a list of ids, not a str", lambda: rm.alike("ab", np.eye(2))),
        (TypeError, "the order of a set is not defined", lambda: rm.alike({1, 2}, np.eye(2))),
        (
            TypeError,
            "ids, position 1 is a list, which cannot be hashed",
            lambda: rm.alike([1, []], np.eye(2)),
        ),
        (rm.InvalidArgumentError, "ids, position 0 is NaN", lambda: rm.alike([math.nan], [[1.0]])),
        (
            rm.InvalidArgumentError,
            "ids, position 2: the id 1 stands at position 0 already",
            lambda: rm.alike([1, 2, 1], np.eye(3)),
        ),
        (
            rm.InvalidArgumentError,
            r"vectors has 3 row\(s\) and ids has 2; there must be a row for each id",
            lambda: rm.alike([1, 2], np.eye(3)),
        ),
        (rm.InvalidArgumentError, "k is 0; it must be 1 or more", lambda: rm.alike([1], [[1.0]], k=0)),
        (TypeError, "k must be an integer, not float", lambda: rm.alike([1], [[1.0]], k=1.0)),
        (TypeError, "real numbers|number", lambda: rm.alike([1], np.array([["a"]]))),
        (rm.InvalidArgumentError, "nan|finite", lambda: rm.alike([1, 2], [[1.0], [math.nan]])),
        (rm.InvalidArgumentError, "dimension|shape", lambda: rm.alike([1, 2], [1.0, 2.0])),
    ],
)
def test_refusals(error, text, call):
    with pytest.raises(error, match=text):
        call()
