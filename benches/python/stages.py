"""What comes before and after a fusion: reading a ranking, taking it apart, dedup, time decay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any

import rankmeld as rm

from . import oracle
from .agreement import close, ranked, same
from .harness import Case, Effort, Goal, Group, Result, measure
from .workloads import NOW, Pairs, Texts, string_lists

#: `(id, score, document)`, best first.
Triples = list[tuple[str, float, rm.Document]]

_HALF_LIFE_DAYS = 30.0


def run(*, quick: bool) -> Iterator[Result]:
    """Reading 3,000 pairs; stages over 1,000 documents, one in ten of which is a copy."""
    effort = Effort(0.7, 5) if quick else Effort(6.0, 12)
    pairs = [pair for ranked_list in string_lists(3, 1_000) for pair in ranked_list]
    hits = _hits(1_000)
    for group in (_reading(pairs), _dedup(hits), _decay(hits)):
        yield measure(group, effort)


def _hits(count: int) -> Triples:
    documents = Texts().documents(count, 60)
    copied = [
        replace(document, text=documents[place - 9].text.upper()) if place % 10 == 9 else document
        for place, document in enumerate(documents)
    ]
    return [(document.id, 1.0 - place / count, document) for place, document in enumerate(copied)]


def _reading(pairs: Pairs) -> Group:
    ranking = rm.Ranking(pairs)
    title = f"Ranking of {len(pairs):,} (str, float) pairs"

    def by_hand() -> tuple[list[str], list[float]]:
        ids, scores = zip(*pairs, strict=True)
        return list(ids), list(scores)

    def rows(given: Any) -> None:
        assert [(hit.id, hit.score) for hit in given] == pairs

    cases = [
        Case("read", lambda: rm.Ranking(pairs), same(pairs), entries=len(pairs)),
        Case(
            "Python, zip(*pairs)",
            by_hand,
            lambda columns: same(pairs)(rm.Ranking(columns)),
            entries=len(pairs),
        ),
        Case("iterate over hits", lambda: list(ranking), rows, entries=len(pairs)),
        Case("first 10 as a slice", lambda: ranking[:10], same(pairs[:10])),
        Case("one hit", lambda: ranking[5], lambda hit: rows_equal(hit, pairs[5])),
    ]
    return Group(title, cases, cases[0].name)


def rows_equal(hit: rm.Hit, pair: tuple[str, float]) -> None:
    """A hit without a document beside a pair."""
    assert hit == (*pair, None), (hit, pair)


def _dedup(hits: Triples) -> Group:
    ranking = rm.Ranking(hits)

    def by_hand() -> list[tuple[str, float]]:
        seen: set[str] = set()
        kept = []
        for id, score, document in hits:
            key = " ".join(document.text.casefold().split())
            if key not in seen:
                seen.add(key)
                kept.append((id, score))
        return kept

    expected = oracle.dedup(hits)
    cases = [
        Case("rankmeld, ranking ready", lambda: rm.dedup(ranking), same(expected)),
        Case("rankmeld, from triples", lambda: rm.dedup(hits), same(expected)),
        Case("Python loop", by_hand, close(expected), note="reads neither NFC nor lone surrogates"),
    ]
    return _counted("exact duplicates", cases, len(hits))


def _decay(hits: Triples) -> Group:
    ranking = rm.Ranking(hits)

    def by_hand() -> list[tuple[str, float]]:
        made = []
        for id, score, document in hits:
            days = (NOW - document.created_at).total_seconds() / 86_400.0
            made.append((id, score * 2.0 ** (-days / _HALF_LIFE_DAYS)))
        return sorted(made, key=itemgetter(1), reverse=True)

    expected = oracle.time_decay(hits, half_life_days=_HALF_LIFE_DAYS, now=NOW)
    cases = [
        Case(
            "rankmeld, ranking ready",
            lambda: rm.time_decay(ranking, half_life_days=_HALF_LIFE_DAYS, now=NOW),
            close(expected, ranked),
        ),
        Case("Python loop", by_hand, close(expected)),
    ]
    goals = [Goal("at most the Python loop", cases[0].name, cases[1].name, 1.0)]
    return replace(_counted("time decay", cases, len(hits)), goals=goals)


def _counted(what: str, cases: list[Case], count: int) -> Group:
    cases = [replace(case, entries=count) for case in cases]
    return Group(f"{what}, {count:,} documents of 60 words", cases, "Python loop")
