"""What the stable ABI costs: one wheel for every Python, beside one for this Python alone.

    python -m benches.python.abi3_cost STABLE/bin/python OWN/bin/python

Each of the two interpreters has one of the wheels installed, and NumPy. They take turns, so that both
meet the machine in the same state; of each case the smallest CPU time of all turns counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import rankmeld as rm
from rankmeld import _core

from . import oracle
from .agreement import close, ranked, same
from .harness import Case, Effort, Group, measure
from .report import duration
from .workloads import string_lists

_TURNS = 12


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benches.python.abi3_cost",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("stable", help="an interpreter with the abi3 wheel")
    parser.add_argument("own", help="an interpreter with the wheel for it alone")
    options = parser.parse_args()
    best: dict[str, dict[str, float]] = {options.stable: {}, options.own: {}}
    for turn in range(_TURNS):
        for interpreter in (options.stable, options.own)[:: 1 if turn % 2 else -1]:
            for name, seconds in _in_child(interpreter).items():
                best[interpreter][name] = min(seconds, best[interpreter].get(name, seconds))
    print(f"{'':<40} {'abi3':>9} {'own':>9} {'ratio':>6}")
    for name, stable in best[options.stable].items():
        own = best[options.own][name]
        print(f"{name:<40} {duration(stable):>9} {duration(own):>9} {stable / own:>6.2f}")


def _in_child(interpreter: str) -> dict[str, float]:
    code = f"from {__package__}.abi3_cost import measured; measured()"
    output = subprocess.run([interpreter, "-c", code], check=True, capture_output=True, text=True).stdout
    figures: dict[str, float] = json.loads(output)
    return figures


def measured() -> None:
    """Print the smallest CPU time of each case, in seconds, as JSON."""
    lists = string_lists(3, 1_000)
    pairs = [pair for ranked_list in lists for pair in ranked_list]
    expected = oracle.rrf(lists)
    cases = [
        Case(
            "reading a list of 3,000 pairs",
            lambda: _core.read(pairs, "ranking"),
            lambda columns: same(pairs)(rm.Ranking((columns[0], columns[1].copy()))),
        ),
        Case("rrf, 3 x 1,000 pairs", lambda: rm.rrf(lists), same(expected)),
        Case("rrf, 3 x 1,000 pairs, limit=10", lambda: rm.rrf(lists, limit=10), same(expected[:10])),
        Case(
            "fuse_scores, 3 x 1,000 pairs",
            lambda: rm.fuse_scores(lists),
            close(oracle.fuse_scores(lists), ranked),
        ),
    ]
    result = measure(Group("", cases, cases[0].name), Effort(1.0, 20))
    json.dump({timing.case.name: timing.cpu_min for timing in result.timings}, sys.stdout)


if __name__ == "__main__":
    main()
