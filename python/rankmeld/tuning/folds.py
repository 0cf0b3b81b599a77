"""Splitting queries into folds, whole groups at a time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from rankmeld.errors import InvalidArgumentError

__all__ = ["split"]


def split(groups: Sequence[Hashable], folds: int, seed: int) -> list[npt.NDArray[np.intp]]:
    """The rows of each fold.

    Groups are shuffled, and then, the largest first, each goes to the fold that has the fewest queries.

    Parameters
    ----------
    groups : sequence of Q hashables
        What each query belongs to; all different where queries do not depend on each other.
    folds : int
        How many, 2 or more.
    seed : int
        The same one gives the same folds.

    Returns
    -------
    list of arrays
        Ascending; together they hold every row once.
    """
    members: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    if folds > len(members):
        what = "judged queries" if len(members) == len(groups) else "groups of judged queries"
        raise InvalidArgumentError(f"folds is {folds}, and there are {len(members)} {what}; use fewer folds")
    drawn = np.random.default_rng(seed)
    shuffled = [list(members.values())[place] for place in drawn.permutation(len(members))]
    filled: list[list[int]] = [[] for _ in range(folds)]
    for rows in sorted(shuffled, key=len, reverse=True):
        min(filled, key=len).extend(rows)
    return [np.array(sorted(rows), np.intp) for rows in filled]
