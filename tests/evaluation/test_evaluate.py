"""Measures per query and over all, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference import evaluation as oracle

MEASURES = ["nDCG@3", "RR", "Success@2", "R@2"]

ids = st.sampled_from(["a", "b", "c", "d", "Ä", "a b", ""])
rankings = st.lists(ids, unique=True, max_size=7)
grades = st.dictionaries(ids, st.integers(-1, 3), min_size=1, max_size=6)


@pytest.mark.hypothesis
@given(st.dictionaries(st.sampled_from("qrst"), st.tuples(rankings, grades), min_size=1))
def test_measures_are_those_of_their_definitions(topics):
    run = {query: ranking for query, (ranking, _) in topics.items()}
    qrels = {query: judged for query, (_, judged) in topics.items()}
    found = rm.evaluate(run, qrels, MEASURES)
    for query, (ranking, judged) in topics.items():
        wanted = [
            oracle.ndcg(ranking, judged, 3),
            oracle.reciprocal_rank(ranking, judged),
            oracle.success(ranking, judged, 2),
            oracle.recall(ranking, judged, 2),
        ]
        assert [found[measure][query] for measure in MEASURES] == pytest.approx(wanted, abs=1e-12)
    assert found.mean == pytest.approx({m: np.mean(list(found[m].values())) for m in MEASURES})


def test_equal_scores_count_by_descending_id_unless_told_otherwise():
    run = {"q": [("b", 1.0), ("a", 0.5), ("c", 0.5), ("d", 0.5)]}
    qrels = {"q": {"c": 1}}
    assert rm.evaluate(run, qrels, "RR").mean == {"RR": pytest.approx(1 / 3)}
    assert rm.evaluate(run, qrels, "RR", ties="first").mean == {"RR": pytest.approx(1 / 3)}
    assert rm.evaluate(run, {"q": {"a": 1}}, "RR").mean == {"RR": 0.25}
    assert rm.evaluate(run, {"q": {"a": 1}}, "RR", ties="first").mean == {"RR": 0.5}
    assert rm.evaluate(run, {"q": {"a": 1}}, "RR", ties="id_asc").mean == {"RR": 0.5}


def test_scores_that_single_precision_takes_for_equal_are_told_apart():
    run = {"q": [("a", 1.0 + 1e-12), ("z", 1.0)]}
    assert rm.evaluate(run, {"q": {"a": 1}}, "RR").mean == {"RR": 1.0}


def test_the_order_of_the_ranking_counts_whatever_its_scores():
    run = {"q": rm.Ranking([("a", 0.1), ("b", 0.9)])}
    assert rm.evaluate(run, {"q": {"a": 1}}, "RR").mean == {"RR": 1.0}


def test_every_judged_query_counts():
    found = rm.evaluate({1: ["a"], 3: ["a"]}, {1: {"a": 1}, 2: {"a": 1}}, "RR")
    assert found.queries == (1, 2)
    assert found["RR"] == {1: 1.0, 2: 0.0}
    assert (found.mean, found.unanswered, found.unjudged) == ({"RR": 0.5}, (2,), 1)
    assert found.to_dict() == {"queries": 2, "unanswered": 1, "unjudged": 1, "mean": {"RR": 0.5}}
    assert repr(found) == "<Evaluation of 2 queries: RR=0.5000>"
    with pytest.raises(ValueError, match="read-only"):
        found.values[0] = 1


def test_ids_are_never_spelled_out():
    run = {"q": [(1, 0.5), ((2, "x"), 0.4), ("1", 0.3)]}
    assert rm.evaluate(run, {"q": {"1": 1}}, "RR").mean == {"RR": pytest.approx(1 / 3)}


@pytest.mark.parametrize(
    ("error", "args", "text"),
    [
        (TypeError, (["a"], {}), "run must be a Run or a mapping of query to ranking, not list"),
        (TypeError, ({}, ["a"]), "qrels must be Qrels or a mapping"),
        (TypeError, ({}, {"q": ["a"]}), "qrels of query 'q' must be a mapping {id: grade}, not list"),
        (rm.InvalidArgumentError, ({"q": ["a"]}, {}), "qrels is empty"),
        (
            rm.InvalidArgumentError,
            ({"q": ["a"]}, {"p": {"a": 1}}),
            "the run has none of the 1 judged queries",
        ),
        (rm.InvalidArgumentError, ({"q": ["a"]}, {"q": {"a": 0.5}}), "the grade of 'a' for query 'q' is 0.5"),
        (rm.InvalidArgumentError, ({"q": ["a", "b", "a"]}, {"q": {"a": 1}}), "has 'a' twice"),
        (TypeError, ({"q": 3}, {"q": {"a": 1}}), "hits"),
        (TypeError, ({}, {}, 3), "measures must be a str or a sequence of str"),
        (TypeError, ({}, {}, [3]), r"measures\[0\] must be a str, not int"),
        (rm.InvalidArgumentError, ({}, {}, []), "measures is empty"),
        (
            rm.InvalidArgumentError,
            ({}, {}, ["best"]),
            r"measures\[0\] is 'best', which ir-measures does not know",
        ),
        (rm.InvalidArgumentError, ({}, {}, ["RR", "RR"]), "measures names one twice"),
        (rm.InvalidArgumentError, ({"q": ["a"]}, {"q": {"a": 1}}, ["RBP"]), "cannot be computed"),
    ],
)
def test_what_is_refused_and_how(error, args, text):
    with pytest.raises(error, match=text):
        rm.evaluate(*args)


def test_an_unknown_word_for_ties_is_refused():
    with pytest.raises(rm.InvalidArgumentError, match="ties is 'best'"):
        rm.evaluate({"q": ["a"]}, {"q": {"a": 1}}, ties="best")


# --- intervals and differences ------------------------------------------------------------------


@pytest.fixture(scope="module")
def two():
    drawn = np.random.default_rng(4)
    qrels = {query: {"x": 1} for query in range(200)}
    ranks = drawn.integers(0, 5, 200)
    better = np.maximum(ranks - (drawn.random(200) < 0.3), 0)
    lists = [
        {q: ["x" if i == at else f"n{i}" for i in range(5)] for q, at in enumerate(r.tolist())}
        for r in (ranks, better)
    ]
    return [rm.evaluate(run, qrels, ["RR"]) for run in lists]


def test_an_interval_holds_the_mean_and_follows_its_seed(two):
    found = two[0].interval("RR")
    assert found.low < found.mean < found.high
    assert found.mean == pytest.approx(two[0].mean["RR"])
    assert two[0].interval("RR") == found
    assert two[0].interval("RR", seed=1) != found
    # The normal approximation of the same.
    values = np.array(list(two[0]["RR"].values()))
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert found.high - found.low == pytest.approx(2 * half, rel=0.05)
    narrow = two[0].interval("RR", confidence=0.5)
    assert narrow.high - narrow.low < (found.high - found.low) / 2
    assert str(found) == f"{found.mean:.3f} [{found.low:.3f}, {found.high:.3f}]"


def test_whole_groups_are_drawn(two):
    alike = {query: query // 50 for query in two[0].queries}
    alone = {query: query for query in two[0].queries}
    assert two[0].interval("RR", groups=alone) == two[0].interval("RR")
    assert two[0].interval("RR", groups=alike) != two[0].interval("RR")
    one = two[0].interval("RR", groups=dict.fromkeys(two[0].queries, 0))
    assert np.isnan([one.low, one.high]).all()
    with pytest.raises(rm.InvalidArgumentError, match="groups has no entry for query 0"):
        two[0].interval("RR", groups={})


def test_a_difference_is_taken_query_by_query(two):
    gain = two[1].difference(two[0], "RR")
    assert 0 < gain.low < gain.mean < gain.high
    assert gain.mean == pytest.approx(two[1].mean["RR"] - two[0].mean["RR"])
    assert gain.better == sum(value > 0 for value in gain.values.values()) > 20
    assert gain.worse == 0
    assert str(gain).endswith(f"{gain.better} better, 0 worse, {200 - gain.better} equal")
    nothing = two[0].difference(two[0], "RR")
    assert (nothing.mean, nothing.low, nothing.high) == (0, 0, 0)


def test_what_cannot_be_compared_is_refused(two):
    other = rm.evaluate({"q": ["x"]}, {"q": {"x": 1}}, ["RR"])
    with pytest.raises(rm.InvalidArgumentError, match="baseline is of other queries"):
        two[0].difference(other, "RR")
    with pytest.raises(rm.InvalidArgumentError, match="measure is 'AP'; measured were 'RR'"):
        two[0].difference(two[1], "AP")
    with pytest.raises(TypeError, match="baseline must be an Evaluation, not dict"):
        two[0].difference({}, "RR")
    with pytest.raises(rm.InvalidArgumentError, match=r"confidence is 95\.0; it must be"):
        two[0].interval("RR", confidence=95)
    with pytest.raises(rm.InvalidArgumentError, match="resamples"):
        two[0].interval("RR", resamples=0)
