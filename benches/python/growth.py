"""How the cost of fusion grows with the entries, and what an explanation adds when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import rankmeld as rm
from rankmeld import _core

from . import by_hand, oracle
from .agreement import close, same
from .harness import Case, Effort, Group, Result, Timing, Verdict, measure
from .workloads import ids_of, integer_lists, string_lists

_LISTS = 4

#: The largest exponent that still counts as linear: 10,000 times the entries may take 2.5 times as
#: long for each of them, since tables leave the caches of the processor and a sort has its logarithm.
_LINEAR = 1.1


def run(*, quick: bool) -> Iterator[Result]:
    """From 100 entries to a million (100,000 in a quick pass)."""
    sizes = [10**power for power in range(2, 6 if quick else 7)]
    effort = Effort(1.0, 3) if quick else Effort(40.0, 8)
    yield _with_exponents(measure(_growing(sizes), effort), sizes)
    yield measure(_explaining(), Effort(0.7, 5) if quick else Effort(8.0, 12))


def _growing(sizes: list[int]) -> Group:
    cases: list[Case] = []
    for size in sizes:
        cases += [replace(case, name=f"{case.name}, {size:,}", entries=size) for case in _of_size(size)]
    return Group("RRF of 4 lists, by entries", cases, cases[0].name)


def _of_size(size: int) -> list[Case]:
    lists = string_lists(_LISTS, size // _LISTS)
    ids = ids_of(lists)
    arrays = [np.array(column, dtype=np.int64) for column in ids_of(integer_lists(_LISTS, size // _LISTS))]
    expected = oracle.rrf(arrays)
    return [
        Case("str pairs", lambda: rm.rrf(lists), same(oracle.rrf(ids))),
        Case("int64 arrays", lambda: rm.rrf(arrays), same(expected)),
        Case("int64 arrays, limit=10", lambda: rm.rrf(arrays, limit=10), same(expected[:10])),
        Case("Python, tuned", lambda: by_hand.rrf_tuned(ids), close(oracle.rrf(ids))),
        Case("bare dict pass", lambda: by_hand.dict_pass(ids), None, note="a bound: no credits, no order"),
    ]


def _with_exponents(result: Result, sizes: list[int]) -> Result:
    by_name = {timing.case.name: timing for timing in result.timings}
    first, last = sizes[0], sizes[-1]

    def exponent(kind: str) -> float:
        few, many = by_name[f"{kind}, {first:,}"], by_name[f"{kind}, {last:,}"]
        return math.log(many.cpu_min / few.cpu_min) / math.log(last / first)

    verdicts = [
        Verdict(f"RRF of {kind}, {first:,} to {last:,} entries, exponent of growth", _LINEAR, exponent(kind))
        for kind in ("str pairs", "int64 arrays", "int64 arrays, limit=10")
    ]
    return replace(result, timings=_by_kind(result.timings), verdicts=verdicts)


def _by_kind(timings: list[Timing]) -> list[Timing]:
    """The sizes of one kind below each other, as a table is read."""
    kinds = list(dict.fromkeys(timing.case.name.rpartition(", ")[0] for timing in timings))
    return [t for kind in kinds for t in timings if t.case.name.rpartition(", ")[0] == kind]


def _explaining() -> Group:
    """A fusion that nobody asks about, beside the bare call of the core, and one that is explained."""
    lists = string_lists(3, 1_000)
    expected = oracle.rrf(lists)
    best = expected[0][0]
    method = _core.Method.reciprocal(60.0, 1)
    nameless, equal = [None] * 3, [1.0] * 3

    def core_alone() -> tuple[list[str], np.ndarray]:
        ids, scores, *_ = _core.fuse(lists, nameless, equal, method, "sum", "first", None, "first")
        return ids, scores

    def credits_add_up(explained: rm.HitExplanation) -> None:
        assert math.fsum(credit.credit for credit in explained.sources) == expected[0][1]

    cases = [
        Case(
            "the core alone, nothing kept",
            core_alone,
            lambda columns: same(expected)(rm.Ranking((columns[0], columns[1].copy()))),
        ),
        Case("fused, not asked", lambda: rm.rrf(lists), same(expected)),
        Case("fused, best hit explained", lambda: rm.rrf(lists).explain(best), credits_add_up),
        Case(
            "fused, 10 hits explained",
            lambda: rm.rrf(lists, limit=10).explanation(),
            lambda all_of_them: credits_add_up(all_of_them[0]),
        ),
    ]
    return Group("RRF, 3 x 1,000 str pairs, with and without an explanation", cases, cases[0].name)
