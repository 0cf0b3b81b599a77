"""What a store knows of its vectors, and the refusal of vectors that do not go with them."""

from __future__ import annotations

from typing import NamedTuple

from rankmeld.errors import InvalidArgumentError
from rankmeld.stores.matrix import Floats
from rankmeld.types import Embedder

__all__ = ["Label", "Labelled", "check_agreement", "check_model", "check_width"]


class Labelled(NamedTuple):
    """Vectors, and the model that made them.

    Attributes
    ----------
    vectors : array of shape (N, D), float32
        One for each row.
    model : str or None
        The model's name; ``None`` if the caller did not say.
    """

    vectors: Floats
    model: str | None

    @property
    def label(self) -> Label:
        """What is told of them."""
        return Label(self.model, self.vectors.shape[1])


class Label(NamedTuple):
    """What a store knows of its vectors.

    Attributes
    ----------
    model : str or None
        The model that made them; ``None`` without vectors, or if it was not told.
    dimensions : int or None
        Their width; ``None`` without vectors.
    """

    model: str | None
    dimensions: int | None


def check_agreement(known: Label, new: Label) -> None:
    """Refuse new vectors that are not of the width and model of those that a store has.

    Parameters
    ----------
    known : Label
        Of the vectors that stay; of none, any go with them.
    new : Label
        Of those that are to come.
    """
    if known.dimensions is None:
        return
    remedy = (
        "a store has vectors of one model; use that one, or another store, or replace all documents at once"
    )
    if known.dimensions != new.dimensions:
        raise InvalidArgumentError(
            f"the vectors have {new.dimensions} dimensions, and those of the store {known.dimensions}"
            f"{f' (model {known.model!r})' if known.model else ''}; {remedy}"
        )
    if known.model is not None and new.model is None:
        raise InvalidArgumentError(
            f"the vectors of the store are of model {known.model!r}, and vectors= does not say of which "
            "these are; pass embedder= as well, which is then only asked for its name"
        )
    if known.model is not None and new.model != known.model:
        raise InvalidArgumentError(
            f"the vectors are of model {new.model!r}, and those of the store of {known.model!r}; {remedy}"
        )


def check_width(known: Label, query: Floats) -> None:
    """Refuse the vector of a query that has another width than those of a store."""
    if known.dimensions is not None and query.shape[0] != known.dimensions:
        of_model = f" (model {known.model!r})" if known.model else ""
        raise InvalidArgumentError(
            f"query_vector has {query.shape[0]} dimensions and the vectors of the store "
            f"{known.dimensions}{of_model}; embed the query with the model that embedded the documents"
        )


def check_model(known: Label, embedder: Embedder, shown: str) -> None:
    """Refuse the embedder of a query that is not the one of a store's vectors."""
    if known.model is not None and embedder.model != known.model:
        raise InvalidArgumentError(
            f"the vectors of store {shown} are of model {known.model!r}, and embedder is "
            f"{embedder.model!r}; search with the model that embedded the documents, or index them again "
            "with this one"
        )
