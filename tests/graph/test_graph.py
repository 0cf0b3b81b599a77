"""`Graph`: the same answer however it was made, however many sets are asked, on any number of threads."""

from __future__ import annotations

import copy
import math
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.graph import personalized_pagerank as oracle
from support.interrupts import assert_a_signal_stops


def columns(nodes, edges, seed=0):
    rng = np.random.default_rng(seed)
    sources, targets = rng.integers(0, nodes, (2, edges))
    targets[: edges // 20] = nodes // 2  # a hub
    return sources, targets, rng.random(edges)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", ["none", "equal", "single", "double", "huge"])
def test_every_way_to_make_it_is_the_same_graph(kind, directed):
    sources, targets, weights = columns(300, 2_000)
    weights = {
        "none": None,
        "equal": np.full(2_000, 0.3),
        "single": weights.astype(np.float32),
        "double": weights,
        "huge": weights * 1e308,
    }[kind]
    ones = np.ones(2_000) if weights is None else weights.astype(float)
    edges = list(zip(sources.tolist(), targets.tolist(), ones.tolist(), strict=True))
    expected = oracle(range(300), edges, {1: 1.0, 5: 0.5}, directed=directed).scores
    by_row = np.argsort(sources, kind="stable")
    indptr = np.searchsorted(sources[by_row], np.arange(301))
    by_row_weights = None if weights is None else weights[by_row]
    made = [
        rm.Graph.from_edges(edges, nodes=range(300), directed=directed),
        rm.Graph.from_arrays(sources, targets, weights, nodes=300, directed=directed),
        rm.Graph.from_csr(indptr, targets[by_row], by_row_weights, directed=directed),
    ]
    if kind != "huge":  # SciPy would add parallel edges beyond what a float holds
        matrix = sp.coo_array((ones, (sources, targets)), shape=(300, 300))
        made += [
            rm.Graph.from_scipy(one, directed=directed) for one in (matrix, matrix.tocsc(), matrix.tolil())
        ]
    for graph in made:
        found = graph.personalized_pagerank({1: 1.0, 5: 0.5})
        assert found.scores == pytest.approx(expected, abs=1e-13)
        again = pickle.loads(pickle.dumps(graph))
        assert again.personalized_pagerank({1: 1.0, 5: 0.5}).array.tobytes() == found.array.tobytes()
        assert (again.ids, repr(again)) == (graph.ids, repr(graph))
        assert copy.deepcopy(graph).edge_count == graph.edge_count


def test_a_scipy_matrix_of_booleans_has_edges_of_weight_1():
    matrix = sp.csr_array(np.array([[False, True, True], [True, False, False], [False, False, False]]))
    found = rm.Graph.from_scipy(matrix)
    expected = oracle(range(3), [(0, 1), (0, 2), (1, 0)], {0: 1}).scores
    assert found.personalized_pagerank({0: 1}).scores == pytest.approx(expected)


@given(st.integers(1, 20), st.integers(1, 60), st.integers(0, 99))
def test_sets_asked_together_have_the_bits_that_they_have_alone(sets, nodes, seed):
    graph = rm.Graph.from_arrays(*columns(nodes, 3 * nodes, seed), nodes=nodes)
    seeds = [{place % nodes: 1.0, (place * 7) % nodes: 0.3} if place % 4 else {} for place in range(sets)]
    options = {"damping": 0.6, "tolerance": 1e-3}
    together = graph.personalized_pagerank(seeds, **options)
    for found, one in zip(together, seeds, strict=True):
        alone = graph.personalized_pagerank(one, **options)
        assert found.array.tobytes() == alone.array.tobytes()
        assert (found.iterations, found.converged, found.seeded) == (
            alone.iterations,
            alone.converged,
            alone.seeded,
        )
    dense = np.zeros((sets, nodes))
    for row, one in zip(dense, seeds, strict=True):
        for node, weight in one.items():
            row[node] = weight
    for found, row in zip(together, graph.personalized_pagerank(dense, **options), strict=True):
        assert found.array.tobytes() == row.array.tobytes()


@pytest.mark.parametrize("sets", [1, 3, 20])
def test_no_number_of_threads_shows_in_a_bit(sets):
    graph = rm.Graph.from_arrays(*columns(20_000, 100_000))
    seeds = [{place: 1.0, 9: 2.0} for place in range(sets)]
    expected = graph.personalized_pagerank(seeds, threads=1)
    for threads in (2, 3, 7, 64):
        found = graph.personalized_pagerank(seeds, threads=threads)
        assert [a.array.tobytes() for a in found] == [b.array.tobytes() for b in expected]


def test_it_begins_with_the_scores_of_before():
    graph = rm.Graph.from_arrays(*columns(500, 3_000), nodes=500)
    options = {"tolerance": 1e-12, "max_iterations": 1_000}
    cold = graph.personalized_pagerank({1: 1.0}, **options)
    for start in (cold, cold.scores, cold.array, cold.array * 1e308, cold.ranking()):
        warm = graph.personalized_pagerank({1: 1.0}, start=start, **options)
        assert warm.iterations <= 3
        assert warm.array == pytest.approx(cold.array, abs=1e-11)
    both = graph.personalized_pagerank([{1: 1.0}, {2: 1.0}], start=[cold, cold.array], **options)
    assert both[0].iterations <= 3 < both[1].iterations
    begun = graph.personalized_pagerank({2: 1.0}, start={1: 3.0, "unknown": 9.0}, max_iterations=0)
    assert begun.scores[1] == 1.0


def test_a_start_gives_nothing_to_what_the_seeds_cannot_reach():
    graph = rm.Graph.from_edges([("a", "b"), ("b", "a"), ("c", "a"), ("c", "d"), ("d", "c")])
    found = graph.personalized_pagerank({"a": 1}, start={"a": 1, "c": 1, "d": 1}, max_iterations=3)
    assert found.scores["c"] == found.scores["d"] == 0.0
    assert math.fsum(found.scores.values()) == pytest.approx(1.0)
    found = graph.personalized_pagerank({"a": 1}, start={"c": 1}, max_iterations=0)
    assert found.scores == {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}
    everywhere = graph.personalized_pagerank({}, start={"c": 1}, max_iterations=0)
    assert everywhere.scores["c"] == 1.0


def test_ids_are_numbered_as_they_are_seen():
    graph = rm.Graph.from_edges([("x", 1), (1, "y"), ("x", "y")])
    assert graph.ids == ["x", 1, "y"]
    assert repr(graph) == "<Graph: 3 nodes, 3 edges>"
    named = rm.Graph.from_arrays([0, 1], [1, 2], nodes=["x", "y", "z"])
    assert named.personalized_pagerank({"y": 1}).ranking().ids == ["y", "z", "x"]
    assert rm.Graph.from_csr([0, 1, 1], [1], nodes=["x", "y"]).ids == ["x", "y"]


def test_graphs_of_nothing():
    for graph in (
        rm.Graph.from_edges([]),
        rm.Graph.from_arrays([], []),
        rm.Graph.from_arrays([], [], []),
        rm.Graph.from_csr([0], []),
        rm.Graph.from_scipy(sp.csr_array((0, 0))),
    ):
        assert (graph.node_count, graph.edge_count) == (0, 0)
        assert graph.personalized_pagerank({"a": 1}).scores == {}
        assert pickle.loads(pickle.dumps(graph)).node_count == 0
    lonely = rm.Graph.from_arrays([], [], nodes=3)
    assert lonely.personalized_pagerank({1: 1}).scores == {0: 0.0, 1: 1.0, 2: 0.0}
    assert lonely.personalized_pagerank([]) == []
    assert lonely.personalized_pagerank(np.zeros((0, 3))) == []


def test_many_threads_ask_one_graph():
    graph = rm.Graph.from_edges([(f"n{i}", f"n{i * 7 % 500}") for i in range(500)] * 3)
    expected = graph.personalized_pagerank({"n1": 1}).array.tobytes()
    fresh = pickle.loads(pickle.dumps(graph))
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda _: fresh.personalized_pagerank({"n1": 1}).array.tobytes(), range(64))
        assert all(one == expected for one in found)


@pytest.mark.parametrize("size", [2, 1_000, 200_000])
def test_a_signal_stops_it(size):
    graph = rm.Graph.from_arrays(*columns(size, 5 * size), nodes=size)
    assert_a_signal_stops(
        lambda: graph.personalized_pagerank({0: 1}, tolerance=0, max_iterations=10**12),
        threads=os.cpu_count() or 1,
    )


def test_a_signal_stops_several_walks_of_short_steps():
    graph = rm.Graph.from_arrays([0, 1], [1, 0])
    assert_a_signal_stops(
        lambda: graph.personalized_pagerank([{0: 1}] * 3, tolerance=0, max_iterations=10**12, threads=2),
        threads=2,
    )


def test_scores_to_start_from_that_add_up_beyond_the_range_are_as_large_as_can_be():
    graph = rm.Graph.from_edges([("a", "b"), ("b", "a")])
    found = graph.personalized_pagerank({"a": 1}, start=[("a", 1e308), ("a", 1e308)], max_iterations=0)
    assert found.scores == {"a": 1.0, "b": 0.0}


def test_a_signal_stops_building():
    sources, targets, weights = columns(300_000, 3_000_000)
    assert_a_signal_stops(lambda: rm.Graph.from_arrays(sources, targets, weights))
