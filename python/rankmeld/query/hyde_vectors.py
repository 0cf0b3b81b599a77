"""Vectors of hypothetical answers: what an embedder gives, checked, and their mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankmeld._asking import Ask, Flow
from rankmeld._model_text import complaint
from rankmeld.embedding_cache import Vector, as_vector
from rankmeld.text import clean_text

__all__ = ["NoVectorError", "check_embed", "lacking", "mean_vector", "one_vector"]


class NoVectorError(Exception):
    """An embedder gave nothing to search with; the message says what instead."""


def check_embed(embed: Any, n: int) -> None:
    """Check that an embedder can be asked for as many texts.

    Raises
    ------
    TypeError
        It cannot.
    """
    if isinstance(embed, str) or not (callable(embed) or hasattr(embed, "embed_query")):
        hint = "; pass load_embedder(...) of rankmeld.embed" if isinstance(embed, str) else ""
        raise TypeError(
            "embed must be an Embedder, a callable (text) -> vector, or None, "
            f"not {type(embed).__name__}{hint}"
        )
    if n > 1 and not callable(embed):
        raise TypeError(
            f"embed is a {type(embed).__name__}, which embeds one text at a time; with n above 1 it must "
            "be an Embedder, which embeds a list when it is called, or a callable (text) -> vector"
        )


def one_vector(embed: Any, text: str, what: str = "the passage") -> Flow[Vector]:
    """The vector of one text.

    Raises
    ------
    NoVectorError
        There is none to search with.
    """
    own = getattr(embed, "embed_query", None)
    awaited = getattr(embed, "aembed_query", None)
    try:
        answer = yield Ask("embed", embed if own is None else own, (text,), awaited)
    except Exception as error:  # noqa: BLE001 - whatever a model raises must not cost the search
        raise NoVectorError(f"embed raised {complaint(error)}") from None
    return _checked(answer, what)


def mean_vector(embed: Any, query: str, texts: tuple[str, ...]) -> Flow[tuple[Vector, str | None]]:
    """The mean of the vectors of a query and of passages, and what is missing in it.

    Raises
    ------
    NoVectorError
        The query has none, or no passage has one.
    """
    own = yield from one_vector(embed, clean_text(query), "the query")
    good, faults = [own], []
    for made in (yield from _each(embed, texts)):
        if isinstance(made, NoVectorError):
            faults.append(str(made))
        elif len(made) != len(own):
            widths = f"width {len(made)} for a passage, and of width {len(own)} for the query"
            faults.append(f"embed gave a vector of {widths}")
        else:
            good.append(made)
    if len(good) == 1:
        raise NoVectorError(faults[0])
    mean = np.mean(np.array(good, dtype=np.float64), axis=0)
    return _checked(mean, "passages and query together"), lacking(faults, len(texts))


def _each(embed: Any, texts: tuple[str, ...]) -> Flow[list[Vector | NoVectorError]]:
    """A vector of each passage, or what went wrong with it."""
    made: list[Vector | NoVectorError] = []
    if not hasattr(embed, "embed_query"):
        for text in texts:
            try:
                made.append((yield from one_vector(embed, text, "a passage")))
            except NoVectorError as error:
                made.append(error)
        return made
    try:
        rows = list((yield Ask("embed", embed, (list(texts),), getattr(embed, "aembed", None))))
    except Exception as error:  # noqa: BLE001 - as above; what cannot be gone through is no answer either
        raise NoVectorError(f"embed raised {complaint(error)}") from None
    if len(rows) != len(texts):
        raise NoVectorError(f"embed gave {len(rows)} vectors for {len(texts)} passages")
    for row in rows:
        try:
            made.append(_checked(row, "a passage"))
        except NoVectorError as error:
            made.append(error)
    return made


def _checked(answer: Any, what: str) -> Vector:
    """A vector that points somewhere."""
    try:
        vector = as_vector(answer)
    except Exception:  # noqa: BLE001 - an array of somebody else's may raise anything when it is read
        raise NoVectorError(f"embed gave no vector of finite numbers, of shape (D,), for {what}") from None
    if not vector.any():
        raise NoVectorError(f"embed gave {'zeros' if vector.size else 'an empty vector'} for {what}")
    return vector


def lacking(faults: list[str], total: int) -> str | None:
    """Of so many passages some are missing: how many, and why the first of them is."""
    return f"{len(faults)} of {total} passages are missing: {faults[0]}" if faults else None
