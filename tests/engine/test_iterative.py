"""Several hops: who asks again, when it ends, and what is kept."""

from __future__ import annotations

import asyncio

import pytest

import rankmeld as rm
from engine.memories import KEYS, NOW, Model, Table, hit

SISTER = [hit("s", 0.8, "Ada's sister is Mia."), hit("x", 0.3, "Ada has a cat.")]
CITY = [hit("c", 0.9, "Mia lives in Basel."), hit("s", 0.5, "Ada's sister is Mia.")]


def asked(memory, reasoner=None, *, llm=None, **options):
    engine = rm.RetrievalEngine(memory, llm=llm)
    return engine.iterative_retrieve("Where is Ada's sister?", reasoner=reasoner, now=NOW, **options)


def saying(*answers):
    """A reasoner that says one thing after the other, and keeps what it was shown."""
    shown = []

    def reasoner(message, ranking, hop):
        shown.append((message, ranking.ids, hop))
        answer = answers[len(shown) - 1]
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return reasoner, shown


def test_candidates_of_all_hops_are_kept_each_with_its_best_score():
    reasoner, shown = saying("Where does Mia live?")
    found = asked(Table(SISTER, CITY), reasoner)
    assert shown == [("Where is Ada's sister?", ["s", "x"], 1)]
    assert [hop.query for hop in found.trace.hops] == ["Where is Ada's sister?", "Where does Mia live?"]
    assert found.ranking.ids == ["c", "s", "x"]
    assert found.trace.stopped == "max_hops"
    stages = {stage.name: stage.details for stage in found.ranking.explain("s").stages}
    assert stages["hops"] == {"hop": 1, "query": "Where is Ada's sister?", "found_in": [1, 2]}
    assert stages["bm25"]["score_before"] == 0.8
    assert found.ranking.explain("c").stages[1].details["hop"] == 2
    assert "hops: 4 -> 3" in str(found.trace)


@pytest.mark.parametrize(
    "word", ["DONE", "done", "  Done\n", "", " \t", None, "DONE.", '"DONE"', "<think>x</think>DONE"]
)
def test_done_or_a_blank_ends_it(word):
    memory = Table(SISTER, CITY)
    reasoner, shown = saying(word)
    found = asked(memory, reasoner, max_hops=5)
    assert (len(memory.asked), len(shown), found.trace.stopped) == (1, 1, "done")
    assert found.ranking.ids == ["s", "x"]


def test_a_query_that_was_asked_already_ends_it():
    memory = Table(SISTER, CITY)
    found = asked(memory, saying("Mia?", "  where IS ada's  sister?")[0], max_hops=5)
    assert (memory.queries, found.trace.stopped) == (["Where is Ada's sister?", "Mia?"], "repeated")


@pytest.mark.parametrize("answer", [ValueError("lost"), 7, StopIteration("x"), asyncio.CancelledError()])
def test_a_reasoner_that_fails_leaves_what_was_found(answer, caplog):
    found = asked(Table(SISTER), saying(answer)[0])
    assert (found.ranking.ids, found.trace.stopped) == (["s", "x"], "reasoner_failed")
    assert found.trace.legs["reasoner"].status == "failed"
    assert "engine: the reasoner failed" in caplog.text


def test_a_memory_that_fails_later_leaves_what_was_found(caplog):
    found = asked(Table(SISTER, OSError("gone")), saying("Mia?")[0])
    assert (found.ranking.ids, found.trace.stopped) == (["s", "x"], "memory_failed")
    assert len(found.trace.hops) == 1
    assert "engine: hop 2 failed" in caplog.text


def test_hops_are_counted_with_the_first():
    for hops in (1, 2, 3):
        memory = Table(SISTER, CITY, KEYS)
        reasoner, shown = saying("Mia?", "Basel?", "more?")
        found = asked(memory, reasoner, max_hops=hops)
        assert (len(memory.asked), len(shown), found.trace.stopped) == (hops, hops - 1, "max_hops")


def test_one_hop_is_what_retrieve_gives():
    engine = rm.RetrievalEngine(Table(KEYS))
    once = engine.retrieve("key", now=NOW)
    for found in (
        engine.iterative_retrieve("key", max_hops=1, now=NOW),
        engine.iterative_retrieve("key", now=NOW),  # nobody asks again
    ):
        assert (found.ranking, found.context.text) == (once.ranking, once.context.text)
    assert found.trace.stopped == "no_reasoner"


def test_without_a_reasoner_the_model_asks():
    memory, model = Table(SISTER, CITY, []), Model("Where does Mia live?", "DONE")
    found = asked(memory, llm=model, max_hops=4)
    assert (found.trace.stopped, memory.queries[1:]) == ("done", ["Where does Mia live?"])
    assert "- Ada's sister is Mia." in model.prompts[0]
    assert "- Where does Mia live?" in model.prompts[1]
    assert found.trace.legs["reasoner"] == rm.Leg("ok")
    assert found.trace.legs["llm"] == rm.Leg("skipped")


def test_an_empty_hop_is_no_end():
    found = asked(Table([], CITY), saying("Mia?")[0])
    assert found.ranking.ids == ["c", "s"]


def test_equal_texts_of_two_hops_are_one_candidate():
    hops = [[hit("a", 0.5, "Mia lives in Basel.")], [hit("b", 0.9, "MIA lives  in Basel.")]]
    found = asked(Table(*hops), saying("Mia?")[0])
    assert found.ranking.ids == ["b"]
    assert found.ranking.explain("b").stages[1].details["found_in"] == [1, 2]
    within = asked(Table([*hops[0], *hops[1]]), saying("DONE")[0])
    assert sorted(within.ranking.ids) == ["a", "b"]


def test_what_one_hop_tells_apart_stays_apart_in_whatever_order_it_comes():
    first = [hit("a", 0.5, "Mia lives in Basel.")]
    second = [hit("b", 0.9, "Mia lives in Basel."), hit("a", 0.6, "Mia lives in Basel.")]
    for hop in (second, second[::-1]):
        found = asked(Table(first, hop), saying("Mia?")[0])
        assert found.ranking.ids == ["b", "a"]


def test_a_model_that_talks_on_asks_with_the_beginning():
    memory = Table(SISTER, CITY)
    asked(memory, llm=Model("garden " * 100))
    assert memory.queries[1:] == [("garden " * 28).rstrip()]


def test_each_hop_is_filtered_by_its_own_query():
    hits = [hit(f"m{n}", 0.5, f"Mia lives here {n}") for n in range(8)]
    found = asked(Table(SISTER, hits), saying("lives")[0])
    assert len(found.ranking) == 10


def test_an_awaited_reasoner_is_awaited():
    async def reasoner(message, ranking, hop):
        await asyncio.sleep(0)
        return "Mia?"

    engine = rm.RetrievalEngine(Table(SISTER, CITY))
    found = asyncio.run(engine.aiterative_retrieve("sister", reasoner=reasoner, now=NOW))
    assert [hop.query for hop in found.trace.hops] == ["sister", "Mia?"]
    with pytest.raises(TypeError, match=r"write `await engine\.aiterative_retrieve"):
        engine.iterative_retrieve("sister", reasoner=reasoner)
