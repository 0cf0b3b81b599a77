"""Adaptive search by the letter: legs are lists of `(id, score, document)`, each tier is a branch."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

from .confidence import chain_of_note, evaluate_crag, recognition_filter
from .rrf import rrf
from .text import tokenize

SPECULATIVE = {"would", "might", "likely", "probably"}
SUMMARIES = {"community_summary", "pattern", "decision"}

#: `(id, score, document)`.
Leg = list[tuple[Hashable, float, Any]]
Pairs = list[tuple[Hashable, float]]
#: Grade, confidence, whether to search again, and what is left.
Found = tuple[str, float, bool, Pairs]


def search(
    query: str,
    tier: str,
    lexical: Leg,
    vector: Leg,
    *,
    limit: int,
    walked: dict[Hashable, float] | None = None,
    hyde: Leg | None = None,
    config: dict[str, Any] | None = None,
) -> Found:
    """`walked` is what the graph gives each id; `hyde` what the vector of a hypothetical answer finds."""
    wide = limit if tier == "direct" else 2 * limit
    lexical, vector, hyde = (distinct((hits or [])[:wide]) for hits in (lexical, vector, hyde))
    options = config or {}
    if tier == "direct":
        return graded([hit[:2] for hit in lexical], squashed(lexical), options, limit)
    shares = over_maximum(lexical)
    if tier == "global":
        summaries = [document.metadata.get("type") in SUMMARIES for _, _, document in lexical]
        boosted = [
            (hit[0], shares[hit[0]] + 2.5 * is_summary)
            for hit, is_summary in zip(lexical, summaries, strict=True)
        ]
        return graded(sorted(boosted, key=lambda hit: -hit[1]), squashed(lexical), options, limit)
    speculative = bool(SPECULATIVE & set(tokenize(query)))
    if tier == "semantic":
        lists = [ids(hits) for hits in (lexical, vector, hyde)]
        if not lexical:
            relevances = [note[2] for hits in (vector, hyde) for note in chain_of_note(query, hits)[0]]
            bears = max(relevances, default=0.0) >= 0.5 and not speculative
            lists = lists if bears else []
        return fused(lists, options, limit)
    boosted = [(hit[0], shares[hit[0]] + 2.0 * (walked or {}).get(hit[0], 0.0)) for hit in lexical]
    recognized = [id for id, _ in recognition_filter(boosted, top_k=limit)]
    read = lexical if speculative else lexical + [hit for hit in vector if hit[0] not in shares]
    notes, order = chain_of_note(query, read)
    return fused(
        [recognized, ids(vector), ids(hyde), [read[p][0] for p in order] if notes else []], options, limit
    )


def distinct(hits: Leg) -> Leg:
    """Each id at its best position."""
    found: dict[Hashable, Any] = {}
    for hit in hits:
        found.setdefault(hit[0], hit)
    return list(found.values())


def ids(hits: Leg) -> list[Hashable]:
    return [hit[0] for hit in hits]


def over_maximum(hits: Leg) -> dict[Hashable, float]:
    top = max((hit[1] for hit in hits), default=0.0)
    return {hit[0]: hit[1] / top if top > 0.0 else 0.0 for hit in hits}


def squashed(hits: Leg) -> dict[Hashable, float]:
    """Scores in 0..1."""
    positive = {hit[0]: max(hit[1], 0.0) for hit in hits}
    if max(positive.values(), default=0.0) <= 1.0:
        return positive
    return {id: score / (1.0 + score) for id, score in positive.items()}


def fused(lists: list[list[Hashable]], options: dict[str, Any], limit: int) -> Found:
    given = [found for found in lists if found]
    scores = rrf(given, limit=limit)
    highest = math.fsum(1.0 / 61.0 for _ in given)
    return graded(scores, {id: min(score / highest, 1.0) for id, score in scores}, options, limit)


def graded(found: Pairs, ratios: dict[Hashable, float], options: dict[str, Any], limit: int) -> Found:
    grade, confidence, refine, left = evaluate_crag([(id, ratios[id]) for id, _ in found], **options)
    return grade, confidence, refine, [found[place] for place in left][:limit]
