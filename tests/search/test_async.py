"""The asynchronous driver: the same answers, legs at the same time, and an event loop that goes on."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import itertools
import threading
import time

import pytest

import rankmeld as rm
from search.samples import (
    HOPS,
    MEANING,
    SEMANTIC,
    VECTOR,
    WORDS,
    AwaitedTable,
    Hanging,
    Hypothetical,
    Table,
    hit,
    statuses,
)


def asearched(searcher, query, **options):
    return asyncio.run(asyncio.wait_for(searcher.asearch(query, query_vector=VECTOR, **options), 60))


@pytest.mark.parametrize("mode", ["auto", "direct", "semantic", "multi_hop", "global"])
@pytest.mark.parametrize("leg", [Table, AwaitedTable])
def test_it_gives_what_search_gives(mode, leg):
    graph = (["Backoff", "retry policy"], [("Backoff", "retry policy")])
    found = asearched(rm.AdaptiveSearcher(leg(WORDS), leg(MEANING), graph=graph), HOPS, mode=mode)
    plain = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING), graph=graph)
    expected = plain.search(HOPS, mode=mode, query_vector=VECTOR)
    assert found.ranking == expected.ranking
    assert (found.tier, found.confidence, found.trace.legs) == (
        expected.tier,
        expected.confidence,
        expected.trace.legs,
    )


def test_awaited_legs_run_at_the_same_time():
    async def scenario():
        met = [asyncio.Event() for _ in range(3)]

        async def meet(mine, table):
            met[mine].set()
            for other in met:
                await other.wait()
            return table

        class Later:
            async def avector_for(self, query, tier):
                return await meet(2, None)

        searcher = rm.AdaptiveSearcher(
            lambda query, limit: meet(0, WORDS), lambda vector, limit: meet(1, MEANING), hyde=Later()
        )
        return await asyncio.wait_for(searcher.asearch(SEMANTIC, query_vector=VECTOR), 20)

    assert statuses(asyncio.run(scenario())) == {
        "lexical": "ok",
        "vector": "ok",
        "hyde": "empty",
        "graph": "skipped",
    }


def test_plain_legs_run_at_the_same_time_in_the_context_of_the_caller():
    barrier = threading.Barrier(2)
    tenant = contextvars.ContextVar("tenant")

    def met(query, limit):
        barrier.wait(20)
        return [hit(tenant.get(), 1.0)]

    tenant.set("mine")
    assert asearched(rm.AdaptiveSearcher(met, met), SEMANTIC).ranking.ids == ["mine"]


@pytest.mark.parametrize("made", ["plain", "awaited"])
def test_a_leg_that_takes_too_long_is_cancelled_or_left_behind(made):
    slow = AwaitedTable(MEANING, 30) if made == "awaited" else Hanging()
    searcher = rm.AdaptiveSearcher(AwaitedTable(WORDS), slow, leg_timeout=0.05)
    found = asearched(searcher, SEMANTIC)
    assert found.trace.legs["vector"] == rm.Leg("timeout", "no answer within 0.05 s")
    assert found.ranking.ids == ["a", "b", "c"]
    if made == "awaited":
        assert slow.cancelled == 1
    else:
        slow.release.set()


def test_a_leg_that_does_not_let_itself_be_stopped_holds_nobody_up():
    async def scenario():
        done = asyncio.Event()

        async def stubborn(vector, limit):
            while not done.is_set():
                try:
                    await asyncio.wait_for(done.wait(), 30)
                except asyncio.CancelledError:
                    continue
            return MEANING

        searcher = rm.AdaptiveSearcher(AwaitedTable(WORDS), stubborn, leg_timeout=0.05)
        found = await asyncio.wait_for(searcher.asearch(SEMANTIC, query_vector=VECTOR), 20)
        left = len(searcher._team._left_behind)
        gc.collect()
        done.set()
        await asyncio.gather(*searcher._team._left_behind)
        return found, left

    found, left = asyncio.run(scenario())
    assert (statuses(found)["vector"], left) == ("timeout", 1)


def test_a_cancellation_goes_through_to_all_legs_at_once():
    async def scenario():
        words, meaning, hanging = AwaitedTable(WORDS, 60), AwaitedTable(MEANING, 60), Hanging()
        searches = [
            asyncio.ensure_future(rm.AdaptiveSearcher(words, vector).asearch(SEMANTIC, query_vector=VECTOR))
            for vector in (meaning, hanging)
        ]
        await asyncio.sleep(0.05)
        started = time.monotonic()
        for search in searches:
            search.cancel()
        outcomes = await asyncio.gather(*searches, return_exceptions=True)
        took = time.monotonic() - started
        await asyncio.sleep(0)
        hanging.release.set()
        return outcomes, took, words.cancelled, meaning.cancelled

    outcomes, took, *cancelled = asyncio.run(scenario())
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
    assert cancelled == [2, 1]
    assert took < 5


def test_a_leg_that_is_cancelled_from_inside_is_a_failed_leg():
    async def gone(vector, limit):
        raise asyncio.CancelledError

    found = asearched(rm.AdaptiveSearcher(AwaitedTable(WORDS), gone), SEMANTIC)
    assert found.trace.legs["vector"].error == "CancelledError: the leg was cancelled from inside"


@pytest.mark.parametrize("error", [ValueError("x"), StopIteration("x"), TimeoutError("x")])
@pytest.mark.parametrize("leg", [Table, AwaitedTable])
def test_a_leg_that_raises_is_a_failed_leg(leg, error):
    found = asearched(rm.AdaptiveSearcher(leg(WORDS), leg(error)), SEMANTIC)
    assert statuses(found)["vector"] == ("timeout" if isinstance(error, TimeoutError) else "failed")
    assert found.ranking.ids == ["a", "b", "c"]


def test_all_legs_failing_names_each():
    searcher = rm.AdaptiveSearcher(AwaitedTable(OSError("x")), Table(OSError("y")))
    with pytest.raises(rm.RankmeldError, match="lexical: OSError: x; vector: OSError: y"):
        asearched(searcher, SEMANTIC)


def test_a_plain_object_that_makes_vectors_is_asked_in_a_thread():
    class Noted(Hypothetical):
        def vector_for(self, query, tier):
            self.thread = threading.current_thread()
            return super().vector_for(query, tier)

    hyde = Noted([0.0, 1.0])
    found = asearched(rm.AdaptiveSearcher(AwaitedTable(WORDS), AwaitedTable(MEANING), hyde=hyde), SEMANTIC)
    assert statuses(found)["hyde"] == "ok"
    assert hyde.thread is not threading.main_thread()


def test_the_event_loop_goes_on_whatever_is_searched():
    """The time that this thread computes between two ticks, so that other processes do not count."""
    text = "The retry policy is exponential. Caching notes of the team. Backoff and budgets; gardens. " * 40
    many = [hit(n, 1.0 - n / 4000, f"{text} Symbol{n}") for n in range(1500)]
    symbols = [f"Symbol{n}" for n in range(10_000)]
    graph = (symbols, list(itertools.pairwise(symbols)))

    async def scenario(search):
        gaps = []
        searching = asyncio.ensure_future(search)
        while not searching.done():
            started = time.thread_time()
            await asyncio.sleep(0.0005)
            gaps.append(time.thread_time() - started)
        await searching
        return sorted(gaps)

    awaited = rm.AdaptiveSearcher(AwaitedTable(many), AwaitedTable(many), graph=graph)
    plain = rm.AdaptiveSearcher(Table(many), Table(many), graph=lambda query, candidates: graph)
    asyncio.run(plain.asearch(HOPS, query_vector=VECTOR))  # imports, tables
    for searcher in (awaited, plain):
        gaps = asyncio.run(scenario(searcher.asearch(HOPS, query_vector=VECTOR, limit=500)))
        assert gaps[-1] < 0.005, gaps[-3:]
    gaps = asyncio.run(scenario(awaited.asearch(HOPS * 10_000, query_vector=VECTOR, mode="direct")))
    assert gaps[-1] < 0.005, gaps[-3:]


def test_many_tasks_search_at_once():
    async def scenario():
        searcher = rm.AdaptiveSearcher(AwaitedTable(WORDS, 0.001), Table(MEANING), leg_timeout=60)
        return await asyncio.gather(*[searcher.asearch(SEMANTIC, query_vector=VECTOR) for _ in range(200)])

    before = threading.active_count()
    found = asyncio.run(scenario())
    assert {tuple(result.ranking.ids) for result in found} == {("b", "a", "d", "c")}
    assert threading.active_count() - before <= 34


def test_one_searcher_serves_several_loops():
    searcher = rm.AdaptiveSearcher(AwaitedTable(WORDS), Table(MEANING))
    results = []
    threads = [threading.Thread(target=lambda: results.append(asearched(searcher, HOPS))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len({tuple(result.ranking.ids) for result in results}) == 1
    assert len(results) == 6
