"""An asynchronous store as one that waits, so that one contract serves both."""

from __future__ import annotations

import asyncio
import inspect
import threading


class Awaited:
    """A store whose methods are awaited by a loop of its own."""

    def __init__(self, make):
        self._make = make
        self._runner = asyncio.Runner()
        self._store = self._runner.run(make())

    def __getattr__(self, name):
        found = getattr(self._store, name)
        if not inspect.iscoroutinefunction(found):
            return found
        return lambda *args, **kwargs: self._runner.run(found(*args, **kwargs))

    def get(self, id, /):
        return self._runner.run(self._store.get(id))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._runner.run(self._store.close())
        self._runner.close()

    def __len__(self):
        if not self._runner.get_loop().is_running():
            return self._runner.run(self._store.count())
        counts = []  # asked from within a call, as `progress` may: somebody else looks meanwhile
        other = threading.Thread(target=lambda: counts.append(asyncio.run(self._count_elsewhere())))
        other.start()
        other.join()
        return counts[0]

    async def _count_elsewhere(self):
        async with await self._make() as store:
            return await store.count()

    def __contains__(self, id):
        return self._runner.run(self._store.contains(id))

    @property
    def model(self):
        return self._runner.run(self._store.model())

    @property
    def dimensions(self):
        return self._runner.run(self._store.dimensions())
