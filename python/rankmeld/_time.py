"""The one place that decides what a moment is."""

from __future__ import annotations

import datetime as dt
import math
import numbers

from rankmeld._options import as_float
from rankmeld.errors import InvalidArgumentError

#: Where counting begins.
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

_FIRST = dt.datetime.min.replace(tzinfo=dt.UTC) - EPOCH
_LAST = dt.datetime.max.replace(tzinfo=dt.UTC) - EPOCH
_MICROSECOND = dt.timedelta(microseconds=1)
_FORMS = "a datetime, a date, an ISO 8601 string or epoch seconds"

#: What a caller may give as a moment.
Moment = dt.datetime | dt.date | str | float


def as_moment(value: Moment, name: str) -> dt.datetime:
    """Read a moment in any accepted form.

    Parameters
    ----------
    value : datetime, date, str or float
        A naive datetime is UTC, a date is its midnight in UTC, a string is what
        ``datetime.fromisoformat`` reads, a number is seconds since 1970-01-01 UTC.
    name : str
        The argument's name, for the message.

    Returns
    -------
    datetime
        Aware; the zone that came is kept.

    Raises
    ------
    InvalidArgumentError
        The value cannot be read, is impossible, or its moment in UTC is outside the years 1 to 9999.
    TypeError
        The value is of another kind.
    """
    return read_moment(value, name)[0]


def read_moment(value: Moment, name: str) -> tuple[dt.datetime, int]:
    """Read a moment as `as_moment` does, and give its `microseconds` too."""
    if isinstance(value, dt.datetime):
        moment = value
    elif isinstance(value, dt.date):
        moment = dt.datetime(value.year, value.month, value.day, tzinfo=dt.UTC)
    elif isinstance(value, str):
        try:
            moment = dt.datetime.fromisoformat(value)
        except ValueError as error:
            raise InvalidArgumentError(
                f"{name} is {value!r}, which is not an ISO 8601 date or time ({error}); pass {_FORMS}"
            ) from None
    elif isinstance(value, numbers.Real) and not isinstance(value, bool):
        moment = _from_epoch(as_float(value), name)
    else:
        raise TypeError(f"{name} must be {_FORMS}, not {type(value).__name__}")
    if moment.tzinfo is not dt.UTC:
        if moment != moment:  # noqa: PLR0124 - pandas.NaT, which says that it is a datetime
            raise InvalidArgumentError(
                f"{name} is {value!r}, which is no moment; pass None where none is known"
            )
        if moment.utcoffset() is None:
            moment = moment.replace(tzinfo=dt.UTC)
    since = moment - EPOCH
    if not _FIRST <= since <= _LAST:
        raise InvalidArgumentError(f"{name} is {value!r}, which in UTC lies outside the years 1 to 9999")
    return moment, since // _MICROSECOND


def microseconds(moment: dt.datetime) -> int:
    """Exact microseconds since 1970-01-01 UTC.

    Differences of these are time that passed; those of datetimes of one zone are not, where its
    clocks were changed between them.
    """
    return (moment - EPOCH) // _MICROSECOND


def _from_epoch(seconds: float, name: str) -> dt.datetime:
    if not math.isfinite(seconds):
        raise InvalidArgumentError(f"{name} is {seconds!r}; epoch seconds must be finite")
    try:
        return EPOCH + dt.timedelta(seconds=seconds)
    except OverflowError:
        raise InvalidArgumentError(
            f"{name} is {seconds!r} epoch seconds, which lies outside the years 1 to 9999; "
            "milliseconds must be divided by 1000"
        ) from None


def as_now(now: Moment | None) -> dt.datetime:
    """Read ``now``; ``None`` is the current time in UTC."""
    return dt.datetime.now(dt.UTC) if now is None else as_moment(now, "now")


def now_microseconds(now: Moment | None) -> int:
    """Read ``now`` as `microseconds`; ``None`` is the current time."""
    return microseconds(dt.datetime.now(dt.UTC)) if now is None else read_moment(now, "now")[1]


def midnight(day: int, zone: dt.tzinfo | None) -> dt.datetime | None:
    """Give the moment a day begins on the clocks of a zone; ``None`` if no datetime can say it.

    Parameters
    ----------
    day : int
        Its number, as `date.toordinal` gives it.
    zone : tzinfo or None
        Where; ``None``: UTC.

    Returns
    -------
    datetime or None
        Aware. Of a midnight that comes twice the first; where clocks jump over it, the moment of the
        jump, as they show it afterwards.
    """
    try:
        date = dt.date.fromordinal(day)
        if zone is None or zone is dt.UTC:
            return dt.datetime(date.year, date.month, date.day, tzinfo=dt.UTC)
        start = dt.datetime(date.year, date.month, date.day, tzinfo=zone)
        # Through UTC: a time that no clock showed becomes the one that stands for it.
        return start.astimezone(dt.UTC).astimezone(zone)
    except (OverflowError, ValueError):
        return None
