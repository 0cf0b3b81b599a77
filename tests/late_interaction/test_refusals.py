"""What late interaction refuses, and how it says so."""

from __future__ import annotations

import pytest

import rankmeld as rm
from support.refusals import refusal

CALLS = {
    "one": lambda query, **options: rm.lexical_maxsim(query, "a", **options),
    "many": lambda query, **options: rm.lexical_maxsim_many(query, ["a"], **options),
    "many of none": lambda query, **options: rm.lexical_maxsim_many(query, [], **options),
    "matches": lambda query, **options: rm.lexical_matches(query, "a", **options),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
NO_DOCUMENTS = "documents must be a list of texts or token lists, not "
STATS = rm.CorpusStats(["a text"])


@every_call
@pytest.mark.parametrize("query", ["a query", ""])
@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"weights": "tfidf"},
            rm.InvalidArgumentError,
            "weights is 'tfidf'; it must be one of 'specificity', 'idf'",
        ),
        ({"weights": 3}, TypeError, "weights must be one of 'specificity', 'idf', or a callable, not int"),
        (
            {"weights": None},
            TypeError,
            "weights must be one of 'specificity', 'idf', or a callable, not NoneType",
        ),
        (
            {"weights": "idf"},
            rm.InvalidArgumentError,
            'weights="idf" needs stats=, a CorpusStats of the collection',
        ),
        (
            {"stats": STATS},
            rm.InvalidArgumentError,
            'stats is used by weights="idf" alone; leave it out, or ask for "idf"',
        ),
        (
            {"weights": len, "stats": STATS},
            rm.InvalidArgumentError,
            'stats is used by weights="idf" alone; leave it out, or ask for "idf"',
        ),
        ({"weights": "idf", "stats": ["text"]}, TypeError, "stats must be a CorpusStats, not list"),
    ],
)
def test_options_are_checked_before_data(call, query, options, kind, message):
    assert refusal(kind, call, query, **options) == message


@every_call
@pytest.mark.parametrize(
    ("weight", "kind", "message"),
    [
        (-1.0, rm.InvalidArgumentError, "the weight of token 'query' is -1.0; it must not be negative"),
        (float("nan"), rm.InvalidArgumentError, "the weight of token 'query' is nan; it must be finite"),
        (float("inf"), rm.InvalidArgumentError, "the weight of token 'query' is inf; it must be finite"),
        (10**400, rm.InvalidArgumentError, "the weight of token 'query' is inf; it must be finite"),
        ("1", TypeError, "the weight of token 'query' must be a number, not str"),
        (None, TypeError, "the weight of token 'query' must be a number, not NoneType"),
        (True, TypeError, "the weight of token 'query' must be a number, not bool"),
    ],
)
def test_weights_that_are_none_are_refused_by_token(call, weight, kind, message):
    def weigh(token: str) -> object:
        return weight if token == "query" else 1.0

    assert refusal(kind, call, "my query", weights=weigh) == message


@every_call
def test_what_a_weight_function_raises_comes_out(call):
    def weigh(token: str) -> float:
        raise LookupError(token)

    with pytest.raises(LookupError, match="query"):
        call("query", weights=weigh)


@every_call
@pytest.mark.parametrize(
    ("query", "message"),
    [
        (None, "query must be a str or a list of tokens, not NoneType"),
        (3, "query must be a str or a list of tokens, not int"),
        (b"query", "query[0] must be a str, not int"),
        (["a", 3], "query[1] must be a str, not int"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"weights": len}])
def test_what_is_no_query_is_refused(call, query, message, options):
    assert refusal(TypeError, call, query, **options) == message


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (
            "a text",
            f"{NO_DOCUMENTS}a str; to pass one text alone, write [text]",
        ),
        (None, f"{NO_DOCUMENTS}NoneType"),
        ([None], "documents[0] must be a str or a list of tokens, not NoneType"),
        (["a", 1.5], "documents[1] must be a str or a list of tokens, not float"),
        (["a", ["b", None]], "documents[1][1] must be a str, not NoneType"),
    ],
)
def test_what_are_no_documents_is_refused(documents, message):
    assert refusal(TypeError, rm.lexical_maxsim_many, "query", documents) == message


def test_what_is_no_document_is_refused():
    message = "document must be a str or a list of tokens, not NoneType"
    assert refusal(TypeError, rm.lexical_maxsim, "query", None) == message
    assert refusal(TypeError, rm.lexical_matches, "query", None) == message


@pytest.mark.parametrize(
    ("threads", "kind", "message"),
    [
        (0, rm.InvalidArgumentError, "threads is 0; it must be 1 or more, or None for what fits"),
        (-1, rm.InvalidArgumentError, "threads is -1; it must be 1 or more, or None for what fits"),
        (2.0, TypeError, "threads must be an integer, not float"),
        (True, TypeError, "threads must be an integer, not bool"),
    ],
)
def test_threads_that_are_none_are_refused(threads, kind, message):
    assert refusal(kind, rm.lexical_maxsim_many, "query", [], threads=threads) == message


FOREIGN = rm.CorpusStats(["a text"], tokenizer=rm.bm25_tokenize)


@every_call
def test_counts_of_other_tokens_than_the_querys_are_refused(call):
    assert refusal(rm.InvalidArgumentError, call, "a text", weights="idf", stats=FOREIGN) == (
        "stats was counted with another tokenizer than tokenize, which cuts this query, so it knows other "
        "tokens; count it as CorpusStats(texts), or pass the query as a list of tokens"
    )
    call(rm.bm25_tokenize("a text"), weights="idf", stats=FOREIGN)
    with pytest.raises(rm.InvalidArgumentError, match="another tokenizer"):
        rm.LateInteractionReranker(weights="idf", stats=FOREIGN)


@pytest.mark.parametrize("kind", [set, frozenset, dict])
def test_what_has_no_order_is_refused_where_order_counts(kind):
    why = {dict: "to pass its values, write list(d.values())"}.get(kind, "the order of a set is not defined")
    given, kind = kind([("a", "b")]), kind.__name__
    calls = {
        f"documents must be a list of texts or token lists, not a {kind}; {why}": (
            lambda: rm.lexical_maxsim_many("a", given)
        ),
        f"documents[0] must be a list of str, not a {kind}; {why}": (
            lambda: rm.lexical_maxsim_many("a", [given])
        ),
        f"query must be a list of str, not a {kind}; {why}": lambda: rm.lexical_maxsim(given, "a"),
    }
    for text, call in calls.items():
        assert refusal(TypeError, call) == text
    text = f"query must be a list of str, not a {kind}; {why}"
    assert refusal(TypeError, lambda: rm.lexical_maxsim(given, "a", weights=len)) == text
    text = f"texts must be a list of str, not a {kind}; {why}"
    for options in ({}, {"tokenizer": str.split}):
        assert refusal(TypeError, lambda: rm.bm25_scores("a", given, **options)) == text  # noqa: B023
    assert rm.token_weight("foo", stop_words={"foo"}) == 0.35
