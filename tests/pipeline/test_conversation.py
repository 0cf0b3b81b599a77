"""`conversation_pipeline`: its stages by hand, where they do not apply, and what it refuses."""

from __future__ import annotations

import math

import pytest

import rankmeld as rm
from rankmeld.pipeline import Documents, NamedTime, PoolGroups, Weigh

TURNS = [
    rm.Document("t1", "Where did you spend your holidays?", title="Ann", parent_id="monday"),
    rm.Document("t2", "Three weeks by the sea.", title="Ben", parent_id="monday"),
    rm.Document("t3", "How nice! And who came along?", title="Ann", parent_id="monday"),
    rm.Document("t4", "My holidays begin in May.", title="Ann", parent_id="friday"),
    rm.Document("t5", "Mine are over.", title="Ben", parent_id="friday"),
    rm.Document("alone", "Where are the holidays?", title="Eve"),
]
KNOWN = {turn.id: turn for turn in TURNS}
QUERY = "Where was Ben on holidays?"
LEGS = [
    [("t1", 0.9), ("t4", 0.8), ("alone", 0.3)],
    rm.Ranking([("t4", 5.0, KNOWN["t4"]), ("t3", 4.0, KNOWN["t3"])]),
]


def test_it_is_the_librarys_functions_one_after_the_other():
    found = rm.conversation_pipeline(TURNS).run(LEGS, query=QUERY).ranking
    named = [[(id, score, KNOWN[id]) for id, score in LEGS[0]], LEGS[1]]
    near = rm.adjacent(
        ["t1", "t2", "t3", "t4", "t5"], groups=[1, 1, 1, 2, 2], forward=[3.0, 1.5, 3.0, 1.5, 1.5]
    )
    by_hand = rm.propagate(rm.fuse_scores(named), near, limit=200, lookup=KNOWN)
    by_hand = rm.pool_groups(by_hand, {"t1": 1, "t2": 1, "t3": 1, "t4": 2, "t5": 2})
    by_hand = rm.boost_matches(by_hand, QUERY)
    by_hand = rm.weigh(by_hand, {"t1": 0.7})
    stats = rm.CorpusStats(turn.passage for turn in TURNS)
    reranker = rm.LateInteractionReranker(weights="idf", stats=stats, maxsim_scale=1.0)
    assert found == reranker.rerank(QUERY, by_hand)
    assert set(found.ids) == set(KNOWN)


def test_the_trace_names_every_stage():
    trace = rm.conversation_pipeline(TURNS).run(LEGS, query=QUERY).trace
    assert {stage.name: stage.status for stage in trace.stages} == dict.fromkeys(
        [
            "fuse_scores",
            "documents",
            "propagate",
            "pool_groups",
            "boost_matches",
            "weigh",
            "late_interaction",
        ],
        "ok",
    ) | {"named_time": "skipped"}
    assert trace["named_time"].reason == "the query names no time"


def test_turns_of_the_named_time_are_lifted():
    turns = [
        rm.Document("may", "We saw a film.", parent_id=1, created_at="2024-05-20"),
        rm.Document("june", "We saw a film.", parent_id=2, created_at="2024-06-20"),
    ]
    pipeline = rm.conversation_pipeline(turns)
    legs, query = [[("may", 1.0), ("june", 0.9), ("other", 0.0)]], "Which film did they see on 20 June 2024?"
    result = pipeline.run(legs, query=query, now="2024-07-01")
    assert result.ranking.ids[:2] == ["june", "may"]
    assert result.trace["named_time"].status == "ok"
    without = pipeline.with_parameters({"named_time.boost": 0.0})
    assert without.run(legs, query=query, now="2024-07-01").ranking.ids[:2] == ["may", "june"]


def test_where_there_is_no_conversation_its_stages_do_not_apply():
    documents = [rm.Document(turn.id, turn.text) for turn in TURNS]
    pipeline = rm.conversation_pipeline(documents)
    legs = [[(hit.id, hit.score) for hit in rm.Ranking(leg)] for leg in LEGS]
    trace = pipeline.run(legs, query=QUERY).trace
    assert {name: trace[name].reason for name in ("propagate", "pool_groups", "weigh")} == {
        "propagate": "no hit has neighbours",
        "pool_groups": "no hit is in a group",
        "weigh": "no hit has a factor",
    }
    known = {document.id: document for document in documents}
    bare = [[(hit.id, hit.score, known[hit.id]) for hit in rm.Ranking(leg)] for leg in LEGS]
    reranker = rm.LateInteractionReranker(
        weights="idf", stats=rm.CorpusStats(document.passage for document in documents), maxsim_scale=1.0
    )
    expected = reranker.rerank(QUERY, rm.fuse_scores(bare))
    found = pipeline.run(legs, query=QUERY).ranking
    assert (found.ids, found.scores.tolist()) == (expected.ids, expected.scores.tolist())


def test_without_a_query_what_needs_one_does_not_apply():
    trace = rm.conversation_pipeline(TURNS).run(LEGS).trace
    assert [stage.name for stage in trace.stages if stage.status == "skipped"] == [
        "boost_matches",
        "late_interaction",
        "named_time",
    ]


def test_any_number_of_legs_and_none():
    pipeline = rm.conversation_pipeline(TURNS)
    assert len(pipeline.run([], query=QUERY).ranking) == 0
    assert len(pipeline.run([[], []], query=QUERY).ranking) == 0
    assert pipeline.run([LEGS[0]], query=QUERY).ranking.ids[0] == "t2"
    assert rm.conversation_pipeline([]).run([[("x", 1.0)]], query=QUERY).ranking.ids == ["x"]


def test_a_question_with_nothing_behind_it_keeps_its_score():
    turns = [
        rm.Document("a", "Yes.", parent_id=1),
        rm.Document("b", "And you?", parent_id=1),
        rm.Document("c", "Who?", parent_id=2),
    ]
    stages = rm.conversation_pipeline(turns).stages
    assert stages["weigh"].factors == {}
    assert dict(stages["propagate"].neighbors) == {"a": (("b", 1.5),), "b": (("a", 1.0),)}


def test_options():
    stages = rm.conversation_pipeline(TURNS, question_forward=1, question_kept=0.5, limit=2).stages
    assert stages["propagate"].neighbors["t1"] == (("t2", 1.5),)
    assert stages["weigh"].factors == {"t1": 0.5}
    assert len(rm.conversation_pipeline(TURNS, limit=2).run(LEGS, query=QUERY).ranking) == 2
    spoken = [rm.Document("a", "x", metadata={"who": "Ann"}), rm.Document("b", "y")]
    pipeline = rm.conversation_pipeline(spoken, speaker="who")
    assert pipeline.run([[("b", 2.0), ("a", 2.0)]], query="Ann?").ranking.ids == ["a", "b"]


def test_parameters_are_those_of_the_stages():
    parameters = rm.conversation_pipeline(TURNS).parameters()
    assert parameters["pool_groups.weight"] == 0.3
    assert parameters["late_interaction.maxsim_scale"] == 1.0
    assert not any(name in parameters for name in ("weigh.factors", "documents.known", "propagate.neighbors"))


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (
            TypeError,
            r"turns\[1\] must be a rankmeld.Document, not str",
            lambda: rm.conversation_pipeline([TURNS[0], "a"]),
        ),
        (TypeError, "turns must be a list of documents, not a dict", lambda: rm.conversation_pipeline(KNOWN)),
        (
            TypeError,
            "turns must be a list of rankmeld.Document, not str",
            lambda: rm.conversation_pipeline("ab"),
        ),
        (
            rm.InvalidArgumentError,
            r"turns\[1\] has the id 't1', as one before it",
            lambda: rm.conversation_pipeline([TURNS[0], TURNS[0]]),
        ),
        (
            rm.InvalidArgumentError,
            "question_kept is 1.1; it must be within 0..1",
            lambda: rm.conversation_pipeline([], question_kept=1.1),
        ),
        (
            rm.InvalidArgumentError,
            "question_forward is nan; it must be finite",
            lambda: rm.conversation_pipeline([], question_forward=math.nan),
        ),
        (rm.InvalidArgumentError, "limit is -1", lambda: rm.conversation_pipeline([], limit=-1)),
        (rm.InvalidArgumentError, "boost is -1.0; it must not be negative", lambda: NamedTime(boost=-1.0)),
        (TypeError, "groups must be a mapping", lambda: PoolGroups(groups=[1])),
        (TypeError, "factors must be a mapping", lambda: Weigh(factors=None)),
        (TypeError, "known must be a mapping of ids to documents, not list", lambda: Documents(known=[])),
    ],
)
def test_refusals(error, text, call):
    with pytest.raises(error, match=text):
        call()
