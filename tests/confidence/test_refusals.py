"""What grades, filters, signals and notes refuse, and in which words."""

from __future__ import annotations

import decimal
import math

import pytest

import rankmeld as rm
from support.refusals import refusal

BAD, SCORE, KIND = rm.InvalidArgumentError, rm.InvalidScoreError, TypeError
NO_LIST = "scores must be an array or a list of numbers, not "
NO_SIGNALS = "scores must be a list of SignalScore, not "
ONE_OF = "it must be one of 'lexical', 'dense', 'maxsim', 'ppr', 'summary'"


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"high": math.nan}, BAD, "high is nan; it must be finite"),
        ({"low": -math.inf}, BAD, "low is -inf; it must be finite"),
        ({"floor": math.inf}, BAD, "floor is inf; it must be finite"),
        ({"floor": None}, KIND, "floor must be a number, not NoneType"),
        ({"high": "0.5"}, KIND, "high must be a number, not str"),
        ({"low": True}, KIND, "low must be a number, not bool"),
        ({"low": 0.7}, BAD, "low is 0.7 and high is 0.65; low must not be above high"),
        ({"high": 0.2}, BAD, "low is 0.3 and high is 0.2; low must not be above high"),
        ({"dynamic": 1}, KIND, "dynamic must be True or False, not int"),
    ],
)
def test_borders(options, kind, message):
    assert refusal(kind, rm.CragConfig, **options) == message


@pytest.mark.parametrize("call", [rm.evaluate_crag, rm.grade_scores])
@pytest.mark.parametrize("config", [None, {"high": 0.5}, 0.5, "high", rm.CragConfig])
def test_a_config_is_a_config_even_for_nothing(call, config):
    message = (
        f"config must be a CragConfig, not {type(config).__name__}; "
        "write CragConfig(high=0.65, low=0.3), or leave it out"
    )
    assert refusal(KIND, call, [], config) == message


def test_options_go_into_the_config_and_by_name():
    with pytest.raises(TypeError):
        rm.evaluate_crag([], high=0.5)
    with pytest.raises(TypeError):
        rm.CragConfig(0.5)
    with pytest.raises(AttributeError):
        rm.CragConfig().high = 0.5


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None])
@pytest.mark.parametrize("call", [rm.evaluate_crag, rm.recognition_filter])
def test_a_hit_without_a_finite_score_is_named(call, bad):
    is_absent = bad is None or math.isnan(bad)
    what = "there is no score (None or NaN)" if is_absent else f"the score is {bad}"
    message = refusal(SCORE, call, [("a", 1.0), ("doc-bad", bad)])
    assert message == f"ranking, position 1, id 'doc-bad': {what}; every hit needs a finite score here"


@pytest.mark.parametrize(
    ("scores", "kind", "message"),
    [
        ([0.5, 1.5], SCORE, "scores[1] is 1.5; it must be within 0..1"),
        ([-1e-300], SCORE, "scores[0] is -1e-300; it must be within 0..1"),
        ([0.001, math.nan], SCORE, "scores[1] is nan; it must be within 0..1"),
        ([10**400], SCORE, "scores[0] is inf; it must be within 0..1"),
        ([0.5, None], SCORE, "scores[1] is None; every score must be a number within 0..1"),
        (["0.5"], KIND, "scores[0] must be a number, not str"),
        ([True], KIND, "scores[0] must be a number, not bool"),
        ([("a", 0.5)], KIND, "scores[0] must be a number, not tuple"),
        ("0.5", KIND, NO_LIST + "str"),
        (b"1", KIND, NO_LIST + "bytes"),
        (0.5, KIND, NO_LIST + "float"),
        (None, KIND, NO_LIST + "NoneType"),
        (
            {"a": 0.5},
            KIND,
            "scores must be a list of numbers, not a dict; to pass its values, write list(d.values())",
        ),
        (
            rm.Ranking([("a", 0.5)]),
            KIND,
            "scores must be numbers, not a Ranking; pass ranking.scores, or call evaluate_crag",
        ),
    ],
)
def test_scores_to_grade(scores, kind, message):
    assert refusal(kind, rm.grade_scores, scores) == message


@pytest.mark.parametrize("hits", [[], [("a", 1.0)]])
@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"top_k": -1}, BAD, "top_k is -1; it must be 0 or more, or None for all"),
        ({"top_k": 1.0}, KIND, "top_k must be an integer or None, not float"),
        ({"top_k": True}, KIND, "top_k must be an integer or None, not bool"),
        ({"floor": -0.1}, BAD, "floor is -0.1; it must not be negative (0: no such floor)"),
        ({"relative_floor": -1}, BAD, "relative_floor is -1.0; it must not be negative (0: no such floor)"),
        ({"relative_floor": math.nan}, BAD, "relative_floor is nan; it must be finite"),
        ({"floor": None}, KIND, "floor must be a number, not NoneType"),
        ({"ties": "id"}, BAD, "ties is 'id'; it must be one of 'first', 'id_asc', 'id_desc'"),
    ],
)
def test_options_of_the_filter(hits, options, kind, message):
    assert refusal(kind, rm.recognition_filter, hits, **options) == message


def test_ids_that_cannot_be_compared():
    message = refusal(KIND, rm.recognition_filter, [("a", 1.0), (1, 1.0)], ties="id_asc")
    assert "cannot be compared" in message


def signal(raw, signal="dense", **fields):
    return [rm.SignalScore("ppr", 0.5), rm.SignalScore(signal, raw, **fields)]


@pytest.mark.parametrize(
    ("scores", "kind", "message"),
    [
        (signal(None), SCORE, "scores[1] has no raw score (None); every signal needs one"),
        (signal(-0.1), SCORE, "scores[1].raw is -0.1; it must be finite and not negative"),
        (signal(math.nan), SCORE, "scores[1].raw is nan; it must be finite and not negative"),
        (signal(math.inf, "lexical"), SCORE, "scores[1].raw is inf; it must be finite and not negative"),
        (
            signal(0.5, "bm25"),
            SCORE,
            f"scores[1] has the signal 'bm25'; {ONE_OF}",
        ),
        (
            signal(0.5, None),
            SCORE,
            f"scores[1] has the signal None; {ONE_OF}",
        ),
        (signal("0.5"), KIND, "scores[1].raw must be a number, not str"),
        (signal(True), KIND, "scores[1].raw must be a number, not bool"),
        (signal(decimal.Decimal("sNaN")), SCORE, "scores[1].raw is nan; it must be finite and not negative"),
        (signal(0.5, handle=7), KIND, "scores[1].handle must be a str, not int"),
        (signal(0.5, source_kind=None), KIND, "scores[1].source_kind must be a str, not NoneType"),
        ([*signal(0.5), ("dense", 0.5)], KIND, "scores[2] must be a SignalScore, not tuple"),
        (signal(0.5)[0], KIND, "scores must be a list of SignalScore, not one alone; write [score]"),
        ({"a": signal(0.5)[0]}, KIND, NO_SIGNALS + "a dict; to pass its values, write list(d.values())"),
        (5, KIND, NO_SIGNALS + "int"),
        (None, KIND, NO_SIGNALS + "NoneType"),
    ],
)
def test_signals(scores, kind, message):
    assert refusal(kind, rm.normalize_signals, scores) == message


@pytest.mark.parametrize("query", [None, 5, b"river", ["river"], rm.Document("a", "river")])
@pytest.mark.parametrize("hits", [[], ["a"]])
def test_a_query_is_a_text(query, hits):
    message = refusal(KIND, rm.chain_of_note, query, hits)
    assert message.startswith(f"query must be a str, not {type(query).__name__}")
