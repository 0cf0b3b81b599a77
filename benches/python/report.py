"""What was measured, as tables for people and as JSON for machines."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .harness import Result, Timing, Verdict

_UNITS = (("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9))


def duration(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, scale in _UNITS:
        if seconds * scale >= 1.0:
            return f"{seconds * scale:#.3g}".rstrip(".") + f" {unit}"
    return f"{seconds * 1e9:.2g} ns"


def _ratio(value: float) -> str:
    return f"{value:.3f}" if value < 100 else f"{value:.0f}"


def show(result: Result) -> None:
    """Print a group: its cases, then its goals."""
    reference = next(timing for timing in result.timings if timing.case.name == result.reference)
    per_entry = any(timing.case.entries for timing in result.timings)
    width = max(len(timing.case.name) for timing in result.timings)
    print(f"\n## {result.title}")
    print(
        f"{'case':<{width}} {'cpu min':>9} {'wall med':>9} {'ratio':>7} {'spread':>6}"
        + (f" {'ns/entry':>9}" if per_entry else "")
    )
    for timing in result.timings:
        case = timing.case
        row = (
            f"{case.name:<{width}} {duration(timing.cpu_min):>9} {duration(timing.wall_median):>9} "
            f"{_ratio(timing.cpu_min / reference.cpu_min):>7} {timing.spread:>6.2f}"
        )
        if per_entry:
            row += f" {timing.cpu_min / case.entries * 1e9:>9.1f}" if case.entries else f" {'':>9}"
        print(f"{row}  {case.note}".rstrip())
    for verdict in result.verdicts:
        print(sentence(verdict))


def sentence(verdict: Verdict) -> str:
    """A goal, what was measured, and whether that is enough."""
    unit = f" {verdict.unit}" if verdict.unit else ""
    measured = "-" if verdict.measured is None else f"{verdict.measured:.3g}{unit}"
    return f"goal: {verdict.goal}: at most {verdict.limit:g}{unit}; measured: {measured}; {verdict.word}"


def machine() -> dict[str, Any]:
    """Where and with what the figures were taken."""
    packages = ("rankmeld", "numpy", "pandas", "ranx", "langchain-classic", "llama-index-core", "haystack-ai")
    return {
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in packages},
    }


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    if known.exists():
        for line in known.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def as_json(results: Iterable[Result]) -> dict[str, Any]:
    """Everything that `show` prints, and more digits."""
    return {
        "machine": machine(),
        "groups": [
            {
                "title": result.title,
                "reference": result.reference,
                "cases": [_case(timing) for timing in result.timings],
                "goals": [
                    {
                        "goal": verdict.goal,
                        "at_most": verdict.limit,
                        "measured": verdict.measured,
                        "unit": verdict.unit,
                        "verdict": verdict.word,
                    }
                    for verdict in result.verdicts
                ],
            }
            for result in results
        ],
    }


def _case(timing: Timing) -> dict[str, Any]:
    return {
        "name": timing.case.name,
        "cpu_min_s": timing.cpu_min,
        "wall_min_s": timing.wall_min,
        "wall_median_s": timing.wall_median,
        "spread": timing.spread,
        "rounds": len(timing.cpu),
        "calls_per_round": timing.calls,
        "entries": timing.case.entries,
        "note": timing.case.note,
    }
