"""Fusing rankings by position: the other methods of the literature."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, SupportsIndex

from rankmeld._core import Method
from rankmeld._inputs import Weights, fused, read_inputs
from rankmeld._options import TIES, as_limit, as_number, choose
from rankmeld.errors import InvalidArgumentError
from rankmeld.fusion import DEFAULT_RRF_K, Ties, reciprocal
from rankmeld.ranking import Ranking

__all__ = ["fuse_ranks"]

RANK_METHODS = ("isr", "log_isr", "logn_isr", "borda", "rbc", "condorcet", "rrf")

#: Words of `duplicates`, the default first.
DUPLICATES = ("first", "last", "error")

#: How each method's credits become a score.
COMBINATIONS = {
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
    choose(method, RANK_METHODS, "method")
    core_method = rank_method(method, k, rank_base, phi)
    combine, combination = COMBINATIONS.get(method, ("sum", "sum"))
    choose(duplicates, DUPLICATES, "duplicates")
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


def rank_method(method: str, k: float | None, rank_base: int | None, phi: float | None) -> Method:
    """The core's method; options that it has no use for are refused."""
    wanted = {"rrf": ("k", "rank_base"), "rbc": ("phi",)}.get(method, ())
    for name, value in (("k", k), ("rank_base", rank_base), ("phi", phi)):
        if value is not None and name not in wanted:
            raise InvalidArgumentError(f"{name} is {value!r}, but method {method!r} has no use for it")
    match method:
        case "rrf":
            return reciprocal(DEFAULT_RRF_K if k is None else k, 1 if rank_base is None else rank_base)
        case "rbc":
            persistence = 0.8 if phi is None else as_number(phi, "phi")
            if not 0.0 <= persistence <= 1.0:
                raise InvalidArgumentError(f"phi is {persistence}; it must lie within 0 and 1")
            return Method.rank_biased(persistence)
        case "borda":
            return Method.borda(points=True)
        case "condorcet":
            return Method.condorcet()
        case "isr" | "log_isr" | "logn_isr":
            return Method.inverse_square()
        case _:  # every word of RANK_METHODS has its case
            raise AssertionError(method)
