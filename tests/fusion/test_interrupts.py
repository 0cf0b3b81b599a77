"""Ctrl-C stops long work within 0.2 s; here an alarm takes the place of the keyboard."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import numpy as np
import pytest

import rankmeld as rm

DELAY, ALLOWED = 0.05, 0.2
#: A busy machine is late by itself.
SLACK = 0.6
COUNT = 3_000_000


class Stopped(Exception):
    """What the signal's handler raises, as Ctrl-C raises `KeyboardInterrupt`."""


@pytest.fixture
def alarm() -> Iterator[None]:
    if not hasattr(signal, "setitimer"):
        pytest.skip("interval timers are not on this system")

    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


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
def test_a_signal_stops_it(alarm, work):
    make, call = WORK[work]
    given = make()

    def run() -> None:
        call(given)
        time.sleep(DELAY)  # done before the alarm: it comes now

    signal.setitimer(signal.ITIMER_REAL, DELAY)
    start = time.perf_counter()
    with pytest.raises(Stopped):
        run()
    assert time.perf_counter() - start < 2 * DELAY + ALLOWED + SLACK
