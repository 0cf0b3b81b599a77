"""Runs: all queries fused in one call, and lines of TREC read and written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import rankmeld as rm

from . import by_hand, oracle
from .agreement import same
from .harness import Case, Effort, Goal, Group, Result, measure
from .workloads import runs as workload

_TUNED = "Python, tuned, from lists of ids"
_READY = "rankmeld, columns ready, two threads"
_LOOP = "Python, split"
_READ = "rankmeld, Run.from_trec"

#: One query in so many is held against the reference, from the first on.
_EVERY = 20

Dicts = list[dict[str, dict[str, float]]]


def run(*, quick: bool) -> Iterator[Result]:
    """RRF and min-max of 3 runs, then the first of them as lines."""
    queries = 40 if quick else 1_000
    by_query = workload(queries, 3, 1_000)
    dicts = [{f"q{number}": lists[leg] for number, lists in enumerate(by_query)} for leg in range(3)]
    effort = Effort(1.0, 3) if quick else Effort(30.0, 5)
    yield measure(_fusion(dicts), effort)
    yield measure(_lines(dicts[0]), effort)


def _fusion(dicts: Dicts) -> Group:
    ready = [rm.Run.from_dict(run) for run in dicts]
    ids = [[list(run[query]) for run in dicts] for query in dicts[0]]
    expected = {query: oracle.rrf([list(run[query]) for run in dicts]) for query in list(dicts[0])[::_EVERY]}

    def check(fused: rm.Run) -> None:
        assert fused.queries == list(dicts[0])
        for query, wanted in expected.items():
            same(wanted)(fused[query])

    def check_scores(fused: rm.Run) -> None:
        for query in expected:
            one = rm.fuse_scores([run[query] for run in ready])
            assert fused[query] == one, query

    entries = sum(len(ranking) for run in dicts for ranking in run.values())
    cases = [
        Case(_TUNED, lambda: [by_hand.rrf_tuned(query) for query in ids], None, note="checked in batch"),
        Case(_READY, lambda: rm.fuse_runs(ready, threads=2), check),
        Case("rankmeld, columns ready, one thread", lambda: rm.fuse_runs(ready, threads=1), check),
        Case(
            "rankmeld, columns ready, min-max, two threads",
            lambda: rm.fuse_runs(ready, method="minmax", threads=2),
            check_scores,
        ),
        Case("rankmeld, from dicts", lambda: rm.fuse_runs(dicts, threads=2), check),
    ]
    size = f"{len(ids):,} x 3 x 1,000"
    goals = [Goal(f"RRF, {size}, columns ready, CPU of both threads", _READY, _TUNED, 0.1)]
    return Group(f"RRF of runs, {size}, str ids", [_with(case, entries) for case in cases], _TUNED, goals)


def _lines(run: dict[str, dict[str, float]]) -> Group:
    made = rm.Run.from_dict(run)
    text = made.to_trec(tag="bench")
    content = text.encode()

    def check(read: Any) -> None:
        assert read == made

    def check_split(read: dict[str, dict[str, float]]) -> None:
        assert read == run

    cases = [
        Case(_LOOP, lambda: _split(text), check_split),
        Case(_READ, lambda: rm.Run.from_trec(content), check),
        Case("rankmeld, Run.to_trec", lambda: made.to_trec(tag="bench"), _equals(text)),
        Case(
            "a pass over the bytes (NumPy)",
            lambda: np.count_nonzero(np.frombuffer(content, np.uint8) == ord("\n")),
            None,
            note="reads them, and no more",
        ),
    ]
    entries = content.count(b"\n")
    goals = [Goal(f"reading {len(content) / 1e6:.0f} MB of lines, against split", _READ, _LOOP, 0.5)]
    return Group(
        f"Lines of TREC, {entries:,} of them, {len(content) / 1e6:.1f} MB",
        [_with(case, entries) for case in cases],
        _LOOP,
        goals,
    )


def _split(text: str) -> dict[str, dict[str, float]]:
    """The loop that everybody writes."""
    out: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        query, _, document, _, score, _ = line.split()
        out.setdefault(query, {})[document] = float(score)
    return out


def _equals(wanted: str) -> Any:
    def check(text: str) -> None:
        assert text == wanted

    return check


def _with(case: Case, entries: int) -> Case:
    return Case(case.name, case.call, case.check, entries=entries, note=case.note)
