"""Long queries, long documents, long tokens: answered, in linear memory, and Ctrl-C stops them."""

from __future__ import annotations

import os
import threading
import tracemalloc

import pytest

import rankmeld as rm
from reference.late_interaction import lexical_maxsim as oracle
from support.interrupts import assert_a_signal_stops


def words(count: int, step: int = 1) -> str:
    return " ".join(f"w{n * step:x}" for n in range(count))


HAN = "".join(map(chr, range(0x4E00, 0x9000)))
LONG = "각" * 20_000_000
LONG.encode()  # the interpreter keeps what it made of it
WORK = {
    "a long query": lambda: rm.lexical_maxsim_many(words(10_000), [words(3_000, 7)] * 40),
    "many documents": lambda: rm.lexical_maxsim_many(words(20), [words(200, 3)] * 20_000),
    "a long document": lambda: rm.lexical_maxsim(words(100), words(700_000)),
    "long tokens": lambda: rm.lexical_maxsim([HAN * 50 + c for c in "abcdef"], [HAN * 50 + c for c in "ghi"]),
    "matches": lambda: rm.lexical_matches(words(10_000), words(100_000, 3)),
    "token_similarity": lambda: rm.token_similarity(HAN * 80 + "x", HAN * 80 + "y"),
    "the weight of a long token": lambda: rm.token_weight(LONG),
    "counting": lambda: rm.CorpusStats([words(1000)] * 3_000),
    "counting by one's own tokenizer": lambda: rm.CorpusStats([words(1000)] * 3_000, tokenizer=str.split),
}


@pytest.mark.parametrize("work", WORK)
def test_a_signal_stops_it(work):
    assert_a_signal_stops(WORK[work], threads=os.cpu_count() or 1)


def test_a_query_of_ten_thousand_tokens_is_answered():
    query = words(10_000)
    assert rm.lexical_maxsim(query, query) == 1.0
    matches = rm.lexical_matches(query, "w1 w12 other")
    assert len(matches) == 10_000
    assert rm.lexical_maxsim(query, "w1 w12 other") == oracle(query, "w1 w12 other")


def test_texts_of_ten_megabytes_are_answered():
    text = "lorem ipsum dolor " * 560_000
    assert len(text) > 10_000_000
    assert rm.lexical_maxsim("ipsum dolores", text) == oracle("ipsum dolores", "lorem ipsum dolor")
    assert rm.lexical_maxsim(text[:1_000], text) == oracle(text[:1_000], "lorem ipsum dolor")


@pytest.mark.parametrize("letter", ["a", "é", "字", "🙂", " ", "_"])
def test_texts_of_one_repeated_character_are_answered(letter):
    text = letter * 1_000_000
    expected = 1.0 if rm.tokenize(letter * 2) else 0.0
    assert rm.lexical_maxsim(text, text) == expected
    assert rm.token_similarity(text, text + "x") == 1_000_000 / 1_000_001
    assert rm.lexical_maxsim([text], [text + "x"], weights=lambda _: 1.0) == 1_000_000 / 1_000_001


def test_long_queries_against_many_documents_take_no_table_of_all_pairs():
    query, documents = words(2_000), [words(50, n + 1) for n in range(2_000)]
    tracemalloc.start()
    try:
        rm.lexical_maxsim_many(query, documents)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000  # Python's side alone; the batches of the core are bounded by constants


def test_many_threads_at_once_give_the_same_answers():
    documents = [words(120, n + 1) for n in range(100)]
    expected = rm.lexical_maxsim_many("w1f w2a w33 wordy", documents).tolist()
    wrong: list[object] = []

    def run() -> None:
        for _ in range(20):
            found = rm.lexical_maxsim_many("w1f w2a w33 wordy", documents).tolist()
            if found != expected:
                wrong.append(found)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
