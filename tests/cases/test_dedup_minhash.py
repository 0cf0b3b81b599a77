"""Known failures of near-duplicate removal elsewhere, each as a test of its whole kind."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import rankmeld as rm
from rankmeld import _core


def near(texts: list[str], **options) -> tuple[list[int], dict[int, int]]:
    """Which texts stay, and for which the others go."""
    hits = [(i, 1.0 - i / 1_000, rm.Document(id=i, text=text)) for i, text in enumerate(texts)]
    found = rm.dedup_near(hits, **options)
    return found.ids, dict(found.removed)


@pytest.mark.parametrize("length", [1, 2, 5, 50])
def test_c131_texts_shorter_than_a_shingle_are_told_apart(length):
    assert near(["kiwi", "plum", "kiwi"], shingle=length, threshold=0.8) == ([0, 1], {2: 0})
    many = [f"name{i}" for i in range(2_000)]
    labels = rm.near_duplicate_clusters([*many, *many], shingle=length)
    assert labels.tolist() == [*range(2_000), *range(2_000)]


def test_c133_texts_of_every_script_are_told_apart():
    texts = [
        "السماء زرقاء والجو جميل",
        "أغلق البنك أبوابه مبكرا",
        "東京は今日雨です",
        "Сегодня холодно и ветрено",
        "วันนี้ฝนตก",
        "오늘은 비가 온다",
        "आज बारिश हो रही है",
    ]
    for shingle in ("word", 1, 2, 3):
        assert near(texts, shingle=shingle, threshold=0.8) == (list(range(7)), {})
        kept, removed = near([*texts, *texts], shingle=shingle, threshold=0.8)
        assert (kept, removed) == (list(range(7)), {i + 7: i for i in range(7)})


def test_c134_texts_without_a_token_are_never_taken_for_each_other():
    texts = ["👍", "🎉", "!!!", "???", "👍"]
    for options in ({}, {"shingle": 3}, {"verify": False}, {"linkage": "star"}):
        assert near(texts, threshold=0.8, **options) == ([0, 1, 2, 3, 4], {})
    assert rm.near_duplicate_clusters(texts).tolist() == [0, 1, 2, 3, 4]
    index = rm.MinHashIndex()
    index.add_many(range(5), texts)
    assert index.query("👍") == []
    # Equal texts are the business of exact duplicates.
    hits = [(i, 1.0, rm.Document(id=i, text=text)) for i, text in enumerate(texts)]
    assert rm.dedup(rm.dedup_near(hits)).ids == [0, 1, 2, 3]


@pytest.mark.parametrize("options", [{"num_perm": 64}, {"shingle": 3}, {"threshold": 0.5}, {"verify": False}])
def test_c135_an_index_keeps_its_settings_wherever_it_goes(tmp_path, options):
    index = rm.MinHashIndex(**options)
    index.add("a", "the same text")
    index.save(tmp_path / "index")
    found = rm.MinHashIndex.load(tmp_path / "index")
    assert repr(found) == repr(index)
    with pytest.raises(TypeError):
        rm.MinHashIndex.load(tmp_path / "index", num_perm=32)


@pytest.mark.parametrize(
    ("length", "expected"),
    [(1, 0.8461538461538461), (2, 0.6923076923076923), (3, 0.5384615384615384), (5, 0.23076923076923078)],
)
def test_c137_one_changed_word_of_twelve(length, expected):
    index = rm.MinHashIndex(shingle=length, threshold=0.1)
    index.add("a", "The north bridge opened in 1931 and carries two lanes of traffic")
    [(_, similarity)] = index.query("The north bridge opened in 1934 and carries two lanes of traffic")
    assert similarity == pytest.approx(expected, abs=1e-9)
    # Records that differ in a year alone are not one at the default settings.
    assert (
        near([f"The north bridge opened in {year} and carries two lanes" for year in (1931, 1934)])[1] == {}
    )


@pytest.mark.parametrize("truth", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_c138_estimates_are_unbiased(truth):
    sketcher = _core.Sketcher(0.5, 256, 1, False, False)
    rng = np.random.default_rng(7)
    all_of_them = 60
    shared = round(truth * all_of_them)
    estimates = []
    for _ in range(200):
        words = [f"w{n}" for n in rng.choice(10**9, all_of_them, replace=False)]
        own = (all_of_them - shared) // 2
        left, right = words[: shared + own], words[:shared] + words[shared + own :]
        signatures, _keys = sketcher.signatures([" ".join(left), " ".join(right)])
        one, other = signatures.reshape(2, 256)
        exact = shared / len({*left, *right})
        estimates.append(estimate := float(np.mean(one == other)))
        assert abs(estimate - exact) <= 6 * math.sqrt(exact * (1 - exact) / 256) + 1 / 256
    assert abs(np.mean(estimates) - shared / all_of_them) < 0.01
    if truth == 1.0:
        assert set(estimates) == {1.0}
    if truth == 0.0:
        assert np.mean(estimates) < 0.005


def test_c139_what_is_removed_names_what_stays():
    text = "red apples are sweet and crisp"
    items = [("a", text), ("b", text), ("c", "green pears"), ("d", text)]
    hits = [(id, 1.0, rm.Document(id=id, text=text)) for id, text in items]
    found = rm.dedup_near(hits, threshold=0.8)
    assert (found.ids, dict(found.removed)) == (["a", "c"], {"b": "a", "d": "a"})
    assert len(found) + len(found.removed) == len(hits)
    assert set(found.removed.values()) <= set(found.ids)


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["x y z", "p q r", "k l m"], [0, 1, 2]),
        (["same text here"] * 3, [0]),
        (["only one"], [0]),
        ([], []),
    ],
)
def test_c140_all_none_one_and_nothing(texts, kept):
    for options in ({}, {"tokenizer": str.split}, {"linkage": "star"}, {"shingle": 2}, {"verify": False}):
        assert near(texts, threshold=0.9, **options)[0] == kept
    labels = rm.near_duplicate_clusters(texts, threshold=0.9)
    assert sorted(set(labels.tolist())) == kept


def test_c141_the_first_stays_and_the_order_is_kept():
    texts = ["w1 w2 w3 w4", "z z z z", "w1 w2 w3 w4", "m n o p", "z z z z"]
    assert near(texts, threshold=0.8, tokenizer=str.split) == ([0, 1, 3], {2: 0, 4: 1})
    longer = [" ".join(word * 3 for word in text.split()) for text in texts]
    assert near(longer, threshold=0.8) == ([0, 1, 3], {2: 0, 4: 1})


C143_PROGRAM = """
from rankmeld import _core
signatures, keys = _core.Sketcher(0.85, 128, None, True, True).signatures(["stable text", "and another one"])
print(signatures.tobytes().hex(), keys.tobytes().hex())
"""


def test_c143_signatures_are_the_same_in_every_process():
    printed = set()
    for seed in ("0", "1", "random"):
        run = subprocess.run(
            [sys.executable, "-c", C143_PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        printed.add(run.stdout)
    assert len(printed) == 1
    signatures, keys = _core.Sketcher(0.85, 128, None, True, True).signatures(["stable text"])
    assert (signatures[:4].tolist(), keys[:2].tolist()) == C143_VALUES


#: What every version and platform gives.
C143_VALUES = ([49945192, 939782280, 2321855366, 524443582], [1807821201378202359, 599957682223548032])
