"""How each service is asked, and that nothing but a whole answer is read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.remote.dialects import DIALECTS
from support.refusals import refusal

JINA = DIALECTS["jina"]


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        ("jina", {"model": "m", "query": "q", "documents": ["a", "b"], "top_n": 2}),
        ("voyage", {"model": "m", "query": "q", "documents": ["a", "b"], "top_k": 2, "truncation": True}),
        ("tei", {"query": "q", "texts": ["a", "b"], "truncate": True}),
        ("mixedbread", {"model": "m", "query": "q", "input": ["a", "b"], "top_k": 2}),
    ],
)
def test_the_body_of_a_request(dialect, body):
    sent = json.loads(DIALECTS[dialect].request("m", "q", ["a", "b"], truncate=True))
    assert sent == body
    assert "model" not in json.loads(DIALECTS[dialect].request("", "q", ["a"], truncate=True))


def test_texts_go_as_utf8():
    assert "検索 🙂".encode() in JINA.request("m", "検索 🙂", ["é"], truncate=True)


@pytest.mark.parametrize(
    ("dialect", "answer"),
    [
        ("jina", {"results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 1}]}),
        (
            "jina",
            {
                "id": "x",
                "results": [
                    {"index": 0, "relevance_score": 1.0, "document": {"text": "another"}},
                    {"index": 1, "relevance_score": 0.9, "document": None},
                ],
            },
        ),
        ("voyage", {"data": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 1}]}),
        ("tei", [{"index": 1, "score": 0.9}, {"index": 0, "score": 1}]),
        ("mixedbread", {"data": [{"index": 1, "score": 0.9}, {"index": 0, "score": 1}]}),
    ],
)
def test_scores_go_where_their_index_says(dialect, answer):
    scores = DIALECTS[dialect].scores(json.dumps(answer).encode(), 2, "host")
    assert scores == [1.0, 0.9]
    assert all(type(score) is float for score in scores)


def of(*results):
    return json.dumps({"results": [{"index": i, "relevance_score": s} for i, s in results]})


TWO = [(0, 0.5), (1, 0.5)]
NOT_JSON = "host gave {} bytes that are not JSON; is it a rerank endpoint?"
NO_LIST = "host gave JSON that is not an object with a list 'results'; does it speak another dialect?"
NO_NUMBER = "host gave a result with index 0 whose 'relevance_score' is not a finite number"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("", NOT_JSON),
        ("<html>bad gateway</html>", NOT_JSON),
        (of(*TWO)[:-1], NOT_JSON),
        (of(*TWO) + "}", NOT_JSON),
        ("[" * 100_000, NOT_JSON),
        (b"\xff\xfe", NOT_JSON),
        ("null", NO_LIST),
        ("[]", NO_LIST),
        ("{}", NO_LIST),
        ('{"results": null}', NO_LIST),
        ('{"results": {"0": 0.5}}', NO_LIST),
        ('{"data": []}', NO_LIST),
        ('{"results": []}', "host gave 0 results for 2 passages; there is none with index 0"),
        (of((1, 0.5)), "host gave 1 results for 2 passages; there is none with index 0"),
        (of(*TWO, (0, 0.5)), "host gave 3 results for 2 passages"),
        (of((0, 0.5), (0, 0.5)), "host gave two results with index 0"),
        (of((0, 0.5), (2, 0.5)), "host gave a result with index 2; 2 passages were sent, counted from 0"),
        (of((0, 0.5), (-1, 0.5)), "host gave a result with index -1; 2 passages were sent, counted from 0"),
        (
            of((0, 0.5), (10**80, 0.5)),
            "host gave a result with index out of all bounds; 2 passages were sent, counted from 0",
        ),
        (of((False, 0.5), (1, 0.5)), "host gave a result whose index is not an integer"),
        (of(("0", 0.5), (1, 0.5)), "host gave a result whose index is not an integer"),
        (of((0.0, 0.5), (1, 0.5)), "host gave a result whose index is not an integer"),
        (of((None, 0.5), (1, 0.5)), "host gave a result whose index is not an integer"),
        ('{"results": [{"relevance_score": 0.5}]}', "host gave a result whose index is not an integer"),
        ('{"results": [0.5, 0.5]}', "host gave a result that is not an object"),
        ('{"results": [{"index": 0}]}', "host gave a result with index 0 whose 'relevance_score' is missing"),
        (
            '{"results": [{"index": 0, "score": 1}]}',
            "host gave a result with index 0 whose 'relevance_score' is missing",
        ),
        (of((0, None), (1, 0.5)), NO_NUMBER),
        (of((0, True), (1, 0.5)), NO_NUMBER),
        (of((0, "0.5"), (1, 0.5)), NO_NUMBER),
        (of((0, [0.2, 0.8]), (1, 0.5)), NO_NUMBER),
        (of((0, float("nan")), (1, 0.5)), NO_NUMBER),
        (of((0, float("inf")), (1, 0.5)), NO_NUMBER),
        ('{"results": [{"index": 0, "relevance_score": 1e999}]}', NO_NUMBER),
        (of((0, 10**400), (1, 0.5)), NO_NUMBER),
        (
            '{"results": [{"index": 0, "relevance_score": ' + "1" * 5_000 + "}]}",
            NOT_JSON,
        ),
    ],
)
def test_anything_else_is_refused(body, text):
    data = body if isinstance(body, bytes) else body.encode()
    assert refusal(rm.RerankResponseError, JINA.scores, data, 2, "host") == text.format(len(data))


def test_an_error_holds_nothing_of_the_answer():
    with pytest.raises(rm.RerankResponseError) as caught:
        JINA.scores(b'{"SECRET": ', 1, "host")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["index", "score", "relevance_score", "results", "data"]), inner)
    ),
    max_leaves=12,
)


@given(st.sampled_from(sorted(DIALECTS)), json_values | st.fixed_dictionaries({"results": json_values}))
def test_whatever_comes_is_scores_or_one_kind_of_error(dialect, answer):
    try:
        scores = DIALECTS[dialect].scores(json.dumps(answer).encode(), 1, "host")
    except rm.RerankResponseError:
        return
    assert len(scores) == 1


@given(st.permutations(range(6)), st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=6))
def test_any_order_of_results_gives_the_same(order, scores):
    assert JINA.scores(of(*[(i, scores[i]) for i in order]).encode(), 6, "host") == scores
