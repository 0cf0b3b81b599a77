"""Passages to a service and scores back: batches, turns, retries and the time that is left.

The flow is a generator that yields each thing to wait for, so that it is written once for threads and
for tasks, and can be watched step by step.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol

from rankmeld._asking import Ask, Flow
from rankmeld.errors import RemoteError, RemoteTimeoutError, RerankResponseError
from rankmeld.remote.budget import RateBudget
from rankmeld.remote.dialects import Dialect
from rankmeld.remote.retries import RETRIED, RETRIES, retry_after, wait_before

__all__ = ["Exchange", "Reply", "Sender"]


class Reply(Protocol):
    """What came back; see `rankmeld.remote.service.Reply`."""

    @property
    def status(self) -> int:
        """The HTTP status."""

    @property
    def retry_after(self) -> str | None:
        """The header of that name."""

    @property
    def body(self) -> bytes:
        """The whole answer."""

    @property
    def fault(self) -> str | None:
        """What went wrong on the way."""

    @property
    def detail(self) -> str:
        """What the system says about it."""


class Sender(Protocol):
    """What sends a request; see `rankmeld.remote.service.Service`."""

    name: str

    def send(self, body: bytes, deadline: float) -> Reply:
        """Send a request and read the answer."""

    async def asend(self, body: bytes, deadline: float) -> Reply:
        """Send a request and read the answer, in a task."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call: its service, and the moment by which all of it has to be done.

    Attributes
    ----------
    service : Sender
        Where passages go.
    dialect : Dialect
        How.
    model : str
        The model, blank for the server's only one.
    truncate : bool
        Whether the service may cut what is too long.
    budget : RateBudget
        Gives each request its turn.
    timeout : float
        Seconds for the whole call, for messages.
    deadline : float
        When it ends, as `clock` shows it.
    clock : callable
        `time.monotonic`, but in tests.
    """

    service: Sender
    dialect: Dialect
    model: str
    truncate: bool
    budget: RateBudget
    timeout: float
    deadline: float
    clock: Callable[[], float] = time.monotonic

    def scores(self, query: str, passages: list[str], places: Sequence[int]) -> Flow[list[float]]:
        """The scores of one batch; one that the service finds too large goes in two halves.

        Parameters
        ----------
        query : str
            What was asked.
        passages : list of str
            The batch, at least one.
        places : sequence of int
            Where each of them is in the ranking, for messages.

        Raises
        ------
        RemoteError
            The service could not be reached, or would not answer.
        RemoteTimeoutError
            The time is over, or would be before the next attempt.
        RerankResponseError
            What it answered are not the scores of these passages.
        """
        body = self.dialect.request(self.model, query, passages, truncate=self.truncate)
        reply = yield from self._replied(body)
        if reply.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE and len(passages) > 1:
            half = (len(passages) + 1) // 2
            first = yield from self.scores(query, passages[:half], places[:half])
            return first + (yield from self.scores(query, passages[half:], places[half:]))
        self._check(reply, places)
        return self.dialect.scores(reply.body, len(passages), self.service.name)

    def _replied(self, body: bytes) -> Flow[Reply]:
        """Send a request, again where that helps; gives the last reply."""
        retry, dropped = 0, False
        while True:
            yield from self._turn()
            reply: Reply = yield Ask(
                "send", self.service.send, (body, self.deadline), awaited=self.service.asend
            )
            if reply.fault == "dropped" and not dropped:
                dropped = True  # most likely the server had closed a connection that was kept open
                continue
            if reply.status not in RETRIED or retry == RETRIES:
                return reply
            pause = wait_before(retry, retry_after(reply.retry_after, dt.datetime.now(dt.UTC)))
            if pause >= self.deadline - self.clock():
                raise RemoteTimeoutError(
                    f"{self.service.name} answered with {_named(reply.status)}; the next attempt would come "
                    f"after {pause:.3g} s, but the timeout of {self.timeout:g} s is over before",
                    reply.status,
                )
            yield Ask("wait", time.sleep, (pause,), awaited=_asleep)
            retry += 1

    def _turn(self) -> Flow[None]:
        """Wait until the budget allows a request."""
        left = self.deadline - self.clock()
        given = left > 0.0 and (yield Ask("turn", self.budget.acquire, (left,), awaited=self.budget.aacquire))
        if not given:
            raise RemoteTimeoutError(
                f"{self.service.name} was not asked: the budget of {self.budget.per_minute:g} requests a "
                f"minute has no turn before the timeout of {self.timeout:g} s is over"
            )

    def _check(self, reply: Reply, places: Sequence[int]) -> None:
        """Refuse what is no whole answer of status 200."""
        name = self.service.name
        if reply.status not in {0, HTTPStatus.OK}:
            raise RemoteError(
                f"{name} answered with {_named(reply.status)}{self._hint(reply.status, places)}", reply.status
            )
        match reply.fault:
            case None:
                return
            case "late":
                raise RemoteTimeoutError(
                    f"{name} gave no whole answer in time; the call has {self.timeout:g} s, see timeout="
                )
            case "unreachable":
                raise RemoteError(f"{name} could not be reached: {reply.detail}")
            case "long":
                raise RerankResponseError(f"{name} gave more than 4 MiB; it was read no further")
            case "packed":
                raise RerankResponseError(f"{name} gave a compressed answer, although none was asked for")
            case _:
                raise RemoteError(f"the connection to {name} broke before the answer was complete")

    def _hint(self, status: int, places: Sequence[int]) -> str:
        """What to look at."""
        if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            return f"; the passage at position {places[0]} of the ranking is too large even alone"
        if status in RETRIED:
            return f", also after {RETRIES} more attempts"
        return _HINTS.get(status, "")


async def _asleep(seconds: float) -> None:
    import asyncio  # noqa: PLC0415 - whoever awaits has it; the others need not pay for it

    await asyncio.sleep(seconds)


#: What to look at, by status.
_HINTS: dict[int, str] = {
    400: "; it does not understand the request: check model and dialect",
    401: "; it does not accept the key in RANKMELD_RERANK_API_KEY",
    402: "; the account has nothing left",
    403: "; the key in RANKMELD_RERANK_API_KEY may not do this",
    404: "; there is no such endpoint or model: check base_url, model and dialect",
    405: "; the endpoint takes no POST: check base_url and dialect",
    422: "; it does not accept the request: check model and dialect",
}


def _named(status: int) -> str:
    """A status and what it means."""
    try:
        return f"status {status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return f"status {status}"
