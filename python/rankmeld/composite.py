"""Relevance, recency, importance and quality, weighed into one score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import TIES, choose, not_negative
from rankmeld._time import Moment, now_microseconds
from rankmeld.decay import finite_scores
from rankmeld.errors import InvalidScoreError
from rankmeld.explanation import Columns
from rankmeld.fusion import Ties
from rankmeld.quality import QualityModel
from rankmeld.ranking import Ranking

__all__ = ["DEFAULT_QUALITY", "DEFAULT_RERANK_WEIGHTS", "RerankWeights", "Weighing", "rerank"]


@dataclass(frozen=True, slots=True)
class RerankWeights:
    """What each part of a composite score counts.

    Parameters
    ----------
    relevance : float, default 0.80
        Of the ranking's own score.
    recency : float, default 0.0
        Of `QualityModel.recency`.
    importance : float, default 0.0
        Of `QualityModel.effective_importance`.
    quality : float, default 0.20
        Of `QualityModel.quality`; it scales relevance.

    Raises
    ------
    TypeError, InvalidArgumentError
        A weight is no finite number, or negative.

    Notes
    -----
    A part of weight 0 is not looked at: neither a wrong date nor an absent score matters then.

    Examples
    --------
    >>> RerankWeights(relevance=1.0, recency=0.3, quality=0.0)
    RerankWeights(relevance=1.0, recency=0.3, importance=0.0, quality=0.0)
    """

    relevance: float = 0.80
    recency: float = 0.0
    importance: float = 0.0
    quality: float = 0.20

    def __post_init__(self) -> None:
        """Refuse what no score can be made of."""
        for weight in fields(self):
            number = not_negative(getattr(self, weight.name), f"the weight of {weight.name}")
            object.__setattr__(self, weight.name, number)


#: Relevance first, lifted by quality.
DEFAULT_RERANK_WEIGHTS = RerankWeights()

DEFAULT_QUALITY = QualityModel()


def rerank(
    ranking: Any,
    *,
    now: Moment | None = None,
    weights: RerankWeights = DEFAULT_RERANK_WEIGHTS,
    quality: QualityModel = DEFAULT_QUALITY,
    ties: Ties = "first",
) -> Ranking:
    """Weigh each hit's score, age, importance and quality, and reorder.

    The new score is ``relevance * (w_relevance + w_quality * quality) + w_recency * recency +
    w_importance * effective_importance``. Quality scales relevance, so that a good document about
    something else gains nothing from it.

    Parameters
    ----------
    ranking : ranking
        With finite scores, unless both relevance and quality have weight 0; see `Ranking`. A hit
        without a document counts as a `Document` with defaults.
    now : datetime, date, str or float, optional
        The moment that age counts to; the current time if not given.
    weights : RerankWeights, default DEFAULT_RERANK_WEIGHTS
        What each part counts: relevance 0.80, quality 0.20, and by default nothing else.
    quality : QualityModel
        How recency, importance and quality are read off a document.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal scores.

    Returns
    -------
    Ranking
        By descending new score, none of which is negative.

    Raises
    ------
    InvalidScoreError
        A score is absent or not finite, or a new score is not finite.
    TypeError, InvalidArgumentError
        An option is not allowed, or `now` cannot be read.

    Notes
    -----
    Relevance is the score over the highest of the ranking, 0 where all are 0; if any score is
    negative, ``(s - min) / (max - min)``, 1 where all are equal. Quality is over the highest of the
    ranking too. Linear in the hits; `Ranking.explain` has every part of a score.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("chat", 0.9, rm.Document("chat", tier="working", created_at="2024-01-01")),
    ...     ("runbook", 0.8, rm.Document("runbook", tier="procedural", importance=0.9)),
    ... ]
    >>> found = rm.rerank(hits, now="2024-03-01")
    >>> found.ids
    ['runbook', 'chat']
    """
    weighing = Weighing.read(now, weights, quality, ties)
    return weighing.applied(ranking if isinstance(ranking, Ranking) else Ranking(ranking), "rerank")


@dataclass(frozen=True, slots=True)
class Weighing:
    """The options of a composite rerank, read.

    Attributes
    ----------
    now : int
        Microseconds since 1970-01-01 UTC.
    weights, quality, ties
        As `rerank` takes them.
    """

    now: int
    weights: RerankWeights
    quality: QualityModel
    ties: str

    @classmethod
    def read(cls, now: Moment | None, weights: object, quality: object, ties: object) -> Weighing:
        """Check the options before any data."""
        moment = now_microseconds(now)
        if not isinstance(weights, RerankWeights):
            raise TypeError(
                f"weights must be a rankmeld.RerankWeights, not {type(weights).__name__}; "
                "write RerankWeights(relevance=0.8, recency=0.2)"
            )
        if not isinstance(quality, QualityModel):
            raise TypeError(f"quality must be a rankmeld.QualityModel, not {type(quality).__name__}")
        return cls(moment, weights, quality, choose(ties, TIES, "ties"))

    def applied(
        self,
        given: Ranking,
        stage: str,
        target: tuple[int, float, float] | None = None,
        notes: Mapping[str, Any] | None = None,
    ) -> Ranking:
        """Weigh and order the hits.

        Parameters
        ----------
        given : Ranking
            The hits.
        stage : str
            What the explanation calls this.
        target : tuple, optional
            A moment in microseconds, the days around it that are as good, and the boost for hits of
            that time.
        notes : Mapping, optional
            What is the same for all hits, for the explanation of the boost.
        """
        weights, documents = self.weights, given._documents
        needs_scores = weights.relevance > 0.0 or weights.quality > 0.0
        scores = finite_scores(given) if needs_scores else np.zeros(len(given))
        options = (
            (weights.relevance, weights.recency, weights.importance, weights.quality),
            self.quality._options(),
            self.now,
            target,
        )
        weighed = _core.composite(scores, documents, options)
        if not np.isfinite(weighed).all():
            _refuse(given, weighed)
        order = _core.order(weighed, given._ids, None, self.ties)
        places, ordered = order.tolist(), weighed[order]

        def columns() -> dict[str, Sequence[Any]]:
            parts = _core.composite_parts(scores, documents, options)
            return _explained(given, parts, places, ordered, weights, notes)

        return given._step(places, ordered, stage, Columns(columns))


def _explained(  # noqa: PLR0917 - what a score was made of
    given: Ranking,
    parts: Sequence[tuple[float, ...]],
    places: list[int],
    scores: npt.NDArray[np.float64],
    weights: RerankWeights,
    notes: Mapping[str, Any] | None,
) -> dict[str, Sequence[Any]]:
    """Columns of what counted, each beside its weight."""
    before = given._score_list()
    columns: dict[str, Sequence[Any]] = {
        "position_before": places,
        "score_before": [before[place] for place in places],
    }
    relevance, recency, importance, quality, proximity, weighed = range(6)
    counted = [
        ("relevance", relevance, weights.relevance, weights.relevance > 0.0 or weights.quality > 0.0),
        ("recency", recency, weights.recency, weights.recency > 0.0),
        ("importance", importance, weights.importance, weights.importance > 0.0),
        ("quality", quality, weights.quality, weights.quality > 0.0),
    ]
    for name, part, weight, counts in counted:
        if counts:
            columns[name] = [parts[place][part] for place in places]
            columns[f"{name}_weight"] = [weight] * len(places)
    if notes is not None:
        columns["composite"] = [parts[place][weighed] for place in places]
        columns.update({name: [value] * len(places) for name, value in notes.items()})
        columns["proximity"] = [parts[place][proximity] for place in places]
    columns["score"] = scores.tolist()
    return columns


def _refuse(given: Ranking, weighed: npt.NDArray[np.float64]) -> None:
    bad = int(np.flatnonzero(~np.isfinite(weighed))[0])
    raise InvalidScoreError(
        f"ranking, position {bad}, id {given.ids[bad]!r}: the weights give no finite score; use smaller ones"
    )
