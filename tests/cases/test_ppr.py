"""Known failures of personalized PageRank elsewhere."""

from __future__ import annotations

import math

import pytest

import rankmeld as rm


def walk(edges, seeds, **options):
    nodes = list(dict.fromkeys(end for edge in edges for end in edge[:2]))
    return rm.personalized_pagerank(
        nodes, edges, seeds, tolerance=1e-12, max_iterations=500, **options
    ).scores


def test_c177_dangling_mass_returns_to_the_seeds():
    assert walk([("u", "v")], {"v": 1.0}) == {"u": 0.0, "v": 1.0}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_c178_seeds_are_finite(bad):
    with pytest.raises(rm.InvalidArgumentError, match="seeds"):
        walk([("a", "b")], {"a": bad})


def test_c178_seeds_that_are_not_positive_do_not_count():
    # Refused by some; here they are no seeds, and `seeded` says whether there was any.
    found = rm.personalized_pagerank(["a", "b"], [("a", "b")], {"a": 0.0})
    assert not found.seeded
    assert walk([("a", "b")], {"a": -1.0, "b": 2.0}) == walk([("a", "b")], {"b": 1.0})


def test_c178_scaling_the_seeds_changes_nothing():
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]
    once = walk(edges, {"a": 0.25, "b": 0.5})
    for scale in (2.0**-900, 2.0, 2.0**900):
        assert walk(edges, {"a": 0.25 * scale, "b": 0.5 * scale}) == once


def test_c180_a_seed_that_leads_nowhere_keeps_everything():
    scores = walk([("p", "q"), ("p", "r"), ("q", "s")], {"s": 1.0})
    assert scores == {"p": 0.0, "q": 0.0, "r": 0.0, "s": 1.0}


def test_c183_a_negative_weight_is_refused():
    edges = [("a", "b", 2.0), ("b", "c", 1.0), ("c", "a", 1.0), ("b", "a", -0.5)]
    with pytest.raises(rm.InvalidArgumentError, match="weight"):
        walk(edges, {"a": 1.0})


def test_c184_absent_is_zero_and_only_proportions_matter():
    edges = [(0, 1), (1, 2)]
    one = walk(edges, {0: 1.0}, directed=False)
    assert walk(edges, {0: 1.0, 1: 0.0, 2: 0.0}, directed=False) == one
    assert walk(edges, {0: 7.0}, directed=False) == one


def test_c188_without_a_seed_there_is_no_evidence_from_the_graph():
    nodes = {"d1": "passage", "d2": "passage", "e": "concept"}
    found = rm.hippo_rag(nodes, [("d1", "e"), ("d2", "e")], passages=[], concepts={})
    assert not found.applied
    assert len(found.passages) == 0


def test_c189_ids_come_back_as_they_went_in():
    nodes = {"mem-7": "passage", "mem-9": "passage", "Orion": "concept", 12: "passage"}
    edges = [("mem-7", "Orion"), ("mem-9", "Orion")]
    found = rm.hippo_rag(nodes, edges, passages=[], concepts={"Orion": 1.0})
    assert found.passages.ids == ["mem-7", "mem-9", 12]
    assert found.concepts.ids == ["Orion"]
