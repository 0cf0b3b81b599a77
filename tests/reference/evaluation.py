"""Measures and agreement of rankings, straight from their definitions."""

from __future__ import annotations

import math


def ndcg(ids, grades, depth):
    """Järvelin and Kekäläinen 2002, as trec_eval has it: linear gains, log2 of the rank plus one."""
    gained = sum(max(grades.get(id, 0), 0) / math.log2(rank + 2) for rank, id in enumerate(ids[:depth]))
    best = sorted((max(grade, 0) for grade in grades.values()), reverse=True)[:depth]
    ideal = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))
    return gained / ideal if ideal else 0.0


def reciprocal_rank(ids, grades):
    return next((1 / rank for rank, id in enumerate(ids, 1) if grades.get(id, 0) > 0), 0.0)


def success(ids, grades, depth):
    return float(any(grades.get(id, 0) > 0 for id in ids[:depth]))


def recall(ids, grades, depth):
    relevant = {id for id, grade in grades.items() if grade > 0}
    return len(relevant & set(ids[:depth])) / len(relevant) if relevant else 0.0


def rank_biased_overlap(first, second, p):
    """Equation 32 of Webber, Moffat and Zobel 2010, term by term."""
    short, long = sorted((first, second), key=len)
    s, l = len(short), len(long)  # noqa: E741 - the paper's names
    if s == 0:
        return 1.0 if l == 0 else 0.0

    def x(depth):
        return len(set(short[:depth]) & set(long[:depth]))

    seen = sum(x(d) / d * p**d for d in range(1, l + 1))
    beyond = sum(x(s) * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * (seen + beyond) + ((x(l) - x(s)) / l + x(s) / s) * p**l
