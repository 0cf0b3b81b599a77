"""How long a service is waited for."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld.remote.retries import retry_after, wait_before

NOW = dt.datetime(2026, 3, 1, 12, 0, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("0", 0.0),
        ("7", 7.0),
        (" 7 ", 7.0),
        ("2.5", 2.5),
        ("60", 60.0),
        ("61", 60.0),
        ("999999999999999999999999", 60.0),
        ("1" * 65, None),
        ("-1", None),
        ("1e3", None),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("7 seconds", None),
        ("٣", None),
        ("Sun, 01 Mar 2026 12:00:20 GMT", 20.0),
        ("Sunday, 01-Mar-26 12:00:20 GMT", 20.0),
        ("Sun Mar  1 12:00:20 2026", 20.0),
        ("Sun, 01 Mar 2026 13:00:20 +0100", 20.0),
        ("Sun, 01 Mar 2026 13:00:00 GMT", 60.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 60.0),
        ("Sun, 99 Mar 2026 12:00:20 GMT", None),
        ("Sun, 01 Mar 99999 12:00:20 GMT", None),
        ("Sun, 01 Mar 0001 12:00:20 +2359", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 -2359", 60.0),
    ],
)
def test_what_a_header_asks_for(header, seconds):
    assert retry_after(header, NOW) == seconds


@given(st.text(max_size=80) | st.from_regex(r"\w{3}, \d+ \w{3} \d+ \d+:\d+:\d+ [+-]\d{4}", fullmatch=True))
def test_no_header_does_harm(header):
    seconds = retry_after(header, NOW)
    assert seconds is None or 0.0 <= seconds <= 60.0


@pytest.mark.parametrize(("retry", "least"), [(0, 1.0), (1, 2.0), (2, 4.0)])
def test_without_advice_waits_double_and_differ(retry, least):
    waits = {wait_before(retry, None) for _ in range(200)}
    assert least <= min(waits) < max(waits) <= least * 1.25
    assert len(waits) > 100


def test_advice_is_taken_as_it_is():
    assert wait_before(2, 0.0) == 0.0
    assert wait_before(0, 60.0) == 60.0
