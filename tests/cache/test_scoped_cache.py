"""`ScopedCache` and the reference keep one contract, and stay equal whatever is done to them."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import time

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import rankmeld as rm
from cache.contract import CacheContract, ManualClock
from reference.cache import ReferenceCache


class TestScopedCache(CacheContract):
    """The library's."""

    def make_cache(self, **options):
        return rm.ScopedCache(**options)


class TestReference(CacheContract):
    """The oracle's."""

    def make_cache(self, **options):
        return ReferenceCache(**options)


class TestSubclass(CacheContract):
    """One with attributes and an `__init__` of its own."""

    class Named(rm.ScopedCache):
        def __init__(self, **_options):
            self.name = "mine"

    def make_cache(self, **options):
        cache = self.Named(**options)
        assert cache.name == "mine"
        return cache


class Label(str):
    """A `str` of another class, equal to the plain one."""

    __slots__ = ()


KEYS = st.sampled_from(
    [
        *["a", "a:1", "a:2", "ab", "", "é", "e\u0301", "日本", "\ud800", "\ud800x", Label("a:1"), Label("z")],
        *[0, 1, 1.0, -1, 2**61 - 1, 2**61, None, (), ("a", 1), b"a", frozenset({1})],
    ]
)
PREFIXES = st.sampled_from(["", "a", "a:", "é", "\ud800", "z", "日"])


class Twins(RuleBasedStateMachine):
    """One step on both, one answer of both."""

    @initialize(capacity=st.integers(1, 6), ttl=st.sampled_from([1.0, 3.0, 10.0, None]))
    def begin(self, capacity, ttl):
        self.clock = ManualClock()
        options = {"capacity": capacity, "ttl": ttl, "clock": self.clock, "sizer": int}
        self.ours, self.reference = rm.ScopedCache(**options), ReferenceCache(**options)

    def same(self, call):
        ours, reference = call(self.ours), call(self.reference)
        assert ours == reference

    @rule(step=st.sampled_from([0.25, 0.5, 1.0, 2.5, 9.0, -0.5, -1.5, -20.0]))
    def time_passes(self, step):
        self.clock.now += step

    @rule(key=KEYS, value=st.integers(0, 9))
    def set(self, key, value):
        self.same(lambda cache: cache.set(key, value))

    @rule(key=KEYS)
    def get(self, key):
        self.same(lambda cache: cache.get(key, "absent"))

    @rule(key=KEYS)
    def look(self, key):
        self.same(lambda cache: (key in cache, cache.peek(key)))

    @rule(key=KEYS, value=st.integers(0, 9))
    def compute(self, key, value):
        self.same(lambda cache: cache.get_or_compute(key, lambda: value))

    @rule(key=KEYS)
    def delete(self, key):
        self.same(lambda cache: cache.delete(key))

    @rule(prefix=PREFIXES)
    def purge(self, prefix):
        self.same(lambda cache: cache.purge_prefix(prefix))

    @rule()
    def clear(self):
        self.same(lambda cache: cache.clear())

    @rule()
    def count(self):
        self.same(lambda cache: (len(cache), cache.counts(), [(repr(k), v) for k, v in cache.items()]))

    @invariant()
    def never_too_full(self):
        if hasattr(self, "ours"):
            assert len(self.ours.items()) == len(self.reference) <= self.reference.capacity


TestTwins = Twins.TestCase
TestTwins.settings = settings(max_examples=max(200, settings().max_examples), stateful_step_count=60)


def test_the_default_clock_is_the_monotonic_one(monkeypatch):
    cache = rm.ScopedCache(ttl=0.05)
    monkeypatch.setattr(time, "monotonic", lambda: pytest.fail("the default clock is not called"))
    cache.set("a", 1)
    assert cache.get("a") == 1
    time.sleep(0.06)
    assert "a" not in cache
    assert cache.get("a") is None
    cache.set("a", 2)
    time.sleep(0.06)
    assert len(cache) == 0


def test_reads_shortly_before_the_end_still_hit():
    cache = rm.ScopedCache(ttl=0.3)
    cache.set("a", 1)
    since = time.monotonic()
    # Through the last tenth of a second, in which the coarse clock no longer decides.
    while (age := time.monotonic() - since) < 0.28:
        assert cache.get("a") == 1, age
    time.sleep(0.05)
    assert cache.get("a") is None


def test_a_capacity_beyond_all_memory_costs_nothing():
    cache = rm.ScopedCache(capacity=10**30)
    cache.set("a", 1)
    assert cache.get("a") == 1


def test_stats_and_repr():
    cache = rm.ScopedCache(capacity=1, sizer=lambda _: 3)
    cache.set("a", 1)
    cache.set("b", 1)
    cache.get("b")
    cache.get("a")
    assert cache.stats() == rm.CacheStats(1, 1, 1, 0, 1, 3)
    assert cache.stats().hit_ratio == 0.5
    assert rm.ScopedCache().stats().hit_ratio == 0.0
    assert repr(cache) == "ScopedCache(1 entries, 1 hits, 1 misses)"


def test_growing_to_many_entries():
    cache = rm.ScopedCache(capacity=100_000, ttl=None)
    for i in range(250_000):
        cache.set(i, i)
    assert len(cache) == 100_000
    assert all(cache.get(i) == i for i in range(150_000, 250_000))
    assert cache.stats().evictions == 150_000


def refusals():
    cache = rm.ScopedCache()
    told = lambda reading: rm.ScopedCache(clock=lambda: reading)  # noqa: E731
    sized = lambda size: rm.ScopedCache(sizer=lambda _: size)  # noqa: E731
    return {
        "capacity is 0; it must be above zero": lambda: rm.ScopedCache(capacity=0),
        "capacity is -5; it must be above zero": lambda: rm.ScopedCache(capacity=-5),
        "ttl is 0.0; it must be above zero, or None for no expiry": lambda: rm.ScopedCache(ttl=0),
        "ttl is nan; it must be above zero, or None for no expiry": lambda: rm.ScopedCache(ttl=float("nan")),
        "ttl is -inf; it must be above zero, or None for no expiry": lambda: rm.ScopedCache(ttl=-1e999),
        "clock gave nan; it must give finite seconds": lambda: told(float("nan")).set("a", 1),
        "clock gave inf; it must give finite seconds": lambda: len(told(float("inf"))),
        "sizer gave -1; it must give the bytes of a value, an integer that is not negative": (
            lambda: sized(-1).set("a", 1)
        ),
        "sizer gave 'x'; it must give the bytes of a value, an integer that is not negative": (
            lambda: sized("x").set("a", 1)
        ),
        "capacity must be an integer, not float": lambda: rm.ScopedCache(capacity=1.5),
        "capacity must be an integer, not bool": lambda: rm.ScopedCache(capacity=True),
        "ttl must be a number of seconds or None, not str": lambda: rm.ScopedCache(ttl="1"),
        "ttl must be a number of seconds or None, not bool": lambda: rm.ScopedCache(ttl=True),
        "clock must be a callable that gives seconds, not float": lambda: rm.ScopedCache(clock=1.0),
        "sizer must be a callable value -> bytes, not int": lambda: rm.ScopedCache(sizer=1),
        "clock gave a str; it must give seconds": lambda: told("now").get("a"),
        "prefix must be a str, not bytes": lambda: cache.purge_prefix(b"a"),
        "unhashable type: 'list'": lambda: cache.get([]),
        "a ScopedCache cannot be pickled or copied; make a new one": lambda: pickle.dumps(cache),
    }


@pytest.mark.parametrize("message", refusals())
def test_refusals_say_what_to_do(message):
    call = refusals()[message]
    value = message.startswith(("capacity is", "ttl is", "clock gave nan", "clock gave inf", "sizer gave"))
    with pytest.raises(rm.InvalidArgumentError if value else TypeError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("call", ["get", "peek", "set", "delete", "get_or_compute", "__contains__"])
def test_unhashable_keys_are_refused_everywhere(call):
    arguments = {"set": (1,), "get_or_compute": (lambda: 1,)}.get(call, ())
    with pytest.raises(TypeError, match="unhashable type: 'dict'"):
        getattr(rm.ScopedCache(), call)({}, *arguments)


def test_a_clock_that_raises_changes_nothing():
    readings = iter([0.0])
    cache = rm.ScopedCache(clock=lambda: next(readings))
    cache.set("a", 1)
    for call in (lambda: cache.get("a"), lambda: cache.set("b", 1), lambda: len(cache)):
        with pytest.raises(StopIteration):
            call()


def test_copies_are_refused():
    with pytest.raises(TypeError, match="cannot be pickled or copied"):
        copy.copy(rm.ScopedCache())


def test_unknown_and_positional_arguments_are_refused():
    with pytest.raises(TypeError):
        rm.ScopedCache(size=3)
    with pytest.raises(TypeError):
        rm.ScopedCache(3)


def test_rankmeld_alone_loads_no_cache():
    """Each is fetched when it is asked for; nothing of it slows an import down."""
    program = (
        "import sys, rankmeld\n"
        "modules = {'rankmeld.' + name for name in ('scoped_cache', 'embedding_cache', 'single_flight')}\n"
        "loaded = modules & set(sys.modules)\n"
        "from rankmeld import CacheStats, QueryEmbeddingCache, ScopedCache, query_embedding_cache_key\n"
        "sys.exit(str(loaded) if loaded else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
