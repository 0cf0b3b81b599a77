"""Many who ask at once: one generation for all of them, whether they wait or await."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm

from .hyde_models import QUERY, SEMANTIC, lengths


class Gate:
    """A model that answers when it is let."""

    def __init__(self, answers=("an answer",)):
        self.answers, self.asked = iter(answers), 0
        self.reached, self.open = threading.Event(), threading.Event()

    def __call__(self, _prompt):
        self.asked += 1
        self.reached.set()
        assert self.open.wait(30)
        answer = next(self.answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def wait_until(condition):
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.001)


def test_ten_threads_cause_one_generation():
    gate = Gate()
    hyde = rm.HydeGenerator(gate, lengths, enabled=True)
    with ThreadPoolExecutor(10) as pool:
        asked = [pool.submit(hyde.vector_for, QUERY, SEMANTIC) for _ in range(10)]
        wait_until(lambda: hyde.misses == 10)
        gate.open.set()
        assert {tuple(each.result(30)) for each in asked} == {(9.0, 1.0)}
    assert (gate.asked, hyde.calls, hyde.hits, hyde.misses) == (1, 1, 0, 10)


def test_ten_tasks_cause_one_generation():
    calls = 0

    async def generate(_prompt):
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.01)
        return "an answer"

    hyde = rm.HydeGenerator(generate, lengths, enabled=True)

    async def main():
        return await asyncio.gather(*[hyde.avector_for(QUERY, SEMANTIC) for _ in range(10)])

    assert {tuple(vector) for vector in asyncio.run(main())} == {(9.0, 1.0)}
    assert (calls, hyde.calls) == (1, 1)


def test_threads_and_tasks_share_one():
    gate = Gate()
    hyde = rm.HydeGenerator(gate, lengths, enabled=True)

    async def main():
        tasks = [asyncio.create_task(hyde.avector_for(QUERY, SEMANTIC)) for _ in range(3)]
        threads = [asyncio.to_thread(hyde.vector_for, QUERY, SEMANTIC) for _ in range(3)]
        opening = asyncio.create_task(asyncio.to_thread(wait_until, lambda: hyde.misses == 6))
        running = asyncio.gather(*tasks, *threads)
        await opening
        gate.open.set()
        return await running

    assert {tuple(vector) for vector in asyncio.run(main())} == {(9.0, 1.0)}
    assert (gate.asked, hyde.calls) == (1, 1)


def test_a_failure_goes_to_all_who_waited_and_the_next_tries_again():
    gate = Gate([OSError("down"), "an answer"])
    hyde = rm.HydeGenerator(gate, lengths, enabled=True)
    with ThreadPoolExecutor(5) as pool:
        asked = [pool.submit(hyde.attempt, QUERY, SEMANTIC) for _ in range(5)]
        wait_until(lambda: hyde.misses == 5)
        gate.open.set()
        assert {(each.result(30).status, each.result(30).reason) for each in asked} == {
            ("failed", "generate raised OSError")
        }
    assert hyde.calls == 1
    assert hyde.attempt(QUERY, SEMANTIC).status == "ok"


def test_queries_do_not_wait_for_each_other():
    gate = Gate()
    hyde = rm.HydeGenerator(
        lambda prompt: gate(prompt) if QUERY in prompt else "another", lengths, enabled=True
    )
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hyde.vector_for, QUERY, SEMANTIC)
        assert gate.reached.wait(30)
        assert hyde.vector_for("something else", SEMANTIC).tolist() == [7.0, 1.0]
        gate.open.set()
        assert held.result(30).tolist() == [9.0, 1.0]


def test_several_passages_are_generated_at_the_same_time_by_tasks():
    running = most = 0

    async def generate(_prompt):
        nonlocal running, most
        running, most = running + 1, max(most, running + 1)
        await asyncio.sleep(0.01)
        running -= 1
        return "an answer"

    hyde = rm.HydeGenerator(generate, lengths, enabled=True, n=4)
    assert asyncio.run(hyde.aattempt(QUERY, SEMANTIC)).documents == ("an answer",) * 4
    assert (most, hyde.calls) == (4, 4)


@pytest.mark.parametrize("n", [1, 3])
def test_a_cancelled_task_leaves_nothing_and_passes_the_turn_on(n):
    stopped = []

    async def generate(_prompt):
        try:
            await asyncio.sleep(0 if hyde.calls > n else 30)
        except asyncio.CancelledError:
            stopped.append(1)
            raise
        return "an answer"

    hyde = rm.HydeGenerator(generate, lengths, enabled=True, n=n)

    async def main():
        first = asyncio.create_task(hyde.avector_for(QUERY, SEMANTIC))
        await asyncio.sleep(0.01)
        second = asyncio.create_task(hyde.avector_for(QUERY, SEMANTIC))
        await asyncio.sleep(0.01)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return await asyncio.wait_for(second, 10)

    assert asyncio.run(main()) is not None
    assert (len(stopped), hyde.calls) == (n, 2 * n)


def test_the_event_loop_goes_on_while_a_plain_model_thinks():
    gate = Gate()
    hyde = rm.HydeGenerator(gate, lengths, enabled=True)

    async def main():
        asked = asyncio.create_task(hyde.avector_for(QUERY, SEMANTIC))
        await asyncio.to_thread(gate.reached.wait, 30)
        gate.open.set()
        return await asked

    assert asyncio.run(main()).tolist() == [9.0, 1.0]


def test_models_are_counted_right_by_many_threads():
    hyde = rm.HydeGenerator(lambda _prompt: "an answer", lengths, enabled=True)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: hyde.vector_for(f"query {i}", SEMANTIC), range(400)))
    assert (hyde.calls, hyde.hits, hyde.misses) == (400, 0, 400)
