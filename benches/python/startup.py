"""What `import rankmeld` takes beyond NumPy, and how large its wheel is."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from .harness import Case, Result, Timing, Verdict

#: Ours first, then what stands beside it where it is installed.
_MODULES = ("rankmeld", "rensa", "pandas", "bm25s", "ranx", "langchain_classic.retrievers.ensemble")

#: Where `make build` and `make wheel` put their wheels.
_FOLDERS = ("target/wheels", "target/dist")

_IMPORT = """
import time
import numpy
wall, cpu = time.perf_counter(), time.process_time()
import {module}
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def run(*, quick: bool) -> Iterator[Result]:
    """Fresh interpreters in turn."""
    found = [module for module in _MODULES if importlib.util.find_spec(module.partition(".")[0])]
    timings = [
        Timing(Case(f"import {module}", partial(_import_in_child, module), None), calls=1)
        for module in (found[:1] if quick else found)
    ]
    for _ in range(4 if quick else 10):
        for timing in timings:
            wall, cpu = timing.case.call()
            timing.wall.append(wall)
            timing.cpu.append(cpu)
    verdicts = [
        Verdict("import of rankmeld beyond NumPy, CPU", 50.0, timings[0].cpu_min * 1e3, "ms"),
        Verdict("size of the wheel", 4.0, _wheel_mib(), "MiB"),
    ]
    yield Result("import, beyond NumPy", timings, timings[0].case.name, verdicts)


def _import_in_child(module: str) -> tuple[float, float]:
    code = _IMPORT.format(module=module)
    command = [sys.executable, "-I", "-W", "ignore", "-c", code]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wall, cpu = output.split()[-2:]
    return float(wall), float(cpu)


def _wheel_mib() -> float | None:
    """The size of the wheel that was built last; `None` if there is none."""
    root = Path(__file__).resolve().parents[2]
    wheels = [wheel for folder in _FOLDERS for wheel in (root / folder).glob("rankmeld-*.whl")]
    if not wheels:
        return None
    return max(wheels, key=lambda wheel: wheel.stat().st_mtime).stat().st_size / 2**20
