"""One flow, driven by who waits and by who awaits: answers, errors, several at a time, cancellation."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from rankmeld._asking import Ask, Together, WrongDriverError, adrive, drive


def both(make):
    """What a flow gives to either driver; they must agree."""
    waited = drive(make(), "await it")
    assert asyncio.run(adrive(make())) == waited
    return waited


def asked(call, *args):
    return (yield Ask("f", call, args))


def test_a_flow_is_sent_what_its_questions_are_answered_with():
    def flow():
        first = yield Ask("f", lambda x: x + 1, (1,))
        second = yield Ask("f", lambda: None, ())
        return first, second

    assert both(flow) == (2, None)


def test_a_flow_that_asks_nothing_just_ends():
    def flow():
        return 7
        yield

    assert both(flow) == 7


def test_a_flow_is_thrown_what_asking_raised_and_may_go_on():
    def flow():
        try:
            yield Ask("f", {}.__getitem__, ("gone",))
        except KeyError as error:
            return (yield Ask("f", len, (error.args[0],)))

    assert both(flow) == 4


def test_what_a_flow_does_not_catch_comes_through_as_it_is():
    error = OSError("down")

    def fail():
        raise error

    for run in (lambda: drive(asked(fail), ""), lambda: asyncio.run(adrive(asked(fail)))):
        with pytest.raises(OSError, match="down") as caught:
            run()
        assert caught.value is error


def test_a_function_that_runs_out_says_so():
    def exhausted():
        return next(iter(()))

    for run in (lambda: drive(asked(exhausted), ""), lambda: asyncio.run(adrive(asked(exhausted)))):
        with pytest.raises(RuntimeError, match=r"exhausted.* raised StopIteration"):
            run()


def test_who_waits_is_told_what_has_to_be_awaited_and_the_flow_is_not_asked():
    async def later():
        raise AssertionError

    def flow():
        try:
            yield Ask("model", later, ())
        except Exception:  # noqa: BLE001 - that it does not reach the flow is what is tested
            return "swallowed"

    with pytest.raises(WrongDriverError) as caught:
        drive(flow(), "write `await x`")
    assert str(caught.value) == "model is asynchronous (it gave a coroutine); write `await x`"
    assert isinstance(caught.value, TypeError)
    with pytest.raises(WrongDriverError):
        drive(iter_together(flow(), flow()), "")


def iter_together(*flows, concurrency=8):
    return (yield Together(flows, concurrency))


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_interrupts_go_through_and_the_flow_is_closed(error):
    ends = []

    def fail():
        raise error

    def flow():
        try:
            yield Ask("f", fail, ())
        except Exception:  # noqa: BLE001 - as above
            ends.append("swallowed")
        finally:
            ends.append("closed")

    with pytest.raises(error):
        drive(flow(), "")
    assert ends == ["closed"]


def test_what_is_awaited_is_called_instead_where_there_is_such_a_form():
    async def slow(x):
        await asyncio.sleep(0)
        return x * 10

    def flow():
        return (yield Ask("f", lambda x: x, (3,), slow))

    assert drive(flow(), "") == 3
    assert asyncio.run(adrive(flow())) == 30


def test_a_plain_function_is_awaited_in_a_thread_and_one_that_gives_an_awaitable_is_too():
    async def where():
        return threading.get_ident()

    async def main():
        plain = await adrive(asked(threading.get_ident))
        lazy = await adrive(asked(lambda: where()))  # noqa: PLW0108 - it does not look like a coroutine function
        return plain, lazy

    plain, lazy = asyncio.run(main())
    assert plain != threading.get_ident() == lazy


def test_flows_together_answer_in_their_order():
    assert both(lambda: iter_together(*[asked(lambda x: x * x, i) for i in range(20)])) == [
        i * i for i in range(20)
    ]
    assert both(iter_together) == []

    def nested():
        inner = yield Together([iter_together(asked(len, "ab")), asked(len, "c")], 2)
        return inner

    assert both(nested) == [[2], 1]


@pytest.mark.parametrize("concurrency", [1, 3, 50])
def test_no_more_run_at_a_time_than_allowed(concurrency):
    running, most = 0, 0

    async def call(x):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (10 - x))
        running -= 1
        return x

    flow = iter_together(*[asked(call, i) for i in range(10)], concurrency=concurrency)
    assert asyncio.run(adrive(flow)) == list(range(10))
    assert most == min(concurrency, 10)


def test_the_first_error_ends_those_that_run_and_those_that_wait():
    begun, cancelled = [], []

    async def call(x):
        begun.append(x)
        if x == 1:
            raise ValueError("one")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.append(x)
            raise

    async def main():
        with pytest.raises(ValueError, match="one"):
            await adrive(iter_together(*[asked(call, i) for i in range(10)], concurrency=3))
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(main()) == set()
    assert begun == [0, 1, 2]
    assert sorted(cancelled) == [0, 2]


def test_who_waits_goes_no_further_than_the_first_error():
    begun = []

    def call(x):
        begun.append(x)
        if x == 1:
            raise ValueError("one")

    with pytest.raises(ValueError, match="one"):
        drive(iter_together(*[asked(call, i) for i in range(5)]), "")
    assert begun == [0, 1]


def test_a_cancellation_reaches_all_that_run_together():
    cancelled = []

    async def call(x):
        try:
            await asyncio.sleep(30)
        finally:
            cancelled.append(x)

    async def main():
        task = asyncio.create_task(adrive(iter_together(*[asked(call, i) for i in range(4)])))
        await asyncio.sleep(0.01)
        task.cancel()
        started = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - started < 5

    asyncio.run(main())
    assert sorted(cancelled) == [0, 1, 2, 3]
