"""Near-duplicates by definition: exact Jaccard of all pairs of shingle sets."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from .dedup import whole
from .order import order
from .rankings import finite_scores, read

Tokenizer = Callable[[str], Iterable[str]]

#: How the names of characters begin that are written without spaces.
UNSPACED = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
JOINERS = "\u200c\u200d"


def is_unspaced(character: str) -> bool:
    return unicodedata.name(character, "").startswith(UNSPACED)


def begins(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] == "L" or character.isdecimal()


def follows(character: str) -> bool:
    return character in JOINERS or unicodedata.category(character)[0] == "M"


def runs(text: str) -> list[str]:
    """Letters, digits, underscores, and the marks and joiners inside, without a break."""
    found: list[str] = []
    inside = False
    for character in unicodedata.normalize("NFC", whole(text)):
        if begins(character):
            found.append(character) if not inside else found.append(found.pop() + character)
            inside = True
        elif inside and follows(character):
            found.append(found.pop() + character)
        else:
            inside = False
    return [run.lower() for run in found]


def cut(run: str) -> list[str]:
    """Each unspaced character with its marks, and what stands between them."""
    pieces: list[str] = []
    for character in run:
        if pieces and (follows(character) or not (is_unspaced(character) or is_unspaced(pieces[-1][0]))):
            pieces.append(pieces.pop() + character)
        else:
            pieces.append(character)
    return pieces


def tokens_of_run(run: str) -> list[str]:
    trimmed = [piece.rstrip(JOINERS) for piece in cut(run)]
    return [token for token in trimmed if is_unspaced(token[0]) or len(token) > 1]


def words_and_bigrams(text: str) -> set[str]:
    found: set[str] = set()
    for run in runs(text):
        tokens = [piece.rstrip(JOINERS) for piece in cut(run)]
        for token in tokens:
            hangul = any(unicodedata.name(c, "").startswith("HANGUL") for c in token)
            if not is_unspaced(token[0]) and len(token) >= (2 if hangul else 3):
                found.add(token)
        for left, right in itertools.pairwise(tokens):
            if is_unspaced(left[0]) and is_unspaced(right[0]):
                found.add(left + right)
    return found


def shingles(text: str, *, shingle: str | int = "word", tokenizer: Tokenizer | None = None) -> set[Hashable]:
    """What of a text is compared."""
    if tokenizer is None and shingle == "word":
        return set(words_and_bigrams(text))
    if tokenizer is None:
        tokens = [token for run in runs(text) for token in tokens_of_run(run)]
    else:
        tokens = list(tokenizer(text))
    if shingle == "word" or not tokens:
        return set(tokens)
    length = min(int(shingle), len(tokens))
    return {tuple(tokens[i : i + length]) for i in range(len(tokens) - length + 1)}


def jaccard(left: set[Any], right: set[Any]) -> float:
    shared = len(left & right)
    return shared / len(left | right) if shared else 0.0


def clusters(
    texts: list[str],
    *,
    threshold: float = 0.85,
    shingle: str | int = "word",
    tokenizer: Tokenizer | None = None,
) -> list[int]:
    """For each text the first one that it is connected to."""
    sets = [shingles(text, shingle=shingle, tokenizer=tokenizer) for text in texts]
    return connected(sets, threshold)


def connected(sets: list[set[Any]], threshold: float) -> list[int]:
    first = list(range(len(sets)))
    links = [
        (a, b)
        for a, b in itertools.combinations(range(len(sets)), 2)
        if jaccard(sets[a], sets[b]) >= threshold
    ]
    changed = True
    while changed:
        changed = False
        for a, b in links:
            if first[a] != first[b]:
                first[a] = first[b] = min(first[a], first[b])
                changed = True
    return first


def dedup_near(
    ranking: Any,
    *,
    threshold: float = 0.85,
    within: str = "all",
    shingle: str | int = "word",
    tokenizer: Tokenizer | None = None,
    linkage: str = "chain",
    **_: Any,
) -> tuple[list[tuple[Hashable, float]], dict[Hashable, Hashable]]:
    """`(id, score)` of the hits that stay, best first, and which hit stays for each that went."""
    columns = read(ranking)
    scores = finite_scores(columns)
    best_first = order(columns.ids, scores, "first")
    sets, groups = [], []
    for number, place in enumerate(best_first):
        document = columns.documents[place]
        text = "" if document is None else document.text
        sets.append(shingles(text, shingle=shingle, tokenizer=tokenizer))
        parent = None if document is None else document.parent_id
        alone = within == "parent" and parent is None
        groups.append(("alone", number) if alone else ("parent", parent if within == "parent" else None))
    stays = list(range(len(sets)))
    for group in dict.fromkeys(groups):
        members = [number for number in range(len(sets)) if groups[number] == group]
        if linkage == "chain":
            firsts = connected([sets[number] for number in members], threshold)
            for number, first in zip(members, firsts, strict=True):
                stays[number] = members[first]
        else:
            for number in members:
                kept = [k for k in members if k < number and stays[k] == k]
                stays[number] = next((k for k in kept if jaccard(sets[k], sets[number]) >= threshold), number)
    ids = [columns.ids[place] for place in best_first]
    removed: dict[Hashable, Hashable] = {}
    for number, by in enumerate(stays):
        if by != number:
            removed.setdefault(ids[number], ids[by])
    kept_hits = [(ids[n], scores[best_first[n]]) for n, by in enumerate(stays) if n == by]
    return kept_hits, removed
