"""The embedded store: adding documents, and the three ways to ask. For information; no goals."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import count, cycle
from pathlib import Path
from typing import Any

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
    _words_are_found(made, store)
    words, vectors, both = cycle(made.queries), cycle(made.query_vectors), cycle(made.queries)
    answers = cycle(np.argsort(-made.cosines, axis=1)[:, :10])
    matrix, asked = made.vectors, cycle(made.query_vectors)

    def by_numpy() -> npt.NDArray[np.intp]:
        scores = matrix @ next(asked)
        best = np.argpartition(-scores, 10)[:10]
        return best[np.argsort(-scores[best])]

    def ten(ranking: rm.Ranking) -> None:
        assert len(ranked(ranking)) == 10, ranking

    def nearest(ranking: rm.Ranking) -> None:
        assert ranking.ids == [f"d{place}" for place in next(answers).tolist()]

    def nearest_by_numpy(places: Any) -> None:
        assert places.tolist() == np.argsort(-made.cosines[0])[:10].tolist()

    cases = [
        Case("lexical", lambda: store.lexical(next(words), limit=10), ten),
        Case("vector", lambda: store.vector(next(vectors), limit=10), nearest),
        Case("hybrid", lambda: store.hybrid(next(both), embedder=made.embedder, limit=10), ten),
        Case("NumPy, vectors in memory", by_numpy, nearest_by_numpy, note="a bound: indices, no documents"),
    ]
    return Group(f"store: asking {len(made.documents):,} documents, limit=10", cases, "vector")


def _words_are_found(made: _Collection, store: rm.SqliteStore) -> None:
    """Each document that holds a word is found by it, and a limit only cuts."""
    word = made.queries[0].split()[0]
    found = store.lexical(word, limit=None).ids
    holding = {document.id for document in made.documents if word in document.text.split()}
    assert holding, word
    assert holding <= set(found), holding - set(found)
    assert store.lexical(word, limit=10).ids == found[:10]
