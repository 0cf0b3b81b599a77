"""Connections that belong to event loops, closed when the loop ends or nobody needs them any more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

__all__ = ["LoopBound"]


class LoopBound:
    """Knows the event loops in which a transport has connections, and closes these in time.

    A loop that ends asks its asynchronous generators to finish (`asyncio.run` does so, as do servers). So for
    each loop there is one that does nothing but close the connections when it is finished.

    Parameters
    ----------
    transport : AsyncPolicyTransport
        Its `aclose` closes the connections of the running loop.
    """

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._keepers: dict[asyncio.AbstractEventLoop, AsyncGenerator[None]] = {}

    def __len__(self) -> int:
        """In how many loops there may be connections."""
        return len(self._keepers)

    async def attend(self) -> None:
        """Be told when this event loop ends."""
        here = asyncio.get_running_loop()
        if here not in self._keepers:
            for loop in [loop for loop in self._keepers if loop.is_closed()]:
                self._keepers.pop(loop, None)
            self._keepers[here] = keeper = self._kept(here)
            await anext(keeper)

    async def _kept(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            self._keepers.pop(loop, None)
            await self._transport.aclose()

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        keeper = self._keepers.get(asyncio.get_running_loop())
        if keeper is not None:
            await keeper.aclose()

    def let_go(self) -> None:
        """Have every loop close its connections as soon as it can; to be called from anywhere."""
        for loop, keeper in list(self._keepers.items()):
            with suppress(RuntimeError):  # it is closed
                loop.call_soon_threadsafe(_closing, loop, keeper)


def _closing(loop: asyncio.AbstractEventLoop, keeper: AsyncGenerator[None]) -> None:
    async def closed() -> None:
        await keeper.aclose()

    task = loop.create_task(closed())
    _TASKS.add(task)  # a loop by itself does not keep its tasks
    task.add_done_callback(_TASKS.discard)


_TASKS: set[asyncio.Task[None]] = set()
