"""Known failures of cosine similarity elsewhere."""

from __future__ import annotations

import math
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rankmeld as rm


def test_c152_a_zero_vector_scores_zero():
    documents = [[2, 0], [3, 4], [0, 0]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows, scores = rm.cosine_top([1, 0], documents, limit=2)
        assert (rows.tolist(), scores.tolist()) == ([0, 1], [1.0, pytest.approx(0.6)])
        assert rm.cosine_scores([1, 0], documents)[2] == 0.0
        rows, scores = rm.cosine_top([0, 0], documents, limit=2)
        assert (rows.tolist(), scores.tolist()) == ([0, 1], [0.0, 0.0])


def test_c153_rows_that_are_not_finite_are_named():
    documents = np.array([[1, 0], [math.nan, 1], [0, 1], [math.inf, 0]])
    for dtype in ("f4", "f8"):
        with pytest.raises(rm.InvalidArgumentError, match=r"row 1, .*row 3 "):
            rm.cosine_scores([1, 0], documents.astype(dtype))
        with pytest.raises(rm.InvalidArgumentError, match=r"row 1, .*row 3 "):
            rm.cosine_rerank([1, 0], list("abcd"), documents.astype(dtype))
        with pytest.raises(rm.InvalidArgumentError, match=r"row 1, .*row 3 "):
            rm.mmr([(id, 1.0) for id in "abcd"], similarity="cosine", vectors=documents.astype(dtype))
    with pytest.raises(rm.InvalidArgumentError, match="query"):
        rm.cosine_scores([math.nan, 0], [[1, 0]])


def test_c154_a_score_that_is_nan_is_refused_not_the_best():
    scores = [0.2, math.nan, 0.9, math.nan, -0.5]
    with pytest.raises(rm.InvalidScoreError, match="position 1"):
        rm.mmr((np.arange(5), np.array(scores)), lambda_=1)
    with pytest.raises(rm.InvalidScoreError, match="position 1"):
        rm.fuse_scores([(np.arange(5), np.array(scores))])


@pytest.mark.parametrize(("dtype", "values"), [("i1", [100, 100]), ("u1", [200, 200]), ("i1", [127, -128])])
def test_c155_small_integers_do_not_wrap(dtype, values):
    vector = np.array(values, dtype=dtype)
    assert rm.cosine_scores(vector, vector[None]).tolist() == [1.0]


def test_c157_the_same_bits_on_any_number_of_threads_and_equal_rows_side_by_side():
    rng = np.random.default_rng(0)
    documents = rng.normal(size=(10_000, 384)).astype(np.float32)
    documents[5_000:5_100] = documents[:100]
    query = documents[:100].sum(axis=0)
    rows, scores = rm.cosine_top(query, documents, limit=200)
    place = {row: position for position, row in enumerate(rows.tolist())}
    twins = [(row, row + 5_000) for row in range(100) if row in place and row + 5_000 in place]
    assert len(twins) > 20
    assert all(place[twin] == place[row] + 1 for row, twin in twins)
    for threads in (1, 2, 8):
        with ThreadPoolExecutor(threads) as pool:
            for again in pool.map(lambda _: rm.cosine_top(query, documents, limit=200), range(5)):
                assert again[0].tolist() == rows.tolist()
                assert again[1].tobytes() == scores.tobytes()
