"""Numbers at the ends of the range, and signals at awkward moments."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap

import pytest

import rankmeld as rm

HUGE = 10**400


@pytest.mark.parametrize("small", [1e-300, 5e-324, 1.0])
def test_a_sum_comes_back_from_beyond_the_range(small):
    terms = [1.7e308, 1.7e308, -1.7e308, -1.7e308, small]
    (hit,) = rm.fuse_scores([[("a", term) for term in terms]], normalize="none")
    assert hit.score == small
    (hit,) = rm.fuse_scores([[("a", term)] for term in terms], normalize="none")
    assert hit.score == small


@pytest.mark.parametrize("combine", ["max", "min", "median"])
def test_repeats_of_a_list_are_summed_exactly(combine):
    repeated = [("a", 1e16), ("b", 3.0), ("a", 1.0), ("a", 1e-16), ("b", 1.0)]
    found = rm.fuse_scores([repeated], normalize="none", combine=combine)
    assert found.to_dicts()[0]["score"] == 1e16 + 2.0
    assert found.to_dicts()[1]["score"] == 4.0


def test_a_huge_sum_of_repeats_is_refused_in_linear_time():
    with pytest.raises(rm.InvalidScoreError, match="the fused score of id 'a'"):
        rm.fuse_scores([[("a", 1e308)] * 300_000], normalize="none")


def test_small_factors_of_decay_do_not_vanish_together():
    document = rm.Document("a", importance=1e-300)
    (hit,) = rm.time_decay([("a", 1e300, document)], undated=1e-300, importance_weight=1.0, now=0.0)
    assert hit.score == pytest.approx(1e-300, rel=1e-9, abs=0)
    dated = rm.Document("a", created_at="1970-01-01")
    assert [
        hit.score for hit in rm.time_decay([("a", 1.0, dated)], half_life_days=5e-324, now="2024-01-01")
    ] == [0.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: rm.rrf([["a"]], weights=[HUGE]),
        lambda: rm.Source("s", ["a"], weight=HUGE),
        lambda: rm.Document("a", importance=HUGE),
        lambda: rm.Document("a", created_at=HUGE),
        lambda: rm.Document("a", created_at=-HUGE),
        lambda: rm.time_decay([("a", 1.0)], now=HUGE),
    ],
)
def test_integers_beyond_the_range_of_floats_are_refused(call):
    with pytest.raises(rm.InvalidArgumentError):
        call()


def test_explanations_pickle_and_copy_after_every_stage():
    ranking = rm.dedup(rm.time_decay(rm.fuse_scores([[("a", 1.0)]]), now=0.0))
    explanation = ranking.explain("a")
    assert len(explanation.stages) == 2
    assert pickle.loads(pickle.dumps(explanation)) == explanation
    assert copy.deepcopy(explanation) == explanation


@pytest.mark.skipif(sys.platform == "win32", reason="not applicable: signals to oneself differ on Windows")
def test_a_signal_before_the_first_array_is_no_panic():
    program = """
        import os, signal, threading, time
        import rankmeld as rm
        ids = [1 + (2**61 - 1) * n for n in range(20_000)]  # one hash for all of them
        threading.Thread(target=lambda: (time.sleep(0.2), os.kill(os.getpid(), signal.SIGINT))).start()
        try:
            rm.rrf([ids])
            time.sleep(1)
        except KeyboardInterrupt:
            print("interrupted")
        rm.rrf([["a"]])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "interrupted"), done.stderr
    assert "panic" not in done.stderr
