"""Every wait of a connection is cut to what is left of the whole."""

from __future__ import annotations

import time

import pytest

httpcore2 = pytest.importorskip("httpcore2", reason="the extra http is not installed")

from rankmeld.remote.deadlines import TimedStream, until  # noqa: E402 - not without the extra


class Stream:
    """Notes what it is asked to do, and how long it may take."""

    def __init__(self):
        self.waits = []
        self.parts = []

    def read(self, max_bytes, timeout=None):
        self.waits.append(timeout)
        return b"x" * max_bytes

    def write(self, buffer, timeout=None):
        self.waits.append(timeout)
        self.parts.append(buffer)

    def start_tls(self, _context, _hostname=None, timeout=None):
        self.waits.append(timeout)
        return self

    def get_extra_info(self, info):
        return info

    def close(self):
        self.waits.append("closed")


def test_without_a_deadline_waits_are_as_they_were_given():
    stream = Stream()
    timed = TimedStream(stream)
    assert timed.read(3, 5.0) == b"xxx"
    timed.write(b"abc", None)
    assert timed.get_extra_info("socket") == "socket"
    timed.close()
    assert stream.waits == [5.0, None, "closed"]


def test_waits_shrink_with_the_time_that_is_left():
    stream = Stream()
    timed = TimedStream(stream)
    with until(time.monotonic() + 1_000.0):
        timed.read(1, 5_000.0)
        timed.read(1, 5.0)
        timed.read(1, None)
        assert isinstance(timed.start_tls(None, "host", 5_000.0), TimedStream)
    timed.read(1, 5_000.0)
    first, given, unlimited, tls, after = stream.waits
    assert 900.0 < unlimited <= first <= 1_000.0
    assert (given, after) == (5.0, 5_000.0)
    assert 900.0 < tls <= first


def test_after_the_deadline_nothing_is_waited_for():
    stream = Stream()
    timed = TimedStream(stream)
    with until(time.monotonic()):
        for call, error in (
            (lambda: timed.read(1, 5.0), httpcore2.ReadTimeout),
            (lambda: timed.write(b"a", 5.0), httpcore2.WriteTimeout),
            (lambda: timed.start_tls(None), httpcore2.ConnectTimeout),
        ):
            with pytest.raises(error):
                call()
        timed.close()
    assert stream.waits == ["closed"]


def test_the_time_is_looked_at_while_a_long_request_is_written():
    stream = Stream()
    TimedStream(stream).write(b"a" * 200_000, 5.0)
    assert b"".join(stream.parts) == b"a" * 200_000
    assert len(stream.parts) == 4
