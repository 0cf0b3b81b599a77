"""Time decay as a last, multiplicative pass, in decimals wide enough that nothing vanishes."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable
from decimal import Context, Decimal, localcontext
from typing import Any

from .errors import BadScore, Refused
from .order import order
from .rankings import finite_scores, read

WIDE = Context(prec=60, Emin=-(10**15), Emax=10**15)
DAY = dt.timedelta(days=1)


def moment(value: Any) -> dt.datetime | None:
    """An aware datetime from any of the forms in which a date may be given."""
    if value is None:
        return None
    if isinstance(value, str):
        value = dt.datetime.fromisoformat(value)
    elif isinstance(value, int | float):
        value = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=value)
    elif not isinstance(value, dt.datetime):
        value = dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)
    return value if value.tzinfo else value.replace(tzinfo=dt.UTC)


def age_factor(document: Any, now: dt.datetime, half_life: float, curve: str, undated: float) -> Decimal:
    if document is not None and document.evergreen:
        return Decimal(1)
    when = None if document is None else moment(document.updated_at) or moment(document.created_at)
    if when is None:
        return Decimal(undated)
    age = max(now - when, dt.timedelta(0))
    days = Decimal(age // dt.timedelta(microseconds=1)) / (86_400 * 10**6)
    halvings = Decimal(0) if math.isinf(half_life) else days / Decimal(half_life)
    return Decimal(2) ** -halvings if curve == "exponential" else 1 / (1 + halvings)


def importance_factor(document: Any, power: float) -> Decimal:
    if power == 0 or document is None:
        return Decimal(1)
    assessed, stated = document.assessed_importance, document.importance
    importance = assessed if assessed is not None else stated
    if importance is None:
        return Decimal(1)
    return Decimal(min(max(importance, 0.0), 1.0)) ** Decimal(power)


def decayed(score: float, factor: Decimal, id: Hashable) -> float:
    if score < 0 and factor == 0:
        raise BadScore(f"the score of {id!r} is divided by 0")
    exact = Decimal(score) / factor if score < 0 else Decimal(score) * factor
    value = float(exact)
    if not math.isfinite(value):
        raise BadScore(f"the score of {id!r} is not finite")
    return value


def time_decay(
    ranking: Any,
    *,
    half_life_days: float = 30.0,
    now: dt.datetime,
    curve: str = "exponential",
    importance_weight: float = 0.0,
    undated: float = 1.0,
    ties: str = "first",
) -> list[tuple[Hashable, float]]:
    """`(id, score)` pairs, best first."""
    if math.isnan(half_life_days) or half_life_days <= 0 or curve not in ("exponential", "hyperbolic"):
        raise Refused(f"{half_life_days=} {curve=}")
    columns = read(ranking)
    today = moment(now)
    assert today is not None
    scores = []
    with localcontext(WIDE):
        for id, score, document in zip(columns.ids, finite_scores(columns), columns.documents, strict=True):
            factor = age_factor(document, today, half_life_days, curve, undated)
            factor *= importance_factor(document, importance_weight)
            scores.append(decayed(score, factor, id))
    return [(columns.ids[i], scores[i]) for i in order(columns.ids, scores, ties)]
