"""The part of a text that answers a query best, with the query's words marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rankmeld.cli.console import one_line

__all__ = ["Snippet", "make_snippet", "query_words"]

# Underscores part words, as they do in the full-text index.
_WORD = re.compile(r"[^\W_]+")
# Marking "the" in every line hides the words that matter.
_FUNCTION_WORDS = frozenset(
    _WORD.findall(
        "a an and are as at be by can could do does did for from has have how i if in into is it its my not"
        " of on or should so than that the their then there these they this to was we were what when where"
        " which who why will with would you your"
    )
)
_ENDINGS = ("ings", "ing", "ied", "ies", "edly", "ed", "es", "s", "ly", "e")


class Snippet(NamedTuple):
    """A cut of a text on one line, and where the query's words stand in it (half-open character ranges)."""

    text: str
    marks: tuple[tuple[int, int], ...]


def _stem(word: str) -> str:
    """A crude stem, enough to mark "indexes" and "indexing" for "index"; it decides no ranking."""
    word = word.casefold()
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 3:
            if ending in {"ied", "ies"}:
                return stem + "y"
            if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiouls":
                return stem[:-1]  # "planning", "plan"
            return stem
    return word


def query_words(query: str) -> frozenset[str]:
    """The stems worth marking: the query's words but function words, unless it has no others."""
    words = [word.casefold() for word in _WORD.findall(one_line(query))]
    telling = [word for word in words if word not in _FUNCTION_WORDS]
    return frozenset(_stem(word) for word in telling or words)


def make_snippet(text: str, words: frozenset[str], *, width: int = 240) -> Snippet:
    """Cut `text` to about `width` characters around the place that holds most of `words`.

    Parameters
    ----------
    text : str
        The text; white space runs become one space, terminal escapes are dropped.
    words : frozenset of str
        What `query_words` gave.
    width : int
        Characters at the most, ellipses not counted.
    """
    line = one_line(text)
    found = [m.span() for m in _WORD.finditer(line) if _stem(m.group()) in words]
    start, end = _window(line, found, width)
    head, tail = "… " if start > 0 else "", " …" if end < len(line) else ""
    shift = len(head) - start
    marks = tuple((a + shift, b + shift) for a, b in found if a >= start and b <= end)
    return Snippet(head + line[start:end] + tail, marks)


def _window(line: str, found: Sequence[tuple[int, int]], width: int) -> tuple[int, int]:
    """The range to show: most distinct words, then most words, then the earliest; ends at words."""
    if len(line) <= width:
        return 0, len(line)
    best, best_span = (0, 0), (0, 0)
    inside: Counter[str] = Counter()
    first = 0
    for last, (begin, end) in enumerate(found):
        inside[_stem(line[begin:end])] += 1
        while first < last and end - found[first][0] > width:
            gone = _stem(line[slice(*found[first])])
            inside[gone] -= 1
            inside += Counter()  # drops the zeros
            first += 1
        rank = (len(inside), last - first + 1)
        if rank > best:
            best, best_span = rank, (found[first][0], end)
    # What room is left goes before and after, a third of it before: the words are read in their sentence.
    room = max(width - (best_span[1] - best_span[0]), 0)
    start = max(best_span[0] - room // 3, 0)
    end = min(start + width, len(line))
    start = max(end - width, 0)
    if start > 0:
        space = line.find(" ", start - 1, max(best_span[0], start))
        start = space + 1 if space >= 0 else start
    if end < len(line):
        space = line.rfind(" ", best_span[1], end + 1)
        end = space if space > start else end
    return start, end
