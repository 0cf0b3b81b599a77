"""Headings of Markdown and reStructuredText, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld.ingest.chunking import MAX_CHARS
from rankmeld.ingest.outline import cut_by_headings, markdown_headings, rst_headings


def passages(text, outline=markdown_headings):
    return [(" > ".join(found.titles), text[slice(*found.span)]) for found in cut_by_headings(text, outline)]


def titles(text, outline=markdown_headings):
    return [(heading.level, heading.title) for heading in outline(text)[0]]


def test_titles_are_the_path_of_headings():
    text = "intro\n# A\none\n## B\ntwo\n### C\nthree\n## D\nfour\n# E\nfive"
    assert passages(text) == [
        ("", "intro"),
        ("A", "one"),
        ("A > B", "two"),
        ("A > B > C", "three"),
        ("A > D", "four"),
        ("E", "five"),
    ]


def test_levels_may_be_left_out():
    assert passages("### C\na\n# A\nb\n### C\nc\n## B\nd") == [
        ("C", "a"),
        ("A", "b"),
        ("A > C", "c"),
        ("A > B", "d"),
    ]


def test_heading_with_nothing_under_it_is_its_own_passage():
    assert passages("# A\n## B\n## C\ntext\n# D\n") == [
        ("A > B", "## B"),
        ("A > C", "text"),
        ("D", "# D"),
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# A #", [(1, "A")]),
        ("###### F ##  ", [(6, "F")]),
        ("   ## B", [(2, "B")]),
        ("#\tTab", [(1, "Tab")]),
        ("# C#", [(1, "C#")]),
        ("Title\n=====", [(1, "Title")]),
        ("text\n\nSub title\n---\nmore", [(2, "Sub title")]),
        ("#tag", []),
        ("####### seven", []),
        ("    # code", []),
        ("#", []),
        ("# #", []),
        ("two\nlines\n-----", []),
        ("- item\n---", []),
        ("> quote\n===", []),
        ("text\n\n---\n\ntext", []),
        ("===", []),
        ("a | b\n--- | ---", []),
        ("# " + "x" * 201, []),
        ("# a" + " " * 500 + "b", []),
    ],
)
def test_what_is_a_heading_of_markdown(text, found):
    assert titles(text) == found


@pytest.mark.parametrize(
    "code",
    [
        "```\n# no\n```",
        "~~~ python\n# no\n~~~",
        "````\n```\n# no\n````",
        "```\n# no\n~~~\n# no\n```",
        "``` sh\n# no\n``` sh\n# no\n```",
        "```\n# no",
    ],
)
def test_fenced_code_has_no_headings(code):
    assert titles(f"# A\n{code}") == [(1, "A")]


def test_headings_go_on_after_a_fence():
    assert titles("```\n# no\n```\n# yes") == [(1, "yes")]
    assert titles("``` `inline` ```\n# yes") == [(1, "yes")]


def test_front_matter_has_no_headings():
    assert titles("---\ntitle: A\n---\n\n# B") == [(1, "B")]
    assert titles("---\n\nNever closed\n\n# B") == [(1, "B")]
    assert titles("text\n\n---\n\nTitle\n---") == [(2, "Title")]
    assert passages("---\ntitle: A\n---\n# B\ntext") == [
        ("", "---\ntitle: A\n---"),
        ("B", "text"),
    ]


def test_fenced_block_that_fits_stays_whole():
    code = "```\n" + "line\n\n" * 150 + "```"
    prose = "word " * 100
    found = passages(f"# A\n{prose}\n\n{code}\n\n{prose}")
    assert [text for _, text in found] == [prose.strip(), code, prose.strip()]


def test_fence_that_is_never_closed_runs_to_the_end():
    code = "```\n" + "line\n\n" * 150 + "end"
    prose = "word " * 100
    assert [text for _, text in passages(f"{prose}\n\n{code}")] == [prose.strip(), code]


def test_fenced_block_that_does_not_fit_is_cut_at_blank_lines():
    code = "```\n" + "line one\nline two\n\n" * 200 + "```"
    found = passages(code)
    assert len(found) > 1
    assert all(text.startswith(("```", "line one")) for _, text in found)


def test_sections_are_not_joined():
    assert len(passages("# A\na\n# B\nb\n# C\nc")) == 3


RST = """\
=======
 Title
=======

Intro.

Part
====

Text::

    Quoted
    ------

Chapter
-------

More.

-----

After the rule.

Part two
========

==== ====
 a    b
==== ====

A paragraph
of two lines
------------

end
"""


def test_headings_of_restructuredtext():
    assert titles(RST, rst_headings) == [
        (1, "Title"),
        (2, "Part"),
        (3, "Chapter"),
        (2, "Part two"),
    ]


def test_passages_of_restructuredtext():
    found = passages(RST, rst_headings)
    assert found[0] == ("Title", "Intro.")
    assert found[1] == ("Title > Part", "Text::\n\n    Quoted\n    ------")
    assert found[2][0] == "Title > Part > Chapter"
    assert found[3][0] == "Title > Part two"
    assert found[3][1].startswith("==== ====")


@pytest.mark.parametrize(
    "text",
    ["Longer title\n====", "text\n\n====\n\ntext", "====\n====\n====", "a\nb\n---", "  in\n----"],
    ids=["short rule", "transition", "rules", "paragraph", "indented"],
)
def test_what_is_no_heading_of_restructuredtext(text):
    assert titles(text, rst_headings) == []


LINES = st.sampled_from(
    ["# A", "## B b", "text one.", "  in", "", "```", "~~~", "Title", "===", "---", "~~~~~", "- x", "#"]
)


@given(st.lists(LINES, max_size=40), st.sampled_from([markdown_headings, rst_headings]))
def test_nothing_is_lost_and_order_is_kept(lines, outline):
    text = "\n".join(lines)
    headings, _ = outline(text)
    found = cut_by_headings(text, outline)
    before = 0
    for passage in found:
        start, end = passage.span
        assert before <= start < end
        assert end - start <= MAX_CHARS
        before = end
    covered = {position for found_ in found for position in range(*found_.span)}
    heading = {position for head in headings for position in range(head.start, head.body)}
    lost = [position for position in range(len(text)) if position not in covered | heading]
    assert not "".join(text[position] for position in lost).strip()
    # What only stands in a heading is a title of some passage.
    shown = {title for passage in found for title in passage.titles}
    assert {head.title for head in headings} <= shown


@pytest.mark.parametrize("outline", [markdown_headings, rst_headings])
@pytest.mark.parametrize(
    "text",
    [
        "# a\n" * 100_000,
        "# a" + " " * 500_000 + "b",
        "a\n===\n\n" * 50_000,
        "`" * 500_000,
        ("# a\n" + "w " * 700 + "\n```\n```\n\n") * 500,
    ],
    ids=["headings", "padding", "underlines", "backticks", "fences"],
)
@pytest.mark.timeout(20)
def test_cost_is_linear(text, outline):
    assert cut_by_headings(text, outline)
