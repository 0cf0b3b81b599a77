"""``--rerank``: what may order the best of a search anew."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from typing import Any

from rankmeld.cli import console
from rankmeld.ranking import Ranking
from rankmeld.rerankers import (
    BM25Reranker,
    CompositeReranker,
    LateInteractionReranker,
    MMRReranker,
    Reranker,
    TemporalReranker,
)
from rankmeld.temporal.anchors import RegexAnchorExtractor, TimeAnchor

__all__ = ["CANDIDATES", "Choice", "aim", "aim_as_json", "aimed_at", "local_now", "make", "notes_on"]

#: How many of the fused hits are looked at: the answer is hardly ever further down.
CANDIDATES = 50


class Choice(StrEnum):
    """The rerankers that need nothing but the documents."""

    NONE = "none"
    LATE_INTERACTION = "late-interaction"
    BM25 = "bm25"
    MMR = "mmr"
    COMPOSITE = "composite"
    TEMPORAL = "temporal"


#: The dates that each reranker reads, the first of them that a document has.
_DATES = {
    Choice.COMPOSITE: ("last_accessed_at", "updated_at", "created_at"),
    Choice.TEMPORAL: ("valid_from", "created_at"),
}


def make(choice: Choice, now: dt.datetime) -> Reranker | None:
    """The reranker of that name, `None` for none."""
    # The fused list knows the words already, so they get less weight than on a list by meaning.
    if choice is Choice.LATE_INTERACTION:
        return LateInteractionReranker(rank_weight=0.8, maxsim_weight=0.2, maxsim_scale=1.0)
    if choice is Choice.BM25:
        return BM25Reranker(rank_weight=0.7, bm25_weight=0.3, normalized=True, scale="max")
    if choice is Choice.COMPOSITE:
        return CompositeReranker(now=now)
    if choice is Choice.TEMPORAL:
        return TemporalReranker(now=now)
    return MMRReranker() if choice is Choice.MMR else None


def local_now() -> dt.datetime:
    """The current time on this machine's clock: "yesterday" is the day before the user's own."""
    return dt.datetime.now().astimezone()


def aim(choice: Choice, question: str, now: dt.datetime) -> TimeAnchor | None:
    """The time that a temporal rerank aims at; `None` where it aims at none."""
    return RegexAnchorExtractor().anchor(question, now) if choice is Choice.TEMPORAL else None


def aimed_at(anchor: TimeAnchor, now: dt.datetime) -> str:
    """The phrase and what it stands for, in one line."""
    day = now.date() - dt.timedelta(days=anchor.days)
    days = f"{anchor.tolerance:g} day{'' if anchor.tolerance == 1.0 else 's'}"
    return f'aimed at "{console.one_line(anchor.text)}": {day}, give or take {days}'


def aim_as_json(anchor: TimeAnchor | None) -> dict[str, Any] | None:
    """The phrase and what it stands for, for ``--json``."""
    if anchor is None:
        return None
    bounds = {"start": anchor.start, "end": anchor.end}
    return {
        "phrase": anchor.text,
        "days": anchor.days,
        "tolerance": anchor.tolerance,
        **{name: None if moment is None else moment.isoformat() for name, moment in bounds.items()},
    }


def notes_on(choice: Choice, candidates: Ranking, anchor: TimeAnchor | None) -> None:
    """Say on standard error what a rerank by time did not find."""
    dates = _DATES.get(choice)
    if dates is None or not len(candidates):
        return
    if choice is Choice.TEMPORAL and anchor is None:
        console.note("the query names no time to aim at; the results are ordered as by --rerank composite")
        dates = _DATES[Choice.COMPOSITE]
    if not any(getattr(document, name, None) for document in candidates.documents for name in dates):
        without = "none could be lifted" if anchor else "age counts for none"
        console.note(
            f"no result has a date ({', '.join(reversed(dates))}), so {without}; records of JSONL and CSV"
            " files may bring one"
        )
