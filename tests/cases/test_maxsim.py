"""Known failures of MaxSim elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeld as rm


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1"])
def test_c158_zero_padding_does_not_win_over_real_negatives(dtype):
    documents = np.array([[[-1, 0], [0, 0]]], dtype=dtype)
    query = np.array([[1, 0]], dtype=dtype)
    assert rm.maxsim(query, documents, mask=np.array([[True, False]])).tolist() == [-1.0]
    assert rm.maxsim(query, documents[:, ::-1], mask=np.array([[False, True]])).tolist() == [-1.0]
    assert rm.maxsim(query, documents, mask=np.array([[True, False]]), normalize=True).tolist() == [-1.0]
    assert rm.maxsim(query, documents).tolist() == [0.0]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_c159_a_batch_is_not_visible_in_its_scores(dtype):
    query = np.eye(2, dtype=dtype)
    rows = [[[-1, 0]], [[0.6, 0.8], [1, 0], [0, 1], [0.8, 0.6]]]
    documents = [np.array(d, dtype=dtype) for d in rows]
    together = rm.maxsim(query, documents)
    assert together.tolist() == [-1.0, 2.0]
    assert [rm.maxsim(query, [d])[0] for d in documents] == together.tolist()
    flat = rm.maxsim(query, np.concatenate(documents), offsets=[0, 1, 5])
    assert flat.tobytes() == together.tobytes()


def test_c256_a_strided_view_is_not_read_as_if_it_were_contiguous():
    gaps = np.array([[1, 9, 2, 9], [3, 9, 4, 9]], dtype=np.float32)
    query = np.array([[1, 10]], dtype=np.float32)
    assert rm.maxsim(query, [gaps[:, ::2], np.asfortranarray(gaps[:, ::2])]).tolist() == [43.0, 43.0]
    assert rm.maxsim(query, gaps[:, ::2], offsets=np.array([0, 9, 1, 9, 2, 9])[::2]).tolist() == [21.0, 43.0]
    assert rm.maxsim(gaps[:1, ::2], [query[:, ::-1]]).tolist() == [12.0]


@pytest.mark.parametrize("limit", [2, 2**31, 2**63 - 1, 2**64, 10**30])
def test_c263_a_huge_limit_allocates_nothing(limit):
    query = np.eye(2)
    assert rm.maxsim_top(query, [query, query * 2], limit=limit).ids == [1, 0]
