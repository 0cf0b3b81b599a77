"""Cleaned, corrected, widened and refined queries, against the definition."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankmeld as rm
from query.samples import queries
from rankmeld.query import DEFAULT_CORRECTIONS, DEFAULT_SYNONYMS
from rankmeld.query.rewriting import DEFAULT_PREFIX
from rankmeld.text import fold_text
from reference import query as oracle
from support.interrupts import assert_a_signal_stops

SYNONYMS = {
    "error": ["fallo", "bug"],
    "bug": ("ERROR", "defect"),
    "DB": ["data  base", "db"],
    "main.go": ["entry point"],
    "hizo": ["did"],
    "e\u0301": ["É", "e"],
}
in_tables = st.lists(
    st.tuples(
        st.sampled_from([*SYNONYMS, *oracle.CORRECTIONS, "HISO", "Ase", "ǆ", "ﬁx", "ERRO", "a", "fallo"]),
        st.sampled_from([" ", ", ", "; ", ".", ":", "://", "-", "_", "? ¿", "\n", "", "1"]),
    ),
    max_size=8,
).map(lambda parts: "".join(word + joint for word, joint in parts))


def test_the_default_tables_are_those_of_the_definition():
    assert dict(DEFAULT_CORRECTIONS) == oracle.CORRECTIONS
    assert DEFAULT_PREFIX == oracle.PREFIX
    with pytest.raises(TypeError):
        DEFAULT_CORRECTIONS["teh"] = "the"
    with pytest.raises(TypeError):
        DEFAULT_SYNONYMS["teh"] = ("the",)


@given(queries | in_tables)
@example("ERRO erro Erro")
@example("a ://b :// http://x.y:80/z. 1.5, 10:30:")
def test_normalizing_any_query(query):
    normal = rm.normalize_query(query)
    assert normal == oracle.normalize(query)
    assert rm.normalize_query(normal) == normal


@given(in_tables)
@example("ǆ ǅ Ǆ ﬁx FIX ß ẞ")
def test_normalizing_by_another_table(query):
    table = {"a": "the", "ﬁx": "ünïx", "ǆ": "ǆoker", "FALLO": "no fallo", "error": "OK"}
    assert rm.normalize_query(query, corrections=table) == oracle.normalize(query, table)
    assert rm.normalize_query(query, corrections={}) == oracle.normalize(query, {})


def test_a_capital_is_kept_and_a_name_stays_a_name():
    table = {"github": "GitHub", "iphone": "iPhone"}
    assert rm.normalize_query("github iphone", corrections=table) == "GitHub iPhone"
    assert rm.normalize_query("GITHUB Iphone", corrections=table) == "GitHub IPhone"


@given(in_tables | queries)
@example("DB db e\u0301 É E\u0301 hiso BUG")
def test_expanding_any_query(query):
    table = {word: [" ".join(synonym.split()) for synonym in synonyms] for word, synonyms in SYNONYMS.items()}
    expanded = rm.expand_synonyms(query, table=SYNONYMS)
    assert expanded == oracle.expand(query, table)
    assert rm.expand_synonyms(query) == oracle.expand(query, DEFAULT_SYNONYMS)


@given(in_tables)
def test_no_table_is_only_no_word_twice(query):
    terms = rm.expand_synonyms(query, table={}).split(" or ")
    folded = [fold_text(term) for term in terms]
    assert len(set(folded)) == len(folded)


limits = st.one_of(st.integers(0, 12), st.just(10**30))


@given(queries | in_tables, queries | st.just(DEFAULT_PREFIX), limits, st.integers(0, 90))
@example("é e\u0301 É x", "a  a b", 9, 10)
def test_refining_any_query(query, prefix, max_words, max_chars):
    refined = rm.refine_query(query, prefix=prefix, max_words=max_words, max_chars=max_chars)
    assert refined == oracle.refine(query, prefix, max_words, max_chars)
    assert len(refined) <= max_chars
    assert len(oracle.words_of(refined)) <= max_words


@given(queries)
def test_refining_by_default(query):
    assert rm.refine_query(query) == oracle.refine(query)


@pytest.mark.parametrize("part", [" ", "erro ", "a.", "://", "é", "e\u0301", "検", "\ud800", "?"])
def test_a_million_characters_are_rewritten(part):
    """Every function in well under the seconds that anything not linear would take."""
    query = part * ((1 << 20) // len(part))
    start = time.process_time()
    normal = rm.normalize_query(query)
    rm.expand_synonyms(query)
    rm.refine_query(query)
    assert time.process_time() - start < 6.0
    assert rm.normalize_query(query[:2000]) == oracle.normalize(query[:2000])
    assert len(normal) <= 2 * len(query)


def test_a_signal_stops_a_rewriting():
    query = "erro " * (1 << 22)
    assert_a_signal_stops(lambda: rm.normalize_query(query))


def test_tables_stay_as_they_are():
    table = {"a": ["b", "c"]}
    assert rm.expand_synonyms("a", table=table) == "a or b or c"
    assert table == {"a": ["b", "c"]}
