"""Maximal marginal relevance: by cosine, by words, and cosines by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import rankmeld as rm

from . import oracle
from .harness import Case, Effort, Goal, Group, Result, measure
from .workloads import SEED

_LAMBDA = 0.7
_PICKS = 20

Rows = npt.NDArray[np.float32]


def run(*, quick: bool) -> Iterator[Result]:
    """Twenty of 200 vectors; 100 texts of 120 words in full; twenty of 10,000 vectors."""
    effort = Effort(0.7, 5) if quick else Effort(5.0, 12)
    yield measure(_by_cosine(200), effort)
    yield measure(_by_words(100, 120), effort)
    if not quick:
        yield measure(_by_cosine(10_000), effort)


def _by_cosine(count: int) -> Group:
    query, rows = _vectors(count)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    scores = (unit @ (query / np.linalg.norm(query))).astype(np.float64)
    pairs = [(f"d{place}", float(score)) for place, score in enumerate(scores)]
    ranking = rm.Ranking(pairs)
    options: dict[str, Any] = {
        "similarity": "cosine",
        "vectors": rows,
        "lambda_": _LAMBDA,
        "limit": _PICKS,
        "scale": None,
    }
    expected = _numpy(query, rows)
    if count <= 200:
        wide = unit.astype(np.float64)
        similarity = wide @ wide.T
        by_definition = oracle.mmr_order(
            scores.tolist(), lambda i, j: similarity[i, j], _LAMBDA, _PICKS, None
        )
        assert expected == by_definition
    cases = [
        Case("rankmeld, ranking ready", lambda: rm.mmr(ranking, **options), _places(expected)),
        Case("rankmeld, from pairs", lambda: rm.mmr(pairs, **options), _places(expected)),
        Case("NumPy, running maximum", lambda: _numpy(query, rows), _is(expected)),
    ]
    if count <= 200:
        cases += _peers(query, rows, expected)
    goals = [Goal("at most 0.35 of NumPy", cases[1].name, "NumPy, running maximum", 0.35)]
    title = f"MMR, {_PICKS} of {count:,} vectors of {rows.shape[1]} float32"
    return Group(title, cases, "NumPy, running maximum", goals if count <= 200 else ())


def _vectors(count: int) -> tuple[npt.NDArray[np.float32], Rows]:
    """A query, and passages around 25 subjects of which some are near it."""
    rng = np.random.default_rng([SEED, count])
    centres = rng.standard_normal((25, 384))
    query = rng.standard_normal(384)
    rows = 0.6 * query + centres[rng.integers(0, 25, count)] + 0.7 * rng.standard_normal((count, 384))
    return query.astype(np.float32), rows.astype(np.float32)


def _numpy(query: npt.NDArray[np.float32], rows: Rows) -> list[int]:
    """What people write who know the running maximum: norms once, one product a pick."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    relevance = unit @ (query / np.linalg.norm(query))
    highest = np.full(len(unit), -np.inf, np.float32)
    left = np.ones(len(unit), bool)
    picks = [int(np.argmax(relevance))]
    left[picks[0]] = False
    while len(picks) < _PICKS:
        np.maximum(highest, unit @ unit[picks[-1]], out=highest)
        value = _LAMBDA * relevance - (1 - _LAMBDA) * highest
        value[~left] = -np.inf
        picks.append(int(np.argmax(value)))
        left[picks[-1]] = False
    return picks


def _peers(query: npt.NDArray[np.float32], rows: Rows, expected: list[int]) -> list[Case]:
    try:
        from langchain_core.vectorstores.utils import maximal_marginal_relevance  # noqa: PLC0415
    except ImportError:
        return []
    listed = list(rows)

    def call() -> list[int]:
        return maximal_marginal_relevance(query, listed, lambda_mult=_LAMBDA, k=_PICKS)

    return [Case("LangChain", call, _is(expected))]


def _by_words(count: int, words: int) -> Group:
    rng = np.random.default_rng([SEED, count, words])
    vocabulary = ["".join(map(chr, rng.integers(97, 123, rng.integers(3, 10)))) for _ in range(20_000)]
    weights = 1.0 / np.arange(1, 20_001)
    drawn = rng.choice(20_000, (count, words), p=weights / weights.sum())
    texts = [" ".join(vocabulary[token] for token in row) for row in drawn]
    scores = sorted(rng.random(count).tolist(), reverse=True)
    hits = [
        (place, score, rm.Document(place, text))
        for place, (score, text) in enumerate(zip(scores, texts, strict=True))
    ]
    ranking = rm.Ranking(hits)
    sets = [frozenset(text.split()) for text in texts]
    expected = oracle.mmr_order(scores, lambda i, j: _jaccard(sets[i], sets[j]), _LAMBDA, None, None)
    cases = [
        Case(
            "rankmeld, ranking ready",
            lambda: rm.mmr(ranking, lambda_=_LAMBDA, scale=None),
            _places(expected),
        ),
        Case("rankmeld, from triples", lambda: rm.mmr(hits, lambda_=_LAMBDA, scale=None), _places(expected)),
        Case("Python, running maximum", lambda: _python(scores, texts), _is(expected)),
        Case(
            "tokenize each text",
            lambda: [rm.tokenize(text) for text in texts],
            None,
            note="a part of the work, with lists of str made of it",
        ),
    ]
    goals = [Goal("at most 0.04 of Python", cases[1].name, "Python, running maximum", 0.04)]
    return Group(f"MMR, {count} texts of {words} words in full", cases, "Python, running maximum", goals)


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b)


def _python(scores: Sequence[float], texts: Sequence[str]) -> list[int]:
    """A running maximum over sets of words."""
    sets = [set(text.lower().split()) for text in texts]
    highest = [0.0] * len(texts)
    left = list(range(len(texts)))
    picks: list[int] = []
    while left:
        best = max(left, key=lambda i: _LAMBDA * scores[i] - (1 - _LAMBDA) * highest[i])
        picks.append(best)
        left.remove(best)
        chosen = sets[best]
        for place in left:
            shared = len(chosen & sets[place])
            similarity = shared / (len(chosen) + len(sets[place]) - shared)
            highest[place] = max(highest[place], similarity)
    return picks


def _places(expected: list[int]) -> Callable[[rm.Ranking], None]:
    """The hits at these places of the input, in this order; ids are places or `d` and a place."""

    def check(found: rm.Ranking) -> None:
        _is(expected)([int(str(id).removeprefix("d")) for id in found.ids])

    return check


def _is(expected: list[int]) -> Callable[[list[int]], None]:
    def check(found: list[int]) -> None:
        assert [int(place) for place in found] == expected, (found, expected)

    return check
