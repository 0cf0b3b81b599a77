"""``rankmeld search --mode``: as much work as the question needs, and a grade for the answer."""

from __future__ import annotations

import logging
from enum import StrEnum
from pathlib import Path
from typing import Any

from rankmeld.cli import console, graphs, models
from rankmeld.dedup import dedup
from rankmeld.query.tiers import QueryTier, classify_query
from rankmeld.search import AdaptiveResult, AdaptiveSearcher
from rankmeld.stores import SqliteStore
from rankmeld.text import clean_text

__all__ = ["NAMES", "Mode", "notes_on", "run", "summary"]


class Mode(StrEnum):
    """The words of ``--mode``."""

    AUTO = "auto"
    DIRECT = "direct"
    SEMANTIC = "semantic"
    MULTI_HOP = "multi-hop"
    GLOBAL = "global"


#: The tiers, as the command calls them.
NAMES = {
    QueryTier.DIRECT_FACTUAL: Mode.DIRECT,
    QueryTier.SEMANTIC_HYBRID: Mode.SEMANTIC,
    QueryTier.MULTI_HOP_GRAPH: Mode.MULTI_HOP,
    QueryTier.ARCHITECTURAL_GLOBAL: Mode.GLOBAL,
}
#: The modes that search by words alone, for which no embedder is loaded.
_WORDS_ONLY = (Mode.DIRECT, Mode.GLOBAL)


def run(
    store: SqliteStore, question: str, *, mode: Mode, limit: int, filters: dict[str, Any] | None, graph: Path | None
) -> tuple[AdaptiveResult, str | None]:
    """Search a store, and tell which embedder the vector leg had; exact duplicates are dropped.

    Raises
    ------
    UsageError, FormatError
        The graph cannot be read.
    """
    logging.getLogger("rankmeld").addHandler(logging.NullHandler())  # what is logged is told by `notes_on`
    tier = NAMES[classify_query(question)] if mode is Mode.AUTO else mode
    knowledge = None if graph is None else graphs.read_graph(graph)
    embedder = None if tier in _WORDS_ONLY else models.for_searching(store)
    searcher = AdaptiveSearcher(
        store.lexical,
        None if embedder is None else store.vector,
        graph=knowledge,
    )
    found = searcher.search(
        question,
        mode=tier.replace("-", "_"),  # type: ignore[arg-type]  # the same words
        limit=limit,
        query_vector=None if embedder is None else embedder.embed_query(clean_text(question)),
        filters=filters,
    )
    return found, None if embedder is None else embedder.model


def distinct(found: AdaptiveResult) -> Any:
    """The hits without exact duplicates, as every search of the command gives them."""
    return dedup(found.ranking)


def summary(found: AdaptiveResult) -> str:
    """Tier and grade in one line."""
    return f"{NAMES[found.tier]} search, confidence {found.grade.value} ({found.confidence:.2f})"


def notes_on(found: AdaptiveResult) -> None:
    """Say on standard error what was missing, and what can be done about a weak answer."""
    for name, leg in found.trace.legs.items():
        if leg.status in {"failed", "timeout"}:
            console.warn(f"the {name} leg {leg}; the results do without it")
    if found.needs_refinement and len(found.ranking):
        other = "other words" if found.tier is QueryTier.MULTI_HOP_GRAPH else "other words, or --mode multi-hop"
        console.note(f"the evidence is weak: do not build on it before asking again with {other}")
