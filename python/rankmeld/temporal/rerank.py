"""A composite rerank that lifts what is of the time that the query names."""

from __future__ import annotations

from typing import Any

from rankmeld._options import not_negative
from rankmeld._time import Moment, as_now
from rankmeld.composite import DEFAULT_QUALITY, DEFAULT_RERANK_WEIGHTS, RerankWeights, Weighing
from rankmeld.fusion import Ties
from rankmeld.quality import QualityModel
from rankmeld.ranking import Ranking
from rankmeld.temporal.anchors import AnchorExtractor, RegexAnchorExtractor, TimeAnchor

__all__ = ["DEFAULT_EXTRACTOR", "DEFAULT_TEMPORAL_BOOST", "rerank_temporal"]

#: By which share a hit of just the right time is lifted.
DEFAULT_TEMPORAL_BOOST = 0.40

DEFAULT_EXTRACTOR = RegexAnchorExtractor()

_DAY = 86_400_000_000  # microseconds

#: What the core counts moments to.
_FURTHEST = 2**63 - 1


def rerank_temporal(
    ranking: Any,
    query: str,
    *,
    now: Moment | None = None,
    weights: RerankWeights = DEFAULT_RERANK_WEIGHTS,
    quality: QualityModel = DEFAULT_QUALITY,
    extractor: AnchorExtractor | None = DEFAULT_EXTRACTOR,
    boost: float = DEFAULT_TEMPORAL_BOOST,
    ties: Ties = "first",
) -> Ranking:
    """Rerank as `rerank` does, then lift hits of the time that the query names.

    "What did we decide three weeks ago" is answered neither by likeness nor by recency. Where the
    query names a time, each score is multiplied by ``1 + boost * proximity``; see
    `temporal_proximity`.

    Parameters
    ----------
    ranking : ranking
        As `rerank` takes it.
    query : str
        What was asked.
    now : datetime, date, str or float, optional
        The moment that ages and phrases count from; the current time in UTC if not given. Days of
        the calendar begin at midnight in its zone.
    weights : RerankWeights, default DEFAULT_RERANK_WEIGHTS
        What each part of the composite score counts.
    quality : QualityModel
        How recency, importance and quality are read off a document.
    extractor : AnchorExtractor or None
        What finds the time in the query: English phrases if not given; ``None``: nothing does.
    boost : float, default 0.40
        By which share a hit of just the right time is lifted; finite, not negative.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal scores.

    Returns
    -------
    Ranking
        By descending new score. With no time in the query, no extractor or ``boost=0`` it is what
        `rerank` gives.

    Raises
    ------
    InvalidScoreError
        As of `rerank`.
    TypeError, InvalidArgumentError
        An option is not allowed, `now` cannot be read, or the extractor gives no `TimeAnchor`.

    Notes
    -----
    A hit's date is ``valid_from``, else ``created_at``; dates after `now` count as they are, as
    plans and appointments have them. Composite scores are never negative, whatever the scores that
    came in, so a boost never pushes a hit down.

    With ``boost=0``, and for an empty ranking, the extractor is not asked. `Ranking.explain` has the
    phrase, the days and tolerance that it stands for, and each hit's proximity.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("march", 0.9, rm.Document("march", created_at="2024-03-01", tier="semantic")),
    ...     ("january", 0.8, rm.Document("january", created_at="2024-01-15", tier="semantic")),
    ... ]
    >>> rm.rerank_temporal(hits, "what did we plan in January?", now="2024-03-10").ids
    ['january', 'march']
    """
    moment = as_now(now)
    weighing = Weighing.read(moment, weights, quality, ties)
    lift = not_negative(boost, "boost")
    require_extractor(extractor)
    if not isinstance(query, str):
        kind = type(query).__name__
        swapped = "; the hits come first: rerank_temporal(hits, query)" if isinstance(ranking, str) else ""
        raise TypeError(f"query must be a str, not {kind}{swapped}")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    anchor = None if extractor is None or lift == 0.0 or not len(given) else extractor.anchor(query, moment)
    if anchor is None:
        return weighing.applied(given, "rerank")
    if not isinstance(anchor, TimeAnchor):
        raise TypeError(
            f"{type(extractor).__name__}.anchor gave {type(anchor).__name__}; it must give a "
            "rankmeld.TimeAnchor, or None where the query names no time"
        )
    aim = max(-_FURTHEST, min(_FURTHEST, weighing.now - anchor.days * _DAY))
    notes = {
        "phrase": anchor.text,
        "days": anchor.days,
        "tolerance": anchor.tolerance,
        "boost": lift,
    }
    return weighing.applied(given, "rerank_temporal", (aim, anchor.tolerance, lift), notes)


def require_extractor(extractor: object) -> None:
    """Refuse what cannot be asked for a time."""
    if extractor is None or (isinstance(extractor, AnchorExtractor) and not isinstance(extractor, type)):
        return
    given = f"{extractor.__name__}, a class" if isinstance(extractor, type) else type(extractor).__name__
    raise TypeError(
        f"extractor must have a method anchor(query, now), or be None, not {given}; "
        "wrap a function in CallableAnchorExtractor"
    )
