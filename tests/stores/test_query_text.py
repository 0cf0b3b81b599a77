"""Queries as full-text expressions: whatever comes, SQLite reads it as words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.stores.query_text import match_expressions, query_terms

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("", []),
        ("one", ["one"]),
        ("One, two;THREE", ["one", "two", "three"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("foo_bar.baz(x)", ["foo", "bar", "baz", "x"]),
        ("two two TWO", ["two"]),
        ("cafe\u0301", ["café"]),
        ("हिन्दी", ["हिन्दी"]),
        ("½ ² Ⅷ", ["½", "²", "ⅷ"]),
        ("a\ud800b", ["a", "b"]),
        ("\U000f0000", ["\U000f0000"]),
    ],
)
def test_terms_are_runs_of_what_the_index_takes_for_tokens(query, terms):
    assert query_terms(query) == terms


@given(ANY_TEXT)
def test_terms_hold_nothing_that_could_be_syntax(query):
    for term in query_terms(query):
        assert term
        assert not set(term) & set("\"'*():^+-{} \x00")
        term.encode()


def test_long_queries_are_asked_in_parts_that_hold_every_term():
    words = [f"w{i}" for i in range(1000)]
    parts = list(match_expressions(" ".join(words)))
    assert len(parts) == 4
    assert " OR ".join(parts) == " OR ".join(f'"{word}"' for word in words)


@pytest.fixture(scope="module")
def store():
    with rm.SqliteStore(":memory:") as store:
        store.add([rm.Document("w", "word near and or not"), rm.Document("o", "unrelated"), rm.Document("x")])
        yield store


@given(query=ANY_TEXT)
def test_no_text_is_an_error(store, query):
    store.lexical(query, limit=3)


@given(before=ANY_TEXT, after=ANY_TEXT)
def test_a_word_is_found_whatever_stands_around_it(store, before, after):
    assert "w" in store.lexical(f"{before} word {after}", limit=None).ids


def test_the_index_cuts_texts_wherever_queries_are_cut():
    parting = [c for c in map(chr, range(1, 0x20000)) if not "\ud800" <= c <= "\udfff"]
    parting = [c for c in parting if query_terms(f"q{c}z") == ["q", "z"]]
    assert {"\x01", "-", "_", "\u2014", "₿", "😀", "🤖"} <= set(parting)
    with rm.SqliteStore(":memory:") as store:
        store.add([rm.Document(c, f"q{c}z") for c in parting])
        found = set(store.lexical("z", limit=None).ids) & set(store.lexical("q", limit=None).ids)
    missed = sorted(set(parting) - found)
    assert missed[:10] == []


@pytest.mark.parametrize("glue", ["😀", "🤖", "🫶🏽", "👩‍👩‍👧", "—", "…", "₿", "_", "\x00", "。"])
def test_words_glued_to_a_symbol_are_found(glue):
    with rm.SqliteStore(":memory:") as store:
        store.add([rm.Document("a", f"thanks{glue}friend"), rm.Document("b"), rm.Document("c")])
        assert store.lexical("thanks", limit=None).ids == ["a"]
        assert store.lexical(f"friend{glue}stranger", limit=None).ids == ["a"]
