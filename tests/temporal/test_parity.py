"""The extractor against a plain reading of the table, over phrases in sentences, days and zones."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rankmeld as rm
from reference import anchors as reference

from .test_anchors import NOTHING, TABLE

DAYS = [
    dt.date(2024, 2, 28),
    dt.date(2024, 2, 29),
    dt.date(2024, 3, 1),
    dt.date(2023, 12, 31),
    dt.date(2024, 1, 1),
    dt.date(2025, 6, 14),
    dt.date(2025, 6, 15),
    dt.date(2100, 3, 1),
    dt.date(1, 1, 1),
    dt.date(1, 3, 9),
    dt.date(9999, 12, 31),
]
ZONES = [
    "UTC",
    "Pacific/Kiritimati",
    "America/New_York",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "Pacific/Apia",
]
MONTHS = [*reference.MONTHS, *(f"{m[:3]}." for m in reference.MONTHS), "Sept", "may", "MAR"]
WORDS = [
    "a",
    "an",
    "the",
    "few",
    "couple",
    "of",
    "last",
    "past",
    "this",
    "previous",
    "on",
    "in",
    "back",
    "since",
    "during",
    "between",
    "and",
    "ago",
    "today",
    "tonight",
    "morning",
    "night",
    "yesterday",
    "recently",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "hour",
    "weekend",
    "half",
    "before",
    "after",
    "from",
    "to",
    "until",
    "least",
    "used",
    "left",
    "boot",
    "dollars",
    "02:52:33",
    "7-",
    "other",
    "quarter",
    "q3",
    "first",
    "second",
    "spring",
    "summer",
    "fall",
    "winter",
    "monday",
    "sunday",
    "hundred",
    "twenty",
    "two",
    "three",
    "3",
    "12",
    "14",
    "31",
    "100",
    "000",
    "2023",
    "2024",
    "1899",
    "14th",
    "2nd",
    "2023-02-29",
    "2023-10-13",
    ",",
    ".",
    "-",
    "x",
    "é",
    "may",
    "march",
    "july",
    "jan.",
    "feb",
]


def as_row(found: rm.TimeAnchor | None) -> tuple[object, ...] | None:
    if found is None:
        return None
    dates = [moment and moment.date() for moment in (found.start, found.end)]
    return found.days, found.tolerance, found.text, *dates


def agree(query: str, now: dt.datetime, hemisphere: str = "north") -> None:
    found = rm.RegexAnchorExtractor(hemisphere=hemisphere).anchor(query, now)
    after_midnight = now.time() > dt.time()
    assert as_row(found) == reference.anchor(query, now.date(), after_midnight, hemisphere), (query, now)


def at(day: dt.date, hour: int = 0, zone: str = "UTC") -> dt.datetime:
    return dt.datetime(day.year, day.month, day.day, hour, tzinfo=ZoneInfo(zone))


@pytest.mark.parametrize("hemisphere", ["north", "south"])
@pytest.mark.parametrize("query", [*TABLE, *NOTHING])
def test_the_table_on_special_days(query, hemisphere):
    for day in DAYS[:-1]:
        for hour in (0, 12):
            agree(query, at(day, hour), hemisphere)


def test_all_months_weekdays_and_numbers():
    now = at(dt.date(2024, 2, 29), 9)
    for month in MONTHS:
        for form in (
            "in {}",
            "last {}",
            "{} 2023",
            "{} 5",
            "on {} 5",
            "{} 31st",
            "the 30th of {}",
            "{} 29, 2023",
        ):
            agree(form.format(month), now)
            agree(form.format(month) + " 2024", now)
        for other in MONTHS:
            agree(f"between {month} and {other}", now)
            agree(f"between {month} 3 and the 29th of {other} 2023", now)
    for count in [*range(40), *reference.NUMBERS, 10**7]:
        for unit in ("hours", "day", "weeks", "month", "years"):
            agree(f"{count} {unit} ago", now)
            agree(f"the last {count} {unit}", now)
    for offset in range(7):
        for name in reference.WEEKDAYS:
            agree(f"on {name}", now + offset * reference.DAY)
        agree("last weekend", now + offset * reference.DAY)
        agree("this week", now + offset * reference.DAY)


@given(
    st.lists(st.sampled_from(WORDS), max_size=9),
    st.sampled_from([" ", " ", "  ", "\n", ""]),
    st.sampled_from(DAYS[:8]),
    st.sampled_from([0, 13]),
    st.sampled_from(["north", "south"]),
)
@example(["july", "14", "march", "2024"], " ", DAYS[0], 0, "north")
@example(["last", "3", "days", "ago"], " ", DAYS[0], 0, "north")
def test_any_words(words, gap, day, hour, hemisphere):
    agree(gap.join(words), at(day, hour), hemisphere)


@given(
    st.lists(st.sampled_from(WORDS), max_size=3),
    st.sampled_from(list(TABLE)),
    st.lists(st.sampled_from(WORDS), max_size=3),
)
def test_phrases_among_words(before, phrase, after):
    agree(" ".join([*before, phrase, *after]), at(dt.date(2024, 3, 20), 12))


@given(
    st.sampled_from(list(TABLE)),
    st.sampled_from(ZONES),
    st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2037, 12, 31)),
)
@example("yesterday", "Pacific/Apia", dt.datetime(2011, 12, 31, 5))
@example("yesterday", "America/New_York", dt.datetime(2024, 3, 11, 0, 30))
@example("yesterday", "America/New_York", dt.datetime(2024, 11, 4, 0, 30))
def test_the_days_are_those_of_the_zone(phrase, zone, moment):
    now = moment.replace(tzinfo=ZoneInfo(zone)).astimezone(dt.UTC).astimezone(ZoneInfo(zone))
    found = rm.RegexAnchorExtractor().anchor(phrase, now)
    given = reference.anchor(phrase, now.date(), now.time() > dt.time())
    assert (found is None) == (given is None)
    if found is None or given is None:
        return
    assert (found.days, found.tolerance, found.text) == given[:3]
    for begin, day in zip((found.start, found.end), given[3:], strict=True):
        assert (begin is None) == (day is None)
        if begin is not None:
            assert begin == first_moment(day, ZoneInfo(zone))


def first_moment(day: dt.date, zone: ZoneInfo) -> dt.datetime:
    """The first quarter of an hour of UTC in which the zone's calendar shows that day or a later one."""
    moment = dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC) - dt.timedelta(hours=36)
    while moment.astimezone(zone).date() < day:
        moment += dt.timedelta(minutes=15)
    return moment
