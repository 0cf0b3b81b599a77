"""C271: texts that are strange or long come in whole, wherever a text is read."""

from __future__ import annotations

import time

import pytest

import rankmeld as rm
from rankmeld.text import sentences

READERS = {
    "tokenize": rm.tokenize,
    "bm25_tokenize": rm.bm25_tokenize,
    "light_stem": rm.light_stem,
    "sentences": sentences,
}


@pytest.mark.parametrize("reader", READERS)
def test_c271_a_lone_surrogate_is_read_as_the_replacement_character(reader):
    read = READERS[reader]
    for surrogate in ("\ud800", "\udbff", "\udc00", "\udfff", "\udc00\ud800"):
        broken = f"ab{surrogate}cd. ef"
        assert read(broken) == read(broken.replace(surrogate, "\ufffd" * len(surrogate)))


def test_c271_two_halves_that_came_apart_are_not_one_character():
    assert sentences("\ud83d" + "\ude42") == ["\ufffd\ufffd"]


def test_c271_nul_and_the_replacement_character_are_ordinary():
    for c in "\0\ufffd":
        assert rm.tokenize(f"ab{c}cd") == rm.bm25_tokenize(f"ab{c}cd") == ["ab", "cd"]
        assert sentences(f"a{c}b.{c} c") == [f"a{c}b.{c} c"]
        assert rm.light_stem(f"word{c}s") == f"word{c}"


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("character", ["a", "漢", "\0", "é"])
def test_c271_ten_megabytes_take_linear_time(reader, character):
    read = READERS[reader]
    text = character * 10_000_000 if character == "a" else character * 1_000_000

    def seconds(text: str) -> float:
        start = time.process_time()
        read(text)
        return time.process_time() - start

    tenth = text[: len(text) // 10]
    assert seconds(text) < 40 * min(seconds(tenth) for _ in range(3)) + 0.05
