"""Tokens, stems and sentences, one character after the other, with Python's own Unicode tables."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

from .dedup import WHITE_SPACE, whole

JOINERS = "\u200c\u200d"
#: How the names of characters begin that are written without spaces between words.
IDEOGRAPHS = ("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH")
SYLLABLES = (
    "HIRAGANA ",
    "HENTAIGANA ",
    "KATAKANA",
    "HALFWIDTH KATAKANA",
    "THAI ",
    "LAO ",
    "KHMER ",
    "MYANMAR ",
)
#: Letters of Han and kana with other names: iteration and repeat marks, the closing mark, the masu mark.
MORE_IDEOGRAPHS = frozenset("\u3005\u3006\u303b\U00016fe3")
MORE_SYLLABLES = frozenset("\u3031\u3032\u3033\u3034\u3035\u303c")


def is_letter(c: str) -> bool:
    return unicodedata.category(c).startswith("L")


def is_digit(c: str) -> bool:
    return unicodedata.category(c) == "Nd"


def is_ideograph(c: str) -> bool:
    return is_letter(c) and (c in MORE_IDEOGRAPHS or unicodedata.name(c, "").startswith(IDEOGRAPHS))


def stands_alone(c: str) -> bool:
    if is_ideograph(c) or c in MORE_SYLLABLES:
        return True
    return (is_letter(c) or is_digit(c)) and unicodedata.name(c, "").startswith(SYLLABLES)


def follows(c: str) -> bool:
    return c in JOINERS or unicodedata.category(c).startswith("M")


def begins(c: str) -> bool:
    return c == "_" or is_letter(c) or is_digit(c)


def tokenize(text: str) -> list[str]:
    tokens = []
    for run in runs(unicodedata.normalize("NFC", whole(text))):
        for piece in pieces(run.lower()):
            token = piece.rstrip(JOINERS)
            if len(token) > 1 or stands_alone(token):
                tokens.append(token)
    return tokens


def runs(text: str) -> Iterator[str]:
    run = ""
    for c in text + " ":
        if begins(c) or (run and follows(c)):
            run += c
        elif run:
            yield run
            run = ""


def pieces(run: str) -> Iterator[str]:
    piece = ""
    for c in run:
        if piece and (follows(c) or not (stands_alone(piece[0]) or stands_alone(c))):
            piece += c
        else:
            if piece:
                yield piece
            piece = c
    yield piece


def bm25_tokenize(text: str, stemmed: Callable[[str], str]) -> list[str]:
    terms = []
    for term in groups(unicodedata.normalize("NFKC", whole(text))):
        if kind(term[0]) != "word":
            terms.append(term)
        elif sum(not follows(c) for c in term.lower()) > 1:
            terms.append(stemmed(term.rstrip(JOINERS).lower()))
    return terms


def kind(c: str) -> str:
    if is_ideograph(c) or (unicodedata.category(c) == "Nl" and c in "〇〡〢〣〤〥〦〧〨〩"):
        return "ideograph"
    return "word" if is_letter(c) else "number" if is_digit(c) else ""


def groups(text: str) -> Iterator[str]:
    group = ""
    for c in text + " ":
        if group and goes_on(kind(group[0]), c):
            group += c
        else:
            if group:
                yield group
            group = c if kind(c) else ""


def goes_on(before: str, c: str) -> bool:
    if before == "word":
        return kind(c) == "word" or follows(c)
    return before == kind(c) == "number"


def light_stem(word: str) -> str:
    return stem(unicodedata.normalize("NFC", whole(word)))


def stem(word: str) -> str:
    if word in ("rode", "riding"):
        return "ride"
    if len(word) <= 4 or word.endswith("ss"):
        return word
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word.removesuffix("s")


def sentences(text: str) -> list[str]:
    text = whole(text)
    found = [""]
    for c, after in zip(text, [*text[1:], " "], strict=False):
        found[-1] += c
        if (
            (c in ".!?;\u037e" and after in WHITE_SPACE)
            or c in "。！？；"
            or c in "\n\v\f\r\u0085\u2028\u2029"
        ):
            found.append("")
    spaces = "".join(WHITE_SPACE)
    return [sentence.strip(spaces) for sentence in found if sentence.strip(spaces)]
