"""Age as a last factor: what is old counts less."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import TIES, as_number, choose
from rankmeld._time import Moment, age_in_days, as_now
from rankmeld.errors import InvalidArgumentError, InvalidScoreError
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking
from rankmeld.types import Document

__all__ = ["time_decay"]

_CURVES = ("exponential", "hyperbolic")

#: Half-lives after which no score is left: floats span fewer powers of two.
_FURTHEST = 2_200.0


def time_decay(
    ranking: Any,
    *,
    half_life_days: float = 30.0,
    now: Moment | None = None,
    curve: Literal["exponential", "hyperbolic"] = "exponential",
    importance_weight: float = 0.0,
    undated: float = 1.0,
    ties: Ties = "first",
) -> Ranking:
    """Multiply scores by a factor of age (and importance), and reorder.

    Age counts from ``updated_at``, else ``created_at``, in fractional days of 86,400 seconds; a
    document dated after `now` has factor 1, an evergreen one too.

    Parameters
    ----------
    ranking : ranking
        With finite scores; see `Ranking`. Hits without a document are undated.
    half_life_days : float, default 30.0
        Age at which the factor is one half; above zero. Infinite: no decay.
    now : datetime, date, str or float, optional
        The moment that age counts to; the current time if not given.
    curve : {"exponential", "hyperbolic"}, default "exponential"
        ``2 ** -(age / half_life)``, or ``1 / (1 + age / half_life)``.
    importance_weight : float, default 0.0
        Above zero, the factor is also multiplied by the document's ``assessed_importance`` (else
        ``importance``, else 1), clamped to 0..1, to this power.
    undated : float, default 1.0
        The factor of age for hits without a date; finite, not negative.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal scores.

    Returns
    -------
    Ranking
        By descending new score. A negative score is divided by its factor, so that age never
        lifts a hit.

    Raises
    ------
    InvalidScoreError
        A score is absent or not finite, a negative score meets a factor of 0, or a new score is
        not finite.
    TypeError, InvalidArgumentError
        An option is not allowed, or `now` cannot be read.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("old", 1.0, rm.Document("old", created_at="2024-01-01")),
    ...     ("new", 0.8, rm.Document("new", created_at="2024-03-01")),
    ... ]
    >>> rm.time_decay(hits, half_life_days=30, now="2024-03-01").ids
    ['new', 'old']
    """
    half_life = _as_half_life(half_life_days)
    moment = as_now(now)
    choose(curve, _CURVES, "curve")
    power = _not_negative(importance_weight, "importance_weight")
    factor_undated = _not_negative(undated, "undated")
    choose(ties, TIES, "ties")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    scores = finite_scores(given)
    ages = [_age(document, moment) for document in given.documents]
    factors, powers = _age_factors(ages, half_life, curve, factor_undated)
    if power > 0.0:
        shares, more = _importance_factors(given.documents, power)
        # Both within 1/2..1, so that their product does not vanish.
        factors, split = np.frexp(factors)
        shares, apart = np.frexp(shares)
        factors *= shares
        powers += more + split + apart
    decayed = _apply(scores, factors, powers, given)
    order = _core.order(decayed, given._ids, None, ties).tolist()
    columns = {
        "age_days": [ages[place] for place in order],
        "factor": np.ldexp(factors, powers)[order].tolist(),
        "score_before": scores[order].tolist(),
        "score": decayed[order].tolist(),
    }
    return given._step(order, decayed[order], "time_decay", columns)


def finite_scores(ranking: Ranking) -> npt.NDArray[np.float64]:
    """The scores of a ranking, all of which are needed.

    Raises
    ------
    InvalidScoreError
        One is absent or not finite; the message names position, id and value.
    """
    if ranking.scores is None:
        if len(ranking) == 0:
            return np.empty(0)
        bad, value = 0, None
    else:
        wrong = np.flatnonzero(~np.isfinite(ranking.scores))
        if len(wrong) == 0:
            return ranking.scores
        bad = int(wrong[0])
        value = ranking[bad].score
    what = "there is no score (None or NaN)" if value is None else f"the score is {value}"
    raise InvalidScoreError(
        f"ranking, position {bad}, id {ranking.ids[bad]!r}: {what}; every hit needs a finite score here"
    )


def _as_half_life(value: float) -> float:
    if value == math.inf:
        return math.inf
    half_life = as_number(value, "half_life_days")
    if not half_life > 0.0:
        raise InvalidArgumentError(
            f"half_life_days is {half_life}; it must be above zero (math.inf: no decay)"
        )
    return half_life


def _not_negative(value: float, name: str) -> float:
    number = as_number(value, name)
    if number < 0.0:
        raise InvalidArgumentError(f"{name} is {number}; it must not be negative")
    return number


def _age(document: Document | None, now: dt.datetime) -> float | None:
    """Days since the document was last written, 0 for an evergreen one, `None` if unknown."""
    if document is None:
        return None
    if document.evergreen:
        return 0.0
    date = document.created_at if document.updated_at is None else document.updated_at
    return None if date is None else age_in_days(date, now)


def _age_factors(
    ages: list[float | None], half_life: float, curve: str, undated: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Factors as ``factor * 2**power``: together they reach further than a float.

    A large score, or a negative one that is divided, may come back from where the factor alone
    would have vanished.
    """
    with np.errstate(over="ignore"):  # of so short a half-life nothing is left
        halves = np.array([0.0 if age is None else age for age in ages]) / half_life
    powers = np.zeros(len(ages), dtype=np.int32)
    if curve == "exponential":
        whole = np.floor(np.minimum(halves, _FURTHEST))
        powers -= whole.astype(np.int32)
        factors = np.exp2(whole - np.minimum(halves, _FURTHEST))
    else:
        factors = 1.0 / (1.0 + halves)
    is_undated = [age is None for age in ages]
    factors[is_undated] = undated
    powers[is_undated] = 0
    return factors, powers


def _importance_factors(
    documents: list[Document | None], power: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Importance to this power, again as ``factor * 2**power``."""
    importance = np.array([_importance(document) for document in documents], dtype=np.float64)
    with np.errstate(divide="ignore"):  # of zero importance nothing is left, however far one reaches
        exponents = np.maximum(power * np.log2(importance), -_FURTHEST)
    whole = np.ceil(exponents)
    exact = importance**power  # of ordinary numbers, the power itself is the better answer
    tiny = exact < np.finfo(np.float64).tiny
    factors = np.where(tiny & (importance > 0.0), np.exp2(exponents - whole), exact)
    return factors, np.where(tiny, whole, 0.0).astype(np.int32)


def _importance(document: Document | None) -> float:
    """Within 0..1; what nothing is known about counts in full."""
    if document is None:
        return 1.0
    assessed = document.assessed_importance
    importance = document.importance if assessed is None else assessed
    return 1.0 if importance is None else min(max(importance, 0.0), 1.0)


def _apply(
    scores: npt.NDArray[np.float64],
    factors: npt.NDArray[np.float64],
    powers: npt.NDArray[np.int32],
    ranking: Ranking,
) -> npt.NDArray[np.float64]:
    with np.errstate(all="ignore"):  # what is not finite is refused below, by name
        decayed = np.where(
            scores < 0.0,
            np.ldexp(scores / factors, -powers),
            np.ldexp(scores * factors, powers),
        )
    wrong = np.flatnonzero(~np.isfinite(decayed))
    if len(wrong):
        bad = int(wrong[0])
        factor = float(np.ldexp(factors[bad], powers[bad]))
        raise InvalidScoreError(
            f"ranking, position {bad}, id {ranking.ids[bad]!r}: the score {scores[bad]} with the "
            f"factor {factor} gives no finite score; shift scores above zero, or raise the "
            "half-life"
        )
    return decayed
