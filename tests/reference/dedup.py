"""Exact duplicates out: the first of equal normalized texts stays."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable
from typing import Any

from .rankings import read

#: Unicode White_Space, written out: `str.isspace` also takes the four ASCII separators.
WHITE_SPACE = frozenset(
    "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def whole(text: str) -> str:
    """Each lone surrogate read as U+FFFD."""
    return "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)


def folded(text: str) -> str:
    """What two texts have in common when they are duplicates."""
    text = unicodedata.normalize("NFC", whole(text)).casefold()
    spaced = "".join(" " if c in WHITE_SPACE else c for c in text)
    return " ".join(word for word in spaced.split(" ") if word)


def dedup(ranking: Any, *, limit: int | None = None) -> list[tuple[Hashable, float | None]]:
    """`(id, score)` of the hits that stay, in order."""
    columns = read(ranking)
    seen_texts: set[str] = set()
    seen_bare: set[Hashable] = set()
    kept: list[tuple[Hashable, float | None]] = []
    for id, score, document in zip(columns.ids, columns.scores, columns.documents, strict=True):
        if limit is not None and len(kept) >= limit:
            break
        if document is None:
            if id in seen_bare:
                continue
            seen_bare.add(id)
        else:
            key = folded(document.text)
            if key and key in seen_texts:
                continue
            seen_texts.add(key)
        kept.append((id, score))
    return kept
