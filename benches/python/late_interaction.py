"""Lexical late interaction: a query of 12 tokens, 100 documents of 120, from raw text."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from itertools import pairwise
from operator import mul
from typing import Any

import numpy as np

import rankmeld as rm

from . import oracle
from .harness import Case, Effort, Goal, Group, Result, measure

#: Of the workload that other libraries were measured with.
SEED = 20_250_717
QUERY, DOCUMENTS, LENGTH, WORDS = 12, 100, 120, 20_000

CONSONANTS, VOWELS = "bcdfghjklmnprstvwz", "aeiou"

Tokens = list[str]


def run(*, quick: bool) -> Iterator[Result]:
    """All documents in one call, and one of them alone."""
    effort = Effort(0.7, 5) if quick else Effort(6.0, 12)
    query, documents = workload()
    yield measure(_many(query, documents), effort)
    yield measure(_one(query, documents[0]), effort)


def workload() -> tuple[Tokens, list[Tokens]]:
    """Pronounceable words by Zipf's law; four of the query's words have a typing error."""
    rng = np.random.default_rng(SEED)
    words = _words(rng)
    share = 1.0 / np.arange(1, WORDS + 1) ** 1.05
    bounds = np.cumsum(share / share.sum())

    def drawn() -> Tokens:
        places = np.searchsorted(bounds, rng.random(LENGTH))
        return [words[place] for place in np.minimum(places, WORDS - 1)]

    documents = [drawn() for _ in range(DOCUMENTS)]
    query = [words[place] for place in rng.choice(3_000, QUERY - 4, replace=False)]
    query += [words[place][:-1] + "x" for place in rng.choice(3_000, 4, replace=False)]
    return query, documents


def _words(rng: np.random.Generator) -> Tokens:
    made: dict[str, None] = {}
    while len(made) < WORDS:
        length = int(rng.integers(3, 12))
        letters = (VOWELS if place % 2 else CONSONANTS for place in range(length))
        made["".join(some[int(rng.integers(len(some)))] for some in letters)] = None
    return list(made)


def _many(query: Tokens, documents: list[Tokens]) -> Group:
    asked, texts = " ".join(query), [" ".join(document) for document in documents]
    expected = [oracle.lexical_maxsim(query, document) for document in documents]
    cases = [
        Case("rankmeld, raw text", lambda: rm.lexical_maxsim_many(asked, texts), _equal(expected)),
        Case("rankmeld, tokens", lambda: rm.lexical_maxsim_many(query, documents), _equal(expected)),
        Case("Python, memoised", lambda: _by_hand(query, documents), _near(expected)),
        Case("tokenize alone", lambda: [rm.tokenize(text) for text in texts], None, note="a part of it"),
    ]
    goals = []
    if importlib.util.find_spec("rapidfuzz"):
        weights = np.array([rm.token_weight(token) for token in query])
        cases.append(
            Case(
                "rapidfuzz, one flat cdist",
                lambda: _flat_cdist(query, documents, weights / weights.sum()),
                None,
                note="another similarity, tokens ready",
            )
        )
        goals = [
            Goal(
                "lexical MaxSim from raw text, of rapidfuzz's time from tokens",
                cases[0].name,
                "rapidfuzz, one flat cdist",
                0.35,
            )
        ]
    title = f"lexical MaxSim, {QUERY} tokens against {DOCUMENTS} x {LENGTH}"
    return Group(title, cases, "rankmeld, raw text", goals)


def _one(query: Tokens, document: Tokens) -> Group:
    asked, text = " ".join(query), " ".join(document)
    expected = oracle.lexical_maxsim(query, document)

    def equal(found: Any) -> None:
        assert found == expected

    cases = [
        Case("lexical_maxsim", lambda: rm.lexical_maxsim(asked, text), equal),
        Case("Python, memoised", lambda: _by_hand(query, [document]), _near([expected])),
        Case(
            "lexical_matches",
            lambda: rm.lexical_matches(asked, text),
            lambda found: _as_tuples(found, oracle.lexical_matches(query, document)),
        ),
    ]
    return Group(f"lexical MaxSim, {QUERY} tokens against one text of {LENGTH}", cases, cases[0].name)


def _as_tuples(found: Any, expected: Any) -> None:
    assert [tuple(match) for match in found] == expected


def _equal(expected: list[float]) -> Callable[[Any], None]:
    def check(found: Any) -> None:
        assert found.tolist() == expected

    return check


def _near(expected: list[float]) -> Callable[[Any], None]:
    def check(found: Any) -> None:
        assert np.allclose(found, expected, rtol=1e-12, atol=0.0)

    return check


def _flat_cdist(query: Tokens, documents: list[Tokens], weights: Any) -> Any:
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - not everybody has it

    flat = [token for document in documents for token in document]
    pairs = process.cdist(query, flat, scorer=fuzz.ratio, dtype=np.float32)
    return pairs.reshape(QUERY, DOCUMENTS, LENGTH).max(2).T @ weights / 100


def _by_hand(query: Tokens, documents: list[Tokens]) -> list[float]:
    """What one writes in Python: bigrams once a token, similarities once a pair."""

    def bigrams(token: str) -> frozenset[str]:
        return frozenset(map("".join, pairwise(token)))

    def similarity(asked: str, there: str) -> float:
        if asked == there:
            return 1.0
        if asked in there or there in asked:
            return min(len(asked), len(there)) / max(len(asked), len(there))
        sizes = len(made[asked]) + len(made[there])
        return 2 * len(made[asked] & made[there]) / sizes if sizes else 0.0

    distinct = {token for document in documents for token in document}
    made = {token: bigrams(token) for token in distinct.union(query)}
    rows = [{token: similarity(asked, token) for token in distinct} for asked in query]
    weights = [rm.token_weight(token) for token in query]
    whole = sum(weights)

    def score(document: Tokens) -> float:
        best = (max(map(row.__getitem__, document)) for row in rows)
        return sum(map(mul, weights, best)) / whole

    return [score(document) for document in documents]
