"""Climbing from setting to setting, as long as the training queries gain."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from rankmeld.tuning.spaces import Setting, Space

__all__ = ["Measured", "climb"]

#: A gain of less is none: sums of floats differ by as much.
_GAIN = 1e-9

#: Rounds over all parameters; a search that has not settled by then is walking a plateau.
_ROUNDS = 8


class Measured:
    """What each setting that was asked for measures, query by query; none is measured twice.

    Parameters
    ----------
    measure : callable
        ``measure(setting) -> values``, one for each query.
    """

    def __init__(self, measure: Callable[[Setting], npt.NDArray[np.float64]]) -> None:
        self._measure = measure
        self._known: dict[Setting, npt.NDArray[np.float64]] = {}

    def values(self, setting: Setting) -> npt.NDArray[np.float64]:
        """The values of a setting, for all queries."""
        if setting not in self._known:
            self._known[setting] = self._measure(setting)
        return self._known[setting]

    def __iter__(self) -> Iterator[tuple[Setting, npt.NDArray[np.float64]]]:
        """All that were asked for, in that order."""
        return iter(self._known.items())


def climb(space: Space, measured: Measured, rows: npt.NDArray[np.intp]) -> tuple[Setting, float]:
    """The best setting that can be reached, by the mean over some queries.

    From each start, one parameter after the other takes the best of its values, until a round changes
    nothing. Of settings that are as good the first one reached stays, so that nothing moves without need.

    Parameters
    ----------
    space : Space
        Where to search.
    measured : Measured
        Remembers what was measured.
    rows : array of int
        The queries that count.

    Returns
    -------
    (Setting, float)
        The setting and its mean over these queries.
    """

    def mean(setting: Setting) -> float:
        return float(measured.values(setting)[rows].mean())

    reached, top = space.starts[0], -np.inf
    for start in space.starts:
        here, height = start, mean(start)
        for _ in range(_ROUNDS):
            before = here
            for direction in range(space.directions):
                for setting in space.along(here, direction):
                    found = mean(setting)
                    if found > height + _GAIN:
                        here, height = setting, found
            if here == before:
                break
        if height > top + _GAIN:
            reached, top = here, height
    return reached, float(top)
