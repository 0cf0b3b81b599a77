"""How good rankings are: measures against judgements, intervals, and what runs have in common."""

from rankmeld.evaluation.agreement import overlap, rank_biased_overlap
from rankmeld.evaluation.bootstrap import Interval
from rankmeld.evaluation.diagnosis import Diagnosis, LegDiagnosis, PairDiagnosis, diagnose
from rankmeld.evaluation.measures import Difference, Evaluation, evaluate

__all__ = [
    "Diagnosis",
    "Difference",
    "Evaluation",
    "Interval",
    "LegDiagnosis",
    "PairDiagnosis",
    "diagnose",
    "evaluate",
    "overlap",
    "rank_biased_overlap",
]
