"""One call's flow, step by step: nothing is sent and nothing is waited for."""

from __future__ import annotations

import json

import pytest

import rankmeld as rm
from rankmeld.remote.dialects import DIALECTS
from rankmeld.remote.service import Reply
from rankmeld.rerankers.exchange import Exchange
from support.rerank_service import score


class Service:
    """Only its name is looked at."""

    name = "api.example.com"

    send = asend = None


class World:
    """Answers what a flow asks for, on a clock of its own."""

    def __init__(self, *replies, timeout=100.0, turn=0.0):
        self.now = 0.0
        self.replies = list(replies)
        self.turn = turn
        self.steps = []
        self.exchange = Exchange(
            Service(),
            DIALECTS["jina"],
            "m",
            True,
            rm.RateBudget(),
            timeout,
            timeout,
            clock=lambda: self.now,
        )

    def answer(self, ask):
        if ask.name == "turn":
            (left,) = ask.args
            self.now += self.turn
            return self.turn <= left
        if ask.name == "wait":
            self.steps.append(ask.args[0])
            self.now += ask.args[0]
            return None
        body, deadline = ask.args
        assert deadline == self.exchange.deadline
        self.steps.append(len(json.loads(body)["documents"]))
        reply = self.replies.pop(0) if self.replies else None
        return well(body) if reply is None else reply

    def run(self, passages=("ab", "a")):
        flow = self.exchange.scores("abc", list(passages), range(len(passages)))
        answer = None
        while True:
            try:
                answer = self.answer(flow.send(answer))
            except StopIteration as end:
                return end.value


def well(body):
    asked = json.loads(body)
    found = [
        {"index": i, "relevance_score": score(asked["query"], text)}
        for i, text in enumerate(asked["documents"])
    ]
    return Reply(200, body=json.dumps({"results": found}).encode())


def refused(status, after=None):
    return Reply(status, after)


def test_a_call_is_a_turn_and_a_request():
    world = World()
    assert world.run() == [2.0, 1.0]
    assert world.steps == [2]


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_waits_double_without_advice(status):
    world = World(*[refused(status)] * 3)
    assert world.run() == [2.0, 1.0]
    sizes, waits = world.steps[::2], world.steps[1::2]
    assert sizes == [2, 2, 2, 2]
    for wait, least in zip(waits, (1.0, 2.0, 4.0), strict=True):
        assert least <= wait <= least * 1.25


def test_advice_is_taken():
    world = World(refused(429, "7"), refused(503, "0.5"), refused(502, "garbage"))
    assert world.run() == [2.0, 1.0]
    assert world.steps[1:4:2] == [7.0, 0.5]
    assert 4.0 <= world.steps[5] <= 5.0


def test_an_hour_is_a_minute():
    world = World(refused(429, "3600"))
    assert world.run() == [2.0, 1.0]
    assert world.steps == [2, 60.0, 2]


def test_there_are_three_more_attempts():
    world = World(*[refused(503, "0")] * 4)
    with pytest.raises(rm.RemoteError, match="also after 3 more attempts") as caught:
        world.run()
    assert caught.value.status == 503
    assert world.steps == [2, 0.0, 2, 0.0, 2, 0.0, 2]


def test_each_half_has_attempts_of_its_own():
    world = World(refused(503, "0"), refused(413), *[refused(503, "0")] * 3, None, *[refused(429, "0")] * 3)
    assert world.run() == [2.0, 1.0]
    assert [step for step in world.steps if step] == [2, 2, 1, 1, 1, 1, 1, 1, 1, 1]


def test_waits_and_turns_count_towards_the_timeout():
    world = World(refused(429, "50"), refused(429, "49"), refused(429, "2"), timeout=100.0)
    with pytest.raises(
        rm.RemoteTimeoutError, match="come after 2 s, but the timeout of 100 s is over"
    ) as caught:
        world.run()
    assert world.steps == [2, 50.0, 2, 49.0, 2]
    assert caught.value.status == 429
    with pytest.raises(rm.RemoteTimeoutError, match="has no turn before the timeout of 10 s is over"):
        World(turn=11.0, timeout=10.0).run()
    slow = World(refused(413), turn=6.0, timeout=10.0)
    with pytest.raises(rm.RemoteTimeoutError, match="has no turn"):
        slow.run()
    assert slow.steps == [2]


def test_a_dropped_connection_is_replaced_once_and_at_once():
    world = World(Reply(fault="dropped"))
    assert world.run() == [2.0, 1.0]
    assert world.steps == [2, 2]
    with pytest.raises(rm.RemoteError, match=r"the connection to api\.example\.com broke"):
        World(Reply(fault="dropped"), Reply(fault="dropped")).run()


def test_a_single_passage_that_is_too_large_is_named_by_its_place():
    flow = World().exchange.scores("q", ["text"], [17])
    flow.send(None)
    flow.send(True)
    with pytest.raises(rm.RemoteError, match="the passage at position 17 of the ranking is too large"):
        flow.send(refused(413))
