"""``rankmeld search --mode``: as much work as the question needs, and a grade for the answer."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

from rankmeld.cli import console, graphs, models
from rankmeld.cli.linked import LinkedWords
from rankmeld.confidence.crag import CragConfig
from rankmeld.query.tiers import QueryTier, classify_query
from rankmeld.search import AdaptiveResult, AdaptiveSearcher
from rankmeld.stores import SqliteStore
from rankmeld.text import clean_text

__all__ = ["Mode", "as_json", "notes_on", "run", "stages", "summary"]


class Mode(StrEnum):
    """The words of ``--mode``."""

    AUTO = "auto"
    DIRECT = "direct"
    SEMANTIC = "semantic"
    MULTI_HOP = "multi-hop"
    GLOBAL = "global"


#: The tiers, as the command calls them.
_NAMES = {
    QueryTier.DIRECT_FACTUAL: Mode.DIRECT,
    QueryTier.SEMANTIC_HYBRID: Mode.SEMANTIC,
    QueryTier.MULTI_HOP_GRAPH: Mode.MULTI_HOP,
    QueryTier.ARCHITECTURAL_GLOBAL: Mode.GLOBAL,
}
_TIERS = {mode: tier for tier, mode in _NAMES.items()}
#: The tiers that search by words alone, for which no embedder is loaded.
_WORDS_ONLY = (QueryTier.DIRECT_FACTUAL, QueryTier.ARCHITECTURAL_GLOBAL)
#: Weak hits are shown with their grade: people would read their absence as that of the word.
_SHOW_ALL = CragConfig(floor=0.0)


def run(
    store: SqliteStore,
    question: str,
    *,
    mode: Mode,
    limit: int,
    filters: dict[str, Any] | None,
    graph: Path | None,
) -> tuple[AdaptiveResult, str | None]:
    """Search a store, and tell which embedder the vector leg had.

    Raises
    ------
    UsageError, FormatError
        The graph cannot be read.
    """
    logging.getLogger("rankmeld").addHandler(logging.NullHandler())  # what is logged is told by `notes_on`
    tier = classify_query(question) if mode is Mode.AUTO else _TIERS[mode]
    knowledge = None if graph is None else graphs.read_graph(graph)
    embedder = None if tier in _WORDS_ONLY else models.for_searching(store)
    searcher = AdaptiveSearcher(
        store.lexical
        if knowledge is None or tier is not QueryTier.MULTI_HOP_GRAPH
        else LinkedWords(store, knowledge),
        None if embedder is None else store.vector,
        graph=knowledge,
        crag=_SHOW_ALL,
    )
    found = searcher.search(
        question,
        mode=tier,
        limit=limit,
        query_vector=None if embedder is None else embedder.embed_query(clean_text(question)),
        filters=filters,
    )
    return found, None if embedder is None else embedder.model


def summary(found: AdaptiveResult) -> str:
    """Tier and grade in one line."""
    return f"{_NAMES[found.tier]} search, confidence {found.grade.value} ({found.confidence:.2f})"


def notes_on(found: AdaptiveResult, graph: Path | None) -> None:
    """Say on standard error what was missing, and what can be done about a weak answer."""
    for name, leg in found.trace.legs.items():
        if leg.status in {"failed", "timeout"}:
            console.warn(f"the {name} leg {leg}; the results do without it")
    answered = [name for name in ("lexical", "vector", "hyde") if found.trace.legs[name].status == "ok"]
    if found.tier is QueryTier.SEMANTIC_HYBRID and len(answered) == 1 and len(found.ranking):
        # The best of one list is the best there can be, whatever it is.
        console.note(f"only the {answered[0]} list found anything, so the confidence says nothing")
    if graph is not None and len(found.ranking):
        _note_on_graph(found, graph)
    if found.needs_refinement and len(found.ranking):
        other = (
            "other words" if found.tier is QueryTier.MULTI_HOP_GRAPH else "other words, or --mode multi-hop"
        )
        console.note(f"the evidence is weak: do not build on it before asking again with {other}")


def _note_on_graph(found: AdaptiveResult, graph: Path) -> None:
    """Say why a graph that was given did nothing."""
    if found.tier is not QueryTier.MULTI_HOP_GRAPH:
        console.note(f"a {_NAMES[found.tier]} search does not walk the graph; --mode multi-hop does")
    elif found.trace.legs["graph"].status == "empty":
        console.note(
            f"{graph} has none of the passages found and nothing that they name, so it changed nothing;"
            " for one of the files indexed: rankmeld graph PATH -o FILE"
        )


def stages(found: AdaptiveResult) -> Iterator[str]:
    """A line for each leg and each stage."""
    for stage in found.trace.stages:
        leg = found.trace.legs.get(stage.name)
        fared = "" if leg is None else f"{leg.status}, "
        candidates = f"{stage.candidates_in} in, {stage.candidates_out} out"
        yield f"{stage.name:<11}  {fared}{candidates}, {stage.seconds:.4f} s"
    for name, leg in found.trace.legs.items():
        if leg.status == "skipped":
            yield f"{name:<11}  skipped"


def as_json(found: AdaptiveResult) -> dict[str, Any]:
    """Tier, grade and trace for ``--json``."""
    return {
        "mode": str(_NAMES[found.tier]),
        "tier": found.tier.value,
        "grade": found.grade.value,
        "confidence": found.confidence,
        "needs_refinement": found.needs_refinement,
        "trace": found.trace.to_dict(),
    }
