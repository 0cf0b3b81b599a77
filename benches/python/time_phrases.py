"""Time phrases in queries, beside a hand-written set of regular expressions and two date parsers.

Seven queries in ten name a time whose days are known; three name none but hold words that look like
it. What each reader finds, and how often it finds something where there is nothing, stands in its note.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import rankmeld as rm

from .harness import Case, Effort, Goal, Group, Result, measure
from .peers import time_readers
from .workloads import SEED

#: A Wednesday.
TODAY = dt.date(2025, 6, 18)
NOW = dt.datetime(2025, 6, 18, 12, tzinfo=dt.UTC)

_BEFORE = (
    "what did I write",
    "show me the mails from",
    "who was in the meeting",
    "pictures of the house",
    "papers we discussed",
    "bills from the carpenter",
    "what changed in the scanner",
)
_AFTER = ("", "", " about pricing", " with Nadia", " in the Lisbon office", " on the new design")
_NO_TIME = (
    "how do I change my password",
    "may I borrow the ladder",
    "the march of the ants",
    "a second opinion on the plan",
    "when does the sun rise",
    "compare 12 and 30 workers",
    "a laptop with 8 GB of memory",
    "who booked room 2019",
    "sat nav for the van",
    "what did Nadia say about the scanner",
    "bills over 2000 euros",
    "how many people work in Lisbon",
    "a summer dress",
    "when was the roof repaired",
    "error 404 on page 12",
    "version 3.11 of python",
    "day trips near Porto",
    "the week view is empty",
    "template of the monthly report",
    "who knitted the winter coat",
)
_MONTHS = [dt.date(2000, month, 1).strftime("%B") for month in range(1, 13)]
_SPELLED = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DAY = dt.timedelta(days=1)

#: First day, and the one after the last.
Days = tuple[dt.date, dt.date]


class Query(NamedTuple):
    """A query, and the days it names; `days` is `None` where it names none."""

    text: str
    days: Days | None


def queries(count: int, seed: int = SEED) -> list[Query]:
    """Queries, the same in every run."""
    draw = random.Random(seed)  # noqa: S311 - a workload
    made = []
    for _ in range(count):
        if draw.random() < 0.3:
            made.append(Query(draw.choice(_NO_TIME), None))
        else:
            phrase, days = _phrase(draw)
            made.append(Query(f"{draw.choice(_BEFORE)} {phrase}{draw.choice(_AFTER)}", days))
    return made


def _phrase(draw: random.Random) -> tuple[str, Days]:
    count, spelled = draw.randint(2, 9), draw.choice(list(_SPELLED))
    unit = draw.choice(["day", "week", "month"])
    month, year, day = draw.randint(1, 12), draw.randint(2018, 2024), draw.randint(1, 28)
    name, date = _MONTHS[month - 1], dt.date(year, month, day)
    weekday = draw.randrange(7)
    season, begins = draw.choice([("spring", 3), ("summer", -6), ("autumn", -3), ("winter", 0)])
    ago = _back(count, unit)
    kinds: list[Callable[[], tuple[str, Days]]] = [
        lambda: (f"{count} {unit}s ago", _day(ago)),
        lambda: (f"{spelled} {unit}s ago", _day(_back(_SPELLED[spelled], unit))),
        lambda: ("yesterday", _day(TODAY - _DAY)),
        lambda: ("today", _day(TODAY)),
        lambda: (f"last {_weekday(weekday):%A}", _day(_weekday(weekday))),
        lambda: ("last week", (dt.date(2025, 6, 9), dt.date(2025, 6, 16))),
        lambda: ("last month", (dt.date(2025, 5, 1), dt.date(2025, 6, 1))),
        lambda: ("last year", (dt.date(2024, 1, 1), dt.date(2025, 1, 1))),
        lambda: (f"last {season}", (_month(2025, begins), _month(2025, begins + 3))),
        lambda: (f"in {name} {year}", (_month(year, month), _month(year, month + 1))),
        lambda: (f"in {year}", (dt.date(year, 1, 1), dt.date(year + 1, 1, 1))),
        lambda: (f"on {day} {name} {year}", _day(date)),
        lambda: (f"on {name} {day}, {year}", _day(date)),
        lambda: (f"on {date.isoformat()}", _day(date)),
        lambda: (f"in the past {count} {unit}s", (ago, TODAY + _DAY)),
    ]
    return draw.choice(kinds)()


def _day(date: dt.date) -> Days:
    return date, date + _DAY


def _month(year: int, month: int) -> dt.date:
    years, month = divmod(month - 1, 12)
    return dt.date(year + years, month + 1, 1)


def _weekday(number: int) -> dt.date:
    return TODAY - _DAY * ((TODAY.weekday() - number) % 7 or 7)


def _back(count: int, unit: str) -> dt.date:
    if unit == "month":
        return _month(TODAY.year, TODAY.month - count).replace(day=TODAY.day)
    return TODAY - _DAY * count * (7 if unit == "week" else 1)


def run(*, quick: bool) -> Iterator[Result]:
    """A thousand queries, and those among them that name no time; peers that are slow get fewer."""
    effort = Effort(0.7, 5) if quick else Effort(6.0, 8)
    asked = queries(1_000)
    yield measure(_group("time phrases", asked, quick=quick), effort)
    yield measure(
        _group("time phrases, none in it", [q for q in asked if q.days is None], quick=quick), effort
    )


def _group(title: str, asked: list[Query], *, quick: bool) -> Group:
    texts = [query.text for query in asked]
    extractor = rm.RegexAnchorExtractor()

    def ours(text: str) -> dt.date | None:
        found = extractor.anchor(text, NOW)
        if found is None:
            return None
        return TODAY - _DAY * found.days if found.start is None else found.start.date()

    by_hand = time_readers.regular_expressions(TODAY)
    cases = [
        Case(
            "rankmeld",
            lambda: [extractor.anchor(text, NOW) for text in texts],
            lambda _: _right(ours, by_hand, asked),
            entries=len(texts),
            note=_told(ours, asked),
        ),
        _case("regular expressions by hand", by_hand, asked),
    ]
    if not quick:
        for name, reader in time_readers.installed(NOW).items():
            cases.append(_case(name, reader, asked[:100]))
    goal = Goal("at most half of the regular expressions", cases[0].name, cases[1].name, 0.5)
    return Group(f"{title}, {len(texts)} queries", cases, cases[1].name, [goal])


def _case(name: str, reader: time_readers.Reader, asked: list[Query]) -> Case:
    def call() -> list[Any]:
        return [reader(query.text) for query in asked]

    return Case(name, call, None, entries=len(asked), note=_told(reader, asked))


def _right(ours: time_readers.Reader, by_hand: time_readers.Reader, asked: list[Query]) -> None:
    """Every time is found, to within a month's rounding, and nothing where there is nothing."""
    assert not any(ours(query.text) for query in asked if query.days is None)
    for text, days in asked:
        if days is not None:
            found = ours(text)
            slack = _DAY * (5 if "months ago" in text else 0)
            assert found is not None, text
            assert days[0] - slack <= found < days[1] + slack, text
    assert _alarms(ours, asked) <= _alarms(by_hand, asked)


def _alarms(reader: time_readers.Reader, asked: list[Query]) -> int:
    return sum(reader(query.text) is not None for query in asked if query.days is None)


def _told(reader: time_readers.Reader, asked: list[Query]) -> str:
    """Shares: of times that were found on one of their days, and of false alarms."""
    named = [query for query in asked if query.days is not None]
    silent = max(1, len(asked) - len(named))
    alarms = f"{_alarms(reader, asked) / silent:.0%} false alarms"
    if not named:
        return alarms
    hits = 0
    for text, days in named:
        found = reader(text)
        hits += found is not None and days is not None and days[0] <= found < days[1]
    return f"{hits / len(named):.0%} found, {alarms}"
