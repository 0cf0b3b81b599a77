"""`propagate` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import copy
import math
import pickle
from collections import UserDict, defaultdict
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.propagation import propagate as oracle
from support.check import fused, outcome

CHAIN = {"a": ["b"], "b": ["a", "c"], "c": ["b"]}
HITS = [("a", 1.0), ("b", 0.5), ("c", 0.25)]

letters = st.sampled_from("abcdefgh")
scores = st.one_of(st.floats(0, 10), st.floats(0, allow_infinity=False), st.just(0.0))
weights = st.one_of(st.floats(0, 3), st.sampled_from([0.0, 1e-200, 1e200, 5e-324]))
neighborhoods = st.dictionaries(
    letters, st.lists(st.one_of(letters, st.tuples(letters, weights)), max_size=5), max_size=8
)
rankings = st.lists(st.tuples(letters, scores), max_size=8)


def close(found: list, expected: list) -> None:
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    # Near-equal scores may change places; the multiset of (id, score) may not.
    for (id, score), (wanted_id, wanted) in zip(sorted(found), sorted(expected), strict=True):
        assert id == wanted_id
        assert math.isclose(score, wanted, rel_tol=1e-12, abs_tol=1e-322), (id, score, wanted)


@given(rankings, neighborhoods, weights)
def test_equals_the_oracle(hits, neighbors, weight):
    # What brings in nothing but a share below the smallest float is told apart by exact arithmetic alone.
    expected = outcome(oracle, hits, neighbors, weight=weight)
    found = outcome(lambda *a, **o: fused(rm.propagate(*a, **o)), hits, neighbors, weight=weight)
    if not isinstance(expected, list):
        assert found == expected
        return
    close(found, expected)


@given(
    st.lists(st.tuples(letters, st.integers(0, 8).map(float)), max_size=8), neighborhoods, st.integers(0, 9)
)
def test_a_limit_only_cuts(hits, neighbors, limit):
    neighbors = {id: [near for near in listed if isinstance(near, str)] for id, listed in neighbors.items()}
    whole = rm.propagate(hits, neighbors, weight=0.5)
    assert fused(whole) == oracle(hits, neighbors, weight=0.5)
    assert fused(rm.propagate(hits, neighbors, weight=0.5, limit=limit)) == fused(whole)[:limit]
    for ties in ("id_asc", "id_desc"):
        tied = rm.propagate(hits, neighbors, weight=0.5, ties=ties, limit=limit)
        assert fused(tied) == oracle(hits, neighbors, weight=0.5, ties=ties)[:limit]


@given(st.lists(st.tuples(letters, scores), max_size=8, unique_by=lambda hit: hit[0]), neighborhoods)
def test_no_weight_is_no_change(hits, neighbors):
    hits = sorted(hits, key=lambda hit: -hit[1])
    assert fused(rm.propagate(hits, neighbors, weight=0.0)) == hits


@given(
    st.dictionaries(letters, st.floats(0.1, 1.0), min_size=1),
    neighborhoods.map(
        lambda found: {id: [n for n in near if isinstance(n, str)] for id, near in found.items()}
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_hits_and_neighbours_shows_in_no_score(hits, neighbors, random):
    shuffled = list(hits.items())
    random.shuffle(shuffled)
    turned = {id: random.sample(near, len(near)) for id, near in neighbors.items()}
    found, again = rm.propagate(list(hits.items()), neighbors), rm.propagate(shuffled, turned)
    assert dict(fused(found)) == dict(fused(again))


@given(rankings.filter(bool), neighborhoods, letters)
def test_what_is_unrelated_changes_nothing(hits, neighbors, id):
    more = {**neighbors, ("not", "there"): [id], "zz": [(id, 2.0)]}
    expected = outcome(lambda: fused(rm.propagate(hits, neighbors)))
    assert outcome(lambda: fused(rm.propagate(hits, more))) == expected


def test_it_is_linear_in_the_edges():
    once = dict(fused(rm.propagate(HITS, {"a": [("x", 0.5)]})))["x"]
    twice = dict(fused(rm.propagate(HITS, {"a": [("x", 1.0)]})))["x"]
    both = dict(fused(rm.propagate(HITS, {"a": [("x", 0.5), ("x", 0.5)]})))["x"]
    assert twice == both == 2 * once


def test_a_turn_lifts_the_one_after_it_by_more():
    turns = rm.adjacent([f"t{n}" for n in range(5)])
    found = rm.propagate([("t2", 1.0)], turns)
    assert fused(found) == [("t2", 1.0), ("t3", pytest.approx(0.6)), ("t1", 0.4)]


def test_a_hit_may_be_its_own_neighbour():
    assert fused(rm.propagate([("a", 1.0)], {"a": ["a"]}, weight=0.5)) == [("a", 1.5)]


def test_of_hits_that_share_an_id_the_first_gives_and_gets():
    hits = [("a", 1.0), ("b", 0.5), ("a", 0.25)]
    found = rm.propagate(hits, {"a": ["b"], "b": ["a"]}, weight=1.0)
    assert fused(found) == [("a", 1.5), ("b", 1.5), ("a", 0.25)]


def test_nothing_flows_nobody_comes():
    assert rm.propagate([("a", 0.0), ("b", 1.0)], {"a": ["x"], "b": [("y", 0.0)]}).ids == ["b", "a"]


@pytest.mark.parametrize(
    "ids", [[7, 8, 9], [b"a", b"b", b"c"], [(1, "a"), (1, "b"), (1, "c")], [1.5, "1.5", None]]
)
def test_ids_of_any_kind(ids):
    a, b, c = ids
    neighbors = {a: [(b, 1.0)], b: [(c, 2.0)]}
    assert fused(rm.propagate([(a, 1.0), (b, 0.5)], neighbors, weight=1.0)) == [(b, 1.5), (a, 1.0), (c, 1.0)]


def test_ids_come_back_as_they_were_first_seen():
    found = rm.propagate(([1, 2], np.array([1.0, 0.5])), {True: [np.int64(5), 2.0]}, weight=1.0)
    assert [(id, type(id)) for id in found.ids] == [(2, int), (1, int), (5, int)]
    array = rm.propagate((np.array([3, 1]), np.array([1.0, 0.5])), {3: [1]}, weight=1.0)
    assert (array.ids, array._ids.dtype) == ([1, 3], np.int64)


@pytest.mark.parametrize(
    "neighbors",
    [
        {"a": ("b", ("x", 0.5))},
        {"a": [["b", 1], ["x", 0.5]]},
        {"a": {"b": 1.0, "x": np.float32(0.5)}},
        {"a": [*np.array(["b", "x", "x"])[[0]].tolist(), ("x", 0.5)]},
        {"a": iter(["b", ("x", 0.5)])},
        MappingProxyType({"a": ["b", ("x", 0.5)], "b": None}),
        UserDict({"a": ["b", ("x", 0.5)]}),
        defaultdict(list, {"a": ["b", ("x", 0.5)]}),
    ],
)
def test_every_form_of_neighbours(neighbors):
    assert fused(rm.propagate([("a", 1.0), ("b", 0.5)], neighbors, weight=1.0)) == [
        ("b", 1.5),
        ("a", 1.0),
        ("x", 0.5),
    ]


def test_asking_adds_nothing():
    neighbors = defaultdict(list, a=["b"])
    rm.propagate(HITS, neighbors)
    assert dict(neighbors) == {"a": ["b"]}


def test_only_ids_of_the_ranking_are_looked_up():
    class Counting(UserDict):
        asked: ClassVar[list] = []

        def get(self, id, default=None):
            self.asked.append(id)
            return super().get(id, default)

    neighbors = Counting({id: ["x"] for id in "abcdefgh"})
    rm.propagate([*HITS, ("a", 0.1)], neighbors)
    assert neighbors.asked == ["a", "b", "c"]


def test_a_lookup_is_asked_once_for_what_is_brought_in_and_stays():
    class Store:
        asked: ClassVar[list] = []

        def get(self, id):
            raise AssertionError("there is get_many")

        def get_many(self, ids):
            self.asked.append(list(ids))
            return {"x": rm.Document("x", "brought in")}

    store, mine = Store(), rm.Document("a", "mine")
    neighbors = {"a": [("x", 0.5), "y", ("z", 0.1)]}
    found = rm.propagate([("a", 1.0, mine), ("b", 0.5)], neighbors, limit=4, lookup=store)
    assert store.asked == [["y", "x"]]
    assert fused(found) == [("a", 1.0), ("b", 0.5), ("y", 0.4), ("x", 0.2)]
    assert found.documents == [mine, None, None, rm.Document("x", "brought in")]
    assert rm.propagate([("a", 1.0, mine)], {}, lookup=store).documents == [mine]
    assert len(store.asked) == 1


def test_a_dict_of_documents_is_a_lookup():
    x = rm.Document("x")
    assert rm.propagate([("a", 1.0)], {"a": ["x", "y"]}, lookup={"x": x}).documents == [None, x, None]
    assert rm.propagate([("a", 1.0)], {"a": ["x"]})._documents is None


def test_the_explanation_names_who_gave_what():
    fusion = rm.rrf([rm.Source("dense", ["a", "b"])], k=0)
    found = rm.propagate(fusion, {"a": ["b", "x"], "b": [("x", 0.5)]}, weight=1.0)
    stage = found.explain("b").stages[0]
    assert stage.name == "propagate"
    assert stage.details == {"score_before": 0.5, "received": (("a", 1.0),), "score": 1.5}
    assert found.explain("b").sources[0].position == 1
    brought = found.explain("x")
    assert (brought.method, brought.sources) == ("", ())
    assert brought.stages[0].details == {
        "score_before": None,
        "received": (("a", 1.0), ("b", 0.25)),
        "score": 1.25,
    }
    assert (
        str(brought) == "'x'  1.25\n  propagate: score_before None, received ((a, 1), (b, 0.25)), score 1.25"
    )


def test_explanations_survive_what_comes_later():
    fusion = rm.rrf([["a", "b"]], k=0)
    once = rm.propagate(fusion, {"a": ["x"]}, weight=1.0)
    found = rm.time_decay(rm.propagate(once, {"x": ["y"]}, weight=1.0)[1:])
    assert [stage.name for stage in found.explain("x").stages] == ["propagate", "propagate", "time_decay"]
    assert [stage.name for stage in found.explain("y").stages] == ["propagate", "time_decay"]
    assert [len(hit.sources) for hit in found.explanation()] == [0, 0, 1]
    assert copy.deepcopy(found).explain("y") == found.explain("y")
    with pytest.raises(rm.RankmeldError, match="unpickled"):
        pickle.loads(pickle.dumps(found)).explain("y")


def test_nothing_given_changes():
    hits, neighbors = list(HITS), {"a": ["b", ("x", 0.5)]}
    before = copy.deepcopy((hits, neighbors))
    rm.propagate(hits, neighbors)
    assert (hits, neighbors) == before


def test_threads_share_a_mapping():
    ids = list(range(20_000))
    neighbors = rm.adjacent(ids)
    hits = [(id, 1.0 + id) for id in ids[::3]]
    expected = fused(rm.propagate(hits, neighbors))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: fused(rm.propagate(hits, neighbors)), range(16)))
    assert all(one == expected for one in found)


def test_products_that_leave_the_range_come_back():
    (_, x) = rm.propagate([("a", 1e-300)], {"a": [("x", 1e200)]}, weight=1e200)
    assert x.score == pytest.approx(1e100, rel=1e-12) if x.id == "x" else True
    assert dict(fused(rm.propagate([("a", 1e300)], {"a": [("x", 1e-200)]}, weight=1e-200)))[
        "x"
    ] == pytest.approx(1e-100)
