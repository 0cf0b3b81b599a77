"""PageRank as the formula says it, over dicts, every sum exactly rounded."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .errors import Refused


@dataclass
class Walked:
    scores: dict[Hashable, float]
    iterations: int
    converged: bool
    seeded: bool


def shares_of(
    nodes: Sequence[Hashable], edges: Iterable[Sequence[Any]], directed: bool
) -> dict[Hashable, dict[Hashable, float]]:
    """For each node what part of it flows to each of its successors: exact, then rounded once."""
    flows: dict[Hashable, dict[Hashable, Fraction]] = {node: {} for node in nodes}
    for source, target, *rest in edges:
        weight = rest[0] if rest else 1.0
        if not math.isfinite(weight) or weight < 0:
            raise Refused(f"{source} -> {target}: {weight}")
        if weight == 0 or source not in flows or target not in flows:
            continue
        ways = [(source, target)] if directed or source == target else [(source, target), (target, source)]
        for a, b in ways:
            flows[a][b] = flows[a].get(b, Fraction(0)) + Fraction(weight)
    return {
        node: {target: float(weight / sum(out.values())) for target, weight in out.items()}
        for node, out in flows.items()
    }


def seed_shares(nodes: Sequence[Hashable], seeds: Iterable[tuple[Hashable, float]]) -> dict[Hashable, float]:
    totals: dict[Hashable, Fraction] = {}
    for id, weight in seeds:
        if id in nodes and weight > 0:
            totals[id] = totals.get(id, Fraction(0)) + Fraction(weight)
    return {id: float(weight / sum(totals.values())) for id, weight in totals.items()}


def personalized_pagerank(
    nodes: Iterable[Hashable],
    edges: Iterable[Sequence[Any]],
    seeds: Mapping[Hashable, float] | Iterable[tuple[Hashable, float]],
    *,
    damping: float = 0.85,
    max_iterations: int = 20,
    tolerance: float = 1e-6,
    directed: bool = True,
) -> Walked:
    nodes = list(dict.fromkeys(nodes))
    shares = shares_of(nodes, edges, directed)
    given = seed_shares(nodes, seeds.items() if isinstance(seeds, Mapping) else seeds)
    seeded = bool(given)
    if not seeded:
        given = {node: 1 / len(nodes) for node in nodes}
    scores = {node: given.get(node, 0.0) for node in nodes}
    iterations, converged = 0, not nodes
    while nodes and not converged and iterations < max_iterations:
        stuck = math.fsum(scores[node] for node in nodes if not shares[node])
        arriving: dict[Hashable, list[float]] = {node: [] for node in nodes}
        for node in nodes:
            for target, share in shares[node].items():
                arriving[target].append(scores[node] * share)
        again = (1.0 - damping) + damping * stuck
        fresh = {node: damping * math.fsum(arriving[node]) + again * given.get(node, 0.0) for node in nodes}
        iterations += 1
        converged = math.fsum(abs(fresh[node] - scores[node]) for node in nodes) < tolerance
        scores = fresh
    return Walked(scores, iterations, converged, seeded)


def hippo_rag(
    nodes: Mapping[Hashable, str],
    edges: Sequence[Sequence[Any]],
    *,
    passages: Iterable[tuple[Hashable, float, float]],
    concepts: Mapping[Hashable, float],
    **options: Any,
) -> tuple[bool, list[tuple[Hashable, float]], list[tuple[Hashable, float]]]:
    """Whether it applied, and passages and concepts, best first."""
    seeds = [(id, part) for id, dense, lexical in passages for part in (max(dense, 0.0), max(lexical, 0.0))]
    seeds += concepts.items()
    joined = any(a in nodes and b in nodes and (not rest or rest[0] > 0) for a, b, *rest in edges)
    if len(nodes) < 2 or not joined or not any(id in nodes and weight > 0 for id, weight in seeds):
        return False, [], []
    scores = personalized_pagerank(nodes, edges, seeds, directed=False, **options).scores
    best = sorted(scores.items(), key=lambda item: -item[1])
    return (
        True,
        [(id, score) for id, score in best if nodes[id] == "passage"],
        [(id, score) for id, score in best if nodes[id] == "concept"],
    )
