"""`hippo_rag` against its definition, and when it does not apply."""

from __future__ import annotations

import math
import pickle
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.graph import hippo_rag as oracle
from support.check import fused
from support.refusals import refusal

PASSAGES, CONCEPTS = ["p1", "p2", "p3"], ["c1", "c2", 7]
NODES = {**dict.fromkeys(PASSAGES, "passage"), **dict.fromkeys(CONCEPTS, "concept")}
EDGES = [("p1", "c1"), ("p2", "c1")]
ends = st.sampled_from([*NODES, "unknown"])
numbers = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 0.5, 1.7e308, 5e-324]), st.floats(-2, 2))


@given(
    st.dictionaries(st.sampled_from(list(NODES)), st.sampled_from(["passage", "concept"])),
    st.lists(st.one_of(st.tuples(ends, ends), st.tuples(ends, ends, st.floats(0, 3))), max_size=12),
    st.lists(st.tuples(ends, numbers, numbers), max_size=5),
    st.dictionaries(ends, numbers, max_size=3),
)
def test_it_equals_its_definition(nodes, edges, passages, concepts):
    found = rm.hippo_rag(nodes, edges, passages=passages, concepts=concepts, tolerance=0.0)
    applied, best, ideas = oracle(nodes, edges, passages=passages, concepts=concepts, tolerance=0.0)
    assert found.applied == applied
    for ranking, expected in ((found.passages, best), (found.concepts, ideas)):
        assert dict(fused(ranking)) == pytest.approx(dict(expected), abs=1e-12)
        assert ranking.scores is None or list(ranking.scores) == sorted(ranking.scores, reverse=True)
    if applied:
        parts = [*found.passages, *found.concepts]
        assert math.fsum(hit.score for hit in parts) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("nodes", "edges", "passages", "concepts"),
    [
        ({}, [], [], {}),
        ({"p1": "passage"}, [("p1", "p1")], [("p1", 1.0, 0.0)], {}),
        (NODES, [], [("p1", 1.0, 0.0)], {}),
        (NODES, [("p1", "unknown")], [("p1", 1.0, 0.0)], {}),
        (NODES, [("p1", "c1", 0.0)], [("p1", 1.0, 0.0)], {}),
        (NODES, EDGES, [], {}),
        (NODES, EDGES, [("p1", -1.0, 0.0), ("unknown", 1.0, 1.0)], {"c1": 0.0}),
    ],
)
def test_where_there_is_nothing_to_walk_it_does_not_apply(nodes, edges, passages, concepts):
    found = rm.hippo_rag(nodes, edges, passages=passages, concepts=concepts)
    assert not found.applied
    assert len(found.passages) == len(found.concepts) == 0


def test_negative_scores_are_none_and_those_of_one_id_add_up():
    found = rm.hippo_rag(NODES, EDGES, passages=[("p1", 0.5, -3.0), ("p1", 0.25, 0.25)], concepts={"c1": 2})
    same = rm.hippo_rag(NODES, EDGES, passages=[("p1", 1.0, 0.0)], concepts={"c1": 2.0})
    assert found == same
    assert found.passages.explain("p1").stages[0].details["seed"] == 1.0
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_concept_leads_to_passages_that_share_nothing_with_the_query():
    found = rm.hippo_rag(NODES, EDGES, passages=[], concepts=["c1"])
    assert found.passages.ids == ["p1", "p2", "p3"]
    assert found.passages[2].score == 0.0
    assert found.concepts.ids == ["c1", "c2", 7]


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        (
            {"nodes": ["p1"]},
            TypeError,
            "nodes must be a mapping of ids to 'passage' or 'concept', not list",
        ),
        (
            {"nodes": {"p1": "entity"}},
            rm.InvalidArgumentError,
            "nodes['p1'] is 'entity'; it must be 'passage' or 'concept'",
        ),
        (
            {"passages": "p1"},
            TypeError,
            "passages must be a list of (id, dense, lexical), not str",
        ),
        (
            {"passages": [("p1", 1.0)]},
            TypeError,
            "passages[0] is ('p1', 1.0); it must be (id, dense, lexical)",
        ),
        (
            {"passages": [("p1", math.nan, 0.0)]},
            rm.InvalidScoreError,
            "passages[0], id 'p1': the dense score is nan; it must be finite",
        ),
        (
            {"passages": [("p1", 0.0, None)]},
            rm.InvalidScoreError,
            "passages[0], id 'p1': there is no lexical score (None); pass 0 if that found nothing",
        ),
        (
            {"passages": [("p1", "1", 0.0)]},
            TypeError,
            "passages[0], id 'p1': the dense score is a str; it must be a number",
        ),
        (
            {"passages": [([], 1.0, 0.0)]},
            TypeError,
            "passages[0]: the id is a list, which cannot be hashed",
        ),
        ({"concepts": {"c1": math.inf}}, rm.InvalidArgumentError, "concepts['c1'] is inf; it must be finite"),
    ],
)
def test_refusals(options, kind, text):
    given = {"nodes": NODES, "edges": EDGES, "passages": [], "concepts": {}, **options}
    assert refusal(kind, lambda: rm.hippo_rag(given.pop("nodes"), given.pop("edges"), **given)) == text


def test_what_explains_a_seed_is_finite():
    nodes = {"a": "passage", "b": "concept"}
    found = rm.hippo_rag(nodes, [("a", "b")], passages=[("a", 1.7e308, 1.7e308)], concepts={})
    assert found.passages.explain("a").stages[-1].details == {"seed": sys.float_info.max}
