"""A retrieval engine over a memory that costs nothing: what a message costs beyond its memory."""

from __future__ import annotations

import datetime as dt
import math
import random
import re
from collections.abc import Iterator
from typing import Any

import rankmeld as rm

from .harness import Case, Effort, Goal, Group, Result, measure
from .workloads import SEED

_WORDS = re.findall(
    r"\w+",
    "retry policy exponential caching note team garden plan backoff budget kernel token vector index search "
    "graph node edge walk rank score fusion list river market violin window harbor letter engine memory",
)
_NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
_MESSAGE = "What was the budget of the garden by the river?"
_USER = "ada"


def run(*, quick: bool) -> Iterator[Result]:
    """Twenty candidates of about 500 characters: all stages, with feedback, into a context."""
    yield measure(_group(), Effort(0.5, 5) if quick else Effort(3.0, 12))


def _group() -> Group:
    hits = _hits()
    ranking = rm.Ranking(hits)
    feedback = rm.MemoryFeedback()
    feedback.add(["d3", "d7"], ["d1"], user_id=_USER)
    nets = {"d3": 1, "d7": 1, "d1": -1}

    class Memory:
        def search_candidates(self, query: str, *, user_id: str | None, top_k: int) -> rm.Ranking:
            del query, user_id, top_k
            return ranking

    engine = rm.RetrievalEngine(Memory(), feedback=feedback)

    def retrieve() -> rm.EngineResult:
        return engine.retrieve(_MESSAGE, user_id=_USER, now=_NOW)

    expected, text = _by_hand(hits, nets)

    def check(found: rm.EngineResult) -> None:
        assert found.ranking.ids == [id for id, _ in expected]
        for hit, (_, score) in zip(found.ranking, expected, strict=True):
            assert hit.score is not None
            assert math.isclose(hit.score, score, rel_tol=1e-12)
        assert found.context.text == text

    def check_hand(found: Any) -> None:
        assert found == (expected, text)

    cases = [
        Case("rankmeld.RetrievalEngine", retrieve, check),
        Case("by hand in Python", lambda: _by_hand(hits, nets), check_hand),
    ]
    goal = Goal("no slower than by hand", "rankmeld.RetrievalEngine", "by hand in Python", 1.0)
    return Group("Retrieval engine, 20 candidates of 500 characters", cases, "by hand in Python", (goal,))


def _hits() -> list[rm.Hit]:
    rng = random.Random(SEED)  # noqa: S311 - texts, no secrets
    hits = []
    for place in range(20):
        text = " ".join(rng.choices(_WORDS, k=80))
        document = rm.Document(
            f"d{place}",
            text,
            created_at=_NOW - dt.timedelta(days=3 * place),
            importance=1.0 - place / 50.0,
            confidence=0.9,
        )
        hits.append(rm.Hit(f"d{place}", 0.95 - 0.02 * place, document))
    return hits


def _by_hand(hits: list[rm.Hit], nets: dict[str, int]) -> tuple[list[tuple[Any, float]], str]:
    """The same, as one writes it without a library, for English without plurals."""
    documents: dict[Any, Any] = {hit.id: hit.document for hit in hits}
    texts = {id: re.findall(r"\w+", document.text.lower()) for id, document in documents.items()}
    terms = list(dict.fromkeys(re.findall(r"\w\w+", _MESSAGE.lower())))
    average = sum(map(len, texts.values())) / len(texts)
    by_words = dict.fromkeys(texts, 0.0)
    for term in terms:
        holding = sum(term in words for words in texts.values())
        rarity = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for id, words in texts.items():
            count = words.count(term)
            by_words[id] += rarity * count * 2.5 / (count + 1.5 * (0.25 + 0.75 * len(words) / average))
    top = max(by_words.values()) or 1.0
    scores = {hit.id: 0.7 * (hit.score or 0.0) + 0.3 * by_words[hit.id] / top for hit in hits}
    asked = {word for word in re.findall(r"\w+", _MESSAGE.lower()) if len(word) > 3}
    kept = [id for id in scores if scores[id] >= 0.7 or not asked.isdisjoint(texts[id])]
    for id in kept:
        document = documents[id]
        age = (_NOW - document.created_at).total_seconds() / 86_400
        scores[id] *= 2 ** -(age / 30) * document.importance * (1 + 0.5 * nets.get(id, 0) / 5)
    best = sorted(kept, key=lambda id: -scores[id])
    header, footer, blocks = "=== RELEVANT MEMORIES ===", "=== END MEMORIES ===", []
    for id in best:
        document = documents[id]
        head = f"[{document.created_at:%Y-%m-%dT%H:%M:%SZ}] (confidence: {document.confidence:.2f})"
        block = f"{head}\n{document.text}"
        text = "\n\n".join([header, *blocks, block, footer])
        if -(-len(text) // 4) > 2000:
            break
        blocks.append(block)
    return [(id, scores[id]) for id in best], "\n\n".join([header, *blocks, footer])
