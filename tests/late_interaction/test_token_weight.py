"""`token_weight` against the oracle, and its stop words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.late_interaction import STOP_WORDS
from reference.late_interaction import token_weight as oracle
from support.refusals import refusal

tokens = st.one_of(
    st.sampled_from(sorted(STOP_WORDS)),
    st.text(st.sampled_from("abcxyz019_é字あขຂ"), max_size=10),
    st.lists(st.sampled_from(["e\u0301", "ー", "々", "ท", "\u0e48", "\u0663", "\uff13", "\ud800"])).map(
        "".join
    ),
)


@given(tokens)
def test_equals_the_oracle(token):
    assert rm.token_weight(token) == oracle(token)


@given(tokens, st.sets(tokens, max_size=5))
def test_equals_the_oracle_with_own_stop_words(token, words):
    for given_words in (words, list(words), tuple(words), frozenset(words), iter(words)):
        assert rm.token_weight(token, stop_words=given_words) == oracle(token, words)


def test_the_stop_words_are_a_constant_that_nobody_can_change():
    assert rm.STOP_WORDS == STOP_WORDS
    assert type(rm.STOP_WORDS) is frozenset


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_stop_words_are_composed_like_tokens(form):
    word = unicodedata.normalize(form, "après")
    assert rm.token_weight("après", stop_words={word}) == 0.35
    assert rm.token_weight(unicodedata.normalize("NFD", "après"), stop_words={word}) == 0.35


def test_tokens_are_taken_as_they_are():
    assert rm.token_weight("The") == 1.0
    assert rm.token_weight("naïveté") == 1.0  # seven characters, nine bytes


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"token": 3}, "token must be a str, not int"),
        (
            {"token": "a", "stop_words": "the"},
            "stop_words must be a list of str, not a str; to pass one text alone, write [text]",
        ),
        ({"token": "a", "stop_words": [1]}, "stop_words[0] must be a str, not int"),
        ({"token": "a", "stop_words": 5}, "stop_words must be a list of str, not int"),
    ],
)
def test_what_has_no_weight_is_refused(args, message):
    assert refusal(TypeError, rm.token_weight, **args) == message
