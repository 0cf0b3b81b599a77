"""What the functions for queries refuse, and in which words."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rankmeld as rm
from support.refusals import refusal

BAD, KIND, SCORE = rm.InvalidArgumentError, TypeError, rm.InvalidScoreError
UNAVAILABLE = rm.FusionFeatures(available=False)


@pytest.mark.parametrize(
    ("value", "kind"), [(None, "NoneType"), (b"why", "bytes"), (1, "int"), (["why"], "list")]
)
@pytest.mark.parametrize(
    "function",
    [
        rm.classify_query,
        lambda query: rm.classify_query_with_fusion(query, UNAVAILABLE),
        rm.normalize_query,
        rm.expand_synonyms,
        rm.refine_query,
    ],
)
def test_what_is_no_query(function, value, kind):
    assert refusal(KIND, function, value) == f"query must be a str, not {kind}"


def test_a_document_is_no_query_but_has_a_text():
    message = refusal(KIND, rm.classify_query, rm.Document("d", "why"))
    assert message == "query must be a str, not Document; pass document.passage"


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"multi_hop": "why"},
            KIND,
            "multi_hop must be a list of str, not a str; to pass one word alone, write [word]",
        ),
        (
            {"architecture": {"a", "b"}},
            KIND,
            "architecture must be a list of str, not a set; the order of a set is not defined",
        ),
        (
            {"multi_hop": {"a": 1}},
            KIND,
            "multi_hop must be a list of str, not a dict; to pass its values, write list(d.values())",
        ),
        ({"declarations": 3}, KIND, "declarations must be a list of str, not int"),
        ({"multi_hop": None}, KIND, "multi_hop must be a list of str, not NoneType"),
        ({"multi_hop": ["a", 2]}, KIND, "multi_hop[1] must be a str, not int"),
        ({"architecture": ["a", " "]}, BAD, "architecture[1] is blank; leave it out"),
        (
            {"multi_hop": ["*"]},
            BAD,
            "multi_hop[0] is '*'; a * stands only at the end, after the beginning of a word",
        ),
        (
            {"multi_hop": ["a*b"]},
            BAD,
            "multi_hop[0] is 'a*b'; a * stands only at the end, after the beginning of a word",
        ),
        (
            {"multi_hop": ["a *"]},
            BAD,
            "multi_hop[0] is 'a *'; a * stands only at the end, after the beginning of a word",
        ),
        ({"declarations": ["a b"]}, BAD, "declarations[0] is 'a b'; it must be one word, without *"),
        ({"declarations": ["a*"]}, BAD, "declarations[0] is 'a*'; it must be one word, without *"),
    ],
)
def test_words_that_cannot_be_found(options, kind, message):
    assert refusal(kind, rm.QueryVocabulary, **options) == message
    assert refusal(kind, rm.DEFAULT_QUERY_VOCABULARY.extended, **options) == message


def test_a_vocabulary_of_another_kind_comes_before_the_query():
    message = (
        "vocabulary must be a QueryVocabulary, not dict; write QueryVocabulary(multi_hop=[...]), or extend "
        "DEFAULT_QUERY_VOCABULARY"
    )
    assert refusal(KIND, rm.classify_query, None, vocabulary={}) == message
    assert refusal(KIND, rm.classify_query_with_fusion, None, UNAVAILABLE, vocabulary={}) == message


def test_features_of_another_kind():
    message = "features must be FusionFeatures, not list; pass fusion_features(scores)"
    assert refusal(KIND, rm.classify_query_with_fusion, "a", [1.0, 0.5]) == message


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"skewness": math.nan}, BAD, "skewness is nan; it must be finite"),
        ({"top1_margin": math.inf}, BAD, "top1_margin is inf; it must be finite"),
        ({"skewness": "1"}, KIND, "skewness must be a number, not str"),
        ({"top1_margin": None}, KIND, "top1_margin must be a number, not NoneType"),
        ({"available": 1}, KIND, "available must be a bool, not int"),
    ],
)
def test_features_that_are_none(options, kind, message):
    assert refusal(kind, rm.FusionFeatures, **options) == message


@pytest.mark.parametrize(
    ("scores", "kind", "message"),
    [
        (np.ones((1, 2)), BAD, "scores has 2 dimension(s) (shape [1, 2]); it must have 1"),
        (np.array(["1.0"]), KIND, "scores has dtype <U3; it must hold real numbers (integers or floats)"),
        ([[1.0, 2.0]], KIND, "scores[0] must be a number, not list"),
        (["1.0", "2.0"], KIND, "scores[0] must be a number, not str"),
        ([1.0, True], KIND, "scores[1] must be a number, not bool"),
        ([("a", 1.0)], KIND, "scores[0] must be a number, not tuple"),
        (1.0, KIND, "scores must be an array or a list of numbers, not float"),
        (None, KIND, "scores must be an array or a list of numbers, not NoneType"),
        ("12", KIND, "scores must be an array or a list of numbers, not str"),
        ({1.0, 2.0}, KIND, "scores must be a list of numbers, not a set; the order of a set is not defined"),
        (
            {"a": 1.0},
            KIND,
            "scores must be a list of numbers, not a dict; to pass its values, write list(d.values())",
        ),
        (
            [1e-320, -1.0],
            SCORE,
            (
                "scores: the two highest are 1e-320 and -1.0, and (s1 - s2) / s1 is not a finite number; "
                "move the scores to where the lowest is 0"
            ),
        ),
    ],
)
def test_scores_that_are_none(scores, kind, message):
    assert refusal(kind, rm.fusion_features, scores) == message


@pytest.mark.parametrize(
    ("corrections", "kind", "message"),
    [
        ([("a", "b")], KIND, "corrections must be a mapping of words, not list"),
        (None, KIND, "corrections must be a mapping of words, not NoneType"),
        ({1: "b"}, KIND, "corrections must have str for keys, not int (1)"),
        ({"a": 1}, KIND, "corrections['a'] must be a str, not int"),
        ({"a": " "}, BAD, "corrections['a'] is blank; give a word, or leave it out"),
        *(
            (
                {key: "b"},
                BAD,
                (
                    f"corrections has {key!r}, which is not one word; corrections are for single words, "
                    "made of letters, digits, marks and underscores"
                ),
            )
            for key in ("", " ", "a b", "don't", "a.b", "-", "(a)")
        ),
    ],
)
def test_corrections_that_correct_nothing(corrections, kind, message):
    for query in ("a", ""):
        assert refusal(kind, rm.normalize_query, query, corrections=corrections) == message


@pytest.mark.parametrize(
    ("table", "kind", "message"),
    [
        ("a", KIND, "table must be a mapping of words, not str"),
        ({None: ["b"]}, KIND, "table must have str for keys, not NoneType (None)"),
        ({"a": "b"}, KIND, "table['a'] must be a list of str, not a str; to give one alone, write [synonym]"),
        ({"a": 1}, KIND, "table['a'] must be a list of str, not int"),
        (
            {"a": {"b"}},
            KIND,
            "table['a'] must be a list of str, not a set; the order of a set is not defined",
        ),
        ({"a": ["b", None]}, KIND, "table['a'][1] must be a str, not NoneType"),
        ({"a": ["b", ""]}, BAD, "table['a'][1] is blank; give a word, or leave it out"),
        *(
            (
                {key: ["b"]},
                BAD,
                (
                    f"table has {key!r}, which is not one word once a query is normalized; synonyms are for "
                    "single words"
                ),
            )
            for key in ("", "a b", "?", "a;b")
        ),
    ],
)
def test_synonyms_of_nothing(table, kind, message):
    for query in ("a", ""):
        assert refusal(kind, rm.expand_synonyms, query, table=table) == message


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"max_words": -1}, BAD, "max_words is -1; it must be 0 or more"),
        ({"max_chars": -1}, BAD, "max_chars is -1; it must be 0 or more"),
        ({"max_words": 1.0}, KIND, "max_words must be an integer, not float"),
        ({"max_chars": True}, KIND, "max_chars must be an integer, not bool"),
        ({"max_chars": None}, KIND, "max_chars must be an integer, not NoneType"),
        ({"prefix": None}, KIND, "prefix must be a str, not NoneType"),
    ],
)
def test_limits_that_limit_nothing(options, kind, message):
    for query in ("a", ""):
        assert refusal(kind, rm.refine_query, query, **options) == message


def test_options_are_keywords():
    for function, option in [
        (rm.classify_query, rm.DEFAULT_QUERY_VOCABULARY),
        (rm.normalize_query, {}),
        (rm.expand_synonyms, {}),
        (rm.refine_query, "prefix"),
    ]:
        with pytest.raises(TypeError, match="positional"):
            function("a", option)


def test_whole_numbers_of_other_kinds_are_limits():
    assert rm.refine_query("a b c", prefix="", max_words=np.int8(2)) == "a b"
