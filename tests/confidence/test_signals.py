"""`normalize_signals` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankmeld as rm
from reference.confidence import normalize_signals as oracle
from support.check import outcome

LARGEST, LEAST = math.nextafter(math.inf, 0.0), math.ulp(0.0)
SIGNALS = ("lexical", "dense", "maxsim", "ppr", "summary")
raws = st.floats(0, LARGEST) | st.sampled_from([0, 1, 0.5, 1.0, LEAST, LARGEST, 2.0**53 + 2])
scores = st.builds(
    rm.SignalScore,
    st.sampled_from(SIGNALS),
    raws,
    st.sampled_from(["", "chunk", "node"]),
    st.sampled_from(["", "a", "b"]),
)
bad = st.builds(
    rm.SignalScore, st.sampled_from([*SIGNALS, "colbert", ""]), raws | st.sampled_from([None, -LEAST])
)


@given(st.lists(scores | bad, max_size=8))
def test_equals_the_oracle(given):
    def found():
        return [(s.signal, s.source_kind, s.handle, s.normalized) for s in rm.normalize_signals(given)]

    assert outcome(found) == outcome(oracle, given)


@given(st.lists(scores, max_size=8))
def test_within_0_and_1_and_nothing_else_changes(given):
    found = rm.normalize_signals(iter(given))
    assert all(0.0 <= score.normalized <= 1.0 for score in found)
    assert sorted(map(repr, given)) == sorted(
        repr(rm.SignalScore(s.signal, s.raw, s.source_kind, s.handle)) for s in found
    )
    assert all(score.normalized is None for score in given)


@given(st.sampled_from(SIGNALS), raws, raws)
@example("lexical", 2.0**53, 2.0**53 + 2)  # rounded twice, the larger one would get the smaller share
@example("lexical", 0.49999999999999994, 0.5)
def test_a_larger_score_never_has_a_smaller_share(signal, a, b):
    a, b = sorted((a, b))
    share = {
        s.handle: s.normalized
        for s in rm.normalize_signals(
            [rm.SignalScore(signal, a, handle="a"), rm.SignalScore(signal, b, handle="b")]
        )
    }
    assert share["a"] <= share["b"]


@pytest.mark.parametrize("raw", [0.0, LEAST, 1e-17, 0.5, 1.0, 4.0, 2.0**53, 1e300, LARGEST, 10])
def test_lexical_shares_are_rounded_once(raw):
    [found] = rm.normalize_signals([rm.SignalScore("lexical", raw)])
    assert found.normalized == float(Fraction(raw) / (1 + Fraction(raw)))
    assert type(found.normalized) is float


def test_the_order():
    given = [
        rm.SignalScore("dense", 0.5, "node", "b"),
        rm.SignalScore("ppr", 0.5, "chunk", "z"),
        rm.SignalScore("dense", 0.5, "chunk", "a"),
        rm.SignalScore("maxsim", 0.5, "chunk", "a"),
        rm.SignalScore("summary", 7.0, "node", "z"),
    ]
    assert [(s.signal, s.handle) for s in rm.normalize_signals(given)] == [
        ("summary", "z"),
        ("dense", "a"),
        ("maxsim", "a"),
        ("ppr", "z"),
        ("dense", "b"),
    ]
    assert rm.normalize_signals([]) == []


def test_numpy_numbers_are_numbers_and_results_travel():
    found = rm.normalize_signals(
        [rm.SignalScore("dense", np.float32(0.5)), rm.SignalScore("ppr", np.int64(3))]
    )
    assert [(s.signal, s.normalized) for s in found] == [("ppr", 1.0), ("dense", 0.5)]
    assert {type(s.normalized) for s in found} == {float}
    assert pickle.loads(pickle.dumps(found)) == found


def test_raw_scores_of_any_kind_of_number():
    given = [rm.SignalScore("dense", Decimal("0.25")), rm.SignalScore("dense", -0.0)]
    found = [score.normalized for score in rm.normalize_signals(given)]
    assert found == [0.25, 0.0]
    assert math.copysign(1.0, found[1]) == 1.0
