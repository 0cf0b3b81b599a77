"""Fusing the rankings of several runs, query by query."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._core import Method
from rankmeld._inputs import Weights, settle_weights
from rankmeld._options import TIES, as_limit, choose, threads_for
from rankmeld.errors import InvalidArgumentError
from rankmeld.fusion import DUPLICATES as RRF_DUPLICATES
from rankmeld.fusion import Ties
from rankmeld.rank_fusion import COMBINATIONS, RANK_METHODS, rank_method
from rankmeld.rank_fusion import DUPLICATES as RANK_DUPLICATES
from rankmeld.runs.columns import Columns
from rankmeld.runs.run import Run
from rankmeld.score_fusion import COMBINE, NORMALIZE, Bounds, Combine, as_bounds, as_constant, score_method
from rankmeld.score_fusion import DUPLICATES as SCORE_DUPLICATES

__all__ = ["fuse_runs"]

#: What `method` can be: the two contracts share the word ``borda``.
_METHODS = tuple(dict.fromkeys(("rrf", *NORMALIZE, *RANK_METHODS)))

#: Hits that are worth a thread of their own: some milliseconds of work.
_HITS_FOR_A_THREAD = 50_000

FusionMethod = Literal[
    "rrf",
    "minmax",
    "max",
    "sum",
    "zscore",
    "dbsf",
    "rank",
    "borda",
    "none",
    "isr",
    "log_isr",
    "logn_isr",
    "rbc",
    "condorcet",
]


def fuse_runs(
    runs: Iterable[Run | Mapping[Any, Any]],
    *,
    method: FusionMethod = "rrf",
    combine: Combine | None = None,
    k: float | None = None,
    rank_base: int | None = None,
    phi: float | None = None,
    on_constant: float | None = None,
    bounds: Bounds | None = None,
    weights: Weights | None = None,
    duplicates: Literal["first", "sum", "last", "overwrite", "error"] | None = None,
    limit: SupportsIndex | None = None,
    ties: Ties = "first",
    threads: int | None = None,
) -> Run:
    """Fuse the rankings that several runs have for each query.

    Each query is fused as `rrf`, `fuse_scores` or `fuse_ranks` would fuse its rankings, to the same bits,
    whatever the number of threads.

    Parameters
    ----------
    runs : iterable of Run
        Or of mappings, which are read as `Run.from_dict` reads them. A run without a query brings nothing
        to it. Queries come in first-seen order, run by run.
    method : str, default "rrf"
        ``"rrf"``; one of `fuse_scores` (``"minmax"``, ``"max"``, ``"sum"``, ``"zscore"``, ``"dbsf"``,
        ``"rank"``, ``"none"``), with `combine`; or one of `fuse_ranks` (``"isr"``, ``"log_isr"``,
        ``"logn_isr"``, ``"borda"``, ``"rbc"``, ``"condorcet"``). ``"borda"`` with `combine` is that of
        `fuse_scores`, in shares of 1 instead of points.
    combine : {"sum", "mnz", "anz", "max", "min", "median"}, optional
        As in `fuse_scores`, ``"sum"`` by default; for its methods only.
    k, rank_base : float and int, optional
        As in `rrf` (60.0 and 1), which alone has a use for them.
    phi : float, optional
        As in `fuse_ranks` (0.8), for ``"rbc"`` only.
    on_constant, bounds
        As in `fuse_scores`, and for its methods only.
    weights : sequence or mapping, optional
        One weight per run (``None`` is 1), or weights by the runs' names, as in `rrf`.
    duplicates : str, optional
        What a document twice for one query of a run counts for; words and default are those of `rrf`,
        `fuse_scores` or `fuse_ranks`. Runs from files have none.
    limit, ties
        As in `rrf`, for each query.
    threads : int, optional
        How many threads share the queries. ``None``: as many as the machine has, where there are enough
        hits.

    Returns
    -------
    Run
        The fused rankings, without a name. They hold ids and scores; to have one explained, fuse that
        query's rankings, ``[run[query] for run in runs]``, with the function for one query.

    Raises
    ------
    TypeError, InvalidArgumentError, InvalidScoreError
        As the function for one query; messages name run, query and id.

    Notes
    -----
    Ids that runs hold apart are brought together once; what follows counts in numbers, without the
    interpreter. Linear in the hits, plus the sort of each query's candidates.

    Examples
    --------
    >>> import rankmeld as rm
    >>> bm25 = rm.Run.from_dict({"q1": {"d1": 12.0, "d2": 3.0}}, name="bm25")
    >>> dense = rm.Run.from_dict({"q1": {"d2": 0.8}, "q2": {"d3": 0.7}}, name="dense")
    >>> fused = rm.fuse_runs([bm25, dense], method="minmax", weights={"dense": 2.0})
    >>> {query: ranking.ids for query, ranking in fused.items()}
    {'q1': ['d2', 'd1'], 'q2': ['d3']}
    """
    plan = _plan(
        method,
        combine,
        duplicates,
        bounds,
        {"k": k, "rank_base": rank_base, "phi": phi, "on_constant": on_constant},
    )
    count = as_limit(limit)
    choose(ties, TIES, "ties")
    threads_for(threads, 0, _HITS_FOR_A_THREAD)
    given = _runs(runs)
    names = [run.name for run in given]
    settled = [1.0] * len(given) if weights is None else settle_weights(weights, names, "run")
    core_method = plan.method(len(given))
    queries = list(dict.fromkeys(query for run in given for query in run))
    hits = sum(len(run._columns.codes) for run in given)
    ids, (offsets, codes, scores) = _core.fuse_runs(
        [(run._columns.ids, run._columns.numbers, _rows(run, queries)) for run in given],
        names,
        queries,
        settled,
        core_method,
        plan.combine,
        plan.duplicates,
        count,
        ties,
        threads_for(threads, hits, _HITS_FOR_A_THREAD),
    )
    return Run._of(Columns(queries, offsets, ids, codes, scores))


class _Plan(NamedTuple):
    """What the options come to, which have been checked."""

    #: The core's method for so many runs.
    method: Callable[[int], Method]
    combine: str
    duplicates: str


def _plan(
    method: str, combine: str | None, duplicates: str | None, bounds: Bounds | None, given: dict[str, Any]
) -> _Plan:
    """The plan for a word that is one of `fuse_ranks`, or else one of `fuse_scores`."""
    choose(method, _METHODS, "method")
    if combine is None and method in RANK_METHODS:
        words = RRF_DUPLICATES if method == "rrf" else RANK_DUPLICATES
        _refuse(method, bounds=bounds, on_constant=given["on_constant"])
        fixed = rank_method(method, given["k"], given["rank_base"], given["phi"])
        combination, _ = COMBINATIONS.get(method, ("sum", "sum"))
        return _Plan(lambda _: fixed, combination, _rule(duplicates, words))
    if method not in NORMALIZE:
        _refuse(method, combine=combine)
    combination = "sum" if combine is None else choose(combine, COMBINE, "combine")
    _refuse(method, k=given["k"], rank_base=given["rank_base"], phi=given["phi"])
    constant = as_constant(given["on_constant"], method)
    if method != "minmax":
        _refuse(method, bounds=bounds)
    return _Plan(
        lambda runs: score_method(method, constant, as_bounds(bounds, runs, "run")),
        combination,
        _rule(duplicates, SCORE_DUPLICATES),
    )


def _rule(duplicates: str | None, words: tuple[str, ...]) -> str:
    return words[0] if duplicates is None else choose(duplicates, words, "duplicates")


def _refuse(method: str, **options: object) -> None:
    """Refuse options that the method has no use for."""
    for name, value in options.items():
        if value is not None:
            raise InvalidArgumentError(f"{name} is {value!r}, but method {method!r} has no use for it")


def _runs(runs: Any) -> list[Run]:
    if isinstance(runs, Mapping | str | bytes):
        raise TypeError(
            f"runs must be a list of runs, not a {type(runs).__name__}; to pass one run alone, write [run]"
        )
    try:
        given = list(runs)
    except TypeError:
        raise TypeError(f"runs must be a list of runs, not {type(runs).__name__}") from None
    for index, run in enumerate(given):
        if not isinstance(run, Mapping):
            raise TypeError(
                f"runs[{index}] is a {type(run).__name__}, where a run belongs: a rankmeld.Run, or a mapping"
                " of query id to ranking"
            )
    return [Run.from_dict(run) for run in given]


def _rows(run: Run, queries: list[Hashable]) -> npt.NDArray[np.int64]:
    """The place that each query has in a run, -1 where it has none."""
    rows = run._rows
    return np.fromiter((rows.get(query, -1) for query in queries), np.int64, len(queries))
