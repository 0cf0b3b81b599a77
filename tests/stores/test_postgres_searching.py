"""What a store in PostgreSQL finds: what every other store finds, and what its index finds."""

from __future__ import annotations

import random

import numpy as np
import pytest

import rankmeld as rm
from stores.samples import LetterEmbedder

psycopg = pytest.importorskip("psycopg")

WORDS = [
    "fusion", "Fusions", "rank", "ranking", "rankings", "cache", "cached", "zebra", "zebras", "Café", "cafés",
    "naïve", "東京", "日本語", "http2", "v2.0", "state-of-the-art", "don't", "a", "x", "the", "Straße",
    "ﬁne", "😀", "हिन्दी", "한국어", "running", "runs", "İstanbul", "end.of", "a/b/c", "me@example.org", "'",
    "\\", ":*", "&",
]  # fmt: skip


def some_documents(seed, count):
    rng = random.Random(seed)
    return [
        rm.Document(
            i,
            " ".join(rng.choices(WORDS, k=rng.randrange(1, 60))),
            " ".join(rng.choices(WORDS, k=rng.randrange(3))),
            " ".join(rng.choices(WORDS, k=rng.randrange(2))),
            metadata={"project": i % 7},
            created_at=f"2024-01-{1 + i % 28:02}",
        )
        for i in range(count)
    ]


@pytest.fixture
def store(database):
    with rm.PostgresStore(database) as store:
        yield store


def pairs(ranking):
    return list(zip(ranking.ids, ranking.scores, strict=True))


# --- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_words_are_ranked_by_the_same_bm25_as_an_index_in_memory(store, seed):
    from rankmeld.stores.postgres.lexemes import Lexemes

    documents = some_documents(seed, 150)
    store.add(documents)
    store.delete(range(0, 150, 11))
    store.add(some_documents(seed + 100, 20))
    memory = rm.BM25Index(k1=1.2, b=0.75, tokenizer=Lexemes("english").of_text)
    memory.add((document.id, document.passage) for document in documents)
    memory.remove(range(0, 150, 11))
    memory.add((document.id, document.passage) for document in some_documents(seed + 100, 20))
    rng = random.Random(seed)
    for _ in range(15):
        query = " ".join(rng.choices(WORDS, k=rng.randrange(1, 8)))
        found, expected = store.lexical(query, limit=None), memory.search(query, limit=None)
        assert set(found.ids) == set(expected.ids)
        assert list(found.scores) == pytest.approx(list(expected.scores), rel=1e-12)
        scores = dict(pairs(expected))
        assert [scores[id] for id in found.ids] == pytest.approx(list(expected.scores), rel=1e-12)
        some = store.lexical(query, limit=4, filters={"project": [1, 2]})
        assert pairs(some) == [(id, score) for id, score in pairs(found) if id % 7 in (1, 2)][:4]


def test_hosts_paths_and_addresses_are_words(store):
    store.add(
        [rm.Document(1, "the end.of a/b"), rm.Document(2, "me@example.org wrote"), rm.Document(3, "none")]
    )
    for query, expected in (("end", [1]), ("b", [1]), ("example", [2]), ("written org", [2])):
        assert store.lexical(query, limit=None).ids == expected


def test_words_of_any_length_are_found(store):
    long = "w" * 100_000
    store.add([rm.Document("a", f"{long} end"), rm.Document("b", "w" * 99_999)])
    assert store.lexical(long, limit=None).ids == ["a"]
    assert store.lexical("end", limit=None).ids == ["a"]


def test_ids_paths_and_metadata_of_any_length_are_kept(store):
    rng = random.Random(1)
    long = "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(20_000))
    store.replace_source(long, long, [rm.Document(long, "zebra", metadata={long: long, "project": long})])
    store.add([rm.Document((long, 1), "lion")])
    assert store.get(long).metadata == {long: long, "project": long}
    assert store.get((long, 1)).text == "lion"
    assert store.sources() == {long: long}
    assert store.source_digest(long) == long
    assert store.lexical("zebra", limit=1, filters={"project": long}).ids == [long]
    assert store.remove_source(long) == 1


def test_a_text_with_nul_comes_back_whole(store):
    document = rm.Document("a", "zebra\0lion", "t\0", "\0")
    store.add([document])
    assert store.get("a") == document
    assert store.lexical("lion", limit=1).ids == ["a"]


def test_a_text_beyond_what_a_tsvector_holds_is_refused_by_name_of_the_remedy(store):
    words = " ".join(f"w{i}q" for i in range(200_000))
    with pytest.raises(
        rm.StoreError, match=r"cannot hold .* this large, and nothing was changed; cut it into"
    ):
        store.add([rm.Document("small", "zebra"), rm.Document("large", words)])
    assert len(store) == 0


# --- vectors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 3, 384, 2500])
def test_vectors_score_with_the_same_bits_as_in_sqlite(store, width):
    rng = np.random.default_rng(width)
    vectors = rng.standard_normal((300, width)).astype(np.float32)
    # Near ties that float32 cannot tell apart, exact ties, zeros, and sizes from one end to the other.
    vectors[50:100] = vectors[0] * (1 + rng.standard_normal((50, 1)).astype(np.float32) * 1e-7)
    vectors[100:120] = vectors[1]
    vectors[120:125] = 0
    vectors[125:150] *= np.float32(2.0) ** rng.integers(-120, 100, (25, 1))
    documents = [rm.Document(i, "x", metadata={"project": i % 3}) for i in range(300)]
    with rm.SqliteStore(":memory:") as sqlite:
        sqlite.add(documents, vectors=vectors)
        store.add(documents, vectors=vectors)
        for query in (vectors[0], vectors[1], rng.standard_normal(width) * 1e30, vectors[120], vectors[130]):
            for limit in (1, 7, 60, 110, None):
                for filters in (None, {"project": 1}):
                    found = store.vector(query, limit=limit, filters=filters)
                    assert pairs(found) == pairs(sqlite.vector(query, limit=limit, filters=filters))


def test_numbers_of_very_different_size_in_one_vector_score_with_the_same_bits_too(store):
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((60, 6)) * 10.0 ** rng.integers(-28, 28, (60, 6))
    vectors[:20] = [3e37, 1e-10, 0, 0, 0, 0]
    vectors[:20, 2] = 1e-10 * np.arange(1, 21)
    documents = [rm.Document(i, "x") for i in range(60)]
    with rm.SqliteStore(":memory:") as sqlite:
        sqlite.add(documents, vectors=vectors)
        store.add(documents, vectors=vectors)
        for query in (*vectors[::10], [0, 1, 1, 0, 0, 0], [0, 0, 1e30, 0, 0, 1e-10]):
            for limit in (5, None):
                assert pairs(store.vector(query, limit=limit)) == pairs(sqlite.vector(query, limit=limit))


def test_hybrid_gives_the_same_ranking_as_sqlite(store):
    embedder = LetterEmbedder()
    texts = [
        "a zebra and a lion",
        "cabs of a lion",
        "ccc zebra",
        "bab",
        "lions eat zebras",
        "none",
        "never",
        "nor",
    ]
    documents = [rm.Document(i, text) for i, text in enumerate(texts)]
    with rm.SqliteStore(":memory:") as sqlite:
        for other in (sqlite, store):
            other.add(documents, embedder=embedder)
        for query in ("zebra", "lions", "cab"):
            expected = sqlite.hybrid(query, embedder=embedder, limit=None)
            assert pairs(store.hybrid(query, embedder=embedder, limit=None)) == pairs(expected)


# --- the index over vectors ---------------------------------------------------------------------


def clustered(count, width=16):
    rng = np.random.default_rng(7)
    centres = rng.standard_normal((20, width))
    return (centres[rng.integers(0, 20, count)] + 0.3 * rng.standard_normal((count, width))).astype(
        np.float32
    )


@pytest.fixture
def indexed(store, database):
    vectors = clustered(3000)
    store.add(
        [rm.Document(i, metadata={"project": i % 500}) for i in range(3000)],
        vectors=vectors,
    )
    assert store.create_index() is True
    with rm.PostgresStore(database, exact=False) as approximate:
        yield store, approximate, vectors


def test_the_index_finds_most_of_the_nearest_with_their_exact_scores(indexed):
    exact, approximate, vectors = indexed
    found = 0
    for query in vectors[:40]:
        scores = dict(pairs(exact.vector(query, limit=100)))
        ranking = approximate.vector(query, limit=10)
        assert len(ranking) == 10
        assert list(ranking.scores) == sorted(ranking.scores, reverse=True)
        assert all(scores.get(id, score) == score for id, score in pairs(ranking))
        found += len(set(ranking.ids) & set(list(scores)[:10]))
    assert found >= 380


def test_the_index_is_used_where_it_was_asked_for_and_nowhere_else(indexed, database, monkeypatch):
    from rankmeld.stores.postgres import sessions

    exact, approximate, vectors = indexed
    plans = []
    rows = sessions.Session.rows

    def explained(session, statement, parameters):
        text = statement.as_string(None)
        if "embedding" in text and "ORDER BY" in text:
            session._cursor.execute("EXPLAIN " + text, parameters, prepare=False)
            plans.append("\n".join(line for (line,) in session._cursor.fetchall()))
        return rows(session, statement, parameters)

    monkeypatch.setattr(sessions.Session, "rows", explained)
    approximate.vector(vectors[0], limit=10)
    assert "vectors_hnsw" in plans.pop()
    assert plans == []
    exact.vector(vectors[0], limit=10)
    assert "vectors_hnsw" not in plans.pop()
    assert exact.drop_index() is True
    assert exact.drop_index() is False
    ranking = approximate.vector(vectors[0], limit=10)
    assert pairs(ranking) == pairs(exact.vector(vectors[0], limit=10))
    assert not any("vectors_hnsw" in plan for plan in plans)


def test_a_filter_never_makes_an_answer_short(indexed):
    exact, approximate, vectors = indexed
    for query in vectors[:20]:
        for filters in ({"project": 3}, {"project": ["1", "2", "3"]}, {"project": "none"}):
            for limit in (1, 5, 50):
                expected = exact.vector(query, limit=limit, filters=filters)
                assert len(approximate.vector(query, limit=limit, filters=filters)) == len(expected)


@pytest.mark.parametrize("size", [1e6, 1e-8, 1e30])
def test_wide_vectors_of_any_size_are_indexed(store, database, size):
    vectors = size * np.random.default_rng(0).standard_normal((60, 2001))
    store.add([rm.Document(i) for i in range(40)], vectors=vectors[:40])
    assert store.create_index() is True
    store.add([rm.Document(i) for i in range(40, 60)], vectors=vectors[40:])
    with rm.PostgresStore(database, exact=False) as approximate:
        for query in vectors[::10]:
            assert pairs(approximate.vector(query, limit=1)) == pairs(store.vector(query, limit=1))


def test_zero_vectors_and_zero_queries_are_found_as_without_an_index(store, database):
    store.add([rm.Document(i) for i in range(6)], vectors=[[0, 0], [1, 0], [0, 1], [0, 0], [-1, 0], [1, 1]])
    store.create_index()
    with rm.PostgresStore(database, exact=False) as approximate:
        assert pairs(approximate.vector([0, 0], limit=4)) == pairs(store.vector([0, 0], limit=4))
        assert approximate.vector([1, 0], limit=None).ids == store.vector([1, 0], limit=None).ids
        assert set(approximate.vector([1, 0], limit=5).ids) == set(store.vector([1, 0], limit=5).ids)


def test_what_is_added_replaced_and_deleted_later_is_in_the_index(indexed):
    exact, approximate, vectors = indexed
    exact.add([rm.Document("new")], vectors=[-vectors[0]])
    assert approximate.vector(-vectors[0], limit=1).ids == ["new"]
    exact.add([rm.Document("new")], vectors=[vectors[0] * 2 + 5])
    assert approximate.vector(vectors[0] * 2 + 5, limit=1).ids == ["new"]
    exact.delete(["new"])
    assert approximate.vector(vectors[0] * 2 + 5, limit=1).ids != ["new"]


def test_an_index_is_made_once_for_each_make_and_width(indexed):
    exact, approximate, _ = indexed
    assert exact.create_index() is False
    assert exact.create_index(m=8, ef_construction=32) is True
    assert exact.create_index(m=8, ef_construction=32) is False
    everything = [rm.Document(i, metadata={"project": i % 500}) for i in range(3000)]
    exact.add(everything, vectors=clustered(3000, 5))  # another width beside the old index
    query = clustered(1, 5)[0]
    assert pairs(approximate.vector(query, limit=9)) == pairs(exact.vector(query, limit=9))
    assert exact.create_index(m=8, ef_construction=32) is True
    assert len(approximate.vector(query, limit=9)) == 9


def test_an_index_that_was_not_finished_is_made_again(indexed, database):
    exact, approximate, vectors = indexed
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'rankmeld.vectors_hnsw'::regclass"
        )
    assert pairs(approximate.vector(vectors[3], limit=9)) == pairs(exact.vector(vectors[3], limit=9))
    assert exact.create_index() is True
    assert exact.create_index() is False


def test_wide_vectors_are_indexed_at_half_precision_and_wider_ones_refused(store, database):
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((60, 2001)).astype(np.float32)
    store.add([rm.Document(i) for i in range(60)], vectors=vectors)
    assert store.create_index() is True
    with rm.PostgresStore(database, exact=False, ef_search=1000) as approximate:
        assert pairs(approximate.vector(vectors[4], limit=5)) == pairs(store.vector(vectors[4], limit=5))
    store.add([rm.Document(i) for i in range(60)], vectors=rng.standard_normal((60, 4001)))
    with pytest.raises(
        rm.InvalidArgumentError, match=r"have 4001 dimensions, and pgvector indexes 4000 at the"
    ):
        store.create_index()
    with pytest.raises(rm.StoreError, match=r"cannot hold a text or vector this large"):
        store.add([rm.Document(i) for i in range(60)], vectors=np.ones((60, 16_001)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"m": 1}, r"m is 1; it must be within 2\.\.100"),
        ({"m": 40}, r"ef_construction is 64; .* twice m \(40\) or more"),
        ({"ef_construction": 1001}, "ef_construction is 1001"),
    ],
)
def test_parameters_of_the_index_are_checked(store, options, message):
    with pytest.raises(rm.InvalidArgumentError, match=message):
        store.create_index(**options)


def test_a_store_without_vectors_has_nothing_to_index(store):
    with pytest.raises(
        rm.StoreError, match="has no vectors, and an index is for those of one width; add them"
    ):
        store.create_index()
