"""`Ranking`: an immutable sequence of hits in columns."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Sequence

import numpy as np
import pytest

import rankmeld as rm

DOCUMENT = rm.Document(id="a", text="one", metadata={"project": "p"})


@pytest.fixture
def ranking() -> rm.Ranking:
    return rm.Ranking([("a", 3.0, DOCUMENT), ("b", 2.0, None), ("c", 1.0, None)], name="dense")


def test_columns(ranking):
    assert ranking.ids == ["a", "b", "c"]
    assert ranking.scores.dtype == np.float64
    assert ranking.scores.tolist() == [3.0, 2.0, 1.0]
    assert ranking.documents == [DOCUMENT, None, None]
    assert ranking.name == "dense"


def test_it_is_a_sequence(ranking):
    assert isinstance(ranking, Sequence)
    assert len(ranking) == 3
    assert ranking[0] == ranking[-3] == rm.Hit("a", 3.0, DOCUMENT)
    assert ranking[np.int64(1)] == ranking[1]
    assert list(reversed(ranking)) == [ranking[2], ranking[1], ranking[0]]
    assert rm.Hit("b", 2.0) in ranking
    assert ranking.index(rm.Hit("c", 1.0)) == 2
    for position in (3, -4, 2**70):
        with pytest.raises(IndexError):
            ranking[position]
    with pytest.raises(TypeError):
        ranking["a"]


@pytest.mark.parametrize(
    "cut",
    [
        slice(None),
        slice(1, None),
        slice(None, 1),
        slice(5, 9),
        slice(None, None, -1),
        slice(0, 3, 2),
        slice(-2, None),
    ],
)
def test_a_slice_is_a_ranking(ranking, cut):
    part = ranking[cut]
    assert isinstance(part, rm.Ranking)
    assert list(part) == list(ranking)[cut]
    assert part.ids == ranking.ids[cut]
    assert part.scores.tolist() == ranking.scores.tolist()[cut]


def test_equality_is_by_hits(ranking):
    same = rm.Ranking([("a", 3.0, DOCUMENT), ("b", 2.0), ("c", 1.0)])
    assert ranking == same
    assert ranking != ranking[:2]
    assert ranking != rm.Ranking(["a", "b", "c"])
    assert ranking != rm.Ranking([("a", 3.0, None), ("b", 2.0), ("c", 1.0)])
    assert ranking != "abc"
    assert rm.Ranking() == rm.Ranking([])


def test_it_cannot_be_changed(ranking):
    with pytest.raises((AttributeError, TypeError)):
        ranking.name = "other"
    with pytest.raises(TypeError):
        ranking[0] = rm.Hit("z")
    with pytest.raises(TypeError):
        del ranking[0]
    ranking.ids.clear()
    ranking.documents.clear()
    assert len(ranking.ids) == len(ranking.documents) == 3


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_pickles(ranking, protocol):
    back = pickle.loads(pickle.dumps(ranking, protocol))
    assert back == ranking
    assert (back.name, back.ids, back.documents) == ("dense", ranking.ids, ranking.documents)
    assert not back.scores.flags.writeable


def test_it_copies(ranking):
    assert copy.copy(ranking) == copy.deepcopy(ranking) == ranking
    empty = rm.Ranking()
    assert copy.deepcopy(empty) == empty == pickle.loads(pickle.dumps(empty))


def test_empty():
    empty = rm.Ranking()
    assert (len(empty), list(empty), empty.ids, empty.documents, empty.to_dicts()) == (0, [], [], [], [])
    assert bool(empty) is False
    assert empty[:5] == empty


def test_to_dicts_is_plain_json(ranking):
    dicts = ranking.to_dicts()
    assert [(one["id"], one["score"]) for one in dicts] == [("a", 3.0), ("b", 2.0), ("c", 1.0)]
    assert {type(one["score"]) for one in dicts} == {float}
    bare = rm.Ranking([("a", 0.1), ("b", 1e-300)]).to_dicts()
    back = json.loads(json.dumps(bare, allow_nan=False))
    assert [one["score"] for one in back] == [0.1, 1e-300]


def test_repr_shows_the_first_rows_and_not_all():
    long = rm.Ranking([(f"d{i}", 1.0 / (i + 1)) for i in range(10_000)])
    text = repr(long)
    assert "d0" in text
    assert "10" in text
    assert len(text) < 2_000
    assert "Ranking" in repr(rm.Ranking())


def test_html_is_escaped():
    html = rm.Ranking([("<script>alert(1)</script>", 1.0)])._repr_html_()
    assert "<table" in html
    assert "<script>" not in html


def test_a_partly_scored_ranking_keeps_what_is_absent():
    ranking = rm.Ranking([("a", 1.0), ("b", None)])
    assert [hit.score for hit in ranking] == [1.0, None]
    assert ranking.to_dicts()[1]["score"] is None
    assert pickle.loads(pickle.dumps(ranking)) == ranking


def test_documents_are_handed_on_by_reference(ranking):
    assert ranking[0].document is DOCUMENT
    assert ranking[:1][0].document is DOCUMENT
    assert rm.rrf([ranking])[0].document is DOCUMENT
