"""What two rankings have in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, SupportsIndex

from rankmeld._options import as_number, as_positive
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking

__all__ = [
    "as_depth",
    "as_persistence",
    "overlap",
    "overlap_of",
    "rank_biased_overlap",
    "rank_biased_overlap_of",
]


def overlap(first: Any, second: Any, *, depth: SupportsIndex | None = None) -> float:
    """The share of ids that two rankings, or two runs, have in common.

    The size of the intersection over that of the union (Jaccard). Two that are empty agree: 1.

    Parameters
    ----------
    first, second : rankings, or runs
        In any form that `Ranking` takes. Of two `Run`, the mean over the queries that either has.
    depth : int, optional
        Only the first so many hits of each; ``None`` for all.

    Returns
    -------
    float
        From 0, nothing in common, to 1, the same ids.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.overlap(["a", "b", "c"], ["c", "d"], depth=2)
    0.0
    """
    wanted = as_depth(depth)
    return _mean(first, second, lambda a, b: overlap_of(a, b, wanted))


def rank_biased_overlap(
    first: Any, second: Any, *, p: float = 0.9, depth: SupportsIndex | None = None
) -> float:
    """How much two rankings agree, the first places counting the most.

    Rank-biased overlap, extrapolated to lists without end (Webber, Moffat and Zobel 2010, equation 32): a
    reader goes on from each place to the next with probability `p`, and sees the share of ids in common so
    far. Two that are empty agree: 1.

    Parameters
    ----------
    first, second : rankings, or runs
        In any form that `Ranking` takes, without repeated ids; they may be of different lengths. Of two
        `Run`, the mean over the queries that either has.
    p : float, default 0.9
        Above 0 and below 1; of 0.9, the first ten places make 86 % of the value.
    depth : int, optional
        Only the first so many hits of each; ``None`` for all.

    Returns
    -------
    float
        From 0, nothing in common, to 1, the same order.

    Raises
    ------
    InvalidArgumentError
        `p` is not allowed, or a ranking has an id twice.

    Notes
    -----
    Linear in the hits.

    Examples
    --------
    >>> import rankmeld as rm
    >>> round(rm.rank_biased_overlap(["a", "b", "c"], ["b", "a", "c"]), 3)
    0.9
    """
    persistence, wanted = as_persistence(p), as_depth(depth)
    return _mean(first, second, lambda a, b: rank_biased_overlap_of(a, b, persistence, wanted))


def as_depth(depth: SupportsIndex | None) -> int | None:
    """Read a depth: a count of 1 or more, or ``None`` for all."""
    return None if depth is None else as_positive(depth, "depth")


def as_persistence(p: float) -> float:
    """Read the probability of going on."""
    persistence = as_number(p, "p")
    if not 0.0 < persistence < 1.0:
        raise InvalidArgumentError(f"p is {persistence}; it must be above 0 and below 1, as 0.9")
    return persistence


def overlap_of(first: Sequence[Hashable], second: Sequence[Hashable], depth: int | None) -> float:
    """Of two lists of ids."""
    a, b = set(first[:depth]), set(second[:depth])
    return len(a & b) / len(a | b) if a or b else 1.0


def rank_biased_overlap_of(
    first: Sequence[Hashable], second: Sequence[Hashable], p: float, depth: int | None
) -> float:
    """Of two lists of ids."""
    short, long = sorted((first[:depth], second[:depth]), key=len)
    for ids in (short, long):
        if len(set(ids)) < len(ids):
            repeated = next(id for place, id in enumerate(ids) if id in ids[:place])
            raise InvalidArgumentError(f"a ranking has the id {repeated!r} twice; pass it through dedup")
    if not short:
        return 0.0 if long else 1.0
    seen: set[Hashable] = set()
    common = at_short = 0
    weight, total = 1.0, 0.0
    for place, id in enumerate(long, 1):
        # Each id is met a second time once at the most: that is when it becomes common.
        for one in (id, short[place - 1]) if place <= len(short) else (id,):
            common += one in seen
            seen.add(one)
        if place == len(short):
            at_short = common
        weight *= p
        beyond = place - len(short)
        expected = at_short * beyond / len(short) if beyond > 0 else 0.0
        total += (common + expected) / place * weight
    tail = (common - at_short) / len(long) + at_short / len(short)
    return min(1.0, (1.0 - p) / p * total + tail * weight)


def _mean(first: Any, second: Any, of: Callable[[list[Hashable], list[Hashable]], float]) -> float:
    if hasattr(first, "queries") and hasattr(second, "queries"):
        queries = dict.fromkeys([*first.queries, *second.queries])
        return mean(of(_ids(first, query), _ids(second, query)) for query in queries)
    return of(Ranking(first).ids, Ranking(second).ids)


def _ids(run: Any, query: Hashable) -> list[Hashable]:
    ids: list[Hashable] = run[query].ids if query in run else []
    return ids


def mean(values: Iterable[float]) -> float:
    """NaN of nothing."""
    found = list(values)
    return sum(found) / len(found) if found else float("nan")
