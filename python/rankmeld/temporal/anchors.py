"""When the answer to a query is expected: "three weeks ago", "in March", "summer 2020"."""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, SupportsIndex, runtime_checkable

from rankmeld import _core
from rankmeld._options import as_integer, as_number, choose
from rankmeld._time import Moment, as_moment, as_now, microseconds, midnight
from rankmeld.errors import InvalidArgumentError

__all__ = ["AnchorExtractor", "CallableAnchorExtractor", "RegexAnchorExtractor", "TimeAnchor"]

_HEMISPHERES = ("north", "south")
_MIDNIGHT = dt.time()


@dataclass(frozen=True, slots=True, init=False)
class TimeAnchor:
    """That the answer to a query is expected about so many days before now.

    Parameters
    ----------
    days : int
        Days before now; negative in the future.
    tolerance : float
        Days, give or take; finite, not negative.
    text : str, optional
        The phrase of the query that says so.
    start, end : datetime, date, str or float, optional
        The interval that the phrase names, `end` excluded; kept as aware datetimes. Either may be
        ``None``: no bound, or where both are, no interval.

    Raises
    ------
    TypeError
        A value is of the wrong kind.
    InvalidArgumentError
        `tolerance` is negative or not finite, a moment cannot be read, or `end` is before `start`.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.TimeAnchor(7, 3, "last week").days
    7
    """

    days: int
    tolerance: float
    text: str
    start: dt.datetime | None
    end: dt.datetime | None

    def __init__(
        self,
        days: SupportsIndex,
        tolerance: float,
        text: str = "",
        start: Moment | None = None,
        end: Moment | None = None,
    ) -> None:
        first = None if start is None else as_moment(start, "start")
        last = None if end is None else as_moment(end, "end")
        wide = as_number(tolerance, "tolerance")
        if wide < 0.0:
            raise InvalidArgumentError(f"tolerance is {wide} days; it must not be negative")
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__}")
        if first is not None and last is not None and microseconds(last) < microseconds(first):
            raise InvalidArgumentError(f"end, {last.isoformat()}, is before start, {first.isoformat()}")
        _fill(self, days=as_integer(days, "days"), tolerance=wide, text=text, start=first, end=last)


def _fill(
    anchor: TimeAnchor,
    *,
    days: int,
    tolerance: float,
    text: str,
    start: dt.datetime | None,
    end: dt.datetime | None,
) -> TimeAnchor:
    """Set the fields of a new anchor to what has been read."""
    put = object.__setattr__  # the record is frozen from here on
    put(anchor, "days", days)
    put(anchor, "tolerance", tolerance)
    put(anchor, "text", text)
    put(anchor, "start", start)
    put(anchor, "end", end)
    return anchor


@runtime_checkable
class AnchorExtractor(Protocol):
    """Finds the time that a query names.

    Whatever has this method is one. `now` is an aware datetime.

    See Also
    --------
    RegexAnchorExtractor : English phrases, without a model.
    CallableAnchorExtractor : a function of your own.
    """

    def anchor(self, query: str, now: dt.datetime, /) -> TimeAnchor | None:
        """Give the time that `query`, asked at `now`, names; ``None`` if it names none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RegexAnchorExtractor:
    """Finds the time that a query names, in English phrases of fixed form.

    "What did we decide three weeks ago" names one, "twice a week" and "may I ask" name none. The
    guide's page on time lists every phrase, with what it gives.

    Parameters
    ----------
    hemisphere : {"north", "south"}, default "north"
        Where the seasons are: spring begins on 1 March in the north, on 1 September in the south.

    Raises
    ------
    TypeError, InvalidArgumentError
        `hemisphere` is none of these words.

    Notes
    -----
    Words are found in any case, at word boundaries, with any white space between them; digits are
    those of ASCII. Of several phrases one counts: those that count from today ("last week") before
    those of the calendar ("in March"), then the one with the smallest tolerance, then the first.

    Time is linear in the length of the query, whatever it holds: under a microsecond for one
    that names no time, some milliseconds for a megabyte.

    Examples
    --------
    >>> import rankmeld as rm
    >>> found = rm.RegexAnchorExtractor().anchor("what did we decide last week?", "2024-03-20")
    >>> found.days, found.tolerance, found.text
    (7, 3.0, 'last week')
    >>> found.start.date().isoformat(), found.end.date().isoformat()
    ('2024-03-11', '2024-03-18')
    """

    hemisphere: Literal["north", "south"] = "north"

    def __post_init__(self) -> None:
        choose(self.hemisphere, _HEMISPHERES, "hemisphere")

    def anchor(self, query: str, now: Moment | None = None) -> TimeAnchor | None:
        """Find the time that a query names.

        Parameters
        ----------
        query : str
            Any text; none is refused.
        now : datetime, date, str or float, optional
            When the query is asked; the current time, in UTC, if not given. Days begin at midnight
            in its zone (UTC if it has none), also where clocks change: a day that begins an hour
            late begins then, one whose midnight comes twice begins with the first.

        Returns
        -------
        TimeAnchor or None
            ``None`` if the query names no time, a day that does not exist, or one before the
            year 1. `start` and `end` are given where the phrase names days ("yesterday", "3 days
            ago", "last week", "the last 3 days", "July 2023"), and not for a distance alone ("a
            week ago", "2 months ago") or a vague time ("recently", "a few days ago").

        Raises
        ------
        TypeError, InvalidArgumentError
            `query` is no str, or `now` cannot be read.
        """
        moment = as_now(now)
        after_midnight = moment.time() != _MIDNIGHT
        found = _core.time_anchor(query, moment.toordinal(), after_midnight, self.hemisphere)
        if found is None:
            return None
        days, tolerance, text, interval = found
        start = end = None
        if interval is not None:
            start, end = midnight(interval[0], moment.tzinfo), midnight(interval[1], moment.tzinfo)
        anchor = TimeAnchor.__new__(TimeAnchor)
        return _fill(anchor, days=days, tolerance=tolerance, text=text, start=start, end=end)


@dataclass(frozen=True, slots=True)
class CallableAnchorExtractor:
    """A function that finds the time a query names, such as one that asks a model.

    Parameters
    ----------
    fn : callable
        ``fn(query, now)`` gives a `TimeAnchor`, or ``None`` where the query names no time. `now` is
        an aware datetime. It must not be a coroutine function.

    Raises
    ------
    TypeError
        `fn` cannot be called.

    Examples
    --------
    >>> import rankmeld as rm
    >>> def in_german(query, now):
    ...     return rm.TimeAnchor(1, 1, "gestern") if "gestern" in query else None
    >>> rm.CallableAnchorExtractor(in_german).anchor("Was war gestern?", "2024-03-20").days
    1
    """

    fn: Callable[[str, dt.datetime], TimeAnchor | None]

    def __post_init__(self) -> None:
        if not callable(self.fn):
            raise TypeError(
                f"fn must be a callable (query, now) -> TimeAnchor or None, not {type(self.fn).__name__}"
            )

    def anchor(self, query: str, now: Moment | None = None) -> TimeAnchor | None:
        """Call the function.

        Parameters
        ----------
        query : str
            Handed over as it is.
        now : datetime, date, str or float, optional
            When the query is asked; the current time, in UTC, if not given.

        Returns
        -------
        TimeAnchor or None
            What the function gives.

        Raises
        ------
        TypeError
            `query` is no str, or the function gives something else, a coroutine for example. What
            it raises itself comes through as it is.
        InvalidArgumentError
            `now` cannot be read.
        """
        moment = as_now(now)
        if not isinstance(query, str):
            raise TypeError(f"query must be a str, not {type(query).__name__}")
        found: Any = self.fn(query, moment)
        if found is None or isinstance(found, TimeAnchor):
            return found
        kind = type(found).__name__
        if inspect.iscoroutine(found):
            found.close()  # or Python warns that it was never awaited
            raise TypeError(f"fn is asynchronous (it gave a {kind}); it must give a TimeAnchor or None")
        raise TypeError(
            f"fn must give a TimeAnchor or None, not {kind}; write TimeAnchor(days, tolerance), both in days"
        )
