"""The same in several processes.

Where the strings of a workload lie in memory, and how their hashes fall, is drawn anew by each
process, and moves a Python loop by a tenth and more. So a goal is judged by the median.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from .harness import Verdict
from .report import sentence


def in_processes(count: int, arguments: list[str]) -> None:
    """Run the benchmarks `count` times, each in a process of its own, and print what the goals came to."""
    verdicts: dict[str, list[Verdict]] = {}
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.json"
        for number in range(1, count + 1):
            command = [
                sys.executable,
                "-W",
                "ignore",
                "-m",
                "benches.python",
                *arguments,
                "--json",
                str(figures),
            ]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            print(f"process {number} of {count} is done", flush=True)
            for group in json.loads(figures.read_text(encoding="utf-8"))["groups"]:
                for goal in group["goals"]:
                    verdict = Verdict(goal["goal"], goal["at_most"], goal["measured"], goal["unit"])
                    verdicts.setdefault(verdict.goal, []).append(verdict)
    print(f"\n## Goals, medians of {count} processes")
    for repeated in verdicts.values():
        _show(repeated)


def _show(repeated: list[Verdict]) -> None:
    first = repeated[0]
    measured = [verdict.measured for verdict in repeated if verdict.measured is not None]
    if not measured:
        print(sentence(first))
        return
    median = Verdict(first.goal, first.limit, statistics.median(measured), first.unit)
    print(f"{sentence(median)} (from {min(measured):.3g} to {max(measured):.3g})")
