"""The tests' reference: what every operation means, slow and obvious; and their PostgreSQL.

It is part of no package, so its folder is put on the path here.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from reference.bm25 import scores as bm25_scores
from reference.confidence import (
    chain_of_note,
    evaluate_crag,
    grade_scores,
    normalize_signals,
    recognition_filter,
)
from reference.decay import time_decay
from reference.dedup import dedup
from reference.late_interaction import lexical_matches, lexical_maxsim
from reference.mmr import order as mmr_order
from reference.quality import rerank
from reference.rrf import rrf
from reference.scores import fuse_scores
from support.postgres_server import PostgresServer

__all__ = [
    "PostgresServer",
    "bm25_scores",
    "chain_of_note",
    "dedup",
    "evaluate_crag",
    "fuse_scores",
    "grade_scores",
    "lexical_matches",
    "lexical_maxsim",
    "mmr_order",
    "normalize_signals",
    "recognition_filter",
    "rerank",
    "rrf",
    "time_decay",
]
