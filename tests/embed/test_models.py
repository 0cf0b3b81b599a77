"""Behaviour that both shipped models share."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.embed import Embedder, MiniLMEmbedder, as_embedder
from rankmeld.errors import InvalidArgumentError

TEXTS = [
    "the wing stalls at a high angle of attack",
    "",
    "a recipe for apple pie",
    "lift is lost when the flow separates from the airfoil " * 20,
    "short",
]


def test_shape_type_and_length_of_vectors(embedder: Embedder):
    vectors = embedder(TEXTS)
    assert isinstance(embedder, Embedder)
    assert as_embedder(embedder) is embedder
    assert vectors.shape == (5, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    norms = np.linalg.norm(vectors, axis=1)
    assert norms[[0, 2, 3, 4]] == pytest.approx(1.0, abs=1e-6)


def test_vector_does_not_depend_on_its_neighbours(embedder: Embedder):
    together = embedder(TEXTS)
    backwards = embedder(TEXTS[::-1])[::-1]
    assert np.array_equal(together, backwards)
    for text, vector in zip(TEXTS, together, strict=True):
        assert np.array_equal(embedder([text])[0], vector)
        assert np.array_equal(embedder.embed_query(text), vector)


def test_no_texts(embedder: Embedder):
    assert embedder([]).shape == (0, embedder.dimensions)


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u3000\u2003"])
def test_blank_text_has_the_zero_vector(embedder: Embedder, text: str):
    assert not embedder([text]).any()
    assert not embedder.embed_query(text).any()


@pytest.mark.parametrize(
    "text",
    ["\ud800", "a\udfffb", "\x00\x01", "\u200b", "👩‍👩‍👧", "a\u0301" * 3000, "%s{}<s>[SEP]", "漢字かな"],
    ids=["lone", "inside", "control", "zero-width", "emoji", "marks", "marked", "cjk"],
)
def test_odd_text_is_no_error(embedder: Embedder, text: str):
    vectors = embedder([text, "plain"])
    assert np.isfinite(vectors).all()
    assert vectors[1].any()


@pytest.mark.parametrize("text", ["lift drag " * 100_000, "x" * 1_000_000, "漢字" * 500_000])
def test_very_long_text_is_no_error(embedder: Embedder, text: str):
    vector = embedder.embed_query(text)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)


def test_composed_and_decomposed_text_are_one(embedder: Embedder):
    assert np.array_equal(
        embedder.embed_query("caf\u00e9 cr\u00e8me"), embedder.embed_query("cafe\u0301 cre\u0300me")
    )


def test_nearest_text_is_the_related_one(embedder: Embedder):
    documents = embedder([TEXTS[2], TEXTS[3], "how to bake bread with yeast"])
    query = embedder.embed_query("why does an aircraft wing lose lift")
    assert int(np.argmax(documents @ query)) == 1


def test_tokens_have_a_row_each_and_their_mean_is_the_text(static: Embedder, minilm: Embedder):
    for embedder in (static, minilm):
        rows = embedder.embed_tokens([*TEXTS[:3], "\x00"])
        assert [row.shape[1] for row in rows] == [embedder.dimensions] * 4
        assert [row.dtype for row in rows] == [np.float32] * 4
        assert len(rows[0]) >= 9  # words
        assert len(rows[1]) == 0
        with pytest.raises(TypeError, match="one str"):
            embedder.embed_tokens("a str")
    mean = static.embed_tokens(TEXTS[3:4])[0].mean(axis=0, dtype=np.float64)
    assert mean / np.linalg.norm(mean) == pytest.approx(static(TEXTS[3:4])[0], abs=1e-6)
    assert len(minilm.embed_tokens(["wing " * 1_000])[0]) == 254


def test_static_tokens_know_no_context_and_those_of_minilm_do(static: Embedder, minilm: Embedder):
    texts = ["river bank", "money bank"]
    river, money = static.embed_tokens(texts)
    assert np.array_equal(river[-1], money[-1])
    river, money = minilm.embed_tokens(texts)
    assert len(river) == len(money) == 2
    assert not np.allclose(river[-1], money[-1], atol=0.01)


def test_tokens_rank_by_meaning(embedder: Embedder):
    hits = [(place, None, rm.Document(place, text)) for place, text in enumerate(TEXTS)]
    found = rm.MaxSimReranker(embedder.embed_tokens).rerank("aircraft lift", hits)
    assert found.ids[0] == 3
    assert dict(zip(found.ids, found.scores, strict=True))[1] == 0.0


def test_one_str_is_refused(embedder: Embedder):
    with pytest.raises(TypeError, match=r"texts is one str; pass a list of texts: \[text\]"):
        embedder("one text")
    with pytest.raises(TypeError, match=r"texts\[1\] must be a str, not int"):
        embedder(["a", 1])
    with pytest.raises(TypeError, match="text must be a str, not list"):
        embedder.embed_query(["a"])


def test_progress_counts_to_the_end(embedder: Embedder):
    steps = []
    embedder(TEXTS, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]


def test_texts_are_not_changed(embedder: Embedder):
    texts = list(TEXTS)
    embedder(texts)
    assert texts == TEXTS


def test_many_threads_may_call(embedder: Embedder):
    expected = embedder(TEXTS)
    same = []

    def work():
        same.extend(np.array_equal(embedder(TEXTS), expected) for _ in range(3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same == [True] * 12


def test_minilm_gives_the_same_bits_with_threads(minilm: Embedder):
    steps = []
    parallel = MiniLMEmbedder(threads=3)
    vectors = parallel(TEXTS, progress=lambda done, total: steps.append((done, total)))
    assert np.array_equal(vectors, minilm(TEXTS))
    assert steps == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]
    assert repr(parallel) == "MiniLMEmbedder(threads=3)"


def test_minilm_threads_pass_on_an_interruption(minilm: Embedder):
    parallel = MiniLMEmbedder(threads=2)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parallel(TEXTS * 10, progress=stop)
    assert np.array_equal(parallel(TEXTS), minilm(TEXTS))


def test_minilm_reads_the_first_256_word_pieces(minilm: Embedder):
    read = "the wing " * 127  # 254 pieces beside the two marks
    assert np.array_equal(minilm.embed_query(read), minilm.embed_query(read + "bread " * 9))
    assert not np.array_equal(minilm.embed_query(read), minilm.embed_query(read[:-5] + "bread"))


def test_minilm_threads_option_is_checked():
    with pytest.raises(InvalidArgumentError, match="threads is 0; it must be 1 or more"):
        MiniLMEmbedder(threads=0)
    with pytest.raises(TypeError, match="threads must be an int, not float"):
        MiniLMEmbedder(threads=2.0)


def _jsonl(path, count=None):
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines][:count]


def test_minilm_stands_beside_the_full_precision_model(minilm: Embedder, cranfield):
    documents = _jsonl(cranfield / "corpus.jsonl", 20)
    vectors = minilm([f"{document['title']} {document['text']}" for document in documents])
    full = np.load(cranfield / "embeddings.npz")["corpus"][:20].astype(np.float32)
    assert (vectors * full).sum(axis=1).min() > 0.999  # without the end mark it is 0.998


def test_static_quality_on_cranfield(static: Embedder, cranfield):
    documents = _jsonl(cranfield / "corpus.jsonl")
    queries = _jsonl(cranfield / "queries.jsonl")
    relevant: dict[str, dict[str, int]] = {}
    for line in (cranfield / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        relevant.setdefault(query, {})[document] = int(grade)
    vectors = static([f"{document['title']} {document['text']}" for document in documents])
    scores = static([query["text"] for query in queries]) @ vectors.T
    discount = 1 / np.log2(np.arange(2, 12))
    measured = []
    for query, row in zip(queries, scores, strict=True):
        grades = relevant[query["_id"]]
        best = [documents[index]["_id"] for index in np.argsort(-row, kind="stable")[:10]]
        ideal = sorted(grades.values(), reverse=True)[:10]
        gain = sum(grades.get(name, 0) * d for name, d in zip(best, discount, strict=True))
        measured.append(gain / sum(g * d for g, d in zip(ideal, discount, strict=False)))
    assert np.mean(measured) == pytest.approx(0.441, abs=0.005)
