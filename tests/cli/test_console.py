"""What the command lets through to a terminal."""

from __future__ import annotations

import pytest

pytest.importorskip("rich", reason="rich is not installed (extra cli)")

from rankmeld.cli.console import one_line, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\x1b[31mb\x1b[0mc", "abc"),
        ("a\x1b[2Jb", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x1bP1$r\x1b\\b", "ab"),
        ("a\x9b31mb", "ab"),
        ("a\x9d0;title\x9cb", "ab"),
        ("a\x1bcb", "ab"),
        ("a\x1b", "a"),
        ("a\x1b[", "a"),
        ("a\x1b]0;no end", "a0;no end"),
        ("a\x08\x7f\x00\rb", "ab"),
        ("a\u202eb\u2066c", "abc"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("a\ud800b", "a\ufffdb"),
        ("[bold]x[/bold] :smile:", "[bold]x[/bold] :smile:"),
        ("日本 👩‍👩‍👧 e\u0301", "日本 👩‍👩‍👧 é"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown


def test_no_control_character_survives():
    text = "".join(map(chr, range(0x100)))
    assert not [c for c in printable(text) if (c < " " and c not in "\t\n") or "\x7f" <= c <= "\x9f"]


def test_one_line():
    assert one_line(" a\n\n b\u2028c\t") == "a b c"


@pytest.mark.parametrize("start", ["\x90", "\x9d", "\x1b]", "\x1bP", "\x9b", "\x1b[", "\x1b"])
def test_a_million_beginnings_without_an_end_take_no_time(start):
    # Looked through anew from each of them, this would take hours.
    assert printable(start * 1_000_000 + "end").endswith("nd")
