"""Letting go of hits that the best one leaves far behind."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

import numpy as np

from rankmeld import _core
from rankmeld._options import TIES, as_limit, as_number, choose
from rankmeld.decay import finite_scores
from rankmeld.errors import InvalidArgumentError
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking

__all__ = ["recognition_filter"]

_LEAST = math.ulp(0.0)


def recognition_filter(
    ranking: Any,
    *,
    top_k: SupportsIndex | None = None,
    relative_floor: float = 0.05,
    floor: float = 0.005,
    ties: Ties = "first",
) -> Ranking:
    """Order hits by score and keep those that are strong beside the best one.

    A hit is recognized if its score is at or above `floor` and at or above ``relative_floor *
    top``, where ``top`` is the highest score. With `top_k`, the strongest of the others fill up
    what is missing, so that a strict floor never leaves fewer hits than were asked for.

    Parameters
    ----------
    ranking : ranking
        With finite scores, in any order; see `Ranking`.
    top_k : int, optional
        How many hits to give, if there are so many; only the recognized ones if not given.
    relative_floor : float, default 0.05
        A share of the highest score, not negative; 0 switches it off, and so does a highest score
        that is not above 0.
    floor : float, default 0.005
        A score, not negative; 0 switches it off, so that negative scores pass.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal scores.

    Returns
    -------
    Ranking
        By descending score. `Ranking.explain` says which floor a hit had to reach and whether it
        did: one that did not is there to fill up.

    Raises
    ------
    InvalidScoreError
        A score is absent or not finite; the message names the hit.
    TypeError, InvalidArgumentError
        An option is not allowed.

    Notes
    -----
    O(N log N). The name is that of the recognition memory in HippoRAG 2 (Bernal Jiménez Gutiérrez,
    Yiheng Shu, Weijian Qi, Sizhe Zhou and Yu Su, From RAG to memory, 2025), where a model says
    what is recognized.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [("a", 1.0), ("b", 0.5), ("c", 0.04)]
    >>> rm.recognition_filter(hits).ids
    ['a', 'b']
    >>> print(rm.recognition_filter(hits, top_k=3).explain("c"))
    'c'  0.04
      recognition_filter: position_before 2, score 0.04, floor 0.05, recognized False
    """
    count = as_limit(top_k, "top_k")
    share = _as_floor(relative_floor, "relative_floor")
    least = _as_floor(floor, "floor")
    choose(ties, TIES, "ties")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    scores = finite_scores(given)
    needed = _needed(float(scores.max()) if len(scores) else 0.0, share, least)
    order = _core.order(scores, given._ids, count, ties)
    ordered = scores[order]
    recognized = np.ones(len(order), dtype=np.bool_) if needed is None else ordered >= needed
    if count is None:
        order, ordered, recognized = order[recognized], ordered[recognized], recognized[recognized]
    places = order.tolist()
    columns = {
        "position_before": places,
        "score": ordered.tolist(),
        "floor": [needed] * len(places),
        "recognized": recognized.tolist(),
    }
    return given._step(places, ordered, "recognition_filter", columns)


def _as_floor(value: float, name: str) -> float:
    number = as_number(value, name)
    if number < 0.0:
        raise InvalidArgumentError(f"{name} is {number}; it must not be negative (0: no such floor)")
    return number


def _needed(top: float, share: float, floor: float) -> float | None:
    """The score that a hit needs; `None` if both floors are off."""
    floors = [] if floor == 0.0 else [floor]
    if share > 0.0 and top > 0.0:
        # A product that vanishes is still above 0, and one that overflows above every score.
        floors.append(max(share * top, _LEAST))
    return max(floors, default=None)
