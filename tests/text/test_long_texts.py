"""Texts of many megabytes: no surprise in time, and Ctrl-C stops them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rankmeld as rm
from rankmeld.text import sentences

FUNCTIONS: dict[str, Callable[[str], Any]] = {
    "tokenize": rm.tokenize,
    "bm25_tokenize": rm.bm25_tokenize,
    "bm25_tokenize in French": lambda text: rm.bm25_tokenize(text, stemmer="french"),
    "light_stem": rm.light_stem,
    "sentences": sentences,
}
PATTERNS = {
    "one letter": "a",
    "one capital": "É",
    "one ideograph": "漢",
    "words": "ab ",
    "sentences": "a. ",
    "marks": "\u0301",
    "marks out of order": "a\u0315\u0300",
    "joiners": "\u200d",
    "sigmas": "ΑΣ\u0301\u200d",
    "jamo": "\u1100\u1161\u11a8",
    "ligatures": "ﬁ",
    "letters and digits": "é1",
    "vowels": "auu",
    "plurals": "ies",
    "underscores": "_",
}
DELAY, ALLOWED = 0.05, 0.2
#: A busy machine is late by itself.
SLACK = 0.6


def seconds(call: Callable[[str], Any], text: str) -> float:
    start = time.process_time()
    call(text)
    return time.process_time() - start


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_time_is_linear(function, pattern):
    call = FUNCTIONS[function]
    short, long = PATTERNS[pattern] * 50_000, PATTERNS[pattern] * 500_000
    least = min(seconds(call, short) for _ in range(3))
    # Ten times the text: a hundred times the time if something were quadratic.
    assert seconds(call, long) < 40 * least + 0.05


class Stopped(Exception):
    """What the signal's handler raises, as Ctrl-C raises `KeyboardInterrupt`."""


@pytest.fixture
def alarm() -> Iterator[None]:
    if not hasattr(signal, "setitimer"):
        pytest.skip("interval timers are not on this system")

    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("function", "pattern", "count"),
    [
        ("tokenize", "ab ", 4_000_000),
        ("tokenize", "é", 20_000_000),
        ("tokenize", "漢", 3_000_000),
        ("tokenize", "É", 5_000_000),
        ("bm25_tokenize", "queries ", 4_000_000),
        ("bm25_tokenize", "ﬁ", 5_000_000),
        ("bm25_tokenize in French", "continuellement ", 1_000_000),
        ("sentences", "a. ", 4_000_000),
        ("sentences", "漢", 40_000_000),
    ],
)
def test_a_signal_stops_it(alarm, function, pattern, count):
    text = pattern * count
    text.encode()  # the interpreter keeps what it made of it
    call = FUNCTIONS[function]

    def run() -> None:
        call(text)
        time.sleep(DELAY)  # done before the alarm: it comes now

    signal.setitimer(signal.ITIMER_REAL, DELAY)
    start = time.perf_counter()
    with pytest.raises(Stopped):
        run()
    assert time.perf_counter() - start < 2 * DELAY + ALLOWED + SLACK
