"""Many threads read and change one collection; no change is seen by half."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable

import pytest

import rankmeld as rm


def together(*works: Callable[[], None]) -> None:
    failed: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told below
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_readers_beside_writers_never_see_half_a_change():
    stats = rm.CorpusStats(["aa bb cc"])
    pair = ["xx yy zz", "xx xx"]
    done = threading.Event()

    def write() -> None:
        for _ in range(300):
            stats.add(pair)
            stats.remove(pair)

    def write_and_end() -> None:
        write()
        done.set()

    def read() -> None:
        while not done.is_set():
            counts = stats.__reduce__()[1][1]
            texts, length = int.from_bytes(counts[:8], "little"), int.from_bytes(counts[8:16], "little")
            assert length == 3 + (texts - 1) // 2 * 5
            assert rm.lexical_maxsim("aa xx", "xx", weights="idf", stats=stats) <= 1.0

    together(write, write_and_end, read, read)
    assert stats == rm.CorpusStats(["aa bb cc"])


def test_a_tokenizer_may_use_the_counts_that_it_counts_for():
    def tokenizer(text: str) -> list[str]:
        return [word for word in text.split() if stats.document_frequency(word) < 2]

    stats = rm.CorpusStats()
    stats = rm.CorpusStats(["aa bb"], tokenizer=tokenizer)
    stats.add(["aa cc"])
    stats.add(["aa dd"])
    assert stats.document_frequency("aa") == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not applicable: this system has no fork")
def test_after_a_fork_both_go_on():
    stats = rm.CorpusStats(["aa bb"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that a thread of another test may live on
        child = os.fork()
    if child == 0:
        stats.add(["cc"])
        os._exit(0 if stats.document_count == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert stats.document_count == 1
