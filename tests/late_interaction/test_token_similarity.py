"""`token_similarity` against the oracle, and its rules by hand."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.late_interaction import token_similarity as oracle
from support.refusals import refusal

#: Few characters of every width, so that tokens meet; a decomposed pair, half a surrogate pair.
LETTERS = ["a", "b", "c", "é", "e\u0301", "字", "🙂", "\u200d", "_", "1", "\ud83d", "\ufffd", "\0", "ß"]
tokens = st.lists(st.sampled_from(LETTERS), max_size=8).map("".join)


@given(st.one_of(tokens, st.text(max_size=6)), st.one_of(tokens, st.text(max_size=6)))
def test_equals_the_oracle(a, b):
    assert rm.token_similarity(a, b) == oracle(a, b)


@given(tokens, tokens)
def test_is_symmetric_and_within_bounds(a, b):
    similarity = rm.token_similarity(a, b)
    assert similarity == rm.token_similarity(b, a)
    assert 0.0 <= similarity <= 1.0
    assert type(similarity) is float


@given(tokens)
def test_a_token_is_like_itself(token):
    assert rm.token_similarity(token, token) == 1.0


@given(st.text("abc", max_size=4), st.text("abc", min_size=1, max_size=4), st.text("abc", max_size=4))
def test_a_part_is_the_ratio_of_lengths(before, part, after):
    whole = before + part + after
    assert rm.token_similarity(part, whole) == len(part) / len(whole)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("", "", 1.0),
        ("", "a", 0.0),
        ("cafe\u0301", "caf\u00e9", 1.0),
        ("\ud800", "\ufffd", 1.0),
        ("\ud83d\ude42", "🙂", 0.0),  # two halves that Python keeps apart are two characters
        ("A", "a", 0.0),
        ("aaaa", "aa", 0.5),
        ("🙂🙂", "🙂", 0.5),
    ],
)
def test_by_hand(a, b, expected):
    assert rm.token_similarity(a, b) == expected


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (b"a", "a", "a must be a str, not bytes"),
        ("a", None, "b must be a str, not NoneType"),
        ("a", ["a"], "b must be a str, not list"),
    ],
)
def test_what_is_no_token_is_refused(a, b, message):
    assert refusal(TypeError, rm.token_similarity, a, b) == message


def test_tokens_of_ten_megabytes_are_compared_in_linear_time():
    long = "ab" * 5_000_000
    start = time.process_time()
    assert rm.token_similarity(long, long[1:]) == (len(long) - 1) / len(long)
    assert rm.token_similarity(long + "c", long[:-1] + "d") == 2 * 2 / (3 + 3)
    assert time.process_time() - start < 10.0
