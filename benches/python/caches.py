"""Caches: what one operation costs, how good the policy is, and whether size matters."""

from __future__ import annotations

import importlib.util
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import rankmeld as rm

from .harness import Case, Effort, Group, Result, Verdict, measure
from .workloads import SEED, fresh

CAPACITY = 10_000
TTL = 600.0
_KEYS = 10 * CAPACITY
_VALUE = [1, 2, 3]
_OURS = "rankmeld.ScopedCache"
_PEER = "cachebox.TTLCache"
_BY_HAND = "OrderedDict and lock, by hand"

Get = Callable[[Any], Any]
Set = Callable[[Any, Any], Any]
#: How one makes a cache of a capacity: its `get` and its `set`.
Factory = Callable[[int], tuple[Get, Set]]


class ByHand:
    """What people write: an ordered dict, a lock, the time beside each value."""

    def __init__(self, capacity: int) -> None:
        self.entries: OrderedDict[Any, tuple[float, Any]] = OrderedDict()
        self.capacity = capacity
        self.lock = threading.Lock()

    def get(self, key: Any) -> Any:
        with self.lock:
            entry = self.entries.get(key)
            if entry is None:
                return None
            if entry[0] < time.monotonic():
                del self.entries[key]
                return None
            self.entries.move_to_end(key)
            return entry[1]

    def set(self, key: Any, value: Any) -> None:
        with self.lock:
            self.entries[key] = (time.monotonic() + TTL, value)
            self.entries.move_to_end(key)
            if len(self.entries) > self.capacity:
                self.entries.popitem(last=False)


def _ours(capacity: int) -> tuple[Get, Set]:
    cache = rm.ScopedCache(capacity=capacity, ttl=TTL)
    return cache.get, cache.set


def _by_hand(capacity: int) -> tuple[Get, Set]:
    cache = ByHand(capacity)
    return cache.get, cache.set


def _cachebox(capacity: int) -> tuple[Get, Set]:
    import cachebox  # noqa: PLC0415 - a peer, which may be absent

    cache = cachebox.TTLCache(capacity, global_ttl=TTL)
    return cache.get, cache.__setitem__


def _cachetools(capacity: int) -> tuple[Get, Set]:
    import cachetools  # noqa: PLC0415 - a peer, which may be absent

    cache, lock = cachetools.TTLCache(capacity, TTL), threading.RLock()

    def get(key: Any) -> Any:
        with lock:
            return cache.get(key)

    def set(key: Any, value: Any) -> None:  # noqa: A001 - as the caches call it
        with lock:
            cache[key] = value

    return get, set


_PEERS = {"cachebox": (_PEER, _cachebox), "cachetools": ("cachetools.TTLCache and lock", _cachetools)}


@dataclass(frozen=True)
class Trace:
    """Keys as a service asks for them; hashes are known, as of a key that is used twice."""

    resident: list[str]
    hit: list[str]
    miss: list[str]
    new: list[str]
    mixed: list[tuple[str, bool]]

    @classmethod
    def of(cls, operations: int) -> Trace:
        rng = np.random.default_rng([SEED, CAPACITY])
        keys = [f"search:{i:06d}:{int(rng.integers(2**62)):020x}:q" for i in range(_KEYS)]
        steps = np.cumsum(1.0 / np.arange(1, _KEYS + 1))
        ranks = np.minimum(np.searchsorted(steps, rng.random(operations) * steps[-1]), _KEYS - 1)
        zipf = rng.permutation(_KEYS)[ranks]
        sets = rng.random(operations) < 0.1
        return cls(
            resident=keys[:CAPACITY],
            hit=[keys[i] for i in rng.integers(0, CAPACITY, operations)],
            miss=[keys[i] for i in rng.integers(CAPACITY, 2 * CAPACITY, operations)],
            new=[keys[2 * CAPACITY + i % (8 * CAPACITY)] for i in range(operations)],
            mixed=[(keys[i], bool(is_set)) for i, is_set in zip(zipf, sets, strict=True)],
        )


def run(*, quick: bool) -> Iterator[Result]:
    """100,000 operations a sample on 10,000 entries; then growth to a million."""
    trace = Trace.of(20_000 if quick else 100_000)
    factories: dict[str, Factory] = {_OURS: _ours, _BY_HAND: _by_hand}
    if not quick:
        factories |= {name: f for module, (name, f) in _PEERS.items() if importlib.util.find_spec(module)}
    effort = Effort(0.5, 3) if quick else Effort(8.0, 12)
    for title, line in _lines(trace, factories):
        cases = [replace(case, entries=len(trace.hit)) for case in line]
        yield _judged(measure(Group(title, cases, _BY_HAND), effort), by_wall="threads" in title)
    yield _policy(trace, factories)
    yield _growth([10**power for power in range(3, 6 if quick else 7)], effort)


def _lines(trace: Trace, factories: dict[str, Factory]) -> Iterator[tuple[str, list[Case]]]:
    """Each line of operations on caches that hold the resident keys."""

    def full(factory: Factory) -> tuple[Get, Set]:
        get, put = factory(CAPACITY)
        for key in trace.resident:
            put(key, _VALUE)
        return get, put

    def line(loop: Callable[[Get, Set], Any], check: Callable[[Any], None]) -> list[Case]:
        caches = {name: full(factory) for name, factory in factories.items()}
        return [Case(name, lambda c=cache: loop(*c), check) for name, cache in caches.items()]

    def all_found(found: int) -> None:
        assert found == len(trace.hit), found

    def none_found(found: int) -> None:
        assert found == 0, found

    yield "get, hit", line(lambda get, _: _gets(get, trace.hit), all_found)
    caches = {name: full(factory) for name, factory in factories.items()}
    yield (
        "get, hit, keys made anew",
        [
            Case(
                name,
                lambda keys, get=get: _gets(get, keys),
                all_found,
                prepare=lambda: [fresh(key) for key in trace.hit],
            )
            for name, (get, _) in caches.items()
        ],
    )
    yield "get, miss", line(lambda get, _: _gets(get, trace.miss), none_found)
    yield "set, key present", line(lambda get, put: _sets(get, put, trace.hit), _is_value)
    yield "set, evicting", line(lambda get, put: _sets(get, put, trace.new), _is_value)
    yield "90% get, 10% set, Zipf", line(lambda get, put: _mixed(get, put, trace.mixed), _is_value)
    parts = [trace.mixed[i::4] for i in range(4)]
    yield "90% get, 10% set, Zipf, 4 threads", line(lambda get, put: _threads(get, put, parts), _is_value)


def _is_value(value: Any) -> None:
    assert value is _VALUE, value


def _gets(get: Get, keys: list[str]) -> int:
    """Look all up; then, outside the loop that counts, how many of the last few were there."""
    for key in keys:
        get(key)
    found = sum(get(key) is not None for key in keys[-10:])
    return len(keys) if found == min(10, len(keys)) else found


def _sets(get: Get, put: Set, keys: list[str]) -> Any:
    for key in keys:
        put(key, _VALUE)
    return get(keys[-1])


def _mixed(get: Get, put: Set, steps: list[tuple[str, bool]]) -> Any:
    key = ""
    for key, is_set in steps:
        if is_set:
            put(key, _VALUE)
        else:
            get(key)
    put(key, _VALUE)
    return get(key)


def _threads(get: Get, put: Set, parts: list[list[tuple[str, bool]]]) -> Any:
    threads = [threading.Thread(target=_mixed, args=(get, put, part)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return _mixed(get, put, parts[0][:1])


def _judged(result: Result, *, by_wall: bool) -> Result:
    """Beside the fastest that people use; several threads are judged by the clock on the wall."""
    timings = {timing.case.name: timing for timing in result.timings}
    if _PEER not in timings:
        return result
    ours, peer = timings[_OURS], timings[_PEER]
    share = ours.wall_min / peer.wall_min if by_wall else ours.cpu_min / peer.cpu_min
    return replace(result, verdicts=[Verdict(f"{result.title}, against {_PEER}", 1.0, share)])


def _policy(trace: Trace, factories: dict[str, Factory]) -> Result:
    """Hits of a second pass over the Zipf trace, every miss being set."""
    ratios = {}
    for name, factory in factories.items():
        get, put = factory(CAPACITY)
        for _ in range(2):
            hits = 0
            for key, _is_set in trace.mixed:
                if get(key) is None:
                    put(key, _VALUE)
                else:
                    hits += 1
        ratios[name] = hits / len(trace.mixed)
    note = ", ".join(f"{name} {ratio:.4f}" for name, ratio in ratios.items())
    case = Case(_OURS, lambda: ratios[_OURS], None, note=f"hit ratios: {note}")
    lost = ratios[_BY_HAND] - ratios[_OURS]
    result = measure(Group("hit ratio on the Zipf trace", [case], _OURS), Effort(0.0, 1, 1))
    return replace(result, verdicts=[Verdict("hit ratio lost against an LRU", 0.0, lost)])


def _growth(sizes: list[int], effort: Effort) -> Result:
    """The same number of reads and evicting sets on caches of all sizes, and reads of a dict.

    Random places of a large table lie outside the processor's caches, a dict's too: what grows beyond
    a dict's own time is the cache's.
    """
    cases = []
    for size in sizes:
        get, put = _ours(size)
        plain: dict[str, Any] = {}
        keys = [f"key:{i:012d}" for i in range(2 * size)]
        for key in keys:
            put(key, _VALUE)
            plain[key] = _VALUE
        drawn = np.random.default_rng([SEED, size]).integers(size, 2 * size, 20_000).tolist()
        hit = [keys[i] for i in drawn]
        new = [keys[i % size] for i in drawn]
        for kind, loop in (
            ("dict", lambda plain=plain, hit=hit: _gets(plain.get, hit)),
            ("hit", lambda get=get, hit=hit: _gets(get, hit)),
            ("set", lambda get=get, put=put, new=new: _sets(get, put, new)),
        ):
            cases.append(Case(f"{kind}, {size:,}", loop, _grown, entries=20_000))
    result = measure(Group("ScopedCache by capacity", cases, cases[0].name), effort)
    by_name = {timing.case.name: timing for timing in result.timings}
    first, last = sizes[0], sizes[-1]

    def exponent(kind: str) -> float:
        few, many = by_name[f"{kind}, {first:,}"], by_name[f"{kind}, {last:,}"]
        return math.log(many.cpu_min / few.cpu_min) / math.log(last / first)

    beyond = f"{first:,} to {last:,} entries, exponent of growth beyond a dict's"
    verdicts = [
        Verdict(f"{kind}, {beyond}", 0.1, exponent(kind) - exponent("dict")) for kind in ("hit", "set")
    ]
    return replace(result, verdicts=verdicts)


def _grown(found: Any) -> None:
    assert found is _VALUE or found == 20_000, found
