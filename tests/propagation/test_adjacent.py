"""`adjacent` against the oracle, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.propagation import adjacent as oracle


@given(
    st.lists(
        st.tuples(st.one_of(st.integers(0, 30), st.text(max_size=3)), st.sampled_from("xyz")),
        unique_by=lambda row: row[0],
        max_size=20,
    ),
    st.integers(0, 5),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 1.5]),
    st.sampled_from([0.0, 1.0]),
)
def test_equals_the_oracle(rows, window, grouped, forward, backward):
    ids = [id for id, _ in rows]
    options = {"window": window, "forward": forward, "backward": backward}
    if grouped:
        options["groups"] = [group for _, group in rows]
    found = rm.adjacent(ids, **options)
    assert list(found) == ids
    assert {id: dict(near) for id, near in found.items()} == oracle(ids, **options)
    assert all(len(dict(near)) == len(near) for near in found.values())


def test_the_nearest_comes_first_and_the_later_before_the_earlier():
    assert rm.adjacent("abcde"[n] for n in range(5))["c"] == (("d", 1.5), ("b", 1.0))
    assert rm.adjacent(list("abcde"), window=2)["b"] == (("c", 1.5), ("a", 1.0), ("d", 1.5))


def test_mixed_groups_keep_their_own_order():
    found = rm.adjacent([1, 2, 3, 4], groups=["x", "y", "x", "y"])
    assert found == {1: ((3, 1.5),), 2: ((4, 1.5),), 3: ((1, 1.0),), 4: ((2, 1.0),)}


def test_a_group_may_be_anything_hashable():
    assert rm.adjacent([1, 2, 3], groups=[None, None, ("a", 1)])[2] == ((1, 1.0),)


@pytest.mark.parametrize("ids", [np.arange(3), [np.int64(0), np.int64(1), np.int64(2)], range(3), (0, 1, 2)])
def test_numbers_come_back_as_python_has_them(ids):
    found = rm.adjacent(ids)
    assert found == {0: ((1, 1.5),), 1: ((2, 1.5), (0, 1.0)), 2: ((1, 1.0),)}
    assert {type(id) for id in found} == {type(near[0][0]) for near in found.values()} == {int}


@pytest.mark.parametrize("of", [list, tuple, np.array, iter])
def test_what_flows_on_may_differ_from_id_to_id(of):
    found = rm.adjacent(["a", "b", "c"], forward=of([3, 1.5, 0]), backward=of([9.0, 0.5, 1.0]))
    assert found == {"a": (("b", 3.0),), "b": (("c", 1.5), ("a", 0.5)), "c": (("b", 1.0),)}


def test_a_window_of_any_size():
    assert rm.adjacent([1, 2], window=10**30) == rm.adjacent([1, 2], window=5)
    assert rm.adjacent([1, 2], window=0) == {1: (), 2: ()}
    assert rm.adjacent([]) == rm.adjacent([], groups=[]) == {}
