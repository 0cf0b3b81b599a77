"""`relevance_filter` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from engine.memories import hit
from reference.retrieval import relevant

NO_SCORE = "ranking, position 0, id 'a': there is no score (None or NaN); every hit needs a finite score here"

TEXTS = st.text("aBé_- 12\u0301\u200dßÄ検索文書ひらがなカタシステムズーกรุงเ่ท\ud800", max_size=24)
HITS = st.lists(
    st.tuples(
        st.sampled_from("abcdef"),
        st.sampled_from([-1.0, 0.0, 0.3, 0.69, 0.7, 1.0]),
        st.one_of(st.none(), st.builds(rm.Document, st.just("d"), TEXTS, title=TEXTS)),
    ),
    max_size=8,
)


@given(TEXTS, HITS, st.sampled_from([None, 0.0, 0.5, 1.1, -2.0]))
def test_equals_the_oracle(message, hits, threshold):
    options = {} if threshold is None else {"threshold": threshold}
    found = rm.relevance_filter(message, hits, **options)
    assert list(found) == [rm.Hit(*one) for one in relevant(message, hits, **options)]


@pytest.mark.parametrize(
    ("message", "text", "word"),
    [
        ("Where is the house?", "HOUSE-boat", "house"),
        ("house", "greenhouse", None),
        ("house", "houses", None),
        ("house", "a_house", None),
        ("the old cat sat", "the old cat sat", None),
        ("this", "This one", "this"),
        ("nai\u0308ve", "NA\u00cfVE", "na\u00efve"),
        ("検索 engine", "文書を検索する", "検索"),
        ("検索", "検 索", None),
        ("検", "検", None),
        ("違う話", "全然違う", None),
        ("システム", "検索システム", "システム"),
        ("しています", "検索しています", None),
        ("กรุงเทพ", "ไปกรุงเทพ", "กรุงเ"),
        ("user_id 12345", "12345", "12345"),
        ("Привет, мир", "привет всем", "привет"),
        ("house \ud800", "\ud800 house", "house"),
        ("한국어로", "한국어로 말하기", "한국어로"),
    ],
)
def test_what_counts_as_a_word(message, text, word):
    found = rm.relevance_filter(message, [hit("a", 0.1, text)])
    assert (found.explain("a").stages[0].details["word"] if len(found) else None) == word


def test_the_order_and_the_scores_stay_whatever_they_are():
    hits = [hit("a", 0.1, "house"), hit("b", 0.9), hit("c", -3.0, "house"), ("d", 0.7), ("e", 0.69)]
    found = rm.relevance_filter("house", hits)
    assert [(one.id, one.score) for one in found] == [("a", 0.1), ("b", 0.9), ("c", -3.0), ("d", 0.7)]
    details = found.explain("d").stages[0].details
    assert details == {"position_before": 3, "score": 0.7, "threshold": 0.7, "word": None}


def test_few_hits_are_filtered_too_and_none_are_none():
    assert rm.relevance_filter("house", [hit("a", 0.1, "garden")]).ids == []
    assert rm.relevance_filter("house", []).ids == []
    assert rm.RELEVANCE_THRESHOLD == 0.7


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: rm.relevance_filter(1, []), TypeError, "message must be a str, not int"),
        (
            lambda: rm.relevance_filter("m", [], threshold=float("nan")),
            rm.InvalidArgumentError,
            "threshold is nan; it must be finite",
        ),
        (
            lambda: rm.relevance_filter("m", [], threshold="1"),
            TypeError,
            "threshold must be a number, not str",
        ),
        (
            lambda: rm.relevance_filter("m", [("a", float("nan"))]),
            rm.InvalidScoreError,
            NO_SCORE,
        ),
        (
            lambda: rm.relevance_filter("m", ["a"]),
            rm.InvalidScoreError,
            NO_SCORE,
        ),
    ],
)
def test_refusals(call, kind, message):
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == message


def test_twenty_candidates_of_2000_characters_take_well_under_a_millisecond():
    hits = [hit(place, 0.1, "vector search of many words " * 72) for place in range(20)]
    message = "what did we say about the budget of the garden house"

    def seconds():
        started = time.process_time()
        assert len(rm.relevance_filter(message, hits)) == 0
        return time.process_time() - started

    assert min(seconds() for _ in range(20)) < 1e-3


def test_time_is_linear_in_the_message_and_in_the_texts():
    def seconds(size):
        message, text = "word " * size + "検" * size, "語" * size + " other" * size

        def once():
            started = time.process_time()
            rm.relevance_filter(message, [hit("a", 0.1, text)])
            return time.process_time() - started

        return min(once() for _ in range(5))

    assert seconds(64_000) < 40 * max(seconds(4_000), 2e-4)
