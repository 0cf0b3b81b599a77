"""Cutting a text to the part that answers, and marking the words."""

from __future__ import annotations

import pytest

pytest.importorskip("rich", reason="rich is not installed (extra cli)")

from rankmeld.cli.snippets import make_snippet, query_words


def marked(text: str, query: str, width: int = 240) -> list[str]:
    snippet = make_snippet(text, query_words(query), width=width)
    return [snippet.text[start:end] for start, end in snippet.marks]


def test_words_are_marked_in_any_case_and_form():
    text = "Indexes help. INDEXING costs; an index was planned by the planner's plan. Queries!"
    assert marked(text, "index plan query") == ["Indexes", "INDEXING", "index", "planned", "plan", "Queries"]


def test_an_underscore_parts_words():
    assert marked("the user_logged_in signal", "logged users") == ["user", "logged"]


def test_function_words_are_marked_only_where_there_are_no_others():
    assert marked("to be or not to be, that is the question", "what is the question") == ["question"]
    assert marked("to be or not", "to be") == ["to", "be"]


def test_the_window_holds_most_distinct_words():
    text = "alpha " * 100 + "here alpha meets beta at last " + "gamma " * 100
    snippet = make_snippet(text, query_words("alpha beta"), width=60)
    assert "alpha meets beta" in snippet.text
    assert snippet.text.startswith("… ")
    assert snippet.text.endswith(" …")
    assert len(snippet.text) <= 64


@pytest.mark.parametrize("width", [10, 20, 33, 50, 80, 1000])
@pytest.mark.parametrize(
    "text", ["", "x", "word " * 50, "x" * 500, "日本語のテキスト" * 30, "a " * 30 + "target" + " b" * 30]
)
def test_any_text_and_width_stays_within_bounds(text, width):
    snippet = make_snippet(text, query_words("target word"), width=width)
    assert len(snippet.text) <= width + 4
    assert all(0 <= start < end <= len(snippet.text) for start, end in snippet.marks)


def test_a_word_is_not_cut():
    snippet = make_snippet("one two three four five six seven eight nine ten", query_words("five"), width=20)
    assert set(snippet.text.replace("…", "").split()) <= {"two", "three", "four", "five", "six", "seven"}
    assert "five" in snippet.text


def test_line_breaks_and_escapes_do_not_get_through():
    snippet = make_snippet("red \x1b[31mtext\x1b[0m\nnext\tline", query_words("next"))
    assert snippet.text == "red text next line"
