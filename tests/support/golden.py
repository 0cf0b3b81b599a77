"""The golden vectors and their runner, read where they lie."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve()
FOLDER = Path(os.environ.get("RANKMELD_SHARED", HERE.parents[3] / "shared")) / "golden"


def load_runner() -> ModuleType | None:
    """The module that knows how to run a case, or `None` where there is none."""
    path = FOLDER / "run_golden.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location("rankmeld_golden_runner", path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_cases(family: str) -> list[dict[str, Any]]:
    path = FOLDER / f"{family}.jsonl"
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
