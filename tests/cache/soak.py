"""Eight threads on one small cache, for as long as one likes; memory must stay flat.

    python tests/cache/soak.py 600

Prints the resident memory as it goes, and ends with an error if it grows or an answer is wrong.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import rankmeld as rm

THREADS = 8
CAPACITY = 200
#: What allocators may keep back; one leaked value of each operation would be gigabytes in ten minutes.
GROWTH = 8 * 1024 * 1024


class Value:
    """A value with a payload, in a cycle, whose end comes back to the cache."""

    def __init__(self, cache, key):
        self.cache, self.key, self.me, self.payload = cache, key, self, bytes(500)

    def __del__(self):
        self.cache.get(self.key)


def resident() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def worker(number, cache, vectors, until):
    draw = random.Random(number)

    async def ask_in_task(key):
        async def load():
            await asyncio.sleep(0)
            return Value(cache, key)

        return await cache.aget_or_compute(key, load)

    while time.monotonic() < until:
        name = draw.randrange(400)
        key = f"scope{name % 7}:{name}" if name % 3 else (name, "tuple")
        chance = draw.random()
        found = None
        if chance < 0.55:
            found = cache.get(key)
        elif chance < 0.75:
            cache.set(key, Value(cache, key))
        elif chance < 0.9:
            found = cache.get_or_compute(key, lambda key=key: Value(cache, key))
        elif chance < 0.901:
            found = asyncio.run(ask_in_task(key))
        elif chance < 0.98:
            assert vectors.embed("m", str(name), lambda text: [float(text)] * 64)[0] == name
        elif chance < 0.99:
            cache.delete(key)
            assert len(cache) <= CAPACITY
        else:
            cache.purge_prefix(f"scope{name % 7}:1")
        assert found is None or found.key == key, (found.key, key)


def soak(seconds: float, report=lambda _: None) -> None:
    cache = rm.ScopedCache(capacity=CAPACITY, ttl=0.05)
    vectors = rm.QueryEmbeddingCache(capacity=100, ttl=0.05)
    started = time.monotonic()
    memory = []
    for part in range(1, 11):
        until = started + seconds * part / 10
        with ThreadPoolExecutor(THREADS) as pool:
            work = [pool.submit(worker, number * part, cache, vectors, until) for number in range(THREADS)]
        for done in work:
            done.result()
        gc.collect()
        memory.append(resident())
        report(f"{time.monotonic() - started:4.0f} s  {memory[-1] / 2**20:6.1f} MiB  {cache.stats()}")
    stats = cache.stats()
    assert min(stats.hits, stats.misses, stats.evictions, stats.expirations) > 0
    assert memory[-1] - memory[1] < GROWTH, memory


if __name__ == "__main__":
    soak(float(sys.argv[1]) if len(sys.argv) > 1 else 600.0, lambda line: print(line, flush=True))  # noqa: T201 - for whom runs it
