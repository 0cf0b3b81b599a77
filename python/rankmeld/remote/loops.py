"""Connections that belong to event loops, closed when the loop ends or nobody needs them any more."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, NamedTuple

__all__ = ["LoopBound", "Pools"]

#: Pools of connections by process and scheme; a forked process must not use those of its parent.
Pools = dict[tuple[int, str], Any]


class LoopBound:
    """The pools of connections of each event loop, closed in time.

    A loop that ends asks its asynchronous generators to finish (`asyncio.run` does so, as do servers). So for
    each loop there is one that does nothing but close the connections when it is finished. A loop that is
    closed without asking takes its pools along as soon as another one comes.
    """

    def __init__(self) -> None:
        self._kept: dict[asyncio.AbstractEventLoop, _Kept] = {}

    def __len__(self) -> int:
        """In how many loops there may be connections."""
        return len(self._kept)

    async def here(self) -> Pools:
        """Give the pools of the running event loop."""
        here = asyncio.get_running_loop()
        kept = self._kept.get(here)
        if kept is None:
            for loop in [loop for loop in list(self._kept) if loop.is_closed()]:
                self._kept.pop(loop, None)
            pools: Pools = {}
            kept = self._kept[here] = _Kept(pools, self._closing_at_the_end(here, pools))
            await anext(kept.keeper)
        return kept.pools

    async def _closing_at_the_end(
        self, loop: asyncio.AbstractEventLoop, pools: Pools
    ) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            self._kept.pop(loop, None)
            for (process, _), pool in list(pools.items()):
                if process == os.getpid():
                    await pool.aclose()

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        kept = self._kept.get(asyncio.get_running_loop())
        if kept is not None:
            await kept.keeper.aclose()

    def let_go(self) -> None:
        """Have every loop close its connections as soon as it can; to be called from anywhere."""
        for loop, kept in list(self._kept.items()):
            with suppress(RuntimeError):  # it is closed
                loop.call_soon_threadsafe(_closing, loop, kept.keeper)


class _Kept(NamedTuple):
    """What there is of a loop."""

    pools: Pools
    keeper: AsyncGenerator[None]


def _closing(loop: asyncio.AbstractEventLoop, keeper: AsyncGenerator[None]) -> None:
    async def closed() -> None:
        await keeper.aclose()

    task = loop.create_task(closed())
    _TASKS.add(task)  # a loop by itself does not keep its tasks
    task.add_done_callback(_TASKS.discard)


_TASKS: set[asyncio.Task[None]] = set()
