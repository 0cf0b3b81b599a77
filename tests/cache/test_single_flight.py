"""One call for many threads; loaders that raise, hang, are interrupted, or ask for themselves."""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm
from rankmeld import single_flight

WAIT = 10.0


def all_waiting(calls, count):
    """Let everybody arrive: threads that wait cannot be seen from outside."""
    deadline = time.monotonic() + WAIT
    while calls.started < count and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(0.05)


class Calls:
    """A loader that waits to be let go, and counts."""

    def __init__(self, outcome):
        self.outcome, self.count, self.started = outcome, 0, 0
        self.go_on = threading.Event()

    def __call__(self):
        self.count += 1
        assert self.go_on.wait(WAIT)
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    def ask(self, cache, key="k"):
        self.started += 1
        return cache.get_or_compute(key, self)


def test_many_threads_cause_one_call():
    cache, calls = rm.ScopedCache(), Calls(["value"])
    with ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(calls.ask, cache) for _ in range(16)]
        all_waiting(calls, 16)
        calls.go_on.set()
        values = [future.result(WAIT) for future in asked]
    assert calls.count == 1
    assert all(value is values[0] for value in values)
    assert cache.get("k") is values[0]
    assert cache.stats().misses == 16


def test_an_error_goes_to_all_who_waited_and_the_next_call_tries_again():
    cache, calls = rm.ScopedCache(), Calls(OSError("no model"))
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(calls.ask, cache) for _ in range(8)]
        all_waiting(calls, 8)
        calls.go_on.set()
        errors = [future.exception(WAIT) for future in asked]
    assert calls.count == 1
    assert all(error is calls.outcome for error in errors)
    assert "k" not in cache
    assert cache.get_or_compute("k", lambda: 1) == 1


@pytest.mark.parametrize("error", [StopIteration(), KeyError("k"), RuntimeError("x")], ids=repr)
def test_any_exception_is_the_callers(error):
    with pytest.raises(type(error)) as caught:
        rm.ScopedCache().get_or_compute("k", ready(error))
    assert caught.value is error


def ready(outcome):
    calls = Calls(outcome)
    calls.go_on.set()
    return calls


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_an_interrupted_leader_passes_the_turn_on(interruption):
    cache, first = rm.ScopedCache(), Calls(interruption())
    led = threading.Event()

    def lead():
        led.set()
        with pytest.raises(interruption):
            cache.get_or_compute("k", first)

    leader = threading.Thread(target=lead)
    leader.start()
    while not first.count:
        time.sleep(0.001)
    with ThreadPoolExecutor(4) as pool:
        second = ready("second")
        asked = [pool.submit(second.ask, cache) for _ in range(4)]
        all_waiting(second, 4)
        first.go_on.set()
        assert [future.result(WAIT) for future in asked] == ["second"] * 4
    leader.join(WAIT)
    assert second.count == 1


def test_a_loader_that_hangs_stops_nobody_else():
    cache, hung = rm.ScopedCache(), Calls("late")
    thread = threading.Thread(target=hung.ask, args=(cache,))
    thread.start()
    while not hung.count:
        time.sleep(0.001)
    cache.set("other", 1)
    assert cache.get_or_compute("another", lambda: 2) == 2
    assert (cache.get("k"), len(cache)) == (None, 2)
    cache.set("k", "set meanwhile")
    assert cache.get_or_compute("k", lambda: "never") == "set meanwhile"
    hung.go_on.set()
    thread.join(WAIT)
    assert cache.get("k") == "late"


def test_who_waits_does_so_until_ctrl_c(tmp_path):
    """The main thread waits for a loader that hangs; an interrupt reaches it."""
    import os
    import signal
    import subprocess

    program = (
        "import threading, rankmeld as rm\n"
        "cache = rm.ScopedCache()\n"
        "inside = threading.Event()\n"
        "def hang():\n    inside.set()\n    threading.Event().wait()\n"
        "threading.Thread(target=lambda: cache.get_or_compute('k', hang), daemon=True).start()\n"
        "inside.wait()\n"
        "print('waiting', flush=True)\n"
        "try:\n    cache.get_or_compute('k', int)\n"
        "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n    import os; os._exit(0)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "waiting\n"
        time.sleep(0.2)
        os.kill(child.pid, signal.SIGINT)
        assert child.stdout.readline() == "interrupted\n"
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_loader_that_asks_for_its_own_key_is_refused():
    cache = rm.ScopedCache()

    def again():
        return cache.get_or_compute("k", again)

    with pytest.raises(rm.RankmeldError) as caught:
        cache.get_or_compute("k", again)
    assert str(caught.value) == (
        "what makes the value of key 'k' waits for that same key, directly or through another one; "
        "compute it without the cache, or under a key of its own"
    )
    assert cache.get_or_compute("k", lambda: 1) == 1


def test_a_loader_may_ask_for_other_keys_and_set_its_own():
    cache = rm.ScopedCache()

    def outer():
        cache.set("k", "for now")
        assert cache.get("k") == "for now"
        return cache.get_or_compute("inner", lambda: 2) + 1

    assert cache.get_or_compute("k", outer) == 3
    assert cache.items() == [("inner", 2), ("k", 3)]


@pytest.mark.parametrize("caches", [1, 2])
def test_loaders_that_wait_in_a_circle_are_refused(caches):
    first = rm.ScopedCache()
    second = first if caches == 1 else rm.ScopedCache()
    both = threading.Barrier(2)

    def ask(cache, key, other_cache, other):
        def load():
            both.wait(WAIT)
            return other_cache.get_or_compute(other, lambda: "alone")

        try:
            return cache.get_or_compute(key, load)
        except rm.RankmeldError:
            return "refused"

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(ask, first, "a", second, "b")
        two = pool.submit(ask, second, "b", first, "a")
        assert "refused" in {one.result(WAIT), two.result(WAIT)}
    assert first.get_or_compute("a", lambda: 1) == 1


def test_awaitables_are_refused_by_name():
    async def coroutine():
        return 1

    cache = rm.ScopedCache()
    with pytest.raises(TypeError, match="fn gave a coroutine, which has to be awaited; use the async method"):
        cache.get_or_compute("k", coroutine)
    assert len(cache) == 0


def test_nothing_is_left_of_a_flight():
    import gc
    import weakref

    class Value:
        pass

    class Failure(Exception):
        pass

    cache = rm.ScopedCache(capacity=1)
    seen = weakref.ref(cache.get_or_compute("k", Value))
    cache.set("other", 1)
    assert seen() is None

    gc.collect()
    gc.disable()
    try:

        def fail():
            raise Failure

        try:
            cache.get_or_compute("bad", fail)
        except Failure as failure:
            seen = weakref.ref(failure)
        assert seen() is None, gc.get_referrers(seen())
    finally:
        gc.enable()


def test_a_key_that_cannot_be_compared_leaves_no_flight_behind():
    cache = rm.ScopedCache()
    angry = []

    class Key:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            if angry:
                raise LookupError("angry")
            return isinstance(other, Key)

    def load():
        angry.append(1)
        return 1

    cache.set(Key(), 0)
    cache.delete(Key())
    first = Key()
    assert cache.get_or_compute(first, load) == 1
    angry.clear()
    assert cache.get_or_compute(Key(), lambda: 2) == 1
    cache.clear()
    assert cache.get_or_compute(Key(), lambda: 3) == 3


def test_a_leader_that_is_interrupted_at_any_step_leaves_nobody_waiting():
    """An interrupt comes between any two instructions, those that end a flight among them."""
    ours = {single_flight.__file__, contextlib.__file__}

    def interrupted(step):
        cache, steps = rm.ScopedCache(), itertools.count()

        def trace(frame, event, _):
            frame.f_trace_opcodes = True
            if event == "opcode" and next(steps) == step:
                raise KeyboardInterrupt
            return trace if frame.f_code.co_filename in ours else None

        hit = False
        sys.settrace(trace)
        try:
            cache.get_or_compute("k", int)
        except KeyboardInterrupt:
            hit = True
        finally:
            sys.settrace(None)
        found = []
        other = threading.Thread(target=lambda: found.append(cache.get_or_compute("k", int)), daemon=True)
        other.start()
        other.join(WAIT)
        assert found == [0], step
        return hit

    assert sum(map(interrupted, range(400))) > 200
