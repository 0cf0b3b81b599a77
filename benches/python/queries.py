"""Telling queries apart, beside the regular expressions that people write for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import rankmeld as rm

from .harness import Case, Effort, Goal, Group, Result, measure

_BY_HAND = "regular expressions, compiled"

#: Ordinary queries of 25 to 70 characters, of every tier.
_QUERIES = (
    "why does the queue depend on Redis?",
    "notes about caching and retries",
    "deploy the service to production today",
    "how do I configure the retry backoff of the worker pool in staging",
    "¿Qué pasa con la configuración del servicio?",
    "overview of the storage layer",
    "class RetryPolicy in python",
    "package.module.HandleSearch()",
)


def run(*, quick: bool) -> Iterator[Result]:
    """Eight ordinary queries, one after the other; one of a million characters."""
    effort = Effort(0.7, 5) if quick else Effort(3.0, 12)
    by_hand = _regular_expressions()
    expected = [by_hand(query) for query in _QUERIES]
    yield measure(
        Group(
            "eight queries told apart",
            [
                Case(
                    "classify_query",
                    lambda: [rm.classify_query(query) for query in _QUERIES],
                    _is(expected, _value),
                ),
                Case(
                    _BY_HAND,
                    lambda: [by_hand(query) for query in _QUERIES],
                    _is(expected),
                ),
            ],
            _BY_HAND,
            [
                Goal(
                    "no slower than regular expressions",
                    "classify_query",
                    _BY_HAND,
                    1.0,
                )
            ],
        ),
        effort,
    )
    long = "connection " * 95_000
    yield measure(
        Group(
            "one query of a million characters",
            [
                Case("classify_query", lambda: [rm.classify_query(long)], _is([by_hand(long)], _value)),
                Case(_BY_HAND, lambda: [by_hand(long)], _is([by_hand(long)])),
            ],
            _BY_HAND,
        ),
        effort,
    )


def _value(tier: rm.QueryTier) -> str:
    return tier.value


def _regular_expressions() -> Callable[[str], str]:
    """What people write: one alternation a tier, and `re.IGNORECASE`; composed queries only."""
    words = rm.DEFAULT_QUERY_VOCABULARY

    def any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
        forms = [
            re.escape(phrase.removesuffix("*")).replace(r"\ ", r"\s+")
            + ("" if "*" in phrase else r"s?(?!\w)")
            for phrase in phrases
        ]
        return re.compile(rf"(?<!\w)(?:{'|'.join(forms)})", re.IGNORECASE)

    multi_hop, architecture = any_of(words.multi_hop), any_of(words.architecture)
    direct = re.compile(
        rf"(?:{'|'.join(words.declarations)})\s+[^\W\d]\w*(?:\(\))?(?:\s+\S+){{0,2}}|\S{{1,39}}|",
        re.IGNORECASE,
    )

    def classify(query: str) -> str:
        query = query.strip()
        if multi_hop.search(query):
            return "multi_hop_graph"
        if architecture.search(query):
            return "architectural_global"
        return "direct_factual" if direct.fullmatch(query) else "semantic_hybrid"

    return classify


def _is(expected: list[str], of: Callable[[Any], str] = str) -> Callable[[list[Any]], None]:
    def check(found: list[Any]) -> None:
        assert [of(tier) for tier in found] == expected

    return check
