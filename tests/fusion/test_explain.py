"""Explanations add up to the score, to the last bit, and name what a fusion was made of."""

from __future__ import annotations

import copy
import datetime as dt
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from support.strategies import any_scores, odd_ids, ordinary_scores, plain_ids, rankings, weighed

DENSE = rm.Source("dense", [("a", 0.9), ("b", 0.4), ("c", 0.1)], weight=2.0)
LEXICAL = rm.Source("lexical", [("b", 12.0), ("d", 3.0)])


def assert_adds_up(ranking: rm.Ranking) -> None:
    explained = ranking.explanation()
    assert [one.id for one in explained] == ranking.ids
    for hit, one in zip(ranking, explained, strict=True):
        assert one.score == hit.score
        assert math.fsum(source.credit for source in one.sources) == hit.score
        assert ranking.explain(hit.id) == one


@given(
    weighed(rankings(odd_ids, any_scores)),
    st.sampled_from(["first", "sum", "last", "overwrite"]),
    st.sampled_from([(60.0, 1), (5.0, 0), (0.5, 3)]),
)
def test_credits_of_rrf_sum_to_the_score(given_lists, duplicates, constants):
    lists, weights = given_lists
    k, rank_base = constants
    assert_adds_up(rm.rrf(lists, weights=weights, duplicates=duplicates, k=k, rank_base=rank_base))


@pytest.mark.parametrize("normalize", ["minmax", "max", "sum", "zscore", "dbsf", "rank", "borda", "none"])
@given(
    given_lists=weighed(rankings(plain_ids, ordinary_scores)), duplicates=st.sampled_from(["sum", "first"])
)
def test_credits_of_a_sum_of_scores_sum_to_the_score(normalize, given_lists, duplicates):
    lists, weights = given_lists
    assert_adds_up(rm.fuse_scores(lists, normalize=normalize, weights=weights, duplicates=duplicates))


def test_one_hit_of_rrf_in_full():
    one = rm.rrf([DENSE, LEXICAL]).explain("b")
    assert (one.id, one.method) == ("b", "rrf")
    dense, lexical = one.sources
    assert (dense.name, dense.position, dense.score, dense.weight) == ("dense", 1, 0.4, 2.0)
    assert dense.credit == 2.0 / 62
    assert (lexical.name, lexical.position, lexical.score, lexical.weight) == ("lexical", 0, 12.0, 1.0)
    assert lexical.credit == 1.0 / 61
    assert one.score == math.fsum([2.0 / 62, 1.0 / 61])


def test_a_list_that_does_not_hold_the_hit_is_named_with_no_credit():
    one = rm.rrf([DENSE, LEXICAL]).explain("d")
    dense, lexical = one.sources
    assert (dense.name, dense.position, dense.score, dense.credit) == ("dense", None, None, 0.0)
    assert (lexical.position, lexical.credit) == (1, 1 / 62)


def test_fused_scores_show_raw_and_normalized():
    one = rm.fuse_scores([DENSE, LEXICAL]).explain("b")
    dense, lexical = one.sources
    assert dense.score == 0.4
    assert dense.normalized == pytest.approx(0.375)
    assert dense.credit == pytest.approx(0.75)
    assert (lexical.score, lexical.normalized, lexical.credit) == (12.0, 1.0, 1.0)
    assert one.combination == "sum"


@pytest.mark.parametrize("combine", ["mnz", "anz", "max", "min", "median"])
def test_other_combinations_are_named_with_their_operands(combine):
    ranking = rm.fuse_scores([DENSE, LEXICAL], combine=combine)
    one = ranking.explain("b")
    assert combine in one.combination
    values = [source.credit for source in one.sources if source.position is not None]
    fused = {
        "mnz": sum(values) * 2,
        "anz": sum(values) / 2,
        "max": max(values),
        "min": min(values),
        "median": sum(values) / 2,
    }
    assert one.score == pytest.approx(fused[combine])


def test_a_slice_explains_as_the_whole():
    ranking = rm.rrf([DENSE, LEXICAL])
    assert ranking[1:3].explanation() == ranking.explanation()[1:3]
    assert ranking[:1].explain(ranking.ids[0]) == ranking.explain(ranking.ids[0])
    with pytest.raises((KeyError, ValueError), match=ranking.ids[-1]):
        ranking[:1].explain(ranking.ids[-1])


def test_a_cut_ranking_explains_what_it_has():
    whole, cut = rm.rrf([DENSE, LEXICAL]), rm.rrf([DENSE, LEXICAL], limit=2)
    assert cut.explanation() == whole.explanation()[:2]


def test_an_unpickled_ranking_says_that_it_cannot_explain():
    ranking = pickle.loads(pickle.dumps(rm.rrf([DENSE, LEXICAL])))
    with pytest.raises(rm.RankmeldError, match="pickle"):
        ranking.explain("b")
    with pytest.raises(rm.RankmeldError, match="pickle"):
        ranking.explanation()


def test_a_deep_copy_is_equal():
    ranking = rm.rrf([DENSE, LEXICAL])
    assert copy.deepcopy(ranking) == ranking


def test_explaining_later_sees_the_inputs_as_they_were():
    lists = [[["a", 2.0], ["b", 1.0]], [["b", 3.0]]]
    ranking = rm.rrf(lists)
    before = pickle.dumps([str(one) for one in ranking.explanation()])
    lists[0].reverse()
    lists[0][0][1] = 99.0
    lists[1].clear()
    assert pickle.dumps([str(one) for one in ranking.explanation()]) == before


def test_an_input_given_once_can_still_be_explained():
    ranking = rm.rrf([iter([("a", 2.0), ("b", 1.0)]), (hit for hit in [("b", 3.0)])])
    assert_adds_up(ranking)
    assert [source.score for source in ranking.explain("b").sources] == [1.0, 3.0]


def test_nested_repeats_are_one_entry_per_counted_occurrence():
    one = rm.rrf([["a", "b", "a"]], duplicates="sum").explain("a")
    assert [source.position for source in one.sources] == [0, 2]
    one = rm.rrf([["a", "b", "a"]], duplicates="last").explain("a")
    assert [source.position for source in one.sources] == [2]


def test_stages_are_appended_in_order(now):
    old = rm.Document(id="a", text="old", updated_at=now - dt.timedelta(days=30))
    ranking = rm.time_decay(rm.rrf([[("a", 1.0, old)], ["b"]]), now=now)
    one = ranking.explain("a")
    assert one.method == "rrf"
    assert [stage.name for stage in one.stages] == ["time_decay"]
    assert math.fsum(source.credit for source in one.sources) == 1 / 61
    assert one.score == pytest.approx(0.5 / 61)


def test_an_explanation_reads_as_text():
    text = str(rm.rrf([DENSE, LEXICAL]).explain("b"))
    for part in ("b", "dense", "lexical", "rrf"):
        assert part in text


def test_credits_of_ranks_are_shown_as_well():
    one = rm.fuse_ranks([DENSE, LEXICAL], method="isr").explain("b")
    assert one.method == "isr"
    assert [source.position for source in one.sources] == [1, 0]


@pytest.mark.parametrize("made", [rm.Ranking(["a"]), rm.maxsim_top([[1.0]], [[[1.0]]], limit=1).named("x")])
def test_what_nothing_reordered_says_what_can_be_asked(made):
    with pytest.raises(rm.RankmeldError) as refused:
        made.explain(made.ids[0])
    assert str(refused.value) == (
        "this ranking was neither fused nor reordered, so there is nothing to explain; explain what rrf, "
        "fuse_scores, rerankers and the like return (of a search the score says all; for MaxSim there is "
        "maxsim(..., explain=True))"
    )
