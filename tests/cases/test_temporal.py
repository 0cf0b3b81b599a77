"""Known failures of time phrases elsewhere, each as a test of its whole kind.

An extractor gives one anchor a query. Not covered, one line each:

- C072 (should): several anchors from one text; the first of equal ones is given, by the same rule.
- C077 (should): "next" names no time here; "February 28" alone is the latest past one.
- C097 (should): ranges with a hyphen; "between March and April 2021" is understood.
- C109 (should): short units ("1w ago") are not understood.
- C115 (should): "the 1st of last month" is read as "last month".
- C118 (choice), C119 (should): dates of numbers alone, other than ISO 8601, are never read.
- C121 (should): "over the weekend" is not understood, "last weekend" is.
"""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

import rankmeld as rm

REGEX = rm.RegexAnchorExtractor()
NOW = "2025-06-18T10:30:00"
OFTEN = [f"2015-{month:02}-{day}T08:00:00" for month in (1, 3, 5) for day in (29, 30, 31)] + [
    "2016-02-29T08:00:00"
]


def interval(query: str, now: rm.document.Moment = NOW) -> tuple[str, str] | None:
    found = REGEX.anchor(query, now)
    if found is None or found.start is None or found.end is None:
        return None
    return found.start.date().isoformat(), found.end.date().isoformat()


@pytest.mark.parametrize(
    "query",
    [
        "I may be late and may the best team win",  # c062
        "injunction, Julius, marching, decided, maybe, augment, octet, Janet",  # c064
        "Ask Mark and Jane about the paprika order; Decker decided for Augustus",  # c065
        "to be or not to be, dat is a question",  # c067
        "We sold 100M units, 10,00 2 boxes, rows 73 20, at 32 deg 34 min S, total 538400",  # c068
        "upgrade from version 3.14 to 3.12.1, ratio 20:30, section 1.2.3, IP 10.2.20.25",  # c069
        "Ship to 1200 SW 68th Parkway, Suite 200, near 5th Avenue",  # c070
        "2013 items",  # c098
        "room 2013",  # c098
        "about a week and a half ago",  # c107
    ],
)
def test_c062_c064_c065_c067_c068_c069_c070_c107_what_is_no_time(query):
    for text in (query, query.lower(), query.upper()):
        assert REGEX.anchor(text, NOW) is None


def test_c062_a_verb_is_no_month_but_a_month_is():
    query = "I may be late and may the best team win; can we talk about what happened in May?"
    assert interval(query) == ("2025-05-01", "2025-06-01")
    found = REGEX.anchor(query, NOW)
    assert found is not None
    assert found.text == "in May"


def test_c071_a_month_is_a_whole_month_whatever_day_it_is():
    assert interval("what did we decide in April", "2024-03-24T09:00:00") == ("2023-04-01", "2023-05-01")


def test_c072_of_several_months_the_first_counts_by_the_rule_for_each():
    for month, start in (("January", "2024-01-01"), ("July", "2024-07-01"), ("September", "2023-09-01")):
        found = interval(f"what changed in {month}, and so on", "2024-07-26T12:00:00")
        assert found is not None
        assert found[0] == start


@pytest.mark.parametrize("now", OFTEN)
def test_c073_the_day_of_the_month_plays_no_part(now):
    assert interval("sales in Feb 2011", now) == ("2011-02-01", "2011-03-01")
    assert interval("sales in Feb. 2011", now) == ("2011-02-01", "2011-03-01")


@pytest.mark.parametrize("day", ["February 30, 2025", "2025-02-29", "30 February 2025", "the 31st of April"])
def test_c075_an_impossible_day_is_no_other_day(day):
    assert REGEX.anchor(f"the invoice from {day}", NOW) is None


def test_c076_a_year_ago_from_a_leap_day():
    found = REGEX.anchor("a year ago", "2016-02-29T10:00:00")
    assert found is not None
    assert abs((dt.date(2016, 2, 29) - dt.timedelta(found.days)) - dt.date(2015, 2, 28)) <= dt.timedelta(1)
    assert REGEX.anchor("1 month ago", "2015-03-31") == rm.TimeAnchor(30, 10, "1 month ago")


def test_c080_c083_weekdays_lie_in_the_past_across_months_and_years():
    assert interval("last Friday", "2012-10-13T07:00:00") == ("2012-10-12", "2012-10-13")
    assert interval("on Monday", "2025-04-02T10:00:00") == ("2025-03-31", "2025-04-01")
    for day in range(1, 15):
        now = dt.datetime(2025, 1, day, 10)
        for name in ("Monday", "Thursday", "Sunday"):
            found = REGEX.anchor(f"last {name}", now)
            assert found is not None
            assert found.start is not None
            assert found.start.strftime("%A") == name
            assert 1 <= found.days <= 7


def test_c084_last_before_a_full_date():
    assert interval("last April 1", "2015-06-10T10:00:00") == ("2015-04-01", "2015-04-02")


def test_c085_c086_weeks_are_counted_on_the_calendar_of_the_zone():
    zone = ZoneInfo("America/New_York")
    for now, day in (
        (dt.datetime(2024, 9, 10, 21, 24, tzinfo=dt.UTC), dt.date(2024, 8, 27)),
        (dt.datetime(2024, 11, 9, 15, 22, 51, tzinfo=zone), dt.date(2024, 10, 26)),
    ):
        found = REGEX.anchor("2 weeks ago", now)
        assert found is not None
        assert now.date() - dt.timedelta(found.days) == day


def test_c087_a_day_of_23_hours():
    now = dt.datetime(2025, 3, 10, 0, 30, tzinfo=ZoneInfo("America/New_York"))
    found = REGEX.anchor("yesterday", now)
    assert found is not None
    assert found.days == 1
    assert found.start == dt.datetime(2025, 3, 9, 5, tzinfo=dt.UTC)
    assert found.end == dt.datetime(2025, 3, 10, 4, tzinfo=dt.UTC)


def test_c088_today_is_that_of_the_zone():
    found = REGEX.anchor("today", dt.datetime(2026, 7, 3, 0, 27, tzinfo=ZoneInfo("Asia/Almaty")))
    assert found is not None
    assert found.start == dt.datetime(2026, 7, 2, 19, tzinfo=dt.UTC)


@pytest.mark.parametrize("now", ["2021-03-05T10:00:00", "1996-03-01", "2099-12-31T23:59:59"])
def test_c089_no_clock_is_read_where_now_is_given(now, monkeypatch):
    class Clock(dt.datetime):
        @classmethod
        def now(cls, *_: object) -> Clock:
            raise AssertionError("the clock was read")

    monkeypatch.setattr("rankmeld._time.dt.datetime", Clock)
    found = REGEX.anchor("we met yesterday", dt.datetime.fromisoformat(now).replace(tzinfo=dt.UTC))
    assert found is not None
    assert found.days == 1


def test_c090_c091_the_last_so_many_are_a_window_up_to_now():
    assert interval("tickets from the last 2 months", "2025-05-14T11:53:00") == ("2025-03-14", "2025-05-15")
    for word in ("last", "past", "previous"):
        found = interval(f"activity over the {word} 14 days", "2025-07-13T12:51:00")
        assert found == ("2025-06-29", "2025-07-14")


def test_c095_this_month_is_all_of_it():
    assert interval("notes from this month") == ("2025-06-01", "2025-07-01")
    assert interval("notes from this week") == ("2025-06-16", "2025-06-23")
    assert interval("notes from this year") == ("2025-01-01", "2026-01-01")


@pytest.mark.parametrize("now", ["2019-08-16T10:00:00", "2016-02-29T10:00:00"])
def test_c098_a_year_is_all_of_it(now):
    assert interval("what happened in 2013", now) == ("2013-01-01", "2014-01-01")


def test_c099_c101_the_last_season_is_over():
    assert interval("last winter", "2013-01-22T10:00:00") == ("2011-12-01", "2012-03-01")
    now = "2026-09-08T12:00:00"
    assert interval("last spring", now) == ("2026-03-01", "2026-06-01")
    assert interval("last fall", now) == ("2025-09-01", "2025-12-01")
    assert interval("last winter", now) == ("2025-12-01", "2026-03-01")


def test_c103_a_season_of_a_year_is_one_phrase():
    found = REGEX.anchor("photos from winter 2020", NOW)
    assert found is not None
    assert (found.text, found.tolerance) == ("winter 2020", 45)


@pytest.mark.parametrize("quarter", ["Quarter 1 2018", "in Q1 2018", "in the first quarter of 2018"])
def test_c104_a_quarter_in_all_spellings(quarter):
    assert interval(f"all products sold {quarter}") == ("2018-01-01", "2018-04-01")


@pytest.mark.parametrize("amount", ["two or three days", "a couple of days", "a few days"])
def test_c108_vague_amounts(amount):
    found = REGEX.anchor(f"{amount} ago", NOW)
    assert found is not None
    assert found.days in (2, 3)


def test_c110_amounts_out_of_all_range():
    query = "123456789 hours ago, 12345678912 days ago, 9000 years ago, 123455678976543 months ago"
    assert REGEX.anchor(query, NOW) is None
    assert REGEX.anchor("9" * 100_000 + " days ago", NOW) is None


def test_c113_long_numbers_beside_a_date():
    query = "I visited it on April 20, 1969: example.org/foo/2019/9073281312532938752"
    assert interval(query) == ("1969-04-20", "1969-04-21")


def test_c114_numbers_before_a_date_and_a_time_behind_it():
    query = "Parcel left depot XY 17112 on December 22, 2022 at 5:58 am."
    assert interval(query) == ("2022-12-22", "2022-12-23")


@pytest.mark.parametrize(
    "day",
    [
        "the 1st day of March, 2025",
        "March 1st 2025",
        "1st of March 2025",
        "1 March 2025",
        "Mar. 1, 2025",
        "2025-03-01",
    ],
)
def test_c116_all_spellings_of_a_day(day):
    assert interval(f"what happened {day}?") == ("2025-03-01", "2025-03-02")


def test_c118_c119_dates_of_numbers_alone_are_not_guessed():
    for query in ("meeting on 12.07.2022 and on 13.07.2022", "on 15/4/2019, 16/4/2019 and 2/5/2019"):
        assert REGEX.anchor(query, NOW) is None


def test_c121_last_weekend():
    assert interval("last weekend") == ("2025-06-14", "2025-06-16")


@pytest.mark.parametrize("before", ["café 😀 bill from ", "\ud83d\ude00 ", "e\u0301 ", "日本 "])
def test_c122_the_phrase_is_cut_from_where_it_stands(before):
    found = REGEX.anchor(f"{before}March 14th 2025, paid", NOW)
    assert found is not None
    assert found.text == "March 14th 2025"
