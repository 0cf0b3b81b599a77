"""What is known of a document before anybody asks, as a factor of its score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankmeld import _core
from rankmeld._options import TIES, choose, not_negative
from rankmeld.decay import finite_scores
from rankmeld.errors import InvalidScoreError
from rankmeld.explanation import Columns
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking

__all__ = ["weigh"]


def weigh(ranking: Any, factors: Mapping[Any, float], *, ties: Ties = "first") -> Ranking:
    """Multiply the scores by factors of yours, and reorder.

    ``score *= factors.get(id, 1)``: a prior for each document, such as how far its source is trusted, or
    that a question seldom holds an answer.

    Parameters
    ----------
    ranking : ranking
        With finite scores that are not negative; see `Ranking`.
    factors : mapping
        For an id its factor, finite and not negative. Ids that are missing stay as they are. Only the ids of
        the ranking are looked up, so one mapping may serve a whole collection.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal scores.

    Returns
    -------
    Ranking
        By descending new score.

    Raises
    ------
    InvalidScoreError
        A score is absent, negative or not finite, or a new one is not finite.
    TypeError, InvalidArgumentError
        A factor or an option is not allowed.

    See Also
    --------
    time_decay : factors of age and importance.

    Notes
    -----
    O(hits), and the sort. Priors that are no part of the query are those of Kraaij, Westerveld and Hiemstra,
    "The importance of prior probabilities for entry page search", SIGIR 2002.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.weigh([("forum", 0.9), ("manual", 0.8)], {"forum": 0.5}).ids
    ['manual', 'forum']
    """
    if not isinstance(factors, Mapping):
        raise TypeError(f"factors must be a mapping of ids to numbers, not {type(factors).__name__}")
    choose(ties, TIES, "ties")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    before = finite_scores(given)
    ids = given.ids
    found = [factors.get(id, 1.0) for id in ids]
    weights = np.array(
        [
            value
            if type(value) is float and 0.0 <= value < math.inf
            else not_negative(value, f"factors[{id!r}]")
            for id, value in zip(ids, found, strict=True)
        ]
    )
    with np.errstate(over="ignore"):
        weighed = before * weights
    wrong = np.flatnonzero(~np.isfinite(weighed) | (before < 0.0))
    if len(wrong):
        bad = int(wrong[0])
        why = (
            "a factor would lift it the wrong way; bring scores to 0 and above first"
            if before[bad] < 0.0
            else f"its factor {weights[bad]} gives no finite score; make the factor smaller"
        )
        raise InvalidScoreError(
            f"ranking, position {bad}, id {ids[bad]!r}: the score is {before[bad]}, and {why}"
        )
    order = _core.order(weighed, given._ids, None, ties)
    places, scores = order.tolist(), weighed[order]

    def columns() -> dict[str, Sequence[Any]]:
        return {
            "factor": weights[order].tolist(),
            "score_before": before[order].tolist(),
            "score": scores.tolist(),
        }

    return given._step(places, scores, "weigh", Columns(columns))
