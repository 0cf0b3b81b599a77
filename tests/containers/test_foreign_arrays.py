"""Arrays that are no plain columns: refused by name, or read for what they hold."""

from __future__ import annotations

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.vectors import cosine_scores

MASKED = np.ma.array([0.1, 9e9, 0.3], mask=[0, 1, 0])
IDS = np.array([1, 2, 3])


@pytest.mark.parametrize(
    "call",
    [
        lambda: rm.fuse_scores([(IDS, MASKED)], normalize="none"),
        lambda: rm.rrf([np.ma.array(IDS, mask=[0, 1, 0])]),
        lambda: rm.rrf([np.ma.array(["a", "b"], mask=[0, 1])]),
        lambda: rm.Ranking((np.ma.array(IDS, mask=[0, 1, 0]), [0.3, 0.2, 0.1])),
        lambda: cosine_scores([1.0, 2.0], np.ma.array([[1.0, 2.0]], mask=[[0, 1]])),
        lambda: cosine_scores(np.ma.array([1.0, 2.0], mask=[0, 1]), [[1.0, 2.0]]),
    ],
)
def test_masked_arrays_are_refused(call):
    with pytest.raises(TypeError, match=r"masked array; pass \.compressed\(\)"):
        call()


def test_other_subclasses_of_arrays_are_arrays():
    class Mine(np.ndarray):
        pass

    assert rm.rrf([IDS.view(Mine)]).ids == [1, 2, 3]
    assert rm.fuse_scores([(IDS, np.array([3.0, 2.0, 1.0]).view(Mine))]).ids == [1, 2, 3]


def test_structured_arrays_and_moments_are_refused():
    records = np.array([(1, 0.5)], dtype=[("id", "i8"), ("score", "f8")])
    with pytest.raises(TypeError, match="pass one field of a structured array"):
        rm.rrf([records])
    assert rm.rrf([(records["id"], records["score"])]).ids == [1]
    with pytest.raises(TypeError, match="the moments as strings"):
        rm.rrf([np.array(["2024-01-01"], dtype="datetime64[ns]")])


def test_arrow_arrays_hold_plain_values():
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    assert rm.rrf([arrow.array(["a", "b"]), ["a"]]).ids == ["a", "b"]
    assert rm.rrf([arrow.chunked_array([["a"], ["b"]]), ["b"]]).ids == ["b", "a"]


def test_an_id_that_does_not_know_whether_it_equals_itself():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    with pytest.raises(TypeError, match=r"rankings\[0\], position 1: the id is <NA>"):
        rm.rrf([["a", pandas.NA]])


def test_weights_and_bounds_may_be_arrays():
    lists = [[("a", 0.5), ("b", 0.25)], [("b", 0.75)]]
    bounds = np.array([[0.0, 1.0], [0.0, 1.0]])
    assert rm.fuse_scores(lists, bounds=bounds, weights=np.array([1.0, 2.0])).to_dicts()[0]["score"] == 1.75
    with pytest.raises(TypeError, match="weights must be a sequence"):
        rm.rrf(lists, weights=np.array(1.0))
