"""`pool_groups` and `weigh`: against their oracles, each rule by hand, and what they refuse."""

from __future__ import annotations

import math
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.context import pool_groups as pool_oracle
from reference.context import weigh as weigh_oracle
from support.check import fused, outcome

letters = st.sampled_from("abcdefgh")
rankings = st.lists(st.tuples(letters, st.floats(-1e3, 1e3)), max_size=8)
wild = st.lists(st.tuples(letters, st.floats(allow_nan=False, allow_infinity=False)), max_size=5)
ties = st.sampled_from(["first", "id_asc", "id_desc"])
groups = st.dictionaries(letters, st.sampled_from(["x", 1, None, ("y", 2)]), max_size=8)
HITS = [("a", 1.0), ("b", 0.5), ("c", 0.25)]


@given(st.one_of(rankings, wild), groups, st.sampled_from([0.0, 0.3, 1.0, 1e300]), ties)
def test_pooling_equals_the_oracle(hits, groups, weight, ties):
    options = {"weight": weight, "ties": ties}
    expected = outcome(pool_oracle, hits, groups, **options)
    assert outcome(lambda: fused(rm.pool_groups(hits, groups, **options))) == expected


@given(
    st.one_of(rankings, rankings.map(lambda hits: [(id, abs(score)) for id, score in hits]), wild),
    st.dictionaries(letters, st.sampled_from([0.0, 0.5, 1, 2.0, 1e300]), max_size=8),
    ties,
)
def test_weighing_equals_the_oracle(hits, factors, ties):
    expected = outcome(weigh_oracle, hits, factors, ties=ties)
    assert outcome(lambda: fused(rm.weigh(hits, factors, ties=ties))) == expected


def test_a_hit_alone_in_its_group_gains_from_itself():
    found = rm.pool_groups(HITS, {"a": 1, "b": 2, "c": 2}, weight=0.5)
    assert fused(found) == [("a", 1.5), ("b", 0.75), ("c", 0.5)]


def test_what_is_in_no_group_stays_as_it_was():
    assert fused(rm.pool_groups(HITS, {})) == HITS
    assert fused(rm.pool_groups(HITS, {"a": None, "b": None})) == HITS
    assert fused(rm.pool_groups(HITS, {"b": 1}, weight=2.0)) == [("b", 1.5), ("a", 1.0), ("c", 0.25)]


@given(rankings, groups)
def test_the_order_within_a_group_stays(hits, groups):
    hits = sorted(hits, key=lambda hit: -hit[1])
    found = rm.pool_groups(hits, groups, weight=1.0).ids
    for label in {group for group in groups.values() if group is not None}:
        inside = [id for id, _ in hits if groups.get(id) == label]
        assert [id for id in found if groups.get(id) == label] == inside


def test_no_weight_is_no_change_and_nothing_is_nothing():
    assert fused(rm.pool_groups(HITS, {"a": 1, "c": 1}, weight=0.0)) == HITS
    assert len(rm.pool_groups([], {"a": 1})) == len(rm.weigh([], {"a": 2.0})) == 0


def test_documents_stay_and_the_steps_are_told():
    given_hits = [("a", 1.0, rm.Document("a", "one")), ("b", 0.5, None)]
    found = rm.weigh(rm.pool_groups(given_hits, {"a": 1, "b": 1}), {"a": 0.5})
    assert found.ids == ["b", "a"]
    assert found.documents[1].text == "one"
    pooled, weighed = found.explain("a").stages[-2:]
    assert pooled.name == "pool_groups"
    assert dict(pooled.details) == {"group": 1, "best": 1.0, "score_before": 1.0, "score": 1.3}
    assert weighed.name == "weigh"
    assert dict(weighed.details) == {"factor": 0.5, "score_before": 1.3, "score": 0.65}


def test_any_mapping_serves():
    assert rm.pool_groups(HITS, MappingProxyType({"c": 1})).ids == ["a", "b", "c"]
    assert rm.weigh(HITS, MappingProxyType({"c": 9.0})).ids == ["c", "a", "b"]


@pytest.mark.parametrize("hits", [HITS, []])
@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            TypeError,
            "groups must be a mapping of ids to groups, not list",
            lambda h: rm.pool_groups(h, ["a"]),
        ),
        (
            rm.InvalidArgumentError,
            "weight is -1.0; it must not be",
            lambda h: rm.pool_groups(h, {}, weight=-1),
        ),
        (rm.InvalidArgumentError, "ties is 'id'; it must be one", lambda h: rm.pool_groups(h, {}, ties="id")),
        (TypeError, "factors must be a mapping of ids to numbers, not float", lambda h: rm.weigh(h, 0.5)),
        (TypeError, "ties must be one of 'first'", lambda h: rm.weigh(h, {}, ties=None)),
    ],
)
def test_options_are_checked_before_data(hits, error, text, call):
    with pytest.raises(error, match=text):
        call(hits)


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (TypeError, r"groups\['a'\] is a list, which cannot be", lambda: rm.pool_groups(HITS, {"a": []})),
        (rm.InvalidScoreError, "every hit needs a finite score", lambda: rm.pool_groups(["a"], {})),
        (
            rm.InvalidScoreError,
            "id 'a': the score 1e\\+308 and 9.0 times 1e\\+308, the best of its group, give no finite score",
            lambda: rm.pool_groups([("a", 1e308)], {"a": 1}, weight=9.0),
        ),
        (TypeError, r"factors\['a'\] must be a number, not str", lambda: rm.weigh(HITS, {"a": "2"})),
        (
            rm.InvalidArgumentError,
            r"factors\['b'\] is nan; it must be finite",
            lambda: rm.weigh(HITS, {"b": math.nan}),
        ),
        (rm.InvalidArgumentError, "must not be negative", lambda: rm.weigh(HITS, {"c": -0.1})),
        (
            rm.InvalidScoreError,
            "the score is -1.0, and a factor would lift it the wrong way",
            lambda: rm.weigh([("a", -1.0)], {}),
        ),
        (
            rm.InvalidScoreError,
            "its factor 10.0 gives no finite score",
            lambda: rm.weigh([("a", 1e308)], {"a": 10.0}),
        ),
    ],
)
def test_refusals(error, text, call):
    with pytest.raises(error, match=text):
        call()
