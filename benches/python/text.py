"""Reading texts: tokens, terms and stems of a hundred documents."""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

import rankmeld as rm

from .harness import Case, Effort, Group, Result, measure
from .workloads import Texts

Tokens = list[list[str]]

_DOCUMENTS, _WORDS = 100, 120
_WORD = re.compile(r"\w{2,}")
_TERM = re.compile(r"[^\W\d_]{2,}|\d+")


def run(*, quick: bool) -> Iterator[Result]:
    """100 documents of 120 words, lists of strings out; a twentieth of the words with an accent."""
    effort = Effort(0.7, 5) if quick else Effort(4.0, 12)
    plain = [document.text for document in Texts().documents(_DOCUMENTS, _WORDS)]
    accented = [text.replace("ai", "aï") for text in plain]
    for name, texts in (("ASCII", plain), ("some accents", accented)):
        yield measure(_tokens(name, texts), effort)
        yield measure(_terms(name, texts), effort)
    if not quick:
        yield measure(_stems(plain), effort)


def _tokens(name: str, texts: list[str]) -> Group:
    wanted = [_WORD.findall(unicodedata.normalize("NFC", text).lower()) for text in texts]
    cases = [
        Case("tokenize", lambda: [rm.tokenize(text) for text in texts], _equal(wanted)),
        Case(
            "Python, re",
            lambda: [_WORD.findall(unicodedata.normalize("NFC", text).lower()) for text in texts],
            _equal(wanted),
            note="does not part scripts without spaces",
        ),
        Case("Python, str.split", lambda: [text.lower().split() for text in texts], _equal(wanted)),
    ]
    return Group(f"tokenize, {_DOCUMENTS} x {_WORDS} words, {name}", cases, cases[1].name)


def _terms(name: str, texts: list[str]) -> Group:
    def by_hand() -> Tokens:
        return [_TERM.findall(unicodedata.normalize("NFKC", text).lower()) for text in texts]

    wanted = by_hand()
    cases = [
        Case("bm25_tokenize", lambda: [rm.bm25_tokenize(t, stemmer=None) for t in texts], _equal(wanted)),
        Case("with light stems", lambda: [rm.bm25_tokenize(text) for text in texts], _as_many(wanted)),
        Case("Python, re", by_hand, _equal(wanted), note="does not part ideographs"),
    ]
    return Group(f"bm25_tokenize, {_DOCUMENTS} x {_WORDS} words, {name}", cases, cases[2].name)


def _stems(texts: list[str]) -> Group:
    stemmer = importlib.import_module("snowballstemmer").stemmer("english")
    words = [_TERM.findall(text) for text in texts]
    wanted = [stemmer.stemWords(each) for each in words]
    cases = [
        Case(
            "English, from text",
            lambda: [rm.bm25_tokenize(text, stemmer="english") for text in texts],
            _equal(wanted),
        ),
        Case(
            f"{type(stemmer).__module__}, words ready",
            lambda: [stemmer.stemWords(each) for each in words],
            _equal(wanted),
        ),
    ]
    return Group(f"Snowball, {_DOCUMENTS} x {_WORDS} words", cases, cases[1].name)


def _equal(wanted: Tokens) -> Callable[[Any], None]:
    def check(given: Any) -> None:
        assert given == wanted

    return check


def _as_many(wanted: Tokens) -> Callable[[Any], None]:
    def check(given: Any) -> None:
        assert [len(tokens) for tokens in given] == [len(tokens) for tokens in wanted]

    return check
