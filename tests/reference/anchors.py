"""The time that a query names, with `re` and `datetime`: a pattern for each row of the table.

Every pattern is tried at every place. What lies inside a longer find is dropped, then one is chosen.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

SPACE = "[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
DAY = dt.timedelta(days=1)
SPELLED = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
NUMBERS = {word: value for value, word in enumerate(SPELLED, 1)} | {"twenty": 20, "thirty": 30}
TENS = [
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "seventy",
    "eighty",
    "ninety",
    "hundred",
    "thousand",
    "million",
]
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
SEASONS = {"spring": 4, "summer": 7, "autumn": 10, "fall": 10, "winter": 1}
ABOUT = {"day": 1, "week": 7, "month": 30, "year": 365}

N = rf"(?P<n>\d+|{'|'.join(NUMBERS)})"
COUPLE = "(?:an? )?couple(?: of)?"
UNIT = "(?P<unit>hour|day|week|month|year)s?"
MONTH = rf"(?P<month>{'|'.join(MONTHS)}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?+)"
YEAR = r"(?P<year>\d{4})"
COMMA_YEAR = rf"(?: |~,~){YEAR}"
CLOCK = r"\d\d:\d\d:\d\d"
LATE_YEAR = rf"(?: |~,~| {CLOCK} ){YEAR}"  # of a day
NUMBER_DAY = r"(?P<day>\d{1,2})(?![0-9a-z])"
ORDINAL = r"(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th)"
LAST = "(?:last|this past)"
SEASON = f"(?P<season>{'|'.join(SEASONS)})"
WEEKDAY = f"(?P<weekday>{'|'.join(WEEKDAYS)})"
NOT_OF = "(?! of(?![a-z0-9_]))"
LEAD = f"(?:(?:{LAST}|back in|in|on|since|during) )?"
NAMED_DAY = f"(?:(?:{'|'.join(WEEKDAYS)})(?: |~,~))?"
QUARTER = (
    r"(?:q(?P<q>[1-4])|quarter (?P<q>\d)|(?P<q>first|second|third|fourth|\d{1,2}(?:st|nd|rd|th)) quarter)"
)


class Found(NamedTuple):
    """A phrase: where, of which kind, which day, give or take, and from when until before when."""

    start: int
    end: int
    relative: bool
    day: dt.date | None
    tolerance: float
    first: dt.date | None = None
    stop: dt.date | None = None


def anchor(
    query: str, today: dt.date, after_midnight: bool, hemisphere: str = "north"
) -> tuple[int, float, str, dt.date | None, dt.date | None] | None:
    """Days, tolerance, phrase and interval."""
    found = list(phrases(query, today, hemisphere))
    whole = [f for f in found if not any(inside(f, other) for other in found)]
    real = [f for f in whole if f.day is not None]
    if not real:
        return None
    best = min(real, key=lambda f: (not f.relative, f.tolerance, f.start))
    assert best.day is not None
    days = (today - best.day).days
    if days < 0 and after_midnight:
        days += 1
    return days, best.tolerance, query[best.start : best.end], best.first, best.stop


def inside(one: Found, other: Found) -> bool:
    shorter = one.end - one.start < other.end - other.start
    return shorter and other.start <= one.start and one.end <= other.end


def phrases(query: str, today: dt.date, hemisphere: str) -> Iterator[Found]:
    for start in range(len(query)):
        if (start and in_word(query[start - 1])) or not in_word(query[start]):
            continue
        for pattern, meaning in ROWS:
            match = pattern.match(query, start)
            if match is None or ends_inside(query, match) or broken_number(query, match):
                continue
            try:
                given = meaning(match, today, hemisphere)
            except (ValueError, OverflowError):  # a day that is not, or before the year 1
                given = (False, None, 0.0)
            if given is not None:
                yield Found(start, match.end(), *given)


def in_word(character: str) -> bool:
    return character == "_" or unicodedata.category(character)[0] in "LMN"


def ends_inside(query: str, match: re.Match[str]) -> bool:
    end = match.end()
    return end < len(query) and in_word(query[end])


def broken_number(query: str, match: re.Match[str]) -> bool:
    """Whether a number of the phrase is part of a longer one, or joined to its first word."""
    if re.search("[0-9][-–−]$", query[: match.start()]) and not match.group()[0].isdigit():
        return True
    text = re.sub(CLOCK, "at clock", match.group())
    for number in re.finditer(r"(?<![0-9A-Za-z_])\d[\dA-Za-z-]*|[A-Za-z]+", text):
        word = number.group().lower()
        if not word[0].isdigit() and word not in NUMBERS:
            continue
        start, end = match.start() + number.start(), match.start() + number.end()
        before, after = query[:start], query[end:]
        year_behind_comma = before.endswith(",") and re.fullmatch(r"\d{4}", word)
        if before and before[-1] in ",.-+/:$#−–±€£¥" and not (year_behind_comma and number.start()):
            return True
        day = re.fullmatch(r"\d{1,2}(st|nd|rd|th)?", word)
        if day and re.match(r",\d{4}", after) and not (len(after) > 5 and in_word(after[5])):
            continue
        if re.match(r"[,.:/]\d|[-–−][0-9A-Za-z]|[%°$€£¥]", after):
            return True
    return False


# What patterns mean: (relative, day, tolerance, first, stop), or None: no phrase after all.
Given = tuple | None
ROWS: list[tuple[re.Pattern[str], Callable[[re.Match[str], dt.date, str], Given]]] = []


def row(pattern: str) -> Callable:
    """A space is white space, `~` white space that may be absent; groups may share a name."""
    pattern = re.sub("[ ~]", lambda gap: SPACE + ("+" if gap.group() == " " else "*"), pattern)
    names: dict[str, int] = {}

    def numbered(group: re.Match[str]) -> str:
        names[group[1]] = names.get(group[1], 0) + 1
        return f"(?P<{group[1]}{names[group[1]]}>"

    pattern = re.sub(r"\(\?P<([a-z]+)>", numbered, pattern)

    def keep(meaning: Callable) -> Callable:
        ROWS.append((re.compile(pattern, re.IGNORECASE | re.ASCII), meaning))
        return meaning

    return keep


def group(match: re.Match[str], name: str, place: int | None = None) -> str | None:
    """A group by name, the one that matched if several share it."""
    for key, value in match.groupdict().items():
        if value is not None and key.rstrip("0123456789") == name and place in (None, int(key[len(name) :])):
            return value.lower().rstrip(".")
    return None


def back(today: dt.date, days: int, tolerance: float, interval: tuple | None = None) -> Given:
    day = today - days * DAY
    if interval is None:
        return True, day, tolerance
    return True, day, tolerance, *interval


def one_day(day: dt.date) -> tuple[dt.date, dt.date]:
    return day, day + DAY


def month_after(first: dt.date, months: int) -> dt.date:
    count = 12 * first.year + first.month - 1 + months
    return dt.date(count // 12, count % 12 + 1, 1)


def of_month(first: dt.date) -> Given:
    return False, first.replace(day=15), 15, first, month_after(first, 1)


def before(match: re.Match[str], pattern: str) -> bool:
    """Whether these words stand directly before the phrase."""
    pattern = f"(?<![A-Za-z0-9_])(?:{pattern.replace(' ', SPACE + '+')}){SPACE}+$"
    found = re.search(pattern, match.string[: match.start()], re.IGNORECASE)
    return found is not None and (found.start() == 0 or not in_word(match.string[found.start() - 1]))


FROM = "(?:(?:hour|day|week|month|year)s?|ago) (?:from|before|after)"


@row("today|tonight|this morning")
def _(match, today, _h):
    if match.group().lower() == "today" and before(match, FROM):
        return None
    return back(today, 0, 1, one_day(today))


@row("yesterday")
def _(match, today, _h):
    if before(match, FROM):
        return None
    return back(today, 1, 1, one_day(today - DAY))


@row("(?:the )?day before yesterday")
def _(match, today, _h):
    return back(today, 2, 1, one_day(today - 2 * DAY))


@row("the other day")
def _(match, today, _h):
    return back(today, 3, 3)


@row("recently(?! used(?![a-z0-9_]))")
def _(match, today, _h):
    if before(match, "least"):
        return None
    return back(today, 14, 14)


def continued(match: re.Match[str]) -> bool:
    """Whether the number at the beginning of a phrase is the end of a longer one."""
    words = re.split(SPACE + "+", match.string[: match.start()].lower())
    if words[-1] != "":
        return False  # something that is no white space stands between
    words = words[:-1]
    word = group(match, "n") or ""
    # What a mark or a letter clings to is no number.
    last = words[-1] if words else ""
    if last == "and":
        return len(words) > 1 and words[-2] in TENS[2:]
    if last in TENS[2:]:
        return True
    if last in ("twenty", "thirty"):
        return word in NUMBERS
    return last.isdigit() and last.isascii() and len(word) == 3 and word.isdigit()


@row(f"{N} {UNIT} ago(?: today)?")
def _(match, today, _h):
    if continued(match):
        return None
    word, unit = group(match, "n"), group(match, "unit")
    n = NUMBERS.get(word) or int(word)
    if unit == "hour":
        return back(today, n // 24, 1)
    if unit == "day":
        return back(today, n, 2, one_day(today - n * DAY))
    return back(today, ABOUT[unit] * n, {"week": 5, "month": 10, "year": 30}[unit])


@row(f"{COUPLE} {UNIT} ago(?: today)?")
def _(match, today, _h):
    tolerance = {"hour": 1, "day": 2, "week": 5, "month": 10, "year": 30}[group(match, "unit")]
    return back(today, 2 * ABOUT.get(group(match, "unit"), 0), tolerance)


@row(f"an? few {UNIT} ago(?: today)?")
def _(match, today, _h):
    table = {"hour": (0, 1), "day": (3, 2), "week": (21, 7), "month": (90, 20)}
    unit = group(match, "unit")
    return back(today, *table[unit]) if unit in table else None


@row(f"an? {UNIT} ago(?: today)?")
def _(match, today, _h):
    if re.search(f"(?<![a-z0-9_])half{SPACE}+$", match.string[: match.start()], re.IGNORECASE):
        return None
    unit = group(match, "unit")
    if unit == "day":
        return back(today, 1, 2, one_day(today - DAY))
    return back(today, *{"hour": (0, 1), "week": (7, 3), "month": (30, 7), "year": (365, 30)}[unit])


@row(
    rf"(?:last|past|previous|this past) (?:{N}|couple(?: of)?) (?P<unit>day|week|month)s?"
    "(?! (?:of|ago|before)(?![a-z0-9_]))"
)
def _(match, today, _h):
    word, unit = group(match, "n"), group(match, "unit")
    n = 2 if word is None else NUMBERS.get(word) or int(word)
    span = n * ABOUT[unit]
    if n == 0:
        return None
    if unit == "month":
        first = month_after(today.replace(day=1), -n)
        start = min(first + (today.day - 1) * DAY, month_after(first, 1) - DAY)
    else:
        start = today - span * DAY
    return back(today, span // 2, -(-span // 2), (start, today + DAY))


@row("the (?:last|past|previous) (?P<unit>week|month)(?! (?:ago|of|before)(?![a-z0-9_]))")
def _(match, today, _h):
    if group(match, "unit") == "week":
        return back(today, 3, 4, (today - 7 * DAY, today + DAY))
    first = month_after(today.replace(day=1), -1)
    start = min(first + (today.day - 1) * DAY, month_after(first, 1) - DAY)
    return back(today, 15, 15, (start, today + DAY))


@row(f"{LAST} (?P<what>night|weekend|week|month|year|{'|'.join(WEEKDAYS)}){NOT_OF}")
def _(match, today, _h):
    what = group(match, "what")
    if what in ("week", "month", "year") and match.group()[0] in "Ll" and before(match, "the"):
        return None
    monday = today - today.weekday() * DAY
    if what == "night":
        return back(today, 1, 1, (today - DAY, today + DAY))
    if what == "week":
        return back(today, 7, 3, (monday - 7 * DAY, monday))
    if what == "month":
        first = today.replace(day=1)
        return back(today, 30, 7, (month_after(first, -1), first))
    if what == "year":
        return back(today, 365, 30, (dt.date(today.year - 1, 1, 1), dt.date(today.year, 1, 1)))
    if what == "weekend":
        saturday = monday - 2 * DAY
        return back(today, (today - saturday).days, 2, (saturday, monday))
    return weekday_before(what, today)


@row(f"on {WEEKDAY}{NOT_OF}")
def _(match, today, _h):
    ordinal = f"{SPACE}+the{SPACE}+[0-9]{{1,2}}(?:st|nd|rd|th)"
    day = re.compile(ordinal, re.IGNORECASE).match(match.string, match.end())
    if day and not ends_inside(match.string, day) and not broken_number(match.string, day):
        return None
    return weekday_before(group(match, "weekday"), today)


def weekday_before(name: str, today: dt.date) -> Given:
    day = today - DAY
    while WEEKDAYS[day.weekday()] != name:
        day -= DAY
    return back(today, (today - day).days, 1, one_day(day))


@row("this (?P<unit>week|month|year)")
def _(match, today, _h):
    unit = group(match, "unit")
    if unit == "week":
        first = today - today.weekday() * DAY
        stop = first + 7 * DAY
    elif unit == "month":
        first = today.replace(day=1)
        stop = month_after(first, 1)
    else:
        first, stop = today.replace(month=1, day=1), dt.date(today.year + 1, 1, 1)
    passed = (today - first).days
    return back(today, passed - passed // 2, max(1, -(-passed // 2)), (first, stop))


def stated(match: re.Match[str], place: int | None = None) -> tuple[int | None, int, int | None]:
    """Year, month and day as numbers."""
    year, month, day = (group(match, name, place) for name in ("year", "month", "day"))
    number = int(month) if month.isdigit() else [m[:3] for m in MONTHS].index(month[:3]) + 1
    if year is not None and not 1900 <= int(year) <= 2099:
        raise ValueError("not a year that phrases may name")
    return year and int(year), number, day and int(day)


def latest(month: int, day: int, limit: dt.date) -> dt.date:
    for year in range(limit.year, limit.year - 9, -1):
        try:
            found = dt.date(year, month, day)
        except ValueError:
            if year < 1:
                raise
            continue
        if found <= limit:
            return found
    raise ValueError("no such day")


def shares_year(match: re.Match[str]) -> bool:
    """Whether a year follows that is that of another day or month."""
    found = SHARED.match(match.string, match.end())
    if found is None or ends_inside(match.string, found) or broken_number(match.string, found):
        return False
    return 1900 <= int(found["year"]) <= 2099


def the_day(match: re.Match[str], today: dt.date) -> Given:
    year, month, day = stated(match)
    if year is None and shares_year(match):
        return False, None, 0.0
    found = dt.date(year, month, day) if year else latest(month, day, today)
    return False, found, 2, *one_day(found)


ISO = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"


@row(rf"{LEAD}{NAMED_DAY}(?:{ISO}|{MONTH} (?:{ORDINAL}|{NUMBER_DAY}){LATE_YEAR})")
@row(rf"{LEAD}{NAMED_DAY}(?:the )?(?:{ORDINAL}|{NUMBER_DAY})(?: day of| of)? {MONTH}{LATE_YEAR}")
@row(rf"{LEAD}{NAMED_DAY}(?:{MONTH} {ORDINAL}|(?:the )?{ORDINAL}(?: day)? of {MONTH})")
@row(rf"on {NAMED_DAY}(?:{MONTH} {NUMBER_DAY}|(?:the )?(?:{ORDINAL}|{NUMBER_DAY})(?: day of| of)? {MONTH})")
def _(match, today, _h):
    return the_day(match, today)


@row(rf"{LEAD}{NAMED_DAY}(?:{MONTH} {NUMBER_DAY}|(?:the )?{ORDINAL} {MONTH})")
def _(match, today, _h):
    return None if group(match, "month") in ("may", "march") else the_day(match, today)


@row(f"{LEAD}{NAMED_DAY}{MONTH}(?:{COMMA_YEAR}| of {YEAR})")
def _(match, today, _h):
    year, month, _day = stated(match)
    return of_month(dt.date(year, month, 1))


VERB = "is|was|has|had|will|said|left|went|came|moved|joined"


@row(f"(?:back in|in|since(?! {MONTH} (?:{VERB})(?![a-z0-9_]))|during) {MONTH}")
def _(match, today, _h):
    if shares_year(match):
        return False, None, 0.0
    return of_month(latest(stated(match)[1], 1, today))


@row("the last (?:may|march)")
def _(match, today, _h):
    return False, None, 0.0


@row(f"{LAST} {MONTH}{NOT_OF}")
def _(match, today, _h):
    if shares_year(match):
        return False, None, 0.0
    first = today.replace(day=1)
    return of_month(latest(stated(match)[1], 1, month_after(first, -1)))


def of_season(middle: dt.date) -> Given:
    first = middle.replace(day=1)
    return False, middle, 45, month_after(first, -1), month_after(first, 2)


def middle_month(match: re.Match[str], hemisphere: str) -> int:
    month = SEASONS[group(match, "season")]
    return month if hemisphere == "north" else (month + 5) % 12 + 1


SOFTWARE = "(?<=spring)(?! (?:boot|framework|mvc|security|cloud|beans?|batch)(?![a-z0-9_]))|(?<!spring)"


@row(f"(?:back )?in the {SEASON}(?:{SOFTWARE}){NOT_OF}")
def _(match, today, hemisphere):
    month = middle_month(match, hemisphere)
    middle = latest(month, 15, month_after(today.replace(day=1), 2) - DAY)
    return of_season(middle)


@row(f"{LAST} {SEASON}(?:{SOFTWARE}){NOT_OF}")
def _(match, today, hemisphere):
    month = middle_month(match, hemisphere)
    middle = latest(month, 15, month_after(today.replace(day=1), -1) - DAY)
    return of_season(middle)


@row(f"{LEAD}(?:the )?{SEASON}(?: of)? {YEAR}")
def _(match, today, hemisphere):
    year = int(group(match, "year"))
    if not 1900 <= year <= 2099:
        raise ValueError
    return of_season(dt.date(year, middle_month(match, hemisphere), 15))


def of_quarter(year: int, quarter: int) -> Given:
    first = dt.date(year, 3 * quarter - 2, 1)
    stop = month_after(first, 3)
    return False, first + (stop - DAY - first) // 2 // DAY * DAY, 46, first, stop


@row(rf"(?:(?:back in|in|on|since|during) )?(?:the )?{QUARTER}(?:{COMMA_YEAR}| of {YEAR})")
def _(match, today, _h):
    year, quarter = int(group(match, "year")), group(match, "q")
    words = {"first": 1, "second": 2, "third": 3, "fourth": 4}
    number = words.get(quarter) or int(re.sub("[a-z]", "", quarter))
    if not (1900 <= year <= 2099 and 1 <= number <= 4):
        raise ValueError
    return of_quarter(year, number)


MEASURE = (
    "km|ms|bits?|bytes?|feet|miles?|ways|euros|lines|steps|words|met(?:er|re)s|pieces|pounds|prices|tokens"
    "|century|dollars|minutes|seconds"
)


@row(f"{LAST} quarter(?! (?:of|hour|{MEASURE})(?![a-z0-9_]))")
def _(match, today, _h):
    before = today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1) - DAY
    return of_quarter(before.year, before.month // 3)


@row(rf"(?:back )?in {YEAR}(?! (?:(?:hour|day|week|month|year)s?|{MEASURE})(?![a-z0-9_]))")
def _(match, today, _h):
    year = int(group(match, "year"))
    if not 1900 <= year <= 2099:
        return None
    return False, dt.date(year, 7, 1), 120, dt.date(year, 1, 1), dt.date(year + 1, 1, 1)


DATE = (
    rf"(?:{ISO}|{MONTH} (?:{ORDINAL}|{NUMBER_DAY})(?:{LATE_YEAR})?"
    rf"|(?:the )?(?:{ORDINAL}|{NUMBER_DAY})(?: day of| of)? {MONTH}(?:{LATE_YEAR})?"
    rf"|{MONTH}(?:{COMMA_YEAR}| of {YEAR})?)"
)
EDGE = re.compile("")  # made below


@row(f"between (?P<a>{DATE})(?: |~,~)and (?P<b>{DATE})")
@row(f"from (?P<a>{DATE})(?: |~,~)(?:to|till|until|through) (?P<b>{DATE})")
def _(match, today, _h):
    one, other = (EDGE.fullmatch(group(match, name) or "") for name in "ab")
    assert one is not None
    assert other is not None
    if match.group().lower().startswith("from") and not all(
        re.search(r"\d", e.group()) for e in (one, other)
    ):
        return None
    (year_a, month_a, day_a), (year_b, month_b, day_b) = stated(one), stated(other)

    def days(year: int, month: int, day: int | None) -> tuple[dt.date, dt.date]:
        first = dt.date(year, month, day or 1)
        return (first, first) if day else (first, month_after(first, 1) - DAY)

    if year_a and year_b:
        a, b = sorted([days(year_a, month_a, day_a), days(year_b, month_b, day_b)])
    elif year_a:
        a = days(year_a, month_a, day_a)
        year = next(
            y
            for y in range(year_a, year_a + 10)
            if exists(y, month_b, day_b or 1) and dt.date(y, month_b, day_b or 1) >= a[0]
        )
        b = days(year, month_b, day_b)
    else:
        year_b = year_b or latest(month_b, day_b or 1, today).year
        b = days(year_b, month_b, day_b)
        a = days(latest(month_a, day_a or 1, b[0]).year, month_a, day_a)
    first, final = a[0], max(a[1], b[1])
    half = Fraction((final - first).days, 2)
    return False, first + int(half) * DAY, float(half), first, final + DAY


def exists(year: int, month: int, day: int) -> bool:
    try:
        dt.date(year, month, day)
    except ValueError:
        return False
    return True


row(DATE)(lambda *_: None)
EDGE = ROWS.pop()[0]

row(rf" and (?:{MONTH}|(?:{ORDINAL}|{NUMBER_DAY})){COMMA_YEAR}")(lambda *_: None)
SHARED = re.compile(ROWS.pop()[0].pattern.replace("?P<year1>", "?P<year>"), re.IGNORECASE | re.ASCII)
