"""One hop: from the message to the query, through the stages, into the context."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm
from engine.memories import KEYS, NOW, Model, Table, hit, retrieved, stages
from rankmeld.engine.queries import beginning


def test_a_context_comes_out_with_everything_explained():
    feedback = rm.MemoryFeedback()
    feedback.add(["cat"], user_id="ada")
    engine = rm.RetrievalEngine(Table(KEYS), feedback=feedback)
    found = retrieved(engine, "Where does the cat sleep?", user_id="ada")
    assert found.ranking.ids == ["cat", "mat", "car"]
    assert stages(found) == ["memory", "bm25", "time_decay", "feedback", "context"]
    assert (
        str(found)
        == found.context.text
        == engine.retrieve_for_inference("Where does the cat sleep?", user_id="ada")
    )
    explained = found.ranking.explain("cat").stages
    assert [stage.name for stage in explained] == ["bm25", "time_decay", "feedback"]
    assert explained[0].details["score"] == pytest.approx(0.3 + 0.7 * 0.6)
    assert explained[2].details["net"] == 1
    assert explained[2].details["factor"] == pytest.approx(1.1)
    assert (
        json.loads(json.dumps(found.trace.to_dict(), allow_nan=False))["legs"]["feedback"]["status"] == "ok"
    )
    assert "feedback: 3 -> 3" in str(found.trace)
    assert repr(found).startswith("EngineResult(3 hits, 3 of them in a context of ")


@pytest.mark.parametrize("length", [1, 99, 100])
def test_a_short_message_is_the_query(length):
    memory, model = Table(KEYS), Model("never")
    found = retrieved(rm.RetrievalEngine(memory, llm=model), "k" * length)
    assert (memory.queries, model.prompts, found.trace.origin) == (["k" * length], [], "message")


def test_a_long_message_is_summed_up_by_the_model():
    memory = Table(KEYS)
    model = Model("<think>What is it about?</think>\n```\nwhere the  key\nis\n```")
    found = retrieved(rm.RetrievalEngine(memory, llm=model), "key " * 26)
    assert (memory.queries, found.trace.origin) == (["where the key is"], "summary")
    assert "key key" in model.prompts[0]
    assert found.trace.legs["llm"] == rm.Leg("ok")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (ValueError("down"), "ValueError: down"),
        ("  \n", "AnswerError: a blank answer"),
        ("<think>endless", "AnswerError: a blank answer"),
        (7, "AnswerError: int, not a str"),
        (StopIteration(), "RuntimeError: StopIteration"),
    ],
)
def test_without_a_summary_the_beginning_is_the_query(answer, error, caplog):
    memory = Table(KEYS)
    found = retrieved(rm.RetrievalEngine(memory, llm=Model(answer)), "house " * 60)
    assert memory.queries == [("house " * 33).rstrip()]
    assert found.trace.origin == "beginning"
    assert found.trace.legs["llm"].status == "failed"
    if not isinstance(answer, StopIteration):
        assert found.trace.legs["llm"].error == error
    assert "engine: the llm failed" in caplog.text


def test_a_summary_that_is_none_is_cut():
    memory = Table(KEYS)
    retrieved(rm.RetrievalEngine(memory, llm=Model("garden " * 100)), "house " * 60)
    assert memory.queries == [("garden " * 28).rstrip()]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("word " * 100, ("word " * 40).rstrip()),
        ("x" * 199 + " yy" + "z" * 100, "x" * 199),
        ("x" * 198 + " yy z", "x" * 198),
        ("x" * 300, "x" * 200),
        ("see " + "x" * 300, "see " + "x" * 196),
        ("検" * 300, "検" * 200),
        ("go " + "検" * 300, "go " + "検" * 197),
        ("e\u0301" * 150, "e\u0301" * 100),
        ("x" + "e\u0301" * 150, "x" + "e\u0301" * 99),
        ("x" + "\U0001f1e8\U0001f1ed" * 150, "x" + "\U0001f1e8\U0001f1ed" * 99),
        ("\U0001f468\u200d" * 150, "\U0001f468\u200d" * 100),
        ("\U0001f468\u200d\U0001f469 " * 60, ("\U0001f468\u200d\U0001f469 " * 50).rstrip()),
        ("x" * 199 + "\U0001f468\u200d\U0001f469" * 50, "x" * 199),
        ("x" + "\U0001f44b\U0001f3fd" * 150, "x" + "\U0001f44b\U0001f3fd" * 99),
        ("x" * 200 + "\u0301" * 300, "x" * 199),
        ("\u0301" * 300, "\u0301" * 200),
    ],
)
def test_the_beginning_ends_with_a_word_and_never_within_a_character(text, query):
    assert beginning(text) == query


def test_a_blank_message_asks_nobody():
    memory = Table(KEYS)
    for message in ("", "  \n\u3000"):
        found = retrieved(rm.RetrievalEngine(memory, llm=Model("x")), message)
        assert (found.context.text, len(found.ranking), found.trace.origin) == ("", 0, None)
        assert found.trace.hops == ()
        assert repr(found) == "EngineResult(0 hits, 0 of them in a context of 0 tokens; asked nothing)"
    assert memory.asked == []


def test_a_message_of_a_megabyte_and_one_with_halves_of_characters():
    memory, model = Table(KEYS), Model("sum")
    retrieved(rm.RetrievalEngine(memory, llm=model), "key " * 250_000)
    assert len(model.prompts[0]) < 10_000
    retrieved(rm.RetrievalEngine(memory), "key \ud800")
    assert memory.queries == ["sum", "key \ufffd"]


def test_the_memory_is_told_who_asks_and_how_many_are_wanted():
    memory = Table(KEYS)
    settings = rm.EngineSettings(candidates=7)
    retrieved(rm.RetrievalEngine(memory, settings=settings), "key", user_id="ada")
    retrieved(rm.RetrievalEngine(memory), "key")
    assert memory.asked == [("key", "ada", 7), ("key", None, 20)]


class Untouched:
    def add(self, useful_ids, harmful_ids, *, user_id):
        raise AssertionError

    net = add


def test_without_a_user_or_a_weight_feedback_is_not_asked_and_changes_no_bit():
    plain = retrieved(rm.RetrievalEngine(Table(KEYS)), "key")
    nobody = retrieved(rm.RetrievalEngine(Table(KEYS), feedback=Untouched()), "key")
    settings = rm.EngineSettings(feedback_weight=0)
    weightless = rm.RetrievalEngine(Table(KEYS), feedback=Untouched(), settings=settings)
    for found in (nobody, retrieved(weightless, "key", user_id="ada")):
        assert found.ranking == plain.ranking
        assert found.ranking.scores.tobytes() == plain.ranking.scores.tobytes()
        assert (found.context.text, stages(found)) == (plain.context.text, stages(plain))
        assert found.trace.legs["feedback"] == rm.Leg("skipped")


def test_feedback_moves_this_users_ranking_alone():
    engine = rm.RetrievalEngine(Table(KEYS), feedback=rm.MemoryFeedback())
    before = retrieved(engine, "zebra", user_id="ada").ranking.ids
    engine.report_feedback(["car"] * 9, ["mat", "cat"], user_id="ada")
    assert before == ["mat", "cat", "car"]
    assert retrieved(engine, "zebra", user_id="ada").ranking.ids == ["mat", "car", "cat"]
    assert retrieved(engine, "zebra", user_id="bob").ranking.ids == before


def test_below_zero_a_useful_document_rises_and_a_harmful_one_falls():
    hits = [hit("a", -0.5), hit("b", -0.5), hit("c", -0.5), hit("d", 0.0)]
    engine = rm.RetrievalEngine(Table(hits), feedback=rm.MemoryFeedback())
    engine.report_feedback(["c"], ["a"], user_id="u")
    assert retrieved(engine, "key", user_id="u").ranking.ids == ["d", "c", "b", "a"]


def test_what_is_against_the_query_and_worth_nothing_goes():
    hits = [
        hit("a", -0.5, importance=0.0),
        hit("b", -0.5, created_at="0001-01-01"),
        hit("c", -0.4),
        hit("d", 0.4),
    ]
    found = retrieved(rm.RetrievalEngine(Table(hits)), "key")
    assert found.ranking.ids == ["d", "c"]
    assert next((stage.candidates_in, stage.candidates_out) for stage in found.trace.stages) == (4, 2)


def test_age_and_importance_count_from_now():
    hits = [
        hit("old", 0.9, created_at=NOW - dt.timedelta(days=30)),
        hit("new", 0.5, created_at=NOW),
        hit("dull", 0.9, importance=0.1),
    ]
    engine = rm.RetrievalEngine(Table(hits))
    assert retrieved(engine, "key").ranking.ids == ["new", "old", "dull"]
    assert engine.retrieve("key", now=NOW - dt.timedelta(days=30)).ranking.ids == ["old", "new", "dull"]
    timeless = rm.EngineSettings(half_life_days=float("inf"), importance_weight=0)
    assert retrieved(rm.RetrievalEngine(Table(hits), settings=timeless), "key").ranking.ids == [
        "old",
        "dull",
        "new",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"a": 0.9, "b": 0.1},
        (["a", "b"], [0.9, 0.1]),
        iter([("a", 0.9), ("b", 0.1)]),
        [("a", 0.1), ("a", 0.9), ("b", 0.1), ("a", 0.2)],
        rm.Ranking([("a", 0.9), ("b", 0.1)]),
        pickle.loads(pickle.dumps(rm.rrf([["a", "b"]]))),
        [],
        {},
    ],
)
def test_any_form_of_ranking_is_an_answer_and_each_id_stands_there_once(answer):
    given = copy.copy(answer) if isinstance(answer, list | dict) else None
    found = retrieved(rm.RetrievalEngine(Table(answer)), "key")
    assert found.ranking.ids in (["a", "b"], [])
    assert found.context.text == ""
    found.ranking.explanation()
    assert given is None or given == answer


def test_no_more_is_read_than_was_asked_for():
    def endless():
        place = 0
        while True:
            yield (place, 1.0)
            place += 1

    assert len(retrieved(rm.RetrievalEngine(Table([(n, 1.0) for n in range(50)])), "key").ranking) == 20
    assert len(retrieved(rm.RetrievalEngine(Table(endless())), "key").ranking) == 20


def test_the_budget_can_be_the_messages_own():
    settings = rm.EngineSettings(context=rm.ContextAssembler(max_tokens=30, header="<", footer=">"))
    engine = rm.RetrievalEngine(Table(KEYS), settings=settings)
    assert retrieved(engine, "key").context.budget == 30
    assert retrieved(engine, "key", max_tokens=10).context.included.ids == ["mat"]
    assert engine.retrieve_for_inference("key", max_tokens=0) == ""


def test_diversity_reorders_at_the_end():
    hits = [hit("a", 0.9, "red apples"), hit("b", 0.8, "red apples"), hit("c", 0.5, "blue whales")]
    settings = rm.EngineSettings(mmr_lambda=0.5)
    found = retrieved(rm.RetrievalEngine(Table(hits), settings=settings), "key")
    assert found.ranking.ids == ["a", "c", "b"]
    assert stages(found)[-2:] == ["mmr", "context"]


def test_of_copies_the_newest_stays_if_that_is_wanted():
    hits = [
        rm.Hit("old", 0.9, rm.Document("old", "Red apples.", created_at="2024-01-01")),
        rm.Hit("new", 0.9, rm.Document("new", "red  apples.", created_at="2024-03-01")),
        rm.Hit("pear", 0.5, rm.Document("pear", "A pear.", created_at="2024-03-01")),
    ]
    found = retrieved(rm.RetrievalEngine(Table(hits), settings=rm.EngineSettings(dedup=True)), "apples")
    assert found.ranking.ids == ["new", "pear"]
    assert found.ranking.explain("new").stages[-1].details["copies_dropped"] == 1
    stage = next(stage for stage in found.trace.stages if stage.name == "dedup")
    assert (stage.candidates_in, stage.candidates_out) == (3, 2)
    plain = retrieved(rm.RetrievalEngine(Table(hits)), "apples")
    assert sorted(plain.ranking.ids) == ["new", "old", "pear"]


def test_an_engine_and_its_answers_go_through_pickle():
    engine = rm.RetrievalEngine(Table(KEYS), feedback=rm.MemoryFeedback())
    twin = pickle.loads(pickle.dumps(engine))
    found = retrieved(twin, "key")
    again = pickle.loads(pickle.dumps(found))
    assert (again.ranking, again.context.text, again.trace) == (
        found.ranking,
        found.context.text,
        found.trace,
    )
    assert repr(twin) == repr(engine) == "RetrievalEngine(Table, feedback=MemoryFeedback)"


def test_eight_threads_get_the_same_answer():
    engine = rm.RetrievalEngine(Table(KEYS), feedback=rm.MemoryFeedback())
    expected = retrieved(engine, "the cat", user_id="u").ranking
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: retrieved(engine, "the cat", user_id="u"), range(200)):
            assert found.ranking == expected


def test_it_shows_what_differs():
    settings = rm.EngineSettings(candidates=5, mmr_lambda=0.5)
    assert repr(settings) == "EngineSettings(candidates=5, mmr_lambda=0.5)"
    model = Model("x")
    assert repr(rm.RetrievalEngine(Table(KEYS), llm=model, settings=settings)) == (
        "RetrievalEngine(Table, llm=Model, settings=EngineSettings(candidates=5, mmr_lambda=0.5))"
    )
