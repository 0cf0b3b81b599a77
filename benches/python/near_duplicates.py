"""Near-duplicates in collections: texts of 80 words, a fifth of them copies with some words replaced.

Quality is looked at first, on a sample whose pairs are known exactly: nothing is found that is no
pair, and of the pairs at most one in a hundred is missed.
"""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import rankmeld as rm

from .harness import Case, Effort, Group, Result, Verdict, measure
from .workloads import SEED

_THRESHOLD = 0.85
_VALUES = 128
_SAMPLE = 2_000
#: What a text may take, and what may be kept of it.
_GOAL_US = 1e6 / 150_000
_GOAL_KIB = 1.5
#: As for fusion: tables leave the caches, and sorting has its logarithm.
_LINEAR = 1.1

Pairs = set[tuple[int, int]]


def run(*, quick: bool) -> Iterator[Result]:
    """10,000 and 100,000 texts (1,000 in a quick pass), then how time and memory grow."""
    effort = Effort(1.0, 3) if quick else Effort(20.0, 5)
    for shingle in (1, 3):
        _judge(shingle)
        for count in (1_000,) if quick else (10_000, 100_000):
            group = _finding(texts(count), shingle, peers=not quick)
            yield _with_speed(measure(group, effort), count)
    sizes = [10**power for power in range(3, 5 if quick else 7)]
    yield _with_growth(measure(_growing(sizes), Effort(1.0, 2)), sizes)
    yield _with_memory(measure(_kept(2_000), effort), 5_000 if quick else 100_000)


def texts(count: int) -> list[str]:
    """Texts of 60 to 100 words with the skewed frequencies of real ones."""
    rng = np.random.default_rng([SEED, count])
    words = _words(30_000)
    steps = np.cumsum(1.0 / np.arange(1, len(words) + 1) ** 1.05)
    lengths = rng.integers(60, 101, count)
    copies = rng.random(count) < 0.2
    made: list[np.ndarray] = []
    originals: list[int] = []
    for place, length in enumerate(lengths.tolist()):
        if copies[place] and originals:
            text = made[originals[int(rng.integers(len(originals)))]].copy()
            replaced = rng.random(len(text)) < 0.05
            text[replaced] = rng.integers(0, len(words), int(replaced.sum()))
        else:
            text = np.minimum(np.searchsorted(steps, rng.random(length) * steps[-1]), len(words) - 1)
            originals.append(place)
        made.append(text)
    return [" ".join(words[text]) for text in made]


def _words(count: int) -> np.ndarray:
    rng = np.random.default_rng(SEED)
    found: dict[str, None] = {}
    while len(found) < count:
        length = int(rng.integers(3, 10))
        letters = (
            "bcdfghjklmnprstvwz"[rng.integers(18)] if i % 2 else "aeiou"[rng.integers(5)]
            for i in range(length)
        )
        found["".join(letters)] = None
    return np.array(list(found))


def _shingles(text: str, length: int) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[i : i + length]) for i in range(len(words) - length + 1)}


def _exact(given: list[str], length: int) -> Pairs:
    """All pairs, by the texts that each shingle is in."""
    sets = [_shingles(text, length) for text in given]
    holders: dict[tuple[str, ...], list[int]] = {}
    pairs: Pairs = set()
    for place, shingles in enumerate(sets):
        shared: dict[int, int] = {}
        for shingle in shingles:
            for other in holders.setdefault(shingle, []):
                shared[other] = shared.get(other, 0) + 1
            holders[shingle].append(place)
        for other, count in shared.items():
            if count / (len(shingles) + len(sets[other]) - count) >= _THRESHOLD:
                pairs.add((other, place))
    return pairs


def _judge(shingle: int) -> None:
    """Precision 1 and recall of at least 0.99, or an error."""
    sample = texts(_SAMPLE)
    index = rm.MinHashIndex(threshold=_THRESHOLD, num_perm=_VALUES, shingle=shingle)
    index.add_many(range(_SAMPLE), sample)
    found = {(a, b) for b, text in enumerate(sample) for a, _ in index.query(text) if a < b}
    exact = _exact(sample, shingle)
    right = len(found & exact)
    print(f"\nruns of {shingle}: precision {right / len(found):.4f}, recall {right / len(exact):.4f}")
    assert found <= exact
    assert right >= 0.99 * len(exact)


def _finding(given: list[str], shingle: int, *, peers: bool) -> Group:
    find = partial(rm.near_duplicate_clusters, given, threshold=_THRESHOLD, num_perm=_VALUES, shingle=shingle)
    expected = find(threads=1)

    def same(labels: Any) -> None:
        assert np.array_equal(labels, expected)

    def held(index: rm.MinHashIndex) -> None:
        assert len(index) == len(given)

    def filled() -> rm.MinHashIndex:
        index = rm.MinHashIndex(threshold=_THRESHOLD, num_perm=_VALUES, shingle=shingle)
        index.add_many(range(len(given)), given, threads=1)
        return index

    cases = [
        Case("rankmeld, one thread", lambda: find(threads=1), same),
        Case("rankmeld, two threads", lambda: find(threads=2), same, note="CPU time is that of both"),
        Case("MinHashIndex, one thread", filled, held),
        Case(
            "Python, split and set",
            partial(_python_sets, given, shingle),
            None,
            note="a bound: no signatures",
        ),
    ]
    if peers and importlib.util.find_spec("rensa"):
        cases.append(
            Case("rensa, objects", partial(_rensa(), given, shingle), None, note="misses more than we do")
        )
    cases = [replace(case, entries=len(given)) for case in cases]
    return Group(f"near-duplicates, {len(given):,} texts, runs of {shingle}", cases, cases[0].name)


def _python_sets(given: list[str], shingle: int) -> int:
    return sum(len(_shingles(text, shingle)) for text in given)


def _rensa() -> Callable[[list[str], int], Pairs]:
    from rensa import RMinHash, RMinHashLSH  # noqa: PLC0415 - where it is installed

    def find(given: list[str], shingle: int) -> Pairs:
        tokens = [[" ".join(run) for run in _shingles(text, shingle)] for text in given]
        signatures = RMinHash.from_token_sets(tokens, _VALUES, 42)
        index = RMinHashLSH(_THRESHOLD, _VALUES, 16)
        index.insert_many(signatures)
        return {
            (other, place)
            for place, candidates in enumerate(index.query_all(signatures))
            for other in candidates
            if other < place and signatures[place].jaccard(signatures[other]) >= _THRESHOLD
        }

    return find


def _with_speed(result: Result, count: int) -> Result:
    by_name = {timing.case.name: timing for timing in result.timings}
    verdicts = [
        Verdict(
            f"{result.title}, {name}, CPU time a text", _GOAL_US, by_name[name].cpu_min / count * 1e6, "us"
        )
        for name in ("rankmeld, one thread", "rankmeld, two threads")
    ]
    return replace(result, verdicts=verdicts)


def _growing(sizes: list[int]) -> Group:
    def whole(count: int, labels: Any) -> None:
        assert len(labels) == count

    cases = []
    for count in sizes:
        given = texts(count)
        find = partial(rm.near_duplicate_clusters, given, threads=1)
        cases.append(Case(f"{count:,} texts", find, partial(whole, count), entries=count))
    return Group("near-duplicates, by texts", cases, cases[0].name)


def _with_growth(result: Result, sizes: list[int]) -> Result:
    few, many = result.timings[0], result.timings[-1]
    exponent = math.log(many.cpu_min / few.cpu_min) / math.log(sizes[-1] / sizes[0])
    text = f"near-duplicates, {sizes[0]:,} to {sizes[-1]:,} texts, exponent of growth"
    return replace(result, verdicts=[Verdict(text, _LINEAR, exponent)])


def _kept(count: int) -> Group:
    """What an index does for one text when it is filled."""
    given = texts(count)
    index = rm.MinHashIndex(threshold=_THRESHOLD)
    index.add_many(range(count), given)

    def itself(found: list[tuple[Any, float]]) -> None:
        assert found[0][1] == 1.0

    def replaced(_: None) -> None:
        assert len(index) == count

    cases = [
        Case("query", lambda: index.query(given[7]), itself),
        Case("replace", lambda: index.add(7, given[7]), replaced),
    ]
    return Group(f"MinHashIndex of {count:,} texts", cases, cases[0].name)


#: Fills an index in a process of its own, where nothing else has been allocated.
_MEMORY_PROGRAM = """
import os, sys
import rankmeld as rm
words = lambda i: (f"w{(i * 31 + j * 7919) % 30_011}" for j in range(80))
given = [" ".join(words(i)) for i in range(int(sys.argv[1]))]
def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1024
before = held()
index = rm.MinHashIndex()
index.add_many(range(len(given)), given)
print((held() - before) / len(given))
"""


def _with_memory(result: Result, count: int) -> Result:
    if not Path("/proc/self/statm").exists():
        return result
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY_PROGRAM, str(count)], capture_output=True, text=True, check=True
    )
    text = f"memory of a MinHashIndex of {count:,} texts, a text"
    return replace(result, verdicts=[Verdict(text, _GOAL_KIB, float(done.stdout), "KiB")])
