"""The same input gives the same bits: in fresh processes, under any hash seed, in many threads."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm

PROGRAM = """
import hashlib
import rankmeld as rm
words = ["w%d" % (i * 7919 % 997) for i in range(400)]
lists = [words[:200], words[100:300], [w for w in reversed(words)], [("a", 1), b"a", 3, 2.5, None, "a"]]
scored = [[(w, float((i * 31) % 17)) for i, w in enumerate(one)] for one in lists[:3]]
out = [rm.rrf(lists), rm.rrf(lists, weights=[1, 0.3, 2, 0], duplicates="sum")]
for n in ("minmax", "zscore", "dbsf"):
    out += [rm.fuse_scores(scored, normalize=n, combine=c) for c in ("sum", "median")]
out += [rm.fuse_ranks(scored, method=m) for m in ("isr", "borda", "condorcet", "rbc")]
text = repr([[(str(h.id), h.score.hex()) for h in one] for one in out])
print(hashlib.sha256(text.encode()).hexdigest())
"""


def digest(**variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert not done.stderr
    return done.stdout.strip()


def test_fresh_processes_agree_whatever_their_hash_seed():
    digests = {digest(PYTHONHASHSEED=seed) for seed in ("0", "1", "42", "4294967295")}
    assert len(digests) == 1
    assert digests.pop()


def test_the_number_of_worker_threads_does_not_show():
    assert len({digest(RAYON_NUM_THREADS=count) for count in ("1", "2", "7")}) == 1


@pytest.mark.parametrize("workers", [2, 8])
def test_threads_agree(workers):
    lists = [[f"d{i * 7 % 300}" for i in range(300)], [f"d{i * 11 % 300}" for i in range(300)]]
    scored = [[(id, float(i % 5)) for i, id in enumerate(one)] for one in lists]

    def work(_: int) -> list[list[tuple[object, float | None]]]:
        return [
            [(hit.id, hit.score) for hit in ranking]
            for ranking in (rm.rrf(lists), rm.fuse_scores(scored, normalize="zscore"), rm.rrf(scored)[5:50])
        ]

    alone = work(0)
    with ThreadPoolExecutor(workers) as pool:
        assert all(found == alone for found in pool.map(work, range(100)))


def test_one_ranking_is_read_by_many_threads():
    ranking = rm.rrf([[("a", 1.0), ("b", 0.5)], ["b", "c"]])

    def work(_: int) -> tuple[object, ...]:
        return ranking.ids, list(ranking.scores), ranking.explanation(), ranking[1:], ranking.to_dicts()

    alone = work(0)
    with ThreadPoolExecutor(8) as pool:
        assert all(found == alone for found in pool.map(work, range(400)))
