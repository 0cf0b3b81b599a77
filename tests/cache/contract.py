"""What every cache does. Subclass it and say how a cache is made."""

from __future__ import annotations

from typing import Any

import pytest


class ManualClock:
    """Stands still until it is told otherwise."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class CacheContract:
    """Reading, setting, recency, expiry, scopes, counters."""

    def make_cache(self, **options: Any) -> Any:
        raise NotImplementedError

    @pytest.fixture
    def clock(self):
        return ManualClock()

    @pytest.fixture
    def cache(self, clock):
        return self.make_cache(capacity=3, ttl=10.0, clock=clock)

    def test_what_was_set_is_got(self, cache):
        cache.set("a", 1)
        assert cache.get("a") == 1
        assert cache.get("b") is None
        assert cache.get("b", "default") == "default"
        assert cache.get("b", default=7) == 7

    @pytest.mark.parametrize("value", [None, 0, 0.0, "", [], False], ids=repr)
    def test_falsy_values_are_values(self, cache, value):
        cache.set("a", value)
        assert cache.get("a", "absent") is value
        assert "a" in cache
        assert cache.get_or_compute("a", lambda: "computed") is value

    def test_the_least_recently_used_goes_first(self, cache):
        for key in "abc":
            cache.set(key, key)
        assert cache.get("a") == "a"
        cache.set("d", "d")
        assert [key in cache for key in "abcd"] == [True, False, True, True]
        assert [key for key, _ in cache.items()] == ["c", "a", "d"]

    def test_a_set_is_a_use_and_in_and_peek_are_not(self, cache):
        for key in "abc":
            cache.set(key, key)
        cache.set("a", "A")
        assert "b" in cache
        assert cache.peek("b") == "b"
        cache.set("d", "d")
        assert cache.get("b") is None
        assert cache.get("a") == "A"

    def test_an_overwrite_evicts_nothing(self, cache):
        for key in "abc":
            cache.set(key, 1)
        for _ in range(10):
            cache.set("a", 2)
        assert len(cache) == 3
        assert cache.counts()[2] == 0

    def test_expired_at_the_very_moment(self, cache, clock):
        cache.set("a", 1)
        clock.now = 9.999
        assert cache.get("a") == 1
        clock.now = 10.0
        assert "a" not in cache
        assert cache.peek("a") is None
        assert len(cache) == 0
        assert cache.get("a") is None

    def test_a_read_of_an_expired_entry_is_a_miss_and_removes_it(self, cache, clock):
        cache.set("a", 1)
        clock.now = 11.0
        assert cache.get("a") is None
        assert cache.counts()[:5] == (0, 1, 0, 1, 0)

    def test_a_set_renews_the_age_and_a_get_does_not(self, cache, clock):
        cache.set("a", 1)
        cache.set("b", 1)
        clock.now = 8.0
        cache.set("a", 2)
        assert cache.get("b") == 1
        clock.now = 12.0
        assert cache.get("a") == 2
        assert cache.get("b") is None

    def test_a_full_cache_gives_up_the_expired_before_the_living(self, cache, clock):
        cache.set("old", 1)
        clock.now = 6.0
        cache.set("b", 2)
        cache.set("c", 3)
        cache.get("old")  # the most recently used one
        clock.now = 11.0
        cache.set("d", 4)
        assert [key for key, _ in cache.items()] == ["b", "c", "d"]
        assert cache.counts()[2:4] == (0, 1)

    def test_time_none_never_ends(self, clock):
        for ttl in (None, float("inf")):
            cache = self.make_cache(capacity=2, ttl=ttl, clock=clock)
            cache.set("a", 1)
            clock.now += 1e300
            assert cache.get("a") == 1

    def test_a_clock_that_goes_back_makes_no_age_negative_and_keeps_nothing(self, cache, clock):
        clock.now = 1e9
        cache.set("a", 1)
        clock.now = 0.0
        assert cache.get("a") == 1
        cache.set("b", 2)
        clock.now = 9.0
        assert (cache.get("a"), cache.get("b")) == (1, 2)
        clock.now = 10.0
        assert (cache.get("a"), cache.get("b")) == (None, None)

    @pytest.mark.parametrize("height", [1e16, 1.8e18, 1e300])
    def test_one_reading_that_is_far_too_high_stops_no_time(self, cache, clock, height):
        clock.now = height
        cache.set("a", 1)
        clock.now = 100.0
        cache.set("b", 2)
        clock.now = 109.0
        assert (cache.get("a"), cache.get("b")) == (1, 2)
        clock.now = 110.0
        assert (cache.get("a"), cache.get("b"), len(cache)) == (None, None, 0)

    @pytest.mark.parametrize("call", ["set", "get", "peek", "__contains__", "__len__"])
    def test_a_clock_that_swings_keeps_nothing_for_ever(self, cache, clock, call):
        cache.set("a", 1)
        for _ in range(6):
            for clock.now in (5.0, 0.0):
                arguments = {"set": ("other", 1), "__len__": ()}.get(call, ("a",))
                getattr(cache, call)(*arguments)
        assert cache.get("a") is None

    def test_scopes_are_purged_by_their_beginnings(self, cache):
        for key in ("a:1", "a:2", "b:1"):
            cache.set(key, key)
        assert cache.purge_prefix("a:") == 2
        assert cache.purge_prefix("a:") == 0
        assert [key for key, _ in cache.items()] == ["b:1"]
        assert cache.purge_prefix("") == 1

    def test_a_purge_counts_the_living_only(self, cache, clock):
        cache.set("a:1", 1)
        clock.now = 5.0
        cache.set("a:2", 1)
        clock.now = 12.0
        assert cache.purge_prefix("a:") == 1

    def test_a_purge_leaves_keys_that_are_no_text(self, cache):
        cache.set(("a",), 1)
        cache.set(b"a", 2)
        cache.set("ab", 3)
        assert cache.purge_prefix("a") == 1
        assert len(cache) == 2

    def test_delete_and_clear(self, cache, clock):
        cache.set("a", 1)
        cache.set("b", 1)
        assert cache.delete("a") is True
        assert cache.delete("a") is False
        cache.clear()
        assert len(cache) == 0
        cache.set("a", 2)
        clock.now = 20.0
        assert cache.delete("a") is False
        assert cache.items() == []

    def test_counters_stay_over_a_clear(self, cache):
        cache.set("a", 1)
        cache.get("a")
        cache.get("b")
        cache.clear()
        assert cache.counts()[:5] == (1, 1, 0, 0, 0)

    def test_bytes_are_those_of_the_living(self, clock):
        cache = self.make_cache(capacity=2, ttl=10.0, clock=clock, sizer=len)
        cache.set("a", "xxxx")
        cache.set("b", "xx")
        assert cache.counts()[5] == 6
        cache.set("a", "x")
        assert cache.counts()[5] == 3
        cache.set("c", "xxx")
        assert cache.counts()[5] == 4
        clock.now = 20.0
        assert cache.counts()[5] == 0
        assert self.make_cache(clock=clock).counts()[5] is None

    def test_keys_are_those_of_a_dict(self, clock):
        cache = self.make_cache(clock=clock)
        cache.set(1, "one")
        cache.set("1", "text")
        assert cache.get(1.0) == cache.get(True) == "one"
        cache.set(1.0, "uno")
        assert cache.items() == [("1", "text"), (1, "uno")]
        assert type(cache.items()[1][0]) is int  # the key that came first
        nan = float("nan")
        cache.set(nan, 1)
        assert cache.get(nan) == 1
        assert cache.get(float("nan")) is None

    @pytest.mark.parametrize("options", [{"capacity": 0}, {"capacity": -1}, {"ttl": 0}, {"ttl": -1.0}])
    def test_not_above_zero_is_refused(self, clock, options):
        with pytest.raises(ValueError, match="above zero"):
            self.make_cache(clock=clock, **options)
