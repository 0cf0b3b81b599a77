"""Known failures of caches: stuck locks, wrong clocks, poisoned and mixed-up entries."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import pytest

import rankmeld as rm
from cache.contract import ManualClock


def test_c190_many_threads_and_expiry_at_once():
    cache = rm.ScopedCache(capacity=50, ttl=0.01)
    gets, failures = [0] * 16, []

    def work(number):
        draw = random.Random(number)
        try:
            for _ in range(20_000):
                key = f"k{draw.randrange(30)}"
                chance = draw.random()
                if chance < 0.5:
                    assert cache.get(key) in (None, key)
                    gets[number] += 1
                elif chance < 0.9:
                    cache.set(key, key)
                elif chance < 0.95:
                    cache.delete(key)
                else:
                    assert len(cache) <= 50
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a failure
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    stats = cache.stats()
    assert stats.hits + stats.misses == sum(gets)
    time.sleep(0.02)
    assert len(cache) == 0  # everything has expired by now, and nothing is stuck
    cache.set("after", 1)
    assert cache.get("after") == 1


def test_c193_the_wall_clock_decides_nothing(monkeypatch):
    cache = rm.ScopedCache(capacity=2, ttl=0.2)
    wall = time.time()
    cache.set("a", 1)
    monkeypatch.setattr(time, "time", lambda: wall - 3600.0)
    time.sleep(0.21)
    assert cache.get("a") is None
    cache.set("b", 2)
    monkeypatch.setattr(time, "time", lambda: wall + 7200.0)
    assert cache.get("b") == 2


def test_c193_the_clock_can_be_given():
    clock = ManualClock()
    cache = rm.ScopedCache(capacity=2, ttl=60.0, clock=clock)
    cache.set("a", 1)
    clock.now = 61.0
    assert cache.get("a") is None


def test_c194_a_snapshot_of_what_lives_while_time_passes():
    ticks = iter(range(1_000))
    cache = rm.ScopedCache(capacity=4, ttl=1.0, clock=lambda: next(ticks) * 0.25)
    for key in "abc":
        cache.set(key, key.upper())
    seen = []
    for key, value in cache.items():
        cache.get("a")
        cache.set(f"new {key}", 1)
        seen.append((key, value))
    assert set(seen) <= {("a", "A"), ("b", "B"), ("c", "C")}
    assert len(seen) == len(set(seen)) > 0


@pytest.mark.parametrize("capacity", [0, -1])
def test_c195_capacity_not_above_zero_is_refused(capacity):
    with pytest.raises(rm.InvalidArgumentError):
        rm.ScopedCache(capacity=capacity)


@pytest.mark.parametrize("ttl", [0, -1, float("nan")])
def test_c197_time_not_above_zero_is_refused(ttl):
    with pytest.raises(rm.InvalidArgumentError):
        rm.ScopedCache(capacity=2, ttl=ttl)


@pytest.mark.parametrize("ttl", [None, float("inf")])
def test_c197_no_time_is_no_expiry(ttl):
    cache = rm.ScopedCache(capacity=2, ttl=ttl)
    cache.set("a", 1)
    assert cache.get("a") == 1


def test_c198_an_overwrite_evicts_nothing():
    cache = rm.ScopedCache(capacity=2, ttl=60.0)
    cache.set("a", 1)
    cache.set("b", 2)
    cache.set("a", 3)
    assert [cache.get("b"), cache.get("a"), len(cache)] == [2, 3, 2]


@pytest.mark.parametrize("factory", ["gc.collect()", "cache.get('k'), cache.get('other'), len(cache)"])
def test_c200_a_collection_within_the_factory(factory):
    program = f"""
        import gc, rankmeld as rm
        cache = rm.ScopedCache()
        cache.set("self", cache)
        print(cache.get_or_compute("k", lambda: ({factory}, "v")[-1]))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert done.stdout == "v\n"


@pytest.mark.parametrize("method", ["__hash__", "__eq__"])
@pytest.mark.parametrize("deed", ["clear", "raise", "delete"])
def test_c203_hostile_keys(method, deed):
    cache = rm.ScopedCache(capacity=2)
    armed = [False]

    def act(self, *_):
        if armed[0]:
            armed[0] = False
            if deed == "raise":
                raise LookupError("from the key")
            cache.clear() if deed == "clear" else cache.delete(Hostile("a"))
        return 7 if not _ else isinstance(_[0], Hostile) and self.name == _[0].name

    class Hostile:
        def __init__(self, name):
            self.name = name

        def __hash__(self):
            return act(self) if method == "__hash__" else 7

        def __eq__(self, other):
            return act(self, other) if method == "__eq__" else self.name == other.name

    for call in (cache.get, cache.delete, cache.__contains__, lambda key: cache.set(key, key.name)):
        cache.set(Hostile("a"), "a")
        cache.set(Hostile("b"), "b")
        armed[0] = True
        try:
            call(Hostile("b"))
        except LookupError:
            assert deed == "raise"
        armed[0] = False
        cache.set(Hostile("c"), "c")
        assert cache.get(Hostile("c")) == "c"
        assert len(cache) <= 2


@pytest.mark.parametrize("value", [None, 0, 0.0, "", [], False], ids=repr)
def test_c204_falsy_results_are_computed_once(value):
    cache, computed = rm.ScopedCache(), []
    for _ in range(3):
        found = cache.get_or_compute("k", lambda: computed.append(1) or value)
        assert found is value
    assert len(computed) == 1


def test_c205_different_arguments_are_different_keys():
    calls = [(1, 23), (12, 3), ("a", "bc"), ("ab", "c"), (("a", ("b",)),), (("a", "b"),), (1,), ("1",)]
    cache = rm.ScopedCache()
    for call in calls:
        cache.get_or_compute(call, lambda call=call: call)
    assert len(cache) == 8
    assert all(cache.get(call) == call for call in calls)


def test_c206_equal_numbers_are_one_key_unless_their_type_is_part_of_it():
    cache, typed = rm.ScopedCache(), rm.ScopedCache()
    for number in (1, 1.0, True):
        cache.get_or_compute(number, lambda: "once")
        typed.get_or_compute((type(number), number), lambda: "each")
    assert (cache.stats().misses, typed.stats().misses) == (1, 3)


def test_c208_reading_does_not_lengthen_life():
    clock = ManualClock()
    cache = rm.ScopedCache(capacity=2, ttl=10.0, clock=clock)
    cache.set("a", 1)
    clock.now = 8.0
    assert cache.get("a") == 1
    clock.now = 12.0
    assert cache.get("a") is None


def test_c209_a_caller_cannot_change_the_cached_vector():
    cache = rm.QueryEmbeddingCache()
    first = cache.embed("m", "q", lambda _: [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 99.0
    with pytest.raises(ValueError, match="read-only"):
        first /= np.linalg.norm(first)
    assert cache.embed("m", "q", lambda _: 1 / 0).tolist() == [1.0, 2.0, 3.0]


def test_c210_what_changes_the_vector_is_in_the_models_name():
    cache, computed = rm.QueryEmbeddingCache(), []
    for model in ("m1", "m2", "m1 query: ", "m1 passage: ", "m1"):
        cache.embed(model, "q", lambda _: computed.append(1) or [1.0])
    assert (len(computed), cache.hits) == (4, 1)


def test_c211_dimensions_are_in_the_models_name():
    cache = rm.QueryEmbeddingCache()
    lengths = [cache.embed(f"m1@{n}", "q", lambda _, n=n: np.ones(n)).size for n in (256, 512)]
    assert lengths == [256, 512]


def test_c212_a_cycle_through_the_cache_is_collected():
    class Holder:
        pass

    holder = Holder()
    holder.cache = rm.ScopedCache()
    holder.cache.set("holder", holder)
    seen = weakref.ref(holder)
    del holder
    gc.collect()
    assert seen() is None
