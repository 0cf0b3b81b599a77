"""Rankings of many queries: read, fused all at once, written."""

from __future__ import annotations

from rankmeld.runs.fuse import fuse_runs
from rankmeld.runs.qrels import Qrels
from rankmeld.runs.run import Run

__all__ = ["Qrels", "Run", "fuse_runs"]
