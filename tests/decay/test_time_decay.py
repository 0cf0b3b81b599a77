"""`time_decay` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import datetime as dt
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.decay import time_decay as oracle
from support.check import fused, outcome

NOW = dt.datetime(2024, 3, 1, 12, tzinfo=dt.UTC)


def days_ago(days: float) -> dt.datetime:
    return NOW - dt.timedelta(days=days)


def hit(id: str, score: float | None, **fields: object) -> tuple[str, float | None, rm.Document]:
    return (id, score, rm.Document(id=id, **fields))


moments = st.one_of(
    st.none(),
    st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2030, 1, 1)),
    st.datetimes(
        dt.datetime(1990, 1, 1),
        dt.datetime(2030, 1, 1),
        timezones=st.just(dt.timezone(dt.timedelta(hours=5))),
    ),
    st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1)),
    st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1)).map(str),
    st.integers(0, 1_800_000_000),
)
unit = st.one_of(st.none(), st.floats(-0.5, 1.5))


@st.composite
def aged(draw: st.DrawFn) -> list[tuple[object, float, rm.Document | None]]:
    ids = draw(st.lists(st.sampled_from("abcdefgh"), max_size=8))
    out = []
    for id in ids:
        document = rm.Document(
            id=id,
            created_at=draw(moments),
            updated_at=draw(moments),
            evergreen=draw(st.booleans()),
            importance=draw(unit),
            assessed_importance=draw(unit),
        )
        score = draw(st.one_of(st.floats(-10, 10), st.floats(allow_nan=False, allow_infinity=False)))
        out.append((id, score, draw(st.sampled_from([document, document, document, None]))))
    return out


@given(
    aged(),
    st.one_of(st.just(math.inf), st.floats(1e-3, 1e5)),
    st.sampled_from(["exponential", "hyperbolic"]),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    st.sampled_from([0.0, 0.3, 1.0, 2.0]),
)
def test_equals_the_oracle(hits, half_life, curve, power, undated):
    options = {
        "half_life_days": half_life,
        "curve": curve,
        "importance_weight": power,
        "undated": undated,
        "now": NOW,
    }
    expected = outcome(oracle, hits, **options)
    found = outcome(lambda *a, **o: fused(rm.time_decay(*a, **o)), hits, **options)
    if not isinstance(expected, list):
        assert found == expected
        return
    assert isinstance(found, list), found
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    # Near-equal scores may change places; the multiset of (id, score) may not.
    left = sorted(found)
    for (id, score), (wanted_id, wanted) in zip(left, sorted(expected), strict=True):
        assert id == wanted_id
        assert math.isclose(score, wanted, rel_tol=1e-9, abs_tol=5e-323), (id, score, wanted)


@pytest.mark.parametrize(
    ("curve", "age", "factor"),
    [
        ("exponential", 0, 1),
        ("exponential", 30, 0.5),
        ("exponential", 60, 0.25),
        ("exponential", 15, 2**-0.5),
        ("hyperbolic", 0, 1),
        ("hyperbolic", 30, 0.5),
        ("hyperbolic", 60, 1 / 3),
        ("hyperbolic", 90, 0.25),
    ],
)
def test_curves(curve, age, factor):
    (found,) = rm.time_decay([hit("a", 8.0, created_at=days_ago(age))], now=NOW, curve=curve)
    assert found.score == pytest.approx(8.0 * factor, rel=1e-12)


def test_the_fractions_of_a_day_count():
    (found,) = rm.time_decay(
        [hit("a", 1.0, created_at=NOW - dt.timedelta(seconds=43_200))], now=NOW, half_life_days=0.5
    )
    assert found.score == pytest.approx(0.5, rel=1e-12)


def test_the_update_counts_before_the_creation():
    (found,) = rm.time_decay([hit("a", 1.0, created_at=days_ago(300), updated_at=days_ago(30))], now=NOW)
    assert found.score == pytest.approx(0.5)


def test_the_future_is_as_good_as_now():
    (found,) = rm.time_decay([hit("a", 0.7, created_at=days_ago(-100))], now=NOW)
    assert found.score == 0.7


def test_what_has_no_date_takes_undated():
    hits = [hit("dated", 1.0, created_at=NOW), hit("undated", 1.0), ("bare", 1.0, None)]
    found = dict(fused(rm.time_decay(hits, now=NOW, undated=0.25)))
    assert found == {"dated": 1.0, "undated": 0.25, "bare": 0.25}
    assert dict(fused(rm.time_decay(hits, now=NOW))) == {"dated": 1.0, "undated": 1.0, "bare": 1.0}


def test_evergreen_does_not_age():
    hits = [hit("a", 1.0, created_at=days_ago(900), evergreen=True), hit("b", 1.0, evergreen=True)]
    assert dict(fused(rm.time_decay(hits, now=NOW, undated=0.5))) == {"a": 1.0, "b": 1.0}


def test_importance_is_a_factor_and_the_assessed_one_wins():
    hits = [
        hit("stated", 1.0, importance=0.25),
        hit("assessed", 1.0, importance=0.25, assessed_importance=0.5),
        hit("clamped", 1.0, importance=7.0),
        hit("none", 1.0),
    ]
    found = dict(fused(rm.time_decay(hits, now=NOW, importance_weight=2.0)))
    assert found == pytest.approx({"stated": 0.0625, "assessed": 0.25, "clamped": 1.0, "none": 1.0})
    assert set(dict(fused(rm.time_decay(hits, now=NOW))).values()) == {1.0}


def test_age_never_lifts_a_hit_with_a_negative_score():
    hits = [hit("new", -1.0, created_at=NOW), hit("old", -1.0, created_at=days_ago(30))]
    assert fused(rm.time_decay(hits, now=NOW)) == [("new", -1.0), ("old", pytest.approx(-2.0))]


def test_a_negative_score_is_not_divided_by_zero():
    with pytest.raises(rm.InvalidScoreError, match="a"):
        rm.time_decay([("a", -1.0)], now=NOW, undated=0.0)
    assert rm.time_decay([("a", 0.0), ("b", 2.0)], now=NOW, undated=0.0).scores.tolist() == [0.0, 0.0]


def test_nothing_overflows_or_vanishes_on_the_way():
    old = {"created_at": days_ago(1100)}
    (large,) = rm.time_decay([hit("a", 1e300, **old)], now=NOW, half_life_days=1.0)
    assert large.score == pytest.approx(1e300 * 2.0**-500 * 2.0**-600, rel=1e-9, abs=0)
    (small,) = rm.time_decay([hit("a", -1e-300, **old)], now=NOW, half_life_days=1.0)
    assert small.score == pytest.approx(-1e-300 * 2.0**500 * 2.0**600, rel=1e-9, abs=0)
    unimportant = hit("a", 1e300, importance=1e-200)
    (small,) = rm.time_decay([unimportant], now=NOW, importance_weight=2.0)
    assert small.score == pytest.approx(1e-100, rel=1e-9, abs=0)
    with pytest.raises(rm.InvalidScoreError):
        rm.time_decay([hit("a", -1.0, **old)], now=NOW, half_life_days=1.0)


def test_an_infinite_half_life_decays_nothing():
    hits = [hit("a", 0.5, created_at=days_ago(10_000)), hit("b", 0.7, created_at=NOW)]
    assert fused(rm.time_decay(hits, now=NOW, half_life_days=math.inf)) == [("b", 0.7), ("a", 0.5)]


@pytest.mark.parametrize(
    "form",
    [
        dt.datetime(2024, 1, 31, 12, tzinfo=dt.UTC),
        dt.datetime(2024, 1, 31, 12),
        dt.datetime(2024, 1, 31, 17, tzinfo=dt.timezone(dt.timedelta(hours=5))),
        "2024-01-31T12:00:00Z",
        "2024-01-31T13:00:00+01:00",
        "20240131T120000",
        1_706_702_400,
        1_706_702_400.0,
    ],
)
def test_every_form_of_a_moment(form):
    (found,) = rm.time_decay([hit("a", 1.0, created_at=form)], now=NOW)
    assert found.score == pytest.approx(0.5)
    fresh = rm.time_decay([hit("a", 1.0, created_at=form)], now=form)
    assert fresh[0].score == 1.0


def test_a_date_is_its_midnight():
    (found,) = rm.time_decay([hit("a", 1.0, created_at=dt.date(2024, 3, 1))], now=NOW, half_life_days=0.5)
    assert found.score == pytest.approx(0.5)


def test_now_is_now_when_not_given():
    hits = [hit("a", 1.0, created_at=dt.datetime.now(dt.UTC) - dt.timedelta(days=30))]
    assert rm.time_decay(hits)[0].score == pytest.approx(0.5, rel=1e-3)


def test_the_order_is_new_and_documents_stay_with_their_hits():
    hits = [hit("old", 1.0, created_at=days_ago(90)), hit("new", 0.9, created_at=NOW)]
    ranking = rm.time_decay(hits, now=NOW)
    assert ranking.ids == ["new", "old"]
    assert [one.document for one in ranking] == [hits[1][2], hits[0][2]]


def test_empty_is_empty_but_options_are_checked_first():
    assert len(rm.time_decay([], now=NOW)) == 0
    for options in (
        {"half_life_days": 0},
        {"curve": "linear"},
        {"undated": -1.0},
        {"importance_weight": -1.0},
    ):
        with pytest.raises(rm.InvalidArgumentError):
            rm.time_decay([], now=NOW, **options)
