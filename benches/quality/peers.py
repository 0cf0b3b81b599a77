"""ranx's fusions, with parameters that are fitted on other queries than they are measured on."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .data import Collection
from .measures import Figures

#: Those of its methods and normalizations that did best on these collections, and the usual ones.
_BY_SCORE = ("sum", "mnz", "wsum")
_BY_RANK = ("isr", "rrf", "rbc", "bordafuse")
_NORMALIZED = ("min-max", "max", "zmuv")

_PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "wsum": [{"weights": (tenths / 10, 1.0 - tenths / 10)} for tenths in range(2, 9)],
    "rrf": [{"k": k} for k in (1, 10, 60)],
    "rbc": [{"phi": phi} for phi in (0.4, 0.6, 0.8)],
}


def ways() -> Iterator[tuple[str, str | None, str, dict[str, Any]]]:
    """A name, and what ranx calls it."""
    for norm, method in itertools.product(_NORMALIZED, _BY_SCORE):
        for parameters in _PARAMETERS.get(method, [{}]):
            yield f"{method} of {norm}{_shown(parameters)}", norm, method, parameters
    for method in _BY_RANK:
        for parameters in _PARAMETERS.get(method, [{}]):
            yield f"{method}{_shown(parameters)}", None, method, parameters


def _shown(parameters: Mapping[str, Any]) -> str:
    return "".join(f", {name} {value}" for name, value in parameters.items())


def measured(collection: Collection, measures: Sequence[str]) -> dict[str, Figures]:
    """What ranx's own measures say of each query, for each way of ranx to fuse the two runs.

    A row for each query and a column for each measure, as ``"ndcg@10"`` or ``"hit_rate@5"``.
    """
    import ranx  # noqa: PLC0415 - half a minute of compiling, for those who compare

    runs = [
        ranx.Run(
            {
                query.id: dict(zip(run[query.id].ids, run[query.id].scores.tolist(), strict=True))
                for query in collection.queries
            }
        )
        for run in collection.runs.values()
    ]
    qrels = ranx.Qrels(
        {query.id: {id: int(grade) for id, grade in query.grades.items()} for query in collection.queries}
    )
    found: dict[str, Figures] = {}
    for name, norm, method, parameters in ways():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its compiler
            fused = ranx.fuse(runs, norm, method, parameters)
            ranx.evaluate(qrels, fused, list(measures))
        found[name] = np.array(
            [[fused.scores[measure][query.id] for measure in measures] for query in collection.queries]
        )
    return found
