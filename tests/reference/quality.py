"""Quality, the composite rerank and the boost for a time, in decimals wide enough that nothing vanishes."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable
from decimal import Decimal, localcontext
from typing import Any

from .decay import WIDE, moment
from .errors import BadScore, Refused
from .order import order
from .rankings import finite_scores, read

TIER_WEIGHTS = {"procedural": 0.95, "semantic": 0.90, "episodic": 0.55, "working": 0.30, None: 0.5}
MODEL = {
    "half_life_days": 7.0,
    "stability": 0.0,
    "confidence_decay": 0.05,
    "grace_weeks": 1.0,
    "confidence_floor": 0.05,
    "undated": 1.0,
}


class Nothing:
    """A document of which nothing is known."""

    created_at = updated_at = valid_from = last_accessed_at = None
    importance = assessed_importance = confidence = tier = None
    access_count = 0


def days(later: dt.datetime, earlier: dt.datetime) -> Decimal:
    """Time that passed, whatever clocks were changed meanwhile."""
    passed = later.astimezone(dt.UTC) - earlier.astimezone(dt.UTC)
    return Decimal(passed // dt.timedelta(microseconds=1)) / (86_400 * 10**6)


def age(when: dt.datetime, now: dt.datetime) -> Decimal:
    return max(days(now, when), Decimal(0))


def clamp(value: Any) -> Decimal:
    return min(max(Decimal(value), Decimal(0)), Decimal(1))


def short_term(document: Any) -> bool:
    return document.tier is None or document.tier.value in ("working", "episodic")


def fading(document: Any, now: dt.datetime, half_life: Decimal, undated: float) -> Decimal:
    when = document.last_accessed_at or document.updated_at or document.created_at
    if when is None:
        return Decimal(undated)
    return Decimal(1) if half_life.is_infinite() else Decimal(2) ** -(age(when, now) / half_life)


def terms(document: Any, now: dt.datetime, **options: Any) -> dict[str, Decimal]:
    """Every method of the model, by its name."""
    model = {**MODEL, **options}
    half_life = Decimal(model["half_life_days"])
    assessed, stated = document.assessed_importance, document.importance
    importance = clamp(assessed if assessed is not None else stated if stated is not None else 0.5)
    weights = {**TIER_WEIGHTS, **model.get("tier_weights", {})}
    weight = weights[None if document.tier is None else document.tier.value]
    salience = clamp(Decimal(weight) * (Decimal("0.5") + Decimal("0.5") * importance))
    confidence = Decimal(1)
    if document.confidence is not None and not short_term(document):
        known = [when for when in (document.updated_at, document.last_accessed_at) if when is not None]
        weeks = age(max(known), now) / 7 if known else Decimal(0)
        beyond = max(weeks - Decimal(model["grace_weeks"]), Decimal(0))
        left = clamp(document.confidence) - Decimal(model["confidence_decay"]) * beyond
        confidence = max(left, Decimal(model["confidence_floor"]))
    familiarity = Decimal(1 + document.access_count).ln()
    usage = 1 + familiarity
    quality = salience * confidence * usage
    if short_term(document):
        slower = half_life * (1 + Decimal(model["stability"]) * familiarity)
        quality *= fading(document, now, slower, model["undated"])
    return {
        "recency": fading(document, now, half_life, model["undated"]),
        "effective_importance": importance,
        "salience": salience,
        "effective_confidence": confidence,
        "usage": usage,
        "quality": quality,
    }


def relevance(scores: list[float]) -> list[Decimal]:
    exact = [Decimal(score) for score in scores]
    low, high = min(exact, default=Decimal(0)), max(exact, default=Decimal(0))
    if low < 0:
        return [(s - low) / (high - low) if high > low else Decimal(1) for s in exact]
    return [s / high if high > 0 else Decimal(0) for s in exact]


def proximity(date: Any, target: dt.datetime, tolerance: float) -> Decimal:
    if date is None:
        return Decimal(0)
    distance, within = abs(days(moment(date), target)), Decimal(tolerance)  # type: ignore[arg-type]
    if distance <= within:
        return Decimal(1)
    return max((3 * within - distance) / (2 * within), Decimal(0)) if within else Decimal(0)


def rerank(
    ranking: Any,
    *,
    now: dt.datetime,
    weights: tuple[float, float, float, float] = (0.80, 0.0, 0.0, 0.20),
    model: dict[str, Any] | None = None,
    ties: str = "first",
    anchor: tuple[float, float] | None = None,
    boost: float = 0.40,
) -> list[tuple[Hashable, float]]:
    """`(id, score)` pairs, best first; `anchor` is days before now and a tolerance."""
    if any(not (math.isfinite(weight) and weight >= 0) for weight in (*weights, boost)):
        raise Refused(f"{weights=} {boost=}")
    columns = read(ranking)
    documents = [Nothing if document is None else document for document in columns.documents]
    w_relevance, w_recency, w_importance, w_quality = map(Decimal, weights)
    scores = finite_scores(columns) if w_relevance + w_quality else [0.0] * len(columns.ids)
    with localcontext(WIDE):
        known = [terms(document, now, **(model or {})) for document in documents]
        best = max((term["quality"] for term in known), default=Decimal(0))
        out = []
        for id, near, term, document in zip(columns.ids, relevance(scores), known, documents, strict=True):
            worth = term["quality"] / best if best else Decimal(0)
            score = near * (w_relevance + w_quality * worth)
            score += w_recency * term["recency"] + w_importance * term["effective_importance"]
            if anchor is not None and boost > 0:
                target = now.astimezone(dt.UTC) - dt.timedelta(days=anchor[0])
                date = document.valid_from or document.created_at
                score *= 1 + Decimal(boost) * proximity(date, target, anchor[1])
            if not math.isfinite(float(score)):
                raise BadScore(f"the score of {id!r} is not finite")
            out.append(float(score))
    return [(columns.ids[i], out[i]) for i in order(columns.ids, out, ties)]
