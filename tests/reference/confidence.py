"""Grades, floors, signals and notes, in exact fractions where there is arithmetic."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

from .dedup import WHITE_SPACE, whole
from .errors import BadScore, Refused
from .late_interaction import lexical_maxsim
from .order import order
from .rankings import finite_scores, read
from .text import sentences, tokenize

#: The grade, the confidence, whether to search again, and the places of the hits that are left.
Evaluation = tuple[str, float, bool, list[int]]
#: Of a hit its id, its best sentence, and how relevant that is.
Note = tuple[Hashable, str, float]


def borders(high: float, low: float, floor: float) -> None:
    if not all(map(math.isfinite, (high, low, floor))):
        raise Refused("borders are finite")
    if low > high:
        raise Refused("low is not above high")


def evaluate_crag(
    ranking: Any, *, high: float = 0.65, low: float = 0.30, floor: float = 0.005, dynamic: bool = False
) -> Evaluation:
    borders(high, low, floor)
    scores = finite_scores(read(ranking))
    left = [place for place, score in enumerate(scores) if score >= floor]
    counting = [scores[place] for place in left]
    grade = graded(counting, high, low)
    if dynamic and counting and max(counting) < high:
        grade = "high" if stands_out(counting) else "medium" if max(counting) >= floor else "low"
    return grade, max(scores, default=0.0), grade == "low", left


def graded(scores: Sequence[float], high: float, low: float) -> str:
    if not scores:
        return "low"
    if max(scores) >= high:
        return "high"
    return "low" if max(scores) < low else "medium"


def stands_out(scores: Sequence[float]) -> bool:
    """Whether top / mean of the rest is 1.4 or more, as a float; over nothing it is infinite."""
    if len(scores) < 2:
        return False
    top, *rest = sorted(map(Fraction, scores), reverse=True)
    mean = sum(rest) / len(rest)
    if mean == 0:
        return top > 0
    quotient = top / mean
    # What is a larger fraction than any float is larger than 1.4, too. A negative top over a more
    # negative mean is below 1.
    return quotient >= 2 or float(max(quotient, Fraction(0))) >= 1.4


def grade_scores(
    scores: Sequence[float | None],
    *,
    high: float = 0.65,
    low: float = 0.30,
    floor: float = 0.005,
    dynamic: bool = False,
) -> str:
    borders(high, low, floor)
    for score in scores:
        if score is None or not 0 <= score <= 1:
            raise BadScore(f"{score} is not within 0..1")
    return graded([score for score in scores if score is not None and score >= floor], high, low)


def recognition_filter(
    ranking: Any,
    *,
    top_k: int | None = None,
    relative_floor: float = 0.05,
    floor: float = 0.005,
    ties: str = "first",
) -> list[tuple[Hashable, float]]:
    for number in (relative_floor, floor, top_k or 0):
        if not (math.isfinite(number) and number >= 0):
            raise Refused(f"{number} is negative or not finite")
    columns = read(ranking)
    scores = finite_scores(columns)
    in_order = order(columns.ids, scores, ties)
    kept = [place for place in in_order if recognized(scores[place], max(scores), relative_floor, floor)]
    if top_k is not None:
        kept += [place for place in in_order if place not in kept]
        kept = kept[:top_k]
    return [(columns.ids[place], scores[place]) for place in kept]


def recognized(score: float, top: float, relative_floor: float, floor: float) -> bool:
    if floor > 0 and score < floor:
        return False
    if relative_floor == 0 or top <= 0:
        return True
    needed = Fraction(relative_floor) * Fraction(top)
    # The product is rounded once, but neither vanishes nor overflows.
    if needed < Fraction(math.ulp(0.0)) or needed > Fraction(math.nextafter(math.inf, 0.0)):
        return Fraction(score) >= needed
    return score >= float(needed)


def normalize_signals(scores: Sequence[Any]) -> list[tuple[str, str, str, float]]:
    rows = []
    for score in scores:
        raw = score.raw
        if score.signal not in ("lexical", "dense", "maxsim", "ppr", "summary"):
            raise BadScore(f"{score.signal} is no signal")
        if raw is None or not math.isfinite(raw) or raw < 0:
            raise BadScore(f"{raw} is no raw score")
        exact = (
            Fraction(raw) / (1 + Fraction(raw))
            if score.signal == "lexical"
            else min(Fraction(raw), Fraction(1))
        )
        rows.append((score.signal, score.source_kind, score.handle, float(exact)))
    return sorted(rows, key=lambda row: (-row[3], row[1], row[2]))


def chain_of_note(query: str, ranking: Any) -> tuple[list[Note], list[int]]:
    """The notes, and the places of the hits in their new order."""
    columns = read(ranking)
    if not tokenize(query):
        return [], list(range(len(columns.ids)))
    notes = []
    for id, document in zip(columns.ids, columns.documents, strict=True):
        best, relevance = "", 0.0
        for number, sentence in enumerate(sentences_of(document)):
            score = lexical_maxsim(query, sentence)
            if number == 0 or score > relevance:
                best, relevance = sentence, score
        notes.append((id, best, relevance))
    return notes, order(columns.ids, [relevance for _, _, relevance in notes])


def sentences_of(document: Any) -> list[str]:
    if document is None:
        return []
    own = [whole(part).strip("".join(WHITE_SPACE)) for part in (document.title, document.topic)]
    return [part for part in own if part] + sentences(document.text)
