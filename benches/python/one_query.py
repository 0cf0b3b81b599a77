"""Fusion of the lists of one query: what a service does for every request."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
from collections.abc import Callable, Iterator

import numpy as np

import rankmeld as rm

from . import by_hand, oracle, peers
from .agreement import close, in_order, ranked, same
from .harness import Case, Effort, Goal, Group, Result, measure
from .workloads import Pairs, fresh, ids_of, integer_lists, string_lists

#: Lists and their length, with the share of tuned Python's time that reading pairs may take.
_SIZES = ((2, 100, 0.4), (3, 1_000, 0.28), (8, 10_000, 0.35))

_TUNED = "Python, tuned"
_FLOOR = "bare dict pass"
_PANDAS = "pandas factorize"
_NO_ANSWER = "a bound: no credits, no order"


def run(*, quick: bool) -> Iterator[Result]:
    """Strings and integers by rank, then by score."""
    for lists, length, share in _SIZES:
        large = lists * length > 10_000
        effort = Effort(0.7, 5) if quick else Effort(16.0 if large else 10.0, 12)
        yield measure(_strings(lists, length, share, quick=quick), effort)
        yield measure(_integers(lists, length), effort)
    effort = Effort(0.7, 5) if quick else Effort(10.0, 12)
    yield measure(_by_score(3, 1_000, quick=quick), effort)
    yield measure(_unhashed(3, 1_000), effort)


def _strings(count: int, length: int, share: float, *, quick: bool) -> Group:
    lists = string_lists(count, length)
    ids = ids_of(lists)
    expected = oracle.rrf(lists)
    size = f"{count} x {length:,}"
    cases = [
        Case("rankmeld, pairs", lambda: rm.rrf(lists), same(expected)),
        Case("rankmeld, pairs, limit=10", lambda: rm.rrf(lists, limit=10), same(expected[:10])),
        Case("rankmeld, ids", lambda: rm.rrf(ids), same(expected)),
        Case("Python, first draft", lambda: by_hand.rrf_clean(ids), close(expected)),
        Case(_TUNED, lambda: by_hand.rrf_tuned(ids), close(expected)),
        Case(
            "Python, heap of 10",
            lambda: by_hand.rrf_top(ids, 10),
            in_order(expected, lambda pairs: [id for id, _ in pairs], 10),
        ),
        Case(_FLOOR, lambda: by_hand.dict_pass(ids), None, note=_NO_ANSWER),
    ]
    if not quick:
        cases += [case for peer in peers.installed() for case in peer.rrf(lists)]
    goals = [Goal(f"RRF, {size} pairs, against tuned Python on ids", "rankmeld, pairs", _TUNED, share)]
    if length == 1_000:
        goals.append(
            Goal(f"RRF, {size} pairs, limit=10, against {_FLOOR}", "rankmeld, pairs, limit=10", _FLOOR, 1.0)
        )
    return Group(f"RRF, {size}, str ids", _counted(cases, count * length), _TUNED, goals)


def _integers(count: int, length: int) -> Group:
    lists = integer_lists(count, length)
    ids = ids_of(lists)
    arrays = [np.array(column, dtype=np.int64) for column in ids]
    expected = oracle.rrf(ids)
    size = f"{count} x {length:,}"
    read = by_hand.columns_to_dict
    cases = [
        Case("rankmeld, arrays", lambda: rm.rrf(arrays), same(expected)),
        Case("rankmeld, arrays, limit=10", lambda: rm.rrf(arrays, limit=10), same(expected[:10])),
        Case("rankmeld, pairs", lambda: rm.rrf(lists), same(expected)),
        Case(_TUNED, lambda: by_hand.rrf_tuned(ids), close(expected)),
        Case(_FLOOR, lambda: by_hand.dict_pass(ids), None, note=_NO_ANSWER),
        Case("NumPy unique", lambda: by_hand.rrf_numpy(arrays), close(expected, read)),
    ]
    goals = []
    if importlib.util.find_spec("pandas"):
        with_pandas = importlib.import_module(".peers.pandas_codes", __package__)
        cases.append(Case(_PANDAS, lambda: with_pandas.rrf(arrays), close(expected, read)))
        if length == 1_000:
            goals = [
                Goal(f"RRF, {size} int64 arrays, against pandas", "rankmeld, arrays", _PANDAS, 0.5),
                Goal(
                    f"RRF, {size} int64 arrays, limit=10, against pandas",
                    "rankmeld, arrays, limit=10",
                    _PANDAS,
                    0.25,
                ),
            ]
    if length == 10_000:
        # The goal is a share of what the same fusion takes with the ids that people mostly have.
        texts = string_lists(count, length)
        text_ids = ids_of(texts)
        name = "Python, tuned, str ids"
        cases.append(Case(name, lambda: by_hand.rrf_tuned(text_ids), close(oracle.rrf(texts))))
        goals = [
            Goal(f"RRF, {size} int64 arrays, against tuned Python on str", "rankmeld, arrays", name, 0.06)
        ]
    return Group(f"RRF, {size}, integer ids", _counted(cases, count * length), _TUNED, goals)


def _by_score(count: int, length: int, *, quick: bool) -> Group:
    lists = string_lists(count, length)
    expected = oracle.fuse_scores(lists)
    # The reference rounds once, at the end; the library rounds each normalized value.
    cases = [
        Case("rankmeld, pairs", lambda: rm.fuse_scores(lists), close(expected, ranked)),
        Case(
            "rankmeld, pairs, limit=10",
            lambda: rm.fuse_scores(lists, limit=10),
            in_order(expected, lambda fused: fused.ids, 10),
        ),
        Case("Python, first draft", lambda: by_hand.minmax_clean(lists), close(expected)),
        Case(_TUNED, lambda: by_hand.minmax_tuned(lists), close(expected)),
    ]
    if not quick:
        offered = [peer.minmax for peer in peers.installed() if hasattr(peer, "minmax")]
        cases += [case for minmax in offered for case in minmax(lists)]
    size = f"{count} x {length:,}"
    goals = [Goal(f"min-max sum, {size} pairs, against tuned Python", "rankmeld, pairs", _TUNED, 0.2)]
    return Group(f"min-max sum, {size}, str ids", _counted(cases, count * length), _TUNED, goals)


def _unhashed(count: int, length: int) -> Group:
    """Ids whose hashes nobody knows yet: strings that a parser has just made."""
    lists = string_lists(count, length)
    expected = oracle.rrf(lists)

    def new_pairs() -> list[Pairs]:
        return [[(fresh(id), score) for id, score in pairs] for pairs in lists]

    def new_ids() -> list[list[str]]:
        return ids_of(new_pairs())

    ours: Callable[[list[Pairs]], rm.Ranking] = rm.rrf
    cases = [
        Case("rankmeld, pairs", ours, same(expected), prepare=new_pairs),
        Case(_TUNED, by_hand.rrf_tuned, close(expected), prepare=new_ids),
        Case(_FLOOR, by_hand.dict_pass, None, prepare=new_ids, note=_NO_ANSWER),
    ]
    return Group(
        f"RRF, {count} x {length:,}, str ids never hashed before", _counted(cases, count * length), _TUNED
    )


def _counted(cases: list[Case], entries: int) -> list[Case]:
    return [dataclasses.replace(case, entries=entries) for case in cases]
