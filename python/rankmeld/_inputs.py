"""What every fusion does before the core is called: take sources apart, settle the weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankmeld import _core
from rankmeld.errors import InvalidArgumentError
from rankmeld.explanation import Fusion
from rankmeld.ranking import Ranking
from rankmeld.types import Document, Source, as_weight

#: Weights by index (``None``: 1) or by the ranking's name.
Weights = Sequence[float | None] | Mapping[str, float]

#: How each kind of list gets a name.
_NAMING = {
    "ranking": "name rankings with rankmeld.Source",
    "run": "name runs where they are made, with name=",
}

#: Rankings with their names and weights, aligned.
Inputs = tuple[list[Any], list[str | None], list[float]]


def read_inputs(rankings: Iterable[Any], weights: Weights | None) -> Inputs:
    """Take sources apart and settle one weight for each ranking.

    Raises
    ------
    TypeError
        `rankings` is no list of rankings.
    InvalidArgumentError
        The weights do not fit the rankings.
    """
    given = listed(rankings)
    lists: list[Any] = []
    names: list[str | None] = []
    own: list[float] = []
    for item in given:
        if type(item) is Source:
            lists.append(item.hits)
            names.append(item.name)
            own.append(1.0 if item.weight is None else item.weight)
        else:
            lists.append(item)
            # Plain lists, the common case, are passed over without asking an abstract class.
            names.append(None if type(item) is list else _name_of(item))
            own.append(1.0)
    return lists, names, own if weights is None else settle_weights(weights, names)


def _name_of(ranking: Any) -> str | None:
    return ranking.name if isinstance(ranking, Ranking) else None


def listed(rankings: Any) -> list[Any]:
    """The rankings of a call as a list; what is one ranking, or none, is refused."""
    if type(rankings) is list:
        return rankings
    if isinstance(rankings, str | bytes | bytearray | Mapping | Ranking | Source | Document):
        kind = type(rankings).__name__
        hint = (
            "name lists with rankmeld.Source"
            if isinstance(rankings, Mapping)
            else "to pass one ranking alone, write [ranking]"
        )
        raise TypeError(f"rankings must be a list of rankings, not a {kind}; {hint}")
    try:
        return list(rankings)
    except TypeError:
        raise TypeError(f"rankings must be a list of rankings, not {type(rankings).__name__}") from None


def settle_weights(weights: Any, names: list[str | None], what: str = "ranking") -> list[float]:
    """One weight for each list, of weights by index or by name; `what` is how messages call the lists."""
    if isinstance(weights, Mapping):
        for name in weights:
            if name not in names:
                known = ", ".join(repr(name) for name in names if name is not None) or "none"
                raise InvalidArgumentError(
                    f"weights has the name {name!r}, which no {what} bears (names: {known}); {_NAMING[what]}"
                )
        by_name = {name: as_weight(weights[name], f"weights[{name!r}]") for name in weights}
        return [1.0 if name is None else by_name.get(name, 1.0) for name in names]
    column = weights.ndim == 1 if isinstance(weights, np.ndarray) else isinstance(weights, Sequence)
    if not column or isinstance(weights, str | bytes):
        raise TypeError(
            f"weights must be a sequence with one number per {what}, or a mapping by name, "
            f"not {type(weights).__name__}"
        )
    if len(weights) != len(names):
        raise InvalidArgumentError(
            f"weights has {len(weights)} entries for {len(names)} {what}s; "
            "give exactly one for each (None is 1)"
        )
    return [
        1.0 if weight is None else as_weight(weight, f"weights[{index}]")
        for index, weight in enumerate(weights)
    ]


def fused(  # noqa: PLR0917 - called with all of them, on every fusion
    inputs: Inputs,
    method: _core.Method,
    name: str,
    combine: str,
    combination: str,
    duplicates: str,
    limit: int | None,
    ties: str,
) -> Ranking:
    """Call the core and wrap what it gives.

    `combination` is how an explanation calls `combine`.
    """
    rankings, names, weights = inputs
    ids, scores, documents, chunks, trace = _core.fuse(
        rankings, names, weights, method, combine, duplicates, limit, ties
    )
    if documents and chunks:
        _put_chunks(documents, chunks)
    chain = Fusion(name, combination, names, weights, trace)
    return Ranking._of(ids, scores, documents, None, chain)


def _put_chunks(documents: list[Any], chunks: dict[int, tuple[bool, Any]]) -> None:
    """Hand out the chunk that the first list to know one matched, on a copy of the document."""
    for place, (is_own, chunk) in chunks.items():
        if not is_own:
            documents[place] = documents[place].with_metadata(matched_chunk=chunk)
