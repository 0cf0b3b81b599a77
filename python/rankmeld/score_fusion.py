"""Fusing rankings by score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, SupportsIndex

import numpy as np

from rankmeld._core import Method
from rankmeld._inputs import Weights, fused, read_inputs
from rankmeld._options import TIES, as_limit, as_number, choose
from rankmeld.errors import InvalidArgumentError
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking
from rankmeld.types import Source

__all__ = ["DEFAULT_FUSION_ALPHA", "convex", "fuse_scores"]

#: Dense and lexical lists count the same.
DEFAULT_FUSION_ALPHA = 0.5

NORMALIZE = ("minmax", "max", "sum", "zscore", "dbsf", "rank", "borda", "none")
COMBINE = ("sum", "mnz", "anz", "max", "min", "median")
#: Words of `duplicates`, the default first.
DUPLICATES = ("sum", "first", "error")

#: Normalizations whose formula has no value for equal scores.
_WITH_CONSTANT = ("minmax", "sum", "zscore", "dbsf")

Normalize = Literal["minmax", "max", "sum", "zscore", "dbsf", "rank", "borda", "none"]
Combine = Literal["sum", "mnz", "anz", "max", "min", "median"]
Bounds = Sequence[tuple[float, float] | None]


def fuse_scores(
    rankings: Iterable[Any],
    *,
    normalize: Normalize = "minmax",
    combine: Combine = "sum",
    weights: Weights | None = None,
    on_constant: float | None = None,
    bounds: Bounds | None = None,
    duplicates: Literal["sum", "first", "error"] = "sum",
    limit: SupportsIndex | None = None,
    ties: Ties = "first",
) -> Ranking:
    """Fuse rankings by score: bring each list onto one scale, weight it, combine.

    Parameters
    ----------
    rankings : iterable of rankings
        As in `rrf`, with a finite score for every hit (not needed for ``"rank"`` and ``"borda"``).
    normalize : str, default "minmax"
        With s a score, n the list's length, N the number of candidates:

        - ``"minmax"``: ``(s - min) / (max - min)``, 1 where all are equal;
        - ``"max"``: ``s / max``, all 0 where the maximum is not above zero;
        - ``"sum"``: ``(s - min) / sum(s - min)``, 0 where all are equal;
        - ``"zscore"``: ``(s - mean) / deviation`` (population), 0 where all are equal;
        - ``"dbsf"``: ``(s - (mean - 3 d)) / (6 d)``, d the sample deviation, clipped to 0..1,
          0.5 where all are equal;
        - ``"rank"``: ``1 - position / n``; ``"borda"``: ``1 - position / N``, and
          ``0.5 - (n - 1) / (2 N)`` from a list that does not hold the document (in sums only);
        - ``"none"``: the score itself.
    combine : {"sum", "mnz", "anz", "max", "min", "median"}, default "sum"
        Of weighted values: their sum, that times (``"mnz"``) or over (``"anz"``) the number of
        lists that hold the document, or the largest, smallest or median over those lists.
    weights : sequence or mapping, optional
        As in `rrf`. A list of weight 0 brings its candidates in and is not counted.
    on_constant : float, optional
        What a list of one hit, or of equal scores, gets instead (``"minmax"``, ``"sum"``,
        ``"zscore"`` and ``"dbsf"``; 0 is what ranx and LanceDB do, 0.5 Qdrant).
    bounds : sequence of (low, high) or None, optional
        Known ranges, one per list, instead of the observed ones (``"minmax"`` only), as ``(0, 1)``
        for cosine; values are clipped to 0..1. ``None``: observed. The worst hit of a short list
        is then not worthless.
    duplicates : {"sum", "first", "error"}, default "sum"
        What the same id twice in one list counts for. Range, length and positions are always those
        of the whole list.
    limit, ties
        As in `rrf`.

    Returns
    -------
    Ranking
        Best first.

    Raises
    ------
    InvalidScoreError
        A score is absent, NaN or infinite, or a fused score is not finite.
    TypeError, InvalidArgumentError
        As in `rrf`; also for `bounds` and `on_constant` where they have no effect.

    Notes
    -----
    Nothing overflows or vanishes on the way: the answer is that of exact arithmetic. Linear in the
    entries, plus the sort of the candidates.

    References
    ----------
    Fox and Shaw, "Combination of Multiple Searches", TREC-2, 1994 (the combinations). Borda: see
    `fuse_ranks`.

    Examples
    --------
    >>> dense = [("d1", 0.82), ("d2", 0.80), ("d3", 0.42)]
    >>> lexical = {"d2": 11.0, "d4": 3.0}
    >>> fuse_scores([dense, lexical]).ids
    ['d2', 'd1', 'd3', 'd4']
    >>> fuse_scores([dense, lexical], bounds=[(0, 1), None])[0].score
    1.8
    """
    choose(normalize, NORMALIZE, "normalize")
    choose(combine, COMBINE, "combine")
    constant = as_constant(on_constant, normalize)
    if bounds is not None and normalize != "minmax":
        raise InvalidArgumentError(
            f"bounds has no effect with normalize={normalize!r}; it goes with 'minmax' only"
        )
    choose(duplicates, DUPLICATES, "duplicates")
    count = as_limit(limit)
    choose(ties, TIES, "ties")
    inputs = read_inputs(rankings, weights)
    ranges = as_bounds(bounds, len(inputs[0]))
    return fused(
        inputs,
        score_method(normalize, constant, ranges),
        normalize,
        combine,
        combine,
        duplicates,
        count,
        ties,
    )


def convex(
    dense: Any,
    lexical: Any,
    *,
    alpha: float = DEFAULT_FUSION_ALPHA,
    normalize: Normalize = "minmax",
    on_constant: float | None = None,
    bounds: Bounds | None = None,
    duplicates: Literal["sum", "first", "error"] = "sum",
    limit: SupportsIndex | None = None,
    ties: Ties = "first",
) -> Ranking:
    """Fuse a dense and a lexical ranking as a convex combination of their scores.

    ``alpha * dense + (1 - alpha) * lexical`` over normalized scores; a list that does not hold a
    document adds nothing.

    Parameters
    ----------
    dense, lexical : ranking
        With scores; see `Ranking`.
    alpha : float, default 0.5
        Weight of the dense list, within 0..1.
    normalize, on_constant, bounds, duplicates, limit, ties
        As in `fuse_scores`.

    Returns
    -------
    Ranking
        Best first.

    Raises
    ------
    TypeError, InvalidArgumentError, InvalidScoreError
        As in `fuse_scores`; also for `alpha` outside 0..1.

    References
    ----------
    Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023.

    Examples
    --------
    >>> convex({"d1": 0.9, "d2": 0.7}, {"d2": 12.0, "d3": 4.0}, alpha=0.6).ids
    ['d1', 'd2', 'd3']
    """
    share = as_number(alpha, "alpha")
    if not 0.0 <= share <= 1.0:
        raise InvalidArgumentError(f"alpha is {share}; it must lie within 0 and 1")
    return fuse_scores(
        [_source("dense", dense), _source("lexical", lexical)],
        normalize=normalize,
        weights=[share, 1.0 - share],
        on_constant=on_constant,
        bounds=bounds,
        duplicates=duplicates,
        limit=limit,
        ties=ties,
    )


def _source(name: str, ranking: Any) -> Source:
    """Under its own name, where it has one."""
    if isinstance(ranking, Source):
        return ranking
    given = ranking.name if isinstance(ranking, Ranking) else None
    return Source(name if given is None else given, ranking)


def score_method(normalize: str, constant: float | None, ranges: list[tuple[float, float] | None]) -> Method:
    """The core's method for these options, which are checked."""
    match normalize:
        case "rank":
            return Method.linear()
        case "borda":
            return Method.borda(points=False)
        case _:
            return Method.scores(normalize, constant, ranges)


def as_constant(value: float | None, normalize: str) -> float | None:
    """What lists of equal scores get; refused where there is a value for them."""
    if value is None:
        return None
    if normalize not in _WITH_CONSTANT:
        words = ", ".join(repr(word) for word in _WITH_CONSTANT)
        raise InvalidArgumentError(
            f"on_constant has no effect with normalize={normalize!r}; it goes with {words}"
        )
    return as_number(value, "on_constant")


def as_bounds(bounds: Any, lists: int, what: str = "ranking") -> list[tuple[float, float] | None]:
    """One range or `None` for each list; `what` is how messages call those."""
    if bounds is None:
        return [None] * lists
    if not isinstance(bounds, Sequence | np.ndarray) or isinstance(bounds, str | bytes):
        raise TypeError(
            f"bounds must be a sequence with a pair (low, high) or None for each {what}, "
            f"not {type(bounds).__name__}"
        )
    if len(bounds) != lists:
        raise InvalidArgumentError(
            f"bounds has {len(bounds)} entries for {lists} {what}s; give exactly one for each "
            "(None: the observed range)"
        )
    return [_as_range(pair, f"bounds[{index}]") for index, pair in enumerate(bounds)]


def _as_range(pair: tuple[float, float] | None, name: str) -> tuple[float, float] | None:
    if pair is None:
        return None
    try:
        low, high = pair
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a pair (low, high) or None, not {pair!r}") from None
    low, high = as_number(low, f"{name}[0]"), as_number(high, f"{name}[1]")
    if not low < high:
        raise InvalidArgumentError(f"{name} is ({low}, {high}); low must be below high")
    return low, high
