"""A score from the ranking and one from the text, weighed and added."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankmeld.decay import finite_scores
from rankmeld.errors import InvalidArgumentError, InvalidScoreError
from rankmeld.ranking import Ranking
from rankmeld.rerankers.base import Scores

__all__ = ["Scale", "blended", "check_scale"]

#: How the ranking's scores are brought to a common scale before they are weighed.
Scale = Literal["max", "minmax"]

#: Numbers as ``factor * 2**power``: products of them neither overflow nor vanish on the way.
_Wide = tuple[Scores, npt.NDArray[np.int32]]


def check_scale(value: Scale | None, default: Scale | None, rank_weight: float) -> None:
    """A word for a scale, or `None` for the scores as they are; asked for only where scores count."""
    if value is not None and not isinstance(value, str):
        raise TypeError(f"scale must be 'max', 'minmax' or None, not {type(value).__name__}")
    if value not in ("max", "minmax", None):
        raise InvalidArgumentError(f"scale is {value!r}; it must be 'max', 'minmax' or None")
    if value != default and rank_weight == 0.0:
        raise InvalidArgumentError(
            f"scale is {value!r}, but rank_weight is 0, so that the ranking's scores do not count; give a "
            "rank_weight above 0, or leave scale out"
        )


def blended(
    given: Ranking,
    similarity: Scores,
    *,
    name: str,
    rank_weight: float,
    weights: tuple[float, ...],
    scale: Scale | None,
) -> tuple[Scores, dict[str, Any]]:
    """Add the ranking's scores and similarities, each times its weight.

    Parameters
    ----------
    given : Ranking
        The candidates; their scores are needed where `rank_weight` is above 0.
    similarity : array of shape (N,)
        What the text is worth.
    name : str
        What the explanation calls it.
    rank_weight : float
        Weight of the scores.
    weights : tuple of float
        Their product is the weight of the similarities.
    scale : {"max", "minmax"} or None
        Scores over their maximum, or min-max where that is not above 0; min-max; or as they are.

    Returns
    -------
    scores : array of shape (N,)
        The sums.
    parts : dict
        For the explanation: both credits, which sum to the score, and the similarity.

    Raises
    ------
    InvalidScoreError
        A score is absent or not finite, or a sum is not finite.
    """
    with np.errstate(all="ignore"):  # what is not finite is refused below, by name
        of_rank = (
            _product(_scaled(finite_scores(given), scale), rank_weight)
            if rank_weight > 0.0
            else np.zeros(len(given))
        )
        of_text = _product(np.frexp(similarity), *weights)
        scores = of_rank + of_text
    wrong = np.flatnonzero(~np.isfinite(scores))
    if len(wrong):
        bad = int(wrong[0])
        raise InvalidScoreError(
            f"ranking, position {bad}, id {given.ids[bad]!r}: the credits {of_rank[bad]} of the score "
            f"{given[bad].score} and {of_text[bad]} of {name} give no finite score; use smaller "
            "weights, or scale='minmax'"
        )
    return scores, {"rank_credit": of_rank, name: similarity, f"{name}_credit": of_text}


def _scaled(scores: Scores, scale: Scale | None) -> _Wide:
    """The scores on the scale, as factors and powers."""
    if scale is None:
        return np.frexp(scores)
    low, high = scores.min(), scores.max()
    if scale == "max" and high > 0.0:
        return _quotient(scores, high)
    if low == high:
        return np.frexp(np.ones_like(scores))
    if not np.isfinite(high - low):  # the range is beyond a float, half of it is not
        scores, low, high = scores / 2.0, low / 2.0, high / 2.0
    return _quotient(scores - low, high - low)


def _quotient(scores: Scores, divisor: float) -> _Wide:
    factors, powers = np.frexp(scores)
    factor, power = np.frexp(divisor)
    return factors / factor, powers - power


def _product(numbers: _Wide, *weights: float) -> Scores:
    """The numbers times all of the weights, rounded to floats at the end."""
    factors, powers = np.frexp(np.asarray(weights))
    product: Scores = np.ldexp(numbers[0] * factors.prod(), numbers[1] + powers.sum(dtype=np.int32))
    return product
