"""Okapi BM25 over lists of tokens, twice: in the order that is promised, and in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

Tokens = Sequence[str]


def inverse_document_frequency(count: int, holding: int) -> float:
    return math.log1p((count - holding + 0.5) / (holding + 0.5))


def average_length(documents: Sequence[Tokens]) -> float:
    """Never below 1, so that a collection of blanks has an average too."""
    total = sum(len(document) for document in documents)
    return max(total / len(documents), 1.0) if documents else 1.0


def scores(
    query: Tokens, documents: Sequence[Tokens], *, k1: float = 1.5, b: float = 0.75, normalized: bool = False
) -> list[float]:
    """The scores to the last bit: terms are added as they first occur in the query."""
    average = average_length(documents)
    found = [0.0] * len(documents)
    for term in dict.fromkeys(query):
        holding = sum(term in document for document in documents)
        weight = inverse_document_frequency(len(documents), holding) * (k1 + 1.0)
        for place, document in enumerate(documents):
            frequency = float(document.count(term))
            if frequency:
                norm = k1 * ((1.0 - b) + b * (len(document) / average))
                found[place] += weight * (frequency / (frequency + norm))
    largest = max(found, default=0.0)
    return [score / largest for score in found] if normalized and largest > 0.0 else found


def exact_scores(
    query: Tokens, documents: Sequence[Tokens], *, k1: float = 1.5, b: float = 0.75
) -> list[Fraction]:
    """The formula itself; only the logarithm is rounded."""
    exact_k1, exact_b = Fraction(k1), Fraction(b)
    total = sum(len(document) for document in documents)
    average = max(Fraction(total, max(len(documents), 1)), Fraction(1))
    found = []
    for document in documents:
        score = Fraction(0)
        for term in dict.fromkeys(query):
            holding = sum(term in other for other in documents)
            rarity = Fraction(inverse_document_frequency(len(documents), holding))
            frequency = document.count(term)
            if frequency:
                norm = exact_k1 * (1 - exact_b + exact_b * len(document) / average)
                score += rarity * frequency * (exact_k1 + 1) / (frequency + norm)
        found.append(score)
    return found


def search(
    query: Tokens, documents: Mapping[Hashable, Tokens], *, k1: float = 1.5, b: float = 0.75
) -> list[tuple[Hashable, float]]:
    """All documents that score, best first, equal scores in the order of the mapping."""
    found = scores(query, list(documents.values()), k1=k1, b=b)
    hits = [(id, score) for id, score in zip(documents, found, strict=True) if score > 0.0]
    return sorted(hits, key=lambda hit: -hit[1])
