"""The engine's rules, one by one, as slowly as they are said."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any


def feedback_factor(net: int, weight: float = 0.5) -> float:
    if not 0 <= weight <= 1:
        raise ValueError(weight)
    return float(1 + Fraction(weight) * max(-5, min(5, net)) / 5)


def block(document: Any) -> str | None:
    if document is None or not document.text.strip():
        return None
    marks = []
    if document.created_at is not None:
        utc = document.created_at - document.created_at.utcoffset()
        marks.append(
            f"[{utc.year:04}-{utc.month:02}-{utc.day:02}T{utc.hour:02}:{utc.minute:02}:{utc.second:02}Z]"
        )
    if document.confidence is not None:
        marks.append(f"(confidence: {sorted((0.0, document.confidence, 1.0))[1]:.2f})")
    text = "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in document.text)
    text = f"[verify live] {text}" if document.volatile else text
    return f"{' '.join(marks)}\n{text}" if marks else text


def context(
    documents: list[Any],
    *,
    max_tokens: int,
    count: Callable[[str], int],
    fill: str = "stop",
    header: str = "=== RELEVANT MEMORIES ===",
    footer: str = "=== END MEMORIES ===",
) -> tuple[list[int], str]:
    """Places of the documents that are in the text, and the text: one more whole text is counted for each."""
    included: list[int] = []
    text = ""
    for place, document in enumerate(documents):
        if block(document) is None:
            continue
        blocks = [block(documents[one]) for one in [*included, place]]
        longer = "\n\n".join(part for part in [header, *blocks, footer] if part)
        if count(longer) <= max_tokens:
            included, text = [*included, place], longer
        elif fill == "stop":
            break
    return included, text
