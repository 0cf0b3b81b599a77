"""C261: whatever comes in, what is raised is an `Exception`, and no panic is printed."""

from __future__ import annotations

import contextlib
import datetime as dt
import math
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.vectors import cosine_scores, cosine_top

ROUNDS = 1_500


class Raising:
    """Raises whatever is asked of it."""

    def _no(self, *_: object) -> Any:
        raise RuntimeError("not today")

    __hash__ = __eq__ = __lt__ = __len__ = __iter__ = __index__ = __float__ = __bool__ = __getitem__ = _no


class Lying:
    """Says that it has a length and gives another number of items."""

    def __len__(self) -> int:
        return 10**18

    def __iter__(self):
        return iter([("a", 1.0), ("b", 0.5)])

    def __length_hint__(self) -> int:
        return 10**18


def broken_generator():
    yield ("a", 1.0)
    raise KeyError("half way")


ATOMS: list[Callable[[], Any]] = [
    lambda: None, lambda: True, lambda: 0, lambda: -1, lambda: 2**63, lambda: 10**400, lambda: 0.5,
    lambda: math.nan, lambda: math.inf, lambda: "", lambda: "a", lambda: "\ud800", lambda: b"x",
    lambda: 1j, object, Raising, Lying, broken_generator, lambda: dt.date(2024, 1, 1),
    lambda: np.float64("nan"), lambda: np.int8(3), lambda: np.array(3), lambda: np.zeros((2, 2)),
    lambda: np.zeros(3, dtype=object), lambda: np.array(["a", "b"]), lambda: np.arange(4)[::-2],
    lambda: np.zeros(2, dtype="c8"), lambda: np.array([], dtype=">i4"), lambda: memoryview(b"abc"),
    lambda: range(3), lambda: {1, 2}, lambda: slice(1), lambda: int, lambda: ..., lambda: NotImplemented,
    lambda: rm.Ranking(["a"]), lambda: rm.Document(id="a"), lambda: rm.Hit("a", 1.0), lambda: rm.Hit([], "x"),
    lambda: rm.Source("s", ["a"]), lambda: rm.Source("s", 5), lambda: iter([1, 2]), lambda: ("a", 1.0),
]  # fmt: skip


def junk(rng: random.Random, depth: int = 3) -> Any:
    """A value that is wrong in a way that depends on the seed alone."""
    if depth == 0 or rng.random() < 0.4:
        return rng.choice(ATOMS)()
    size = rng.randrange(4)
    members = [junk(rng, depth - 1) for _ in range(size)]
    shape = rng.randrange(5)
    if shape == 0:
        return tuple(members)
    if shape == 1:
        return {i: member for i, member in enumerate(members)}  # noqa: C416 - values are the point
    if shape == 2:
        return (member for member in members)
    return members


OPTIONS = {
    "rrf": (rm.rrf, ["k", "rank_base", "weights", "duplicates", "limit", "ties"]),
    "fuse_scores": (
        rm.fuse_scores,
        ["normalize", "combine", "weights", "on_constant", "bounds", "duplicates", "limit", "ties"],
    ),
    "fuse_ranks": (
        lambda given, **o: rm.fuse_ranks(given, **{"method": "isr", **o}),
        ["method", "phi", "limit", "ties"],
    ),
    "rrf_by_kind": (rm.rrf_by_kind, ["weights", "limit"]),
    "dedup": (rm.dedup, ["limit"]),
    "time_decay": (
        rm.time_decay,
        ["half_life_days", "now", "curve", "importance_weight", "undated", "ties"],
    ),
    "Ranking": (rm.Ranking, ["name"]),
    "from_records": (
        lambda given, **o: rm.from_records(given, **{"id": "id", **o}),
        ["id", "score", "document"],
    ),
    "cosine_scores": (lambda given, **_: cosine_scores(given, given), ["-"]),
    "cosine_top": (lambda given, **o: cosine_top(given, given, **{"limit": 3, **o}), ["limit"]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_c261_malformed_input_raises_and_never_panics(name, capfd):
    call, options = OPTIONS[name]
    rng = random.Random(name)
    for _ in range(ROUNDS):
        given = junk(rng) if rng.random() < 0.6 else [[("a", 2.0), ("b", 1.0)], [junk(rng, 1)]]
        chosen = {} if rng.random() < 0.5 or options == ["-"] else {rng.choice(options): junk(rng, 1)}
        with contextlib.suppress(Exception):  # any will do; a panic is not one
            call(given, **chosen)
    assert "panicked" not in capfd.readouterr().err
    assert rm.rrf([["a", "b"], ["b"]]).ids == ["b", "a"]


@pytest.mark.parametrize("method", ["clear", "append", "pop"])
def test_c261_a_list_that_changes_while_it_is_read(method):
    """Hashing an id runs the caller's code, which may do anything to the list."""
    victim: list[Any] = []

    class Saboteur:
        def __hash__(self) -> int:
            if victim:
                {
                    "clear": victim.clear,
                    "append": lambda: len(victim) < 500 and victim.append("x"),
                    "pop": victim.pop,
                }[method]()
            return 1

        def __eq__(self, other: object) -> bool:
            return self is other

    for shape in (Saboteur, lambda: (Saboteur(), 1.0), lambda: [Saboteur(), 1.0]):
        victim[:] = [shape() for _ in range(50)]
        try:
            ranking = rm.rrf([victim, ["z"]])
        except (RuntimeError, ValueError, IndexError):
            continue
        assert "z" in ranking.ids


def test_c261_a_pair_that_changes_while_it_is_read():
    class Saboteur:
        def __hash__(self) -> int:
            pair.clear()
            return 1

    pair: list[Any] = [Saboteur(), 1.0]
    with contextlib.suppress(Exception):  # any will do
        rm.rrf([[pair]])
    assert pair == []


def test_c261_errors_of_the_callers_own_code_come_through():
    with pytest.raises(KeyError, match="half way"):
        rm.rrf([broken_generator()])
    with pytest.raises(RuntimeError, match="not today"):
        rm.rrf([["a"]], limit=Raising())


@pytest.mark.parametrize("error", [RuntimeError("not today"), MemoryError(), KeyboardInterrupt()])
def test_c261_only_a_type_error_of_hash_means_that_an_id_cannot_be_hashed(error):
    class Failing:
        def __hash__(self) -> int:
            raise error

    for one in ([Failing()], [("a", 1.0), (Failing(), 0.5)], ([Failing()], [1.0])):
        with pytest.raises(type(error)):
            rm.rrf([one])


def test_c261_very_deep_and_very_long_input():
    deep: Any = "a"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises((TypeError, ValueError)):
        rm.rrf([[deep]])
    while isinstance(deep, list):  # taken apart by hand: the interpreter's own way recurses
        deep = deep[0]
    assert len(rm.rrf([range(300_000)])) == 300_000
    done = subprocess.run(
        [sys.executable, "-c", "import rankmeld as rm; rm.rrf([['a', float('nan')]])"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "panicked" not in done.stderr
