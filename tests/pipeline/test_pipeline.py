"""`Pipeline`: what runs, what it says about it, and that nothing of it is a formula of its own."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import functools
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.pipeline import (
    BoostMatches,
    Cut,
    Dedup,
    DedupNear,
    FuseRanks,
    FuseScores,
    Mmr,
    NotApplied,
    PipelineContext,
    Propagate,
    Rrf,
    TimeDecay,
)

NOW = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
DOCUMENTS = {
    id: rm.Document(id, text, title=title, created_at=created)
    for id, text, title, created in [
        ("a", "red apples in the garden", "Ann", "2024-02-01"),
        ("b", "green pears by the river", "Bob", "2024-01-01"),
        ("c", "red apples in the garden", "Ann", "2023-01-01"),
        ("d", "blue whales at sea", "Cat", "2024-02-20"),
    ]
}
DENSE = [(id, score, DOCUMENTS[id]) for id, score in [("a", 0.9), ("b", 0.6), ("c", 0.3)]]
LEXICAL = [("b", 9.0), ("d", 4.0, DOCUMENTS["d"])]
TURNS = rm.adjacent(["a", "b", "c", "d", "e"])
QUERY = "what did bob say of pears?"


def lists() -> list:
    return [rm.Source("dense", DENSE), LEXICAL]


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        (Rrf(k=5.0, rank_base=0, weights=[1, 2]), rm.rrf(lists(), k=5.0, rank_base=0, weights=[1, 2])),
        (FuseScores(weights=(0.4, 0.6)), rm.fuse_scores(lists(), weights=(0.4, 0.6))),
        (
            FuseScores(
                normalize="zscore", combine="mnz", on_constant=0.5, duplicates="first", limit=2, ties="id_asc"
            ),
            rm.fuse_scores(
                lists(),
                normalize="zscore",
                combine="mnz",
                on_constant=0.5,
                duplicates="first",
                limit=2,
                ties="id_asc",
            ),
        ),
        (FuseScores(weights={"dense": 2.0}), rm.fuse_scores(lists(), weights={"dense": 2.0})),
        (FuseRanks(method="rbc", phi=0.7), rm.fuse_ranks(lists(), method="rbc", phi=0.7)),
        ("rrf", rm.rrf(lists())),
        ("minmax", rm.fuse_scores(lists())),
        ("condorcet", rm.fuse_ranks(lists(), method="condorcet")),
        (lambda rankings, context: rm.rrf(rankings, k=1), rm.rrf(lists(), k=1)),
    ],
)
def test_the_first_stage_fuses(stage, expected):
    result = rm.Pipeline([stage]).run(lists())
    assert result.ranking == expected
    assert result.ranking.explain("b").sources == expected.explain("b").sources
    (trace,) = result.trace.stages
    assert (trace.status, trace.candidates_in, trace.candidates_out) == ("ok", 5, len(expected))


FUSED = rm.fuse_scores(lists())


@pytest.mark.parametrize(
    ("stage", "expected"),
    [
        (Propagate(neighbors=TURNS, weight=0.3, limit=3), rm.propagate(FUSED, TURNS, weight=0.3, limit=3)),
        (Propagate(neighbors=TURNS, lookup=DOCUMENTS), rm.propagate(FUSED, TURNS, lookup=DOCUMENTS)),
        (BoostMatches(boost=0.5, ties="id_desc"), rm.boost_matches(FUSED, QUERY, boost=0.5, ties="id_desc")),
        (BoostMatches(field="text"), rm.boost_matches(FUSED, QUERY, field="text")),
        (
            TimeDecay(half_life_days=5, curve="hyperbolic", undated=0.1),
            rm.time_decay(FUSED, now=NOW, half_life_days=5, curve="hyperbolic", undated=0.1),
        ),
        (Dedup(limit=2), rm.dedup(FUSED, limit=2)),
        (DedupNear(threshold=0.7), rm.dedup_near(FUSED, threshold=0.7)),
        (Mmr(lambda_=0.3, limit=3), rm.mmr(FUSED, lambda_=0.3, limit=3)),
        (Cut(2), FUSED[:2]),
        (rm.LateInteractionReranker(), rm.LateInteractionReranker().rerank(QUERY, FUSED)),
        (rm.CompositeReranker(), rm.CompositeReranker(now=NOW).rerank(QUERY, FUSED)),
        (rm.CompositeReranker(now="2020-01-01"), rm.CompositeReranker(now="2020-01-01").rerank(QUERY, FUSED)),
        (
            lambda ranking, context: [(hit.id, 1.0) for hit in ranking][::-1],
            [(id, 1.0) for id in FUSED.ids[::-1]],
        ),
    ],
)
def test_later_stages_are_the_public_functions(stage, expected):
    pipeline = rm.Pipeline(["minmax", stage])
    result = pipeline.run(lists(), query=QUERY, now=NOW)
    assert result.ranking == rm.Ranking(expected)
    assert asyncio.run(pipeline.arun(lists(), query=QUERY, now=NOW)).ranking == result.ranking
    assert result.trace.stages[1].status == "ok"


def test_the_context_is_one_for_the_whole_run():
    seen = []

    def look(ranking, context):
        seen.append(context)
        return ranking

    pipeline = rm.Pipeline(["rrf", look, ("again", look)])
    pipeline.run([["a"]], query="q")
    assert seen[0] is seen[1]
    assert (seen[0].query, seen[0].now.tzinfo) == ("q", dt.UTC)
    pipeline.run([["a"]], now="2024-03-01")
    assert seen[-1] == PipelineContext(None, NOW)


def test_stages_say_when_they_do_not_apply():
    pipeline = rm.Pipeline(
        [
            "minmax",
            Propagate(neighbors={"z": ["a"]}),
            BoostMatches(),
            rm.LateInteractionReranker(),
            ("mine", lambda ranking, context: NotApplied("it is Monday")),
        ]
    )
    result = pipeline.run(lists())
    assert result.ranking == FUSED
    assert [(stage.status, stage.reason) for stage in result.trace.stages] == [
        ("ok", None),
        ("skipped", "no hit has neighbours"),
        ("skipped", "there is no query"),
        ("skipped", "there is no query"),
        ("skipped", "it is Monday"),
    ]
    assert str(result.trace["mine"]) == "mine: skipped (it is Monday)"
    with pytest.raises(KeyError):
        result.trace["yours"]


def test_nothing_found_is_no_error():
    result = rm.Pipeline(["rrf", BoostMatches(), Cut(0), Dedup()]).run([], query="q")
    assert len(result.ranking) == 0
    assert [stage.status for stage in result.trace.stages] == ["empty", "skipped", "skipped", "skipped"]
    cut = rm.Pipeline(["rrf", Cut(0), Dedup()]).run([["a"]])
    assert [stage.status for stage in cut.trace.stages] == ["ok", "empty", "skipped"]
    assert cut.trace["dedup"].reason == "there are no hits"


def test_the_trace_is_plain():
    trace = rm.Pipeline(["rrf", Cut(1)]).run([["a", "b"], iter(["c"])]).trace
    plain = json.loads(json.dumps(trace.to_dict(), allow_nan=False))
    assert plain["stages"][1] == {
        "name": "cut",
        "status": "ok",
        "reason": None,
        "candidates_in": 3,
        "candidates_out": 1,
        "seconds": trace.stages[1].seconds,
    }
    assert trace.seconds >= sum(stage.seconds for stage in trace.stages) - 1e-9
    assert str(trace).splitlines()[0].startswith("pipeline: ")


def test_explanations_go_through_all_stages():
    pipeline = rm.Pipeline(
        ["minmax", Propagate(neighbors={"a": ["e"]}), BoostMatches(), rm.LateInteractionReranker()]
    )
    found = pipeline.run(lists(), query=QUERY).ranking
    names = [stage.name for stage in found.explain("b").stages]
    assert names == ["propagate", "boost_matches", "late_interaction"]
    assert len(found.explain("b").sources) == 2
    assert found.explain("e").sources == ()


def test_a_one_shot_iterator_of_rankings():
    assert rm.Pipeline(["rrf"]).run(iter(lists())).ranking == rm.rrf(lists())


# ---------------------------------------------------------------------- errors


def test_an_error_names_its_stage():
    def broken(ranking, context):
        raise OSError("no disk")

    pipeline = rm.Pipeline(["rrf", ("mine", broken)])
    with pytest.raises(OSError, match="no disk") as raised:
        pipeline.run([["a"]])
    assert raised.value.__notes__ == ["in stage 'mine' of the pipeline, 2 of 2"]
    with pytest.raises(OSError, match="no disk") as raised:
        asyncio.run(pipeline.arun([["a"]]))
    assert raised.value.__notes__ == ["in stage 'mine' of the pipeline, 2 of 2"]
    with pytest.raises(rm.InvalidScoreError) as raised:
        rm.Pipeline(["rrf", Dedup(), BoostMatches()]).run([[("a", 1.0)]], query="q").ranking and rm.Pipeline(
            [lambda rankings, context: ["a"], BoostMatches()]
        ).run([], query="q")
    assert raised.value.__notes__ == ["in stage 'boost_matches' of the pipeline, 2 of 2"]


@pytest.mark.parametrize("gives", [None, 5, "abc"])
def test_a_stage_has_to_give_a_ranking(gives):
    with pytest.raises(TypeError, match="a stage must give a ranking or NotApplied, not"):
        rm.Pipeline(["rrf", lambda ranking, context: gives]).run([["a"]])


def test_the_first_stage_always_applies():
    with pytest.raises(TypeError, match="a stage must give a ranking"):
        rm.Pipeline([lambda rankings, context: NotApplied("no")]).run([["a"]])


@pytest.mark.parametrize(
    ("error", "text", "stages"),
    [
        (TypeError, "stages must be a list of stages, not str", "rrf"),
        (TypeError, "stages must be a list of stages, not Rrf", Rrf()),
        (TypeError, "stages must be a list of stages, not a set", {rm.rrf}),
        (rm.InvalidArgumentError, "stages is empty; the first stage has to fuse the rankings", []),
        (
            rm.InvalidArgumentError,
            "stages\\[0\\] is 'rff'; a word there must be one of 'rrf', 'minmax'",
            ["rff"],
        ),
        (
            TypeError,
            "stages\\[1\\] is 'rrf'; a word may stand only for the first stage, later ones are made of",
            ["rrf", "rrf"],
        ),
        (
            TypeError,
            'stages\\[0\\] is a later stage \\(Cut\\); the first stage fuses the rankings: "rrf"',
            [Cut(2)],
        ),
        (
            TypeError,
            "stages\\[1\\] is FuseScores, which fuses rankings; it has to be the first stage",
            ["rrf", FuseScores()],
        ),
        (
            TypeError,
            "stages\\[1\\] must be a callable \\(ranking, context\\) or a reranker, not int",
            ["rrf", 3],
        ),
        (TypeError, "stages\\[1\\] is the class Dedup; make one of it: Dedup\\(...\\)", ["rrf", Dedup]),
        (
            TypeError,
            "stages\\[0\\] is a reranker \\(LateInteractionReranker\\)",
            [rm.LateInteractionReranker()],
        ),
        (
            rm.InvalidArgumentError,
            r"stages\[1\] has the name 'rrf', as one before it",
            ["rrf", ("rrf", Dedup())],
        ),
        (
            rm.InvalidArgumentError,
            "stages\\[0\\] has the name 'a.b'; a name is not empty, without dots",
            [("a.b", "rrf")],
        ),
    ],
)
def test_what_is_no_pipeline(error, text, stages):
    with pytest.raises(error, match=text):
        rm.Pipeline(stages)


@pytest.mark.parametrize(
    "make",
    [
        lambda: FuseScores(normalize="min"),
        lambda: FuseScores(weights=(1.0, -1.0)),
        lambda: Rrf(k=float("nan")),
        lambda: FuseRanks(method="mean"),
        lambda: Propagate(neighbors={}, weight=-1.0),
        lambda: BoostMatches(field="created_at"),
        lambda: TimeDecay(half_life_days=0),
        lambda: DedupNear(threshold=2.0),
        lambda: Mmr(lambda_=2.0),
        lambda: Cut(-1),
        lambda: Dedup(limit=-1),
    ],
)
def test_options_are_checked_when_a_stage_is_made(make):
    with pytest.raises(rm.InvalidArgumentError):
        make()


def test_arguments_of_a_run():
    pipeline = rm.Pipeline(["rrf"])
    with pytest.raises(TypeError, match="query must be a str or None, not int"):
        pipeline.run([], query=5)
    with pytest.raises(rm.InvalidArgumentError, match="now is 'soon'"):
        pipeline.run([], now="soon")
    with pytest.raises(TypeError, match="to pass one ranking alone"):
        pipeline.run(["a", "b"])


# ------------------------------------------------------------------- awaiting


class Waiting:
    """A reranker that can be awaited alone."""

    def rerank(self, query, ranking):
        raise AssertionError("it is to be awaited")

    async def arerank(self, query, ranking):
        await asyncio.sleep(0)
        return rm.Ranking([(hit.id, float(place)) for place, hit in enumerate(ranking)][::-1])


async def turned(ranking, context):
    await asyncio.sleep(0)
    return rm.Ranking(ranking.ids[::-1])


def test_asynchronous_stages_are_awaited():
    pipeline = rm.Pipeline(["rrf", Waiting(), turned])
    result = asyncio.run(pipeline.arun([["a", "b", "c"]], query="q"))
    assert result.ranking.ids == ["a", "b", "c"]
    assert [stage.name for stage in result.trace.stages] == ["rrf", "waiting", "turned"]
    assert asyncio.run(pipeline.arun([["a", "b"]])).trace["waiting"].status == "skipped"


def test_who_waits_is_told_to_await():
    with pytest.raises(TypeError, match=r"stage 'turned' is asynchronous .* write `await pipeline.arun"):
        rm.Pipeline(["rrf", turned]).run([["a"]])


def test_a_slow_stage_does_not_hold_up_the_loop():
    import threading

    threads = []

    def mine(ranking, context):
        threads.append(threading.current_thread())
        return ranking

    asyncio.run(rm.Pipeline(["rrf", mine]).arun([["a"]]))
    assert threads[0] is not threading.main_thread()


def test_documents_that_are_not_at_hand_are_looked_up_in_a_thread():
    import threading

    threads = []

    class Store:
        def get(self, id):
            threads.append(threading.current_thread())
            return DOCUMENTS.get(id)

    pipeline = rm.Pipeline(["minmax", Propagate(neighbors={"a": ["d"]}, lookup=Store())])
    result = asyncio.run(pipeline.arun([[("a", 1.0)]]))
    assert result.ranking.documents == [None, DOCUMENTS["d"]]
    assert threads == [threads[0]]
    assert threads[0] is not threading.main_thread()


def test_a_cancelled_run_ends_at_once():
    async def forever(ranking, context):
        await asyncio.sleep(60)

    async def main():
        task = asyncio.ensure_future(rm.Pipeline(["rrf", forever]).arun([["a"]]))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 1.0)

    asyncio.run(main())


def test_threads_share_a_pipeline():
    pipeline = rm.Pipeline(
        ["minmax", Propagate(neighbors=TURNS), BoostMatches(), rm.LateInteractionReranker(), Cut(3)]
    )
    expected = pipeline.run(lists(), query=QUERY).ranking
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: pipeline.run(lists(), query=QUERY).ranking, range(200)))
    assert all(one == expected for one in found)


def test_a_stage_may_run_the_pipeline_itself():
    inner = rm.Pipeline(["rrf", Cut(1)])
    outer = rm.Pipeline(["rrf", lambda ranking, context: inner.run([ranking]).ranking])
    assert outer.run([["a", "b"]]).ranking.ids == ["a"]


# ----------------------------------------------------------------- parameters


def scaled(ranking, context, *, factor=1.0, table=None):
    return rm.Ranking([(hit.id, hit.score * factor) for hit in ranking])


def test_parameters_are_the_plain_options():
    pipeline = rm.Pipeline(
        [
            FuseScores(weights=[0.4, 0.6]),
            Propagate(neighbors=TURNS),
            rm.LateInteractionReranker(weights=len),
            functools.partial(scaled, factor=2.0, table={}),
            scaled,
        ]
    )
    assert list(pipeline.stages) == ["fuse_scores", "propagate", "late_interaction", "scaled", "scaled_2"]
    assert pipeline.parameters() == {
        "fuse_scores.weights": (0.4, 0.6),
        "fuse_scores.limit": None,
        "fuse_scores.ties": "first",
        "fuse_scores.normalize": "minmax",
        "fuse_scores.combine": "sum",
        "fuse_scores.on_constant": None,
        "fuse_scores.duplicates": "sum",
        "propagate.weight": 0.4,
        "propagate.limit": None,
        "propagate.ties": "first",
        "late_interaction.rank_weight": 0.6,
        "late_interaction.maxsim_weight": 0.4,
        "late_interaction.maxsim_scale": 2.0,
        "late_interaction.scale": "max",
        "late_interaction.depth": None,
        "scaled.factor": 2.0,
    }


def test_parameters_can_be_set():
    pipeline = rm.Pipeline(
        [FuseScores(weights=(0.4, 0.6)), Propagate(neighbors=TURNS), functools.partial(scaled, factor=2.0)]
    )
    other = pipeline.with_parameters(
        {"fuse_scores.weights": [0.5, 0.5], "propagate.weight": 0.1, "scaled.factor": 3.0}
    )
    assert pipeline.parameters()["propagate.weight"] == 0.4
    expected = scaled(
        rm.propagate(rm.fuse_scores(lists(), weights=(0.5, 0.5)), TURNS, weight=0.1), None, factor=3.0
    )
    assert other.run(lists()).ranking == expected
    assert other.stages["propagate"].neighbors is TURNS


@dataclasses.dataclass(frozen=True)
class Shifted:
    """A stage of somebody's own."""

    by: tuple[float, ...] = (0.0,)
    sign: int = 1
    note: rm.Document | None = None

    def __call__(self, ranking, context):
        return rm.Ranking([(hit.id, hit.score + self.sign * self.by[0]) for hit in ranking])


def test_a_dataclass_is_a_stage_with_parameters():
    pipeline = rm.Pipeline(["minmax", Shifted()])
    assert {"shifted.by": (0.0,), "shifted.sign": 1}.items() <= pipeline.parameters().items()
    assert "shifted.note" not in pipeline.parameters()
    other = pipeline.with_json(
        pipeline.with_parameters({"shifted.by": [2.0], "shifted.sign": np.int64(-1)}).to_json()
    )
    assert other.stages["shifted"] == Shifted(by=(2.0,), sign=-1)
    assert other.run([[("a", 1.0)]]).ranking.scores.tolist() == [-1.0]


def test_parameters_within_an_option():
    pipeline = rm.Pipeline(["rrf", rm.CompositeReranker()])
    other = pipeline.with_parameters({"composite.weights.recency": 0.9})
    assert other.stages["composite"].weights.recency == 0.9
    assert other.stages["composite"].weights.relevance == rm.RerankWeights().relevance


def test_json_there_and_back():
    pipeline = rm.Pipeline(
        [FuseScores(weights=(0.4, 0.6)), Propagate(neighbors=TURNS, weight=0.123456789), Cut(3)]
    )
    text = pipeline.to_json()
    assert json.loads(text)["format"] == "rankmeld.pipeline"
    fresh = rm.Pipeline([FuseScores(weights=(1, 1)), Propagate(neighbors=TURNS), Cut(9)]).with_json(text)
    assert fresh.parameters() == pipeline.parameters()
    assert fresh.run(lists()).ranking == pipeline.run(lists()).ranking
    part = json.dumps(
        {"format": "rankmeld.pipeline", "version": 1, "parameters": {"cut.limit": 1}, "verdict": "better"}
    )
    assert fresh.with_json(part).parameters() == {**pipeline.parameters(), "cut.limit": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "text is no JSON"),
        ("[]", 'text has no "format": "rankmeld.pipeline"'),
        (
            '{"format": "rankmeld.pipeline", "version": 2}',
            "text is of version 2; this rankmeld reads version 1",
        ),
        (
            '{"format": "rankmeld.pipeline", "version": 1, "parameters": {"cut.limits": 1}}',
            r"the pipeline has no parameter 'cut.limits'; it has .*'cut.limit'",
        ),
    ],
)
def test_json_that_does_not_fit(text, message):
    with pytest.raises(rm.InvalidArgumentError, match=message):
        rm.Pipeline(["rrf", Cut(1)]).with_json(text)


def test_a_value_that_a_stage_does_not_accept():
    with pytest.raises(rm.InvalidArgumentError, match=r"weight is -1\.0; it must not be negative") as raised:
        rm.Pipeline(["rrf", Propagate(neighbors=TURNS)]).with_parameters({"propagate.weight": -1})
    assert raised.value.__notes__ == ["for the parameter 'propagate.weight' of the pipeline"]
    with pytest.raises(TypeError, match="parameters must be a mapping, not list"):
        rm.Pipeline(["rrf"]).with_parameters([])


def test_what_a_class_does_not_show_is_no_parameter(monkeypatch):
    monkeypatch.setenv("RANKMELD_RERANK_API_KEY", "not-a-key")
    policy = rm.OutboundPolicy(["api.example.com"])
    with rm.HttpReranker("https://api.example.com", policy=policy, model="m") as reranker:
        parameters = rm.Pipeline(["rrf", reranker]).parameters()
    assert parameters["http.model"] == "m"
    assert {"http.policy", "http.budget", "http.cache"}.isdisjoint(parameters)


def test_the_repr_shows_the_stages():
    pipeline = rm.Pipeline(["rrf", Cut(3), ("mine", Dedup())])
    assert repr(pipeline).endswith("('cut', Cut(limit=3)), ('mine', Dedup(limit=None))])")


def test_it_pickles_with_rerankers_names_and_all():
    pipeline = rm.Pipeline(
        [
            ("fused", FuseScores(weights=(0.4, 0.6))),
            Propagate(neighbors=TURNS, lookup=DOCUMENTS),
            Cut(3),
            rm.LateInteractionReranker(depth=2),
            ("again", Cut(2)),
        ]
    )
    again = pickle.loads(pickle.dumps(pipeline))
    assert list(again.stages) == ["fused", "propagate", "cut", "late_interaction", "again"]
    assert again.parameters() == pipeline.parameters()
    assert again.run(lists(), query=QUERY).ranking == pipeline.run(lists(), query=QUERY).ranking
