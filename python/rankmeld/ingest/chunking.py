"""Cutting a text into passages that are long enough to say something and short enough to rank.

Everything here works on spans of the original text: a passage is what stands between two
positions, so that nothing but white space can get lost between neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

__all__ = ["CODE", "MAX_CHARS", "PROSE", "Breaks", "Span", "chunk", "paragraphs"]

#: The longest passage. About 250 word pieces, which is what small embedding models read.
MAX_CHARS = 1200

#: Where a passage begins and ends.
Span = tuple[int, int]

#: Finds the positions inside a span at which it may be cut.
Breaks = Callable[[str, int, int], Iterator[int]]

_SENTENCE_END = re.compile(r"""[.!?;]["'”’»)\]]*(?=\s)|[。！？；]""")  # noqa: RUF001 - CJK marks are meant
_LINE_END = re.compile(r"\n")
_SPACE = re.compile(r"\s")


def chunk(
    text: str,
    start: int,
    end: int,
    *,
    breaks: Sequence[Breaks],
    limit: int = MAX_CHARS,
) -> list[Span]:
    """Cut a span into passages of at most `limit` characters.

    It is cut where the first of the `breaks` allows; a part that is still too long is cut by the
    next one, at last in the middle of a word. Neighbours are then joined as long as they fit.

    Parameters
    ----------
    text : str
        The whole text.
    start, end : int
        The span in it.
    breaks : sequence of Breaks
        From the best place for a cut to the worst.
    limit : int, default 1200
        Most characters of a passage, 1 or more.

    Returns
    -------
    list of (int, int)
        Spans in the order of the text, without white space around them and without blank ones.
        Time is linear in the text, times the number of breaks.

    Examples
    --------
    >>> text = "One two. Three four."
    >>> [text[a:b] for a, b in chunk(text, 0, 20, breaks=PROSE, limit=12)]
    ['One two.', 'Three four.']
    """
    start, end = _trim(text, start, end)
    if end - start <= limit:
        return [(start, end)] if start < end else []
    if not breaks:
        cuts = list(range(start + limit, end, limit))
    else:
        cuts = [cut for cut in breaks[0](text, start, end) if start < cut < end]
    parts: list[Span] = []
    for left, right in zip([start, *cuts], [*cuts, end], strict=True):
        parts += chunk(text, left, right, breaks=breaks[1:], limit=limit)
    return _join(parts, limit)


def _join(parts: list[Span], limit: int) -> list[Span]:
    joined: list[Span] = []
    for left, right in parts:
        if joined and right - joined[-1][0] <= limit:
            joined[-1] = (joined[-1][0], right)
        else:
            joined.append((left, right))
    return joined


def _trim(text: str, start: int, end: int) -> Span:
    """Leave out white space around a span, but not the indentation of its first line."""
    inner = text[start:end]
    first = start + len(inner) - len(inner.lstrip())
    line = text.rfind("\n", start, first) + 1
    if line == 0:  # the span begins inside this line, perhaps after a sentence
        line = start if start == 0 or text[start - 1] == "\n" else first
    return line, max(line, start + len(inner.rstrip()))


def paragraphs(text: str, start: int, end: int) -> Iterator[int]:
    """Beginnings of lines that follow a blank line."""
    for line, blank_before in _lines(text, start, end):
        if blank_before:
            yield line


def _top_level(text: str, start: int, end: int) -> Iterator[int]:
    """Beginnings of lines that follow a blank line and are not indented: a new definition."""
    for line, blank_before in _lines(text, start, end):
        if blank_before and not text[line].isspace():
            yield line


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, bool]]:
    """Beginnings of the lines after the first, and whether the line before each is blank."""
    line = start
    while (stop := text.find("\n", line, end - 1)) >= 0:
        blank = not text[line:stop].strip()
        line = stop + 1
        yield line, blank


def _after(pattern: re.Pattern[str]) -> Breaks:
    def ends(text: str, start: int, end: int) -> Iterator[int]:
        return (match.end() for match in pattern.finditer(text, start, end))

    return ends


#: Prose: between paragraphs, else sentences, else lines, else words.
PROSE: tuple[Breaks, ...] = (
    paragraphs,
    _after(_SENTENCE_END),
    _after(_LINE_END),
    _after(_SPACE),
)

#: Code: between definitions, else at blank lines, else lines, else words.
CODE: tuple[Breaks, ...] = (_top_level, paragraphs, _after(_LINE_END), _after(_SPACE))
