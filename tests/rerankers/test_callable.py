"""Somebody's own function as a reranker: what it is handed, and what it may do."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading
import time

import pytest

import rankmeld as rm
from rerankers.samples import HITS, QUERY, Calls, equal, shared_letters, shared_letters_later
from support.refusals import refusal


def test_it_gets_the_query_and_all_passages_as_they_are_read():
    fn = Calls(equal)
    hits = [
        ("a", 1.0, rm.Document("a", "text", title="Title", topic="topic")),
        ("b", 1.0, None),
        ("c", 1.0, rm.Document("c", "cafe\u0301 \ud800")),
    ]
    rm.CallableReranker(fn).rerank("que\u0301 \udcff?", hits)
    assert fn.calls == [("qué \ufffd?", ["Title topic text", "", "café \ufffd"])]


@pytest.mark.parametrize(("size", "sizes"), [(None, [5]), (1, [1] * 5), (2, [2, 2, 1]), (5, [5]), (99, [5])])
def test_batches(size, sizes):
    fn = Calls(shared_letters)
    found = rm.CallableReranker(fn, batch_size=size).rerank(QUERY, HITS)
    assert [len(passages) for _query, passages in fn.calls] == sizes
    assert found == rm.CallableReranker(shared_letters).rerank(QUERY, HITS)


def test_nothing_to_score_is_no_call():
    fn = Calls(equal)
    assert len(rm.CallableReranker(fn).rerank(QUERY, [])) == 0
    assert len(asyncio.run(rm.CallableReranker(fn).arerank(QUERY, []))) == 0
    assert fn.calls == []


def test_a_function_may_change_the_list_it_gets():
    def greedy(_query, passages):
        scores = [float(len(passage)) for passage in passages]
        passages.clear()
        return scores

    found = rm.CallableReranker(greedy).rerank(QUERY, HITS)
    assert [hit.document for hit in found] == [HITS[i].document for i in (0, 1, 3, 2, 4)]


def test_what_the_function_raises_comes_through():
    class Own(Exception):
        pass

    def broken(_query, _passages):
        raise Own("no model")

    reranker = rm.CallableReranker(broken)
    with pytest.raises(Own, match="no model"):
        reranker.rerank(QUERY, HITS)
    with pytest.raises(Own, match="no model"):
        asyncio.run(reranker.arerank(QUERY, HITS))


def test_a_function_that_runs_out_does_not_hang_whoever_awaits():
    def exhausted(_query, _passages):
        return next(iter(()))

    with pytest.raises(RuntimeError, match="raised StopIteration"):
        asyncio.run(asyncio.wait_for(rm.CallableReranker(exhausted).arerank(QUERY, HITS), 10))


def by_name(fn, **options):
    return rm.CallableReranker(fn, **options).rerank(QUERY, HITS).explain("vector").stages[-1].name


def test_a_stage_bears_the_name_of_the_function():
    assert by_name(shared_letters) == "shared_letters"
    assert by_name(shared_letters, name="cross encoder") == "cross encoder"
    assert by_name(lambda _query, passages: [1.0 for _ in passages]) == "callable"
    assert by_name(Calls(equal)) == "Calls"
    assert by_name(functools.partial(equal)) == "partial"


def test_repr():
    assert repr(rm.CallableReranker(shared_letters)) == "CallableReranker(shared_letters)"
    shown = repr(rm.CallableReranker(shared_letters, name="ce", batch_size=8))
    assert shown == "CallableReranker(shared_letters, name='ce', batch_size=8)"


# --- awaiting -----------------------------------------------------------------------------------


class AsyncCall:
    """An object whose call is a coroutine."""

    async def __call__(self, query, passages):
        return shared_letters(query, passages)


@pytest.mark.parametrize(
    "fn",
    [
        shared_letters_later,
        functools.partial(shared_letters_later),
        AsyncCall(),
        AsyncCall().__call__,
        lambda query, passages: shared_letters_later(query[:], passages),
    ],
    ids=["function", "partial", "object", "method", "lambda"],
)
def test_every_kind_of_coroutine_function(fn):
    found = asyncio.run(rm.CallableReranker(fn).arerank(QUERY, HITS))
    assert found == rm.CallableReranker(shared_letters).rerank(QUERY, HITS)
    with pytest.raises(TypeError, match="is asynchronous"):
        rm.CallableReranker(fn).rerank(QUERY, HITS)


def test_a_plain_function_does_not_hold_up_the_event_loop():
    arrived, may_go = threading.Event(), threading.Event()
    wanted = contextvars.ContextVar("wanted", default=None)

    def waits(query, passages):
        assert wanted.get() == "here"  # the context goes along
        arrived.set()
        assert may_go.wait(20)
        return shared_letters(query, passages)

    async def both():
        wanted.set("here")
        task = asyncio.create_task(rm.CallableReranker(waits).arerank(QUERY, HITS))
        assert await asyncio.to_thread(arrived.wait, 20)
        may_go.set()  # only a loop that goes on comes here
        return await task

    assert asyncio.run(both()) == rm.CallableReranker(shared_letters).rerank(QUERY, HITS)


def test_a_cancellation_goes_through_and_nothing_more_is_asked():
    asked = []

    async def forever(query, passages):
        asked.append(passages)
        await asyncio.sleep(60)

    async def cancelled():
        task = asyncio.create_task(rm.CallableReranker(forever, batch_size=1).arerank(QUERY, HITS))
        await asyncio.sleep(0.01)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - started

    assert asyncio.run(cancelled()) < 0.5
    assert len(asked) == 1


# --- options, word for word ---------------------------------------------------------------------

ROWS = {
    "no function": (
        {"fn": "model"},
        TypeError,
        "fn must be a callable (query, passages) -> scores, not str",
    ),
    "name of a kind": ({"name": 3}, TypeError, "name must be a str or None, not int"),
    "blank name": (
        {"name": "  "},
        rm.InvalidArgumentError,
        "name is blank; explanations and errors show it",
    ),
    "no batch": (
        {"batch_size": 0},
        rm.InvalidArgumentError,
        "batch_size is 0; it must be 1 or more, or None for all at once",
    ),
    "batch of a kind": ({"batch_size": 2.5}, TypeError, "batch_size must be an integer, not float"),
    "bool as a batch": ({"batch_size": True}, TypeError, "batch_size must be an integer, not bool"),
}


@pytest.mark.parametrize(("options", "kind", "text"), ROWS.values(), ids=ROWS)
def test_options(options, kind, text):
    assert refusal(kind, lambda: rm.CallableReranker(**{"fn": equal, **options})) == text


def test_c151_an_unknown_option_is_named():
    with pytest.raises(TypeError, match="batchsize"):
        rm.CallableReranker(equal, batchsize=3)
