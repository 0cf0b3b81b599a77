"""Reading runs and judgements: a `Run`, `Qrels`, or plain mappings by query."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from rankmeld import _core
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking

__all__ = ["as_judgements", "as_rankings", "ids_in_order", "named_runs"]


def as_rankings(run: Any, name: str = "run") -> Mapping[Hashable, Any]:
    """A mapping of query to ranking; each is read when it is asked for."""
    if not isinstance(run, Mapping) and not hasattr(run, "queries"):
        raise TypeError(
            f"{name} must be a Run or a mapping of query to ranking, not {type(run).__name__}; a file is "
            "read by Run.from_trec"
        )
    found: Mapping[Hashable, Any] = run
    return found


def named_runs(runs: Any) -> dict[str, Any]:
    """Several runs by name: of a mapping, or by the names that they have, or by their places."""
    if isinstance(runs, Mapping) and not hasattr(runs, "queries"):
        named = {str(name): as_rankings(run, f"runs[{name!r}]") for name, run in runs.items()}
    elif isinstance(runs, Iterable) and not hasattr(runs, "queries"):
        named = {}
        for place, run in enumerate(runs):
            name = getattr(run, "name", None) or f"run {place}"
            if name in named:
                raise InvalidArgumentError(f"two runs have the name {name!r}; pass them as {{name: run}}")
            named[name] = as_rankings(run, f"runs[{place}]")
    else:
        raise TypeError(f"runs must be a mapping {{name: run}} or a list of runs, not {type(runs).__name__}")
    if not named:
        raise InvalidArgumentError("runs is empty; there is nothing to compare")
    return named


def as_judgements(qrels: Any) -> Mapping[Hashable, Mapping[Hashable, float]]:
    """A mapping of query to grades by document id."""
    if not isinstance(qrels, Mapping):
        raise TypeError(
            f"qrels must be Qrels or a mapping {{query: {{id: grade}}}}, not {type(qrels).__name__}; a file "
            "is read by Qrels.from_trec"
        )
    for query, grades in qrels.items():
        if not isinstance(grades, Mapping):
            raise TypeError(
                f"qrels of query {query!r} must be a mapping {{id: grade}}, not {type(grades).__name__}"
            )
    return qrels


def ids_in_order(ranking: Any, query: Hashable, ties: str) -> list[Hashable]:
    """The ids of a ranking, best first; hits of equal score in the order that `ties` says."""
    try:
        read = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    except (TypeError, ValueError) as error:
        error.add_note(f"in the run's ranking for query {query!r}")
        raise
    ids, scores = read.ids, read.scores
    if ties != "first" and scores is not None and (scores[1:] == scores[:-1]).any():
        # The order stands; only neighbours of equal score change places.
        levels = -np.concatenate(([0], np.cumsum(scores[1:] != scores[:-1]))).astype(np.float64)
        ids = [ids[place] for place in _core.order(levels, ids, None, ties)]
    if len(set(ids)) < len(ids):
        repeated = next(id for place, id in enumerate(ids) if id in ids[:place])
        raise InvalidArgumentError(
            f"the run's ranking for query {query!r} has {repeated!r} twice, which would count it twice; pass "
            "it through dedup, or fuse with another `duplicates`"
        )
    return ids
