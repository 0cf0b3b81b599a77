"""Choosing how to fuse, on judged queries, and saying honestly what it gains."""

from rankmeld.tuning.result import TunedFold, TuneResult, TuneTrial
from rankmeld.tuning.tune import tune

__all__ = ["TuneResult", "TuneTrial", "TunedFold", "tune"]
