"""The embedded store: adding documents, and the three ways to ask. For information; no goals."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import numpy.typing as npt

import rankmeld as rm
from rankmeld.embed import CallableEmbedder

from .agreement import ranked
from .harness import Case, Effort, Group, Result, measure
from .workloads import Texts

_DIMENSIONS = 256
_WORDS = 60
_QUERIES = 50

Vectors = npt.NDArray[np.float32]


class _Collection:
    """Documents with vectors, and queries of three words with vectors."""

    def __init__(self, size: int) -> None:
        texts = Texts()
        self.documents = texts.documents(size, _WORDS)
        self.vectors = texts.vectors(size, _DIMENSIONS)
        self.queries = [texts.text(3) for _ in range(_QUERIES)]
        self.query_vectors = texts.vectors(_QUERIES, _DIMENSIONS)
        known = dict(zip(self.queries, self.query_vectors, strict=True))
        #: Looks its vectors up: what a model takes is no part of the store's time.
        self.embedder = CallableEmbedder(
            lambda asked: np.stack([known[text] for text in asked]), model="lookup", dimensions=_DIMENSIONS
        )
        #: The exact cosines, worked out apart from the store.
        self.cosines = self.query_vectors.astype(np.float64) @ self.vectors.astype(np.float64).T


def run(*, quick: bool) -> Iterator[Result]:
    """20,000 documents (2,000 in a quick pass) in a file on this machine's disk."""
    made = _Collection(2_000 if quick else 20_000)
    with tempfile.TemporaryDirectory() as folder:
        yield measure(_adding(made, Path(folder)), Effort(0.0, 1 if quick else 3))
        with rm.SqliteStore(Path(folder) / "asked.db") as store:
            store.add(made.documents, vectors=made.vectors, embedder=made.embedder)
            yield measure(_asking(made, store), Effort(1.0, 5) if quick else Effort(15.0, 12))


def _adding(made: _Collection, folder: Path) -> Group:
    numbers = count()

    def new_store() -> rm.SqliteStore:
        return rm.SqliteStore(folder / f"{next(numbers)}.db")

    def add(store: rm.SqliteStore) -> int:
        with store:
            return store.add(made.documents, vectors=made.vectors, embedder=made.embedder)

    def all_added(added: int) -> None:
        assert added == len(made.documents), added

    size = len(made.documents)
    case = Case("add", add, all_added, prepare=new_store, entries=size, note="an entry is a document")
    return Group(
        f"store: adding {size:,} documents of {_WORDS} words with {_DIMENSIONS} dimensions", [case], "add"
    )


def _asking(made: _Collection, store: rm.SqliteStore) -> Group:
    """All queries in one call: some have more to look through than others."""
    _words_are_found(made, store)
    nearest = [[f"d{place}" for place in row] for row in np.argsort(-made.cosines, axis=1)[:, :10].tolist()]

    def by_numpy(query: Vectors) -> list[int]:
        scores = made.vectors @ query
        best = np.argpartition(-scores, 10)[:10]
        return best[np.argsort(-scores[best])].tolist()

    def ten_each(rankings: list[rm.Ranking]) -> None:
        assert [len(ranked(ranking)) for ranking in rankings] == [10] * _QUERIES

    def nearest_each(rankings: list[rm.Ranking]) -> None:
        assert [ranking.ids for ranking in rankings] == nearest

    def nearest_places(places: list[list[int]]) -> None:
        assert [[f"d{place}" for place in row] for row in places] == nearest

    def lexical() -> list[rm.Ranking]:
        return [store.lexical(query, limit=10) for query in made.queries]

    def vector() -> list[rm.Ranking]:
        return [store.vector(query, limit=10) for query in made.query_vectors]

    def hybrid() -> list[rm.Ranking]:
        return [store.hybrid(query, embedder=made.embedder, limit=10) for query in made.queries]

    cases = [
        Case("lexical", lexical, ten_each),
        Case("vector", vector, nearest_each),
        Case("hybrid", hybrid, ten_each),
        Case(
            "NumPy, vectors in memory",
            lambda: [by_numpy(query) for query in made.query_vectors],
            nearest_places,
            note="a bound: places, no documents",
        ),
    ]
    cases = [replace(case, entries=_QUERIES) for case in cases]
    title = f"store: {_QUERIES} queries to {len(made.documents):,} documents, limit=10 (an entry is a query)"
    return Group(title, cases, "vector")


def _words_are_found(made: _Collection, store: rm.SqliteStore) -> None:
    """Each document that holds a word is found by it, and a limit only cuts."""
    word = made.queries[0].split()[0]
    found = store.lexical(word, limit=None).ids
    holding = {document.id for document in made.documents if word in document.text.split()}
    assert holding, word
    assert holding <= set(found), holding - set(found)
    assert store.lexical(word, limit=10).ids == found[:10]
