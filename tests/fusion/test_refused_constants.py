"""Constants out of range: of which class, and that the message helps."""

from __future__ import annotations

import math
import re

import pytest

import rankmeld as rm
from support.refusals import NOW, ONE, TWO, refusal

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize("bad", [NAN, INF, -INF, -1.0, -2])
def test_k_that_is_not_finite_or_too_small(bad):
    assert re.search(r"\bk\b", refusal(rm.InvalidArgumentError, rm.rrf, TWO, k=bad))


@pytest.mark.parametrize(("k", "rank_base"), [(0, 0), (-0.5, 0), (1, -1), (5, -6)])
def test_k_plus_rank_base_is_above_zero(k, rank_base):
    message = refusal(rm.InvalidArgumentError, rm.rrf, TWO, k=k, rank_base=rank_base)
    assert "rank_base" in message


@pytest.mark.parametrize("bad", ["60", None, True, [60], 1j])
def test_k_of_the_wrong_kind(bad):
    assert re.search(r"\bk\b", refusal(TypeError, rm.rrf, TWO, k=bad))


@pytest.mark.parametrize("bad", ["1", None, True, 0.5, 1.0, [1]])
def test_rank_base_of_the_wrong_kind(bad):
    assert "rank_base" in refusal(TypeError, rm.rrf, TWO, rank_base=bad)


@pytest.mark.parametrize("bad", [-0.001, 1.001, NAN, INF, -INF, 2])
def test_alpha_outside_0_to_1(bad):
    message = refusal(rm.InvalidArgumentError, rm.convex, *TWO, alpha=bad)
    assert "alpha" in message
    assert str(bad) in message


@pytest.mark.parametrize("bad", ["0.5", None, True])
def test_alpha_of_the_wrong_kind(bad):
    assert "alpha" in refusal(TypeError, rm.convex, *TWO, alpha=bad)


@pytest.mark.parametrize(
    "bad", [[(1, 0), None], [(0, 0), None], [(0, NAN), None], [(INF, 1), None], [(0, 1)], []]
)
def test_bounds_that_are_no_range_or_of_the_wrong_length(bad):
    assert "bounds" in refusal(rm.InvalidArgumentError, rm.fuse_scores, TWO, bounds=bad)


@pytest.mark.parametrize("normalize", ["max", "sum", "zscore", "dbsf", "rank", "borda", "none"])
def test_an_option_without_an_effect_is_refused(normalize):
    message = refusal(
        rm.InvalidArgumentError, rm.fuse_scores, TWO, normalize=normalize, bounds=[None, (0, 1)]
    )
    assert "bounds" in message
    if normalize in ("max", "rank", "borda", "none"):
        message = refusal(rm.InvalidArgumentError, rm.fuse_scores, TWO, normalize=normalize, on_constant=0.5)
        assert "on_constant" in message


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_on_constant_is_finite(bad):
    assert "on_constant" in refusal(rm.InvalidArgumentError, rm.fuse_scores, TWO, on_constant=bad)


@pytest.mark.parametrize("bad", [0, 0.0, -1, NAN, -INF])
def test_half_life_above_zero(bad):
    assert "half_life_days" in refusal(
        rm.InvalidArgumentError, rm.time_decay, ONE, now=NOW, half_life_days=bad
    )


@pytest.mark.parametrize(
    ("option", "bads"),
    [
        ("undated", [-0.1, NAN, INF]),
        ("importance_weight", [-1.0, NAN, INF]),
        ("curve", ["linear", ""]),
        ("ties", ["x"]),
    ],
)
def test_other_options_of_decay(option, bads):
    for bad in bads:
        message = refusal(rm.InvalidArgumentError, rm.time_decay, ONE, now=NOW, **{option: bad})
        assert option in message


@pytest.mark.parametrize("bad", ["not a date", "2024-02-30", "2024-13-01", NAN, INF, 1e13, "10000-01-01", ""])
def test_a_moment_that_is_none(bad):
    assert "now" in refusal(rm.InvalidArgumentError, rm.time_decay, ONE, now=bad)
    assert "created_at" in refusal(rm.InvalidArgumentError, rm.Document, id="a", created_at=bad)


@pytest.mark.parametrize("bad", [[2024], {}, object()])
def test_a_moment_of_the_wrong_kind(bad):
    assert "now" in refusal(TypeError, rm.time_decay, ONE, now=bad)
