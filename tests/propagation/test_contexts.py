"""`in_context` and `is_question`: against the oracle, and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.context import in_context as oracle

texts = st.lists(st.sampled_from(["", "a", "bb", "c d", "é"]), max_size=9)


@given(
    texts.flatmap(
        lambda found: st.tuples(
            st.just(found),
            st.one_of(
                st.none(), st.lists(st.sampled_from(["x", 1, None]), min_size=len(found), max_size=len(found))
            ),
        )
    ),
    st.integers(0, 4),
    st.integers(0, 4),
    st.sampled_from([" ", "\n", ""]),
)
def test_equals_the_oracle(given_texts, before, after, separator):
    found, groups = given_texts
    options = {"groups": groups, "before": before, "after": after, "separator": separator}
    assert rm.in_context(found, **options) == oracle(found, **options)


def test_two_on_either_side_unless_told():
    assert rm.in_context(list("abcdef"))[2] == "a b c d e"
    assert rm.in_context(list("abcdef"))[0] == "a b c"


def test_groups_may_be_mixed():
    assert rm.in_context(list("abcd"), groups=[1, 2, 1, 2], separator="") == ["ac", "bd", "ac", "bd"]


def test_any_iterable_and_nothing_at_all():
    assert rm.in_context(iter(["a", "b"]), groups=iter([1, 2])) == ["a", "b"]
    assert rm.in_context([]) == []


def test_the_texts_that_came_stay_as_they_are():
    texts = ["a", "b"]
    rm.in_context(texts)
    assert texts == ["a", "b"]


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (TypeError, r"texts\[1\] must be a str, not int", lambda: rm.in_context(["a", 1])),
        (TypeError, "pass document.passage", lambda: rm.in_context([rm.Document("a")])),
        (TypeError, "texts must be a list of str, not a str", lambda: rm.in_context("abc")),
        (TypeError, "texts must be a list of texts, not a dict", lambda: rm.in_context({"a": "b"})),
        (TypeError, "separator must be a str, not NoneType", lambda: rm.in_context([], separator=None)),
        (TypeError, "before must be an integer, not float", lambda: rm.in_context([], before=1.0)),
        (rm.InvalidArgumentError, "after is -1; it must be 0 or more", lambda: rm.in_context([], after=-1)),
        (
            rm.InvalidArgumentError,
            "groups has 1 entries and texts has 2; there must be a group for each text",
            lambda: rm.in_context(["a", "b"], groups=[1]),
        ),
        (TypeError, "groups must be a list of groups", lambda: rm.in_context(["a"], groups="a")),
        (TypeError, "the order of a set is not defined", lambda: rm.in_context(["a"], groups={1})),
        (
            TypeError,
            r"groups\[0\] is a list, which cannot be hashed",
            lambda: rm.in_context(["a"], groups=[[]]),
        ),
        (TypeError, "text must be a str, not bytes", lambda: rm.is_question(b"?")),
    ],
)
def test_refusals(error, text, call):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize(
    "text",
    [
        "And you?",
        "Really?!",
        "You did what?...",
        "I went. And you?  ",
        'He asked "why?"',
        "Did you see it? [photo of a dog]",
        "What's new, Anna? :)",
        "去哪儿？",
        "متى؟",
        "Ի՞նչ",
        "?",
    ],
)
def test_a_question(text):
    assert rm.is_question(text)


@pytest.mark.parametrize(
    "text", ["", "Yes.", "Why? I forgot.", "Who knows? Not me!", "知道吗？不知道。", "Wait...", "no mark"]
)
def test_no_question(text):
    assert not rm.is_question(text)


@pytest.mark.timeout(20)
def test_long_texts_take_no_longer_than_their_length():
    assert not rm.is_question("?" * 1_000_000 + "." + "a." * 1_000_000)
    assert rm.is_question("a? " * 1_000_000)
