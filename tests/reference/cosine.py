"""Cosine similarity in exact fractions: huge and tiny vectors are vectors like any other."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .scores import root


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """0 where either vector is zero."""
    left, right = [Fraction(float(x)) for x in a], [Fraction(float(x)) for x in b]
    dot = sum((x * y for x, y in zip(left, right, strict=True)), Fraction(0))
    squares = sum((x * x for x in left), Fraction(0)) * sum((y * y for y in right), Fraction(0))
    return float(dot / root(squares)) if squares else 0.0


def cosine_scores(query: Sequence[float], vectors: Sequence[Sequence[float]]) -> list[float]:
    return [cosine(query, row) for row in vectors]
