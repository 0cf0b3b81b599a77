"""The phrases that name a time, what each gives, and what names none."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle
from dataclasses import FrozenInstanceError, astuple

import pytest

import rankmeld as rm

#: A Wednesday.
NOW = "2024-03-20T12:00:00"
REGEX = rm.RegexAnchorExtractor()

Row = tuple[int, float, str | None, str | None]

TABLE: dict[str, Row] = {
    "3 days ago": (3, 2, "2024-03-17", "2024-03-18"),
    "one day ago": (1, 2, "2024-03-19", "2024-03-20"),
    "a day ago": (1, 2, "2024-03-19", "2024-03-20"),
    "0 days ago": (0, 2, "2024-03-20", "2024-03-21"),
    "a couple of days ago": (2, 2, None, None),
    "a couple days ago": (2, 2, None, None),
    "couple of days ago": (2, 2, None, None),
    "a few days ago": (3, 2, None, None),
    "today": (0, 1, "2024-03-20", "2024-03-21"),
    "this morning": (0, 1, "2024-03-20", "2024-03-21"),
    "tonight": (0, 1, "2024-03-20", "2024-03-21"),
    "5 hours ago": (0, 1, None, None),
    "47 hours ago": (1, 1, None, None),
    "48 hours ago": (2, 1, None, None),
    "an hour ago": (0, 1, None, None),
    "a few hours ago": (0, 1, None, None),
    "last night": (1, 1, "2024-03-19", "2024-03-21"),
    "yesterday": (1, 1, "2024-03-19", "2024-03-20"),
    "the day before yesterday": (2, 1, "2024-03-18", "2024-03-19"),
    "day before yesterday": (2, 1, "2024-03-18", "2024-03-19"),
    "the other day": (3, 3, None, None),
    "2 weeks ago": (14, 5, None, None),
    "a couple of weeks ago": (14, 5, None, None),
    "a week ago": (7, 3, None, None),
    "last week": (7, 3, "2024-03-11", "2024-03-18"),
    "this past week": (7, 3, "2024-03-11", "2024-03-18"),
    "a few weeks ago": (21, 7, None, None),
    "six months ago": (180, 10, None, None),
    "a month ago": (30, 7, None, None),
    "last month": (30, 7, "2024-02-01", "2024-03-01"),
    "a few months ago": (90, 20, None, None),
    "twelve years ago": (4380, 30, None, None),
    "a year ago": (365, 30, None, None),
    "a year ago today": (365, 30, None, None),
    "last year": (365, 30, "2023-01-01", "2024-01-01"),
    "recently": (14, 14, None, None),
    "last 7 days": (3, 4, "2024-03-13", "2024-03-21"),
    "past two weeks": (7, 7, "2024-03-06", "2024-03-21"),
    "previous 14 days": (7, 7, "2024-03-06", "2024-03-21"),
    "this past 3 weeks": (10, 11, "2024-02-28", "2024-03-21"),
    "last couple of weeks": (7, 7, "2024-03-06", "2024-03-21"),
    "last 3 months": (45, 45, "2023-12-20", "2024-03-21"),
    "the last week": (3, 4, "2024-03-13", "2024-03-21"),
    "the past month": (15, 15, "2024-02-20", "2024-03-21"),
    "this week": (1, 1, "2024-03-18", "2024-03-25"),
    "this month": (10, 10, "2024-03-01", "2024-04-01"),
    "this year": (40, 40, "2024-01-01", "2025-01-01"),
    "last Tuesday": (1, 1, "2024-03-19", "2024-03-20"),
    "on Wednesday": (7, 1, "2024-03-13", "2024-03-14"),
    "last weekend": (4, 2, "2024-03-16", "2024-03-18"),
    "March 14, 2024": (6, 2, "2024-03-14", "2024-03-15"),
    "March 14th 2024": (6, 2, "2024-03-14", "2024-03-15"),
    "Mar. 14,2024": (6, 2, "2024-03-14", "2024-03-15"),
    "14 March 2024": (6, 2, "2024-03-14", "2024-03-15"),
    "14th of March, 2024": (6, 2, "2024-03-14", "2024-03-15"),
    "the 14th day of March, 2024": (6, 2, "2024-03-14", "2024-03-15"),
    "on Thursday, March 14, 2024": (6, 2, "2024-03-14", "2024-03-15"),
    "2024-03-14": (6, 2, "2024-03-14", "2024-03-15"),
    "July 2023": (249, 15, "2023-07-01", "2023-08-01"),
    "July, 2023": (249, 15, "2023-07-01", "2023-08-01"),
    "in July of 2023": (249, 15, "2023-07-01", "2023-08-01"),
    "March 14th": (6, 2, "2024-03-14", "2024-03-15"),
    "the 14th of March": (6, 2, "2024-03-14", "2024-03-15"),
    "on March 14": (6, 2, "2024-03-14", "2024-03-15"),
    "on 14 March": (6, 2, "2024-03-14", "2024-03-15"),
    "July 4": (260, 2, "2023-07-04", "2023-07-05"),
    "4th July": (260, 2, "2023-07-04", "2023-07-05"),
    "February 29th": (20, 2, "2024-02-29", "2024-03-01"),
    "Mar 14 02:52:33 2024": (6, 2, "2024-03-14", "2024-03-15"),
    "in March": (5, 15, "2024-03-01", "2024-04-01"),
    "back in July": (249, 15, "2023-07-01", "2023-08-01"),
    "since Aug": (218, 15, "2023-08-01", "2023-09-01"),
    "during Feb.": (34, 15, "2024-02-01", "2024-03-01"),
    "last March": (371, 15, "2023-03-01", "2023-04-01"),
    "this past July": (249, 15, "2023-07-01", "2023-08-01"),
    "in the summer": (249, 45, "2023-06-01", "2023-09-01"),
    "back in the summer": (249, 45, "2023-06-01", "2023-09-01"),
    "last winter": (65, 45, "2023-12-01", "2024-03-01"),
    "this past fall": (157, 45, "2023-09-01", "2023-12-01"),
    "summer 2020": (1344, 45, "2020-06-01", "2020-09-01"),
    "in the fall of 2020": (1252, 45, "2020-09-01", "2020-12-01"),
    "winter 2020": (1526, 45, "2019-12-01", "2020-03-01"),
    "Q3 2023": (218, 46, "2023-07-01", "2023-10-01"),
    "quarter 3 2023": (218, 46, "2023-07-01", "2023-10-01"),
    "the third quarter of 2023": (218, 46, "2023-07-01", "2023-10-01"),
    "3rd quarter 2023": (218, 46, "2023-07-01", "2023-10-01"),
    "last quarter": (126, 46, "2023-10-01", "2024-01-01"),
    "in 2023": (263, 120, "2023-01-01", "2024-01-01"),
    "back in 2023": (263, 120, "2023-01-01", "2024-01-01"),
    "between March and May": (340, 45.5, "2023-03-01", "2023-06-01"),
    "between January 1, 2023, and February 1, 2023": (429, 15.5, "2023-01-01", "2023-02-02"),
    "from 2023-01-01 to 2023-02-01": (429, 15.5, "2023-01-01", "2023-02-02"),
    "from May 3rd until June 2023": (293, 29, "2023-05-03", "2023-07-01"),
    "between November and February": (80, 60, "2023-11-01", "2024-03-01"),
    "between November and February 2023": (446, 59.5, "2022-11-01", "2023-03-01"),
    "between November 2022 and February": (446, 59.5, "2022-11-01", "2023-03-01"),
    "between March 3 and the 10th of March 2023": (380, 3.5, "2023-03-03", "2023-03-11"),
    "between 2023-03-03 and 10 March 2023": (380, 3.5, "2023-03-03", "2023-03-11"),
    "between May 2023 and March 2023": (340, 45.5, "2023-03-01", "2023-06-01"),
}

NOTHING = [
    "a week and a half ago",
    "half a year ago",
    "half an hour ago",
    "one hundred and two days ago",
    "two hundred days ago",
    "twenty one days ago",
    "twenty-one days ago",
    "1 000 days ago",
    "1,000 days ago",
    "-3 days ago",
    "−3 days ago",
    "2.5 weeks ago",
    "1/2 years ago",
    "#3 days ago",
    "$3 days ago",
    "+3 days ago",
    "a few years ago",
    "few days ago",
    "5 minutes ago",
    "3 days later",
    "last days",
    "last 0 days",
    "last 2 years",
    "last 24 hours",
    "last few weeks",
    "past week",
    "the last week of school",
    "the last week before school",
    "the last 3 days before school",
    "the last year",
    "the past year",
    "last 3 weeks of school",
    "last night of the show",
    "last Monday of May",
    "on Monday of that week",
    "last July of the war",
    "this day",
    "this Monday",
    "next week",
    "tomorrow",
    "the weekend",
    "Monday",
    "the other days",
    "last-week",
    "last, week",
    "May 5",
    "on the May 5",
    "the 5th may be late",
    "5 may be late",
    "5th march on Washington",
    "14 July",
    "July",
    "July 4, 2150",
    "July 4 1776",
    "July 2100",
    "July 32",
    "31 April 2023",
    "on February 30",
    "between February 30, 2024 and March 3, 2024",
    "2023-02-30",
    "1850-01-01",
    "x-2023-10-13",
    "2023-10-13-14",
    "2023-10-13T12:00:00",
    "July 5-7",
    "July 5%",
    "July 14,000",
    "the summer",
    "in summer",
    "since the summer",
    "summer, 2020",
    "in the fall of Rome",
    "Q3",
    "Q5 2023",
    "quarter 7 2023",
    "fifth quarter of 2023",
    "last quarter of the game",
    "in 2000 days",
    "in 2,019",
    "in 2019-20",
    "in 2019 dollars",
    "in 2000 words or less",
    "in 2048 bits",
    "since 2019",
    "2019",
    "in the 2010s",
    "between 2019 and 2021",
    "between 5 and 10 people",
    "between July and them",
    "from July to May",
    "a week from today",
    "two weeks from yesterday",
    "three days before yesterday",
    "a day after yesterday",
    "least recently",
    "least recently used",
    "recently used files",
    "since May left",
    "since April is sick",
    "in the spring framework",
    "in the Spring Boot application",
    "last spring batch",
    "the last quarter mile",
    "the last may fail",
    "on Friday the 13th",
    "on October 30 and 31, 2013",
    "Mar 14 02:52:33 1824",
    "2008-May 2009",
    "2008–May 2009",
    "the last march",
    "last quarter hour",
    "on 12.07.2022",
    "９ days ago",
    "yester\u00adday",
    "yesterday\u0301",
    "éyesterday",
    "昨日yesterday",
    "yesterday_",
]


def described(anchor: rm.TimeAnchor | None) -> Row | None:
    if anchor is None:
        return None
    days = [None if moment is None else moment.isoformat() for moment in (anchor.start, anchor.end)]
    start, end = (day and day.removesuffix("T00:00:00+00:00") for day in days)
    return anchor.days, anchor.tolerance, start, end


@pytest.mark.parametrize("phrase", TABLE)
def test_what_a_phrase_gives(phrase):
    found = REGEX.anchor(phrase, NOW)
    assert described(found) == TABLE[phrase]
    assert found is not None
    assert (type(found.days), type(found.tolerance)) == (int, float)


@pytest.mark.parametrize("phrase", TABLE)
def test_a_phrase_is_found_whole_in_any_case_and_white_space(phrase):
    for text in (phrase, phrase.upper(), phrase.lower(), phrase.replace(" ", "\u3000\t\n")):
        for query in (text, f"so, {text}", f"({text})", f"«{text}»!", f"メモ {text} を探す"):
            found = REGEX.anchor(query, NOW)
            assert described(found) == TABLE[phrase], query
            assert found is not None
            # The article before an ordinal and the preposition before a date belong to it.
            assert found.text == text, query


@pytest.mark.parametrize("phrase", TABLE)
def test_a_phrase_ends_at_the_ends_of_words(phrase):
    for query in (
        f"x{phrase}",
        f"é{phrase}",
        f"_{phrase}",
        f"{phrase.rstrip('.')}x",
        f"{phrase.rstrip('.')}é",
    ):
        found = REGEX.anchor(query, NOW)
        assert found is None or found.text != phrase, query


@pytest.mark.parametrize("phrase", NOTHING)
def test_what_names_no_time(phrase):
    for query in (phrase, phrase.upper(), f"so {phrase}!", f"({phrase})"):
        assert REGEX.anchor(query, NOW) is None, query


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("in March I said so, a week ago", "a week ago"),
        ("last quarter, or recently", "recently"),
        ("in 2022, on October 13, 2023", "on October 13, 2023"),
        ("recently, 5 days ago", "5 days ago"),
        ("today or yesterday", "today"),
        ("yesterday or today", "yesterday"),
        ("in July 2023", "in July 2023"),
        ("the day before yesterday and yesterday", "the day before yesterday"),
        ("on Friday, October 13, 2023", "on Friday, October 13, 2023"),
        ("on Friday or October 13, 2023", "on Friday"),
        ("the last week of July 2023", "July 2023"),
        ("last summer of 2020", "last summer of 2020"),
        ("two or three days ago", "three days ago"),
        ("between us, yesterday", "yesterday"),
        ("in March 4 people left", "in March"),
        ("yesterday's notes", "yesterday"),
        ("the minutes from yesterday", "yesterday"),
        ("what came before yesterday", "yesterday"),
        ("from July 2023 and May 2024", "July 2023"),
        ("a week ago from today", "a week ago"),
        ("most recently decided", "recently"),
        ("since May, left alone", "since May"),
        ("in the fall security review", "in the fall"),
        ("in 2019 we moved", "in 2019"),
        ("on Monday the 4th of March", "on Monday the 4th of March"),
        ("on Monday the 4 of us", "on Monday"),
        ("during July and August 1988", "August 1988"),
        ("in May and June, 2020", "June, 2020"),
        ("in May and June", "in May"),
        ("in May and 20 people", "in May"),
        ("July 4 at 10:30:00 2000 people came", "July 4"),
        ("July 4 10:30:00 we came", "July 4"),
        ("July 4 10:30:002000", "July 4"),
        ("the conference last May", "last May"),
        ("the last June", "last June"),
    ],
)
def test_which_phrase_counts(query, text):
    found = REGEX.anchor(query, NOW)
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize("count", [10**9, 10**12, 10**400])
@pytest.mark.parametrize("unit", ["hours", "days", "weeks", "months", "years"])
def test_what_lies_before_the_year_one_is_no_anchor(count, unit):
    for query in (f"{count} {unit} ago", f"the last {count} {unit}"):
        assert REGEX.anchor(query, NOW) is None


def test_between_a_month_and_a_day_of_it_is_the_month():
    found = REGEX.anchor("between March 2023 and March 5, 2023", NOW)
    assert described(found) == (370, 15, "2023-03-01", "2023-04-01")


def test_leap_days_may_be_eight_years_apart():
    found = REGEX.anchor("February 29th", "2103-06-01")
    assert described(found) == (2648, 2, "2096-02-29", "2096-03-01")


def test_hemispheres_differ_in_seasons_alone():
    south = rm.RegexAnchorExtractor(hemisphere="south")
    for phrase, row in TABLE.items():
        same = described(south.anchor(phrase, NOW)) == row
        assert same != any(s in phrase for s in ("summer", "winter", "fall")), phrase
    assert described(south.anchor("last summer", NOW)) == (65, 45, "2023-12-01", "2024-03-01")
    assert described(south.anchor("in the fall", NOW)) == (-25, 45, "2024-03-01", "2024-06-01")


@pytest.mark.parametrize(
    "now",
    [
        dt.datetime(2024, 3, 20),
        dt.datetime(2024, 3, 20, tzinfo=dt.UTC),
        dt.date(2024, 3, 20),
        "2024-03-20",
        1710892800,
        1710892800.0,
    ],
)
def test_now_comes_in_any_form(now):
    assert described(REGEX.anchor("yesterday", now)) == (1, 1, "2024-03-19", "2024-03-20")
    given = rm.CallableAnchorExtractor(lambda query, moment: rm.TimeAnchor(0, 0, query, moment, moment))
    found = given.anchor("q", now)
    assert found == rm.TimeAnchor(0, 0, "q", "2024-03-20", "2024-03-20")


def test_without_now_it_is_now():
    before = dt.datetime.now(dt.UTC)
    found = REGEX.anchor("today")
    assert found is not None
    assert found.start is not None
    assert found.end is not None
    assert found.start <= dt.datetime.now(dt.UTC)
    assert before < found.end


def test_anchors_are_values():
    found = REGEX.anchor("last week", NOW)
    assert found is not None
    assert found == rm.TimeAnchor(7, 3, "last week", "2024-03-11", dt.date(2024, 3, 18))
    assert found != rm.TimeAnchor(7, 3, "last week")
    for again in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert again == found
        assert hash(again) == hash(found)
    json.dumps(astuple(found)[:3], allow_nan=False)
    with pytest.raises(FrozenInstanceError):
        found.days = 8  # type: ignore[misc]
    assert rm.TimeAnchor((2.0).__int__(), 0).start is None
    assert pickle.loads(pickle.dumps(REGEX)) == REGEX


def test_whatever_has_the_method_is_an_extractor():
    class Own:
        def anchor(self, query: str, now: dt.datetime) -> rm.TimeAnchor | None:
            return rm.TimeAnchor(now.day, 0, query)

    for extractor in (Own(), rm.CallableAnchorExtractor(Own().anchor)):
        assert isinstance(extractor, rm.AnchorExtractor)
        assert extractor.anchor("q", dt.datetime(2024, 3, 20, tzinfo=dt.UTC)) == rm.TimeAnchor(20, 0, "q")
    assert isinstance(REGEX, rm.AnchorExtractor)
    assert not isinstance(len, rm.AnchorExtractor)
