"""Neighbours by meaning: documents whose vectors are near each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import as_positive, require_order
from rankmeld.document import as_id
from rankmeld.errors import InvalidArgumentError

__all__ = ["alike"]


def alike(
    ids: Iterable[Hashable], vectors: npt.ArrayLike, *, k: SupportsIndex = 3
) -> dict[Hashable, tuple[tuple[Hashable, float], ...]]:
    """Make neighbours, for `propagate`, of documents whose vectors are near each other.

    Each id gains from the `k` that are nearest to it by cosine, from each by ``1 / k``, so that with
    ``weight=w`` it gains `w` times the mean score of its nearest. Documents that are alike tend to be
    relevant to the same questions: in collections without an order this takes the place of what stands next
    to a hit.

    Parameters
    ----------
    ids : iterable of ids
        Of the whole collection. No id twice.
    vectors : array of shape (N, D)
        One row for each id, finite real numbers.
    k : int, default 3
        How many are looked at for each id; 1 or more. Those whose cosine is not above 0 give nothing.

    Returns
    -------
    dict of id to tuple of (id, float)
        For each id those that gain from it, in the order of `ids`: many for the centre of a cluster, none for
        what is near nobody.

    Raises
    ------
    TypeError
        `ids` is no list, an id cannot be hashed, or the vectors do not hold real numbers.
    InvalidArgumentError
        An id comes twice or is NaN, there are not as many rows as ids, a value is not finite, or `k` is
        below 1.

    See Also
    --------
    adjacent : neighbours by order.

    Notes
    -----
    O(N^2 D), exactly and with the same bits on every processor; equal cosines in the order of `ids`. Make it
    once for a collection. With `propagate` this is one step of F. Diaz, "Regularizing ad hoc retrieval
    scores", CIKM 2005.

    Examples
    --------
    >>> import rankmeld as rm
    >>> near = rm.alike(["cat", "dog", "sun"], [[1.0, 0.1], [1.0, 0.2], [0.1, 1.0]], k=1)
    >>> near["dog"]
    (('cat', 1.0), ('sun', 1.0))
    >>> rm.propagate([("cat", 1.0), ("sun", 0.9)], near, weight=0.2).ids
    ['cat', 'sun', 'dog']
    """
    count = as_positive(k, "k")
    names = _distinct(ids)
    rows = _rows(vectors, len(names))
    share = 1.0 / count
    gains: defaultdict[int, list[tuple[Hashable, float]]] = defaultdict(list)
    for place, row in enumerate(rows if names else ()):
        nearest, cosines = _core.cosine_top(row, rows, count + 1)
        above = nearest[cosines > 0.0].tolist()
        for near in [near for near in above if near != place][:count]:
            gains[near].append((names[place], share))
    return {name: tuple(gains[place]) for place, name in enumerate(names)}


def _rows(vectors: npt.ArrayLike, count: int) -> npt.NDArray[Any]:
    """One row for each id, as the core reads it without another copy."""
    rows = np.asarray(vectors)
    found = len(np.atleast_1d(rows))
    if found != count:
        raise InvalidArgumentError(
            f"vectors has {found} row(s) and ids has {count}; there must be a row for each id"
        )
    if rows.dtype.kind not in "fiu":
        return rows  # refused where it is read
    narrow = rows.dtype.kind == "f" and rows.dtype.itemsize <= np.dtype(np.float32).itemsize
    return np.ascontiguousarray(rows, dtype=np.float32 if narrow else np.float64)


def _distinct(ids: Iterable[Hashable]) -> list[Hashable]:
    require_order(ids, "ids", "ids")
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise TypeError(f"ids must be a list of ids, not a {type(ids).__name__}")
    names = [as_id(id, f"ids, position {place}") for place, id in enumerate(ids)]
    seen: dict[Hashable, int] = {}
    for place, name in enumerate(names):
        first = seen.setdefault(name, place)
        if first != place:
            raise InvalidArgumentError(
                f"ids, position {place}: the id {name!r} stands at position {first} already; each id has one "
                "vector"
            )
    return names
