"""Every form of a ranking says the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from support.check import fused
from support.forms import INTEGER, MAPPINGS, SCORE_DTYPES, SCORED
from support.strategies import odd_ids, ordinary_scores, pairs

PAIRS = [("a", 4.0), ("b", 2.0), ("c", 1.0), ("d", 0.5)]
OTHER = [("c", 9.0), ("e", 8.0), ("a", 7.0)]
INTEGERS = [(3, 4.0), (1, 2.0), (2, 1.0), (7, 0.5)]


@pytest.mark.parametrize("form", [*SCORED, *MAPPINGS])
def test_every_form_gives_the_same_fusion(form):
    make = {**SCORED, **MAPPINGS}[form]
    assert rm.rrf([make(PAIRS), OTHER]) == rm.rrf([PAIRS, OTHER])
    assert rm.fuse_scores([OTHER, make(PAIRS)]) == rm.fuse_scores([OTHER, PAIRS])
    assert fused(rm.Ranking(make(PAIRS))) == PAIRS


@pytest.mark.parametrize("form", SCORED)
@given(one=pairs(odd_ids, ordinary_scores))
def test_every_form_keeps_ids_and_scores(form, one):
    ranking = rm.Ranking(SCORED[form](one))
    assert [type(id) for id in ranking.ids] == [type(id) for id, _ in one]
    assert fused(ranking) == one


@pytest.mark.parametrize("form", INTEGER)
def test_integer_arrays_of_every_kind(form):
    ranking = rm.Ranking(INTEGER[form](INTEGERS))
    assert fused(ranking) == INTEGERS
    assert {type(id) for id in ranking.ids} == {int}
    ids, _ = INTEGER[form](INTEGERS)
    assert rm.Ranking(ids).ids == [id for id, _ in INTEGERS]
    assert rm.rrf([ids, [1]]) == rm.rrf([[3, 1, 2, 7], [1]])


@pytest.mark.parametrize("dtype", SCORE_DTYPES)
def test_scores_of_every_dtype(dtype):
    given_scores = np.array([4, 2, 1, 0], dtype=dtype)
    ranking = rm.Ranking((["a", "b", "c", "d"], given_scores))
    assert list(ranking.scores) == [4.0, 2.0, 1.0, 0.0]
    assert {type(hit.score) for hit in ranking} == {float}


@pytest.mark.parametrize("count", [0, 1, 2, 3])
@pytest.mark.parametrize("form", [*SCORED, *MAPPINGS])
def test_short_rankings(form, count):
    make = {**SCORED, **MAPPINGS}[form]
    assert fused(rm.Ranking(make(PAIRS[:count]))) == PAIRS[:count]


def test_large_integers_keep_every_digit():
    large = [2**63 - 1, -(2**63), 0]
    assert rm.Ranking(np.array(large)).ids == large
    assert rm.Ranking(np.array([2**64 - 1], dtype=np.uint64)).ids == [2**64 - 1]
    assert rm.Ranking([2**100, -(2**100)]).ids == [2**100, -(2**100)]


def test_bare_ids_have_no_scores():
    ranking = rm.Ranking(["a", "b"])
    assert ranking.scores is None
    assert list(ranking) == [rm.Hit("a"), rm.Hit("b")]


def test_a_pair_and_a_triple_are_never_ids():
    ranking = rm.Ranking([((1, 2), 0.5), ((3, 4), 0.25)])
    assert ranking.ids == [(1, 2), (3, 4)]
    with pytest.raises(TypeError):
        rm.Ranking([("a", "b")])


def test_a_mapping_is_ordered_by_score_and_equal_scores_by_insertion():
    ranking = rm.Ranking({"low": 1.0, "x": 2.0, "y": 2.0, "high": 3.0})
    assert ranking.ids == ["high", "x", "y", "low"]


def test_lists_are_not_ordered_by_score():
    assert rm.Ranking([("low", 1.0), ("high", 3.0)]).ids == ["low", "high"]
    assert rm.rrf([[("low", 1.0), ("high", 3.0)]]).ids == ["low", "high"]


def test_numpy_scalars_come_back_as_python_values():
    given_ids = [np.str_("a"), np.int64(1), np.float32(2.5), np.bool_(True), np.bytes_(b"x")]
    ids = rm.Ranking([(id, np.float32(0.5)) for id in given_ids]).ids
    assert ids == ["a", 1, 2.5, True, b"x"]
    assert [type(id) for id in ids] == [str, int, float, bool, bytes]


def test_the_first_of_equal_ids_comes_back_itself():
    class Name(str):
        __slots__ = ()

    first, second = Name("a"), "a"
    fused_ids = rm.rrf([[first], [second]]).ids
    assert fused_ids[0] is first
    (kept,) = rm.rrf([[1.0], [True], [1]]).ids
    assert type(kept) is float


def test_ids_that_only_look_alike_stay_apart():
    ranking = rm.rrf([[0, "", "1", 1, b"1", "é", "e\u0301"]])
    assert len(ranking) == 7


def test_strings_in_arrays_are_ids():
    ranking = rm.Ranking((np.array(["x", "yy"]), np.array([2.0, 1.0])))
    assert ranking.ids == ["x", "yy"]
    assert {type(id) for id in ranking.ids} == {str}


def test_a_generator_is_read_once():
    seen = []

    def stream():
        for hit in PAIRS:
            seen.append(hit)
            yield hit

    rm.rrf([stream()])
    assert seen == PAIRS


def test_rankings_may_come_from_a_generator_or_a_dict_view():
    assert rm.rrf(one for one in (PAIRS, OTHER)) == rm.rrf([PAIRS, OTHER])
    assert rm.rrf({"x": PAIRS, "y": OTHER}.values()) == rm.rrf((PAIRS, OTHER))


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=8), st.integers(1, 3), st.booleans())
def test_strides_do_not_show(ids, step, backwards):
    wide = np.repeat(np.array(ids, dtype=">i4"), step)[::step]
    wide = wide[::-1] if backwards else wide
    assert rm.Ranking(wide).ids == (ids[::-1] if backwards else ids)


def test_records_name_their_fields():
    items = [
        {"doc": 1, "sim": 0.5, "body": rm.Document(id=1, text="t")},
        {"doc": 2, "sim": 0.25, "body": None},
    ]
    ranking = rm.from_records(items, id="doc", score="sim", document="body", name="dense")
    assert fused(ranking) == [(1, 0.5), (2, 0.25)]
    assert ranking.name == "dense"
    assert ranking.documents == [items[0]["body"], None]
    assert rm.from_records(items, id="doc").scores is None


def test_records_without_the_field_are_named():
    with pytest.raises((KeyError, AttributeError, ValueError, TypeError), match="nope"):
        rm.from_records([{"doc": 1}], id="nope")


@pytest.mark.parametrize(
    "nested",
    [
        lambda one: [one, one],
        lambda one: ["a", one],
        lambda one: [(one, 0.5)],
        lambda one: ([one, "a"], [0.5, 0.4]),
        lambda one: {one: 0.5},
    ],
)
def test_a_ranking_is_no_id(nested):
    one = rm.Ranking(["a", "b"])
    message = "position [01] is a Ranking, where an id or a hit belongs; pass one ranking, and fuse"
    with pytest.raises(TypeError, match=message):
        rm.Ranking(nested(one))
    with pytest.raises(TypeError, match=message):
        rm.dedup(nested(one))
    with pytest.raises(TypeError, match=message):
        rm.rrf([nested(one)])
