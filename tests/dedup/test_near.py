"""`dedup_near` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import copy
import math
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld import _core
from reference.near_duplicates import dedup_near as oracle
from reference.near_duplicates import shingles
from support.check import fused
from support.refusals import refusal

WORDS = ("river", "bridge", "storm", "ferry", "year", "to", "on", "나라", "가", "检", "索", "の", "é")


def hits(*texts: str | None, scores: list[float] | None = None, parents: str = ""):
    return [
        (
            f"d{i}",
            1.0 - i / 100 if scores is None else scores[i],
            None
            if text is None
            else rm.Document(
                id=f"d{i}", text=text, parent_id=parents[i] if parents[i : i + 1].strip() else None
            ),
        )
        for i, text in enumerate(texts)
    ]


def kept(*texts: str | None, **options) -> list[int]:
    return [int(id[1:]) for id in rm.dedup_near(hits(*texts), **options).ids]


def text_of(word_count: int, *, without: int | None = None) -> str:
    return " ".join(f"word{i}" for i in range(word_count) if i != without)


texts = st.lists(st.sampled_from(WORDS), max_size=6).flatmap(
    lambda words: st.sampled_from([" ", "", ", "]).map(lambda gap: gap.join(words))
)


@given(
    given_hits=st.lists(
        st.tuples(
            st.sampled_from("abcdefgh"),
            st.sampled_from([0.1, 0.5, 0.9, -1.0]),
            st.one_of(st.none(), texts),
            st.sampled_from(["p", "q", None]),
        ),
        max_size=9,
    ),
    threshold=st.sampled_from([0.05, 0.3, 0.5, 2 / 3, 0.85, 1.0]),
    within=st.sampled_from(["all", "parent"]),
    shingle=st.sampled_from(["word", 1, 2, 3]),
    linkage=st.sampled_from(["chain", "star"]),
)
def test_equals_the_oracle(given_hits, threshold, within, shingle, linkage):
    ranking = [
        (id, score, None if text is None else rm.Document(id=id, text=text, parent_id=parent))
        for id, score, text, parent in given_hits
    ]
    options = {"threshold": threshold, "within": within, "shingle": shingle, "linkage": linkage}
    found = rm.dedup_near(ranking, **options)
    assert (fused(found), dict(found.removed)) == oracle(ranking, **options)


@given(st.lists(texts, max_size=9), st.sampled_from([0.4, 0.85]))
def test_equals_the_oracle_with_the_callers_tokens(given_texts, threshold):
    found = rm.dedup_near(hits(*given_texts), threshold=threshold, tokenizer=list)
    expected = oracle(hits(*given_texts), threshold=threshold, tokenizer=list)
    assert (fused(found), dict(found.removed)) == expected


@given(st.lists(texts, max_size=9))
def test_once_is_enough(given_texts):
    once = rm.dedup_near(hits(*given_texts), threshold=0.5)
    again = rm.dedup_near(once, threshold=0.5)
    assert fused(again) == fused(once)
    assert dict(again.removed) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The OX is red", {"the", "red"}),
        ("나라 가 나", {"나라"}),
        ("a나 x", {"a나"}),
        ("检索", {"检索"}),
        ("检 索", set()),
        ("检索の", {"检索", "索の"}),
        ("abc检索def", {"abc", "检索", "def"}),
        ("检ab索", set()),
        ("ไทย", {"ไท", "ทย"}),
        ("ไท ย", {"ไท"}),
        ("func_name 42 423", {"func_name", "423"}),
        ("cafe\u0301", {"café"}),
        ("👍 !", set()),
    ],
)
def test_what_counts_of_a_text(text, expected):
    assert shingles(text) == expected
    sketcher = _core.Sketcher(0.85, 128, None, True, False)
    found, wanted = sketcher.texts([text], 1), sketcher.tokens([sorted(expected)], 1)
    assert found.encode(sketcher) == wanted.encode(sketcher)


def test_the_best_of_a_chain_stays_and_a_star_has_no_chains():
    sliding = [" ".join(f"word{i}" for i in range(start, start + 20)) for start in (0, 2, 4, 6)]
    chain = rm.dedup_near(hits(*sliding, scores=[0.1, 0.9, 0.5, 0.3]), threshold=0.75)
    assert chain.ids == ["d1"]
    assert dict(chain.removed) == {"d2": "d1", "d3": "d1", "d0": "d1"}
    star = rm.dedup_near(hits(*sliding, scores=[0.1, 0.9, 0.5, 0.3]), threshold=0.75, linkage="star")
    assert star.ids == ["d1", "d3"]
    assert dict(star.removed) == {"d2": "d1", "d0": "d1"}


def test_within_parents_hits_of_others_and_orphans_stay():
    ranking = hits("one two three", "one two three", "one two three", "one two three", parents="pqp ")
    found = rm.dedup_near(ranking, within="parent")
    assert (found.ids, dict(found.removed)) == (["d0", "d1", "d3"], {"d2": "d0"})


def test_texts_without_a_token_are_nobodys_duplicate():
    assert kept("", "", "👍", "👍", "a", "a", None, None) == list(range(8))
    assert kept("👍", "👍", tokenizer=str.split) == [0]


def test_output_is_by_descending_score_and_equal_ones_as_they_came():
    ranking = hits("red apple", "green pear", "blue plum", scores=[0.1, 0.9, 0.9])
    assert rm.dedup_near(ranking).ids == ["d1", "d2", "d0"]
    equal = hits("red apple pie", "Red apple pie!", scores=[0.5, 0.5])
    assert dict(rm.dedup_near(equal).removed) == {"d1": "d0"}


def test_an_id_given_twice_goes_for_itself():
    ranking = [
        (id, score, rm.Document(id=id, text="one two three")) for id, score in [("a", 1.0), ("a", 0.5)]
    ]
    found = rm.dedup_near(ranking)
    assert (found.ids, dict(found.removed)) == (["a"], {"a": "a"})


@pytest.mark.parametrize("linkage", ["chain", "star"])
@pytest.mark.parametrize("within", ["all", "parent"])
def test_many_hits_are_found_by_their_signatures(linkage, within):
    count = 1_500
    documents = [
        rm.Document(id=i, text=f"{text_of(40, without=i % 5)} own{i // 5}x " * 2, parent_id="p")
        if i % 3 == 0
        else rm.Document(id=i, text=" ".join(f"w{i}x{j}" for j in range(40)), parent_id="p")
        for i in range(count)
    ]
    ranking = [(document.id, 1.0 - document.id / count, document) for document in documents]
    found = rm.dedup_near(ranking, within=within, linkage=linkage)
    assert found.ids == [0, *(i for i in range(count) if i % 3)]
    assert set(found.removed.values()) == {0}


def test_many_hits_and_a_threshold_too_low_for_signatures_are_compared_all():
    documents = [rm.Document(id=i, text=f"common {i}x1 {i}x2 {i}x3 {i}x4") for i in range(1_100)]
    ranking = [(document.id, 1.0 - document.id / 2_000, document) for document in documents]
    assert rm.dedup_near(ranking, threshold=0.1, num_perm=16).ids == [0]


def test_without_proof_similarities_are_estimates():
    close = hits(text_of(100), text_of(100, without=3), text_of(50))
    assert rm.dedup_near(close, threshold=0.9, verify=False).ids == ["d0", "d2"]
    # At 100/101 a few of 2,000 estimates differ from 1, and none is exact.
    assert len(rm.dedup_near(close, threshold=1.0, num_perm=2_000, verify=False)) == 3
    assert dict(rm.dedup_near(hits("a", "a"), verify=False).removed) == {}


def test_the_result_is_a_ranking_with_what_was_removed():
    found = rm.dedup_near(rm.Ranking(hits("red apple pie", "Red apple pie!", "green pear"), name="dense"))
    assert isinstance(found, rm.Ranking)
    assert (found.name, found.named("x").name, found.named("x").removed) == ("dense", "x", found.removed)
    assert found == rm.Ranking(list(found))
    assert rm.Ranking(list(found)) == found
    assert hash(found) == hash(rm.Ranking(list(found)))
    others = rm.dedup_near(hits("red apple pie", "x", "green pear"))
    assert others[0::2] != found
    with pytest.raises(TypeError):
        found.removed["d9"] = "d0"
    for same in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found), copy.copy(found), found[:]):
        assert same == found
        assert type(same) is rm.DedupedRanking
        assert (dict(same.removed), same.name) == ({"d1": "d0"}, "dense")
    assert dict(found[1:].removed) == {}
    assert dict(found[:1].removed) == {"d1": "d0"}
    assert found[0] == rm.Hit(*hits("red apple pie")[0])


def test_each_hit_that_stays_explains_which_went_for_it():
    listed = rm.rrf([hits("red apple pie", "Red apple pie!", "green pear")])
    found = rm.dedup_near(listed)
    assert found.explain("d0").stages == (rm.Stage("dedup_near", {"dropped": ("d1",)}),)
    assert found.explain("d2").stages == (rm.Stage("dedup_near", {"dropped": ()}),)
    assert rm.dedup(found).explain("d0").stages[0].details == {"dropped": ("d1",)}


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"threshold": 0}, ValueError, r"threshold is 0.0; it must be above 0 and at most 1 \(1: equal sets"),
        ({"threshold": 1.5}, ValueError, "threshold is 1.5; it must be above 0"),
        ({"threshold": math.nan}, ValueError, "threshold is nan; it must be finite"),
        ({"threshold": "high"}, TypeError, "threshold must be a number, not str"),
        ({"num_perm": 15}, ValueError, r"num_perm is 15; it must be from 16 to 65,536 \(128 is usual\)"),
        ({"num_perm": 1 << 20}, ValueError, "num_perm is 1048576; it must be from 16"),
        ({"num_perm": 128.0}, TypeError, "num_perm must be an integer, not float"),
        ({"within": "page"}, ValueError, "within is 'page'; it must be one of 'all', 'parent'"),
        ({"linkage": "ring"}, ValueError, "linkage is 'ring'; it must be one of 'chain', 'star'"),
        ({"shingle": "char"}, ValueError, "shingle is 'char'; it must be 'word', or an integer n for runs"),
        ({"shingle": 0}, ValueError, "shingle is 0; runs of tokens have from 1 to 2,147,483,648 tokens"),
        ({"shingle": True}, TypeError, "shingle must be an integer, not bool"),
        ({"tokenizer": "words"}, TypeError, "tokenizer must be callable or None, not str"),
        ({"verify": 1}, TypeError, "verify must be a bool, not int"),
    ],
)
def test_options_are_checked_before_data(options, kind, message):
    wanted = rm.InvalidArgumentError if kind is ValueError else TypeError
    for ranking in ([], hits("one")):
        assert re.search(message, refusal(wanted, rm.dedup_near, ranking, **options))


def test_scores_and_tokens_must_be_what_they_are_called():
    assert "there is no score" in refusal(rm.InvalidScoreError, rm.dedup_near, ["a"])
    bad = [("a", math.inf, None)]
    assert "position 0, id 'a': the score is inf" in refusal(rm.InvalidScoreError, rm.dedup_near, bad)
    message = refusal(TypeError, rm.dedup_near, hits("one"), tokenizer=lambda _: [1])
    assert message == "the tokens of the tokenizer[0] must be a str, not int"
    message = refusal(TypeError, rm.dedup_near, hits("one"), tokenizer=lambda text: text)
    assert message.startswith("the tokens of the tokenizer must be a list of str, not a str")
    with pytest.raises(ZeroDivisionError):
        rm.dedup_near(hits("one"), tokenizer=lambda _: 1 / 0)


def test_nothing_given_nothing_found():
    found = rm.dedup_near([])
    assert (len(found), dict(found.removed)) == (0, {})


def test_the_tokenizer_gets_composed_text_without_surrogates():
    seen = []
    rm.dedup_near(hits("cafe\u0301 \ud800"), tokenizer=lambda text: seen.append(text) or [])
    assert seen == ["café \ufffd"]
