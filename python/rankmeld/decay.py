"""Age as a last factor: what is old counts less."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import TIES, as_half_life, choose, not_negative
from rankmeld._time import Moment, now_microseconds
from rankmeld.errors import InvalidScoreError
from rankmeld.explanation import Columns
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking

__all__ = ["time_decay"]

_CURVES = ("exponential", "hyperbolic")


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
    half_life = as_half_life(half_life_days)
    moment = now_microseconds(now)
    choose(curve, _CURVES, "curve")
    power = not_negative(importance_weight, "importance_weight")
    factor_undated = not_negative(undated, "undated")
    choose(ties, TIES, "ties")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    scores, documents = finite_scores(given), given._documents
    options = (moment, half_life, curve, power, factor_undated)
    decayed = _core.time_decay(scores, documents, options)
    if not np.isfinite(decayed).all():
        _refuse(given, scores, decayed, options)
    order = _core.order(decayed, given._ids, None, ties)
    decayed = decayed[order]

    def columns() -> dict[str, list[Any]]:
        ages, factors = _core.decay_factors(given.documents, options)
        return {
            "age_days": [ages[place] for place in order],
            "factor": [factors[place] for place in order],
            "score_before": scores[order].tolist(),
            "score": decayed.tolist(),
        }

    return given._step(order.tolist(), decayed, "time_decay", Columns(columns))


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


def _refuse(
    given: Ranking,
    scores: npt.NDArray[np.float64],
    decayed: npt.NDArray[np.float64],
    options: tuple[int, float, str, float, float],
) -> None:
    bad = int(np.flatnonzero(~np.isfinite(decayed))[0])
    (factor,) = _core.decay_factors(given.documents[bad : bad + 1], options)[1]
    raise InvalidScoreError(
        f"ranking, position {bad}, id {given.ids[bad]!r}: the score {scores[bad]} with the "
        f"factor {factor} gives no finite score; shift scores above zero, or raise the "
        "half-life"
    )
