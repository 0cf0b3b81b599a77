"""Evidence of a group: a turn gains from its session, a chunk from its document."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from rankmeld import _core
from rankmeld._options import TIES, choose, not_negative
from rankmeld.decay import finite_scores
from rankmeld.errors import InvalidScoreError
from rankmeld.explanation import Columns
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking

__all__ = ["pool_groups"]


def pool_groups(
    ranking: Any, groups: Mapping[Any, Hashable], *, weight: float = 0.3, ties: Ties = "first"
) -> Ranking:
    """Give each hit a share of the best score of its group, and reorder.

    ``new(d) = score(d) + weight * max(score(h) for the hits h of d's group)``: what was said in the session
    that the query is about is more likely what is meant than the same words elsewhere.

    Parameters
    ----------
    ranking : ranking
        With finite scores; see `Ranking`.
    groups : mapping
        For an id its group, such as a session or a document. Ids that are missing, and those of the group
        ``None``, stay as they are. Only the ids of the ranking are looked up.
    weight : float, default 0.3
        How much of the best score is given; finite, not negative.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal scores.

    Returns
    -------
    Ranking
        By descending new score. Within a group the order stays as it was.

    Raises
    ------
    InvalidScoreError
        A score is absent or not finite, or a new one is not finite.
    TypeError, InvalidArgumentError
        An option is not allowed, or a group cannot be hashed.

    Notes
    -----
    O(hits), and the sort. The best passage stands for its document as in Callan, "Passage-level evidence in
    document retrieval", SIGIR 1994; here documents of one group help each other.

    Examples
    --------
    >>> import rankmeld as rm
    >>> sessions = {"t1": "monday", "t2": "monday", "t9": "friday"}
    >>> found = rm.pool_groups([("t1", 1.0), ("t9", 0.5), ("t2", 0.4)], sessions)
    >>> found.ids
    ['t1', 't2', 't9']
    >>> print(found.explain("t2"))
    't2'  0.7
      pool_groups: group monday, best 1, score_before 0.4, score 0.7
    """
    if not isinstance(groups, Mapping):
        raise TypeError(f"groups must be a mapping of ids to groups, not {type(groups).__name__}")
    share = not_negative(weight, "weight")
    choose(ties, TIES, "ties")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    before = finite_scores(given)
    ids = given.ids
    labels = [groups.get(id) for id in ids]
    best = _best_of_groups(ids, labels, before.tolist())
    with np.errstate(over="ignore"):
        pooled = before + share * np.array([0.0 if top is None else top for top in best])
    wrong = np.flatnonzero(~np.isfinite(pooled))
    if len(wrong):
        bad = int(wrong[0])
        raise InvalidScoreError(
            f"ranking, position {bad}, id {ids[bad]!r}: the score {before[bad]} and {share} times "
            f"{best[bad]}, the best of its group, give no finite score; bring scores to a smaller range first"
        )
    order = _core.order(pooled, given._ids, None, ties)
    places, scores = order.tolist(), pooled[order]

    def columns() -> dict[str, Sequence[Any]]:
        return {
            "group": [labels[place] for place in places],
            "best": [best[place] for place in places],
            "score_before": before[order].tolist(),
            "score": scores.tolist(),
        }

    return given._step(places, scores, "pool_groups", Columns(columns))


def _best_of_groups(
    ids: Sequence[Hashable], labels: Sequence[Hashable], scores: Sequence[float]
) -> list[float | None]:
    """For each hit the best score of its group; ``None`` for those that are in none."""
    best: dict[Hashable, float] = {}
    for id, label, score in zip(ids, labels, scores, strict=True):
        try:
            if score > best.get(label, -np.inf):
                best[label] = score
        except TypeError:
            raise TypeError(
                f"groups[{id!r}] is a {type(label).__name__}, which cannot be hashed; a group is a str, an "
                "int or another hashable value"
            ) from None
    return [None if label is None else best[label] for label in labels]
