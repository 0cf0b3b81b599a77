"""Fusing rankings by position: reciprocal rank fusion and its relatives."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex

from rankmeld._core import Method
from rankmeld._inputs import Inputs, Weights, fused, listed, read_inputs
from rankmeld._options import TIES, as_integer, as_limit, as_number, choose
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking
from rankmeld.types import KINDS, Kind, Source

__all__ = [
    "DEFAULT_RRF_K",
    "STEEP_RRF_K",
    "KindFusion",
    "fuse_ranks",
    "rrf",
    "rrf_by_kind",
    "rrf_preset",
]

#: The constant of the paper, with ranks from 1.
DEFAULT_RRF_K = 60.0

#: With ranks from 0, keeps one list's first hit above candidates that are middling in two.
STEEP_RRF_K = 5.0

_DUPLICATES = ("first", "sum", "last", "overwrite", "error")

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
    method = _reciprocal(k, rank_base)
    choose(duplicates, _DUPLICATES, "duplicates")
    count = as_limit(limit)
    choose(ties, TIES, "ties")
    return fused(read_inputs(rankings, weights), method, "rrf", "sum", "sum", duplicates, count, ties)


def _reciprocal(k: float, rank_base: int) -> Method:
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
    method = _reciprocal(k, rank_base)
    choose(duplicates, _DUPLICATES, "duplicates")
    count = as_limit(limit)
    choose(ties, TIES, "ties")
    given = listed(sources)
    inputs = read_inputs(given, weights)
    kinds = [item.kind if isinstance(item, Source) else KINDS[0] for item in given]
    rankings: dict[Kind, Ranking] = {}
    tops: list[float] = []
    for kind in dict.fromkeys(kinds):
        members = [index for index, other in enumerate(kinds) if other == kind]
        part = Inputs(
            [inputs.rankings[index] for index in members],
            [inputs.names[index] for index in members],
            [inputs.weights[index] for index in members],
        )
        # All of it: the top score must not depend on the limit.
        ranking = fused(part, method, "rrf", "sum", "sum", duplicates, None, ties)
        if len(ranking):
            tops.append(ranking[0].score or 0.0)
        rankings[kind] = ranking[:count]
    return KindFusion(rankings, math.fsum(tops))


_RANK_METHODS = ("isr", "log_isr", "logn_isr", "borda", "rbc", "condorcet", "rrf")

#: How each method's credits become a score.
_COMBINATIONS = {
    "isr": ("mnz", "count * sum"),
    "log_isr": ("log", "ln(count) * sum"),
    "logn_isr": ("logn", "ln(count + 0.01) * sum"),
    "condorcet": ("sum", "pairwise majorities"),
}


def fuse_ranks(
    rankings: Iterable[Any],
    *,
    method: Literal["isr", "log_isr", "logn_isr", "borda", "rbc", "condorcet", "rrf"],
    k: float | None = None,
    rank_base: int | None = None,
    phi: float | None = None,
    weights: Weights | None = None,
    duplicates: Literal["first", "last", "error"] = "first",
    limit: SupportsIndex | None = None,
    ties: Ties = "first",
) -> Ranking:
    """Fuse rankings by one of the rank-based methods of the literature.

    Parameters
    ----------
    rankings : iterable of rankings
        As in `rrf`.
    method : {"isr", "log_isr", "logn_isr", "borda", "rbc", "condorcet", "rrf"}
        With r the rank from 1 and n the number of lists that hold the document:

        - ``"isr"``: ``n * sum(1 / r**2)``; ``"log_isr"``: ``ln(n) * sum(1 / r**2)``;
          ``"logn_isr"``: ``ln(n + 0.01) * sum(1 / r**2)``;
        - ``"borda"``: the sum of ``N - position`` over N candidates; a list that does not hold the
          document gives ``(N - length + 1) / 2``, the mean of what is left, an empty one nothing
          (`fuse_scores` has the same in shares of 1);
        - ``"rbc"``: ``sum((1 - phi) * phi**(r - 1))``;
        - ``"condorcet"``: how many others the document beats, a pair being decided by the
          (weighted) majority of lists; a list ranks what it does not hold below what it holds;
        - ``"rrf"``: as `rrf`.
    k, rank_base : float and int, optional
        For ``"rrf"`` only; 60.0 and 1 if not given.
    phi : float, optional
        For ``"rbc"`` only, within 0..1; 0.8 if not given.
    weights, limit, ties
        As in `rrf`. A list of weight 0 does not count in n.
    duplicates : {"first", "last", "error"}, default "first"
        As in `rrf`.

    Returns
    -------
    Ranking
        Best first.

    Raises
    ------
    TypeError, InvalidArgumentError
        As in `rrf`; also for an option that the method has no use for.

    Notes
    -----
    Linear in the entries but for ``"condorcet"``, which is quadratic in the candidates. The
    definitions are those of ranx; its ``condorcet`` breaks ties in hash order, this one by `ties`.

    References
    ----------
    Mourão, Martins and Magalhães, "NovaSearch at TREC 2013 Federated Web Search Track" (isr);
    Aslam and Montague, "Models for Metasearch", SIGIR 2001 (borda); Bailey, Moffat, Scholer and
    Thomas, "Retrieval Consistency in the Presence of Query Variations", SIGIR 2017 (rbc);
    Montague and Aslam, "Condorcet Fusion for Improved Retrieval", CIKM 2002.

    Examples
    --------
    >>> fuse_ranks([["a", "b"], ["b", "c"], ["b", "a"]], method="condorcet").ids
    ['b', 'a', 'c']
    """
    choose(method, _RANK_METHODS, "method")
    core_method = _rank_method(method, k, rank_base, phi)
    combine, combination = _COMBINATIONS.get(method, ("sum", "sum"))
    choose(duplicates, ("first", "last", "error"), "duplicates")
    count = as_limit(limit)
    choose(ties, TIES, "ties")
    return fused(
        read_inputs(rankings, weights),
        core_method,
        method,
        combine,
        combination,
        duplicates,
        count,
        ties,
    )


def _rank_method(method: str, k: float | None, rank_base: int | None, phi: float | None) -> Method:
    """The core's method; options that it has no use for are refused."""
    wanted = {"rrf": ("k", "rank_base"), "rbc": ("phi",)}.get(method, ())
    for name, value in (("k", k), ("rank_base", rank_base), ("phi", phi)):
        if value is not None and name not in wanted:
            raise InvalidArgumentError(f"{name} is {value!r}, but method {method!r} has no use for it")
    match method:
        case "rrf":
            return _reciprocal(DEFAULT_RRF_K if k is None else k, 1 if rank_base is None else rank_base)
        case "rbc":
            persistence = 0.8 if phi is None else as_number(phi, "phi")
            if not 0.0 <= persistence <= 1.0:
                raise InvalidArgumentError(f"phi is {persistence}; it must lie within 0 and 1")
            return Method.rank_biased(persistence)
        case "borda":
            return Method.borda(points=True)
        case "condorcet":
            return Method.condorcet()
        case _:
            return Method.inverse_square()
