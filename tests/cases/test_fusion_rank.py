"""Known failures of rank fusion elsewhere, each as a test of its whole kind."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm
from support.check import fused


@pytest.mark.parametrize("bad", [-1.0, -1e-300, math.nan, math.inf, -math.inf])
def test_c006_a_weight_is_finite_and_not_negative(bad):
    lists = [rm.Source("left", ["a"]), rm.Source("right", ["b"])]
    for weights in ([bad, 1.0], [1.0, bad], {"left": bad}):
        with pytest.raises(rm.InvalidArgumentError, match="weight"):
            rm.rrf(lists, weights=weights)
    with pytest.raises(rm.InvalidArgumentError, match="weight"):
        rm.Source("left", ["a"], weight=bad)


def test_c006_weight_zero_brings_candidates_with_no_credit():
    assert fused(rm.rrf([["a"], ["b"]], weights=[0.0, 1.0])) == [("b", 1 / 61), ("a", 0.0)]


C008_PROGRAM = """
import rankmeld as rm
words = ["w%d" % i for i in range(50)]
print(rm.rrf([["a", "b"], ["b", "a"]]).ids, rm.rrf([words, words[::-1]]).ids)
"""


def test_c008_equal_scores_never_change_places():
    found = {tuple(rm.rrf([["a", "b"], ["b", "a"]]).ids) for _ in range(200)}
    assert found == {("a", "b")}
    printed = set()
    for seed, workers in itertools.product(("0", "7", "random"), ("1", "4")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "RAYON_NUM_THREADS": workers}
        run = subprocess.run(
            [sys.executable, "-c", C008_PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        printed.add(run.stdout)
    assert len(printed) == 1
    with ThreadPoolExecutor(8) as pool:
        in_threads = pool.map(lambda _: tuple(rm.rrf([["a", "b"], ["b", "a"]]).ids), range(200))
        assert set(in_threads) == {("a", "b")}


def test_c009_mirrored_ranks_tie_exactly_in_every_order_of_the_lists():
    lists = [
        ["p", "f1", "f2", "f3", "f4", "f5", "q"],
        ["q", "p", "g2", "g3", "g4", "g5", "g6"],
        ["h0", "q", "h2", "h3", "h4", "h5", "p"],
    ]
    orders = set()
    for turned in itertools.permutations(lists):
        scores = dict(fused(rm.rrf(turned)))
        assert scores["p"] == scores["q"]
        orders.add(tuple(rm.rrf(turned, ties="id_asc").ids))
    assert len(orders) == 1


def test_c009_every_mirror_of_every_three_ranks():
    """Not one triple of ranks, all of them: each order of the same three ranks is one score."""
    for ranks in itertools.combinations_with_replacement(range(12), 3):
        scores = set()
        for turned in itertools.permutations(ranks):
            lists = [[*[f"x{i}" for i in range(rank)], "p"] for rank in turned]
            scores.add(dict(fused(rm.rrf(lists)))["p"])
        assert len(scores) == 1, ranks


def test_c012_falsy_and_mixed_ids_are_ids():
    ranking = rm.rrf([[0, "summary_7", ""], ["summary_7", 0, 1, "1"]])
    assert ranking.ids == [0, "summary_7", "", 1, "1"]
    scores = dict(fused(ranking))
    assert scores[0] == scores["summary_7"]


def test_c012_an_item_without_an_id_is_an_error():
    """`None` is hashable and so an id where the caller writes it; a missing field is an error."""
    with pytest.raises((KeyError, AttributeError, TypeError, ValueError), match="key"):
        rm.from_records([{"key": "a", "sim": 1.0}, {"sim": 0.5}], id="key", score="sim")
    with pytest.raises((KeyError, AttributeError, TypeError, ValueError), match="key"):
        rm.from_records([object()], id="key")
    assert rm.rrf([[None, 0]]).ids == [None, 0]


def test_c013_the_document_of_the_first_list_stays():
    first = rm.Document(id="d", metadata={"src": "first"})
    second = rm.Document(id="d", metadata={"src": "second"})
    ranking = rm.rrf([[("d", 1.0, first)], [("z", 1.0, None), ("d", 0.5, second)]])
    assert {hit.id: hit.document for hit in ranking}["d"].metadata["src"] == "first"


def test_c014_which_document_stays_is_the_order_of_the_lists():
    """The contract: the first document seen, whatever its score; swapped lists, the other one."""
    full, stub = rm.Document(id="d", text="full text"), rm.Document(id="d", text="stub")
    left, right = [("d", 0.9, full)], [("d", 0.1, stub)]
    assert rm.rrf([left, right])[0].document is full
    assert rm.rrf([right, left])[0].document is stub
    assert rm.rrf([["d"], right, left])[0].document is stub
    assert fused(rm.rrf([left, right])) == fused(rm.rrf([right, left]))


def test_c015_equal_texts_with_different_ids_are_two_hits():
    body = {"text": "same body"}
    lists = [[("v1", 1.0, rm.Document(id="v1", **body))], [("v2", 1.0, rm.Document(id="v2", **body))]]
    assert fused(rm.rrf(lists)) == [("v1", 1 / 61), ("v2", 1 / 61)]


@pytest.mark.parametrize(
    ("lists", "expected"),
    [([], []), ([[]], []), ([[], []], []), ([["a"], []], ["a"]), ([{}, (), ["a"], iter(())], ["a"])],
)
def test_c016_a_retriever_that_finds_nothing_is_normal(lists, expected):
    lists = list(lists)
    assert rm.rrf([list(one) for one in lists]).ids == expected
    assert rm.fuse_ranks([list(one) for one in lists], method="isr").ids == expected
    scored = [[(id, 1.0) for id in one] for one in lists]
    assert rm.fuse_scores(scored).ids == expected
    assert rm.rrf([]).scores is None or len(rm.rrf([]).scores) == 0


@pytest.mark.parametrize("size", [1, 2, 3, 6, 10])
def test_c017_pages_put_together_are_the_whole(size):
    lists = [["a", "b", "c", "d"], ["c", "d", "e", "f"]]
    whole = rm.rrf(lists)
    pages = [rm.rrf(lists, limit=end)[end - size :] for end in range(size, len(whole) + size, size)]
    assert [hit for page in pages for hit in page][: len(whole)] == list(whole)
    slices = [whole[start : start + size] for start in range(0, len(whole), size)]
    assert [hit for part in slices for hit in part] == list(whole)
