"""A cache that expires, as a plain ordered dict: slow where it counts, obvious everywhere."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from .errors import Refused


@dataclass
class Entry:
    """A value, when it was set and what it counts for."""

    value: Any
    since: float
    size: int


class ReferenceCache:
    """The least recently used key stands first in `entries`."""

    def __init__(
        self,
        *,
        capacity: int = 256,
        ttl: float | None = 300.0,
        clock: Callable[[], float],
        sizer: Callable[[Any], int] | None = None,
    ) -> None:
        if not capacity > 0 or (ttl is not None and not ttl > 0):
            raise Refused("capacity and ttl must be above zero")
        self.capacity = capacity
        self.ttl = float("inf") if ttl is None else ttl
        self.clock = clock
        self.sizer = sizer
        self.entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self.time = float("-inf")
        self.hits = self.misses = self.evictions = self.expirations = 0

    def now(self) -> float:
        """The time; where the clock was set back, so are the entries, whose ages stay."""
        reading = self.clock()
        if self.time - reading > 1.0:
            for entry in self.entries.values():
                entry.since = reading - (self.time - entry.since)
            self.time = reading
        self.time = max(self.time, reading)
        return self.time

    def expired(self, entry: Entry) -> bool:
        return self.time - entry.since >= self.ttl

    def sweep(self) -> None:
        self.now()
        for key in [key for key, entry in self.entries.items() if self.expired(entry)]:
            del self.entries[key]
            self.expirations += 1

    def get(self, key: Hashable, default: Any = None) -> Any:
        entry = self.entries.get(key)
        if entry is not None:
            self.now()
            if self.expired(entry):
                del self.entries[key]
                self.expirations += 1
                entry = None
        if entry is None:
            self.misses += 1
            return default
        self.hits += 1
        self.entries.move_to_end(key)
        return entry.value

    def peek(self, key: Hashable, default: Any = None) -> Any:
        entry = self.entries.get(key)
        if entry is None:
            return default
        self.now()
        return default if self.expired(entry) else entry.value

    def set(self, key: Hashable, value: Any) -> None:
        size = 0 if self.sizer is None else self.sizer(value)
        since = self.now()
        if key not in self.entries and len(self.entries) >= self.capacity:
            oldest = min(self.entries, key=lambda key: self.entries[key].since)
            if self.expired(self.entries[oldest]):
                del self.entries[oldest]
                self.expirations += 1
            else:
                self.entries.popitem(last=False)
                self.evictions += 1
        self.entries[key] = Entry(value, since, size)
        self.entries.move_to_end(key)

    def delete(self, key: Hashable) -> bool:
        living = key in self
        self.entries.pop(key, None)
        return living

    def purge_prefix(self, prefix: str) -> int:
        self.sweep()
        gone = [key for key in self.entries if isinstance(key, str) and key.startswith(prefix)]
        for key in gone:
            del self.entries[key]
        return len(gone)

    def clear(self) -> None:
        self.entries.clear()

    def items(self) -> list[tuple[Hashable, Any]]:
        self.sweep()
        return [(key, entry.value) for key, entry in self.entries.items()]

    def get_or_compute(self, key: Hashable, fn: Callable[[], Any]) -> Any:
        missing = object()
        value = self.get(key, missing)
        if value is missing:
            value = fn()
            self.set(key, value)
        return value

    def counts(self) -> tuple[int, int, int, int, int, int | None]:
        self.sweep()
        size = None if self.sizer is None else sum(entry.size for entry in self.entries.values())
        return self.hits, self.misses, self.evictions, self.expirations, len(self.entries), size

    def __len__(self) -> int:
        self.sweep()
        return len(self.entries)

    def __contains__(self, key: Hashable) -> bool:
        missing = object()
        return self.peek(key, missing) is not missing
