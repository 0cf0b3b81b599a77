"""`personalized_pagerank` against the formula, against networkx, and each of its rules by hand."""

from __future__ import annotations

import math
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.graph import personalized_pagerank as oracle

IDS = ["a", "b", "c", "d", 1, 2.5, ("t", 0), b"e"]
ids = st.sampled_from(IDS)
weights = st.one_of(
    st.sampled_from([0, 1, 2, 0.5, 1e308, 1e-308, 5e-324, 1.7e308, 0.1]),
    st.floats(0, 10, allow_subnormal=True),
)
edge_lists = st.lists(
    st.one_of(st.tuples(ids, ids), st.tuples(ids, ids, weights), st.tuples(ids, st.just("unknown"))),
    max_size=25,
)
seed_maps = st.dictionaries(
    st.one_of(ids, st.just("unknown")), st.one_of(weights, st.floats(-3, 3), st.just(-1e300)), max_size=5
)
dampings = st.one_of(st.sampled_from([0, 0.0, 0.5, 0.85, 1.0, 1]), st.floats(0, 1))


options_of_walks = st.fixed_dictionaries(
    {
        "damping": dampings,
        "max_iterations": st.integers(0, 25),
        "tolerance": st.sampled_from([0.0, 1e-6, 1e-3, 0.5]),
        "directed": st.booleans(),
    }
)


@given(st.lists(ids, max_size=10), edge_lists, seed_maps, options_of_walks)
def test_it_equals_the_formula(nodes, edges, seeds, options):
    found = rm.personalized_pagerank(nodes, edges, seeds, **options)
    expected = oracle(nodes, edges, seeds, **options)
    assert list(found.scores) == list(dict.fromkeys(nodes))
    assert found.seeded == expected.seeded
    if found.iterations != expected.iterations:
        # A change may be the tolerance but for its last bits; as many steps are the same answer.
        options = {**options, "max_iterations": found.iterations, "tolerance": 0.0}
        expected = oracle(nodes, edges, seeds, **options)
    assert found.scores == pytest.approx(expected.scores, abs=1e-12)
    for id, score in found.scores.items():
        assert score > 0.0 or expected.scores[id] < 1e-300
        assert score == 0.0 or expected.scores[id] > 0.0
    if nodes:
        assert math.fsum(found.scores.values()) == pytest.approx(1.0, abs=1e-12)


@given(edge_lists, seed_maps.filter(lambda seeds: any(w > 0 for id, w in seeds.items() if id != "unknown")))
def test_it_equals_networkx(edges, seeds):
    seeds = {id: weight for id, weight in seeds.items() if id != "unknown" and 1e-3 < weight < 1e3}
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(IDS)
    known = [(a, b, *w) for a, b, *w in edges if b != "unknown" and (not w or 1e-3 < w[0] < 1e3)]
    graph.add_weighted_edges_from((a, b, w[0] if w else 1.0) for a, b, *w in known)
    if not seeds:
        return
    # networkx stops when the sum of changes is below its tolerance times the number of nodes.
    expected = nx.pagerank(graph, personalization=seeds, tol=1e-14, max_iter=2_000)
    found = rm.personalized_pagerank(IDS, known, seeds, tolerance=1e-13, max_iterations=2_000)
    assert found.scores == pytest.approx(expected, abs=1e-10)


def test_an_undirected_graph_is_that_of_networkx():
    graph = nx.karate_club_graph()
    graph.add_edge(3, 3, weight=2.0)
    edges = [(a, b, data["weight"]) for a, b, data in graph.edges(data=True)]
    expected = nx.pagerank(graph, personalization={0: 1, 33: 2}, tol=1e-15, max_iter=1_000)
    found = rm.personalized_pagerank(
        graph.nodes, edges, {0: 1, 33: 2}, directed=False, tolerance=1e-14, max_iterations=1_000
    )
    assert found.scores == pytest.approx(expected, abs=1e-11)


def test_a_large_graph_with_hubs_equals_the_formula():
    rng = np.random.default_rng(5)
    sources, targets = rng.integers(0, 5_000, (2, 30_000))
    targets[:4_000] = 7  # more edges than fit one slice
    targets[4_000:4_400] = 4_999
    values = rng.random(30_000).round(3)
    edges = list(zip(sources.tolist(), targets.tolist(), values.tolist(), strict=True))
    expected = oracle(range(5_000), edges, {3: 1, 7: 2}, max_iterations=6).scores
    found = rm.personalized_pagerank(range(5_000), edges, {3: 1, 7: 2}, max_iterations=6).scores
    assert found == pytest.approx(expected, abs=1e-14, rel=1e-12)


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 255, 256, 257, 1_024, 1_025, 2_047, 2_048, 2_049, 4_097])
def test_every_number_of_nodes_and_of_edges_at_one(count):
    ring = [(i, (i + 1) % count) for i in range(count)]
    star = [(i, 0) for i in range(count)]
    for edges in (ring, star, ring + star):
        expected = oracle(range(count), edges, {0: 1.0}, max_iterations=4).scores
        found = rm.personalized_pagerank(range(count), edges, {0: 1.0}, max_iterations=4)
        assert found.scores == pytest.approx(expected, abs=1e-13)


def test_ten_thousand_parallel_edges_add_up():
    many = [("a", "b")] * 10_000 + [("a", "c", 10_000.0)]
    found = rm.personalized_pagerank(["a", "b", "c"], many, {"a": 1})
    one = rm.personalized_pagerank(["a", "b", "c"], [("a", "b"), ("a", "c")], {"a": 1})
    assert found.scores == pytest.approx(one.scores, abs=1e-13)


@pytest.mark.parametrize("scale", [1e-308, 5e-324, 1e-160, 1e160, 1.7e308])
def test_weights_of_any_size_are_shares(scale):
    edges = [("a", "b", scale), ("a", "b", scale), ("a", "c", scale), ("b", "a", scale)]
    found = rm.personalized_pagerank(["a", "b", "c"], edges, {"a": scale, "b": scale})
    ones = rm.personalized_pagerank(["a", "b", "c"], [edge[:2] for edge in edges], {"a": 1, "b": 1})
    assert found.scores == pytest.approx(ones.scores, abs=1e-15)


def test_what_a_weight_is_beside_a_huge_one_is_kept():
    edges = [("a", "b", 1e308), ("a", "c", 1e300), ("b", "d", 1e-308), ("b", "a", 3e-308)]
    found = rm.personalized_pagerank(["a", "b", "c", "d"], edges, {"a": 1}, max_iterations=1).scores
    assert found["c"] == pytest.approx(0.85e-8)
    found = rm.personalized_pagerank(["a", "b", "c", "d"], edges, {"b": 1}, max_iterations=1).scores
    assert found["d"] == pytest.approx(0.85 / 4)


def test_no_seed_is_every_node_alike():
    for seeds in ({}, {"zzz": 1.0}, {"a": 0.0}, {"a": -1.0}, []):
        found = rm.personalized_pagerank(["a", "b"], [("a", "b"), ("b", "a")], seeds)
        assert not found.seeded
        assert found.scores == {"a": 0.5, "b": 0.5}


def test_nothing_in_is_nothing_out():
    found = rm.personalized_pagerank([], [("a", "b")], {"a": 1})
    assert (found.scores, found.iterations, found.converged, found.seeded) == ({}, 0, True, False)
    assert len(found.ranking()) == 0


def test_no_iterations_are_the_seeds():
    found = rm.personalized_pagerank(["a", "b", "c"], [("a", "b")], {"a": 1, "b": 3}, max_iterations=0)
    assert found.scores == {"a": 0.25, "b": 0.75, "c": 0.0}
    assert (found.iterations, found.converged) == (0, False)


def test_seeds_are_a_ranking_too():
    nodes, edges = ["a", "b", "c"], [("a", "b"), ("b", "c")]
    expected = rm.personalized_pagerank(nodes, edges, {"a": 2.0, "b": 1.0}).scores
    for seeds in (
        [("a", 1.0), ("b", 1.0), ("a", 1.0)],
        rm.Ranking([("a", 2.0), ("b", 1.0)]),
        (["b", "a"], np.array([0.5, 1.0])),
        ["a", "b", "a"],
    ):
        assert rm.personalized_pagerank(nodes, edges, seeds).scores == expected


def test_ids_come_back_as_the_first_that_was_seen():
    found = rm.personalized_pagerank(
        [np.int64(1), True, 2.0, "x", np.str_("x")], [(1, 2), (2, "x")], {True: 1}
    )
    assert [(type(id), id) for id in found.ids] == [(int, 1), (float, 2.0), (str, "x")]
    assert found.scores["x"] > 0


def test_edges_are_read_from_what_people_have():
    nodes = [0, 1, 2]
    expected = rm.personalized_pagerank(nodes, [(0, 1, 2.0), (1, 2, 1.0), (0, 2, 1.0)], {0: 1}).scores
    rows = [[0, 1, 2], [1, 2, 1], [0, 2, 1]]
    for edges in (rows, np.array(rows), np.array(rows, dtype=float), iter(rows), tuple(map(tuple, rows))):
        assert rm.personalized_pagerank(nodes, edges, {0: 1}).scores == expected


def test_inputs_are_left_alone():
    nodes, edges, seeds = ["a", "b"], [["a", "b", 1.0]], {"a": 1.0}
    rm.personalized_pagerank(nodes, edges, seeds)
    assert (nodes, edges, seeds) == (["a", "b"], [["a", "b", 1.0]], {"a": 1.0})


def test_the_ranking_is_best_first_and_explains_itself():
    edges = [("a", "c"), ("a", "b"), ("b", "a"), ("c", "a")]
    found = rm.personalized_pagerank(["a", "b", "c", "d"], edges, {"a": 3.0})
    assert found.ranking().ids == ["a", "b", "c", "d"]
    assert found.ranking(ties="id_desc").ids == ["a", "c", "b", "d"]
    assert found.ranking(limit=2) == found.ranking()[:2]
    assert str(found.ranking().explain("a")).splitlines()[1] == "  pagerank: seed 3"
    assert not found.array.flags.writeable
    again = pickle.loads(pickle.dumps(found))
    assert (again.scores, again.iterations) == (found.scores, found.iterations)
