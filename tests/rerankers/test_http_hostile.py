"""A service that speaks HTTP badly is one error in time; one that only speaks it oddly is understood."""

from __future__ import annotations

import asyncio
import gzip
import logging
import socket
import struct
import time

import pytest

import rankmeld as rm
from support import rerank_service as services
from support.rerank_service import RerankService, dribble, head_and_body, raw, text

from .test_http_faults import HITS, QUERY, RESPONSE, SERVICE, TIMEOUT, assert_tells_nothing, key, rerank

__all__ = ["key", "rerank"]  # fixtures

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
RESULTS = b'{"results": [{"index": 0, "relevance_score": 0.1}, {"index": 1, "relevance_score": 0.9}]}'
WHOLE = head_and_body(RESULTS)
CHUNK = b"%x\r\n%b\r\n" % (len(RESULTS), RESULTS)
#: 200 MB of spaces.
BOMB = gzip.compress(b" " * 200_000_000)


def without_end(head, part):
    """A beginning, and then parts as fast as they are taken."""
    return dribble(head, part, pause=0)


def wrong(old, new):
    return text(RESULTS.replace(old, new))


BROKE = "broke before the answer was complete"
NOT_JSON = "bytes that are not JSON"
REFUSED = rm.OutboundRefusedError

FAULTS = {
    "a bomb": (text(BOMB, Content_Encoding="gzip"), RESPONSE, "compressed", 1),
    "a bomb by another name": (text(BOMB, Content_Encoding="identity, x-gzip"), RESPONSE, "compressed", 1),
    "a bomb in the transfer": (
        raw(OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + b"%x\r\n%b\r\n0\r\n\r\n" % (len(BOMB), BOMB)),
        SERVICE,
        BROKE,
        1,
    ),
    "a bomb without a word": (text(BOMB), RESPONSE, NOT_JSON, 1),
    "a length too short": (raw(OK + b"Content-Length: 10\r\n\r\n" + RESULTS), RESPONSE, NOT_JSON, 1),
    "two lengths": (raw(OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + RESULTS), SERVICE, BROKE, 1),
    "a negative length": (raw(OK + b"Content-Length: -5\r\n\r\n" + RESULTS), SERVICE, BROKE, 1),
    "chunks that break off": (raw(CHUNKED + CHUNK), SERVICE, BROKE, 1),
    "chunks without an end": (without_end(CHUNKED, b"400\r\n" + b" " * 1024 + b"\r\n"), RESPONSE, "4 MiB", 1),
    "tiny chunks without an end": (dribble(CHUNKED, b"1\r\n \r\n"), TIMEOUT, "in time", 1),
    "a chunk of absurd size": (raw(CHUNKED + b"f" * 30 + b"\r\n" + RESULTS), SERVICE, BROKE, 1),
    "a chunk's head without an end": (without_end(CHUNKED + b"1;", b"a" * 8192), SERVICE, BROKE, 1),
    "trailers without an end": (
        without_end(CHUNKED + CHUNK + b"0\r\n", b"X: y\r\n" * 999),
        SERVICE,
        BROKE,
        1,
    ),
    "headers without an end": (without_end(OK, b"X: y\r\n" * 999), SERVICE, BROKE, 1),
    "a header without an end": (without_end(OK + b"X: ", b"y" * 8192), SERVICE, BROKE, 1),
    "hints without an end": (
        without_end(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 99),
        TIMEOUT,
        "in time",
        1,
    ),
    "a hint now and then": (dribble(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), TIMEOUT, "in time", 1),
    "another protocol": (
        raw(b"HTTP/1.1 101 Well\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        SERVICE,
        BROKE,
        1,
    ),
    "HTTP/2": (raw(b"HTTP/2 200 OK\r\n\r\n" + RESULTS), SERVICE, BROKE, 1),
    "a status of four digits": (raw(b"HTTP/1.1 2000 OK\r\n\r\n" + RESULTS), SERVICE, BROKE, 1),
    "a part": (text(RESULTS, 206), SERVICE, r"status 206 \(Partial Content\)", 1),
    "a refusal without an end": (
        without_end(b"HTTP/1.1 400 No\r\n\r\n", b" " * 262_144),
        SERVICE,
        "status 400",
        1,
    ),
    "a storm, with a date in the past": (
        services.status(429, Retry_After="Thu, 01 Jan 1970 00:00:00 GMT"),
        SERVICE,
        "after 3 more attempts",
        4,
    ),
    "a storm, with a time below zero": (services.status(429, Retry_After="-5"), TIMEOUT, "come after 1", 1),
    "choices": (services.status(300, Location="/elsewhere"), SERVICE, "status 300", 1),
    "a redirect to what is no URL": (services.status(307, Location="http://[::1"), REFUSED, "not a URL", 1),
    "a redirect to a file": (
        services.status(308, Location="file:///etc/passwd"),
        REFUSED,
        "reached by file",
        1,
    ),
    "a redirect with user info": (
        services.status(307, Location="http://127.0.0.1@evil.example/"),
        REFUSED,
        "user info",
        1,
    ),
    "a byte order mark": (text(b"\xef\xbb\xbf" + RESULTS), RESPONSE, NOT_JSON, 1),
    "UTF-16": (text(RESULTS.decode().encode("utf-16")), RESPONSE, NOT_JSON, 1),
    "latin-1": (wrong(b"{", b'{"caf\xe9": 1, '), RESPONSE, NOT_JSON, 1),
    "two answers in a body": (text(RESULTS + b"\n" + RESULTS), RESPONSE, NOT_JSON, 1),
    "depth": (wrong(b"]}", b"]" + b', "x": ' + b"[" * 90_000 + b"]" * 90_000 + b"}"), RESPONSE, NOT_JSON, 1),
    "a million results": (text(b'{"results": [' + b"[]," * 999_999 + b"[]]}"), RESPONSE, "gave 1000000", 1),
    "an index with a point": (wrong(b": 0,", b": 0.0,"), RESPONSE, "not an integer", 1),
    "a score in words": (wrong(b"0.9", b'"0.9"'), RESPONSE, "not a finite number", 1),
    "an infinite score": (wrong(b"0.9", b"-Infinity"), RESPONSE, "not a finite number", 1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_error_in_time(fault, rerank, caplog):
    answer, kind, words, requests = FAULTS[fault]
    caplog.set_level(logging.DEBUG)
    with RerankService(always=answer) as service, service.reranker(timeout=0.9) as reranker:
        begun = time.monotonic()
        with pytest.raises(kind, match=words) as caught:
            rerank(reranker)
        assert time.monotonic() - begun < 6.0  # of a loaded machine
        assert len(service.requests) == requests
        assert_tells_nothing(caught.value, caplog.text)
        service.always = services.well
        with service.reranker() as another:
            assert rerank(another).ids == ["b", "a"]
    assert service.until_closed()


UNDERSTOOD = {
    "HTTP/1.0": raw(b"HTTP/1.0 200 OK\r\n\r\n" + RESULTS),
    "no length": raw(OK + b"\r\n" + RESULTS),
    "chunks": raw(CHUNKED + CHUNK + b"0\r\nX: y\r\n\r\n"),
    "no reason": raw(WHOLE.replace(b"200 OK", b"200")),
    "bare line ends": raw(WHOLE.replace(b"\r\n", b"\n")),
    "one length twice": raw(WHOLE.replace(b"\r\n\r\n", b"\r\nContent-Length: %d\r\n\r\n" % len(RESULTS))),
    "headers beyond ASCII": raw(WHOLE.replace(b"OK\r\n", b"OK\r\nX: \xff\xfe\r\n")),
    "continue": raw(b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE),
    "some hints": raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 3 + WHOLE),
    "white space": text(b"\n " + RESULTS + b"\r\n\t"),
    "an index below zero that is zero": wrong(b": 0,", b": -0,"),
}


@pytest.mark.parametrize("answer", UNDERSTOOD.values(), ids=UNDERSTOOD)
def test_what_is_only_odd_is_understood(answer, rerank):
    with RerankService(always=answer) as service, service.reranker(timeout=10) as reranker:
        found = rerank(reranker)
        assert list(zip(found.ids, found.scores.tolist(), strict=True)) == [("b", 0.9), ("a", 0.1)]
        assert len(service.requests) == 1


def half_closed(exchange, request):
    """A whole answer, and then the server speaks no more, but the connection is not closed."""
    services.well(exchange, request)
    exchange.connection.shutdown(socket.SHUT_WR)


def torn_down(exchange, request):
    """A whole answer, and then whoever writes to the connection is told that there is none."""
    services.well(exchange, request)
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.close_connection = True


def closed_when_asked_again(exchange, request):
    """It ends the moment it is asked a second time: the client cannot have seen it coming."""
    services.well(exchange, request)
    exchange.rfile.read(1)
    exchange.connection.shutdown(socket.SHUT_RDWR)
    exchange.close_connection = True


@pytest.mark.parametrize("ending", [half_closed, torn_down, closed_when_asked_again])
@pytest.mark.parametrize("pause", [0.0, 0.05])
def test_a_kept_connection_that_has_ended_is_replaced_without_a_word(ending, pause):
    async def calls(reranker):
        for _ in range(6):
            assert (await reranker.arerank(QUERY, HITS)).ids == ["b", "a"]
            await asyncio.sleep(pause)

    with RerankService(*[ending, services.well] * 6) as service, service.reranker(timeout=10) as reranker:
        for _ in range(6):
            assert reranker.rerank(QUERY, HITS).ids == ["b", "a"]
            time.sleep(pause)
        asyncio.run(calls(reranker))
