"""What people may type, all of it; and what callers may not pass."""

from __future__ import annotations

import datetime as dt
import time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm

NOW = dt.datetime(2024, 3, 20, 12, tzinfo=dt.UTC)
REGEX = rm.RegexAnchorExtractor()

PARTS = ["7", " ", "é", "july ", "between ", "between july and ", "last ", "1st ", "1,", "in the ", "2023-"]
PARTS += [
    "2023-10-1",
    "a couple of ",
    "hundred and ",
    "the day before ",
    "on monday, ",
    "\u3000",
    "\u0301",
    "-3 ",
]


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_is_refused(text):
    REGEX.anchor(text, NOW)


@given(st.text(max_size=9), st.text(max_size=9))
def test_a_phrase_among_anything_is_a_phrase_of_the_text(before, after):
    found = REGEX.anchor(f"{before} in July 2023 {after}", NOW)
    assert found is None or found.text in f"{before} in July 2023 {after}"


@pytest.mark.parametrize(
    "text",
    [
        "\x00",
        "\ud800",
        "\udfff\ud800",
        "last\x00week",
        "last\ud800week",
        "\u202elast\u202cweek",
        "1" * 3_000_000,
    ],
)
def test_what_looks_like_a_phrase_and_is_none(text):
    assert REGEX.anchor(text, NOW) is None


@pytest.mark.parametrize("text", ["\x00last week\x00", "\ud800 last week \udc00", "\u202elast week\u202c"])
def test_marks_beside_a_phrase(text):
    found = REGEX.anchor(text, NOW)
    assert found is not None
    assert found.text == "last week"


@pytest.mark.parametrize("part", PARTS)
def test_time_is_linear_in_the_text(part):
    def seconds(size: int) -> float:
        text, best = part * (size // len(part)), float("inf")
        for _ in range(3):
            start = time.process_time()
            REGEX.anchor(text, NOW)
            best = min(best, time.process_time() - start)
        return best

    # Eight times the text: quadratic work would take 64 times as long.
    assert seconds(1_600_000) < 30 * max(seconds(200_000), 0.001)


def test_a_day_that_begins_late_or_twice_or_never():
    def day(zone: str, *now: int) -> tuple[str, str]:
        found = REGEX.anchor("yesterday", dt.datetime(*now, 12, tzinfo=ZoneInfo(zone)))  # type: ignore[misc]
        assert found is not None
        assert found.start is not None
        assert found.end is not None
        return found.start.isoformat(), found.end.isoformat()

    late = day("America/Sao_Paulo", 2018, 11, 5)
    assert late == ("2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00")
    twice = day("America/Havana", 2023, 11, 6)
    assert twice == ("2023-11-05T00:00:00-04:00", "2023-11-06T00:00:00-05:00")
    never = day("Pacific/Apia", 2011, 12, 31)
    assert never == ("2011-12-31T00:00:00+14:00", "2011-12-31T00:00:00+14:00")


@pytest.mark.parametrize(
    "zone", [dt.UTC, ZoneInfo("Pacific/Kiritimati"), dt.timezone(dt.timedelta(hours=-12))]
)
def test_at_the_ends_of_time(zone):
    last = dt.datetime(9999, 12, 31, 11, tzinfo=zone)
    found = REGEX.anchor("this year", last)
    assert found is not None
    assert found.start == dt.datetime(9999, 1, 1, tzinfo=zone)
    assert found.end is None
    first = dt.datetime(1, 1, 2, 13, tzinfo=zone)
    for phrase in ("today", "yesterday", "last week", "last month", "last year", "in March", "last 3 days"):
        given = REGEX.anchor(phrase, first)
        assert (given is None) == (phrase not in ("today", "yesterday")), phrase


def error(call, kind: type[Exception]) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_error_texts():
    when = "now must be a datetime, a date, an ISO 8601 string or epoch seconds, not list"
    assert error(lambda: REGEX.anchor("x", []), TypeError) == when
    assert error(lambda: REGEX.anchor(7, NOW), TypeError) == "query must be a str, not int"
    own = rm.CallableAnchorExtractor(lambda *_: 7)
    assert error(lambda: own.anchor(7, NOW), TypeError) == "query must be a str, not int"
    assert error(lambda: own.anchor("x", NOW), TypeError) == (
        "fn must give a TimeAnchor or None, not int; write TimeAnchor(days, tolerance), both in days"
    )

    async def waits(query, now):
        return None

    slow = rm.CallableAnchorExtractor(waits)
    assert error(lambda: slow.anchor("x", NOW), TypeError) == (
        "fn is asynchronous (it gave a coroutine); it must give a TimeAnchor or None"
    )
    assert error(lambda: rm.CallableAnchorExtractor("x"), TypeError) == (
        "fn must be a callable (query, now) -> TimeAnchor or None, not str"
    )
    bad = rm.InvalidArgumentError
    assert error(lambda: rm.RegexAnchorExtractor(hemisphere="east"), bad) == (
        "hemisphere is 'east'; it must be one of 'north', 'south'"
    )
    assert error(lambda: rm.RegexAnchorExtractor(hemisphere=1), TypeError) == (
        "hemisphere must be one of 'north', 'south', not int"
    )
    with pytest.raises(TypeError):
        rm.RegexAnchorExtractor(zone="UTC")
    assert error(lambda: rm.TimeAnchor(1, -1), bad) == "tolerance is -1.0 days; it must not be negative"
    assert error(lambda: rm.TimeAnchor(1, float("nan")), bad) == "tolerance is nan; it must be finite"
    assert error(lambda: rm.TimeAnchor(1.5, 1), TypeError) == "days must be an integer, not float"
    assert error(lambda: rm.TimeAnchor(1, 1, None), TypeError) == "text must be a str, not NoneType"
    assert error(lambda: rm.TimeAnchor(1, 1, "", "2024-01-02", "2024-01-01"), bad) == (
        "end, 2024-01-01T00:00:00+00:00, is before start, 2024-01-02T00:00:00+00:00"
    )
    assert "start is 'soon', which is not an ISO 8601" in error(lambda: rm.TimeAnchor(1, 1, "", "soon"), bad)


def test_what_fn_raises_comes_through():
    def fails(query, now):
        raise LookupError("no model")

    with pytest.raises(LookupError, match="no model"):
        rm.CallableAnchorExtractor(fails).anchor("x", NOW)
