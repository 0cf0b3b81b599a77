"""Notes on long passages: linear in the text, in time and memory, and Ctrl-C stops them."""

from __future__ import annotations

import time

import pytest

import rankmeld as rm
from support.interrupts import assert_a_signal_stops

PATTERNS = {
    "sentences of one letter": "b. ",
    "sentences of one word": "ab. ",
    "marks": ".",
    "marks and spaces": ". ",
    "line breaks": "\n",
    "full stops of Han": "。",
    "Han": "漢",
    "one word": "river ",
}


def one(text: str) -> rm.Ranking:
    return rm.Ranking([("a", 1.0, rm.Document("a", text))])


def seconds(ranking: rm.Ranking) -> float:
    start = time.process_time()
    rm.chain_of_note("wide rivers", ranking)
    return time.process_time() - start


@pytest.mark.parametrize("pattern", PATTERNS)
def test_time_is_linear(pattern):
    text = PATTERNS[pattern]
    short, long = one(text * (100_000 // len(text))), one(text * (1_000_000 // len(text)))
    least = min(seconds(short) for _ in range(3))
    # Ten times the text: a hundred times the time if something were quadratic.
    assert seconds(long) < 40 * least + 0.05


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_signal_stops_it(pattern):
    text = PATTERNS[pattern]
    ranking = one(text * (20_000_000 // len(text)))
    assert_a_signal_stops(lambda: rm.chain_of_note("wide rivers", ranking))


def test_a_signal_stops_many_short_passages():
    hits = rm.Ranking([(n, 1.0, rm.Document(n, "a river. b. c.")) for n in range(100_000)])
    assert_a_signal_stops(lambda: rm.chain_of_note("wide rivers", hits))


def test_a_query_of_a_megabyte_is_answered():
    query = "river " * 170_000
    [note] = rm.chain_of_note(query, one("A house. A river.")).notes
    assert note == ("a", "A river.", 1.0, True)
