"""How a hit reads in a context, and in which order the hits stand there."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

from rankmeld._options import choose
from rankmeld.document import Document
from rankmeld.text import is_blank
from rankmeld.types import Hit

__all__ = ["Order", "as_order", "block", "plain", "sequence"]

#: In which order the hits of a context stand; a callable gives each hit the key that it is sorted by.
Order = Literal["ranking", "time", "source"] | Callable[[Hit], Any]

_ORDERS = ("ranking", "time", "source")

#: What no tokenizer and no service can encode.
_SURROGATE = re.compile("[\ud800-\udfff]")

_LAST = dt.datetime.max.replace(tzinfo=dt.UTC)


def plain(text: str) -> str:
    """A text as it is, but for lone surrogates, which become U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def block(document: Document | None) -> str | None:
    """What a context says of a document; ``None`` if it has no text.

    When it was made and how sure it is stand in a line of their own, where they are known.
    """
    if document is None or is_blank(document.text):
        return None
    marks = []
    if document.created_at is not None:
        moment = document.created_at.astimezone(dt.UTC)
        marks.append(f"[{moment.replace(tzinfo=None).isoformat(timespec='seconds')}Z]")
    if document.confidence is not None:
        marks.append(f"(confidence: {min(max(0.0, document.confidence), 1.0):.2f})")
    line = f"{' '.join(marks)}\n" if marks else ""
    return f"{line}{'[verify live] ' if document.volatile else ''}{plain(document.text)}"


def as_order(order: Order) -> Order:
    """A word that is known, or a key."""
    if not callable(order):
        choose(order, _ORDERS, "order")
    return order


def sequence(hits: Sequence[Hit], order: Order) -> list[int]:
    """The place in a context of each hit, best first, that could come into it.

    Returns
    -------
    list of int
        For each hit its rank in the output; a part of the hits stands in the order of these ranks.
    """
    if order == "ranking":
        return list(range(len(hits)))
    keys: list[Any] = [*_by_source(hits)] if order == "source" else [_key(hit, order) for hit in hits]
    ranks = [0] * len(hits)
    for rank, place in enumerate(sorted(range(len(hits)), key=keys.__getitem__)):
        ranks[place] = rank
    return ranks


def _key(hit: Hit, order: Order) -> Any:
    if callable(order):
        return order(hit)
    moment = None if hit.document is None else hit.document.created_at
    return (moment is None, _LAST if moment is None else moment)


def _by_source(hits: Sequence[Hit]) -> list[tuple[int, float]]:
    """Passages of a source stand where its best one would, in the order of their lines."""
    first: dict[Hashable, int] = {}
    keys: list[tuple[int, float]] = []
    for place, hit in enumerate(hits):
        document = hit.document
        source = None if document is None else document.parent_id
        if document is None or source is None:
            keys.append((place, 0))  # a source of its own
            continue
        line = document.metadata.get("line")
        if not isinstance(line, int | float) or (isinstance(line, float) and math.isnan(line)):
            line = math.inf
        keys.append((first.setdefault(source, place), line))
    return keys
