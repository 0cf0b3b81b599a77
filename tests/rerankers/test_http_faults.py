"""Whatever a service does, its caller sees one kind of error in time, and nothing is applied."""

from __future__ import annotations

import asyncio
import gc
import logging
import pickle
import threading
import time
import traceback

import pytest

import rankmeld as rm
from support import rerank_service as services
from support.rerank_service import KEY, RerankService

QUERY = "THE-QUERY"
SECRETS = (KEY, "PASSAGE-ONE", "PASSAGE-TWO", QUERY)
HITS = [
    rm.Hit("a", 0.9, rm.Document("a", "PASSAGE-ONE")),
    rm.Hit("b", 0.8, rm.Document("b", "PASSAGE-TWO")),
]
SERVICE, TIMEOUT, RESPONSE = rm.RemoteError, rm.RemoteTimeoutError, rm.RerankResponseError


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("RANKMELD_RERANK_API_KEY", KEY)


@pytest.fixture(params=["thread", "task"])
def rerank(request):
    """Both ways to ask."""
    if request.param == "thread":
        return lambda reranker, hits=HITS: reranker.rerank(QUERY, hits)
    return lambda reranker, hits=HITS: asyncio.run(reranker.arerank(QUERY, hits))


def until(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)


def chain_of(error):
    """An error and all that hangs on it."""
    found = [error]
    for one in found:
        found += [other for other in (one.__cause__, one.__context__) if other is not None]
    return found


def assert_tells_nothing(error, *others):
    for one in chain_of(error):
        shown = [str(one), repr(one), repr(one.args), repr(vars(one)), *map(str, others)]
        shown.append("".join(traceback.format_exception(one)))
        shown.append(repr(pickle.dumps(one)))
        for secret in SECRETS:
            assert not any(secret in text for text in shown), one


FAULTS = {
    "400": (services.status(400), SERVICE, r"status 400 \(Bad Request\); .* check model and dialect", 1),
    "401": (services.status(401), SERVICE, r"status 401 .* does not accept the key in RANKMELD_RERANK", 1),
    "403": (services.status(403), SERVICE, r"status 403 .* may not do this", 1),
    "404": (services.status(404), SERVICE, r"status 404 .* check base_url, model and dialect", 1),
    "418": (services.status(418), SERVICE, r"answered with status 418 \(I'm a Teapot\)$", 1),
    "422": (services.status(422), SERVICE, "status 422", 1),
    "500": (services.status(500), SERVICE, r"answered with status 500 \(Internal Server Error\)$", 1),
    "501": (services.status(501), SERVICE, "status 501", 1),
    "599": (services.status(599), SERVICE, "answered with status 599$", 1),
    "204": (services.text("", 204), SERVICE, r"status 204", 1),
    "304": (services.text("", 304), SERVICE, "status 304", 1),
    "429": (services.status(429, Retry_After="0"), SERVICE, "429 .*, also after 3 more attempts", 4),
    "502": (services.status(502, Retry_After="0"), SERVICE, "502 .*, also after 3 more attempts", 4),
    "503": (services.status(503, Retry_After="0"), SERVICE, "503 .*, also after 3 more attempts", 4),
    "504": (services.status(504, Retry_After="0"), SERVICE, "504 .*, also after 3 more attempts", 4),
    "429 in an hour": (
        services.status(429, Retry_After="3600"),
        TIMEOUT,
        "status 429 .* next attempt would come after 60 s, but the timeout of 0.7 s is over before",
        1,
    ),
    "429 in 2099": (
        services.status(429, Retry_After="Thu, 01 Jan 2099 00:00:00 GMT"),
        TIMEOUT,
        "come after 60 s",
        1,
    ),
    "429 and nonsense": (services.status(429, Retry_After="soon"), TIMEOUT, "come after 1", 1),
    "slow headers": (services.slow_headers, TIMEOUT, "gave no whole answer in time; the call has 0.7 s", 1),
    "slow body": (services.slow_body, TIMEOUT, "gave no whole answer in time", 1),
    "no answer": (services.slow(30), TIMEOUT, "gave no whole answer in time", 1),
    "endless body": (services.endless_body, RESPONSE, "gave more than 4 MiB; it was read no further", 1),
    "too long, and it says so": (
        services.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 4194305\r\n\r\n"),
        RESPONSE,
        "more than 4 MiB",
        1,
    ),
    "absurdly long, and it says so": (
        services.raw(b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 400 + b"\r\n\r\n"),
        (RESPONSE, SERVICE),
        "127.0.0.1",
        1,
    ),
    "compressed": (services.text("x", Content_Encoding="gzip"), RESPONSE, "compressed", 1),
    "half a body": (services.half_a_body, SERVICE, "broke before the answer was complete", 1),
    "reset": (services.reset, SERVICE, "broke before the answer was complete", 1),
    "echo in headers": (services.status(400, X_Echo=KEY), SERVICE, "status 400", 1),
    "echo in the reason": (services.raw(f"HTTP/1.1 400 {KEY}\r\n\r\n".encode()), SERVICE, "status 400", 1),
    "echo instead of a header": (
        services.raw(f"HTTP/1.1 400 no\r\n{KEY}\r\n\r\n".encode()),
        SERVICE,
        "broke before",
        1,
    ),
    "no HTTP": (services.garbage, SERVICE, "broke before the answer was complete", 1),
    "hangs up": (services.hang_up, SERVICE, "broke before the answer was complete", 2),
    "broken JSON": (services.text('{"results": ['), RESPONSE, "are not JSON", 1),
    "HTML": (services.text(f"<html>{KEY}</html>"), RESPONSE, "are not JSON", 1),
    "empty": (services.text(""), RESPONSE, "gave 0 bytes that are not JSON", 1),
    "another dialect": (services.text('{"data": []}'), RESPONSE, "does it speak another dialect", 1),
    "index beyond": (services.results((0, 0.5), (2, 0.5)), RESPONSE, "index 2; 2 passages were sent", 1),
    "index below": (services.results((0, 0.5), (-1, 0.5)), RESPONSE, "index -1", 1),
    "index twice": (services.results((0, 0.5), (0, 0.6)), RESPONSE, "two results with index 0", 1),
    "index missing": (services.results((0, 0.5)), RESPONSE, "none with index 1", 1),
    "index a bool": (services.results((True, 0.5), (0, 0.5)), RESPONSE, "not an integer", 1),
    "NaN": (services.results((0, float("nan")), (1, 0.5)), RESPONSE, "not a finite number", 1),
    "no score": (services.results((0, None), (1, 0.5)), RESPONSE, "not a finite number", 1),
    "302": (services.status(302, Location="/elsewhere"), rm.OutboundRefusedError, "302", 1),
    "307 to another host": (
        services.status(307, Location="http://169.254.169.254/latest"),
        rm.OutboundRefusedError,
        "169.254.169.254",
        1,
    ),
    "307 to itself": (services.status(307, Location="/v1/rerank"), rm.OutboundRefusedError, "3 redirects", 4),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_error_in_time(fault, rerank, caplog):
    answer, kind, text, requests = FAULTS[fault]
    caplog.set_level(logging.DEBUG)
    with RerankService(always=answer) as service, service.reranker(timeout=0.7) as reranker:
        begun = time.monotonic()
        with pytest.raises(kind, match=text) as caught:
            rerank(reranker)
        assert time.monotonic() - begun < 5.0  # of a loaded machine
        assert isinstance(caught.value, rm.RankmeldError)
        assert "127.0.0.1" in str(caught.value) or isinstance(caught.value, PermissionError)
        assert len(service.requests) == requests
        assert_tells_nothing(caught.value, repr(reranker), caplog.text)
        # The next call finds nothing broken.
        service.always = services.well
        assert rerank(service.reranker()).ids == ["b", "a"]
    assert service.until_closed()


#: What is no fault where one passage is asked for, or takes more requests than are looked at.
_OF_ONE = {"index missing", "302", "307 to itself"}


@pytest.mark.parametrize("fault", [name for name in FAULTS if name not in _OF_ONE])
def test_a_fault_in_the_second_batch_applies_nothing(fault):
    cache = rm.ScopedCache()
    with (
        RerankService(services.well, always=FAULTS[fault][0]) as service,
        service.reranker(timeout=0.7, max_batch=1, cache=cache) as reranker,
    ):
        ranking = rm.Ranking(HITS)
        with pytest.raises(rm.RankmeldError):
            reranker.rerank(QUERY, ranking)
        assert list(ranking) == HITS
        # What was asked for and answered need not be asked for again.
        service.always = services.well
        before = len(service.requests)
        assert reranker.rerank(QUERY, ranking).ids == ["b", "a"]
        assert [request.passages for request in service.requests[before:]] == [["PASSAGE-TWO"]]


def test_nobody_there(rerank):
    with RerankService() as service:
        pass
    with (
        service.reranker(timeout=5) as reranker,
        pytest.raises(SERVICE, match="could not be reached") as caught,
    ):
        rerank(reranker)
    assert_tells_nothing(caught.value)


def test_a_refusal_that_passes(rerank):
    answers = [services.status(code, Retry_After="0") for code in (429, 502, 503)]
    with RerankService(*answers) as service, service.reranker() as reranker:
        assert rerank(reranker).ids == ["b", "a"]
        assert len(service.requests) == 4
        assert len({request.connection for request in service.requests}) == 1


def test_a_connection_that_the_server_closed_meanwhile_is_replaced():
    """The server says nothing and hangs up after its first answer, as one does whose patience is over."""

    def well_then_hang_up(exchange, request):
        services.well(exchange, request)
        exchange.close_connection = True

    with RerankService(always=well_then_hang_up) as service, service.reranker() as reranker:
        for _ in range(20):
            assert reranker.rerank(QUERY, HITS).ids == ["b", "a"]


def test_an_answer_too_many_is_not_taken_for_that_of_the_next_call():
    """It came together with the first one, so that it is at hand before the next request is even sent."""

    def twice(exchange, request):
        other = services.head_and_body(b'{"results": [{"index": 0, "relevance_score": 99}]}')
        exchange.wfile.write(services.head_and_body(services.answer_to(request)) + other)

    hits = HITS[:1]

    async def two_calls(reranker):
        await reranker.arerank(QUERY, hits)
        return await reranker.arerank(QUERY, hits)

    for ask in (lambda one: (one.rerank(QUERY, hits), one.rerank(QUERY, hits))[1], two_calls):
        with RerankService(twice) as service, service.reranker() as reranker:
            found = ask(reranker)
            found = asyncio.run(found) if asyncio.iscoroutine(found) else found
            assert found.scores.tolist() == [services.score(QUERY, "PASSAGE-ONE")]
            assert service.opened == 2


# ------------------------------------------------------------------------- 413 and halves


@pytest.mark.parametrize(("most", "sizes"), [(4, [8, 4, 4]), (3, [8, 4, 2, 2, 4, 2, 2]), (8, [8])])
def test_a_batch_that_is_too_large_is_halved(rerank, most, sizes):
    hits = [rm.Hit(n, None, rm.Document(n, "abcdefgh"[:n])) for n in range(1, 9)]
    with RerankService(always=services.at_most(most)) as service, service.reranker() as reranker:
        assert reranker.rerank("abcdefgh", hits).ids == [8, 7, 6, 5, 4, 3, 2, 1]
        assert [len(request.passages) for request in service.requests] == sizes


def test_a_single_passage_that_is_too_large_is_named(rerank):
    with RerankService(always=services.at_most(0)) as service, service.reranker() as reranker:
        with pytest.raises(
            SERVICE, match=r"413 .*; the passage at position 0 .* too large even alone"
        ) as caught:
            rerank(reranker)
        assert caught.value.status == 413
        assert [len(request.passages) for request in service.requests] == [2, 1]


# --------------------------------------------------------------------------- cancellation


@pytest.mark.parametrize("while_", ["waiting for headers", "reading the body", "backing off", "in line"])
def test_a_cancelled_task_sends_nothing_more_and_keeps_no_connection(while_):
    answer = {
        "waiting for headers": services.slow_headers,
        "reading the body": services.slow_body,
        "backing off": services.status(503, Retry_After="20"),
        "in line": services.well,
    }[while_]
    budget = rm.RateBudget(per_minute=60_000)
    if while_ == "in line":
        budget = rm.RateBudget(per_minute=2)
        assert budget.acquire()

    async def scene(reranker, service):
        task = asyncio.ensure_future(reranker.arerank(QUERY, HITS))
        await asyncio.to_thread(until, lambda: service.requests or budget.waiting)
        await asyncio.sleep(0.1)
        task.cancel()
        begun = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 2.0
        assert len(asyncio.all_tasks()) == 1

    with RerankService(always=answer) as service, service.reranker(budget=budget, timeout=60) as reranker:
        asyncio.run(scene(reranker, service))
        assert service.until_closed()
        assert len(service.requests) == (0 if while_ == "in line" else 1)
        assert budget.waiting == 0


def test_a_timeout_of_the_caller_is_a_cancellation():
    async def scene(reranker):
        with pytest.raises(TimeoutError) as caught:
            async with asyncio.timeout(0.2):
                await reranker.arerank(QUERY, HITS)
        assert not isinstance(caught.value, rm.RankmeldError)

    with RerankService(always=services.slow(30)) as service, service.reranker(timeout=60) as reranker:
        asyncio.run(scene(reranker))
        assert len(service.requests) == 1


def test_an_interrupt_while_backing_off_goes_through(monkeypatch):
    def interrupted(_seconds):
        raise KeyboardInterrupt

    with RerankService(always=services.status(503)) as service, service.reranker() as reranker:
        monkeypatch.setattr("rankmeld.rerankers.exchange.time.sleep", interrupted)
        with pytest.raises(KeyboardInterrupt):
            reranker.rerank(QUERY, HITS)
        assert len(service.requests) == 1


# -------------------------------------------------------------------------------- budgets


def test_a_budget_without_a_turn_in_time_sends_nothing(rerank):
    budget = rm.RateBudget(per_minute=1)
    assert budget.acquire()
    with RerankService() as service, service.reranker(budget=budget, timeout=5) as reranker:
        begun = time.monotonic()
        with pytest.raises(TIMEOUT, match="was not asked: the budget of 1 requests a minute has no turn"):
            rerank(reranker)
        assert time.monotonic() - begun < 4.0
        assert not service.requests


def test_a_thousand_calls_at_once_through_one_budget():
    """From threads and from tasks: each answer belongs to its call, and nothing is left over."""
    budget = rm.RateBudget(per_minute=60_000, burst=1)
    threads = 16

    def hits_of(number):
        texts = ["abcdefghij"[: 1 + (number + i) % 10] for i in range(10)]
        return [rm.Hit((number, i), None, rm.Document(i, text)) for i, text in enumerate(texts)]

    def expected(number):
        return sorted(((number, i) for i in range(10)), key=lambda id: -((number + id[1]) % 10))

    def is_right(number, found):
        return found.ids == expected(number)

    with RerankService() as service, service.reranker(budget=budget, timeout=60) as reranker:
        right = []

        def in_thread(first):
            numbers = range(first, 500, threads)
            right.extend(is_right(n, reranker.rerank("abcdefghij", hits_of(n))) for n in numbers)

        async def in_tasks():
            line = asyncio.Semaphore(16)

            async def one(number):
                async with line:
                    found = await reranker.arerank("abcdefghij", hits_of(number))
                right.append(is_right(number, found))

            await asyncio.gather(*[one(number) for number in range(500, 1_000)])
            assert len(asyncio.all_tasks()) == 1

        reranker.rerank("abcdefghij", hits_of(0))
        gc.collect()
        things, alive = len(gc.get_objects()), threading.active_count() - service.open
        workers = [threading.Thread(target=in_thread, args=(first,)) for first in range(threads)]
        for worker in workers:
            worker.start()
        begun = time.monotonic()
        asyncio.run(in_tasks())
        for worker in workers:
            worker.join()
        assert time.monotonic() - begun >= 0.4
        assert right == [True] * 1_000
        assert service.opened <= 2 * threads + 1  # used again and again
        assert budget.waiting == 0
        reranker.close()
        assert service.until_closed()
        del workers
        assert threading.active_count() <= alive + 1
        service.requests.clear()
        gc.collect()
        assert len(gc.get_objects()) - things < 3_000
