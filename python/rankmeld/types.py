"""What goes in and out: hits, named sources, and the protocols that people implement."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from rankmeld._options import as_float
from rankmeld.document import Document, Tier
from rankmeld.errors import InvalidArgumentError

__all__ = [
    "Chat",
    "Document",
    "DocumentLookup",
    "Embedder",
    "Filters",
    "Hit",
    "IndexCapabilities",
    "Kind",
    "Source",
    "Tier",
    "VectorIndex",
    "VectorQuery",
]

#: What a source's hits are: passages, or nodes and edges of a graph.
Kind = Literal["chunk", "node", "edge"]

#: The kinds, in the order in which results list them.
KINDS: tuple[Kind, ...] = ("chunk", "node", "edge")

#: Conditions on documents: a key of the metadata (or ``created_at``) and what it must be.
Filters = Mapping[str, Any]


class Hit(NamedTuple):
    """One entry of a ranking.

    Attributes
    ----------
    id : Hashable
        The document's id.
    score : float or None
        Its score; ``None`` where there is none, which is not the same as 0.
    document : Document or None
        The document itself, where the retriever gave it.

    Examples
    --------
    >>> Hit("d1", 0.5)
    Hit(id='d1', score=0.5, document=None)
    """

    id: Hashable
    score: float | None = None
    document: Document | None = None


@dataclass(frozen=True, slots=True, init=False, eq=False)
class Source:
    """A ranking with a name, as a retriever gave it.

    Parameters
    ----------
    name : str
        The retriever's name, as explanations show it.
    hits : ranking
        Anything that is a ranking: a list of ids or of pairs, a mapping, arrays. A one-shot
        iterator is read here, so that the source can be used more than once.
    weight : float, optional
        The list's influence; finite and not negative, ``None`` is 1. A ``weights=`` argument wins.
    kind : {"chunk", "node", "edge"}, default "chunk"
        What the hits are; only `rankmeld.rrf_by_kind` looks at it.

    Raises
    ------
    InvalidArgumentError
        The weight is negative or not finite, or the kind is unknown.

    Examples
    --------
    >>> Source("dense", [("d1", 0.9), ("d2", 0.4)], weight=2.0).name
    'dense'
    """

    name: str
    hits: Any
    weight: float | None = field(kw_only=True)
    kind: Kind = field(kw_only=True)

    def __init__(self, name: str, hits: Any, *, weight: float | None = None, kind: Kind = "chunk") -> None:
        if not isinstance(name, str):
            raise TypeError(f"name must be a str, not {type(name).__name__}")
        if weight is not None:
            weight = as_weight(weight, f"weight of source {name!r}")
        if kind not in KINDS:
            allowed = ", ".join(repr(word) for word in KINDS)
            raise InvalidArgumentError(f"kind of source {name!r} is {kind!r}; it must be one of {allowed}")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "hits", list(hits) if isinstance(hits, Iterator) else hits)
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "kind", kind)


def as_weight(value: float, what: str) -> float:
    """Read a weight: a finite number that is not negative."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{what} must be a number, not {type(value).__name__}")
    weight = as_float(value)
    if not math.isfinite(weight) or weight < 0.0:
        raise InvalidArgumentError(f"{what} is {weight}; it must be finite and not negative")
    return weight


@dataclass(frozen=True, slots=True, eq=False)
class VectorQuery:
    """What a vector index is asked for.

    Attributes
    ----------
    vector : array of shape (D,)
        The query's vector.
    limit : int or None
        How many candidates are wanted at the most; ``None`` for all.
    filters : Mapping[str, Any] or None
        Conditions on the documents, see `SqliteStore`; ``None`` sets none. An index that
        `search_vectors` asks sees those alone that do set one.
    """

    vector: npt.ArrayLike
    limit: int | None
    filters: Filters | None = None


@dataclass(frozen=True, slots=True)
class IndexCapabilities:
    """What a vector index can do by itself.

    Attributes
    ----------
    filtering : {"pre", "post", "none"}
        ``"pre"``: filters are applied before the search, so `limit` candidates come back where
        there are that many; `search_vectors` takes the index's word for it. ``"post"``: applied to what
        the search found. ``"none"``: ignored.
    """

    filtering: Literal["pre", "post", "none"]

    def __post_init__(self) -> None:
        """Refuse a word that callers could not act on."""
        if self.filtering not in ("pre", "post", "none"):
            raise InvalidArgumentError(
                f"filtering is {self.filtering!r}; it must be one of 'pre', 'post', 'none'"
            )


@runtime_checkable
class VectorIndex(Protocol):
    """An index that finds the nearest vectors, for `search_vectors`."""

    def capabilities(self) -> IndexCapabilities:
        """What the index can do by itself."""

    def search(self, query: VectorQuery, /) -> Sequence[tuple[Hashable, float]]:
        """Ids and scores of the nearest documents, best first."""


@runtime_checkable
class DocumentLookup(Protocol):
    """Finds documents by id; a dict of documents does.

    An implementation may also have ``get_many(ids)`` that gives a mapping of those that it has; it is
    then asked once for many, each id once.
    """

    def get(self, id: Hashable, /) -> Document | None:
        """The document, or ``None`` if it is missing or deleted."""


@runtime_checkable
class Chat(Protocol):
    """Turns a prompt into a text; any callable will do."""

    def __call__(self, prompt: str, /) -> str:
        """Ask."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def model(self) -> str:
        """Name of the model, recorded beside the vectors that it makes."""

    @property
    def dimensions(self) -> int:
        """Width of a vector."""

    def __call__(self, texts: Sequence[str], /) -> npt.NDArray[np.float32]:
        """Embed documents: an array of shape (N, D)."""

    def embed_query(self, text: str, /) -> npt.NDArray[np.float32]:
        """Embed one query: an array of shape (D,)."""
