"""What people read dates out of queries with: expressions of their own, dateparser, parsedatetime.

Each reader gives the first day of the first time that it finds, or `None`.
"""

from __future__ import annotations

import datetime as dt
import importlib
import importlib.util
import re
from collections.abc import Callable

Reader = Callable[[str], dt.date | None]

_MONTHS = [dt.date(2000, month, 1).strftime("%B").lower() for month in range(1, 13)]
_WEEKDAYS = [dt.date(2024, 1, day).strftime("%A").lower() for day in range(1, 8)]
_NUMBERS = {
    word: value
    for value, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 1
    )
}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_DAY = dt.timedelta(days=1)


def regular_expressions(today: dt.date) -> Reader:
    """One expression of alternatives, as one writes it in an afternoon."""
    month = "|".join(_MONTHS + [name[:3] for name in _MONTHS])
    number = r"\d{1,3}|an?|" + "|".join(_NUMBERS)
    expression = re.compile(
        rf"""\b(?:(?P<n>{number})\ (?P<unit>day|week|month|year)s?\ ago
        |(?:in\ |over\ |during\ )?the\ (?:past|last)\ (?P<pn>{number})\ (?P<pu>day|week|month|year)s?
        |(?:on\ )?(?P<y>\d{{4}})-(?P<m>\d\d)-(?P<d>\d\d)
        |(?:on\ )?(?:the\ )?(?P<dd>\d{{1,2}})(?:st|nd|rd|th)?(?:\ of)?\ (?P<dm>{month}),?\ (?P<dy>\d{{4}})
        |(?:on\ )?(?P<mm>{month})\ (?P<md>\d{{1,2}})(?:st|nd|rd|th)?,?\ (?P<my>\d{{4}})
        |(?:in\ |during\ )?(?P<nm>{month}),?\ (?P<ny>\d{{4}})
        |(?P<word>yesterday|today|tomorrow)
        |last\ (?P<last>week|month|year|{"|".join([*_SEASONS, *_WEEKDAYS])})
        |(?:in|since|during)\ (?P<year>(?:19|20)\d\d))\b""",
        re.IGNORECASE | re.VERBOSE,
    )

    def read(text: str) -> dt.date | None:
        for found in expression.finditer(text):
            try:
                return _first_day({k: v.lower() for k, v in found.groupdict().items() if v}, today)
            except ValueError:
                continue
        return None

    return read


def _first_day(part: dict[str, str], today: dt.date) -> dt.date:
    def month(name: str) -> int:
        return [known[:3] for known in _MONTHS].index(name[:3]) + 1

    if "n" in part or "pn" in part:
        word, unit = part.get("n") or part["pn"], part.get("unit") or part["pu"]
        count = int(word) if word.isdigit() else _NUMBERS.get(word, 1)
        return _back(today, count, unit)
    if "y" in part:
        return dt.date(int(part["y"]), int(part["m"]), int(part["d"]))
    if "dd" in part:
        return dt.date(int(part["dy"]), month(part["dm"]), int(part["dd"]))
    if "md" in part:
        return dt.date(int(part["my"]), month(part["mm"]), int(part["md"]))
    if "nm" in part:
        return dt.date(int(part["ny"]), month(part["nm"]), 1)
    if "year" in part:
        return dt.date(int(part["year"]), 1, 1)
    if "word" in part:
        return today + _DAY * {"yesterday": -1, "today": 0, "tomorrow": 1}[part["word"]]
    return _last(part["last"], today)


def _last(what: str, today: dt.date) -> dt.date:
    if what == "week":
        return today - _DAY * (today.weekday() + 7)
    if what == "month":
        return (today.replace(day=1) - _DAY).replace(day=1)
    if what == "year":
        return dt.date(today.year - 1, 1, 1)
    if what in _SEASONS:
        first = dt.date(today.year, _SEASONS[what], 1)
        over = first + 92 * _DAY <= today
        return first if over else first.replace(year=today.year - 1)
    return today - _DAY * ((today.weekday() - _WEEKDAYS.index(what)) % 7 or 7)


def _back(today: dt.date, count: int, unit: str) -> dt.date:
    if unit == "month":
        year, month = divmod(12 * today.year + today.month - 1 - count, 12)
        return dt.date(year, month + 1, min(today.day, 28))
    return today - _DAY * count * {"day": 1, "week": 7, "year": 365}[unit]


def installed(now: dt.datetime) -> dict[str, Reader]:
    """The libraries that are here."""
    makers = {"dateparser": _dateparser, "parsedatetime": _parsedatetime}
    return {name: make(now) for name, make in makers.items() if importlib.util.find_spec(name)}


def _dateparser(now: dt.datetime) -> Reader:
    search_dates = importlib.import_module("dateparser.search").search_dates
    settings = {"RELATIVE_BASE": now.replace(tzinfo=None), "PREFER_DATES_FROM": "past"}

    def read(text: str) -> dt.date | None:
        found = search_dates(text, languages=["en"], settings=settings)
        return found[0][1].date() if found else None

    return read


def _parsedatetime(now: dt.datetime) -> Reader:
    calendar = importlib.import_module("parsedatetime").Calendar()
    source = now.replace(tzinfo=None)

    def read(text: str) -> dt.date | None:
        found = calendar.nlp(text, sourceTime=source)
        return found[0][0].date() if found else None

    return read
