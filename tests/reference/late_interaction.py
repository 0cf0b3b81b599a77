"""Late interaction over the tokens of texts: every pair is looked at, nothing is skipped."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence

from .dedup import whole
from .text import stands_alone, tokenize

_SAYING_LITTLE = (
    "the a an and or in on at to for with is it of as by that this from how what why who where when does do "
    "can be are que de la el en un una y o por para con es los las del al como se su sus"
)
STOP_WORDS = frozenset(_SAYING_LITTLE.split())


def composed(token: str) -> str:
    return unicodedata.normalize("NFC", whole(token))


def bigrams(token: str) -> set[str]:
    return {token[i : i + 2] for i in range(len(token) - 1)}


def token_similarity(a: str, b: str) -> float:
    a, b = composed(a), composed(b)
    if a == b:
        return 1.0
    if not a or not b:
        return 0.0
    short, long = sorted((a, b), key=len)
    if short in long:
        return len(short) / len(long)
    in_both = len(bigrams(a) & bigrams(b))
    of_each = len(bigrams(a)) + len(bigrams(b))
    return 2 * in_both / of_each if of_each else 0.0


def token_weight(token: str, stop_words: Iterable[str] = STOP_WORDS) -> float:
    token = composed(token)
    if token in {composed(word) for word in stop_words}:
        return 0.35
    if any(c in "0123456789_" for c in token):
        return 2.2
    if any(stands_alone(c) for c in token):
        return 1.0
    if len(token) >= 8:
        return 1.6
    return 0.6 if len(token) <= 2 else 1.0


def idf(texts: int, holding: int) -> float:
    """Of a token that `holding` of the texts hold."""
    return math.log1p((texts - holding + 0.5) / (holding + 0.5))


def idf_weight(texts: Iterable[str]) -> Callable[[str], float]:
    sets = [set(tokenize(text)) for text in texts]
    return lambda token: idf(len(sets), sum(token in tokens for tokens in sets))


def tokens_of(given: str | Sequence[str]) -> list[str]:
    return tokenize(given) if isinstance(given, str) else [composed(token) for token in given]


def mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean: a term is rounded, the two sums are exact, their quotient is rounded.

    A power of two brings the largest weight near 1, so that nothing leaves the range on the way.
    """
    largest = max(weights, default=0.0)
    if largest == 0.0:
        return 0.0
    power = -math.frexp(largest)[1]
    scaled = [math.ldexp(weight, power) for weight in weights]
    return math.fsum(w * v for w, v in zip(scaled, values, strict=True)) / math.fsum(scaled)


def lexical_maxsim(
    query: str | Sequence[str],
    document: str | Sequence[str],
    weight: Callable[[str], float] = token_weight,
) -> float:
    asked, there = tokens_of(query), tokens_of(document)
    if not asked or not there:
        return 0.0
    best = [max(token_similarity(q, d) for d in there) for q in asked]
    return mean(best, [weight(q) for q in asked])


def lexical_matches(
    query: str | Sequence[str],
    document: str | Sequence[str],
    weight: Callable[[str], float] = token_weight,
) -> list[tuple[str, float, str | None, float]]:
    """Of equal document tokens the first; none where nothing is alike."""
    there = tokens_of(document)
    matches: list[tuple[str, float, str | None, float]] = []
    for q in tokens_of(query):
        best = max(there, key=lambda d: token_similarity(q, d), default=None)
        similarity = 0.0 if best is None else token_similarity(q, best)
        matches.append((q, weight(q), best if similarity > 0.0 else None, similarity))
    return matches
