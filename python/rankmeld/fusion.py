"""Reciprocal rank fusion."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex

from rankmeld._core import Method
from rankmeld._inputs import Weights, fused, listed, read_inputs
from rankmeld._options import TIES, as_integer, as_limit, as_number, choose
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking
from rankmeld.types import KINDS, Kind, Source

__all__ = [
    "DEFAULT_RRF_K",
    "STEEP_RRF_K",
    "KindFusion",
    "rrf",
    "rrf_by_kind",
    "rrf_preset",
]

#: The constant of the paper, with ranks from 1.
DEFAULT_RRF_K = 60.0

#: With ranks from 0, keeps one list's first hit above candidates that are middling in two.
STEEP_RRF_K = 5.0

#: Words of `duplicates`, the default first.
DUPLICATES = ("first", "sum", "last", "overwrite", "error")

#: Ranks beyond this are no longer told apart by a float.
_LARGEST_RANK_BASE = 2**53

Duplicates = Literal["first", "sum", "last", "overwrite", "error"]
Ties = Literal["first", "id_asc", "id_desc"]


def rrf(
    rankings: Iterable[Any],
    *,
    k: float = DEFAULT_RRF_K,
    rank_base: int = 1,
    weights: Weights | None = None,
    duplicates: Duplicates = "first",
    limit: SupportsIndex | None = None,
    ties: Ties = "first",
) -> Ranking:
    """Fuse rankings by reciprocal rank.

    ``score(d)`` is the sum of ``w / (k + position + rank_base)`` over the lists that hold ``d``,
    positions counted from 0. A list that does not hold it adds nothing. Scores of the lists are
    not looked at.

    Parameters
    ----------
    rankings : iterable of rankings
        Whatever `Ranking` takes, and `Source` for a list with a name and a weight.
    k : float, default 60.0
        Flattens the curve; finite, ``k + rank_base`` above zero.
    rank_base : int, default 1
        The rank of the first position.
    weights : sequence or mapping, optional
        One weight per list (``None`` is 1), or weights by name (names not given: 1). Finite and
        not negative. A list of weight 0 brings its candidates in, with no credit. Wins over the
        weights of sources.
    duplicates : {"first", "sum", "last", "overwrite", "error"}, default "first"
        What the same id twice in one list counts for: its best position, every position, its last
        position; ``"overwrite"`` lets a repeat replace all credit so far, from any list;
        ``"error"`` refuses it.
    limit : int, optional
        How many hits to give; ``None`` gives all. It only cuts the output.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal scores: first seen (list by list, best first), or the id.

    Returns
    -------
    Ranking
        Best first. Of several documents for one id the first seen is kept;
        ``metadata["matched_chunk"]`` comes from the first list that has one.

    Raises
    ------
    TypeError
        An argument is of the wrong kind, an id cannot be hashed, or ids that tie cannot be
        compared.
    InvalidArgumentError
        An option has a value that is not allowed, an id is NaN, or an id repeats under
        ``duplicates="error"``.

    See Also
    --------
    rrf_preset : The options that reproduce other systems' numbers.
    fuse_scores : Fusion by score.

    Notes
    -----
    Sums are exactly rounded, so the order of the lists changes no bit of a score and mirrored
    ranks tie exactly. Linear in the entries, plus the sort of the candidates (a selection only,
    where `limit` is small).

    References
    ----------
    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods", SIGIR 2009.

    Examples
    --------
    >>> import rankmeld as rm
    >>> fused = rm.rrf([["d1", "d2", "d3"], ["d3", "d4"]])
    >>> fused.ids
    ['d3', 'd1', 'd2', 'd4']
    >>> fused[0].score == 1 / 61 + 1 / 63
    True
    """
    method = reciprocal(k, rank_base)
    choose(duplicates, DUPLICATES, "duplicates")
    count = as_limit(limit)
    choose(ties, TIES, "ties")
    return fused(read_inputs(rankings, weights), method, "rrf", "sum", "sum", duplicates, count, ties)


def reciprocal(k: float, rank_base: int) -> Method:
    """The core's method for these options, which are checked here."""
    if type(k) is float and type(rank_base) is int and 0 <= rank_base < k < _LARGEST_RANK_BASE:
        return Method.reciprocal(k, rank_base)  # as nearly always
    k = as_number(k, "k")
    base = as_integer(rank_base, "rank_base")
    if abs(base) > _LARGEST_RANK_BASE:
        raise InvalidArgumentError(f"rank_base is {base}; it must lie within -2**53 and 2**53")
    if not k + base > 0.0:
        raise InvalidArgumentError(
            f"k + rank_base is {k} + {base}; it must be above zero, or the first rank has no credit"
        )
    return Method.reciprocal(k, base)


_PRESETS: dict[str, dict[str, Any]] = {
    **{
        name: {"k": 60.0, "rank_base": 1}
        for name in ("textbook", "elasticsearch", "opensearch", "milvus", "lancedb", "ranx")
    },
    "langchain": {"k": 60.0, "rank_base": 1, "duplicates": "sum"},
    "llama_index": {"k": 60.0, "rank_base": 0},
    "weaviate": {"k": 60.0, "rank_base": 0},
    "haystack": {"k": 61.0, "rank_base": 0},
    "qdrant": {"k": 2.0, "rank_base": 0},
    "steep": {"k": STEEP_RRF_K, "rank_base": 0},
}


def rrf_preset(name: str) -> dict[str, Any]:
    """The options of `rrf` that reproduce another system's numbers.

    Parameters
    ----------
    name : str
        ``"textbook"``, ``"elasticsearch"``, ``"opensearch"``, ``"milvus"``, ``"lancedb"``,
        ``"ranx"``, ``"langchain"``, ``"llama_index"``, ``"weaviate"``, ``"haystack"`` (whose
        scores are these, rescaled), ``"qdrant"`` or ``"steep"``.

    Returns
    -------
    dict
        Keyword arguments; a new dict each time.

    Raises
    ------
    InvalidArgumentError
        The name is not known.

    Examples
    --------
    >>> rrf_preset("qdrant")
    {'k': 2.0, 'rank_base': 0}
    >>> rrf([["a"], ["a"]], **rrf_preset("qdrant"))[0].score
    1.0
    """
    return dict(_PRESETS[choose(name, tuple(_PRESETS), "name")])


@dataclass(frozen=True, slots=True)
class KindFusion:
    """Fusions of several kinds of hits, side by side.

    Attributes
    ----------
    rankings : dict
        For each kind that was given (``"chunk"``, ``"node"``, ``"edge"``) its fused ranking.
    total : float
        The sum of the kinds' top scores; a kind that was not given, or is empty, adds 0.
    """

    rankings: dict[Kind, Ranking]
    total: float


def rrf_by_kind(
    sources: Iterable[Any],
    *,
    k: float = DEFAULT_RRF_K,
    rank_base: int = 1,
    weights: Weights | None = None,
    duplicates: Duplicates = "first",
    limit: SupportsIndex | None = None,
    ties: Ties = "first",
) -> KindFusion:
    """Fuse passages, nodes and edges apart.

    Parameters
    ----------
    sources : iterable of Source
        Lists with their `Source.kind`; a ranking without one is of kind ``"chunk"``.
    k, rank_base, duplicates, ties
        As in `rrf`.
    weights : sequence or mapping, optional
        By index over all sources, or by name.
    limit : int, optional
        How many hits to give of each kind.

    Returns
    -------
    KindFusion
        A ranking for each kind given, and the sum of their top scores, which `limit` does not
        touch.

    Raises
    ------
    TypeError, InvalidArgumentError
        As in `rrf`.

    Examples
    --------
    >>> found = rrf_by_kind([Source("text", ["d1"]), Source("graph", ["n1"], kind="node")])
    >>> found.rankings["node"].ids
    ['n1']
    >>> found.total == 2 / 61
    True
    """
    method = reciprocal(k, rank_base)
    choose(duplicates, DUPLICATES, "duplicates")
    count = as_limit(limit)
    choose(ties, TIES, "ties")
    given = listed(sources)
    lists, names, given_weights = read_inputs(given, weights)
    kinds = [item.kind if isinstance(item, Source) else KINDS[0] for item in given]
    rankings: dict[Kind, Ranking] = {}
    tops: list[float] = []
    for kind in dict.fromkeys(kinds):
        members = [index for index, other in enumerate(kinds) if other == kind]
        part = (
            [lists[index] for index in members],
            [names[index] for index in members],
            [given_weights[index] for index in members],
        )
        # All of it: the top score must not depend on the limit.
        ranking = fused(part, method, "rrf", "sum", "sum", duplicates, None, ties)
        if len(ranking):
            tops.append(ranking[0].score or 0.0)
        rankings[kind] = ranking[:count]
    return KindFusion(rankings, math.fsum(tops))
