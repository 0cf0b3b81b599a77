"""ranx: fusion of runs, compiled by Numba."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benches.python import oracle
from benches.python.agreement import close
from benches.python.by_hand import K
from benches.python.harness import Case
from benches.python.workloads import Pairs
from ranx import Run, fuse


def rrf(lists: list[Pairs]) -> list[Case]:
    def call(runs: list[Run]) -> Run:
        return fuse(runs, norm=None, method="rrf", params={"k": K})

    return _cases("rrf", lists, call, close(oracle.rrf(lists), _scores))


def minmax(lists: list[Pairs]) -> list[Case]:
    weights = {"weights": [1.0] * len(lists)}

    def call(runs: list[Run]) -> Run:
        return fuse(runs, norm="min-max", method="wsum", params=weights)

    return _cases("min-max, sum", lists, call, close(oracle.fuse_scores(lists), _scores))


def _cases(
    method: str, lists: list[Pairs], call: Callable[[list[Run]], Run], check: Callable[[Run], None]
) -> list[Case]:
    ready = runs_of(lists)
    return [
        Case(f"ranx {method}, runs ready", lambda: call(ready), check),
        Case(f"ranx {method}, from dicts", lambda: call(runs_of(lists)), check),
    ]


def runs_of(lists: list[Pairs]) -> list[Run]:
    """One run of one query for each list."""
    return [Run({"q": dict(pairs)}) for pairs in lists]


def _scores(fused: Run) -> Mapping[Any, float]:
    return dict(fused.run["q"])


def batch(dicts: list[list[dict[str, float]]], check: Callable[[list[Any]], None]) -> list[Case]:
    """RRF of many queries at once; `check` wants one mapping per query."""

    def runs() -> list[Run]:
        return [
            Run({f"q{number}": query[which] for number, query in enumerate(dicts)})
            for which in range(len(dicts[0]))
        ]

    def call(runs: list[Run]) -> Run:
        return fuse(runs, norm=None, method="rrf", params={"k": K})

    def check_run(fused: Run) -> None:
        check([dict(fused.run[f"q{number}"]) for number in range(len(dicts))])

    ready = runs()
    return [
        Case("ranx, runs ready", lambda: call(ready), check_run),
        Case("ranx, from dicts", lambda: call(runs()), check_run),
    ]
