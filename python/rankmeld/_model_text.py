"""What a language model says, without what it wraps around it."""

from __future__ import annotations

import re
from typing import Any

from rankmeld.errors import RankmeldError

__all__ = ["AnswerError", "complaint", "model_text"]

#: Models that reason aloud do it between these.
_REASONING = re.compile(r"<(/?)think>", re.IGNORECASE)
#: Half of a character: an answer may be cut off in the middle of an escaped one.
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
#: A line that opens a code block: three marks or more and perhaps the name of a language.
_FENCE = re.compile(r"(`{3,}|~{3,})[^`]*")


class AnswerError(Exception):
    """A model answered with something else than text; the message says with what."""


def model_text(answer: Any) -> str:
    r"""The text of an answer: without reasoning, without a code fence around it all, trimmed.

    Reasoning that is not closed takes all that follows with it, and reasoning that was opened by the
    prompt all that stands before its end. Lone surrogates, which no embedder and no file takes, are read as
    U+FFFD. Nothing else is changed.

    Raises
    ------
    AnswerError
        It is no text.

    Examples
    --------
    >>> model_text("<think>The year?</think>\n```text\nOpened in 1931.\n```\n")
    'Opened in 1931.'
    """
    if not isinstance(answer, str):
        raise AnswerError(f"{type(answer).__name__}, not a str")
    return _LONE_SURROGATES.sub("\ufffd", _unfenced(_spoken(answer).strip()))


def _spoken(text: str) -> str:
    """What is not reasoning, in one pass."""
    kept: list[str] = []
    start, reasoning = 0, False
    for tag in _REASONING.finditer(text):
        if tag[1]:
            if not reasoning:
                kept.clear()
            start, reasoning = tag.end(), False
        elif not reasoning:
            kept.append(text[start : tag.start()])
            reasoning = True
    if not reasoning:
        kept.append(text[start:])
    return "".join(kept)


def _unfenced(text: str) -> str:
    """The inside of a text that is one code block from its first line to its last."""
    lines = text.split("\n")
    opening = _FENCE.fullmatch(lines[0])
    if len(lines) < 2 or opening is None or lines[-1].strip() != opening[1]:
        return text
    inside = lines[1:-1]
    if any(line.lstrip().startswith(opening[1]) for line in inside):
        return text  # several blocks, or one within another
    return "\n".join(inside).strip()


def complaint(error: BaseException) -> str:
    """What went wrong in somebody else's code, fit for a log.

    Messages of others may repeat a prompt or a key, so only those of our own are shown.
    """
    kind = type(error).__name__
    return f"{kind}: {error}" if isinstance(error, RankmeldError) else kind
