"""Queries by definition: every word of every list at every place, and moments in exact fractions."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from .dedup import WHITE_SPACE, whole
from .text import is_digit, is_letter, stands_alone

TIERS = ("direct_factual", "semantic_hybrid", "multi_hop_graph", "architectural_global")

#: As the definition writes them, by commas.
MULTI_HOP = re.split(
    r",\s+",
    """why, por que, por qué, impact*, depend*, dependencia*, connect, connects, connected,
    connection between, conecta*, relate, relates, related, relation*, relación, caused by, causa, flow,
    flujo, workflow, cycle, ciclo, trace, trazabilidad, blast radius, blast_radius, break, breaking,
    rompe, afecta*, affect*""",
)
ARCHITECTURE = re.split(
    r",\s+",
    """architecture, arquitectura, overview, resumen general, structure, estructura, módulos, module,
    high level, alto nivel, communities, comunidades, explain system""",
)
DECLARATIONS = ["func", "struct", "type", "class", "interface", "const", "var"]
CORRECTIONS = {
    "hiso": "hizo",
    "ase": "hace",
    "despliege": "despliegue",
    "habian": "habían",
    "erro": "error",
}
PREFIX = "project-context implementation symbols decisions files context"


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", whole(text))


def fold(text: str) -> str:
    return nfc(nfc(text).casefold())


def words_of(text: str) -> list[str]:
    """What white space parts."""
    return [word for word in "".join(" " if c in WHITE_SPACE else c for c in text).split(" ") if word]


def is_word(c: str) -> bool:
    return is_letter(c) or is_digit(c) or c == "_" or unicodedata.category(c).startswith("M")


def holds(text: str, entry: str) -> bool:
    """Whether a folded text with single spaces holds an entry of a list."""
    starred = entry.endswith("*")
    phrase = " ".join(words_of(fold(entry.removesuffix("*"))))
    start = text.find(phrase)
    while start >= 0:
        begins = start == 0 or not is_word(text[start - 1])
        after = text[start + len(phrase) :]
        ends = [not tail or not is_word(tail[0]) for tail in (after, after[1:])]
        if begins and (starred or ends[0] or (after.startswith("s") and ends[1])):
            return True
        start = text.find(phrase, start + 1)
    return False


def is_identifier(text: str) -> bool:
    return (
        text != ""
        and (text[0] == "_" or is_letter(text[0]))
        and all(c == "_" or is_letter(c) or is_digit(c) for c in text)
        and not any(map(stands_alone, text))
    )


def is_direct(query: str, declarations: Sequence[str]) -> bool:
    words = words_of(nfc(query))
    if not words:
        return True
    if len(words) > 1:
        return (
            fold(words[0]) in map(fold, declarations)
            and len(words) <= 4
            and is_identifier(words[1].removesuffix("()"))
        )
    word = words[0]
    name = word.removesuffix("()")
    return (
        ("." in name and all(map(is_identifier, name.split("."))))
        or (word[0] == "#" and word != "#" and all(map(is_digit, word[1:])))
        or (2 <= len(name) <= 40 and is_identifier(name))
        or (len(word) < 40 and not any(map(stands_alone, word)))
    )


def classify(
    query: str,
    multi_hop: Sequence[str] = MULTI_HOP,
    architecture: Sequence[str] = ARCHITECTURE,
    declarations: Sequence[str] = DECLARATIONS,
) -> str:
    text = " ".join(words_of(fold(query)))
    if any(holds(text, entry) for entry in multi_hop):
        return "multi_hop_graph"
    if any(holds(text, entry) for entry in architecture):
        return "architectural_global"
    return "direct_factual" if is_direct(query, declarations) else "semantic_hybrid"


def features(scores: Sequence[float | None]) -> tuple[float, float] | None:
    """Skewness and margin; `OverflowError` where the margin is beyond floats."""
    if len(scores) < 2 or any(score is None or not math.isfinite(score) for score in scores):
        return None
    exact = [Fraction(score) for score in scores if score is not None]
    mean = sum(exact) / len(exact)
    m2, m3 = (sum((score - mean) ** power for score in exact) / len(exact) for power in (2, 3))
    # m3 / m2^1.5 is the root of its square, which is a fraction.
    skewness = (1 if m3 > 0 else -1) * math.sqrt(m3**2 / m2**3) if m3 else 0.0
    first, second = sorted(exact, reverse=True)[:2]
    return skewness, float((first - second) / first) if first > 0 else 0.0


def classify_with(query: str, skewness: float, margin: float, available: bool) -> str:
    tier = classify(query)
    if available and skewness >= 1.0 and margin >= 0.5:
        return min(tier, "semantic_hybrid", key=TIERS.index)
    if available and skewness <= 0.5 and margin <= 0.2:
        return TIERS[min(TIERS.index(tier) + 1, 3)]
    return tier


def normalize(query: str, corrections: Mapping[str, str] = CORRECTIONS) -> str:
    text = nfc(query)
    kept = []
    for at, c in enumerate(text):
        within = 0 < at < len(text) - 1 and is_word(text[at - 1]) and is_word(text[at + 1])
        scheme = c == ":" and text.startswith("://", at)
        kept.append(" " if c in "¿?¡!;" or (c in ".,:" and not within and not scheme) else c)
    text = " ".join(words_of("".join(kept)))
    table = {fold(word): nfc(correction) for word, correction in corrections.items()}
    out, word = "", ""
    for c in [*text, ""]:
        if c and is_word(c):
            word += c
            continue
        if fold(word) in table:
            correction = table[fold(word)]
            capital = unicodedata.category(word[0]) in ("Lu", "Lt")
            word = correction[0].title() + correction[1:] if capital else correction
        out += word + c
        word = ""
    return out


def expand(query: str, table: Mapping[str, Iterable[str]]) -> str:
    folded = {fold(normalize(word)): list(synonyms) for word, synonyms in table.items()}
    terms: list[str] = []
    for word in words_of(normalize(query)):
        for term in [word, *folded.get(fold(word), ())]:
            if fold(term) not in map(fold, terms):
                terms.append(nfc(term))
    return " or ".join(terms)


def refine(query: str, prefix: str = PREFIX, max_words: int = 40, max_chars: int = 320) -> str:
    kept: list[str] = []
    of_prefix = words_of(nfc(prefix))
    for place, word in enumerate(of_prefix + words_of(nfc(query))):
        if place >= len(of_prefix) and fold(word) in map(fold, kept):
            continue
        if len(kept) == max_words or len(" ".join([*kept, word])) > max_chars:
            break
        kept.append(word)
    return " ".join(kept)
