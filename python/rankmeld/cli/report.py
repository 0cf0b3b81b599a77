"""What a search found, as data: the input of the listing for people, and the JSON of ``--json``."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

from rankmeld.cli import adaptive, reranking
from rankmeld.cli.snippets import make_snippet, query_words
from rankmeld.explanation import HitExplanation
from rankmeld.ranking import Ranking
from rankmeld.search import AdaptiveResult
from rankmeld.temporal.anchors import TimeAnchor
from rankmeld.text import clean_text
from rankmeld.types import Hit

__all__ = ["Answer", "clean", "write_json"]


@dataclass(frozen=True)
class Answer:
    """A question and the ranking that answers it.

    Attributes
    ----------
    query : str
        What was asked.
    ranking : Ranking
        The hits, with documents, best first.
    model : str or None
        The embedder of the vector list; ``None``: words only.
    limit : int
        How many hits were wanted.
    rerank : Choice
        The reranker that ordered the fused hits anew, or none.
    now : datetime
        When it was asked.
    search : AdaptiveResult or None
        What an adaptive search says of itself, where ``--mode`` asked for one.
    anchor : TimeAnchor or None
        What a temporal rerank aimed at.
    """

    query: str
    ranking: Ranking
    model: str | None
    limit: int
    rerank: reranking.Choice
    now: dt.datetime
    search: AdaptiveResult | None = None
    anchor: TimeAnchor | None = None


def write_json(answer: Answer, *, explain: bool) -> None:
    """Write the answer as one JSON object, in ASCII with escapes: no terminal and no encoding can spoil it.

    The object has ``query``, ``model`` (or null), ``limit``, ``rerank`` and ``hits``. A hit has ``rank``
    (from 1), ``id``, ``score``, ``source`` (a path, or null), ``title``, ``parent_id``, ``created_at``
    (or null), ``text``, ``snippet``, ``marks`` (half-open ranges of characters in the snippet) and
    ``metadata``; with `explain` also ``explanation``: ``method``, ``combination``, ``lists`` and
    ``stages``. A list has ``name``, ``rank`` (from 1, null if absent), ``score``, ``normalized``,
    ``weight``, ``credit``. After an adaptive search it also has ``mode``, ``tier``, ``grade``,
    ``confidence``, ``needs_refinement`` and ``trace``; after a temporal rerank ``aimed_at``: null, or
    ``phrase``, ``days``, ``tolerance``, ``start`` and ``end``.
    """
    words = query_words(answer.query)
    explanations = answer.ranking.explanation() if explain else [None] * len(answer.ranking)
    document = {
        "query": answer.query,
        "model": answer.model,
        "limit": answer.limit,
        "rerank": str(answer.rerank),
        **(
            {"aimed_at": reranking.aim_as_json(answer.anchor)}
            if answer.rerank is reranking.Choice.TEMPORAL
            else {}
        ),
        **({} if answer.search is None else adaptive.as_json(answer.search)),
        "hits": [
            _hit(rank, hit, words, explanation)
            for rank, (hit, explanation) in enumerate(zip(answer.ranking, explanations, strict=True), start=1)
        ],
    }
    # Not sys.stdout.write: standard output may be closed, and then it is None.
    print(json.dumps(clean(document), allow_nan=False, indent=2), flush=True)


def _hit(rank: int, hit: Hit, words: frozenset[str], explanation: HitExplanation | None) -> dict[str, Any]:
    found: dict[str, Any] = {"rank": rank, "id": hit.id, "score": hit.score}
    if hit.document is not None:
        document = hit.document
        snippet = make_snippet(document.text, words)
        found |= {
            "source": document.metadata.get("source"),
            "title": document.title,
            "parent_id": document.parent_id,
            "created_at": None if document.created_at is None else document.created_at.isoformat(),
            "text": document.text,
            "snippet": snippet.text,
            "marks": snippet.marks,
            "metadata": document.metadata,
        }
    if explanation is not None:
        found["explanation"] = {
            "method": explanation.method,
            "combination": explanation.combination,
            "lists": [
                {
                    "name": credit.name,
                    "rank": None if credit.position is None else credit.position + 1,
                    "score": credit.score,
                    "normalized": credit.normalized,
                    "weight": credit.weight,
                    "credit": credit.credit,
                }
                for credit in explanation.sources
            ],
            "stages": [{"name": stage.name, "details": stage.details} for stage in explanation.stages],
        }
    return found


def clean(value: Any) -> Any:
    """The value in JSON's types: lone surrogates replaced, what JSON does not know as its text."""
    if isinstance(value, str):
        return clean_text(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if hasattr(value, "items"):
        return {clean_text(str(key)): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [clean(item) for item in value]
    return clean_text(str(value))
