"""MaxSim in exact fractions: for each query vector the largest dot product, summed up."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .scores import root

Vector = Sequence[float]


def exact(vector: Vector) -> list[Fraction]:
    return [Fraction(float(x)) for x in vector]


def unit(vector: list[Fraction]) -> list[Fraction]:
    """Divided by its length; a zero vector stays zero."""
    squares = sum((x * x for x in vector), Fraction(0))
    return [x / Fraction(root(squares)) for x in vector] if squares else vector


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def best(query: Sequence[Vector], document: Sequence[Vector], normalize: bool) -> list[tuple[int, Fraction]]:
    """For each query vector the first vector that is most similar, and how much it is."""
    shape = unit if normalize else list
    rows = [shape(exact(row)) for row in document]
    found = []
    for vector in query:
        similarities = [dot(shape(exact(vector)), row) for row in rows]
        place = max(range(len(rows)), key=lambda i, s=similarities: (s[i], -i)) if rows else -1
        found.append((place, similarities[place] if rows else Fraction(0)))
    return found


def maxsim(
    query: Sequence[Vector],
    documents: Sequence[Sequence[Vector]],
    *,
    mask: Sequence[Sequence[bool]] | None = None,
    normalize: bool = False,
) -> list[float]:
    scores = []
    for index, document in enumerate(documents):
        kept = (
            list(document) if mask is None else [v for v, k in zip(document, mask[index], strict=True) if k]
        )
        scores.append(float(sum((s for _, s in best(query, kept, normalize)), Fraction(0))))
    return scores


def matches(query: Sequence[Vector], documents: Sequence[Sequence[Vector]]) -> list[list[int]]:
    return [[place for place, _ in best(query, document, False)] for document in documents]


def maxsim_top(
    query: Sequence[Vector],
    documents: Sequence[Sequence[Vector]],
    *,
    limit: int | None,
    mask: Sequence[Sequence[bool]] | None = None,
) -> list[tuple[int, float]]:
    scores = maxsim(query, documents, mask=mask)
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    return [(i, scores[i]) for i in order[:limit]]
