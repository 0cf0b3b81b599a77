"""Queries made of what the lists hold, of what nearly is it, and of noise."""

from __future__ import annotations

from hypothesis import strategies as st

from reference.query import ARCHITECTURE, CORRECTIONS, DECLARATIONS, MULTI_HOP

WORDS = [entry.removesuffix("*") for entry in (*MULTI_HOP, *ARCHITECTURE)]
PARTS = (
    *WORDS,
    *DECLARATIONS,
    *CORRECTIONS,
    *("s", "S", "x", "_", "9", "a", "Foo", "main.go", "HandleSearch()", "()", "#12", "b2"),
    *("que", "by", "between", "connection", "radius", "blast", "system", "level", "general"),
    *("é", "e\u0301", "\u0301", "\u0335", "ſ", "ß", "ﬂow", "ı", "İ", "Σ", "ς", "ǆ", "ǅ", "\u0345"),
    *("検索", "なぜ", "ไทย", "မြန်မာ", "नमस्ते", "привет", "〇", "々", "٣", "²", "ⅷ", "\u200d"),
    *(
        "\ud800",
        "\udc00",
        "\ufffd",
        "\x00",
        "🙂",
        "`",
        "-",
        "'",
        "/",
        "//",
        "://",
        ".",
        ",",
        ":",
        "?",
        "¿",
        ";",
    ),
)
JOINTS = (" ", " ", " ", "", "\n", "\t  ", "\u3000", "\u00a0", "\u2028", "\x1c", "-", ".", "_", ", ")


def cased(text: str, case: int) -> str:
    return (text, text.upper(), text.title(), text.swapcase())[case]


pieces = st.builds(cased, st.sampled_from(PARTS), st.integers(0, 3))
queries = st.one_of(
    st.lists(st.tuples(pieces, st.sampled_from(JOINTS)), max_size=6).map(
        lambda parts: "".join(piece + joint for piece, joint in parts)
    ),
    st.text(max_size=45),
)
