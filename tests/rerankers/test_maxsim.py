"""Reranking by token vectors: against the oracle, what the model is asked, and what it may answer."""

from __future__ import annotations

import asyncio
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rerankers.samples import HITS, QUERY, Calls, letter_tokens, letter_tokens_later
from support.check import fused
from support.refusals import refusal

numbers = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, -7.25])
matrices = st.lists(st.tuples(numbers, numbers, numbers), max_size=4)


def sum_of_maxima(query, document):
    """MaxSim as it is defined; without vectors on either side it is 0."""
    if not query or not document:
        return 0.0
    return sum(max(sum(x * y for x, y in zip(q, d, strict=True)) for d in document) for q in query)


@given(st.lists(matrices, min_size=1, max_size=6), st.integers(1, 7))
def test_equals_the_oracle(texts, size):
    """Each passage is the number of its vectors, so that the model only looks them up."""
    hits = [(str(i), None, rm.Document(str(i), str(i))) for i in range(1, len(texts))]

    def embed_tokens(asked):
        return [np.array(texts[int(text)], np.float32) for text in asked]

    reranker = rm.MaxSimReranker(embed_tokens, normalize=False, batch_size=size)
    found = fused(reranker.rerank("0", hits))
    expected = [(str(i), sum_of_maxima(texts[0], texts[i])) for i in range(1, len(texts))]
    assert sorted(found) == [(id, pytest.approx(score, abs=1e-5)) for id, score in sorted(expected)]
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_vectors_are_brought_to_length_1():
    hits = [("long", None, rm.Document("l", "vvvv")), ("both", None, rm.Document("b", "v e"))]
    assert fused(rm.MaxSimReranker(letter_tokens).rerank("v e", hits)) == [("both", 2.0), ("long", 1.0)]
    raw = rm.MaxSimReranker(letter_tokens, normalize=False)
    assert fused(raw.rerank("v e", hits)) == [("long", 4.0), ("both", 2.0)]


def test_passages_go_in_batches_and_blank_ones_stay_here():
    embed = Calls(letter_tokens)
    found = rm.MaxSimReranker(embed, batch_size=3).rerank(QUERY, [("none", 9.0), *HITS])
    asked = [texts for (texts,) in embed.calls]
    assert asked == [[h.document.text for h in HITS[:3]], [HITS[3].document.text], [QUERY]]
    assert dict(fused(found))["none"] == dict(fused(found))["blank"] == 0.0


def test_where_all_passages_are_blank_nothing_is_asked():
    embed = Calls(letter_tokens)
    assert fused(rm.MaxSimReranker(embed).rerank(QUERY, ["a", "b"])) == [("a", 0.0), ("b", 0.0)]
    assert embed.calls == []


@pytest.mark.parametrize("query", ["", " ", "?"])
def test_a_query_without_vectors_leaves_the_order(query):
    def embed_tokens(texts):
        return letter_tokens([text.strip("? ") for text in texts])

    assert fused(rm.MaxSimReranker(embed_tokens).rerank(query, HITS)) == [(hit.id, 0.0) for hit in HITS]


class Model:
    """A ColBERT: its queries are embedded otherwise."""

    def __call__(self, texts):
        return letter_tokens(texts)

    def embed_query_tokens(self, text):
        return letter_tokens([text.upper().lower() + " vector"])[0]


def test_a_query_is_embedded_by_the_function_for_it():
    expected = rm.MaxSimReranker(letter_tokens).rerank(f"{QUERY} vector", HITS)
    assert rm.MaxSimReranker(Model()).rerank(QUERY, HITS) == expected
    own = rm.MaxSimReranker(letter_tokens, embed_query_tokens=Model().embed_query_tokens)
    assert own.rerank(QUERY, HITS) == expected
    wins = rm.MaxSimReranker(Model(), embed_query_tokens=lambda text: letter_tokens([text])[0])
    assert wins.rerank(QUERY, HITS) == rm.MaxSimReranker(letter_tokens).rerank(QUERY, HITS)


FORMS = {
    "arrays": letter_tokens,
    "lists": lambda texts: [rows.tolist() for rows in letter_tokens(texts)],
    "iterator": lambda texts: iter(letter_tokens(texts)),
    "Fortran": lambda texts: [np.asfortranarray(rows) for rows in letter_tokens(texts)],
    "float64": lambda texts: [rows.astype(">f8") for rows in letter_tokens(texts)],
    "one array": lambda texts: np.stack(letter_tokens(texts)),
}


def assert_close(found, expected):
    """The same order; scores of float64 and of float32 differ in the last digits."""
    assert found.ids == expected.ids
    assert found.scores.tolist() == pytest.approx(expected.scores.tolist(), rel=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_vectors_in_any_form(form):
    """Of one word each: only then one array can hold them all."""
    hits = [("v", None, rm.Document("v", "vector")), ("s", None, rm.Document("s", "search"))]
    expected = rm.MaxSimReranker(letter_tokens).rerank("search", hits)
    assert expected.ids == ["s", "v"]
    assert_close(rm.MaxSimReranker(FORMS[form]).rerank("search", hits), expected)


def test_a_query_may_come_as_a_batch_of_one():
    expected = rm.MaxSimReranker(letter_tokens).rerank(QUERY, HITS)
    for answer in (letter_tokens([QUERY])[0], letter_tokens([QUERY]), letter_tokens([QUERY])[0].tolist()):
        own = rm.MaxSimReranker(letter_tokens, embed_query_tokens=lambda _text, answer=answer: answer)
        assert_close(own.rerank(QUERY, HITS), expected)


def test_why_a_hit_moved():
    found = rm.MaxSimReranker(letter_tokens).rerank(QUERY, HITS)
    details = found.explain("vector").stages[0].details
    words = HITS[1].document.text.split()
    assert [words[match] for match in details["matches"]] == ["vector", "search"]
    assert details["similarities"] == pytest.approx((1.0, 1.0), rel=1e-6)
    assert details["score"] == sum(details["similarities"])
    assert found.explain("blank").stages[0].details["matches"] == (-1, -1)


def test_part_of_it_may_be_asynchronous():
    expected = rm.MaxSimReranker(letter_tokens).rerank(QUERY, HITS)
    for options in (
        {"embed_tokens": letter_tokens_later},
        {"embed_tokens": letter_tokens_later, "embed_query_tokens": lambda text: letter_tokens([text])[0]},
    ):
        assert asyncio.run(rm.MaxSimReranker(**options).arerank(QUERY, HITS)) == expected


THREE = HITS[:3]
WANTED = "it must give a list of 3 arrays of shape (T, D), one for each text, one row for each of its tokens"
BAD = {
    "too few": ([np.ones((2, 9))] * 2, f"embed gave 2 answers; {WANTED}"),
    "nothing": (None, f"embed gave None; {WANTED}"),
    "a number": (1.0, f"embed gave a float; {WANTED}"),
    "one without": ([np.ones((2, 9)), None, np.ones((2, 9))], f"embed gave None for passage 1; {WANTED}"),
    "one vector": (
        [np.ones(9), np.ones((2, 9)), np.ones((2, 9))],
        f"embed gave an array of shape (9,) for passage 0; {WANTED}",
    ),
    "NaN": (
        [np.ones((2, 9)), np.ones((2, 9)), [[1.0] * 9, [math.nan] * 9]],
        f"embed gave NaN or an infinity for passage 2; {WANTED}",
    ),
    "uneven": ([[[1.0], [1.0, 2.0]], [], []], f"embed gave a list for passage 0; {WANTED}"),
    "texts": ([["a"], ["b"], ["c"]], f"embed gave a list for passage 0; {WANTED}"),
    "wider": (
        [np.ones((2, 9)), np.ones((0, 3)), np.ones((2, 8))],
        (
            "embed gave a vector of width 8 for passage 2, and of width 9 before; query and passages must "
            "come from one model"
        ),
    ),
}


@pytest.mark.parametrize(("answer", "text"), BAD.values(), ids=BAD)
def test_what_is_no_vectors_is_refused_and_named(answer, text):
    def embed(_texts):
        return answer

    embed.__qualname__ = "embed"
    assert refusal(rm.RerankResponseError, rm.MaxSimReranker(embed).rerank, QUERY, THREE) == text


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (None, "ask gave None; it must give an array of shape (Q, D) for a query"),
        (np.ones(9), "ask gave an array of shape (9,); it must give an array of shape (Q, D)"),
        (np.ones((2, 3, 9)), "ask gave an array of shape (2, 3, 9); it must"),
        ([[math.inf] * 9], "ask gave NaN or an infinity; it must give"),
        (np.ones((2, 5)), "letter_tokens gave a vector of width 5 for the query, and of width 9 before"),
    ],
)
def test_what_is_no_query_is_refused(answer, text):
    def ask(_text):
        return answer

    ask.__qualname__ = "ask"
    reranker = rm.MaxSimReranker(letter_tokens, embed_query_tokens=ask)
    assert refusal(rm.RerankResponseError, reranker.rerank, QUERY, THREE).startswith(text)


ROWS = {
    "no function": (
        {"embed_tokens": "colbert"},
        TypeError,
        "embed_tokens must be a callable texts -> list of (T, D) arrays, not str",
    ),
    "no function for queries": (
        {"embed_query_tokens": 3},
        TypeError,
        "embed_query_tokens must be a callable text -> (Q, D) array, or None, not int",
    ),
    "batches": (
        {"batch_size": 0},
        rm.InvalidArgumentError,
        "batch_size is 0; it must be 1 or more, or None for all at once",
    ),
}


@pytest.mark.parametrize(("options", "kind", "text"), ROWS.values(), ids=ROWS)
def test_options(options, kind, text):
    assert refusal(kind, lambda: rm.MaxSimReranker(**{"embed_tokens": letter_tokens, **options})) == text


def test_normalize_is_checked_before_any_data():
    with pytest.raises(TypeError, match="normalize"):
        rm.MaxSimReranker(letter_tokens, normalize="yes")


def test_repr():
    assert repr(rm.MaxSimReranker(letter_tokens)) == "MaxSimReranker(letter_tokens)"
    shown = repr(rm.MaxSimReranker(letter_tokens, normalize=False))
    assert shown == "MaxSimReranker(letter_tokens, normalize=False)"
