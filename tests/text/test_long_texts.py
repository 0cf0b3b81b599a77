"""Texts of many megabytes: no surprise in time, and Ctrl-C stops them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import rankmeld as rm
from rankmeld.text import clean_text, fold_text, sentences
from support.interrupts import assert_a_signal_stops

FUNCTIONS: dict[str, Callable[[str], Any]] = {
    "tokenize": rm.tokenize,
    "bm25_tokenize": rm.bm25_tokenize,
    "bm25_tokenize in French": lambda text: rm.bm25_tokenize(text, stemmer="french"),
    "light_stem": rm.light_stem,
    "sentences": sentences,
    "clean_text": clean_text,
    "fold_text": fold_text,
    "refine_query": rm.refine_query,
    "expand_synonyms": rm.expand_synonyms,
}
PATTERNS = {
    "one letter": "a",
    "one capital": "É",
    "one ideograph": "漢",
    "words": "ab ",
    "sentences": "a. ",
    "marks": "\u0301",
    "marks out of order": "a\u0315\u0300",
    "joiners": "\u200d",
    "sigmas": "ΑΣ\u0301\u200d",
    "jamo": "\u1100\u1161\u11a8",
    "ligatures": "ﬁ",
    "letters and digits": "é1",
    "vowels": "auu",
    "plurals": "ies",
    "underscores": "_",
}


def seconds(call: Callable[[str], Any], text: str) -> float:
    start = time.process_time()
    call(text)
    return time.process_time() - start


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_time_is_linear(function, pattern):
    call = FUNCTIONS[function]
    short, long = PATTERNS[pattern] * 50_000, PATTERNS[pattern] * 500_000
    least = min(seconds(call, short) for _ in range(3))
    # Ten times the text: a hundred times the time if something were quadratic.
    # The least of two: another process may take the processor for a while.
    assert min(seconds(call, long) for _ in range(2)) < 40 * least + 0.05


@pytest.mark.parametrize(
    ("function", "pattern", "count"),
    [
        ("tokenize", "ab ", 4_000_000),
        ("tokenize", "é", 20_000_000),
        ("tokenize", "漢", 3_000_000),
        ("tokenize", "É", 5_000_000),
        ("bm25_tokenize", "queries ", 4_000_000),
        ("bm25_tokenize", "ﬁ", 5_000_000),
        ("bm25_tokenize in French", "continuellement ", 1_000_000),
        ("sentences", "a. ", 4_000_000),
        ("sentences", "漢", 40_000_000),
    ],
)
def test_a_signal_stops_it(function, pattern, count):
    text = pattern * count
    text.encode()  # the interpreter keeps what it made of it
    assert_a_signal_stops(lambda: FUNCTIONS[function](text))
