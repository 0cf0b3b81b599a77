"""`lexical_maxsim` and its kin against the oracle, and what must hold for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.late_interaction import idf_weight, tokens_of
from reference.late_interaction import lexical_matches as oracle_matches
from reference.late_interaction import lexical_maxsim as oracle

WORDS = [
    *("search", "searching", "research", "engine", "engines", "the", "v2", "handle_search", "a", "é"),
    *("naïve", "nai\u0308ve", "STRASSE", "straße", "検索", "探索エンジン", "コーヒー", "การค้นหา"),
    *("🙂", "\ud800ok"),
]
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
token_lists = st.lists(
    st.one_of(st.sampled_from(WORDS), st.text(st.sampled_from("abé字🙂"), max_size=6)), max_size=25
)
sides = st.one_of(texts, token_lists, token_lists.map(tuple))


@given(sides, st.lists(sides, max_size=6))
def test_equals_the_oracle(query, documents):
    expected = [oracle(query, document) for document in documents]
    found = rm.lexical_maxsim_many(query, documents)
    assert found.dtype == np.float64
    assert found.tolist() == expected
    assert [rm.lexical_maxsim(query, document) for document in documents] == expected


@given(texts, texts, st.lists(texts, max_size=5))
def test_equals_the_oracle_with_idf(query, document, collection):
    stats = rm.CorpusStats(collection)
    expected = oracle(query, document, idf_weight(collection))
    assert rm.lexical_maxsim(query, document, weights="idf", stats=stats) == expected


@given(sides, sides, st.sampled_from([0.0, 5e-324, 1e-300, 1e300, 1.7e308]), st.integers(0, 4))
def test_equals_the_oracle_with_weights_of_any_size(query, document, large, every):
    def weight(token: str) -> float:
        return large if len(token) % 5 == every else len(token) / 7

    assert rm.lexical_maxsim(query, document, weights=weight) == oracle(query, document, weight)


@given(sides, sides)
def test_matches_equal_the_oracle_and_make_up_the_score(query, document):
    found = rm.lexical_matches(query, document)
    assert [tuple(match) for match in found] == oracle_matches(query, document)
    assert [match.query_token for match in found] == tokens_of(query)
    assert all(type(match) is rm.TokenMatch for match in found)
    for match in found:
        if match.document_token is None:
            assert match.similarity == 0.0
        else:
            assert rm.token_similarity(match.query_token, match.document_token) == match.similarity
    whole = sum(match.weight for match in found)
    score = sum(match.weight * match.similarity for match in found) / whole if whole else 0.0
    assert rm.lexical_maxsim(query, document) == pytest.approx(score, rel=1e-12)


@given(token_lists)
def test_a_text_answers_itself_in_full(tokens):
    expected = 1.0 if tokens else 0.0
    assert rm.lexical_maxsim(tokens, tokens) == expected
    assert rm.lexical_maxsim(tokens, [*tokens, "more"]) == expected


@given(sides, token_lists, st.text(max_size=5))
def test_another_token_of_the_document_never_lowers(query, document, token):
    score = rm.lexical_maxsim(query, document)
    assert 0.0 <= score <= rm.lexical_maxsim(query, [*document, token]) <= 1.0


@given(sides, st.lists(sides, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_neither_order_nor_company_shows(query, documents, random):
    alone = rm.lexical_maxsim_many(query, documents).tolist()
    places = list(range(len(documents)))
    random.shuffle(places)
    together = rm.lexical_maxsim_many(query, [documents[place] for place in places]).tolist()
    assert together == [alone[place] for place in places]
    turned = [document[::-1] if not isinstance(document, str) else document for document in documents]
    assert rm.lexical_maxsim_many(query, turned).tolist() == alone


@given(st.lists(st.sampled_from(WORDS), max_size=40), texts)
def test_the_order_of_the_query_shows_in_no_bit(query, document):
    assert rm.lexical_maxsim(query, document) == rm.lexical_maxsim(query[::-1], document)


def test_repeated_tokens_of_the_query_count_each_time():
    assert rm.lexical_maxsim(["ab", "ab", "xy"], ["ab"], weights=len) == 2 / 3


def test_more_tokens_than_fit_one_block_and_more_bigrams_than_fit_a_byte():
    long = "".join(map(chr, range(0x4E00, 0x4E00 + 600)))
    query = [f"word{n}" for n in range(70)] + [long, long[100:400], "x"]
    document = [f"w{n}rd" for n in range(50)] + [long[:-1] + "x", long[100:400] + "y"]
    assert rm.lexical_maxsim(query, document) == oracle(query, document)


def test_many_documents_go_through_in_batches():
    documents = [" ".join(f"w{(n * 7 + k) % 5000:x}" for k in range(90)) for n in range(1500)]
    query = "wa1 w1 w7f w12x search"
    found = rm.lexical_maxsim_many(query, documents)
    for threads in (1, 2, 3, 10**30):
        assert rm.lexical_maxsim_many(query, documents, threads=threads).tolist() == found.tolist()
    for place in range(0, 1500, 97):
        assert found[place] == rm.lexical_maxsim(query, documents[place])


def test_nothing_in_nothing_out():
    assert rm.lexical_maxsim_many("query", []).shape == (0,)
    assert rm.lexical_maxsim_many("", ["text", [], ""]).tolist() == [0.0, 0.0, 0.0]
    assert rm.lexical_maxsim_many("query", ["", []]).tolist() == [0.0, 0.0]
    assert rm.lexical_matches("", "text") == []
    assert rm.lexical_matches("query", "") == [rm.TokenMatch("query", 1.0, None, 0.0)]


def test_documents_may_come_from_an_iterator_and_stay_as_they_are():
    documents = ["search engine", ["search", "Engine"], ("engine",)]
    kept = [documents[0], list(documents[1]), documents[2]]
    found = rm.lexical_maxsim_many("search engine", iter(documents))
    assert found.tolist() == rm.lexical_maxsim_many("search engine", documents).tolist()
    assert documents == kept


def test_tokens_are_taken_as_they_are_but_composed():
    assert rm.lexical_maxsim(["Search"], ["search"]) < 1.0
    assert rm.lexical_maxsim(["cafe\u0301"], ["caf\u00e9"]) == 1.0
    assert rm.lexical_maxsim(["two words"], ["two words"]) == 1.0
    assert rm.lexical_maxsim(["a"], ["a"]) == 1.0


def test_a_weight_function_is_asked_once_for_each_distinct_token():
    asked = []

    def weight(token: str) -> float:
        asked.append(token)
        return 1.0

    rm.lexical_maxsim_many("two one Two", ["one", "two"], weights=weight)
    assert asked == ["two", "one"]
