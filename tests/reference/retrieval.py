"""Retrieval for a message, stage by stage, in plain Python."""

from __future__ import annotations

import datetime as dt
import unicodedata
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from . import bm25, decay, dedup, mmr, rerankers, text
from .engine import feedback_factor

#: A candidate, as memories here give it.
Candidate = tuple[Hashable, float, Any]


def words(message: str) -> set[str]:
    """What of a text counts as a word of it."""
    found = set()
    for run in text.runs(unicodedata.normalize("NFC", dedup.whole(message))):
        pieces = list(text.pieces(run.lower()))
        for place, piece in enumerate(pieces):
            token = piece.rstrip(text.JOINERS)
            size = {"word": 1, "ideograph": 2, "syllable": 4, "hiragana": 0}[kind(token)]
            if size == 1 and len(token) > 3:
                found.add(token)
            elif size > 1 and beside(pieces[place : place + size], size):
                found.add("".join(pieces[place : place + size]).rstrip(text.JOINERS))
    return found


def beside(pieces: Sequence[str], size: int) -> bool:
    """Whether so many characters of one kind stand side by side."""
    one_kind = len({kind(piece) for piece in pieces}) == 1
    return len(pieces) == size and one_kind and not any(p.endswith(tuple(text.JOINERS)) for p in pieces[:-1])


def kind(token: str) -> str:
    first = token[0]
    if not text.stands_alone(first):
        return "word"
    if text.is_ideograph(first):
        return "ideograph"
    return "hiragana" if unicodedata.name(first, "").startswith(("HIRAGANA", "HENTAIGANA")) else "syllable"


def relevant(message: str, hits: Sequence[Candidate], threshold: float = 0.7) -> list[Candidate]:
    asked = words(message)
    return [
        (id, score, document)
        for id, score, document in hits
        if score >= threshold or (document is not None and asked & words(document.text))
    ]


def hop(
    query: str, message: str, hits: Sequence[Candidate], top_k: int = 20, filter_above: int = 5
) -> list[Candidate]:
    """What a hop makes of the candidates of one memory: once each, by score and words, relevant ones."""
    found = accumulated([list(hits)[:top_k]])
    passages = ["" if document is None else document.passage for _, _, document in found]
    tokens = [text.bm25_tokenize(passage, text.light_stem) for passage in passages]
    by_words = bm25.scores(text.bm25_tokenize(query, text.light_stem), tokens, normalized=True)
    blended = with_documents(rerankers.blend(pairs(found), by_words, 0.7, [0.3], None), found)
    return relevant(message, blended) if len(blended) > filter_above else blended


def accumulated(hops: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Each candidate once, with its best score: by id, else by a text that another hop had.

    A hop that has both of two ids tells them apart, whatever their texts, wherever it has them.
    """
    found: list[dict[str, Any]] = []
    of_text: dict[str, dict[str, Any]] = {}
    for number, hits in enumerate(hops):
        here = {id for id, *_ in hits} - {None}
        for id, score, document in hits:
            key = "" if document is None else dedup.folded(document.text)
            one = next((one for one in found if id is not None and id in one["ids"]), None)
            if one is None and key in of_text:
                other = of_text[key]
                if id is None or (number not in other["hops"] and not here & set(other["ids"])):
                    one = other
            if one is None:
                one = {"hits": [], "ids": [], "hops": []}
                found.append(one)
            one["hits"].append((id, score, document))
            one["ids"].append(id)
            one["hops"].append(number)
            if key and (id is None or len(hops) > 1):
                of_text.setdefault(key, one)
    return sorted((best(one["hits"]) for one in found), key=lambda hit: -hit[1])


def best(hits: Sequence[Candidate]) -> Candidate:
    """The first of the best; without a document, with that of the next best that has one."""
    by_score = sorted(hits, key=lambda hit: -hit[1])
    document = next((document for _, _, document in by_score if document is not None), None)
    return by_score[0][0], by_score[0][1], by_score[0][2] or document


def ranked(
    hits: Sequence[Candidate],
    now: dt.datetime,
    nets: Mapping[Hashable, int] | None = None,
    weight: float = 0.5,
    lambda_: float | None = None,
) -> list[tuple[Hashable, float]]:
    """By age and importance, by feedback, and for diversity."""
    found = with_documents(decay.time_decay(list(hits), now=now, importance_weight=1.0), hits)
    if nets is not None:
        factors = [feedback_factor(nets.get(id, 0), weight) for id, _, _ in found]
        scores = [
            score * (2 - factor if score < 0 else factor)
            for (_, score, _), factor in zip(found, factors, strict=True)
        ]
        places = sorted(range(len(found)), key=lambda place: -scores[place])
        found = [(found[place][0], scores[place], found[place][2]) for place in places]
    if lambda_ is not None:
        sets = ["" if document is None else document.text for _, _, document in found]
        tokens = [set(text.tokenize(one)) for one in sets]
        return mmr.mmr(
            pairs(found), similarity=lambda a, b: mmr.jaccard(tokens[a], tokens[b]), lambda_=lambda_
        )
    return pairs(found)


def pairs(hits: Sequence[Candidate]) -> list[tuple[Hashable, float]]:
    return [(id, score) for id, score, _ in hits]


def with_documents(scored: Sequence[tuple[Hashable, float]], hits: Sequence[Candidate]) -> list[Candidate]:
    documents = {id: document for id, _, document in reversed(hits)}
    return [(id, score, documents[id]) for id, score in scored]
