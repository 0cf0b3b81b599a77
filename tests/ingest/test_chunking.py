"""Nothing is lost, order is kept, sizes are bounded, and cuts are where a reader would cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld.ingest.chunking import CODE, MAX_CHARS, PROSE, chunk

TEXTS = st.text(alphabet=st.sampled_from("ab .!\n\t\u3000。\"'#`é"), max_size=300)
BREAKS = st.sampled_from([PROSE, CODE])


def cut(text, *, breaks=PROSE, limit=MAX_CHARS):
    return [text[a:b] for a, b in chunk(text, 0, len(text), breaks=breaks, limit=limit)]


def solid(text):
    """What is not white space."""
    return "".join(text.split())


@given(TEXTS | st.text(max_size=200), BREAKS, st.integers(1, 40))
def test_nothing_but_white_space_is_lost(text, breaks, limit):
    assert solid("".join(cut(text, breaks=breaks, limit=limit))) == solid(text)


@given(TEXTS, BREAKS, st.integers(1, 40))
def test_spans_are_in_order_bounded_and_not_blank(text, breaks, limit):
    spans = chunk(text, 0, len(text), breaks=breaks, limit=limit)
    before = 0
    for start, end in spans:
        assert before <= start < end <= len(text)
        assert end - start <= limit
        assert text[start:end].strip()
        assert text[start:end] == text[start:end].rstrip()
        before = end


@given(TEXTS, BREAKS, st.integers(1, 40))
def test_neighbours_that_fit_together_are_together(text, breaks, limit):
    spans = chunk(text, 0, len(text), breaks=breaks, limit=limit)
    for (start, _), (_, end) in pairwise(spans):
        assert end - start > limit


@given(TEXTS, BREAKS, st.integers(1, 40))
def test_words_that_fit_are_never_cut(text, breaks, limit):
    spans = chunk(text, 0, len(text), breaks=breaks, limit=limit)
    for (_, end), (start, _) in pairwise(spans):
        if end == start and text[end - 1] != "。":
            first = max(text.rfind(space, 0, end) for space in " \n\t\u3000") + 1
            rest = text[first:].split()[0]
            assert len(rest) > limit


@given(TEXTS, st.integers(0, 300), st.integers(0, 300), BREAKS)
def test_spans_stay_inside_the_given_one(text, a, b, breaks):
    start, end = sorted((min(a, len(text)), min(b, len(text))))
    spans = chunk(text, start, end, breaks=breaks, limit=7)
    assert solid("".join(text[a:b] for a, b in spans)) == solid(text[start:end])


def test_short_text_is_one_passage():
    assert cut("\n \n  one\n\ntwo  ") == ["  one\n\ntwo"]
    assert cut("") == []
    assert cut(" \n\t ") == []


def test_paragraphs_are_joined_up_to_the_limit():
    paragraphs = [letter * 40 for letter in "abcde"]
    assert cut("\n\n".join(paragraphs), limit=85) == [
        "\n\n".join(paragraphs[:2]),
        "\n\n".join(paragraphs[2:4]),
        paragraphs[4],
    ]


def test_long_paragraph_is_cut_after_sentences():
    text = 'He said "stop!" Then he left. Was it 3.14 or main.go? Nobody knows.'
    assert cut(text, limit=30) == [
        'He said "stop!" Then he left.',
        "Was it 3.14 or main.go?",
        "Nobody knows.",
    ]


def test_sentences_without_spaces_between_are_cut_too():
    assert cut("天気がいい。散歩する。楽しい。", limit=11) == ["天気がいい。散歩する。", "楽しい。"]


def test_long_sentence_is_cut_at_lines_then_words_then_anywhere():
    assert cut("one two\nthree four\nfive", limit=10) == ["one two", "three four", "five"]
    assert cut("one two three", limit=8) == ["one two", "three"]
    assert cut("abcdefgh ij", limit=3) == ["abc", "def", "gh", "ij"]


def test_code_is_cut_between_definitions():
    text = "import a\n\n\ndef f():\n    b = 1\n\n    return b\n\n\ndef g():\n    pass\n"
    assert cut(text, breaks=CODE, limit=40) == [
        "import a",
        "def f():\n    b = 1\n\n    return b",
        "def g():\n    pass",
    ]


def test_code_keeps_the_indentation_of_a_first_line():
    text = "class A:\n    a = 1\n\n    def f(self):\n        pass\n"
    assert cut(text, breaks=CODE, limit=35) == [
        "class A:\n    a = 1",
        "    def f(self):\n        pass",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "word " * 200_000,
        " " * 1_000_000 + "x",
        "\n" * 1_000_000 + "x",
        "a\n\n" * 300_000,
        ".'" * 500_000,
    ],
    ids=["letters", "words", "spaces", "lines", "paragraphs", "closers"],
)
@pytest.mark.timeout(20)
def test_cost_is_linear(text):
    for breaks in (PROSE, CODE):
        passages = cut(text, breaks=breaks)
        assert all(len(passage) <= MAX_CHARS for passage in passages)
        assert sum(map(len, map(solid, passages))) == len(solid(text))
