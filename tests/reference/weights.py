"""Weights of lists: by position, by name, or a source's own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from .errors import Refused
from .rankings import Columns


def weigh(lists: list[Columns], weights: Sequence[float | None] | Mapping[str, float] | None) -> list[float]:
    """One weight per list; what is not given is 1."""
    if weights is None:
        given = [columns.weight for columns in lists]
    elif isinstance(weights, Mapping):
        unknown = set(weights) - {columns.name for columns in lists}
        if unknown:
            raise Refused(f"no list is named {unknown}")
        given = [weights.get(columns.name) for columns in lists]  # type: ignore[arg-type]
    else:
        given = list(weights)
        if len(given) != len(lists):
            raise Refused(f"{len(given)} weights for {len(lists)} lists")
    out = [1.0 if weight is None else float(weight) for weight in given]
    if not all(math.isfinite(weight) and weight >= 0 for weight in out):
        raise Refused(f"weights are finite and not negative: {out}")
    return out
