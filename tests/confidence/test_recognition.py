"""`recognition_filter` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankmeld as rm
from reference.confidence import recognition_filter as oracle
from support.check import fused, outcome
from support.strategies import any_scores, pairs

LARGEST, LEAST = math.nextafter(math.inf, 0.0), math.ulp(0.0)
FIVE = [("e", 0.004), ("d", 0.04), ("c", 0.05), ("b", 0.5), ("a", 1.0)]
near = st.sampled_from([-1.0, 0.0, 0.004, 0.005, 0.05, 0.1, 1.0, LEAST, LARGEST])
floors = st.sampled_from([0, 0.0, LEAST, 0.005, 0.05, 0.5, 1.0, 3.0, LARGEST, -0.1, math.nan, math.inf])
options = st.fixed_dictionaries(
    {},
    optional={
        "top_k": st.none() | st.integers(-1, 9),
        "relative_floor": floors,
        "floor": floors,
        "ties": st.sampled_from(["first", "id_asc", "id_desc"]),
    },
)


@given(pairs(st.sampled_from("abcdefgh"), near | any_scores, unique=True), options)
@example([("a", LEAST), ("b", 0.0)], {"floor": 0})
@example([("a", LARGEST), ("b", 1.0)], {"relative_floor": 3.0})
@example([("a", LARGEST), ("b", 1.0)], {"relative_floor": LEAST, "floor": 0})
def test_equals_the_oracle(hits, options):
    found = outcome(lambda: fused(rm.recognition_filter(hits, **options)))
    assert found == outcome(oracle, hits, **options)


@given(
    pairs(st.sampled_from("abcdefgh"), near | any_scores),
    st.integers(0, 10),
    st.floats(0, LARGEST),
    st.floats(0, LARGEST),
)
def test_nobody_gets_fewer_than_asked_for_and_a_limit_only_cuts(hits, top_k, relative_floor, floor):
    floors = {"relative_floor": relative_floor, "floor": floor}
    found = rm.recognition_filter(hits, top_k=top_k, **floors)
    assert len(found) == min(top_k, len(hits))
    whole = rm.recognition_filter(hits, top_k=len(hits), **floors)
    assert found == whole[:top_k]
    # The recognized ones come first, and are those that come without `top_k`.
    strong = rm.recognition_filter(hits, **floors)
    assert strong == whole[: len(strong)]


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ({}, "abc"),
        ({"top_k": 0}, ""),
        ({"top_k": 2}, "ab"),
        ({"top_k": 4}, "abcd"),
        ({"top_k": 9}, "abcde"),
        ({"floor": 0.6}, "a"),
        ({"floor": 0.6, "top_k": 2}, "ab"),
        ({"relative_floor": 0}, "abcd"),
        ({"relative_floor": 0, "floor": 0}, "abcde"),
        ({"relative_floor": 2}, ""),
    ],
)
def test_floors(options, ids):
    assert rm.recognition_filter(FIVE, **options).ids == list(ids)


def test_negative_scores_pass_where_the_floors_are_off():
    hits = [("p", -1.0), ("q", -2.0)]
    assert rm.recognition_filter(hits).ids == []
    assert rm.recognition_filter(hits, floor=0).ids == ["p", "q"]  # of a top below 0 there is no share
    assert rm.recognition_filter([("a", 1.0), ("q", -2.0)], floor=0).ids == ["a"]


def test_ties_decide_what_fills_up():
    hits = [("m", 0.5), ("z", 0.001), ("a", 0.001)]
    assert rm.recognition_filter(hits, top_k=2).ids == ["m", "z"]
    assert rm.recognition_filter(hits, top_k=2, ties="id_asc").ids == ["m", "a"]


def test_it_explains_who_was_recognized():
    fused_first = rm.fuse_scores([FIVE], normalize="none")
    kept = rm.recognition_filter(fused_first, top_k=4)
    stages = [kept.explain(id).stages[-1].details for id in kept.ids]
    assert [stage["recognized"] for stage in stages] == [True, True, True, False]
    assert {stage["floor"] for stage in stages} == {0.05}
    assert kept.explain("d").sources == fused_first.explain("d").sources
    off = rm.recognition_filter(FIVE, floor=0, relative_floor=0).explain("e").stages[-1].details
    assert (off["floor"], off["recognized"], off["position_before"]) == (None, True, 0)


def test_documents_come_along():
    document = rm.Document("a", "text")
    assert rm.recognition_filter([("a", 1.0, document)]).documents == [document]
