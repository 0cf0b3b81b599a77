"""The headings of a document, and the sections between them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rankmeld.ingest.chunking import PROSE, Breaks, Span, chunk, paragraphs

__all__ = ["Heading", "Passage", "cut_by_headings", "markdown_headings", "rst_headings"]

#: A heading longer than this is a paragraph that looks like one.
_MAX_HEADING = 200

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_CLOSING_MARKS = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_SETEXT = re.compile(r" {0,3}(={3,}|-{3,})[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_NOT_PROSE = re.compile(r" {0,3}(?:[-*+>|#]|\d+[.)]\s|`{3}|~{3})| {4}|\t")
_ADORNMENT = re.compile(r"""([!-/:-@[-`{-~])\1{2,}[ \t]*""")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: where it begins, where what it heads begins, how deep it is and what it says."""

    start: int
    body: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of the text and the titles above it, outermost first."""

    span: Span
    titles: tuple[str, ...]


#: Reads a text's headings, and the spans that must stay whole where they fit (fenced code).
Outline = Callable[[str], tuple[list[Heading], list[Span]]]


def cut_by_headings(text: str, outline: Outline) -> list[Passage]:
    """Cut a text at its headings, and each section into passages.

    A heading is not part of a passage but one of its titles. A heading with nothing under it, not
    even a deeper heading, is a passage of its own.
    """
    headings, whole = outline(text)
    breaks: tuple[Breaks, ...] = (_outside(whole), *PROSE) if whole else PROSE
    first = headings[0].start if headings else len(text)
    passages = [Passage(span, ()) for span in chunk(text, 0, first, breaks=breaks)]
    above: list[Heading] = []
    for position, heading in enumerate(headings):
        following = headings[position + 1] if position + 1 < len(headings) else None
        above = [*(upper for upper in above if upper.level < heading.level), heading]
        titles = tuple(upper.title for upper in above)
        end = following.start if following else len(text)
        spans = chunk(text, heading.body, end, breaks=breaks)
        if not spans and (following is None or following.level <= heading.level):
            spans = chunk(text, heading.start, heading.body, breaks=PROSE)
        passages += [Passage(span, titles) for span in spans]
    return passages


def _outside(whole: list[Span]) -> Breaks:
    """Paragraph breaks that are not inside one of the spans."""

    def breaks(text: str, start: int, end: int) -> Iterator[int]:
        at = bisect_right(whole, start, key=_end)
        for cut in paragraphs(text, start, end):
            while at < len(whole) and whole[at][1] <= cut:
                at += 1
            if at == len(whole) or cut <= whole[at][0]:
                yield cut

    return breaks


def _end(span: Span) -> int:
    return span[1]


def markdown_headings(text: str) -> tuple[list[Heading], list[Span]]:
    """Headings of Markdown: marked with ``#``, or underlined with ``===`` or ``---``.

    What stands between fences of backticks or tildes, or in the front matter, is no heading. The
    spans are those of the fenced blocks.
    """
    headings: list[Heading] = []
    fenced: list[Span] = []
    fence: tuple[str, int] | None = None  # the fence that is open, and where its block began
    lines = list(_lines(text))
    skip = _front_matter(text, lines)
    for number, (start, end) in enumerate(lines):
        line = text[start:end]
        if number < skip:
            continue
        opened = _FENCE.fullmatch(line)
        if fence is not None:
            closes = opened and opened[1].startswith(fence[0]) and not opened[2].strip()
            if closes:
                fenced.append((fence[1], end))
                fence = None
        elif opened and not (opened[1][0] == "`" and "`" in opened[2]):
            fence = (opened[1], start)
        elif (atx := _ATX.fullmatch(line)) and (title := _inside(atx[2])):
            headings.append(Heading(start, end, len(atx[1]), title))
        elif (ruled := _SETEXT.fullmatch(line)) and number > skip:
            above, title = _title_above(text, lines, number - 1)
            if title:
                headings.append(Heading(above, end, 1 if ruled[1][0] == "=" else 2, title))
    if fence is not None:  # never closed: it runs to the end
        fenced.append((fence[1], len(text)))
    return headings, fenced


def rst_headings(text: str) -> tuple[list[Heading], list[Span]]:
    """Headings of reStructuredText: underlined, perhaps overlined, with one punctuation mark.

    A style is as deep as the number of styles that came before it.
    """
    headings: list[Heading] = []
    styles: list[str] = []
    lines = list(_lines(text))
    for number, (start, end) in enumerate(lines):
        ruled = _ADORNMENT.fullmatch(text[start:end])
        if ruled is None or number == 0:
            continue
        rule = text[start:end].rstrip()
        above, stop = lines[number - 1]
        line = text[above:stop].rstrip()
        before = _line(text, lines, number - 2)
        overlined = before.rstrip() == rule
        fits = 0 < len(line.strip()) <= min(len(rule), _MAX_HEADING)
        if not fits or _ADORNMENT.fullmatch(line) or (before.strip() and not overlined):
            continue
        if line[0].isspace() and not overlined:  # quoted in an indented block
            continue
        style = ruled[1] * (2 if overlined else 1)
        if style not in styles:
            styles.append(style)
        begin = lines[number - 2][0] if overlined else above
        headings.append(Heading(begin, end, styles.index(style) + 1, line.strip()))
    return headings, []


def _lines(text: str) -> Iterator[Span]:
    """Spans of the lines, without their ends."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1
    if start < len(text):
        yield start, len(text)


def _line(text: str, lines: list[Span], number: int) -> str:
    return text[slice(*lines[number])] if number >= 0 else ""


def _front_matter(text: str, lines: list[Span]) -> int:
    """How many lines at the top are settings between two lines of ``---``."""
    if _line(text, lines, 0 if lines else -1).rstrip() != "---":
        return 0
    for number in range(1, len(lines)):
        if _line(text, lines, number).rstrip() in ("---", "..."):
            return number + 1
    return 0


def _inside(title: str) -> str:
    """A title without the marks that may close it; empty where it is none."""
    title = title.strip()
    return _CLOSING_MARKS.sub("", title) if len(title) <= _MAX_HEADING else ""


def _title_above(text: str, lines: list[Span], number: int) -> tuple[int, str]:
    """The one line of prose over an underline; an empty title where there is none.

    Markdown would take a whole paragraph; here more than one line is a paragraph and a rule.
    """
    line = _line(text, lines, number)
    alone = not _line(text, lines, number - 1).strip()
    title = line.strip()
    if not alone or _NOT_PROSE.match(line) or len(title) > _MAX_HEADING:
        return 0, ""
    return lines[number][0], title
