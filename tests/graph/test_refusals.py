"""What graphs and walks refuse, and in which words."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankmeld as rm
from support.refusals import refusal

BAD, KIND = rm.InvalidArgumentError, TypeError
GRAPH = rm.Graph.from_edges([("a", "b"), ("b", "a")])
FORM = "edges must be a list of (source, target) or (source, target, weight)"

OPTIONS = [
    ({"damping": 1.1}, BAD, "damping is 1.1; it must be within 0..1"),
    ({"damping": -0.1}, BAD, "damping is -0.1; it must be within 0..1"),
    ({"damping": math.nan}, BAD, "damping is nan; it must be finite"),
    ({"damping": "0.85"}, KIND, "damping must be a number, not str"),
    ({"max_iterations": -1}, BAD, "max_iterations is -1; it must be 0 or more"),
    ({"max_iterations": 1.5}, KIND, "max_iterations must be an integer, not float"),
    ({"tolerance": -1e-9}, BAD, "tolerance is -1e-09; it must be 0 or more (0: every iteration)"),
    ({"tolerance": math.inf}, BAD, "tolerance is inf; it must be finite"),
    ({"threads": 0}, BAD, "threads is 0; it must be 1 or more, or None for what fits"),
]


@pytest.mark.parametrize(("options", "kind", "text"), OPTIONS)
def test_options_are_checked_before_data(options, kind, text):
    assert refusal(kind, rm.personalized_pagerank, 5, 5, 5, **options) == text
    assert refusal(kind, GRAPH.personalized_pagerank, 5, **options) == text
    assert refusal(kind, lambda: rm.hippo_rag(5, 5, passages=5, concepts=5, **options)) == text


DATA = [
    ({"nodes": "ab"}, KIND, "nodes must be a list of ids, not str"),
    ({"nodes": 3}, KIND, "nodes must be a list of ids, not int"),
    (
        {"nodes": {"a", "b"}},
        KIND,
        "nodes must be a list of ids, not a set; the order of a set is not defined",
    ),
    (
        {"nodes": ["a", math.nan]},
        BAD,
        "nodes, position 1: the id is NaN, which is not equal to itself; pass a real id",
    ),
    (
        {"nodes": ["a", []]},
        KIND,
        (
            "nodes, position 1: the id is a list, which cannot be hashed; ids are str, int, "
            "bytes, tuple or another "
            "hashable value (for dicts and other records see rankmeld.from_records)"
        ),
    ),
    ({"edges": "ab"}, KIND, f"{FORM}, not str"),
    ({"edges": 7}, KIND, f"{FORM}, not int"),
    (
        {"edges": {("a", "b"): 1.0}},
        KIND,
        (
            f"{FORM}, not dict; for one of (source, target) to weight: [(*pair, weight) for "
            "pair, weight in "
            "edges.items()]"
        ),
    ),
    (
        {"edges": [("a", "b"), "ab"]},
        KIND,
        "edges[1] is a str ('ab'); an edge is (source, target) or (source, target, weight)",
    ),
    (
        {"edges": [("a",)]},
        BAD,
        "edges[0] has 1 part(s) (('a',)); an edge is (source, target) or (source, target, weight)",
    ),
    (
        {"edges": [("a", "b", 1, 2)]},
        BAD,
        (
            "edges[0] has 4 part(s) (('a', 'b', 1, 2)); an edge is (source, target) or "
            "(source, target, weight)"
        ),
    ),
    (
        {"edges": [("a", "b"), ("b", "a", -0.5)]},
        BAD,
        "edges[1] ('b' -> 'a'): the weight is -0.5; weights are finite and not negative",
    ),
    (
        {"edges": [("a", "zzz", math.nan)]},
        BAD,
        "edges[0] ('a' -> 'zzz'): the weight is nan; weights are finite and not negative",
    ),
    (
        {"edges": [("a", "b", 10**400)]},
        BAD,
        "edges[0] ('a' -> 'b'): the weight is inf; weights are finite and not negative",
    ),
    (
        {"edges": [("a", "b", "heavy")]},
        KIND,
        "edges[0] ('a' -> 'b'): the weight is a str ('heavy'); it must be a number, or left out for 1",
    ),
    (
        {"edges": [("a", "b", {"weight": 2})]},
        KIND,
        (
            "edges[0] ('a' -> 'b'): the weight is a dict ({'weight': 2}); it must be a "
            "number, or left out for 1"
        ),
    ),
    (
        {"edges": [("a", {})]},
        KIND,
        (
            "edges[0], target: the id is a dict, which cannot be hashed; ids are str, int, "
            "bytes, tuple or another "
            "hashable value (for dicts and other records see rankmeld.from_records)"
        ),
    ),
    (
        {"edges": [(math.nan, "a")]},
        BAD,
        "edges[0], source: the id is NaN, which is not equal to itself; pass a real id",
    ),
    ({"seeds": {"a": math.nan}}, BAD, "seeds['a'] is nan; it must be finite"),
    ({"seeds": {"zzz": math.inf}}, BAD, "seeds['zzz'] is inf; it must be finite"),
    ({"seeds": {"a": "1"}}, KIND, "seeds['a'] must be a number, not str"),
    (
        {"seeds": [("a", 1.0), ("b", math.inf)]},
        BAD,
        "seeds, position 1, id 'b': the weight is inf; it must be finite",
    ),
]


@pytest.mark.parametrize(("given", "kind", "text"), DATA)
def test_data_of_one_query(given, kind, text):
    arguments = {"nodes": ["a", "b"], "edges": [("a", "b")], "seeds": {"a": 1.0}, **given}
    assert refusal(kind, lambda: rm.personalized_pagerank(**arguments)) == text


@pytest.mark.parametrize("seeds", ["a", 5, None])
def test_seeds_are_a_mapping_or_a_ranking(seeds):
    assert refusal(KIND, rm.personalized_pagerank, ["a"], [], seeds).startswith("seeds ")


GRAPHS = [
    (
        lambda: rm.Graph.from_arrays([0, 1], [1]),
        BAD,
        "sources has 2 entries and targets has 1; they must be of equal length",
    ),
    (
        lambda: rm.Graph.from_arrays([0], [1], [1.0, 2.0]),
        BAD,
        "sources has 1 entries and weights has 2; they must be of equal length",
    ),
    (
        lambda: rm.Graph.from_arrays([0, 1], [1, 2], nodes=2),
        BAD,
        (
            "edge 1: the node is 2, and there are 2 nodes, numbered from 0; number the nodes "
            "without gaps, or pass "
            "nodes= if there are more"
        ),
    ),
    (
        lambda: rm.Graph.from_arrays([0, -1], [1, 0]),
        BAD,
        (
            "edge 1: the node is -1, and there are 2 nodes, numbered from 0; number the "
            "nodes without gaps, or pass "
            "nodes= if there are more"
        ),
    ),
    (
        lambda: rm.Graph.from_arrays([0], [2**40]),
        BAD,
        (
            "the largest number of a node is far beyond the number of edges; nodes are "
            "numbered from 0: say how many "
            "there are with nodes=, or pass other ids to rankmeld.Graph.from_edges"
        ),
    ),
    (
        lambda: rm.Graph.from_arrays([0, 0], [1, 1], [1.0, math.nan]),
        BAD,
        "edge 1: the weight is nan; weights are finite and not negative",
    ),
    (
        lambda: rm.Graph.from_arrays([0.0, 1.0], [1, 0]),
        KIND,
        "sources has dtype float64; it must hold integers",
    ),
    (lambda: rm.Graph.from_arrays([0], [0], nodes=-1), BAD, "nodes is -1; it must be 0 or more"),
    (lambda: rm.Graph.from_arrays([0], [0], nodes=1.5), KIND, "nodes must be an integer, not float"),
    (
        lambda: rm.Graph.from_arrays([0], [0], nodes=["a", "a"]),
        BAD,
        "nodes has 2 ids of which 1 are distinct; each node needs an id of its own",
    ),
    (
        lambda: rm.Graph.from_csr([], []),
        BAD,
        "indptr is empty; it has one entry more than there are nodes, 0 first",
    ),
    (
        lambda: rm.Graph.from_csr([0, 2, 1], [0]),
        BAD,
        "indptr[1] is 2; indptr begins with 0, never descends, and ends with the number of edges, 1",
    ),
    (
        lambda: rm.Graph.from_csr([1, 1], [0]),
        BAD,
        "indptr[0] is 1; indptr begins with 0, never descends, and ends with the number of edges, 1",
    ),
    (
        lambda: rm.Graph.from_csr([0, 0], [0]),
        BAD,
        "indptr[1] is 0; indptr begins with 0, never descends, and ends with the number of edges, 1",
    ),
    (
        lambda: rm.Graph.from_csr([0, 1], [0], nodes=["a", "b"]),
        BAD,
        "nodes has 2 id(s) and indptr is of 1 node(s); give an id for each node",
    ),
    (
        lambda: rm.Graph.from_scipy(np.eye(2)),
        KIND,
        (
            "matrix must be a sparse matrix of SciPy, not ndarray; for a dense one: "
            "scipy.sparse.csr_array(matrix)"
        ),
    ),
    (
        lambda: rm.Graph([("a", "b")], nodes=["a", "b"]),
        KIND,
        "a Graph is made by Graph.from_edges, Graph.from_arrays, Graph.from_csr or Graph.from_scipy",
    ),
    (
        rm.Graph,
        KIND,
        "a Graph is made by Graph.from_edges, Graph.from_arrays, Graph.from_csr or Graph.from_scipy",
    ),
    (
        lambda: GRAPH.personalized_pagerank(np.ones(3)),
        BAD,
        (
            "seeds has 3 number(s) in a row for 2 node(s); give one for each node, or a "
            "mapping of ids to numbers"
        ),
    ),
    (
        lambda: GRAPH.personalized_pagerank(np.ones((1, 1, 2))),
        BAD,
        (
            "seeds has 3 dimension(s) (shape [1, 1, 2]); it must have a number for each "
            "node, or a row of them for "
            "each set of seeds"
        ),
    ),
    (
        lambda: GRAPH.personalized_pagerank(np.array([1.0, math.nan])),
        BAD,
        "seeds, node 1: the number is nan; it must be finite",
    ),
    (
        lambda: GRAPH.personalized_pagerank([{"a": 1}, {"b": math.nan}]),
        BAD,
        "seeds[1]['b'] is nan; it must be finite",
    ),
    (
        lambda: GRAPH.personalized_pagerank({"a": 1}, start=np.array([1.0, -1.0])),
        BAD,
        "start, node 1: the score is -1.0; it must not be negative",
    ),
    (
        lambda: GRAPH.personalized_pagerank([{"a": 1}], start=[]),
        BAD,
        "start has 0 row(s) for 1 set(s) of seeds",
    ),
    (
        lambda: GRAPH.personalized_pagerank({"a": 1}, start=np.ones((2, 2))),
        BAD,
        "start has 2 rows; give one for each set of seeds",
    ),
    (
        lambda: GRAPH.personalized_pagerank([{"a": 1}], start={"a": 1}),
        KIND,
        "start must be a list with one for each set of seeds, not dict",
    ),
    (
        lambda: GRAPH.personalized_pagerank([{"a": 1}], start=5),
        KIND,
        "start must be a list with one for each set of seeds, not int",
    ),
    (
        lambda: GRAPH.personalized_pagerank({math.nan: 1}),
        BAD,
        "seeds: an id is NaN, which is not equal to itself; pass a real id",
    ),
    (
        lambda: rm.Graph.from_arrays([0], [0], nodes=10**30),
        BAD,
        (
            "the largest number of a node is far beyond the number of edges; nodes are "
            "numbered from 0: say how many "
            "there are with nodes=, or pass other ids to rankmeld.Graph.from_edges"
        ),
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), GRAPHS)
def test_graphs(call, kind, text):
    assert refusal(kind, call) == text


def test_an_id_that_cannot_be_compared_says_so_itself():
    class Odd:
        def __hash__(self):
            return hash("a")

        def __eq__(self, other):
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        rm.personalized_pagerank(["a", "b"], [(Odd(), "b")], {"a": 1})
