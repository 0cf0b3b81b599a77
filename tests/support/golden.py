"""The golden vectors and their runner, read where they lie."""

from __future__ import annotations

import importlib.util
import json
from types import ModuleType
from typing import Any

from support.shared import shared_folder

SHARED = shared_folder()


def load_runner() -> ModuleType | None:
    """The module that knows how to run a case, or `None` where there is none."""
    if SHARED is None or not (path := SHARED / "golden" / "run_golden.py").is_file():
        return None
    spec = importlib.util.spec_from_file_location("rankmeld_golden_runner", path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_cases(family: str) -> list[dict[str, Any]]:
    if SHARED is None or not (path := SHARED / "golden" / f"{family}.jsonl").is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
