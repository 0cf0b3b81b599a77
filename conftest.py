"""`--strict-skips`: on a machine that has everything, a skipped test is a failed one.

A test that cannot apply to the machine at all says so with a reason that begins with
"not applicable"; every other skip means that something is missing.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

ACCEPTED = "not applicable"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the option."""
    parser.addoption(
        "--strict-skips",
        action="store_true",
        help=f"fail tests that are skipped for another reason than {ACCEPTED!r}",
    )


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn the report of a skip into one of a failure, unless the reason is accepted."""
    if not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not reason.startswith(ACCEPTED):
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was skipped under --strict-skips: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test, or its set-up, that asks to be skipped."""
    report = yield
    if item.config.getoption("strict_skips"):
        _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A whole module that does, by `pytest.importorskip` at its top for one."""
    report = yield
    if collector.config.getoption("strict_skips"):
        _refuse_skip(report)
    return report
