"""Reading every form in which a user may hold a ranking, into plain columns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

from .errors import BadScore, Refused, WrongKind


@dataclass
class Columns:
    """One ranking, best first. A score that was not given is `None`."""

    ids: list[Hashable] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)
    documents: list[Any] = field(default_factory=list)
    name: str | None = None
    weight: float | None = None
    kind: str = "chunk"

    def append(self, id: Any, score: Any = None, document: Any = None) -> None:
        self.ids.append(plain_id(id))
        self.scores.append(plain_score(score))
        self.documents.append(document)


def plain_id(value: Any) -> Hashable:
    """The id as Python holds it; NumPy scalars are unwrapped, all else is untouched."""
    value = unwrap(value)
    try:
        hash(value)
    except TypeError as error:
        raise WrongKind(f"an id must be hashable: {error}") from None
    if value != value:
        raise Refused("NaN is not an id: it does not equal itself")
    return value


def plain_score(value: Any) -> float | None:
    value = unwrap(value)
    if value is None:
        return None
    if isinstance(value, str | bytes) or not isinstance(value, Number):
        raise WrongKind(f"a score must be a number, not {type(value).__name__}")
    return float(value)  # type: ignore[arg-type]


def unwrap(value: Any) -> Any:
    return value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value


def read(given: Any) -> Columns:
    """Columns of one ranking, in whatever form it came."""
    if isinstance(given, str | bytes | bytearray | Number):
        raise WrongKind(f"a ranking is wanted, not {type(given).__name__}")
    if hasattr(given, "ids"):  # a Ranking that the library gave
        columns = Columns(name=given.name)
        for hit in given:
            columns.append(hit.id, hit.score, hit.document)
        return columns
    if hasattr(given, "hits"):  # a Source: a ranking with a name, a weight and a kind
        columns = read(given.hits)
        columns.name, columns.weight, columns.kind = given.name, given.weight, given.kind
        return columns
    if isinstance(given, Mapping):
        return read_mapping(given)
    if is_array(given):
        return read_id_array(given)
    if isinstance(given, tuple) and len(given) == 2 and all(is_column(member) for member in given):
        return read_pair_of_columns(*given)
    if not isinstance(given, Iterable):
        raise WrongKind(f"a ranking is wanted, not {type(given).__name__}")
    columns = Columns()
    for item in given:
        if isinstance(item, tuple | list) and len(item) in (2, 3):
            columns.append(*item)
        else:
            columns.append(item)
    return columns


def read_mapping(given: Mapping[Hashable, float]) -> Columns:
    """Descending score, equal scores in insertion order: so every score must be comparable."""
    columns = Columns()
    for id, score in given.items():
        columns.append(id, score)
    finite_scores(columns)
    best_first = sorted(range(len(columns.ids)), key=lambda i: columns.scores[i], reverse=True)  # type: ignore[arg-type,return-value]
    return Columns(
        ids=[columns.ids[i] for i in best_first],
        scores=[columns.scores[i] for i in best_first],
        documents=[None] * len(best_first),
    )


def read_id_array(given: Any) -> Columns:
    if given.dtype.kind not in "iu" or given.ndim != 1:
        raise WrongKind("an array of ids is one-dimensional and holds integers")
    columns = Columns()
    for id in given.tolist():
        columns.append(id)
    return columns


def read_pair_of_columns(ids: Any, scores: Any) -> Columns:
    if len(ids) != len(scores):
        raise Refused(f"{len(ids)} ids beside {len(scores)} scores")
    columns = Columns()
    for id, score in zip(ids, scores, strict=True):
        columns.append(id, score)
    return columns


def is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "ndim")


def is_column(value: Any) -> bool:
    return isinstance(value, list) or is_array(value)


def finite_scores(columns: Columns) -> list[float]:
    """The scores, all of them there and finite."""
    out = []
    for position, score in enumerate(columns.scores):
        if score is None or not math.isfinite(score):
            raise BadScore(f"score {score!r} of {columns.ids[position]!r} at {position}")
        out.append(score)
    return out


def repeats(columns: Columns) -> bool:
    return len(set(columns.ids)) != len(columns.ids)


def candidates(lists: list[Columns]) -> list[Hashable]:
    """All ids, in the order in which they are first seen, as the object first seen."""
    return list(dict.fromkeys(id for columns in lists for id in columns.ids))
