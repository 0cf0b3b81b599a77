"""One call for tasks of one loop, of several loops, and of threads besides."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm

WAIT = 10.0


def run(main):
    async def in_time():
        return await asyncio.wait_for(main(), WAIT)

    return asyncio.run(in_time())


class Loader:
    """Counts its calls; each waits for `pause` seconds and then gives or raises the outcome."""

    def __init__(self, outcome="value", pause=0.05):
        self.outcome, self.pause, self.count = outcome, pause, 0

    async def __call__(self):
        self.count += 1
        await asyncio.sleep(self.pause)
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome


def test_many_tasks_cause_one_call():
    cache, loader = rm.ScopedCache(), Loader()

    async def main():
        return await asyncio.gather(*(cache.aget_or_compute("k", loader) for _ in range(50)))

    assert run(main) == ["value"] * 50
    assert loader.count == 1
    assert run(lambda: cache.aget_or_compute("k", loader)) == "value"
    assert loader.count == 1


def test_plain_functions_are_taken_too():
    cache = rm.ScopedCache()
    assert run(lambda: cache.aget_or_compute("k", lambda: 7)) == 7
    assert cache.get("k") == 7


@pytest.mark.parametrize("error", [OSError("gone"), KeyError("k")], ids=repr)
def test_an_error_goes_to_all_who_waited(error):
    cache, loader = rm.ScopedCache(), Loader(error)

    async def main():
        asked = (cache.aget_or_compute("k", loader) for _ in range(5))
        return await asyncio.gather(*asked, return_exceptions=True)

    assert run(main) == [error] * 5
    assert loader.count == 1
    assert len(cache) == 0
    assert run(lambda: cache.aget_or_compute("k", lambda: 1)) == 1


def test_a_threads_stop_iteration_reaches_tasks_without_a_hang():
    cache = rm.ScopedCache()
    inside, go_on = threading.Event(), threading.Event()

    def load():
        inside.set()
        go_on.wait(WAIT)
        raise StopIteration

    async def main():
        loop = asyncio.get_running_loop()
        led = loop.run_in_executor(None, lambda: outcome(lambda: cache.get_or_compute("k", load)))
        await asyncio.to_thread(inside.wait, WAIT)
        waiting = asyncio.ensure_future(cache.aget_or_compute("k", lambda: 1))
        await asyncio.sleep(0.05)
        go_on.set()
        assert await led is StopIteration
        with pytest.raises(RuntimeError):  # what a coroutine makes of it
            await waiting

    run(main)


def outcome(call):
    try:
        return call()
    except StopIteration as error:
        return type(error)


def test_a_cancelled_leader_passes_the_turn_on():
    cache, slow, quick = rm.ScopedCache(), Loader("slow", 60.0), Loader("quick", 0.0)

    async def main():
        leader = asyncio.ensure_future(cache.aget_or_compute("k", slow))
        await asyncio.sleep(0.01)
        others = [asyncio.ensure_future(cache.aget_or_compute("k", quick)) for _ in range(5)]
        await asyncio.sleep(0.01)
        leader.cancel()
        assert await asyncio.gather(*others) == ["quick"] * 5
        with pytest.raises(asyncio.CancelledError):
            await leader

    run(main)
    assert (slow.count, quick.count) == (1, 1)


def test_one_who_waits_may_go_without_harm():
    cache, loader = rm.ScopedCache(), Loader(pause=0.2)

    async def main():
        leader = asyncio.ensure_future(cache.aget_or_compute("k", loader))
        await asyncio.sleep(0.01)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(cache.aget_or_compute("k", loader), 0.02)
        assert await leader == "value"

    run(main)
    assert loader.count == 1


def test_loops_and_threads_at_once():
    cache = rm.ScopedCache()
    count, lock, all_in = [0], threading.Lock(), threading.Barrier(6)

    async def load():
        with lock:
            count[0] += 1
        await asyncio.sleep(0.3)
        return "value"

    def plain():
        with lock:
            count[0] += 1
        threading.Event().wait(0.3)
        return "value"

    def in_loop():
        all_in.wait(WAIT)
        return run(ask_twice)

    async def ask_twice():
        return await asyncio.gather(cache.aget_or_compute("k", load), cache.aget_or_compute("k", load))

    def in_thread():
        all_in.wait(WAIT)
        return [cache.get_or_compute("k", plain)]

    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(in_loop) for _ in range(3)] + [pool.submit(in_thread) for _ in range(3)]
        found = [value for future in asked for value in future.result(WAIT)]
    assert found == ["value"] * 9
    assert count == [1]


def test_a_loop_that_ends_while_it_leads_or_waits_leaves_nobody_hanging():
    cache = rm.ScopedCache()
    led = threading.Event()

    async def abandon():
        task = asyncio.ensure_future(cache.aget_or_compute("k", Loader(pause=60.0)))
        await asyncio.sleep(0.01)
        led.set()
        await asyncio.sleep(0.2)
        task.cancel()

    with ThreadPoolExecutor(2) as pool:
        ended = pool.submit(lambda: asyncio.run(abandon()))
        assert led.wait(WAIT)
        waiting = pool.submit(cache.get_or_compute, "k", lambda: "mine")
        assert waiting.result(WAIT) == "mine"
        ended.result(WAIT)


def test_a_task_that_asks_for_its_own_key_is_refused():
    cache = rm.ScopedCache()

    async def directly():
        return await cache.aget_or_compute("k", directly)

    async def through_a_child():
        return await asyncio.ensure_future(cache.aget_or_compute("k", through_a_child))

    async def through_another_key():
        return await cache.aget_or_compute("other", through_another_key_back)

    async def through_another_key_back():
        return await cache.aget_or_compute("k", directly)

    for loader in (directly, through_a_child, through_another_key):
        with pytest.raises(rm.RankmeldError, match="waits for that same key"):
            run(lambda loader=loader: cache.aget_or_compute("k", loader))
    assert len(cache) == 0
    assert run(lambda: cache.aget_or_compute("k", lambda: 1)) == 1


def test_tasks_that_wait_in_a_circle_are_refused():
    cache = rm.ScopedCache()

    async def main():
        async def ask(key, other):
            async def load():
                await asyncio.sleep(0.01)
                return await cache.aget_or_compute(other, lambda: "alone")

            return await cache.aget_or_compute(key, load)

        return await asyncio.gather(ask("a", "b"), ask("b", "a"), return_exceptions=True)

    assert any(isinstance(found, rm.RankmeldError) for found in run(main))


def test_a_blocking_call_within_the_loop_that_leads_computes_for_itself():
    cache = rm.ScopedCache()

    async def main():
        leader = asyncio.ensure_future(cache.aget_or_compute("k", Loader("led")))
        await asyncio.sleep(0)
        found = cache.get_or_compute("k", lambda: "own")
        return found, await leader

    assert run(main) == ("own", "led")


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("asks", ["a thread", "a task"])
def test_a_loop_that_stands_still_while_its_task_leads_stops_nobody(closed, asks):
    cache = rm.ScopedCache()
    loop = asyncio.new_event_loop()

    async def lead():
        leader = asyncio.ensure_future(cache.aget_or_compute("k", Loader("late")))
        await asyncio.sleep(0.01)
        return leader

    def ask():
        if asks == "a task":
            return run(lambda: cache.aget_or_compute("k", lambda: "mine"))
        return cache.get_or_compute("k", lambda: "mine")

    leader = loop.run_until_complete(lead())
    if closed:
        leader._log_destroy_pending = False
        loop.close()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ask).result(WAIT) == "mine"
    cache.clear()
    assert ask() == "mine"
    if not closed:
        assert loop.run_until_complete(leader) == "late"
        loop.close()
    cache.clear()
    assert ask() == "mine"


def test_who_stops_waiting_leaves_nothing_with_a_leader_that_hangs():
    cache, loader = rm.ScopedCache(), Loader(pause=0.3)

    async def main():
        leader = asyncio.ensure_future(cache.aget_or_compute("k", loader))
        await asyncio.sleep(0.01)
        for _ in range(20):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(cache.aget_or_compute("k", loader), 0.001)
        (flight,) = cache._flights._flights.values()
        assert not flight._waiting
        assert await leader == "value"

    run(main)
