"""Several memories as one: what is joined, and what becomes of one that fails."""

from __future__ import annotations

import asyncio
import pickle
import threading
import time

import pytest

import rankmeld as rm
from engine.memories import NOW, AwaitedTable, Hanging, Table, aretrieved, hit, retrieved

NOTES = [hit("n1", 0.8, "The key is under the mat."), hit("n2", 0.3, "Feed the cat.")]
CHAT = [hit("c1", 0.9, "Where is the key?"), hit("c2", 0.7, "the KEY is under the mat.")]


def found(memory, **options):
    return memory.search_candidates("key", user_id="ada", top_k=10, **options)


def test_each_candidate_stands_there_once_with_its_best_score():
    sources = {"notes": Table(NOTES), "chat": Table(CHAT)}
    ranking = found(rm.MultiSourceMemory(sources))
    assert [(one.id, one.score) for one in ranking] == [("c1", 0.9), ("n1", 0.8), ("n2", 0.3)]
    (stage,) = ranking.explain("n1").stages
    assert stage.details == {
        "source": "notes",
        "position_before": 0,
        "weight": 1.0,
        "found_in": ["notes", "chat"],
    }
    assert [source.asked for source in sources.values()] == [[("key", "ada", 10)]] * 2


def test_the_better_form_of_a_candidate_stays_and_a_missing_document_is_taken_over():
    one, other = [("a", 0.9)], [hit("a", 0.5, "text"), hit("b", 0.1)]
    ranking = found(rm.MultiSourceMemory([Table(one), Table(other)]))
    assert next((hit.id, hit.score, hit.document) for hit in ranking) == ("a", 0.9, other[0][2])


def test_weights_multiply_scores_and_are_explained():
    memory = rm.MultiSourceMemory({"notes": Table(NOTES), "chat": Table(CHAT)}, weights={"chat": 0.5})
    ranking = found(memory)
    assert [(one.id, one.score) for one in ranking] == [("n1", 0.8), ("c1", 0.45), ("n2", 0.3)]
    stages = ranking.explain("c1").stages
    assert [stage.name for stage in stages] == ["source_weight", "sources"]
    assert stages[0].details == {"score_before": 0.9, "weight": 0.5, "score": 0.45}
    assert repr(memory) == "MultiSourceMemory(notes: Table, chat: Table * 0.5)"
    assert found(pickle.loads(pickle.dumps(memory))) == ranking
    assert memory.names == ["notes", "chat"]


def test_the_join_is_cut_to_what_was_asked_for():
    memory = rm.MultiSourceMemory([Table(NOTES), Table(CHAT)])
    assert memory.search_candidates("key", user_id=None, top_k=1).ids == ["c1"]


@pytest.mark.parametrize("run", [retrieved, aretrieved])
def test_a_source_that_fails_degrades_the_answer(run, caplog):
    sources = {
        "notes": Table(NOTES),
        "chat": Table(OSError("no route to https://me:hunter2@host")),
        "nan": Table([("x", float("nan"))]),
        "mail": Table([]),
    }
    answer = run(rm.RetrievalEngine(rm.MultiSourceMemory(sources)), "key")
    assert answer.ranking.ids == ["n1", "n2"]
    memories = answer.trace.hops[0].memories
    assert {name: leg.status for name, leg in memories.items()} == {
        "notes": "ok",
        "chat": "failed",
        "nan": "failed",
        "mail": "empty",
    }
    assert memories["chat"].error == "OSError: no route to https://***@host"
    assert "engine: the memory 'chat' failed: OSError" in caplog.text
    assert "position 0, id 'x'" in memories["nan"].error
    assert [stage.name for stage in answer.trace.hops[0].stages] == ["notes", "chat", "nan", "mail", "bm25"]


@pytest.mark.parametrize("run", [retrieved, aretrieved])
def test_where_all_fail_the_error_names_each(run):
    cause = OSError("down")
    memory = rm.MultiSourceMemory({"notes": Table(cause), "chat": Table(7)})
    with pytest.raises(rm.RankmeldError) as refusal:
        run(rm.RetrievalEngine(memory), "key")
    text = str(refusal.value)
    assert text.startswith("no memory could be asked, so there is no answer, not even an empty one: ")
    assert "notes (Table): OSError: down; chat (Table): TypeError: " in text
    assert refusal.value.__cause__ is cause


@pytest.mark.parametrize("run", [retrieved, aretrieved])
def test_a_source_that_takes_too_long_is_left_behind(run):
    hanging = Hanging()
    memory = rm.MultiSourceMemory({"notes": Table(NOTES), "slow": hanging}, timeout=0.05)
    answer = run(rm.RetrievalEngine(memory), "key")
    hanging.release.set()
    assert answer.trace.hops[0].memories["slow"] == rm.Leg("timeout", "no answer within 0.05 s")
    assert answer.ranking.ids == ["n1", "n2"]


def test_awaited_sources_are_asked_at_the_same_time():
    barrier = threading.Barrier(2)

    class Meeting(Table):
        def search_candidates(self, query, *, user_id, top_k):
            barrier.wait(20)
            return super().search_candidates(query, user_id=user_id, top_k=top_k)

    memory = rm.MultiSourceMemory([Meeting(NOTES), Meeting(CHAT)])
    ranking = asyncio.run(memory.asearch_candidates("key", user_id=None, top_k=10))
    assert ranking.ids == ["c1", "n1", "n2"]
    awaited = rm.MultiSourceMemory([AwaitedTable(NOTES, seconds=0.2), AwaitedTable(CHAT, seconds=0.2)])
    started = time.monotonic()
    assert asyncio.run(awaited.asearch_candidates("key", user_id=None, top_k=10)) == ranking
    assert time.monotonic() - started < 0.38
    with pytest.raises(TypeError, match=r"leg is asynchronous; write `await memory\.asearch_candidates"):
        awaited.search_candidates("key", user_id=None, top_k=10)


def test_memories_of_several_memories_are_one_in_another():
    inner = rm.MultiSourceMemory({"chat": Table(CHAT)})
    memory = rm.MultiSourceMemory({"notes": Table(NOTES), "rest": inner})
    answer = retrieved(rm.RetrievalEngine(memory), "key")
    assert list(answer.trace.hops[0].memories) == ["notes", "rest"]
    assert set(answer.ranking.ids) == {"c1", "n1", "n2"}
    names = [stage.name for stage in answer.ranking.explain("c1").stages]
    assert names == ["sources", "sources", "bm25", "time_decay"]


def test_what_a_store_explains_is_still_explained():
    fused = rm.rrf([rm.Source("words", ["a", "b"]), rm.Source("meaning", ["b"])])
    memory = rm.MultiSourceMemory({"store": Table(fused), "notes": Table(NOTES)})
    explained = rm.RetrievalEngine(memory).retrieve("key", now=NOW).ranking.explain("b")
    assert [source.name for source in explained.sources] == ["words", "meaning"]
    assert explained.method == "rrf"


class Odd:
    def search_candidates(self, query):
        return []


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: rm.MultiSourceMemory({}),
            rm.InvalidArgumentError,
            "sources is empty; give one memory or more",
        ),
        (
            lambda: rm.MultiSourceMemory(7),
            TypeError,
            "sources must be a mapping of names to memories, or a list of memories, not int",
        ),
        (
            lambda: rm.MultiSourceMemory({1: Table([])}),
            TypeError,
            "the names of sources must be str, not int",
        ),
        (
            lambda: rm.MultiSourceMemory({"a": 7}),
            TypeError,
            (
                "sources['a'] must be an object with search_candidates(query, *, user_id, top_k), and int "
                "has none"
            ),
        ),
        (
            lambda: rm.MultiSourceMemory([Table([])], weights={"b": 1.0}),
            rm.InvalidArgumentError,
            "weights names 'b'; the sources are 'source 0'",
        ),
        (
            lambda: rm.MultiSourceMemory({"a": Table([])}, weights={"a": -1.0}),
            rm.InvalidArgumentError,
            "weights['a'] is -1.0; it must not be negative",
        ),
        (
            lambda: rm.MultiSourceMemory({"a": Table([])}, weights=[1.0]),
            TypeError,
            "weights must be a mapping of source names to numbers, not list",
        ),
        (
            lambda: rm.MultiSourceMemory({"a": Table([])}, timeout=0),
            rm.InvalidArgumentError,
            "timeout is 0.0 s; it must be above 0, or None for no limit",
        ),
        (
            lambda: rm.MultiSourceMemory({"a": Odd()}),
            TypeError,
            "sources['a'] takes no `user_id`; it is called as search_candidates(query, *, user_id, top_k)",
        ),
        (
            lambda: rm.MultiSourceMemory({"a": Table([])}).search_candidates("q", user_id=7, top_k=1),
            TypeError,
            "user_id must be a str or None, not int; pass str(user_id)",
        ),
        (
            lambda: rm.MultiSourceMemory({"a": Table([])}).search_candidates(7, user_id=None, top_k=1),
            TypeError,
            "query must be a str, not int",
        ),
        (
            lambda: rm.MultiSourceMemory({"a": Table([])}).search_candidates("q", user_id=None, top_k=0),
            rm.InvalidArgumentError,
            "top_k is 0; it must be 1 or more",
        ),
    ],
)
def test_refusals(call, kind, message):
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == message
