"""What goes in is never changed: lists, dicts, arrays, documents."""

from __future__ import annotations

import copy
import datetime as dt

import numpy as np
import pytest

import rankmeld as rm
from support.refusals import refusal

NOW = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)


def inputs() -> list[object]:
    chunk = rm.Document(id="a", text="one", metadata={"matched_chunk": "c1", "tags": ["x"]})
    bare = rm.Document(id="a", text="one")
    return [
        [("a", 0.9, bare), ("b", 0.5, None)],
        [["b", 3.0, None], ["a", 2.0, chunk]],
        {"a": 0.1, "c": 0.7},
        (np.array([3, 1, 2]), np.array([0.3, 0.2, 0.1])),
        ([1, 2], [0.5, 0.25]),
        rm.Ranking([("a", 2.0), ("z", 1.0)]),
        rm.Source("dense", [("a", 2.0)], weight=0.5),
    ]


OPERATIONS = {
    "rrf": lambda lists: rm.rrf(lists, limit=2, ties="first"),
    "rrf overwrite": lambda lists: rm.rrf(lists, duplicates="overwrite"),
    "fuse_scores": lambda lists: rm.fuse_scores(lists, normalize="zscore", combine="mnz"),
    "fuse_ranks": lambda lists: rm.fuse_ranks(lists, method="borda"),
    "convex": lambda lists: rm.convex(lists[0], lists[1]),
    "dedup": lambda lists: rm.dedup(lists[0]),
    "time_decay": lambda lists: rm.time_decay(lists[0], now=NOW),
    "an error": lambda lists: refusal(rm.InvalidScoreError, rm.fuse_scores, [*lists, ["x"]]),
}


def frozen(value: object) -> object:
    """A deep picture of a value, to compare with later."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.strides, value.tobytes())
    if isinstance(value, dict):
        return [(frozen(k), frozen(v)) for k, v in value.items()]
    if isinstance(value, rm.Source):
        return (value.name, value.weight, frozen(value.hits))
    if isinstance(value, list | tuple | rm.Ranking):
        return [type(value).__name__, *map(frozen, value)]
    return copy.deepcopy(value)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_inputs_are_left_as_they_were(operation):
    lists = inputs()
    before = frozen(lists)
    OPERATIONS[operation](lists)
    assert frozen(lists) == before


def test_a_matched_chunk_is_put_on_a_copy():
    plain = rm.Document(id="a", text="one")
    chunk = rm.Document(id="a", text="other", metadata={"matched_chunk": "c7"})
    (hit,) = rm.rrf([[("a", 1.0, plain)], [("a", 1.0, chunk)]])
    assert hit.document is not plain
    assert (hit.document.text, hit.document.metadata["matched_chunk"]) == ("one", "c7")
    assert "matched_chunk" not in plain.metadata


def test_a_document_that_needs_no_change_is_handed_on_itself():
    plain = rm.Document(id="a", text="one")
    (hit,) = rm.rrf([["a"], [("a", 1.0, plain)]])
    assert hit.document is plain


def test_scores_of_a_result_cannot_be_written():
    ranking = rm.rrf([["a", "b"]])
    with pytest.raises(ValueError, match="read-only"):
        ranking.scores[0] = 1.0
    ranking.ids.append("c")
    assert ranking.ids == ["a", "b"]


def test_a_caller_who_writes_to_the_array_later_does_not_change_the_ranking():
    ids, scores = np.array([1, 2, 3]), np.array([3.0, 2.0, 1.0])
    fused = rm.rrf([(ids, scores)])
    before = ([hit.id for hit in fused], [hit.score for hit in fused])
    ids[:], scores[:] = 9, 9.0
    assert ([hit.id for hit in fused], [hit.score for hit in fused]) == before
