"""BM25 of a few texts: the promised bits, the formula, statistics of one's own, and refusals."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference import bm25 as oracle
from support.shared import shared_folder

#: Words that stay as they are: no stemmer touches them, and none is a single letter.
WORDS = ("alpha", "beta", "gamma", "delta", "42", "7", "日", "本", "öl")
texts_of_words = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
parameters = st.fixed_dictionaries(
    {
        "k1": st.one_of(st.just(0.0), st.floats(0.01, 20)),
        "b": st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1)),
    }
)


@given(texts_of_words, st.lists(texts_of_words, max_size=8), parameters, st.booleans())
def test_the_bits_are_those_of_the_reference(query, texts, options, normalized):
    documents = [text.split() for text in texts]
    expected = oracle.scores(query.split(), documents, normalized=normalized, **options)
    for tokenizer in (rm.bm25_tokenize, str.split):
        found = rm.bm25_scores(query, texts, tokenizer=tokenizer, normalized=normalized, **options)
        assert found.tolist() == expected


@given(texts_of_words, st.lists(texts_of_words, min_size=1, max_size=8), parameters)
def test_the_formula_holds_up_to_the_last_digits(query, texts, options):
    exact = oracle.exact_scores(query.split(), [text.split() for text in texts], **options)
    found = rm.bm25_scores(query, texts, **options)
    assert found.tolist() == pytest.approx([float(score) for score in exact], rel=1e-13)


def test_texts_of_all_kinds_are_read_as_the_tokenizer_reads_them():
    texts = [
        "Rode and RIDING, rides; classes, queries!", "ride class query",
        "e\u0301t\u00e9 \u00c9T\u00c9 2\u00bd \uff21\uff22\uff23",
        "東京2020 and ﬁle", "x y z 1 22 333", "İstanbul STRASSE straße", "", " \u3000 ",
        "a\u200dbb cc\u0301", "\ud800 bad", "word" * 100, "\0 nul nul\0nul",
    ]  # fmt: skip
    queries = [*texts, "ride query class 2020 京", "abc 2 file strasse ss", "nul"]
    for stemmer in ("light", None, "english", "german"):
        tokenizer = partial(rm.bm25_tokenize, stemmer=stemmer)
        documents = [tokenizer(text) for text in texts]
        for query in queries:
            expected = oracle.scores(tokenizer(query), documents)
            assert rm.bm25_scores(query, texts, tokenizer=tokenizer).tolist() == expected, (stemmer, query)
            by_hand = rm.bm25_scores(query, texts, tokenizer=lambda text, read=tokenizer: read(text))
            assert by_hand.tolist() == expected


@given(st.integers(1, 50), st.integers(1, 50), parameters)
def test_more_occurrences_never_cost(few, more, options):
    texts = [
        "word " * few + "filler " * 60,
        "word " * (few + more) + "filler " * (60 - min(more, 59)),
        "other",
    ]
    fewer, greater, _ = rm.bm25_scores("word", texts, **options)
    assert greater >= fewer * (1 - 1e-12)


def test_statistics_of_a_collection_take_the_place_of_the_texts_own():
    collection = ["alpha beta", "alpha gamma delta", "delta delta", "beta"]
    index = rm.BM25Index()
    index.add(enumerate(collection))
    stats = rm.CorpusStats(collection, tokenizer=rm.bm25_tokenize)
    query = "delta alpha nowhere delta"
    whole = rm.bm25_scores(query, collection)
    for given_stats in (index, stats):
        assert rm.bm25_scores(query, collection, stats=given_stats).tolist() == whole.tolist()
        assert rm.bm25_scores(query, collection[1:3], stats=given_stats).tolist() == whole[1:3].tolist()
    split = rm.CorpusStats(collection, tokenizer=str.split)
    assert rm.bm25_scores(query, collection, tokenizer=str.split, stats=split).tolist() == whole.tolist()


def test_stats_are_checked():
    class Wrong:
        document_count = 1
        average_length = 2.0

        def document_frequency(self, _token):
            return 2

    other = rm.CorpusStats(["alpha"])
    with pytest.raises(rm.InvalidArgumentError) as refused:
        rm.bm25_scores("alpha", ["alpha"], stats=other)
    assert str(refused.value) == (
        "stats was counted with another tokenizer than this call's, so it knows other terms; count it with "
        "the same one, as CorpusStats(texts, tokenizer=rankmeld.bm25_tokenize)"
    )
    with pytest.raises(rm.InvalidArgumentError) as refused:
        rm.bm25_scores("alpha", ["alpha"], stats=Wrong())
    assert str(refused.value) == "stats says that 2 documents hold 'alpha', and has 1 documents in all"
    with pytest.raises(TypeError) as refused:
        rm.bm25_scores("alpha", ["alpha"], stats={})
    assert str(refused.value) == (
        "stats must have document_count, average_length and document_frequency, as CorpusStats and BM25Index "
        "do, and dict has not"
    )


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"k1": -2}, ValueError, "k1 is -2.0; it must not be negative (0: only presence counts)"),
        ({"k1": float("nan")}, rm.InvalidArgumentError, "k1 is nan; it must be finite"),
        ({"k1": "1"}, TypeError, "k1 must be a number, not str"),
        ({"b": 2}, rm.InvalidArgumentError, "b is 2.0; it must be within 0..1 (0: length does not count)"),
        ({"b": True}, TypeError, "b must be a number, not bool"),
        ({"normalized": 1}, TypeError, "normalized must be True or False, not int"),
        ({"query": b"x"}, TypeError, "query must be a str, not bytes"),
        (
            {"texts": "abc"},
            TypeError,
            "texts must be a list of str, not a str; to pass one text alone, write [text]",
        ),
        ({"texts": 7}, TypeError, "texts must be a list of str, not int"),
        ({"texts": ["a", None]}, TypeError, "texts[1] must be a str, not NoneType"),
        (
            {"tokenizer": "split"},
            TypeError,
            "tokenizer must be a callable from a text to its terms, not str",
        ),
        (
            {"tokenizer": lambda text: text},
            TypeError,
            "tokenizer must give a list of str, and gave a str for query",
        ),
        (
            {"tokenizer": lambda text: [text, 1]},
            TypeError,
            "tokenizer must give a list of str, and gave a int at place 1 for query",
        ),
        (
            {"tokenizer": lambda text: None if text == "t" else []},
            TypeError,
            "tokenizer must give a list of str, and gave None for texts[0]",
        ),
    ],
)  # fmt: skip
def test_what_is_refused_says_why(options, error, text):
    given_options = {"query": "q", "texts": ["t"], **options}
    with pytest.raises(error) as refused:
        rm.bm25_scores(given_options.pop("query"), given_options.pop("texts"), **given_options)
    assert str(refused.value) == text
    if "texts" in options:
        with pytest.raises(error) as refused:
            rm.bm25_scores("q", options["texts"], tokenizer=str.split)
        assert str(refused.value) == text


def test_a_stemmer_that_there_is_not_is_refused():
    with pytest.raises(rm.InvalidArgumentError, match="stemmer is 'klingon'"):
        rm.bm25_scores("q", [], tokenizer=partial(rm.bm25_tokenize, stemmer="klingon"))


def test_options_are_checked_for_no_texts_too():
    assert rm.bm25_scores("q", []).tolist() == []
    assert rm.bm25_scores("", iter(())).dtype == np.float64
    with pytest.raises(rm.InvalidArgumentError):
        rm.bm25_scores("q", [], k1=-1)


def test_parameters_of_any_size_give_finite_scores():
    texts = ["word " * 300, "word filler", "filler"]
    for k1 in (0.0, 5e-324, 1e200, 1.7e308):
        for b in (0.0, 0.5, 1.0):
            scores = rm.bm25_scores("word", texts, k1=k1, b=b)
            exact = oracle.exact_scores(["word"], [text.split() for text in texts], k1=k1, b=b)
            assert scores.tolist() == pytest.approx([float(score) for score in exact], rel=1e-12)


def test_large_input_is_answered_in_linear_space():
    word = "a" * 10_000_000
    assert rm.bm25_scores(word, [word, "other"]).tolist()[1] == 0.0
    words = " ".join(f"w{n}" for n in range(10_000))
    scores = rm.bm25_scores(words, [words, "w1 w2", ""] * 20)
    assert scores[0] > scores[1] > scores[2] == 0.0


def test_inputs_stay_as_they_were():
    texts = ["one two", "two"]
    rm.bm25_scores("two", texts)
    assert texts == ["one two", "two"]


def test_real_collections_agree_with_the_reference():
    folder = shared_folder()
    if folder is None:
        pytest.skip("the shared data are not on this machine (set RANKMELD_SHARED)")
    import json

    lines = (folder / "data" / "cranfield" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[:120]
    texts = [json.loads(line)["text"] for line in lines]
    documents = [rm.bm25_tokenize(text) for text in texts]
    for query in ("boundary layer flows", "what is the pressure of heated wings at mach 2.5"):
        expected = oracle.scores(rm.bm25_tokenize(query), documents)
        assert rm.bm25_scores(query, texts).tolist() == expected


def test_terms_of_a_tokenizer_are_composed():
    composed, apart = "caf\u00e9", "cafe\u0301"
    expected = rm.bm25_scores("cafe", ["cafe", "x"], tokenizer=str.split).tolist()
    for query, text in ((composed, apart), (apart, composed)):
        assert rm.bm25_scores(query, [text, "x"], tokenizer=str.split).tolist() == expected
        index = rm.BM25Index(tokenizer=str.split)
        index.add([(1, text)])
        assert index.search(query).ids == [1]
        assert [index.document_frequency(term) for term in (query, text)] == [1, 1]


@pytest.mark.parametrize(
    ("count", "average", "holding", "kind", "text"),
    [
        (1, 1.0, -5, ValueError, "stats says that -5 documents hold 'alpha', and has 1 documents in all"),
        (1, 1.0, 0.5, TypeError, "stats.document_frequency('alpha') must be an integer, not float"),
        (1, float("nan"), 0, ValueError, "stats.average_length is nan; it must be finite"),
        (1, None, 0, TypeError, "stats.average_length must be a number, not NoneType"),
        (10**30, 1.0, 0, ValueError, "there must be fewer than 2**63 documents"),
        (-1, 1.0, 0, ValueError, "stats has document_count -1 and average_length 1.0; neither"),
    ],
)
def test_numbers_of_somebodys_own_statistics_are_checked(count, average, holding, kind, text):
    class Own:
        document_count = count
        average_length = average

        def document_frequency(self, _token):
            return holding

    with pytest.raises(kind) as refused:
        rm.bm25_scores("alpha", ["alpha"], stats=Own())
    assert text in str(refused.value)


def test_options_come_before_the_query():
    calls = []
    index = rm.BM25Index(tokenizer=lambda text: calls.append(text) or text.split())
    for search in (index.search, index.search_many):
        with pytest.raises(rm.InvalidArgumentError, match="limit is -1"):
            search(["alpha"], limit=-1)
        with pytest.raises(rm.InvalidArgumentError, match="ties is 'best'"):
            search(["alpha"], ties="best")
    with pytest.raises(TypeError, match="stats must have document_count"):
        rm.bm25_scores(None, [], stats=3)
    assert calls == []
    assert index.search_many([], threads=10**30) == []


def test_a_term_in_nearly_every_document_is_worth_what_the_formula_says():
    """ln(1 + x) of so small an x has to be taken without the sum, which rounds most of it away."""
    count = 10**14

    class Collection:
        document_count, average_length = count, 1.0

        def document_frequency(self, _token, /):
            return count

    (score,) = rm.bm25_scores("word", ["word"], k1=0.0, stats=Collection())
    assert score == pytest.approx(0.5 / (count + 0.5), rel=1e-12, abs=0)


@pytest.mark.parametrize("others", range(12))
def test_where_only_presence_counts_frequency_shows_in_no_bit(others):
    texts = ["word " * frequency for frequency in range(1, 60)] + ["violin"] * others
    scores = rm.bm25_scores("word", texts, k1=0.0)
    assert len(set(scores[:59].tolist())) == 1
