"""What runs and judgements have in common: queries, and for each of them a part of the columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Columns"]


class Columns(NamedTuple):
    """Hits of many queries, one query behind the other.

    Attributes
    ----------
    queries : list of Hashable
        Query ids.
    offsets : ndarray of int64, shape (Q + 1,)
        Where each query's hits begin; the last entry is where the last query's end.
    ids : tuple of Hashable
        The distinct document ids; some may have no hit.
    codes : ndarray of uint32, shape (N,)
        For each hit the place of its document in `ids`.
    scores : ndarray of float64, shape (N,)
        For each hit its score, NaN where it has none.
    """

    queries: list[Hashable]
    offsets: npt.NDArray[np.int64]
    ids: tuple[Hashable, ...]
    codes: npt.NDArray[np.uint32]
    scores: npt.NDArray[np.float64]

    @property
    def numbers(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32], npt.NDArray[np.float64]]:
        """What the core reads: offsets, codes and scores."""
        return self.offsets, self.codes, self.scores

    def span(self, row: int) -> slice:
        """Where the hits of a query lie."""
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))

    def ids_at(self, span: slice) -> list[Hashable]:
        """The ids of some hits."""
        return list(map(self.ids.__getitem__, self.codes[span].tolist()))

    def sealed(self) -> Columns:
        """The same columns, which nobody can write to."""
        for column in self.numbers:
            column.flags.writeable = False
        return self


def rows_of(queries: Sequence[Hashable]) -> dict[Hashable, int]:
    """The place of each query."""
    return {query: row for row, query in enumerate(queries)}
