"""What a language model says, without what it wraps around it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld._model_text import AnswerError, complaint, model_text
from rankmeld.errors import RemoteError
from reference.hyde import said

PARTS = (
    "<think>",
    "</think>",
    "<THINK>",
    "```",
    "```text",
    "````",
    "~~~",
    "\n",
    " ",
    "one",
    "two.",
    "`",
    "é",
)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("", ""),
        ("  plain \n", "plain"),
        ("cut off \ud83d", "cut off \ufffd"),
        ("<think>a</think>b", "b"),
        ("<think>a</think>\n\nb <think>c\nd</think>e", "b e"),
        ("<Think>a</THINK>b", "b"),
        ("<think>never closed", ""),
        ("said <think>never closed", "said"),
        ("opened by the prompt</think>b", "b"),
        ("opened by the prompt <think>a</think> b</think>c", "c"),
        ("<think>a <think>b</think> c</think>d", "d"),
        ("<think></think>", ""),
        ("```\nb\n```", "b"),
        ("```python\nb\nc\n```", "b\nc"),
        ("~~~\nb\n~~~", "b"),
        ("<think>a</think>```\nb\n```\n", "b"),
        ("```\n```", ""),
        ("```", "```"),
        ("```b```", "```b```"),
        ("```\nb", "```\nb"),
        ("a\n```\nb\n```", "a\n```\nb\n```"),
        ("```\na\n```\nb\n```\nc\n```", "```\na\n```\nb\n```\nc\n```"),
        ("````\n```\na\n```\n````", "```\na\n```"),
        ("<thinking>stays</thinking>", "<thinking>stays</thinking>"),
        ("Sure! Here is a passage:\nb", "Sure! Here is a passage:\nb"),
    ],
)
def test_reasoning_and_fences_go_and_nothing_else(answer, text):
    assert model_text(answer) == said(answer) == text


@given(st.lists(st.sampled_from(PARTS)).map("".join))
def test_it_is_what_the_definition_says(answer):
    assert model_text(answer) == said(answer)


@given(st.text())
def test_any_text_is_an_answer(answer):
    assert model_text(answer) in answer or "<" in answer


@pytest.mark.parametrize("answer", ["<think>" * 200_000, "</think>" * 200_000, "```\n" * 200_000])
def test_long_answers_take_linear_time(answer):
    started = time.process_time()
    model_text(answer)
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize(("answer", "kind"), [(None, "NoneType"), (b"x", "bytes"), (3, "int")])
def test_what_is_no_text_is_no_answer(answer, kind):
    with pytest.raises(AnswerError, match=f"^{kind}, not a str$"):
        model_text(answer)


def test_messages_of_others_are_not_repeated():
    assert complaint(ValueError("key SECRET-9f2c")) == "ValueError"
    assert complaint(RemoteError("the server answered with status 500", 500)) == (
        "RemoteError: the server answered with status 500"
    )
