"""Tokens, stems and sentences against the oracle."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.text import SNOWBALL_LANGUAGES, sentences
from reference import text as oracle

#: What meets in no ordinary text: every rule, and where two of them touch.
ODD = (
    *"aAbZ1_ .-!?;\n\x00'=<&",
    *"éÉß漢々〇〆カー。！\u3000",
    *("e\u0301", "E\u0301\u0323", "\u0301", "\u0338", "\u0345", "\u20e3", "\ufe0f", "\U000e0100"),
    *("İ", "I\u0307", "ΟΔΟΣ", "Σ", "ς", "ǰ", "J\u030c", "\u212b", "\u212a", "\u1e9e", "ŉ", "\u0344"),
    *("ｶﾞ", "ﾟ", "か\u3099", "〱", "〼", "ไท\u0e31ย", "๑๒", "ລ\u0eb1", "ក\u17d2ក", "မ\u103c\u1041"),
    *("\u200c", "\u200d", "\u00ad", "\u200b", "नमस्ते", "क\u094d\u200dष", "\u0664\u0665", "مُ"),
    *("\u1100", "\u1161", "\u11a8", "\uac00", "ﬁ", "½", "①", "Ⓐ", "ⅷ", "㏂", "Ａ１", "\uff3f", "\u00b4"),
    *("\u037e", "\u0387", "\u2028", "\u0085", "\u001c", "😀", "\U00020bb7", "\U0001d400", "\ud800", "\udc00"),
)
texts = st.one_of(
    st.lists(st.sampled_from(ODD), max_size=12).map("".join),
    st.lists(st.one_of(st.sampled_from(ODD), st.characters(exclude_categories=["Cn"])), max_size=40).map(
        "".join
    ),
    st.text(st.characters(max_codepoint=127), max_size=200),
)


def same(text: str) -> None:
    assert rm.tokenize(text) == oracle.tokenize(text)
    assert rm.bm25_tokenize(text, stemmer=None) == oracle.bm25_tokenize(text, lambda word: word)
    assert rm.bm25_tokenize(text) == oracle.bm25_tokenize(text, oracle.stem)
    assert rm.light_stem(text) == oracle.light_stem(text)
    assert sentences(text) == oracle.sentences(text)


@given(texts)
@example("ΟΔΟΣ.ΟΔΟΣ ΑΣ\u200dΒ Σ")
@example("\u3007\u0301x")
@example("aJ\u030c")
@example("a\u200d漢\u200db\u200d")
def test_any_text(text):
    same(text)


@given(texts, st.integers(0, 70), st.integers(0, 70))
def test_wherever_it_stands_among_the_64_bytes_that_are_read_at_once(text, before, after):
    same("x" * before + text + "y" * after)
    same("x " * before + text + " Y" * after)


@pytest.mark.parametrize("plane", range(17))
def test_every_character(plane):
    """Those that Python's tables know. Letters that stand in long rows are looked at now and then."""
    for code in range(plane << 16, (plane + 1) << 16):
        c = chr(code)
        category = unicodedata.category(c)
        if category in ("Cn", "Co") or (category in ("Lo", "Cs") and code % 16 and code > 0x3400):
            continue
        text = f"{c} {c}{c} ab{c}cd 漢{c}a {c}\u0301x"
        assert rm.tokenize(text) == oracle.tokenize(text), hex(code)
        wanted = oracle.bm25_tokenize(text, lambda word: word)
        assert rm.bm25_tokenize(text, stemmer=None) == wanted, hex(code)


def test_characters_that_only_newer_tables_know_are_read_all_the_same():
    unknown = [chr(c) for c in range(sys.maxunicode + 1) if unicodedata.category(chr(c)) == "Cn"]
    assert len(rm.tokenize(" ".join(f"ab{c}cd" for c in unknown[::97]))) >= len(unknown[::97])


@pytest.mark.parametrize("length", [*range(12), *range(60, 70), *range(120, 134)])
def test_lengths_about_a_block(length):
    for text in ("a" * length, "a" * (length // 2) + "é" * (length - length // 2), "ab " * length):
        same(text)


@given(st.lists(st.text(st.sampled_from("siedrogna"), max_size=8), max_size=4).map(" ".join))
def test_light_stems(text):
    same(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" \n\t ", []),
        ("One. Two! Three? Four; five", ["One.", "Two!", "Three?", "Four;", "five"]),
        ("Open main.go at 3.14.", ["Open main.go at 3.14."]),
        ("Wait... what?! Yes.", ["Wait...", "what?!", "Yes."]),
        ("a\r\nb\n\n c \u2028d\u0085e\vf", ["a", "b", "c", "d", "e", "f"]),
        ("最初。次！？終；はい", ["最初。", "次！", "？", "終；", "はい"]),
        ("Τι; Ναι\u037e Όχι", ["Τι;", "Ναι\u037e", "Όχι"]),
        ("end.\u3000next", ["end.", "next"]),
        ("no.\u200bspace", ["no.\u200bspace"]),
        ("\u3000.\u3000", ["."]),
        ("\ud800. x", ["\ufffd.", "x"]),
    ],
)
def test_sentences(text, found):
    assert sentences(text) == found == oracle.sentences(text)


@given(texts)
def test_sentences_are_slices_and_lose_nothing_but_white_space(text):
    whole = oracle.whole(text)
    found = sentences(text)
    at = 0
    for sentence in found:
        at = whole.index(sentence, at) + len(sentence)
    white = oracle.WHITE_SPACE
    kept = [c for c in "".join(found) if c not in white]
    assert kept == [c for c in whole if c not in white]


@given(texts)
def test_tokens_are_slices_of_the_lowered_text_and_have_no_separator(text):
    """But for a capital sigma, whose lower case goes by the word."""
    composed = unicodedata.normalize("NFC", oracle.whole(text)).replace("Σ", "σ")
    at = 0
    for token in rm.tokenize(composed):
        at = composed.lower().index(token, at) + len(token)
        assert not any(c.isspace() for c in token)
        assert token.lower() == token


@given(texts)
def test_reading_tokens_again_changes_nothing(text):
    """Where lower case keeps a token composed; the exceptions are a handful of letters."""
    tokens = [t for t in rm.tokenize(text) if unicodedata.is_normalized("NFC", t)]
    assert rm.tokenize(" ".join(tokens)) == tokens
    terms = rm.bm25_tokenize(text, stemmer=None)
    terms = [t for t in terms if unicodedata.is_normalized("NFKC", t)]
    assert rm.bm25_tokenize(" ".join(terms), stemmer=None) == terms


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@given(text=texts)
def test_a_text_and_its_decomposed_form_have_the_same_tokens(form, text):
    text = oracle.whole(text)
    other = unicodedata.normalize(form, text)
    assert rm.tokenize(other) == rm.tokenize(text)
    for stemmer in (None, "light", "turkish"):
        assert rm.bm25_tokenize(other, stemmer=stemmer) == rm.bm25_tokenize(text, stemmer=stemmer)


def test_the_languages_are_named_in_order():
    assert sorted(SNOWBALL_LANGUAGES) == list(SNOWBALL_LANGUAGES)
    assert {"english", "german", "russian", "arabic"} <= set(SNOWBALL_LANGUAGES)
