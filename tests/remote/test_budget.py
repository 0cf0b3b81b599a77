"""Turns come in order, at the rate that was promised, whoever waits and whoever leaves."""

from __future__ import annotations

import asyncio
import copy
import gc
import math
import os
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.remote.budget import _Line, _Waiter
from support.refusals import refusal


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def served(line, waiters, now):
    line.serve(now)
    return [index for index, waiter in enumerate(waiters) if waiter.served]


def stood_in_line(line, count, now=0.0):
    waiters = [_Waiter(lambda: None) for _ in range(count)]
    for waiter in waiters:
        line.enter(waiter, now)
    return waiters


def until(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)
    assert condition()


# ------------------------------------------------------------------ the line, without any time


def test_turns_are_spaced_evenly_and_given_in_order():
    line = _Line(gap=1.0, burst=1)
    waiters = stood_in_line(line, 4)
    assert served(line, waiters, 0.0) == [0]
    assert served(line, waiters, 0.99) == [0]
    assert served(line, waiters, 1.0) == [0, 1]
    assert served(line, waiters, 2.5) == [0, 1, 2]
    assert [waiter.due for waiter in waiters[1:]] == [1.0, 2.0, 3.5]  # a late turn moves the one behind it


def test_a_burst_is_what_an_idle_time_is_worth_at_the_most():
    line = _Line(gap=1.0, burst=3)
    assert served(line, stood_in_line(line, 5, 1_000.0), 1_000.0) == [0, 1, 2]


def test_whoever_leaves_makes_room_for_those_behind():
    line = _Line(gap=1.0, burst=1)
    waiters = stood_in_line(line, 5)
    line.leave(waiters[1], 0.5)
    line.leave(waiters[3], 0.5)
    assert served(line, waiters, 1.0) == [0, 2]
    assert served(line, waiters, 2.0) == [0, 2, 4]
    assert not line.waiting


def test_a_turn_that_was_given_and_is_not_used_goes_to_the_next():
    line = _Line(gap=1.0, burst=1)
    waiters = stood_in_line(line, 3)
    line.leave(waiters[0], 0.25)
    assert served(line, waiters, 0.25) == [1]


def test_the_new_first_one_is_told_to_look_sooner():
    line, woken = _Line(gap=1.0, burst=1), []
    waiters = [_Waiter(lambda index=index: woken.append(index)) for index in range(4)]
    for waiter in waiters:
        line.enter(waiter, 0.0)
    assert woken == [0]
    line.leave(waiters[1], 0.5)
    assert woken == [0, 2]
    assert waiters[2].due == 1.0


def test_where_the_machine_was_late_everybody_waits_for_a_new_time():
    """Or those at the end would look at the clock all the time."""
    line = _Line(gap=1.0, burst=1)
    waiters = stood_in_line(line, 5)
    assert [line.look(waiter, 10.0) for waiter in waiters[2:]] == [11.0, 12.0, 13.0]


@given(
    st.integers(1, 7),
    st.lists(st.tuples(st.sampled_from("esl"), st.floats(0.0, 3.0), st.integers(0, 30)), max_size=60),
)
def test_no_window_ever_has_more_turns_than_promised(burst, steps):
    """For any coming, leaving and looking: at most ``burst + (n - 1)`` turns within n gaps, in order."""
    line, now, waiters, turns = _Line(gap=1.0, burst=burst), 0.0, [], []
    for what, pause, which in steps:
        now += pause
        if what == "e":
            waiters.append(_Waiter(lambda: None))
            line.enter(waiters[-1], now)
        elif what == "l" and which < len(waiters) and not waiters[which].served:
            line.leave(waiters[which], now)
        line.serve(now)
        given_now = [waiter for waiter in waiters if waiter.served and waiter not in [w for _, w in turns]]
        turns += [(now, waiter) for waiter in given_now]
    order = [waiters.index(waiter) for _, waiter in turns]
    assert order == sorted(order)
    for start, (first, _) in enumerate(turns):
        for end in range(start, len(turns)):
            window = turns[end][0] - first
            assert end - start + 1 <= burst + math.floor(window + 1e-5)


# --------------------------------------------------------------------------- with a clock


@pytest.mark.parametrize(
    ("rate", "options", "burst", "gap"),
    [
        (60, {}, 1, 1.0),
        (2_400, {}, 2, 60 / 2_399),
        (60_000, {}, 50, 60 / 59_951),
        (0.5, {}, 1, 120.0),
        (60, {"burst": 6}, 6, 60 / 55),
        (60, {"burst": 60}, 60, 60.0),
    ],
)
def test_rates_and_their_bursts(rate, options, burst, gap):
    clock = Clock()
    budget = rm.RateBudget(rate, clock=clock, **options)
    assert (budget.burst, budget.per_minute) == (burst, rate)
    assert [budget.acquire(timeout=0) for _ in range(burst + 1)] == [True] * burst + [False]
    clock.now += gap * 0.999
    assert not budget.acquire(timeout=0)
    clock.now += gap * 0.0011
    assert budget.acquire(timeout=0)
    assert not budget.acquire(timeout=0)


def test_who_would_wait_too_long_does_not_wait_at_all():
    budget = rm.RateBudget(per_minute=1, clock=Clock())
    assert budget.acquire()
    begun = time.monotonic()
    assert not budget.acquire(timeout=59.0)
    assert not asyncio.run(budget.aacquire(timeout=59.0))
    assert time.monotonic() - begun < 5.0
    assert budget.waiting == 0


def test_threads_and_two_event_loops_are_served_in_the_order_in_which_they_came():
    clock = Clock()
    budget = rm.RateBudget(per_minute=60, clock=clock)
    assert budget.acquire()
    order, loops, threads = [], [], []

    def in_thread(number):
        budget.acquire()
        order.append(number)

    async def in_task(number):
        await budget.aacquire()
        order.append(number)

    def run_loop():
        loop = asyncio.new_event_loop()
        loops.append(loop)
        loop.run_forever()
        loop.close()

    runners = [threading.Thread(target=run_loop) for _ in range(2)]
    for runner in runners:
        runner.start()
    until(lambda: len(loops) == 2 and all(loop.is_running() for loop in loops))
    futures = []
    for number in range(9):
        if number % 3 == 2:
            threads.append(threading.Thread(target=in_thread, args=(number,)))
            threads[-1].start()
        else:
            futures.append(asyncio.run_coroutine_threadsafe(in_task(number), loops[number % 3]))
        until(lambda number=number: budget.waiting == number + 1)
    for number in range(9):
        clock.now += 1.0
        budget._line().serve(clock.now)
        until(lambda number=number: len(order) == number + 1)
    assert order == list(range(9))
    for future in futures:
        future.result(5.0)
    for loop in loops:
        loop.call_soon_threadsafe(loop.stop)
    for thread in [*threads, *runners]:
        thread.join(5.0)


def test_a_loop_that_stands_still_holds_up_nobody_else():
    budget = rm.RateBudget(per_minute=1_200)
    assert budget.acquire()
    entered, go = threading.Event(), threading.Event()

    async def waits_then_blocks():
        task = asyncio.ensure_future(budget.aacquire())
        await asyncio.sleep(0)
        entered.set()
        go.wait(10.0)  # the loop stands still
        return await task

    with ThreadPoolExecutor(1) as pool:
        stalled = pool.submit(asyncio.run, waits_then_blocks())
        assert entered.wait(5.0)
        assert budget.acquire(timeout=5.0)
        go.set()
        assert stalled.result(5.0)


def test_a_cancelled_task_gives_its_turn_to_the_next_one():
    async def scene():
        clock = Clock()
        budget = rm.RateBudget(per_minute=60, clock=clock)
        assert await budget.aacquire()
        tasks = [asyncio.ensure_future(budget.aacquire()) for _ in range(3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        # Cancelled in the very moment in which it is served.
        clock.now += 1.0
        budget._line().serve(clock.now)
        tasks[1].cancel()
        assert await tasks[2]
        assert [task.cancelled() for task in tasks] == [True, True, False]
        assert budget.waiting == 0

    asyncio.run(scene())


def test_an_interrupted_thread_gives_its_turn_back(monkeypatch):
    budget = rm.RateBudget(per_minute=60, clock=Clock())
    assert budget.acquire()

    def interrupted(_event, _seconds):
        assert budget.waiting == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Event, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        budget.acquire()
    assert budget.waiting == 0


def test_a_loop_that_was_closed_under_a_waiter_holds_up_nobody():
    budget = rm.RateBudget(per_minute=600)
    assert budget.acquire()
    loop = asyncio.new_event_loop()
    task = loop.create_task(budget.aacquire())
    loop.run_until_complete(asyncio.sleep(0))
    assert budget.waiting == 1
    assert budget.acquire(timeout=5.0)  # after the turn of the one that never comes
    task.cancel()
    loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
    loop.close()


def test_a_thousand_turns_from_threads_and_tasks_take_as_long_as_they_must():
    budget = rm.RateBudget(per_minute=60_000, burst=1)  # evenly, 1 ms apart
    alive = threading.active_count()
    begun = time.monotonic()

    async def tasks():
        return await asyncio.gather(*[budget.aacquire() for _ in range(250)])

    with ThreadPoolExecutor(18) as pool:
        loops = [pool.submit(asyncio.run, tasks()) for _ in range(2)]
        turns = list(pool.map(lambda _: budget.acquire(), range(250)))
        assert all(turns)
        assert all(all(loop.result()) for loop in loops)
    took = time.monotonic() - begun
    assert took >= 0.749
    assert budget.waiting == 0
    assert threading.active_count() <= alive  # threads of other tests may end meanwhile


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not applicable: this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_a_line_of_its_own():
    budget = rm.RateBudget(per_minute=1, clock=Clock())
    assert budget.acquire()
    line = budget._line()
    line._lock.acquire()  # as another thread might, when the fork happens
    pid = os.fork()
    if pid == 0:
        os._exit(0 if budget.acquire(timeout=0) and not budget.acquire(timeout=0) else 1)
    line._lock.release()
    assert os.waitpid(pid, 0)[1] == 0
    assert not budget.acquire(timeout=0)


def test_a_copy_is_the_budget_itself_and_a_pickle_another_one():
    budget = rm.RateBudget(per_minute=120, burst=3)
    assert copy.copy(budget) is budget
    assert copy.deepcopy(budget) is budget
    other = pickle.loads(pickle.dumps(budget))
    assert (other.per_minute, other.burst) == (120, 3)
    assert repr(other) == "RateBudget(per_minute=120, burst=3)"


def _waiters() -> int:
    # By type, not isinstance: that would ask proxies of objects that other tests let go.
    return sum(type(thing) is _Waiter for thing in gc.get_objects())


def test_nothing_is_kept_of_turns_that_are_over():
    gc.collect()
    before = _waiters()
    budget = rm.RateBudget(per_minute=60, clock=Clock())
    assert budget.acquire()
    for _ in range(1_000):
        assert not budget.acquire(timeout=0)
    gc.collect()
    assert _waiters() == before
    assert budget.waiting == 0


@pytest.mark.parametrize(
    ("kind", "args", "options", "text"),
    [
        (rm.InvalidArgumentError, (0,), {}, "per_minute is 0; it must be above zero"),
        (rm.InvalidArgumentError, (-1.5,), {}, "per_minute is -1.5; it must be above zero"),
        (rm.InvalidArgumentError, (math.inf,), {}, "per_minute is inf; it must be finite"),
        (TypeError, ("60",), {}, "per_minute must be a number, not str"),
        (TypeError, (True,), {}, "per_minute must be a number, not bool"),
        (
            rm.InvalidArgumentError,
            (60,),
            {"burst": 0},
            "burst is 0; it must be from 1 to per_minute, which is 60",
        ),
        (
            rm.InvalidArgumentError,
            (60,),
            {"burst": 61},
            "burst is 61; it must be from 1 to per_minute, which is 60",
        ),
        (TypeError, (60,), {"burst": 1.5}, "burst must be an integer, not float"),
        (TypeError, (60,), {"clock": 3}, "clock must be a callable that gives seconds, not int"),
    ],
)
def test_what_is_refused(kind, args, options, text):
    assert refusal(kind, rm.RateBudget, *args, **options) == text


@pytest.mark.parametrize("rate", [5e-324, 1e-300, 1e-12])
def test_turns_so_rare_that_none_comes(rate):
    budget = rm.RateBudget(rate)
    assert budget.acquire()
    assert not budget.acquire(timeout=1e9)
    failed = []

    def wait():
        try:
            budget.acquire()
        except BaseException as error:  # noqa: BLE001 - whatever it is
            failed.append(error)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    assert not failed


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_those_who_waited_in_a_loop_that_is_closed_cost_no_turn():
    budget = rm.RateBudget(300)
    assert budget.acquire()
    loop = asyncio.new_event_loop()
    tasks = [loop.create_task(budget.aacquire()) for _ in range(5)]
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()
    began = time.monotonic()
    # It stood behind five, whose turns would have come in the meantime.
    assert budget.acquire(timeout=10)
    assert time.monotonic() - began < 1.6
    assert budget.waiting == 0
    for task in tasks:
        task._log_destroy_pending = False
