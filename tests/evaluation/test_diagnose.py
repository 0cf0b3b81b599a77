"""Several runs side by side."""

from __future__ import annotations

import pytest

import rankmeld as rm


def joined(runs):
    queries = dict.fromkeys(query for run in runs for query in run)
    return {query: rm.rrf([run[query] for run in runs if query in run]) for query in queries}


QRELS = {query: {"a": 1} for query in range(20)}
GOOD = {query: ["a", "b", "c"] for query in range(20)}
POOR = {query: ["x", "c", "b"] for query in range(20)}


def test_what_each_brings_is_the_fusion_without_it():
    found = rm.diagnose({"good": GOOD, "poor": POOR}, QRELS, fuse=joined, measure="RR", depth=2)
    good, poor = found.legs
    assert (good.name, good.queries, good.hits, good.unique) == ("good", 20, 3.0, 0.5)
    assert (poor.unique, poor.alone, good.alone) == (0.5, 0.0, 1.0)
    both = rm.evaluate(joined([GOOD, POOR]), QRELS, "RR")
    assert found.fused is not None
    assert found.fused.mean == both.mean
    assert good.contribution is not None
    assert poor.contribution is not None
    assert good.contribution.mean == pytest.approx(both.mean["RR"] - 0.0)
    assert poor.contribution.mean == pytest.approx(both.mean["RR"] - 1.0)
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith("the fusion is better without poor: it brings -0.")
    (pair,) = found.pairs
    assert (pair.first, pair.second) == ("good", "poor")
    assert pair.overlap == pytest.approx(rm.overlap(["a", "b"], ["x", "c"]))
    assert pair.rank_biased_overlap == pytest.approx(rm.rank_biased_overlap(GOOD[0], POOR[0]))
    assert pair.disjoint == 0
    assert str(found).splitlines()[1].startswith("good: 20 queries, 3 hits, 50% unique, RR 1.000, brings +")


def test_runs_of_other_ids_and_runs_that_lack_queries_are_told_about():
    numbers = {query: [1, 2] for query in range(10)}
    found = rm.diagnose({"words": GOOD, "numbers": numbers, "others": {"q": ["a"]}})
    assert found.warnings == (
        "words and numbers have no id in common in 10 of 10 queries; ids are such as 'a' and 1",
        "words and others have no query in common; queries are such as 0 and 'q'",
        "numbers and others have no query in common; queries are such as 0 and 'q'",
        "numbers answers 10 of 21 queries",
        "others answers 1 of 21 queries",
    )
    assert found.fused is None
    assert all(leg.alone is None and leg.contribution is None for leg in found.legs)


def test_one_run_alone_contributes_nothing_that_could_be_told():
    found = rm.diagnose([GOOD], QRELS, fuse=joined, measure="RR")
    assert [(leg.name, leg.contribution) for leg in found.legs] == [("run 0", None)]
    assert found.pairs == ()


@pytest.mark.parametrize(
    ("error", "runs", "text"),
    [
        (rm.InvalidArgumentError, [], "runs is empty"),
        (TypeError, 3, "runs must be a mapping {name: run} or a list of runs, not int"),
        (TypeError, [3], r"runs\[0\] must be a Run or a mapping"),
        (TypeError, {"a": {"q": 3}}, "hits"),
    ],
)
def test_what_is_refused(error, runs, text):
    with pytest.raises(error, match=text):
        rm.diagnose(runs)
