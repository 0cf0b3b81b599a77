"""Parameters that are chosen on other queries than they are measured on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .measures import Figures

Parameters = Mapping[str, Any]

#: For parameters the figures of each fold: an array of (queries, measures).
Measure = Callable[[Parameters], Sequence[Figures]]


def left_out(
    measure: Measure, start: Parameters, grid: Mapping[str, Sequence[Any]]
) -> tuple[list[Figures], list[Parameters]]:
    """For each fold the figures of parameters that were chosen on all the others, and these parameters.

    What is best on the others is looked for one parameter at a time, from `start`, until none of them makes
    the mean over queries and measures better.
    """
    known: dict[tuple[Any, ...], Sequence[Figures]] = {}

    def of(parameters: Parameters) -> Sequence[Figures]:
        key = tuple(parameters.values())
        if key not in known:
            known[key] = measure(parameters)
        return known[key]

    figures, chosen = [], []
    for fold in range(len(of(start))):

        def mean(parameters: Parameters, fold: int = fold) -> float:
            return float(
                np.concatenate([part for place, part in enumerate(of(parameters)) if place != fold]).mean()
            )

        best, value = dict(start), mean(start)
        better = True
        while better:
            better = False
            for name, options in grid.items():
                for option in options:
                    tried = {**best, name: option}
                    if (found := mean(tried)) > value:
                        best, value, better = tried, found, True
        figures.append(of(best)[fold])
        chosen.append(best)
    return figures, chosen


def best_left_out(ways: Mapping[str, Figures], folds: Sequence[int]) -> tuple[Figures, list[str]]:
    """For each query the figures of the way that is best on the queries of all other folds."""
    of = np.array(folds)
    out = np.empty_like(next(iter(ways.values())))
    chosen = []
    for fold in range(of.max() + 1):
        means = {name: float(figures[of != fold].mean()) for name, figures in ways.items()}
        chosen.append(max(means, key=means.__getitem__))
        out[of == fold] = ways[chosen[-1]][of == fold]
    return out, chosen
