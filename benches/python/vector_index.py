"""Searching somebody else's index: what filters and look-ups add to the index itself. No goals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import rankmeld as rm

from .harness import Case, Effort, Group, Result, measure

LIMIT = 100
PROJECTS = 3


def run(*, quick: bool) -> Iterator[Result]:
    """An index that answers at once, so that what is timed is what happens around it."""
    documents = {
        n: rm.Document(n, f"text {n}", metadata={"project": f"p{n % PROJECTS}", "type": "note", "page": n})
        for n in range(rm.POST_FILTER_POOL * LIMIT)
    }
    stored = [(n, 1.0 / (n + 1)) for n in documents]
    yield measure(_around(documents, stored), Effort(0.5, 5) if quick else Effort(3.0, 12))


class _Index:
    def __init__(self, stored: list[tuple[int, float]]) -> None:
        self.stored = stored

    def search(self, query: rm.VectorQuery) -> list[tuple[int, float]]:
        return self.stored[: query.limit]


def _around(documents: dict[int, rm.Document], stored: list[tuple[int, float]]) -> Group:
    index: Any = _Index(stored)
    lookup: Any = documents
    fitting = [(n, score) for n, score in stored if n % PROJECTS == 1][:LIMIT]
    filtered = rm.VectorQuery([1.0, 0.0], LIMIT, {"project": "p1"})
    free = rm.VectorQuery([1.0, 0.0], LIMIT)

    def by_hand() -> list[tuple[int, float]]:
        kept = [
            hit for hit in index.search(rm.VectorQuery([1.0], 300)) if _project(documents[hit[0]]) == "p1"
        ]
        return kept[:LIMIT]

    cases = [
        Case(
            "search_vectors, no filter",
            lambda: rm.search_vectors(index, free, lookup),
            _gives(stored[:LIMIT]),
        ),
        Case(
            "search_vectors, one filter", lambda: rm.search_vectors(index, filtered, lookup), _gives(fitting)
        ),
        Case("revalidate", lambda: rm.revalidate(stored, lookup), _gives(stored)),
        Case("a loop by hand, one filter", by_hand, lambda found: _gives(fitting)(rm.Ranking(found))),
    ]
    return Group(f"any index: {LIMIT} hits of {len(stored)} candidates", cases, cases[3].name)


def _project(document: rm.Document) -> str:
    return str(document.metadata["project"])


def _gives(expected: list[tuple[int, float]]) -> Any:
    def check(found: rm.Ranking) -> None:
        assert [(hit.id, hit.score) for hit in found] == expected

    return check
