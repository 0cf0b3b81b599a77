"""Many queries, one after the other, as an evaluation does: 3 lists of 1,000 for each of 1,000 queries."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import rankmeld as rm

from . import by_hand, oracle
from .agreement import Expected, close, same
from .harness import Case, Effort, Goal, Group, Result, measure
from .workloads import runs

_TUNED = "Python, tuned, from lists of ids"
_DICTS = "rankmeld, one call a query, from dicts"

#: One query in so many is held against the reference, from the first on.
_EVERY = 20

Check = Callable[[Any], None]


def run(*, quick: bool) -> Iterator[Result]:
    """All queries of a run in one sample."""
    queries = 40 if quick else 1_000
    yield measure(_group(runs(queries, 3, 1_000), quick=quick), Effort(1.0, 3) if quick else Effort(30.0, 5))


def _group(dicts: list[list[dict[str, float]]], *, quick: bool) -> Group:
    ids = [[list(run) for run in query] for query in dicts]
    pairs = [[list(run.items()) for run in query] for query in dicts]
    expected = [oracle.rrf(query) for query in ids[::_EVERY]]
    size = f"{len(dicts):,} x 3 x 1,000"
    cases = [
        Case(_TUNED, lambda: [by_hand.rrf_tuned(query) for query in ids], _each(close, expected)),
        Case(_DICTS, lambda: [rm.rrf(query) for query in dicts], _each(same, expected)),
        Case(
            "rankmeld, one call a query, from pairs",
            lambda: [rm.rrf(query) for query in pairs],
            _each(same, expected),
        ),
        Case(
            "rankmeld, one call a query, from lists of ids",
            lambda: [rm.rrf(query) for query in ids],
            _each(same, expected),
        ),
    ]
    if not quick and importlib.util.find_spec("ranx"):
        peer = importlib.import_module(".peers.ranx_runs", __package__)
        cases += peer.batch(dicts, _each(close, expected))
    cases = [replace(case, entries=3_000 * len(dicts)) for case in cases]
    goals = [Goal(f"RRF, {size}, from dicts, against tuned Python", _DICTS, _TUNED, 0.7)]
    return Group(f"RRF, {size}, str ids", cases, _TUNED, goals)


def _each(
    check: Callable[[Expected], Callable[[Any], None]], expected: list[Expected]
) -> Callable[[Any], None]:
    """Check the queries that have an expected answer."""

    def check_all(results: list[Any]) -> None:
        for result, wanted in zip(results[::_EVERY], expected, strict=True):
            check(wanted)(result)

    return check_all
