"""Ctrl-C stops a long fusion."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeld as rm
from support.interrupts import assert_a_signal_stops

COUNT = 3_000_000


def arrays() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.permutation(COUNT) for _ in range(3)]


def scored() -> list[tuple[np.ndarray, np.ndarray]]:
    return [(ids, np.arange(COUNT, dtype=np.float64)) for ids in arrays()]


WORK = {
    "rrf of arrays": (arrays, rm.rrf),
    "rrf of arrays, a few wanted": (arrays, lambda lists: rm.rrf(lists, limit=5)),
    "rrf of lists": (lambda: [[str(i) for i in range(COUNT // 2)]] * 4, rm.rrf),
    "fuse_scores": (scored, lambda lists: rm.fuse_scores(lists, normalize="zscore")),
    "condorcet": (
        lambda: [ids[:20_000] for ids in arrays()],
        lambda lists: rm.fuse_ranks(lists, method="condorcet"),
    ),
    "Ranking": (lambda: [str(i) for i in range(COUNT)], rm.Ranking),
}


@pytest.mark.parametrize("work", WORK)
def test_a_signal_stops_it(work):
    make, call = WORK[work]
    given = make()
    assert_a_signal_stops(lambda: call(given))
