"""A bounded cache whose entries expire, for threads and event loops at once."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, NoReturn, Self, SupportsIndex, TypeVar

from rankmeld._core import Cache
from rankmeld._options import as_float, as_integer
from rankmeld.errors import InvalidArgumentError
from rankmeld.single_flight import MISSING, SingleFlight

__all__ = ["CacheStats", "ScopedCache"]

T = TypeVar("T")

#: The clock that the core reads by itself; whoever replaces it in `time` gets what they set.
_MONOTONIC = time.monotonic


@dataclass(frozen=True, slots=True)
class CacheStats:
    """What a cache has done, and what it holds.

    Attributes
    ----------
    hits, misses : int
        Reads (`get`, `get_or_compute`) that found a living entry, and those that did not.
    evictions : int
        Living entries that went because the cache was full.
    expirations : int
        Entries that were taken out because their time was over.
    entries : int
        Living entries.
    bytes : int or None
        Sum of what the sizer gave for the living entries; ``None`` without a sizer.

    Examples
    --------
    >>> CacheStats(hits=3, misses=1, evictions=0, expirations=0, entries=1, bytes=None).hit_ratio
    0.75
    """

    hits: int
    misses: int
    evictions: int
    expirations: int
    entries: int
    bytes: int | None

    @property
    def hit_ratio(self) -> float:
        """Hits among all reads; 0.0 before the first."""
        reads = self.hits + self.misses
        return self.hits / reads if reads else 0.0


class ScopedCache(Cache):
    """Least recently used goes first, and nothing stays longer than its time.

    Every method may be called from many threads at once, and from event loops. No lock is held
    while code of keys, values, loaders or the sizer runs. All operations take constant time
    (amortized), but `purge_prefix`, `items` and `clear`, which look at every entry.

    An entry expires when ``clock() - set >= ttl``: a set renews recency and age, a `get` recency
    only, ``in`` and `peek` neither. An expired entry is a miss. A full cache gives up expired
    entries before living ones, and an overwrite never evicts another key. Expired entries take
    up room until they are read, make room for others, or ``len`` or `stats` counts the living.

    Parameters
    ----------
    capacity : int, default 256
        How many entries there are at the most; above zero.
    ttl : float or None, default 300.0
        Seconds that an entry lives; above zero. ``None`` or infinite: entries do not expire.
    clock : callable, default time.monotonic
        ``clock()`` gives seconds from any fixed moment. A clock that is set back takes nothing
        back: time goes on from where it was, so no age is negative and nothing lives for ever.
    sizer : callable, optional
        ``sizer(value)`` gives the bytes that a value counts for in `stats`.

    Raises
    ------
    InvalidArgumentError
        `capacity` or `ttl` is not above zero.
    TypeError
        An argument is of the wrong kind; on a call: a key cannot be hashed.

    Notes
    -----
    Keys are scoped by their beginnings, as in ``"tenant-7:search:..."``; `purge_prefix` drops a
    scope. Any hashable is a key: as in a `dict`, 1, 1.0 and True are one key. Arguments that make
    up a key are best kept apart as a tuple.

    Examples
    --------
    >>> cache = ScopedCache(capacity=2, ttl=60.0)
    >>> cache.set("search:one", None)
    >>> cache.get("search:one", "absent") is None  # None is a value like any other
    True
    >>> cache.get_or_compute("search:two", lambda: 2)
    2
    >>> cache.purge_prefix("search:"), len(cache)
    (2, 0)
    """

    __slots__ = ("__weakref__", "_flights")
    _flights: SingleFlight

    def __new__(  # noqa: D102 - the class tells
        cls,
        *,
        capacity: SupportsIndex = 256,
        ttl: float | None = 300.0,
        clock: Callable[[], float] = time.monotonic,
        sizer: Callable[[Any], int] | None = None,
    ) -> Self:
        if not callable(clock):
            raise TypeError(f"clock must be a callable that gives seconds, not {type(clock).__name__}")
        if sizer is not None and not callable(sizer):
            raise TypeError(f"sizer must be a callable value -> bytes, not {type(sizer).__name__}")
        told = None if clock is _MONOTONIC else clock
        cache = super().__new__(cls, as_capacity(capacity), as_ttl(ttl), told, sizer)
        cache._flights = SingleFlight()
        return cache

    def get_or_compute(self, key: Hashable, fn: Callable[[], T]) -> T:
        """The value of a key, made and set by ``fn()`` where there is none.

        Concurrent callers of one key, threads and tasks alike, cause one call; what it raises goes
        to all who waited, nothing is set, and the next call tries again. Who is interrupted or
        cancelled while making the value passes the turn on to somebody who waits.

        Parameters
        ----------
        key : Hashable
            The key.
        fn : callable
            Makes the value. It may use the cache, but not ask for the key that it is making, nor
            wait in a circle with others.

        Raises
        ------
        RankmeldError
            `fn` asked for its own key, directly or through another key's: waiting would never end.
        TypeError
            `fn` gave an awaitable (see `aget_or_compute`), or the key cannot be hashed.
        """
        value = self.get(key, MISSING)
        if value is MISSING:
            value = self._flights.run(key, fn, self._found, self.set)
        made: T = value
        return made

    async def aget_or_compute(self, key: Hashable, fn: Callable[[], Awaitable[T] | T]) -> T:
        """As `get_or_compute`, for tasks: ``fn()`` may give an awaitable, which is awaited.

        Tasks of any event loop and threads share one call. A plain function is called as it is and
        blocks the loop; wrap it in `asyncio.to_thread` if it is slow.
        """
        value = self.get(key, MISSING)
        if value is MISSING:
            value = await self._flights.arun(key, fn, self._found, self.set)
        made: T = value
        return made

    def stats(self) -> CacheStats:
        """Counters since the cache was made, and what is living now."""
        return CacheStats(*self.counts())

    def _found(self, key: Hashable) -> Any:
        """What is there by now, for one who was told that nothing is."""
        return self.peek(key, MISSING)

    def __repr__(self) -> str:
        """How full it is, and how it does."""
        stats = self.stats()
        return f"{type(self).__name__}({stats.entries} entries, {stats.hits} hits, {stats.misses} misses)"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """A copy would share nothing with the cache: neither its entries' time nor who waits."""
        raise TypeError(f"a {type(self).__name__} cannot be pickled or copied; make a new one")


def as_capacity(value: SupportsIndex) -> int:
    """How many entries: an integer above zero."""
    capacity = as_integer(value, "capacity")
    if isinstance(value, bool):
        raise TypeError("capacity must be an integer, not bool")
    if capacity <= 0:
        raise InvalidArgumentError(f"capacity is {capacity}; it must be above zero")
    return min(capacity, 2**32)


def as_ttl(value: float | None) -> float:
    """How long an entry lives: seconds above zero, infinite for `None`."""
    if value is None:
        return float("inf")
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"ttl must be a number of seconds or None, not {type(value).__name__}")
    ttl = as_float(value)
    if not ttl > 0.0:
        raise InvalidArgumentError(f"ttl is {ttl}; it must be above zero, or None for no expiry")
    return ttl
