"""How far a mean over queries can be trusted: resampling queries, or groups of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankmeld._options import as_number, as_positive
from rankmeld.errors import InvalidArgumentError

__all__ = ["RESAMPLES", "Interval", "as_confidence", "interval_of"]

#: How often queries are drawn anew.
RESAMPLES = 10_000

#: Numbers drawn at a time, so that memory stays flat.
_DRAWN_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and how far it can be trusted.

    Attributes
    ----------
    mean : float
        Over the queries.
    low, high : float
        The ends of the bootstrap interval; NaN where there is only one query, or one group of them, to draw.
    confidence : float
        The share of resamples that the interval holds.
    """

    mean: float
    low: float
    high: float
    confidence: float = 0.95

    def __str__(self) -> str:
        """``0.412 [0.390, 0.434]``."""
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def as_confidence(confidence: float) -> float:
    """Read a confidence: a share above 0 and below 1."""
    share = as_number(confidence, "confidence")
    if not 0.0 < share < 1.0:
        raise InvalidArgumentError(f"confidence is {share}; it must be above 0 and below 1, as 0.95")
    return share


def interval_of(
    values: npt.NDArray[np.float64],
    *,
    groups: Sequence[Hashable] | None = None,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The percentile bootstrap interval of a mean (Efron 1979).

    Parameters
    ----------
    values : array of shape (Q,)
        One value for each query, Q of 1 or more.
    groups : sequence of Q hashables, optional
        What belongs together, as the questions about one conversation do: whole groups are drawn then.
    confidence : float, default 0.95
        The share of resamples within the interval.
    resamples : int, default 10000
        How often as many queries, or groups, are drawn with replacement.
    seed : int, default 0
        The same one gives the same interval.

    Returns
    -------
    Interval
    """
    share, times = as_confidence(confidence), as_positive(resamples, "resamples")
    sums: npt.NDArray[np.float64] = values
    counts: npt.NDArray[np.float64] = np.ones(len(values))
    if groups is not None:
        codes: dict[Hashable, int] = {}
        of = np.array([codes.setdefault(group, len(codes)) for group in groups])
        sums = np.bincount(of, values).astype(np.float64)
        counts = np.bincount(of).astype(np.float64)
    mean = float(values.mean())
    if len(sums) < 2:
        return Interval(mean, float("nan"), float("nan"), share)
    drawn = np.random.default_rng(seed)
    at_once = max(1, _DRAWN_AT_ONCE // len(sums))
    means = np.empty(times)
    for start in range(0, times, at_once):
        stop = min(start + at_once, times)
        picked = drawn.integers(len(sums), size=(stop - start, len(sums)))
        means[start:stop] = sums[picked].sum(axis=1) / counts[picked].sum(axis=1)
    low, high = np.quantile(means, [(1.0 - share) / 2.0, (1.0 + share) / 2.0])
    return Interval(mean, float(low), float(high), share)
