"""`fuse_runs`: each query comes out with the bits of the function for one query."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.runs import fuse_runs as oracle
from support.check import fused, outcome
from support.interrupts import assert_a_signal_stops
from support.strategies import odd_ids, ordinary_scores, pairs, plain_ids

SCORES = ("minmax", "max", "sum", "zscore", "dbsf", "rank", "none")
RANKS = ("rrf", "isr", "log_isr", "logn_isr", "borda", "rbc", "condorcet")

queries = st.one_of(st.sampled_from(["q1", "q2", "01", "1"]), st.integers(0, 3))
one_run = st.dictionaries(queries, pairs(odd_ids, ordinary_scores), max_size=4)
#: Without repeats: what they leave to the absent in a count of Borda is not defined.
distinct = st.dictionaries(queries, pairs(odd_ids, ordinary_scores, unique=True), max_size=4)
several = st.lists(one_run, max_size=4)


def one_by_one(runs: list[dict[Any, Any]], method: str, **options: Any) -> dict[Any, rm.Ranking]:
    """The functions for one query, asked for each."""
    everyone = dict.fromkeys(query for run in runs for query in run)
    lists = {query: [run.get(query, []) for run in runs] for query in everyone}
    if method == "rrf":
        return {query: rm.rrf(given, **options) for query, given in lists.items()}
    if "combine" in options or method in SCORES:
        return {query: rm.fuse_scores(given, normalize=method, **options) for query, given in lists.items()}
    return {query: rm.fuse_ranks(given, method=method, **options) for query, given in lists.items()}


def assert_same(found: rm.Run, expected: dict[Any, rm.Ranking]) -> None:
    assert list(found) == list(expected)
    assert all(type(a) is type(b) for a, b in zip(found, expected, strict=True))
    for query, ranking in expected.items():
        assert fused(found[query]) == fused(ranking)


@pytest.mark.parametrize("method", SCORES + RANKS)
@given(runs=several, limit=st.one_of(st.none(), st.integers(0, 5)), threads=st.sampled_from([None, 1, 2, 3]))
def test_every_query_has_the_bits_of_one(method, runs, limit, threads):
    expected = outcome(one_by_one, runs, method, limit=limit)
    found = outcome(rm.fuse_runs, runs, method=method, limit=limit, threads=threads)
    if isinstance(expected, type):
        assert found is expected
    else:
        assert_same(found, expected)


@pytest.mark.parametrize("combine", ["sum", "mnz", "anz", "max", "min", "median"])
@given(runs=several, normalize=st.sampled_from([*SCORES, "borda"]), data=st.data())
def test_combinations_weights_and_duplicates(combine, runs, normalize, data):
    weights = data.draw(st.lists(st.floats(0, 3), min_size=len(runs), max_size=len(runs)))
    options = {
        "combine": combine,
        "weights": weights,
        "duplicates": data.draw(st.sampled_from(["sum", "first"])),
    }
    expected = one_by_one(runs, normalize, **options)
    assert_same(rm.fuse_runs(runs, method=normalize, **options), expected)


@pytest.mark.parametrize("ties", ["id_asc", "id_desc"])
@given(
    runs=st.lists(st.dictionaries(queries, st.lists(plain_ids, max_size=6, unique=True)), max_size=3),
    limit=st.one_of(st.none(), st.integers(0, 4)),
)
def test_ties_by_id(ties, runs, limit):
    expected = one_by_one(runs, "rrf", ties=ties, limit=limit)
    assert_same(rm.fuse_runs(runs, ties=ties, limit=limit), expected)


@pytest.mark.parametrize("method", ["rrf", "minmax", "isr", "borda"])
@given(runs=st.lists(distinct, max_size=4))
def test_equals_the_oracle(method, runs):
    expected = oracle(runs, method=method)
    found = rm.fuse_runs(runs, method=method)
    assert list(found) == list(expected)
    for query, hits in expected.items():
        assert dict(fused(found[query])) == pytest.approx(dict(hits), rel=1e-12, abs=1e-12)


@given(runs=several)
def test_shared_ids_change_nothing(runs):
    """Runs of one table of ids, as fusing makes them, fuse as runs of several do."""
    together = rm.Run.from_dict(
        {(index, query): run[query] for index, run in enumerate(runs) for query in run}
    )
    apart = [rm.Run.from_dict(run) for run in runs]
    legs = []
    for index in range(len(runs)):
        rows = {query: together[query] for query in together if query[0] == index}
        legs.append(rm.Run.from_dict({query[1]: ranking for query, ranking in rows.items()}))
    assert rm.fuse_runs(legs) == rm.fuse_runs(apart)
    alone = rm.fuse_runs([rm.fuse_runs(apart)] * 2)
    assert {query: ranking.ids for query, ranking in alone.items()} == {
        query: ranking.ids for query, ranking in rm.fuse_runs(apart).items()
    }


def test_a_run_without_a_query_brings_nothing_to_it():
    first = rm.Run.from_dict({"b": ["d1"], "a": []})
    second = rm.Run.from_dict({"c": ["d2"], "a": ["d3"]})
    found = rm.fuse_runs([first, second])
    assert found.queries == ["b", "a", "c"]
    assert {query: fused(ranking) for query, ranking in found.items()} == {
        "b": [("d1", 1 / 61)],
        "a": [("d3", 1 / 61)],
        "c": [("d2", 1 / 61)],
    }


def test_nothing_gives_nothing():
    assert len(rm.fuse_runs([])) == 0
    assert len(rm.fuse_runs([rm.Run.from_dict({})])) == 0
    assert fused(rm.fuse_runs([{"q": []}])["q"]) == []


def test_weights_by_name():
    runs = [rm.Run.from_dict({"q": ["a"]}, name="bm25"), rm.Run.from_dict({"q": ["b"]}, name="dense")]
    assert rm.fuse_runs(runs, weights={"dense": 2.0})["q"].ids == ["b", "a"]
    with pytest.raises(rm.InvalidArgumentError) as refusal:
        rm.fuse_runs(runs, weights={"sparse": 1.0})
    assert str(refusal.value) == (
        "weights has the name 'sparse', which no run bears (names: 'bm25', 'dense'); name runs where they are"
        " made, with name="
    )


def big(queries: int, hits: int) -> rm.Run:
    return rm.Run.from_dict(
        {f"q{n}": [f"d{(n * 7 + m * 13) % 5000}" for m in range(hits)] for n in range(queries)}
    )


def test_the_number_of_threads_shows_in_no_bit():
    runs = [big(60, 400), big(50, 300)]
    alone = rm.fuse_runs(runs, threads=1)
    for threads in (2, 3, 100):
        assert rm.fuse_runs(runs, threads=threads).to_trec() == alone.to_trec()


@pytest.mark.skipif(sys.platform == "win32", reason="not applicable: no alarms there")
def test_a_signal_stops_it():
    runs = [big(2_000, 500), big(2_000, 500)]
    assert_a_signal_stops(lambda: rm.fuse_runs(runs, threads=1))
    assert_a_signal_stops(lambda: rm.fuse_runs(runs, threads=2), threads=2)
