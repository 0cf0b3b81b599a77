"""Which kind of question a query is, against the definition."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import subprocess
import sys
import time
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankmeld as rm
from query.samples import PARTS, WORDS, queries
from rankmeld.query import ENGLISH, SPANISH
from reference import query as oracle
from support.interrupts import assert_a_signal_stops


def tier(query: str, **options) -> str:
    return rm.classify_query(query, **options).value


def test_the_default_words_are_those_of_the_definition():
    words = rm.DEFAULT_QUERY_VOCABULARY
    assert set(words.multi_hop) == set(oracle.MULTI_HOP)
    assert set(words.architecture) == set(oracle.ARCHITECTURE)
    assert words.declarations == tuple(oracle.DECLARATIONS)
    assert set(words.multi_hop) == {*ENGLISH.multi_hop, *SPANISH.multi_hop}
    assert len(set(words.multi_hop)) == len(words.multi_hop)


def test_tiers_are_in_the_order_of_their_price():
    assert [tier.value for tier in rm.QueryTier] == list(oracle.TIERS)
    assert sorted(rm.QueryTier, key=str) != sorted(rm.QueryTier) == list(rm.QueryTier)
    direct, semantic, multi_hop, _ = rm.QueryTier
    assert semantic > direct >= "direct_factual" < multi_hop <= "architectural_global"
    message = "a QueryTier is 'dear'; it must be one of 'direct_factual', 'semantic_hybrid',"
    with pytest.raises(rm.InvalidArgumentError, match=message):
        assert direct < "dear"


def test_a_tier_is_its_word():
    assert rm.classify_query("x") == "direct_factual"
    assert f"{rm.classify_query('why')}" == "multi_hop_graph"
    assert json.loads(json.dumps([rm.classify_query("x y z")])) == ["semantic_hybrid"]


@given(queries)
@example("POR QUE\u0301 no")
@example("why\u0335 so")
@example("connection \u3000\n between")
@example("#\u0663\u0664 ")
@example("var é ahí")
@example("type \u691c\u7d22")
@example("ﬂow of it all")
@example("CLASS Foo()")
@example("\ud800")
def test_any_query(query):
    assert tier(query) == oracle.classify(query)


NEIGHBOURS = ("", " ", "x", "_", "9", "é", "\u0301", "-", "検", "s", "ss", "s_", "\u200d", "'")


@pytest.mark.parametrize("word", WORDS)
def test_every_word_in_few_neighbourhoods(word):
    for query in (
        word,
        f"{word}s of it",
        f"a {word.upper()}x b",
        f"x{word} of it",
        f"_{word} of it",
        f"«{word}_»",
    ):
        assert tier(query) == oracle.classify(query), query


@pytest.mark.parametrize("word", ["por qué", "impact", "blast_radius", "explain system"])
def test_few_words_in_every_neighbourhood(word):
    for before, after in itertools.product(NEIGHBOURS, repeat=2):
        for query in (f"{before}{word}{after}", f"a b {before}{word.upper()}{after} c d e"):
            assert tier(query) == oracle.classify(query), query


@pytest.mark.parametrize("part", PARTS)
def test_every_part_as_a_query_and_behind_a_declaration(part):
    for query in (part, f"func {part}", f"Type {part} b c", f"var {part} b c d", f"a.{part}", f"#{part}"):
        assert tier(query) == oracle.classify(query), query


def test_characters_beside_a_word_and_in_a_name():
    """Every one of the first thousands, then samples of all planes that have letters."""
    for code in (*range(0x3100), *range(0x3100, 0x20000, 13), *range(0x20000, 0xE0200, 997)):
        character = chr(code)
        if unicodedata.category(character) == "Cn":
            continue  # the core may know it, where Python's tables are older
        for query in (f"a {character}why b", f"why{character} b", f"func a{character} b"):
            assert tier(query) == oracle.classify(query), hex(code)


@given(
    st.lists(st.sampled_from(["a", "A*", "a b", "é*", "c++", "s", "ss", "b_c"]), max_size=4),
    st.lists(st.sampled_from(["b", "a", "b*", "x y z", "?", "as"]), max_size=4),
    st.lists(st.sampled_from(["a", "É", "let"]), max_size=2),
    st.text(st.sampled_from("aAbcséÉ+?_ \n*xyzlet.'"), max_size=12),
)
def test_any_vocabulary(multi_hop, architecture, declarations, query):
    vocabulary = rm.QueryVocabulary(multi_hop=multi_hop, architecture=architecture, declarations=declarations)
    assert tier(query, vocabulary=vocabulary) == oracle.classify(query, multi_hop, architecture, declarations)


@given(queries, st.sampled_from([" ", "\n", "\t  ", "\u3000", "\u00a0", "\u2028"]))
def test_spaces_around_and_composition_change_nothing(query, space):
    assert tier(f"{space}{query}{space}") == tier(query)
    whole = query.encode("utf-8", "replace").decode()
    assert tier(unicodedata.normalize("NFD", whole)) == tier(whole)


@given(queries)
def test_more_words_never_make_it_cheaper(query):
    """A vocabulary that knows more finds no less."""
    without = rm.QueryVocabulary(declarations=oracle.DECLARATIONS)
    assert oracle.TIERS.index(tier(query, vocabulary=without)) <= max(1, oracle.TIERS.index(tier(query)))


def test_an_extension_leaves_the_original_alone():
    before = rm.DEFAULT_QUERY_VOCABULARY.multi_hop
    more = rm.DEFAULT_QUERY_VOCABULARY.extended(
        multi_hop=["vs", "why"], architecture=("big picture",), declarations=["fn"]
    )
    assert rm.DEFAULT_QUERY_VOCABULARY.multi_hop == before
    assert more.multi_hop == (*before, "vs")
    assert tier("A vs. B and more", vocabulary=more) == "multi_hop_graph"
    assert tier("the big \n picture of it", vocabulary=more) == "architectural_global"
    assert tier("fn main in it", vocabulary=more) == "direct_factual"
    assert tier("fn main in it") == "semantic_hybrid"


def test_a_vocabulary_compares_hashes_prints_and_travels_by_its_words():
    one = rm.QueryVocabulary(multi_hop=["warum"])
    same = rm.QueryVocabulary(multi_hop=("warum",))
    assert one == same
    assert hash(one) == hash(same)
    assert one != rm.QueryVocabulary(architecture=["warum"])
    assert repr(one) == "QueryVocabulary(multi_hop=('warum',), architecture=(), declarations=())"
    for made in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), copy.copy(one)):
        assert made == one
        assert tier("Warum ist das so?", vocabulary=made) == "multi_hop_graph"
    with pytest.raises(AttributeError):
        one.multi_hop = ()


def test_halves_know_their_language():
    assert tier("¿por qué falla hoy?", vocabulary=SPANISH) == "multi_hop_graph"
    assert tier("¿por qué falla hoy?", vocabulary=ENGLISH) == "semantic_hybrid"
    assert tier("so why does it fail", vocabulary=SPANISH) == "semantic_hybrid"


LONG = {
    "spaces": " ",
    "one word": "word ",
    "a beginning of a phrase": "connection ",
    "words that begin like listed ones": "relatex impac _why ",
    "one run": "a",
    "a dotted name": "ab.",
    "accents": "por qu\u00e9x ",
    "marks": "e\u0301",
    "ideographs": "検索",
    "surrogates": "\ud800",
}


@pytest.mark.parametrize("part", LONG.values(), ids=LONG)
def test_time_is_linear_in_the_query(part):
    """Sixteen times as much takes far less than 256 times as long; a million characters are nothing."""

    def seconds(query: str) -> float:
        def once() -> float:
            start = time.process_time()
            rm.classify_query(query)
            return time.process_time() - start

        return min(once() for _ in range(3))

    small, large = (part * (count // len(part)) for count in (1 << 16, 1 << 20))
    assert seconds(large) < 60 * max(seconds(small), 1e-4)


def test_a_signal_stops_a_query_that_goes_on_and_on():
    query = "relatex " * (1 << 23)
    assert_a_signal_stops(lambda: rm.classify_query(query))


def test_many_threads_may_ask_at_once():
    asked = [f"{part} of it" for part in PARTS] * 20
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(tier, asked)) == [tier(query) for query in asked]


def test_it_is_fetched_only_when_asked_for():
    """Whoever only fuses pays nothing for it."""
    code = "import sys, rankmeld; raise SystemExit('rankmeld.query' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
