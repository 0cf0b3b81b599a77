"""Corrective retrieval: a grade for what was found, before anybody builds on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeld._options import as_number
from rankmeld._scale import Scale
from rankmeld._scores import read_scores
from rankmeld._vectors import as_vector
from rankmeld.decay import finite_scores
from rankmeld.errors import InvalidArgumentError, InvalidScoreError
from rankmeld.ranking import Ranking

__all__ = ["CragConfig", "CragEvaluation", "CragGrade", "evaluate_crag", "grade_scores"]

#: A top that stands above the mean of the rest by this factor is a clear winner on any scale.
_STANDS_OUT = 1.4


class CragGrade(Scale):
    """How far an answer can be built on: ``LOW``, ``MEDIUM`` or ``HIGH``.

    A grade is the word in lower case, also in JSON. Grades are ordered by what they mean, not by
    the alphabet, among themselves and with those words.

    Examples
    --------
    >>> CragGrade.HIGH == "high", CragGrade.HIGH > CragGrade.LOW, CragGrade.LOW >= "medium"
    (True, True, False)
    """

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class CragConfig:
    """Where the borders between grades lie.

    Parameters
    ----------
    high : float, default 0.65
        From this score on the grade is high.
    low : float, default 0.30
        Below this score it is low; not above `high`. Between the two it is medium.
    floor : float, default 0.005
        Hits with a score below it do not count, and go.
    dynamic : bool, default False
        For scores whose scale says nothing, as those of rank fusion: a top below `high` is graded
        by how far it stands above the rest, as `evaluate_crag` says.

    Raises
    ------
    TypeError, InvalidArgumentError
        A border is no finite number, `low` is above `high`, or `dynamic` is no bool.

    Examples
    --------
    >>> CragConfig(high=0.8)
    CragConfig(high=0.8, low=0.3, floor=0.005, dynamic=False)
    """

    high: float = 0.65
    low: float = 0.30
    floor: float = 0.005
    dynamic: bool = False

    def __post_init__(self) -> None:
        for name in ("high", "low", "floor"):
            object.__setattr__(self, name, as_number(getattr(self, name), name))
        if self.low > self.high:
            raise InvalidArgumentError(
                f"low is {self.low} and high is {self.high}; low must not be above high"
            )
        if not isinstance(self.dynamic, bool | np.bool_):
            raise TypeError(f"dynamic must be True or False, not {type(self.dynamic).__name__}")
        object.__setattr__(self, "dynamic", bool(self.dynamic))


_DEFAULT = CragConfig()


@dataclass(frozen=True, slots=True)
class CragEvaluation:
    """What `evaluate_crag` found.

    Attributes
    ----------
    grade : CragGrade
        Low, medium or high.
    confidence : float
        The highest score given, whether or not its hit is left; 0 for none.
    needs_refinement : bool
        Whether the grade is low: search again, with another query or elsewhere.
    ranking : Ranking
        The hits at or above the floor, in the order given, with their scores.
    pruned : Ranking
        The hits below the floor, likewise.
    """

    grade: CragGrade
    confidence: float
    needs_refinement: bool
    ranking: Ranking
    pruned: Ranking = field(default_factory=Ranking)


def evaluate_crag(ranking: Any, config: CragConfig = _DEFAULT) -> CragEvaluation:
    """Grade a ranking, and take out what is too weak to count.

    Hits below the floor go. If none is left, the grade is low; else the top score decides: high at
    or above `CragConfig.high`, low below `CragConfig.low`, and medium between. With
    `CragConfig.dynamic` a top below `high` is high if two or more hits are left and it is at least
    1.4 times the mean of the others, and medium otherwise.

    Parameters
    ----------
    ranking : ranking
        With finite scores, in any order; see `Ranking`.
    config : CragConfig, optional
        The borders.

    Returns
    -------
    CragEvaluation
        Grade, confidence, what is left, and what went.

    Raises
    ------
    InvalidScoreError
        A score is absent or not finite; the message names the hit.
    TypeError
        `config` is no `CragConfig`.

    Notes
    -----
    O(N). The borders belong to the better grade. The quotient of the top and the mean of the others
    is that of exact arithmetic, rounded once: sums neither overflow nor vanish. A positive top over
    a mean of 0 is above every bound; over a negative mean, as floors at or below 0 let in, the
    quotient is below 1.4.

    Shi-Qi Yan, Jia-Chen Gu, Yun Zhu and Zhen-Hua Ling, Corrective retrieval augmented generation,
    2024; there a model grades, here the scores do.

    Examples
    --------
    >>> import rankmeld as rm
    >>> found = rm.evaluate_crag([("a", 0.71), ("b", 0.4), ("c", 0.001)])
    >>> found.grade, found.needs_refinement, found.ranking.ids, found.pruned.ids
    (<CragGrade.HIGH: 'high'>, False, ['a', 'b'], ['c'])
    >>> rm.evaluate_crag([("a", 0.033), ("b", 0.016)], rm.CragConfig(dynamic=True)).grade.value
    'high'
    """
    _require_config(config)
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    scores = finite_scores(given)
    counts = scores >= config.floor
    kept = scores[counts]
    grade = _grade(kept, config)
    if config.dynamic and grade is not CragGrade.HIGH and len(kept):
        grade = CragGrade.HIGH if _stands_out(kept) else CragGrade.MEDIUM
    return CragEvaluation(
        grade,
        float(scores.max()) if len(scores) else 0.0,
        grade is CragGrade.LOW,
        _part(given, counts, scores, grade, config),
        _part(given, ~counts, scores, grade, config),
    )


def grade_scores(scores: npt.ArrayLike | Iterable[float], config: CragConfig = _DEFAULT) -> CragGrade:
    """Grade scores that are within 0..1, by the largest of them.

    High at or above `CragConfig.high`, low below `CragConfig.low` or if no score reaches the floor,
    and medium between.

    Parameters
    ----------
    scores : array of shape (N,), or iterable of float
        Within 0..1, in any order; of any dtype.
    config : CragConfig, optional
        The borders; `CragConfig.dynamic` plays no part, as the scale of these scores is known.

    Returns
    -------
    CragGrade
        The grade.

    Raises
    ------
    InvalidScoreError
        A score is absent, not finite or outside 0..1, also one below the floor; the message names
        its index.
    TypeError, InvalidArgumentError
        `scores` is something else, or `config` no `CragConfig`.

    Notes
    -----
    O(N).

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.grade_scores([0.2, 0.64]).value
    'medium'
    """
    _require_config(config)
    column = _as_shares(scores)
    return _grade(column[column >= config.floor], config)


def _require_config(config: object) -> None:
    if not isinstance(config, CragConfig):
        raise TypeError(
            f"config must be a CragConfig, not {type(config).__name__}; "
            "write CragConfig(high=0.65, low=0.3), or leave it out"
        )


def _grade(scores: npt.NDArray[np.float64], config: CragConfig) -> CragGrade:
    """By the largest of the scores that count."""
    top = scores.max(initial=-np.inf)
    if top >= config.high:
        return CragGrade.HIGH
    return CragGrade.LOW if top < config.low else CragGrade.MEDIUM


def _stands_out(scores: npt.NDArray[np.float64]) -> bool:
    """Whether the largest is far enough above the mean of the others."""
    units = [_in_least_units(score) for score in scores.tolist()]
    top, others = max(units), len(units) - 1
    total = sum(units) - top
    if top <= 0 or total < 0 or not others:
        return False
    try:
        return total == 0 or top * others / total >= _STANDS_OUT  # rounded once
    except OverflowError:
        return True


def _in_least_units(score: float) -> int:
    """As a multiple of the least positive float, 2 ** -1074, in which every float is whole."""
    numerator, denominator = score.as_integer_ratio()
    return numerator << (1075 - denominator.bit_length())


def _part(
    given: Ranking,
    chosen: npt.NDArray[np.bool_],
    scores: npt.NDArray[np.float64],
    grade: CragGrade,
    config: CragConfig,
) -> Ranking:
    places = np.flatnonzero(chosen).tolist()
    columns = {
        "position_before": places,
        "score": scores[chosen].tolist(),
        "floor": [config.floor] * len(places),
        "grade": [grade.value] * len(places),
    }
    return given._step(places, scores[chosen], "evaluate_crag", columns)


def _as_shares(scores: Any) -> npt.NDArray[np.float64]:
    """Numbers within 0..1, from an array or an iterable."""
    if isinstance(scores, Ranking):
        raise TypeError("scores must be numbers, not a Ranking; pass ranking.scores, or call evaluate_crag")
    read = read_scores(scores, "scores")
    if isinstance(read, list) and None in read:
        raise InvalidScoreError(
            f"scores[{read.index(None)}] is None; every score must be a number within 0..1"
        )
    column = np.array(read, dtype=np.float64) if isinstance(read, list) else _as_column(read)
    wrong = np.flatnonzero(~((column >= 0.0) & (column <= 1.0)))
    if len(wrong):
        bad = int(wrong[0])
        raise InvalidScoreError(f"scores[{bad}] is {column[bad]}; it must be within 0..1")
    return column


def _as_column(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    return as_vector(array, lambda: "scores").astype(np.float64)
