"""Any history of changes answers as a fresh index over the same documents, to the last bit."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import rankmeld as rm
from reference import bm25 as oracle

WORDS = [f"w{chr(97 + n)}" for n in range(9)]
ids = st.one_of(st.integers(0, 12), st.sampled_from(["1", "a", b"a", (1, 2), (1, "a"), 2.0, True]))
texts = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
queries = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=6).map(" ".join)


class History(RuleBasedStateMachine):
    """An index beside a dict of what it should hold."""

    def __init__(self) -> None:
        super().__init__()
        self.index = rm.BM25Index(k1=1.2, b=0.6)
        self.model: dict[object, str] = {}
        self.older: list[tuple[rm.BM25Index, dict[object, str]]] = []

    @rule(documents=st.lists(st.tuples(ids, texts), max_size=8))
    def add(self, documents):
        assert self.index.add(documents) == len(dict(documents))
        self.model.update(documents)

    @rule(gone=st.lists(ids, max_size=8))
    def remove(self, gone):
        expected = len(self.model.keys() & set(gone))
        assert self.index.remove(gone) == expected
        for id in gone:
            self.model.pop(id, None)

    @rule()
    def save_and_load(self):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "index"
            self.index.save(path)
            self.index = rm.BM25Index.load(path)

    @rule()
    def pickle(self):
        self.index = pickle.loads(pickle.dumps(self.index))

    @rule()
    def keep_a_copy(self):
        self.older.append((copy.copy(self.index), dict(self.model)))

    @rule(query=queries, limit=st.integers(0, 12))
    def search(self, query, limit):
        check(self.index, self.model, query, limit)

    @invariant()
    def counts_are_those_of_what_is_there(self):
        assert len(self.index) == len(self.model)
        lengths = [len(text.split()) for text in self.model.values()]
        assert self.index.average_length == (sum(lengths) / len(lengths) if lengths else 0.0)
        holding = sum("wa" in text.split() for text in self.model.values())
        assert self.index.document_frequency("wa") == holding
        assert all(id in self.index for id in self.model)

    def teardown(self):
        for index, model in self.older:
            check(index, model, " ".join(WORDS), 20)


def check(index, model, query, limit):
    documents = {id: text.split() for id, text in model.items()}
    expected = oracle.search(query.split(), documents, k1=index.k1, b=index.b)
    found = [(hit.id, hit.score) for hit in index.search(query, limit=limit)]
    assert found == expected[:limit]
    assert [type(id) for id, _ in found] == [type(id) for id, _ in expected[:limit]]
    scores = rm.bm25_scores(query, model.values(), k1=index.k1, b=index.b)
    assert dict(found) == {id: s for (id, s) in zip(model, scores.tolist(), strict=True) if id in dict(found)}


History.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestHistory = History.TestCase


@pytest.fixture(scope="module")
def zipf():
    """Texts of a skewed vocabulary, many of them alike, so that scores tie."""
    rng = np.random.default_rng(5)
    ranks = (rng.zipf(1.3, 60_000) - 1) % 400
    lengths = rng.integers(1, 12, 6_000)
    ends = np.cumsum(lengths)
    return [
        " ".join(f"w{n}x" for n in ranks[end - length : end])
        for length, end in zip(lengths, ends, strict=True)
    ]


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.0, 0.75), (1.2, 0.0), (4.0, 1.0)])
def test_skipping_changes_neither_hits_nor_ties_nor_bits(zipf, k1, b):
    index = rm.BM25Index(k1=k1, b=b)
    for start, stop in ((0, 4_000), (4_000, 5_500), (5_500, 6_000)):
        index.add(list(enumerate(zipf))[start:stop])
    index.remove(range(0, 6_000, 7))
    left = {n: text for n, text in enumerate(zipf) if n % 7}
    for query in (
        "w0x",
        "w0x w1x",
        "w3x w0x w50x",
        "w7x w300x w1x w0x w2x",
        " ".join(f"w{n}x" for n in range(40)),
    ):
        scores = rm.bm25_scores(query, left.values(), k1=k1, b=b).tolist()
        hits = [(id, score) for id, score in zip(left, scores, strict=True) if score > 0]
        expected = sorted(hits, key=lambda hit: -hit[1])
        for limit in (1, 2, 3, 10, 100, 1_000, None):
            assert [(hit.id, hit.score) for hit in index.search(query, limit=limit)] == expected[:limit]
        by_id = sorted(hits, key=lambda hit: (-hit[1], -hit[0]))
        for limit in (1, 5, 50):
            found = index.search(query, limit=limit, ties="id_desc")
            assert [(hit.id, hit.score) for hit in found] == by_id[:limit]
