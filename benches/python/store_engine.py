"""A retrieval engine over a store of 100,000 documents: exact vectors, one thread and several, after changes.

Texts and embeddings are those of the shared collections, repeated with changed words and jittered vectors,
where the folder of shared data is there; else texts and vectors are drawn. Memory and throughput are
printed; only the engine's call has a goal.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt

import rankmeld as rm
from rankmeld.embed import CallableEmbedder

from .harness import Case, Effort, Group, Result, Verdict, measure
from .workloads import NOW, SEED, Texts

_WIDTH = 384
_WANTED = 20
_COLLECTIONS = ("locomo-dev", "cranfield", "scifact-dev")
#: Seconds that a call may take at the median of one thread.
_MOST_SECONDS = 0.025

Floats = npt.NDArray[np.float32]


def run(*, quick: bool) -> Iterator[Result]:
    """The store is made first, which takes a minute."""
    size = 5_000 if quick else 100_000
    texts, vectors, queries, asked = _collection()
    documents, made = _repeated(texts, vectors, size)
    known = dict(zip(queries, asked, strict=True))
    embedder = CallableEmbedder(lambda some: np.stack([known[text] for text in some]), model="lookup")
    messages = [query for query in known if len(query) <= 100][:200]
    with tempfile.TemporaryDirectory() as folder, rm.SqliteStore(Path(folder) / "asked.db") as store:
        for start in range(0, size, 10_000):
            some = slice(start, start + 10_000)
            store.add(documents[some], vectors=made[some], embedder=embedder)
        _is_exact(store, documents, made, asked[:50])
        with closing(_ByHand(Path(folder) / "asked.db", made)) as by_hand:
            result = measure(
                _group(store, embedder, messages, known, by_hand),
                Effort(0.5, 5) if quick else Effort(20.0, 40),
            )
        seconds = result.timings[0].wall_median
        verdict = Verdict("an engine's call at the median, in seconds", _MOST_SECONDS, seconds, " s")
        yield Result(result.title, result.timings, result.reference, [verdict])
        _say_memory(store)
        engine = rm.RetrievalEngine(rm.StoreMemory(store, embedder))
        _say_throughput(engine, messages, 20 if quick else 200)


def _collection() -> tuple[list[str], Floats, list[str], Floats]:
    """Texts with vectors, and queries with vectors."""
    shared = Path(os.environ.get("RANKMELD_SHARED", Path(__file__).parents[2].parent / "shared")) / "data"
    if not all((shared / name / "embeddings.npz").exists() for name in _COLLECTIONS):
        drawn = Texts()
        texts = drawn.documents(5_000, 60)
        queries = [drawn.text(6) for _ in range(500)]
        return (
            [document.text for document in texts],
            drawn.vectors(5_000, _WIDTH),
            queries,
            drawn.vectors(500, _WIDTH),
        )
    texts, queries, rows, asked = [], [], [], []
    for name in _COLLECTIONS:
        embedded = np.load(shared / name / "embeddings.npz")
        rows.append(embedded["corpus"].astype(np.float32))
        asked.append(embedded["queries"].astype(np.float32))
        for file, into in (("corpus", texts), ("queries", queries)):
            lines = (shared / name / f"{file}.jsonl").read_text(encoding="utf-8").splitlines()
            into += [json.loads(line)["text"] for line in lines]
    return texts, np.concatenate(rows), queries, np.concatenate(asked)


def _repeated(texts: list[str], vectors: Floats, size: int) -> tuple[list[rm.Document], Floats]:
    """So many documents: the texts again and again, a tenth of the words changed, the vectors moved."""
    chance, drawn = random.Random(SEED), np.random.default_rng(SEED)  # noqa: S311 - texts, no secrets
    words = sorted({word for text in texts[:2_000] for word in text.split()})
    documents, made = [], np.empty((size, _WIDTH), np.float32)
    for place in range(size):
        source = place % len(texts)
        some = texts[source].split() or ["empty"]
        for _ in range(len(some) // 10 if place >= len(texts) else 0):
            some[chance.randrange(len(some))] = chance.choice(words)
        documents.append(
            rm.Document(
                f"d{place}",
                " ".join(some),
                created_at=NOW.timestamp() - 86_400 * (place % 900),
                importance=chance.random(),
                metadata={"user_id": f"u{place % 10}"},
            )
        )
        vector = vectors[source] + (drawn.standard_normal(_WIDTH) * 0.015 if place >= len(texts) else 0)
        made[place] = vector / np.linalg.norm(vector)
    return documents, made


def _is_exact(store: rm.SqliteStore, documents: list[rm.Document], made: Floats, asked: Floats) -> None:
    """The nearest by all cosines, equal ones in the order of adding, to the last bit."""
    for query in asked:
        rows, scores = rm.cosine_top(query, made, limit=_WANTED)
        found = store.vector(query, limit=_WANTED)
        assert found.ids == [documents[row].id for row in rows]
        assert found.scores is not None
        assert found.scores.tolist() == scores.tolist()
        wide = made.astype(np.float64) @ query.astype(np.float64) / np.linalg.norm(query.astype(np.float64))
        wide /= np.linalg.norm(made.astype(np.float64), axis=1)
        assert np.allclose(np.sort(wide)[::-1][:_WANTED], scores, rtol=0, atol=1e-12)


class _ByHand:
    """What one writes without a store: a matrix in NumPy, rows of texts in SQLite."""

    def __init__(self, path: Path, matrix: Floats) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._matrix = matrix

    def __call__(self, query: Floats) -> list[str]:
        scores = self._matrix @ query
        best = np.argpartition(-scores, _WANTED)[:_WANTED]
        best = best[np.argsort(-scores[best], kind="stable")] + 1
        marks = ",".join("?" * len(best))
        rows = self._connection.execute(
            f"SELECT position, text FROM documents WHERE position IN ({marks})",  # noqa: S608
            best.tolist(),
        )
        texts = dict(rows.fetchall())
        return [texts[position] for position in best.tolist()]

    def close(self) -> None:
        self._connection.close()


def _group(
    store: rm.SqliteStore,
    embedder: CallableEmbedder,
    messages: list[str],
    known: dict[str, Floats],
    by_hand: _ByHand,
) -> Group:
    memory = rm.StoreMemory(store, embedder)
    engine = rm.RetrievalEngine(memory, feedback=rm.MemoryFeedback())
    turn, new = itertools.cycle(messages), itertools.count()

    def after_an_add(_: None) -> rm.EngineResult:
        return engine.retrieve(next(turn))

    def add() -> None:
        vector = known[messages[0]] * np.float32(-1.0)
        store.add([rm.Document(("new", next(new)), "a new one")], vectors=[vector], embedder=embedder)

    def found(result: rm.EngineResult) -> None:
        assert 0 < len(result.ranking) <= _WANTED

    def candidates(ranking: rm.Ranking) -> None:
        assert len(ranking) == _WANTED

    def some(ranking: rm.Ranking) -> None:
        assert len(ranking)

    def texts(found: list[str]) -> None:
        assert len(found) == _WANTED

    cases = [
        Case("RetrievalEngine", lambda: engine.retrieve(next(turn)), found),
        Case("RetrievalEngine, one user of ten", lambda: engine.retrieve(next(turn), user_id="u3"), found),
        Case("RetrievalEngine, after an add", after_an_add, found, prepare=add),
        Case("StoreMemory alone", lambda: memory.search_candidates(next(turn), top_k=_WANTED), candidates),
        Case("vector", lambda: store.vector(known[next(turn)], limit=_WANTED), candidates),
        Case("lexical", lambda: store.lexical(next(turn), limit=_WANTED), some),
        Case(
            "NumPy and SQLite by hand",
            lambda: by_hand(known[next(turn)]),
            texts,
            note="a bound: texts alone, no filters, not kept up to date",
        ),
    ]

    title = f"engine over SQLite, {len(store):,} documents of {_WIDTH} dimensions, {_WANTED} candidates"
    return Group(title, cases, "vector")


def _say_memory(store: rm.SqliteStore) -> None:
    with store._pool.reading() as connection:  # noqa: SLF001 - what is held is nobody else's business
        table = store._held.get(connection)  # noqa: SLF001 - as above
    assert table is not None
    print(f"memory: {table.nbytes / len(table):,.0f} bytes for each vector of {table.width} dimensions")


def _say_throughput(engine: rm.RetrievalEngine, messages: list[str], calls: int) -> None:
    """Calls a second of all threads together."""

    def asking() -> None:
        for message in itertools.islice(itertools.cycle(messages), calls):
            engine.retrieve(message)

    rates = {threads: threads * calls / _seconds(asking, threads) for threads in (1, 2, 4)}
    told = ", ".join(f"{threads}: {rate:,.0f}" for threads, rate in rates.items())
    print(f"calls a second by threads: {told}")


def _seconds(work: Callable[[], None], threads: int) -> float:
    crew = [threading.Thread(target=work) for _ in range(threads)]
    started = time.perf_counter()
    for thread in crew:
        thread.start()
    for thread in crew:
        thread.join()
    return time.perf_counter() - started
