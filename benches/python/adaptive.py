"""Adaptive search over legs in memory: what a tier costs beyond its legs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import rankmeld as rm

from .harness import Case, Effort, Group, Result, measure
from .workloads import SEED

_HITS = 20
_WORDS = re.findall(
    r"\w+",
    "retry policy exponential caching notes team garden planning backoff budget kernel token vector index "
    "search graph node edge walk rank score fusion list",
)
_QUERIES = {
    "direct": "retry_policy",
    "semantic": "notes about the retry policy",
    "multi_hop": "why is the retry policy exponential",
    "global": "overview of caching",
}


def run(*, quick: bool) -> Iterator[Result]:
    """Each tier with 20 hits a leg, and the multi-hop tier with a graph of 120 names."""
    effort = Effort(0.5, 5) if quick else Effort(3.0, 12)
    for mode, query in _QUERIES.items():
        yield measure(_tier(mode, query, graph=False), effort)
    yield measure(_tier("multi_hop", _QUERIES["multi_hop"], graph=True), effort)


def _tier(mode: Any, query: str, *, graph: bool) -> Group:
    lexical, vector = _leg(0), _leg(10)
    things = [*_WORDS, *(f"Symbol{number}" for number in range(100))]
    links = [(thing, things[(place * 7 + 1) % len(things)]) for place, thing in enumerate(things)]
    searcher = rm.AdaptiveSearcher(lexical, vector, graph=(things, links) if graph else None)

    def search() -> rm.AdaptiveResult:
        return searcher.search(query, mode=mode, query_vector=[1.0, 0.0])

    def legs() -> rm.Ranking:
        """What nobody can go below: both legs, and for the fusing tiers their fusion."""
        found = [lexical(query, limit=_HITS, filters=None)]
        if mode in {"semantic", "multi_hop"}:
            found.append(vector([1.0, 0.0], limit=_HITS, filters=None))
        return rm.rrf(found, limit=10)

    expected = search().ranking
    cases = [
        Case(f"rankmeld, {mode}", search, lambda found: found.ranking == expected),
        Case("legs and rrf alone", legs, lambda found: len(found) == 10),
    ]
    title = f"Adaptive search, {mode}, {_HITS} hits a leg{', a graph of 123 names' if graph else ''}"
    return Group(title, cases, "legs and rrf alone", ())


def _leg(first: int) -> Callable[..., rm.Ranking]:
    rng = random.Random(SEED)  # noqa: S311 - texts, no secrets
    texts = [
        " ".join(rng.choices(_WORDS, k=40)) + ". " + " ".join(rng.choices(_WORDS, k=40)) for _ in range(40)
    ]
    hits = [
        rm.Hit(f"d{place}", 1.0 - place / 100.0, rm.Document(f"d{place}", texts[place]))
        for place in range(first, first + _HITS)
    ]
    ranking = rm.Ranking(hits)

    def leg(_query: Any, *, limit: int, filters: Any) -> rm.Ranking:
        del limit, filters  # it has just as many hits as a tier asks for
        return ranking

    return leg
