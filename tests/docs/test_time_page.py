"""The tables of the guide's page on time say what the extractor does."""

from __future__ import annotations

import re
from pathlib import Path

import rankmeld as rm

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "time.md"
NOW = "2024-03-20T12:00:00"


def rows(heading: str) -> list[list[str]]:
    """The cells of the table of a section."""
    section = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines[2:]]


def test_every_phrase_gives_what_the_page_says():
    extractor = rm.RegexAnchorExtractor()
    seen = set()
    for phrases, days, tolerance, *interval in rows("Every phrase"):
        for phrase in re.findall("`([^`]+)`", phrases):
            found = extractor.anchor(f"so, {phrase}?", NOW)
            assert found is not None, phrase
            assert (found.text, found.days, found.tolerance) == (phrase, int(days), float(tolerance))
            ends = [moment.date().isoformat() if moment else "—" for moment in (found.start, found.end)]
            assert ends == interval, phrase
            seen.add(phrase)
    assert len(seen) >= 90


def test_what_names_no_time_names_none():
    extractor = rm.RegexAnchorExtractor()
    examples = re.findall("`([^`]+)`", " ".join(row[1] for row in rows("What names no time")))
    assert len(examples) >= 40
    assert [text for text in examples if extractor.anchor(f"so {text}?", NOW) is not None] == []


def test_the_page_leaves_out_nothing_that_is_tested():
    tested = (PAGE.parents[2] / "tests" / "temporal" / "test_anchors.py").read_text(encoding="utf-8")
    table = tested.split("TABLE: dict[str, Row] = {\n")[1].split("\n}\n")[0]
    listed = {phrase for row in rows("Every phrase") for phrase in re.findall("`([^`]+)`", row[0])}
    assert set(re.findall(r'^    "([^"]+)": ', table, re.MULTILINE)) == listed
