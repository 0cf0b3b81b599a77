"""Ctrl-C stops long work within 0.2 s; here an alarm takes the place of the keyboard.

Time is counted as this process spends it on processors, so that what else a machine does cannot make
a test fail.
"""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable

import pytest

#: When the alarm comes, and how long work may go on then: seconds on a processor.
DELAY, ALLOWED = 0.05, 0.2
#: Caches that others fill, and what is freed on the way out.
SLACK = 0.1
TRIES = 3


class Stopped(Exception):
    """What the signal's handler raises, as Ctrl-C raises `KeyboardInterrupt`."""


def assert_a_signal_stops(call: Callable[[], object], *, threads: int = 1) -> None:
    """An alarm stops the call, which begins again until the alarm has come.

    `threads` is how many processors it may keep busy.
    """
    most = threads * (DELAY + ALLOWED) + SLACK
    taken = []
    for _ in range(TRIES):
        taken.append(seconds_until_stopped(call))
        if taken[-1] < most:
            return
    pytest.fail(f"it was stopped after {taken} s on processors, each time more than {most} s")


def seconds_until_stopped(call: Callable[[], object]) -> float:
    """How much time on processors a call takes that an alarm stops; skips where there is none."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("not applicable: interval timers are not on this system")

    def stop(*_: object) -> None:
        raise Stopped

    collecting = gc.isenabled()
    gc.disable()  # what is raised while a callback of the collector runs is lost, and some tools have one
    before = signal.signal(signal.SIGALRM, stop)
    start = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_REAL, DELAY)
        while True:
            call()
    except Stopped:
        return time.process_time() - start
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if collecting:
            gc.enable()
