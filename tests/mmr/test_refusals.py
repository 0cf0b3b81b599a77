"""What `mmr` refuses, and in which words."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankmeld as rm
from support.refusals import refusal

TWO = [("a", 2.0), ("b", 1.0)]
BAD, KIND = rm.InvalidArgumentError, TypeError
WITHIN = "it must be within 0..1 (1: relevance alone, 0: diversity alone)"

OPTIONS = [
    (
        {"lambda_": 1.1},
        BAD,
        "lambda_ is 1.1; it must be within 0..1 (1: relevance alone, 0: diversity alone)",
    ),
    (
        {"lambda_": -0.1},
        BAD,
        "lambda_ is -0.1; it must be within 0..1 (1: relevance alone, 0: diversity alone)",
    ),
    ({"lambda_": math.nan}, BAD, "lambda_ is nan; it must be finite"),
    ({"lambda_": True}, KIND, "lambda_ must be a number, not bool"),
    ({"limit": -1}, BAD, "limit is -1; it must be 0 or more, or None for all"),
    ({"similarity": "dot"}, BAD, "similarity is 'dot'; it must be one of 'jaccard', 'cosine'"),
    ({"similarity": None}, KIND, "similarity must be 'jaccard', 'cosine' or an array, not NoneType"),
    (
        {"similarity": lambda a, b: float(a == b)},
        KIND,
        (
            "similarity must be 'jaccard', 'cosine' or an array, not function: functions are not called; "
            "pass the array of what yours gives, [[similarity(a, b) for b in hits] for a in hits], in the "
            "order of the ranking"
        ),
    ),
    (
        {"similarity": "cosine"},
        BAD,
        'similarity="cosine" needs vectors=: a row for each hit, or a mapping of ids to vectors',
    ),
    (
        {"vectors": np.eye(2)},
        BAD,
        'vectors= are for similarity="cosine" only; leave them out, or ask for it',
    ),
    (
        {"similarity": np.eye(2), "vectors": np.eye(2)},
        BAD,
        'vectors= are for similarity="cosine" only; leave them out, or ask for it',
    ),
    ({"scale": "max"}, BAD, "scale is 'max'; it must be 'minmax' or None"),
    ({"scale": 1}, KIND, "scale must be 'minmax' or None, not int"),
]


@pytest.mark.parametrize("ranking", [TWO, []])
@pytest.mark.parametrize(("options", "kind", "text"), OPTIONS)
def test_options_are_checked_before_data(ranking, options, kind, text):
    assert refusal(kind, rm.mmr, ranking, **options) == text


DATA = [
    (
        {"similarity": np.eye(3)},
        BAD,
        (
            "similarity has shape [3, 3] for 2 hit(s); it must have a row and a column for each hit, in the "
            "order of the ranking"
        ),
    ),
    (
        {"similarity": [[1, 0.5], [math.nan, 1]]},
        BAD,
        "similarity, row 1, column 0: the value is nan; similarities must be finite",
    ),
    (
        {"similarity": "cosine", "vectors": np.eye(3)},
        BAD,
        (
            "vectors has 3 row(s) for 2 hit(s); give one for each hit in the order of the ranking, or a "
            "mapping of ids to vectors"
        ),
    ),
    (
        {"similarity": "cosine", "vectors": [[1.0], [math.inf]]},
        BAD,
        "vectors[1], dimension 0: the value is inf; vectors must be finite",
    ),
    (
        {"similarity": "cosine", "vectors": np.array([[1.0, math.nan], [1.0, 0.0]])},
        BAD,
        "vectors, row 0, column 1: the value is nan; vectors must be finite",
    ),
    (
        {"similarity": "cosine", "vectors": {"a": [1.0, 2.0], "b": [1.0]}},
        BAD,
        "vectors['b'] has 1 dimension(s) and vectors['a'] has 2; embed all with one model",
    ),
    (
        {"similarity": "cosine", "vectors": np.ones((2, 0))},
        BAD,
        "vectors have no dimensions; give each hit at least one number",
    ),
    (
        {"similarity": "cosine", "vectors": [["x"], ["y"]]},
        KIND,
        "vectors[0] has dtype <U1; it must hold real numbers (integers or floats)",
    ),
    (
        {"similarity": "cosine", "vectors": "ab"},
        KIND,
        (
            "vectors must be an array with a row for each hit, a list of vectors, or a mapping of ids to "
            "vectors, not str"
        ),
    ),
]


@pytest.mark.parametrize(("options", "kind", "text"), DATA)
def test_data_that_do_not_fit(options, kind, text):
    assert refusal(kind, rm.mmr, TWO, **options) == text


@pytest.mark.parametrize(
    ("score", "what"), [(None, "there is no score"), (math.nan, "no score"), (math.inf, "inf")]
)
def test_every_hit_needs_a_finite_score_whatever_the_limit(score, what):
    for limit in (None, 0):
        text = refusal(rm.InvalidScoreError, rm.mmr, [("a", 1.0), ("b", score)], limit=limit)
        assert what in text
        assert "position 1, id 'b'" in text


def test_nothing_in_nothing_out():
    assert len(rm.mmr([])) == 0
    assert len(rm.mmr([], similarity="cosine", vectors=[])) == 0
    assert len(rm.mmr([], similarity="cosine", vectors={"a": [1.0]})) == 0
    assert len(rm.mmr([], similarity=np.zeros((0, 0)))) == 0
    with pytest.raises(rm.InvalidArgumentError, match="1 row"):
        rm.mmr([], similarity="cosine", vectors=[[1.0]])
