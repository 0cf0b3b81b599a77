"""Tuning finds what is there, and says so where nothing is."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.pipeline import FuseScores, Pipeline, Propagate

QUERIES = 300
CANDIDATES = 30


def legs(spread, seed):
    """For each query one document is relevant, and each leg sees it through noise of its own."""
    drawn = np.random.default_rng(seed)
    runs = [{} for _ in spread]
    qrels = {}
    for query in range(QUERIES):
        relevant = int(drawn.integers(CANDIDATES))
        qrels[query] = {relevant: 1}
        truth = np.zeros(CANDIDATES)
        truth[relevant] = 1.0
        for run, noise in zip(runs, spread, strict=True):
            scores = truth + noise * drawn.standard_normal(CANDIDATES)
            run[query] = dict(enumerate(scores.tolist()))
    return dict(zip("abcdef", runs, strict=False)), qrels


def test_a_planted_optimum_is_recovered():
    # Of independent noise, the best weights are as the inverse variances: 0.8 and 0.2.
    runs, qrels = legs((0.4, 0.8), seed=1)
    found = rm.tune(runs, qrels, methods=["rrf", "none"], measure="RR")
    assert found.better
    assert found.verdict == "better"
    assert found.parameters == found.best.parameters
    assert found.parameters["fuse_scores.normalize"] == "none"
    weights = found.parameters["fuse_scores.weights"]
    assert sum(weights) == pytest.approx(1)
    assert weights[0] == pytest.approx(0.8, abs=0.11)
    assert found.gain.low > 0
    # What is said of new queries holds on new queries.
    fresh, judged = legs((0.4, 0.8), seed=2)
    there = rm.evaluate(rm.fuse_runs(list(fresh.values()), method="none", weights=weights), judged, "RR")
    wide = found.held_out.high - found.held_out.low
    assert there.mean["RR"] == pytest.approx(found.held_out.mean, abs=wide)


def test_a_leg_of_pure_noise_gets_next_to_no_weight():
    runs, qrels = legs((0.5, 0.5, 50.0), seed=3)
    found = rm.tune(runs, qrels, methods=["minmax"], measure="RR")
    assert found.better
    a, b, noise = found.parameters["fuse_scores.weights"]
    assert noise < 0.1
    assert min(a, b) > 0.2


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_better_than_equal_weights(seed):
    drawn = np.random.default_rng(seed)
    runs = [
        {query: dict(enumerate(drawn.standard_normal(20).tolist())) for query in range(200)} for _ in range(2)
    ]
    qrels = {query: {int(drawn.integers(20)): 1} for query in range(200)}
    found = rm.tune(runs, qrels, measure="RR", seed=seed)
    assert not found.better
    assert found.verdict == "no better than equal weights"
    assert found.parameters == found.baseline.parameters == {"rrf.k": 60.0, "rrf.weights": (0.5, 0.5)}
    # On the queries that chose it, something always looks better: that is what the folds are for.
    assert found.best.mean > found.baseline.mean
    assert found.held_out.mean < found.best.mean


def test_every_query_is_measured_by_a_setting_that_it_had_no_part_in():
    runs, qrels = legs((0.4, 0.8), seed=1)
    found = rm.tune(runs, qrels, methods=["minmax"], measure="RR", folds=3)
    assert sum(fold.queries for fold in found.folds) == QUERIES
    assert len(found.folds) == 3
    held = sum(fold.held_out * fold.queries for fold in found.folds) / QUERIES
    base = sum(fold.baseline * fold.queries for fold in found.folds) / QUERIES
    assert held == pytest.approx(found.held_out.mean)
    assert held - base == pytest.approx(found.gain.mean)
    assert base == pytest.approx(found.baseline.mean)
    assert [trial.mean for trial in found.trials] == sorted((t.mean for t in found.trials), reverse=True)
    assert found.trials[0].mean == pytest.approx(found.best.mean)
    assert len({tuple(trial.parameters.items()) for trial in found.trials}) == len(found.trials)


def test_the_same_seed_gives_the_same_result_and_another_one_other_folds():
    runs, qrels = legs((0.5, 0.8), seed=5)

    def tuned(seed):
        return rm.tune(runs, qrels, methods=["minmax"], measure="RR", seed=seed)

    assert tuned(1) == tuned(1)
    assert [fold.held_out for fold in tuned(1).folds] != [fold.held_out for fold in tuned(2).folds]


def test_groups_are_not_parted():
    runs, qrels = legs((0.4, 0.8), seed=1)
    groups = {query: query % 4 for query in qrels}
    found = rm.tune(runs, qrels, methods=["minmax"], measure="RR", folds=4, groups=groups)
    assert [fold.queries for fold in found.folds] == [75] * 4
    with pytest.raises(rm.InvalidArgumentError, match="folds is 5, and there are 4 groups of judged queries"):
        rm.tune(runs, qrels, methods=["minmax"], measure="RR", groups=groups)


def test_a_result_becomes_a_pipeline_by_itself_and_through_json():
    runs, qrels = legs((0.4, 0.8), seed=1)
    found = rm.tune(runs, qrels, methods=["minmax", "rrf"], measure="RR")
    made = found.pipeline()
    loaded = Pipeline([FuseScores()]).with_json(found.to_json())
    assert made.parameters() == loaded.parameters()
    fused = rm.fuse_runs(
        list(runs.values()), method="minmax", weights=found.parameters["fuse_scores.weights"]
    )
    lists = [run[7] for run in runs.values()]
    assert made.run(lists).ranking == loaded.run(lists).ranking == fused[7]
    read = json.loads(found.to_json())
    assert read["tuning"]["verdict"] == found.verdict
    assert read["tuning"]["legs"] == ["a", "b"]
    assert len(read["tuning"]["folds"]) == 5
    assert str(found).startswith("better: RR 0.")


def test_a_pipeline_is_tuned_from_its_own_settings_on():
    # What is relevant stands next to what the leg finds.
    qrels = {query: {f"{query}-2": 1} for query in range(60)}
    run = {query: [(f"{query}-1", 1.0), (f"{query}-9", 0.6), (f"{query}-2", 0.3)] for query in range(60)}
    neighbors = {f"{query}-1": [f"{query}-2"] for query in range(60)}
    pipeline = Pipeline([FuseScores(normalize="none"), Propagate(neighbors=neighbors, weight=0.0)])
    found = rm.tune(
        [run],
        qrels,
        measure="RR",
        pipeline=pipeline,
        parameters={"propagate.weight": [0.2, 0.4, 0.8]},
        queries=dict.fromkeys(qrels, "what?"),
        now="2024-01-01",
    )
    assert found.better
    assert found.parameters == {"propagate.weight": 0.8}
    assert found.baseline.parameters == {"propagate.weight": 0.0}
    assert pipeline.with_json(found.to_json()).parameters()["propagate.weight"] == 0.8
    with pytest.raises(rm.InvalidArgumentError, match="a pipeline of your own"):
        found.pipeline()
    nothing = rm.tune(
        [run], qrels, measure="RR", pipeline=pipeline, parameters={"propagate.weight": [0.0, 0.1]}
    )
    assert nothing.verdict == "no better than the defaults"


def test_progress_is_told_and_reaches_its_end():
    runs, qrels = legs((0.4, 0.8), seed=1)
    told = []
    rm.tune(runs, qrels, methods=["minmax", "sum"], measure="RR", progress=lambda *step: told.append(step))
    assert told == [(done, 12) for done in range(1, 13)]


def test_a_query_that_no_run_has_counts_for_all_settings():
    runs, qrels = legs((0.4, 0.8), seed=1)
    found = rm.tune(runs, {**qrels, "nobody": {"x": 1}}, methods=["minmax"], measure="RR")
    assert sum(fold.queries for fold in found.folds) == QUERIES + 1
    assert found.gain.values["nobody"] == 0


GOOD = {"a": {1: ["x"], 2: ["x"], 3: ["y"]}}
QRELS = {1: {"x": 1}, 2: {"x": 1}, 3: {"x": 1}}


@pytest.mark.parametrize(
    ("error", "options", "text"),
    [
        (rm.InvalidArgumentError, {"folds": 1}, "folds is 1; it must be 2 or more"),
        (
            rm.InvalidArgumentError,
            {"folds": 4},
            "folds is 4, and there are 3 judged queries; use fewer folds",
        ),
        (TypeError, {"folds": 2.5}, "folds must be an integer, not float"),
        (TypeError, {"methods": "rrf"}, r'to try one method alone, write \["rrf"\]'),
        (rm.InvalidArgumentError, {"methods": []}, "methods is empty"),
        (rm.InvalidArgumentError, {"methods": ["rrf", "rrf"]}, "methods names one twice"),
        (rm.InvalidArgumentError, {"methods": ["best"]}, "methods names 'best'; each must be one of 'rrf'"),
        (rm.InvalidArgumentError, {"queries": {1: "?"}}, "are for a pipeline"),
        (rm.InvalidArgumentError, {"pipeline": Pipeline(["rrf"])}, "pipeline needs parameters="),
        (
            rm.InvalidArgumentError,
            {"pipeline": Pipeline(["rrf"]), "parameters": {"rrf.q": [1]}},
            "parameters names 'rrf.q', which the pipeline does not have; it has 'rrf.",
        ),
        (
            rm.InvalidArgumentError,
            {"pipeline": Pipeline(["rrf"]), "parameters": {"rrf.k": []}},
            "must be a list of values to try",
        ),
        (rm.InvalidArgumentError, {"pipeline": Pipeline(["rrf"]), "parameters": {}}, "parameters is empty"),
        (rm.InvalidArgumentError, {"groups": {}}, "groups has no entry for query 1"),
        (TypeError, {"progress": 3}, "progress must be a callable"),
        (rm.InvalidArgumentError, {"confidence": 2}, "confidence is 2"),
    ],
)
def test_what_is_refused_and_how(error, options, text):
    with pytest.raises(error, match=text):
        rm.tune(GOOD, QRELS, **{"folds": 2, "measure": "RR", **options})


def test_runs_that_cannot_be_read_are_named():
    with pytest.raises(rm.InvalidArgumentError, match="runs is empty"):
        rm.tune([], QRELS)
    with pytest.raises(TypeError) as caught:
        rm.tune({"dense": {1: 3}}, QRELS)
    assert "dense" in "".join(caught.value.__notes__) + str(caught.value)
