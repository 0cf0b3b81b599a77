"""How sure an answer is: grades, floors, signals on one scale, and the sentences that bear it."""

from rankmeld.confidence.crag import CragConfig, CragEvaluation, CragGrade, evaluate_crag, grade_scores
from rankmeld.confidence.notes import ChainOfNote, PassageNote, chain_of_note
from rankmeld.confidence.recognition import recognition_filter
from rankmeld.confidence.signals import SignalScore, normalize_signals

__all__ = [
    "ChainOfNote",
    "CragConfig",
    "CragEvaluation",
    "CragGrade",
    "PassageNote",
    "SignalScore",
    "chain_of_note",
    "evaluate_crag",
    "grade_scores",
    "normalize_signals",
    "recognition_filter",
]
