"""Evidence that flows between hits: from a turn to the next one, from a chunk to its neighbours."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._asking import Ask
from rankmeld._options import TIES, as_integer, as_limit, choose, not_negative
from rankmeld.decay import finite_scores
from rankmeld.document import Document
from rankmeld.errors import InvalidArgumentError
from rankmeld.explanation import Columns
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking
from rankmeld.types import DocumentLookup

__all__ = ["Neighbors", "adjacent", "propagate"]

_INSTEAD = "pass a lookup that waits, or leave it out and fetch the documents of what came without one"

#: For an id where its evidence flows: ids, each with weight 1, or pairs of id and weight.
Neighbors = Mapping[Any, Iterable[Any]]


def propagate(
    ranking: Any,
    neighbors: Neighbors,
    *,
    weight: float = 0.4,
    limit: SupportsIndex | None = None,
    ties: Ties = "first",
    lookup: DocumentLookup | None = None,
) -> Ranking:
    """Give what stands next to a hit a share of its score, and reorder.

    ``new(d) = score(d) + sum of weight * w(n, d) * score(n)`` over all hits n of which d is a neighbour,
    from the scores before, all at once. A neighbour that the ranking does not hold is brought in by its
    share: the turn that answers a question often shares no word with it, but stands right after it.

    Parameters
    ----------
    ranking : ranking
        With finite scores that are not negative; see `Ranking`. Of hits that share an id the first gives
        and gets, the others stay as they are.
    neighbors : mapping
        ``neighbors[n]`` lists where the evidence of n flows: ids, or ``(id, w)`` pairs with ``w`` as
        w(n, d), finite and not negative, 1 for a bare id; or a mapping of id to w. An id that is a tuple goes
        in as a pair. Ids that are missing have no neighbours; only those of the ranking are looked up, so a
        mapping of a whole collection costs no more than one of these. `adjacent` makes it from an order.
    weight : float, default 0.4
        How much of a score flows; finite, not negative. 0: nothing does.
    limit : int, optional
        How many hits to give; all if not given.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal scores; first seen are the hits, then what they bring in.
    lookup : DocumentLookup, optional
        Finds the documents of hits that are brought in, after the cut to `limit`: ``get_many(ids)``, called
        once, else ``get(id)``.

    Returns
    -------
    Ranking
        By descending new score.

    Raises
    ------
    InvalidScoreError
        A score is absent, negative or not finite, or a new one is not finite.
    TypeError, InvalidArgumentError
        An option or a neighbour is not allowed.

    Notes
    -----
    O(hits + their neighbours), and the sort. A neighbour that is listed twice gets both shares, one that
    lists itself its own; the sums are exactly rounded, so the order of the neighbours shows in no bit.
    What gets nothing is not brought in. `Ranking.explain` names under ``received`` what came from whom.

    Spreading activation over hits is an old idea (Salton and Buckley, On the use of spreading activation
    methods in automatic information retrieval, SIGIR 1988); one step of it is what is done here.

    Examples
    --------
    >>> import rankmeld as rm
    >>> turns = rm.adjacent(["t1", "t2", "t3", "t4"])
    >>> found = rm.propagate([("t2", 1.0), ("t4", 0.5)], turns)
    >>> found.ids
    ['t2', 't3', 't4', 't1']
    >>> print(found.explain("t3"))
    't3'  0.8
      propagate: score_before None, received ((t2, 0.6), (t4, 0.2)), score 0.8
    """
    share = not_negative(weight, "weight")
    count = as_limit(limit)
    choose(ties, TIES, "ties")
    if lookup is not None and not callable(getattr(lookup, "get", None)):
        raise TypeError(f"lookup must have a method get(id), which {type(lookup).__name__} has not")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    before = finite_scores(given)
    order, scores, brought, flowed = _core.propagate(given._ids, before, neighbors, share, count, ties)
    places = order.tolist()
    if brought:
        given = given._joined_by(brought, _documents(brought, places, len(given), lookup))

    def columns() -> dict[str, Sequence[Any]]:
        ids = given.ids
        received: list[list[tuple[Hashable, float]]] = [[] for _ in ids]
        for source, target, amount in zip(*(column.tolist() for column in flowed), strict=True):
            received[target].append((ids[source], amount))
        return {
            "score_before": [float(before[place]) if place < len(before) else None for place in places],
            "received": [tuple(received[place]) for place in places],
            "score": scores.tolist(),
        }

    return given._step(places, scores, "propagate", Columns(columns))


def _documents(
    brought: list[Hashable], places: list[int], hits: int, lookup: DocumentLookup | None
) -> list[Document | None]:
    """The documents of what was brought in, as far as it is still there."""
    if lookup is None:
        return [None] * len(brought)
    wanted = [brought[place - hits] for place in places if place >= hits]
    found = _found(wanted, lookup) if wanted else {}
    documents = [found.get(id) for id in brought]
    for id, document in zip(brought, documents, strict=True):
        if document is not None and not isinstance(document, Document):
            raise TypeError(
                f"lookup gave a {type(document).__name__} for id {id!r}; it must give a "
                "rankmeld.Document, or None"
            )
    return documents


def _found(wanted: list[Hashable], lookup: DocumentLookup) -> Mapping[Any, Any]:
    get_many = getattr(lookup, "get_many", None)
    if not callable(get_many):
        return {id: Ask("lookup.get", lookup.get, (id,)).answer(_INSTEAD) for id in wanted}
    found = Ask("lookup.get_many", get_many, (wanted,)).answer(_INSTEAD)
    if not isinstance(found, Mapping):
        raise TypeError(
            f"lookup.get_many gave a {type(found).__name__}; it must give a mapping of ids to documents"
        )
    return found


def adjacent(
    ids: Iterable[Hashable],
    *,
    groups: Iterable[Hashable] | None = None,
    window: SupportsIndex = 1,
    forward: float | npt.ArrayLike = 1.5,
    backward: float | npt.ArrayLike = 1.0,
) -> dict[Hashable, tuple[tuple[Hashable, float], ...]]:
    """Make neighbours of what stands side by side in an order.

    Parameters
    ----------
    ids : iterable of ids
        In their order: the turns of a conversation, the chunks of a document. No id twice.
    groups : iterable of hashable, optional
        A group for each id, as the session or the document that it is part of: ids of different groups are
        never neighbours. The groups may be mixed; the order counts within each.
    window : int, default 1
        How far apart neighbours may be; all within it get the full weight. 0: there are none.
    forward : float or array of shape (N,), default 1.5
        What flows on to those that come later, from each id as much, or from each its own; finite, not
        negative. An answer comes after its question, so a turn that asks may give more of itself.
    backward : float or array of shape (N,), default 1.0
        What flows back to those that came before.

    Returns
    -------
    dict of id to tuple of (id, float)
        For each id its neighbours, the nearest first, of two that are as near the later first.

    Raises
    ------
    TypeError
        `ids` or `groups` is no list, or an id or a group cannot be hashed.
    InvalidArgumentError
        An id comes twice or is NaN, there are not as many groups as ids, or an option is not allowed.

    Notes
    -----
    O(ids * window). Make it once for a collection and use it for every query.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.adjacent(["t1", "t2", "t3"], groups=["monday", "monday", "tuesday"])
    {'t1': (('t2', 1.5),), 't2': (('t1', 1.0),), 't3': ()}
    """
    reach = as_integer(window, "window")
    if reach < 0:
        raise InvalidArgumentError(f"window is {reach}; it must be 0 or more")
    flows = _flow(forward, "forward"), _flow(backward, "backward")
    return _core.adjacent(ids, groups, min(reach, np.iinfo(np.int64).max), *flows)


def _flow(value: Any, name: str) -> float | npt.ArrayLike:
    """A number for all, or what must be one for each: that is looked at beside the ids."""
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return list(value)
    return not_negative(value, name)
