"""The order: descending score, then the tie rule, the same for every function that orders."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.order import order
from support.check import fused, outcome

NOW = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
#: Each orders one list of `(id, score)` and leaves equal scores equal.
ORDERING = {
    "rrf": lambda hits, **o: rm.rrf([[hit] for hit in hits], **o),
    "fuse_scores": lambda hits, **o: rm.fuse_scores([hits], normalize="none", **o),
    "convex": lambda hits, **o: rm.convex(hits, [], normalize="none", **o),
    "fuse_ranks": lambda hits, **o: rm.fuse_ranks([[hit] for hit in hits], method="rbc", **o),
    "time_decay": lambda hits, **o: rm.time_decay(hits, now=NOW, **o),
}


@pytest.mark.parametrize("function", ORDERING)
def test_equal_scores_keep_first_seen_order(function):
    hits = [(id, 1.0) for id in "zaymb"]
    assert ORDERING[function](hits).ids == list("zaymb")
    assert ORDERING[function](hits, ties="id_asc").ids == list("abmyz")
    assert ORDERING[function](hits, ties="id_desc").ids == list("zymba")


@pytest.mark.parametrize("function", ["fuse_scores", "time_decay"])
@given(
    hits=st.lists(
        st.tuples(st.integers(-20, 20), st.sampled_from([0.0, -0.0, 1.0, 2.0])), unique_by=lambda h: h[0]
    ),
    ties=st.sampled_from(["first", "id_asc", "id_desc"]),
)
def test_order_of_the_oracle(function, hits, ties):
    ids, scores = [id for id, _ in hits], [score for _, score in hits]
    assert ORDERING[function](hits, ties=ties).ids == [ids[i] for i in order(ids, scores, ties)]


@given(
    st.lists(
        st.tuples(st.integers(0, 1000), st.sampled_from([1.0, 2.0])), min_size=50, unique_by=lambda h: h[0]
    ),
    st.integers(0, 60),
    st.sampled_from(["first", "id_asc", "id_desc"]),
)
def test_the_best_few_are_the_beginning_of_all(hits, limit, ties):
    whole = fused(rm.fuse_scores([hits], normalize="none", ties=ties))
    assert fused(rm.fuse_scores([hits], normalize="none", ties=ties, limit=limit)) == whole[:limit]


@pytest.mark.parametrize("limit", [1, 7, 500, 1999])
def test_the_best_few_of_many_equals(limit):
    hits = [(i, float(i * 37 % 5)) for i in range(2_000)]
    whole = fused(rm.fuse_scores([hits], normalize="none"))
    assert fused(rm.fuse_scores([hits], normalize="none", limit=limit)) == whole[:limit]


@pytest.mark.parametrize("function", ORDERING)
def test_ids_are_compared_only_where_scores_are_equal(function):
    if function not in ("rrf", "fuse_ranks"):
        hits = [("a", 3.0), (1, 2.0), (None, 1.0)]
        assert ORDERING[function](hits, ties="id_asc").ids == ["a", 1, None]
    mixed = [("a", 1.0), (1, 1.0)]
    assert ORDERING[function](mixed).ids == ["a", 1]
    with pytest.raises(TypeError, match="ties"):
        ORDERING[function](mixed, ties="id_asc")


def test_a_tie_below_the_limit_is_not_looked_at_or_refused_but_never_wrong():
    hits = [("top", 3.0), ("a", 1.0), (1, 1.0)]
    for limit in (0, 1):
        found = outcome(lambda n=limit: rm.fuse_scores([hits], normalize="none", ties="id_asc", limit=n).ids)
        assert found in (["top"][:limit], TypeError)
    assert outcome(rm.fuse_scores, [hits], normalize="none", ties="id_asc", limit=2) is TypeError


def test_an_id_whose_comparison_raises_hands_the_error_on():
    class Odd:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            return self is other

        def __lt__(self, other: object) -> bool:
            raise RuntimeError("not today")

    hits = [(Odd(), 1.0), (Odd(), 1.0)]
    assert len(rm.fuse_scores([hits])) == 2
    with pytest.raises((RuntimeError, TypeError)):
        rm.fuse_scores([hits], ties="id_asc")


def test_an_id_whose_equality_raises_hands_the_error_on():
    class Odd:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not today")

    with pytest.raises(RuntimeError, match="not today"):
        rm.rrf([[Odd()], [Odd()]])
    with pytest.raises(RuntimeError, match="not today"):
        rm.rrf([[Odd(), Odd()]])


def test_big_integers_strings_and_tuples_order_as_python_orders_them():
    big = [(10**30, 1.0), (-(10**30), 1.0), (2**63, 1.0), (5, 1.0), (2.5, 1.0)]
    assert rm.fuse_scores([big], ties="id_asc").ids == [-(10**30), 2.5, 5, 2**63, 10**30]
    words = [(w, 1.0) for w in ["é", "z", "Z", "", "e\u0301", "\U0001f600", "\uffff"]]
    assert rm.fuse_scores([words], ties="id_asc").ids == sorted(w for w, _ in words)
    nested = [((1, "b"), 1.0), ((1, "a"), 1.0), ((0, "z"), 1.0)]
    assert rm.fuse_scores([nested], ties="id_desc").ids == [(1, "b"), (1, "a"), (0, "z")]
