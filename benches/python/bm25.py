"""BM25: scores of 100 texts from raw text; building an index of 20,000 and asking it."""

from __future__ import annotations

import importlib.util
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import rankmeld as rm

from . import oracle
from .harness import Case, Effort, Goal, Group, Result, measure

#: Of the workload that other libraries were measured with.
SEED = 20_250_717
WORDS, LENGTH, CANDIDATES, QUERIES = 30_000, 120, 100, 100
K1, B = 1.5, 0.75

CONSONANTS, VOWELS = "bcdfghjklmnprstvwz", "aeiou"

Texts = list[str]


@dataclass(frozen=True)
class Workload:
    """Texts of pronounceable words by Zipf's law, and queries of four words, two of them rare."""

    candidates: Texts
    question: str
    corpus: Texts
    queries: Texts


def run(*, quick: bool) -> Iterator[Result]:
    """Rescoring, building and searching; 2,000 documents in a quick pass."""
    made = workload(2_000 if quick else 20_000)
    yield measure(_scores(made), Effort(0.7, 5) if quick else Effort(5.0, 12))
    peer = not quick and importlib.util.find_spec("bm25s") is not None
    yield measure(_building(made, peer=peer), Effort(0.0, 2) if quick else Effort(8.0, 3))
    yield measure(_searching(made, peer=peer), Effort(0.7, 5) if quick else Effort(8.0, 12))


def workload(documents: int) -> Workload:
    """The texts and queries."""
    rng = np.random.default_rng(SEED)
    words = _words(rng)
    share = 1.0 / np.arange(1, WORDS + 1) ** 1.05
    bounds = np.cumsum(share / share.sum())

    def text() -> str:
        places = np.minimum(np.searchsorted(bounds, rng.random(LENGTH)), WORDS - 1)
        return " ".join(words[place] for place in places)

    candidates = [text() for _ in range(CANDIDATES)]
    corpus = [text() for _ in range(documents)]
    queries = [
        " ".join(words[place] for place in (*rng.integers(20, 300, 2), *rng.integers(300, 8_000, 2)))
        for _ in range(QUERIES)
    ]
    # The candidates were retrieved for the question: its words are in some of them, and one in none.
    holding = Counter(word for candidate in candidates for word in set(candidate.split()))
    fitting = sorted(word for word, count in holding.items() if 5 <= count <= 60)
    asked = [fitting[place] for place in rng.choice(len(fitting), 6, replace=False)]
    return Workload(candidates, " ".join([*asked, "qqqqqq"]), corpus, queries)


def _words(rng: np.random.Generator) -> Texts:
    made: dict[str, None] = {}
    while len(made) < WORDS:
        length = int(rng.integers(3, 11))
        letters = (VOWELS if place % 2 else CONSONANTS for place in range(length))
        made["".join(some[int(rng.integers(len(some)))] for some in letters)] = None
    return list(made)


def _scores(made: Workload) -> Group:
    query, texts = made.question, made.candidates
    unstemmed = partial(rm.bm25_tokenize, stemmer=None)
    goal = Goal(
        f"BM25 of {CANDIDATES} texts from raw text, of tuned Python's time", "rankmeld", "Python, tuned", 0.2
    )
    cases = [
        Case("rankmeld", lambda: rm.bm25_scores(query, texts), _equal(query, texts, rm.bm25_tokenize)),
        Case(
            "rankmeld, words unstemmed",
            lambda: rm.bm25_scores(query, texts, tokenizer=unstemmed),
            _equal(query, texts, unstemmed),
        ),
        Case(
            "rankmeld, str.split as tokenizer",
            lambda: rm.bm25_scores(query, texts, tokenizer=str.split),
            _equal(query, texts, str.split),
        ),
        Case("Python, tuned", lambda: _by_hand(query, texts), _near(query, texts)),
    ]
    return Group(f"BM25 scores, 7 words against {CANDIDATES} x {LENGTH}", cases, "Python, tuned", [goal])


def _equal(query: str, texts: Texts, tokenize: Callable[[str], list[str]]) -> Callable[[Any], None]:
    expected = oracle.bm25_scores(tokenize(query), [tokenize(text) for text in texts], k1=K1, b=B)

    def check(found: Any) -> None:
        assert found.tolist() == expected

    return check


def _near(query: str, texts: Texts) -> Callable[[Any], None]:
    expected = oracle.bm25_scores(query.split(), [text.split() for text in texts], k1=K1, b=B)

    def check(found: Any) -> None:
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    return check


def _by_hand(query: str, texts: Texts) -> list[float]:
    """Only the query's terms are counted."""
    documents = [text.lower().split() for text in texts]
    lengths = list(map(len, documents))
    average = sum(lengths) / len(documents)
    norms = [K1 * (1 - B + B * length / average) for length in lengths]
    scores = [0.0] * len(documents)
    for term in query.lower().split():
        counts = [document.count(term) for document in documents]
        holding = len(documents) - counts.count(0)
        weight = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5)) * (K1 + 1)
        for place, count in enumerate(counts):
            if count:
                scores[place] += weight * count / (count + norms[place])
    return scores


def _index(corpus: Texts, **options: Any) -> rm.BM25Index:
    index = rm.BM25Index(k1=K1, b=B, **options)
    index.add(enumerate(corpus))
    return index


def _bm25s(corpus: Texts) -> Any:
    import bm25s  # noqa: PLC0415 - a peer that may not be there

    tokens = bm25s.tokenize(corpus, stopwords=None, show_progress=False)
    model = bm25s.BM25(method="lucene", k1=K1, b=B, backend="numba")
    model.index(tokens, show_progress=False)
    return model


def _building(made: Workload, *, peer: bool) -> Group:
    size = len(made.corpus)

    def has_all(index: rm.BM25Index) -> None:
        assert len(index) == size
        assert index.average_length == LENGTH

    cases = [
        Case("rankmeld", lambda: _index(made.corpus), has_all, entries=size, note="an entry is a document")
    ]
    goals = []
    if peer:
        cases.append(Case("bm25s", lambda: _bm25s(made.corpus), None, entries=size, note="another index"))
        goals.append(Goal("BM25 index built from text, of bm25s's time", "rankmeld", "bm25s", 0.2))
    return Group(f"BM25 index of {size:,} x {LENGTH} words", cases, "rankmeld", goals)


def _searching(made: Workload, *, peer: bool) -> Group:
    index = _index(made.corpus, tokenizer=partial(rm.bm25_tokenize, stemmer=None))
    expected = [_expected(query, made.corpus) for query in made.queries[:5]]

    def best(rankings: list[rm.Ranking]) -> None:
        found = [[(hit.id, hit.score) for hit in ranking] for ranking in rankings]
        assert found[: len(expected)] == expected

    cases = [
        Case("search, one by one", lambda: [index.search(query) for query in made.queries], best),
        Case("search_many, one thread", lambda: index.search_many(made.queries, threads=1), best),
    ]
    goals = []
    if peer:
        import bm25s  # noqa: PLC0415 - as above

        model = _bm25s(made.corpus)
        tokens = bm25s.tokenize(made.queries, stopwords=None, show_progress=False)

        def same_scores(found: Any) -> None:
            for scores, hits in zip(found.scores, expected, strict=False):
                np.testing.assert_allclose(scores * (K1 + 1), [score for _, score in hits], rtol=1e-5)

        name = "bm25s with numba, tokens ready"
        cases.append(Case(name, lambda: model.retrieve(tokens, k=10, show_progress=False), same_scores))
        goals = [
            Goal(f"BM25 {case.name}, of bm25s's time in one call", case.name, name, 1.0) for case in cases[:2]
        ]
    title = f"BM25, {QUERIES} queries of 4 words to {len(made.corpus):,} documents, top 10"
    return Group(title, cases, "search_many, one thread", goals)


def _expected(query: str, corpus: Texts) -> list[tuple[int, float]]:
    """By scoring every document."""
    scores = rm.bm25_scores(query, corpus, tokenizer=partial(rm.bm25_tokenize, stemmer=None)).tolist()
    order = sorted(range(len(corpus)), key=lambda place: -scores[place])
    return [(place, scores[place]) for place in order[:10] if scores[place] > 0]
