"""What a result must be before it is worth timing."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import rankmeld as rm

#: `(id, score)` pairs, best first.
Expected = list[tuple[Hashable, float]]

#: What other libraries' arithmetic may differ by.
_RELATIVE = 1e-9


def same(expected: Expected) -> Callable[[rm.Ranking], None]:
    """The ids in this order, with these scores to the last bit."""

    def check(given: rm.Ranking) -> None:
        assert given.scores is not None
        got = list(zip(given.ids, given.scores.tolist(), strict=True))
        if got != expected:
            place = next((i for i, (a, b) in enumerate(zip(got, expected, strict=False)) if a != b), None)
            raise AssertionError(f"{len(got)} hits for {len(expected)}, different from place {place}")

    return check


def close(
    expected: Expected, read: Callable[[Any], Mapping[Hashable, float]] = dict
) -> Callable[[Any], None]:
    """The same ids with the same scores, but for the last digits; `read` makes a mapping of a result."""
    wanted = dict(expected)

    def check(result: Any) -> None:
        got = read(result)
        assert got.keys() == wanted.keys(), f"{len(got)} ids for {len(wanted)}"
        for id, score in wanted.items():
            assert math.isclose(got[id], score, rel_tol=_RELATIVE, abs_tol=1e-12), (id, got[id], score)

    return check


def ranked(ranking: rm.Ranking) -> Mapping[Hashable, float]:
    """A ranking as a mapping, after a look at its order."""
    assert ranking.scores is not None
    scores = ranking.scores.tolist()
    assert scores == sorted(scores, reverse=True), "not best first"
    return dict(zip(ranking.ids, scores, strict=True))


def in_order(
    expected: Expected, read: Callable[[Any], Iterable[Hashable]], limit: int | None = None
) -> Callable[[Any], None]:
    """Ids alone, the best first; where scores are equal but for the last digits, any order will do."""
    wanted = dict(expected)
    best = [score for _, score in expected[:limit]]

    def check(result: Any) -> None:
        got = [wanted[id] for id in read(result)]
        assert len(got) == len(best), f"{len(got)} ids for {len(best)}"
        for place, (score, score_wanted) in enumerate(zip(got, best, strict=True)):
            assert math.isclose(score, score_wanted, rel_tol=_RELATIVE), (place, score, score_wanted)

    return check
