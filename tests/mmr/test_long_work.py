"""A choice among many can be stopped, shared by threads, and grows no faster than it must."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rankmeld as rm
from support.interrupts import assert_a_signal_stops


def by_cosine():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(6_000, 128)).astype(np.float32)
    return rm.Ranking((np.arange(6_000), np.ones(6_000))), {"similarity": "cosine", "vectors": vectors}


def by_text():
    rng = np.random.default_rng(0)
    documents = [
        rm.Document(i, " ".join(f"word{t}" for t in rng.zipf(1.2, 150) % 9_999)) for i in range(5_000)
    ]
    return rm.Ranking([(i, 1.0, document) for i, document in enumerate(documents)]), {}


@pytest.mark.parametrize("make", [by_cosine, by_text])
def test_a_signal_stops_it(make):
    ranking, options = make()
    assert_a_signal_stops(lambda: rm.mmr(ranking, lambda_=0.1, **options), threads=os.cpu_count() or 1)


def test_threads_get_the_same_answer():
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(400, 32)).astype(np.float32)
    ranking = rm.Ranking((np.arange(400), rng.random(400)))
    expected = rm.mmr(ranking, similarity="cosine", vectors=vectors, limit=30).ids
    with ThreadPoolExecutor(8) as pool:
        calls = pool.map(
            lambda _: rm.mmr(ranking, similarity="cosine", vectors=vectors, limit=30).ids, range(40)
        )
        assert all(ids == expected for ids in calls)
