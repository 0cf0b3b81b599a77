"""Clusters of collections: against the oracle, on real paragraphs, and what holds for any size."""

from __future__ import annotations

import itertools
import json
import re
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld import _core
from reference.near_duplicates import clusters as oracle
from reference.near_duplicates import connected, jaccard, shingles
from support.refusals import refusal

#: Texts of one kind miss at most one of forty words; of different kinds, share none.
kinds = st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 39)))


def made(kind: int, missing: int | None) -> str:
    return " ".join(f"word{kind}x{i}" for i in range(40) if i != missing)


@given(
    st.lists(st.one_of(kinds.map(lambda kind: made(*kind)), st.sampled_from(["", "👍", "one"])), max_size=30)
)
def test_equals_the_oracle(texts):
    assert rm.near_duplicate_clusters(texts, threshold=0.6).tolist() == oracle(texts, threshold=0.6)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8), max_size=20), st.sampled_from(["word", 2]))
def test_links_nothing_that_is_not_connected(texts, shingle):
    texts = [" ".join(letters) for letters in texts]
    found = rm.near_duplicate_clusters(texts, threshold=0.5, shingle=shingle, tokenizer=str.split)
    whole = oracle(texts, threshold=0.5, shingle=shingle, tokenizer=str.split)
    for label, text_of_oracle in zip(found.tolist(), whole, strict=True):
        assert whole[label] == text_of_oracle


@pytest.mark.parametrize("threads", [1, 2, 3, 8, None])
@pytest.mark.parametrize("verify", [True, False])
def test_threads_change_nothing(threads, verify):
    texts = [made(i % 700, i % 7) for i in range(3_000)]
    found = rm.near_duplicate_clusters(texts, threads=threads, verify=verify)
    assert found.dtype == np.int64
    assert found.tolist() == [i % 700 for i in range(3_000)]


def licences(shared):
    folder = shared / "data" / "debian-licences"
    if not folder.is_dir():
        pytest.skip("the paragraphs of licences are not among the shared data")
    lines = (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    texts = {record["_id"]: record["text"] for record in map(json.loads, lines)}
    rows = (line.split("\t") for line in (folder / "pairs.tsv").read_text().splitlines()[1:])
    pairs = {(a, b): float(similarity) for a, b, similarity in rows}
    return texts, pairs


def found_pairs(texts: dict[str, str], **options) -> dict[tuple[str, str], float]:
    index = rm.MinHashIndex(**options)
    index.add_many(texts, texts.values())
    return {
        (id, near): similarity
        for id, text in texts.items()
        for near, similarity in index.query(text)
        if id < near
    }


def published_words(text: str) -> list[str]:
    """The words that the published pairs were made from."""
    return re.findall(r"\w+", text.lower())


def exact_pairs(texts: dict[str, str], threshold: float) -> dict[tuple[str, str], float]:
    """All pairs of 3-shingle sets, brought together by the shingles that they share."""
    sets = {id: shingles(text, shingle=3) for id, text in texts.items()}
    holders: dict[object, list[str]] = {}
    for id, found in sets.items():
        for shingle in found:
            holders.setdefault(shingle, []).append(id)
    # Of the pairs that share few shingles there are very many: those with rare ones come first.
    pairs = {}
    for id, found in sets.items():
        rarest = sorted(found, key=lambda shingle: len(holders[shingle]))
        prefix = rarest[: len(found) - int(np.ceil(threshold * len(found))) + 1]
        for other in {holder for shingle in prefix for holder in holders[shingle] if holder != id}:
            pair = (id, other) if id < other else (other, id)
            if pair not in pairs and (similarity := jaccard(found, sets[other])) >= threshold:
                pairs[pair] = similarity
    return pairs


def test_real_paragraphs_against_the_exact_similarity_of_our_own_tokens(shared):
    texts, _ = licences(shared)
    expected = exact_pairs(texts, 0.85)
    found = found_pairs(texts, threshold=0.85, shingle=3)
    assert found.items() <= expected.items()
    assert len(found) >= 0.99 * len(expected) > 7_000
    labels = rm.near_duplicate_clusters(list(texts.values()), shingle=3)
    ids = list(texts)
    whole = components(ids, expected)
    assert all(whole[ids[label]] == whole[id] for id, label in zip(ids, labels.tolist(), strict=True))
    assert len(set(labels.tolist())) <= len(set(whole.values())) * 1.01


def components(ids: list[str], links) -> dict[str, str]:
    first = {id: id for id in ids}

    def find(id: str) -> str:
        while first[id] != id:
            id = first[id]
        return id

    for a, b in links:
        low, high = sorted((find(a), find(b)))
        first[high] = low
    return {id: find(id) for id in ids}


def test_real_paragraphs_against_their_published_pairs(shared):
    texts, published = licences(shared)
    found = found_pairs(texts, threshold=0.85, shingle=3, tokenizer=published_words)
    expected = {pair: similarity for pair, similarity in published.items() if similarity >= 0.85}
    assert found.keys() <= expected.keys()
    assert len(found) >= 0.99 * len(expected)
    assert all(abs(similarity - expected[pair]) < 1e-4 for pair, similarity in found.items())


def test_estimates_are_near_the_truth(shared):
    texts, published = licences(shared)
    some = dict(itertools.islice(texts.items(), 1_500))
    found = found_pairs(
        some, threshold=0.7, shingle=3, num_perm=1_024, verify=False, tokenizer=published_words
    )
    # Not those near the threshold, of which only the overestimated are found.
    known = {pair: similarity for pair, similarity in published.items() if similarity >= 0.8}
    errors = [similarity - known[pair] for pair, similarity in found.items() if pair in known]
    assert len(errors) > 300
    assert abs(np.mean(errors)) < 0.01
    assert max(map(abs, errors)) < 6 * 0.5 / 1_024**0.5


def test_one_giant_cluster_takes_no_pairs():
    count = 30_000
    started = time.process_time()
    near = rm.near_duplicate_clusters([f"{made(0, None)} own{i}" for i in range(count)])
    same = rm.near_duplicate_clusters([made(0, None)] * count)
    assert not near.any()
    assert not same.any()
    # All pairs would be 450 million comparisons.
    assert time.process_time() - started < 20


def test_texts_of_every_size():
    giant = " ".join(f"word{i}" for i in range(200_000))
    found = rm.near_duplicate_clusters([giant, "one two three", giant + " more", "", "word1"])
    assert found.tolist() == [0, 1, 0, 3, 4]


def test_nothing_given_nothing_found():
    found = rm.near_duplicate_clusters([])
    assert (found.shape, found.dtype) == ((0,), np.int64)
    assert rm.near_duplicate_clusters(iter(["one two", "One, two!"]), shingle=1).tolist() == [0, 0]


def test_progress_counts_texts_and_ends_with_all():
    calls = []
    rm.near_duplicate_clusters(["one two three"] * 20_000, progress=lambda *call: calls.append(call))
    assert calls[-1] == (20_000, 20_000)
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})
    assert len(calls) > 1
    with pytest.raises(ZeroDivisionError):
        rm.near_duplicate_clusters(["one"], progress=lambda *_: 1 / 0)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="not applicable: no timers here")
def test_a_signal_stops_it_soon():
    # Texts that share bands and are not linked: comparing them takes far longer than a second.
    common = " ".join(f"common{i}" for i in range(70))
    texts = [f"{common} " + " ".join(f"own{i}x{j}" for j in range(15)) for i in range(40_000)]
    raised = {}

    def stop(*_):
        raised["at"] = time.perf_counter()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            rm.near_duplicate_clusters(texts, threshold=0.85, threads=2)
        assert time.perf_counter() - raised["at"] < 1.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_other_threads_go_on_meanwhile():
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    try:
        rm.near_duplicate_clusters([made(i, None) for i in range(20_000)], threads=1)
    finally:
        stop.set()
        other.join()
    assert len(ticks) > 5


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        (
            {"threshold": 0.03},
            rm.InvalidArgumentError,
            (
                "threshold is 0.03, which num_perm=128 cannot serve: too many pairs would be missed; the "
                "smallest possible is 0.0354, or raise num_perm"
            ),
        ),
        (
            {"threads": 0},
            rm.InvalidArgumentError,
            "threads is 0; it must be 1 or more, or None for what fits",
        ),
        ({"threads": 1.0}, TypeError, "threads must be an integer, not float"),
        (
            {"texts": "one"},
            TypeError,
            "texts must be a list of str, not a str; to pass one text alone, write [text]",
        ),
        ({"texts": 5}, TypeError, "texts must be a list of str, not int"),
        ({"texts": ["one", None]}, TypeError, "texts[1] must be a str, not NoneType"),
    ],
)
def test_refusals(options, kind, message):
    assert refusal(kind, rm.near_duplicate_clusters, options.pop("texts", []), **options) == message


@pytest.mark.parametrize("num_perm", [16, 128, 1_000])
def test_the_smallest_threshold_that_is_named_is_possible(num_perm):
    message = refusal(
        rm.InvalidArgumentError, rm.near_duplicate_clusters, [], threshold=1e-6, num_perm=num_perm
    )
    smallest = float(re.search(r"smallest possible is ([\d.]+),", message)[1])
    assert rm.near_duplicate_clusters([], threshold=smallest, num_perm=num_perm).shape == (0,)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.7, 0.85, 0.95, 1.0])
@pytest.mark.parametrize("num_perm", [64, 128, 256])
def test_bands_miss_one_in_a_hundred_at_the_most(threshold, num_perm):
    bands, rows = _core.Sketcher(threshold, num_perm, None, True, True).banding
    assert bands * rows <= num_perm
    assert 1 - (1 - threshold**rows) ** bands >= 0.99


def test_the_oracle_connects_through_others():
    assert connected([{1, 2, 3}, {2, 3, 4}, {3, 4, 5}, {9}], 0.5) == [0, 0, 0, 3]
