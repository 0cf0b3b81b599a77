"""Several runs side by side: what each brings, what they share, and what looks wrong."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, SupportsIndex

from rankmeld.evaluation.agreement import (
    as_depth,
    as_persistence,
    mean,
    overlap_of,
    rank_biased_overlap_of,
)
from rankmeld.evaluation.inputs import named_runs
from rankmeld.evaluation.measures import Difference, Evaluation, evaluate
from rankmeld.ranking import Ranking

__all__ = ["Diagnosis", "LegDiagnosis", "PairDiagnosis", "diagnose"]

#: Two runs that share no id in so many of their queries are told about.
_DISJOINT = 0.9

#: A run that lacks so many of the queries is told about.
_ABSENT = 0.1


@dataclass(frozen=True, slots=True)
class LegDiagnosis:
    """What one run brings.

    Attributes
    ----------
    name : str
        The run's.
    queries : int
        How many it answers.
    hits : float
        How many hits it has for a query that it answers, on average.
    unique : float
        The share of the ids among its first `depth` that no other run has at all.
    alone : float or None
        The measure of the run by itself; ``None`` without judgements.
    contribution : Difference or None
        What the fusion of all runs gains on the fusion of the others; ``None`` without judgements, or for a
        run that is the only one. Below 0, the fusion is better without it.
    """

    name: str
    queries: int
    hits: float
    unique: float
    alone: float | None
    contribution: Difference | None


@dataclass(frozen=True, slots=True)
class PairDiagnosis:
    """What two runs have in common, on average over the queries that both answer.

    Attributes
    ----------
    first, second : str
        Their names.
    overlap : float
        `rankmeld.overlap` of the first `depth` hits.
    rank_biased_overlap : float
        `rankmeld.rank_biased_overlap` of all hits.
    disjoint : float
        The share of those queries for which they have no id in common at all.
    """

    first: str
    second: str
    overlap: float
    rank_biased_overlap: float
    disjoint: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What `diagnose` found.

    Attributes
    ----------
    legs : tuple of LegDiagnosis
        One for each run.
    pairs : tuple of PairDiagnosis
        One for each two of them.
    fused : Evaluation or None
        Of the fusion of all; ``None`` without judgements.
    warnings : tuple of str
        What looks wrong, in sentences.
    measure : str
        What was measured.
    """

    legs: tuple[LegDiagnosis, ...]
    pairs: tuple[PairDiagnosis, ...]
    fused: Evaluation | None
    warnings: tuple[str, ...]
    measure: str

    def __str__(self) -> str:
        """Lines of text, the warnings first."""
        lines = [f"warning: {warning}" for warning in self.warnings]
        for leg in self.legs:
            measured = "" if leg.alone is None else f", {self.measure} {leg.alone:.3f}"
            brings = "" if leg.contribution is None else f", brings {leg.contribution}"
            lines.append(
                f"{leg.name}: {leg.queries} queries, {leg.hits:.0f} hits, {leg.unique:.0%} unique"
                f"{measured}{brings}"
            )
        lines.extend(
            f"{pair.first} and {pair.second}: overlap {pair.overlap:.2f}, "
            f"rank-biased {pair.rank_biased_overlap:.2f}"
            for pair in self.pairs
        )
        return "\n".join(lines)


def diagnose(
    runs: Mapping[str, Any] | Iterable[Any],
    qrels: Any = None,
    *,
    fuse: Callable[[list[Any]], Any] | None = None,
    measure: str = "nDCG@10",
    depth: SupportsIndex = 10,
    p: float = 0.9,
) -> Diagnosis:
    """Say what each of several runs brings to their fusion, and what looks wrong.

    Parameters
    ----------
    runs : mapping of name to run, or iterable of runs
        As `evaluate` takes each. Without names, a run's own name or its place is shown.
    qrels : Qrels, or mapping of query to ``{id: grade}``, optional
        Without it, nothing is measured.
    fuse : callable, optional
        ``fuse(runs) -> run``; by default `rankmeld.fuse_runs` with reciprocal ranks.
    measure : str, default "nDCG@10"
        As `evaluate` takes it.
    depth : int, default 10
        How many first hits are compared for overlap and uniqueness.
    p : float, default 0.9
        See `rank_biased_overlap`.

    Returns
    -------
    Diagnosis
        Among its warnings: two runs whose ids have nothing in common, which usually are of two collections,
        or write ids differently; a run that lacks many queries; one that makes the fusion worse.

    Raises
    ------
    InvalidArgumentError
        There are no runs, or two of one name; or what `evaluate` raises.

    Examples
    --------
    >>> import rankmeld as rm
    >>> found = rm.diagnose({"lexical": {"q": ["d1", "d2"]}, "dense": {"q": [1, 2]}})
    >>> print(found.warnings[0])
    lexical and dense have no id in common in 1 of 1 queries; ids are such as 'd1' and 1
    """
    wanted, persistence = as_depth(depth), as_persistence(p)
    named = named_runs(runs)
    ids = {name: _ids(name, run) for name, run in named.items()}
    queries = list(dict.fromkeys(query for lists in ids.values() for query in lists))
    pairs = tuple(_pair(first, second, ids, wanted, persistence) for first, second in combinations(named, 2))
    fused, alone, contributions = None, dict.fromkeys(named), dict.fromkeys(named)
    if qrels is not None:
        join = _default if fuse is None else fuse
        fused, alone, contributions = _measured(named, qrels, join, measure)
    legs = tuple(
        LegDiagnosis(
            name,
            len(lists),
            mean(len(list_) for list_ in lists.values()),
            _unique(name, ids, wanted),
            alone[name],
            contributions[name],
        )
        for name, lists in ids.items()
    )
    return Diagnosis(legs, pairs, fused, tuple(_warnings(legs, pairs, ids, len(queries))), measure)


def _ids(name: str, run: Any) -> dict[Hashable, list[Hashable]]:
    found = {}
    for query in run:
        try:
            found[query] = list(dict.fromkeys(Ranking(run[query]).ids))
        except (TypeError, ValueError) as error:
            error.add_note(f"in the ranking of run {name!r} for query {query!r}")
            raise
    return found


def _pair(first: str, second: str, ids: Mapping[str, Any], depth: int | None, p: float) -> PairDiagnosis:
    both = [(ids[first][query], ids[second][query]) for query in ids[first] if query in ids[second]]
    return PairDiagnosis(
        first,
        second,
        mean(overlap_of(a, b, depth) for a, b in both),
        mean(rank_biased_overlap_of(a, b, p, None) for a, b in both),
        mean(float(bool(a) and bool(b) and not set(a) & set(b)) for a, b in both),
    )


def _unique(name: str, ids: Mapping[str, Any], depth: int | None) -> float:
    own = others = 0
    for query, list_ in ids[name].items():
        theirs = {id for other, lists in ids.items() if other != name for id in lists.get(query, ())}
        head = list_[:depth]
        own += len(head)
        others += sum(id in theirs for id in head)
    return (own - others) / own if own else float("nan")


def _default(runs: list[Any]) -> Any:
    from rankmeld.runs import fuse_runs  # noqa: PLC0415 - not needed by who brings a fusion

    return fuse_runs(runs)


def _measured(
    named: Mapping[str, Any], qrels: Any, fuse: Callable[[list[Any]], Any], measure: str
) -> tuple[Evaluation, dict[str, float | None], dict[str, Difference | None]]:
    fused = evaluate(fuse(list(named.values())), qrels, [measure])
    alone: dict[str, float | None] = {}
    contributions: dict[str, Difference | None] = {}
    for name, run in named.items():
        alone[name] = evaluate(run, qrels, [measure]).mean[measure]
        others = [other for other_name, other in named.items() if other_name != name]
        contributions[name] = None
        if others:
            contributions[name] = fused.difference(evaluate(fuse(others), qrels, [measure]), measure)
    return fused, alone, contributions


def _warnings(
    legs: Iterable[LegDiagnosis], pairs: Iterable[PairDiagnosis], ids: Mapping[str, Any], queries: int
) -> Iterable[str]:
    for pair in pairs:
        first, second = ids[pair.first], ids[pair.second]
        common = [query for query in first if query in second]
        if not common and first and second:
            yield (
                f"{pair.first} and {pair.second} have no query in common; queries are such as "
                f"{next(iter(first))!r} and {next(iter(second))!r}"
            )
        elif pair.disjoint >= _DISJOINT:
            shown = [next(id for lists in run.values() for id in lists) for run in (first, second)]
            yield (
                f"{pair.first} and {pair.second} have no id in common in "
                f"{round(pair.disjoint * len(common))} of {len(common)} queries; ids are such as "
                f"{shown[0]!r} and {shown[1]!r}"
            )
    for leg in legs:
        if leg.queries < queries * (1.0 - _ABSENT):
            yield f"{leg.name} answers {leg.queries} of {queries} queries"
        if leg.contribution is not None and leg.contribution.high < 0:
            yield f"the fusion is better without {leg.name}: it brings {leg.contribution}"
