"""Which refusals are worth asking again, and how long to wait before."""

from __future__ import annotations

import datetime as dt
import random
import re
from email.utils import parsedate_to_datetime

__all__ = ["LONGEST_WAIT", "RETRIED", "RETRIES", "retry_after", "wait_before"]

#: Too many requests, and what stands between us and the service being unwell.
RETRIED = frozenset({429, 502, 503, 504})
#: How often one request is sent again.
RETRIES = 3
#: Seconds that a service is waited for at the most, whatever it asks for.
LONGEST_WAIT = 60.0
#: A wait without advice is longer by up to this part, so that clients that failed together do not come
#: back together.
_JITTER = 0.25

_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)?")


def retry_after(header: str | None, now: dt.datetime) -> float | None:
    """The seconds that a ``Retry-After`` asks for, from 0 to `LONGEST_WAIT`.

    Parameters
    ----------
    header : str or None
        Seconds, or a date of HTTP (RFC 9110, 10.2.3).
    now : datetime
        The current time, aware.

    Returns
    -------
    float or None
        ``None`` where there is no header, or none that can be read.
    """
    text = (header or "").strip()
    if len(text) > 64:  # no number or date is as long
        return None
    if _SECONDS.fullmatch(text):
        return min(float(text), LONGEST_WAIT)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    date = date.replace(tzinfo=dt.UTC) if date.tzinfo is None else date
    return min(max((date - now).total_seconds(), 0.0), LONGEST_WAIT)


def wait_before(retry: int, advice: float | None) -> float:
    """The seconds to wait before a retry.

    Parameters
    ----------
    retry : int
        Which one, from 0.
    advice : float or None
        What the service asks for: exactly that is waited. Without it 1, 2, 4 seconds and up to a
        quarter more.
    """
    if advice is not None:
        return advice
    return 2.0**retry * (1.0 + _JITTER * random.random())  # noqa: S311 - it spreads, it hides nothing
