"""The oracle against the same vectors: what we compare with must itself be right."""

from __future__ import annotations

import datetime as dt
import itertools
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from reference import decay, dedup, maxsim, near_duplicates, rrf, scores
from support.golden import load_cases, load_runner

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
runner = load_runner()
FAMILIES = ("rrf", "fusion_ties", "fuse_scores", "convex", "time_decay", "dedup", "dedup_near", "maxsim")
OPERATIONS = {"rrf", "fuse_scores", "convex", "time_decay", "dedup", "dedup_near", "maxsim", "maxsim_top"}


class Hit(NamedTuple):
    id: Any
    score: Any = None
    document: Any = None


def document(**fields: Any) -> SimpleNamespace:
    blank = dict.fromkeys(("created_at", "updated_at", "importance", "assessed_importance", "parent_id"))
    return SimpleNamespace(**{"text": "", "evergreen": False, **blank, **fields})


def source(name: str, hits: Any, *, weight: float | None = None, kind: str = "chunk") -> SimpleNamespace:
    return SimpleNamespace(name=name, hits=hits, weight=weight, kind=kind)


def from_records(items: Any, *, id: str, score: str) -> list[Any]:
    return [(item[id], item[score]) for item in items]


class Deduped(list):  # type: ignore[type-arg]
    """Hits, with which of them went for which."""

    removed: dict[Any, Any]


def dedup_near(ranking: Any, **options: Any) -> Deduped:
    hits, removed = near_duplicates.dedup_near(ranking, **options)
    found = Deduped(hits)
    found.removed = removed
    return found


def time_decay(ranking: Any, *, now: dt.datetime = EPOCH, **options: Any) -> Any:
    return decay.time_decay(ranking, now=now, **options)


def cut(documents: Any, offsets: Any) -> Any:
    """Documents that lie in one array, one by one."""
    if offsets is None:
        return documents
    return [documents[begin:end] for begin, end in itertools.pairwise(offsets)]


def all_scores(query: Any, documents: Any, *, offsets: Any = None, **options: Any) -> Any:
    return np.array(maxsim.maxsim(query, cut(documents, offsets), **options))


def best_scores(query: Any, documents: Any, *, offsets: Any = None, **options: Any) -> Any:
    return maxsim.maxsim_top(query, cut(documents, offsets), **options)


#: The oracle under the library's public names.
ORACLE = SimpleNamespace(
    rrf=rrf.rrf,
    fuse_scores=scores.fuse_scores,
    convex=scores.convex,
    time_decay=time_decay,
    dedup=dedup.dedup,
    maxsim=all_scores,
    maxsim_top=best_scores,
    dedup_near=dedup_near,
    Document=document,
    Source=source,
    Hit=Hit,
    from_records=from_records,
    Tier=SimpleNamespace(WORKING=1, EPISODIC=2, SEMANTIC=3, PROCEDURAL=4),
)
CASES = [
    pytest.param(case, id=case["id"])
    for family in FAMILIES
    for case in load_cases(family)
    if case["op"] in OPERATIONS and "error" not in case["expect"]
]

if not CASES:
    pytest.skip("golden vectors are not on this machine (set RANKMELD_SHARED)", allow_module_level=True)


@pytest.mark.parametrize("case", CASES)
def test_oracle(case: dict[str, Any]) -> None:
    assert runner is not None, "vectors without their runner"
    verdict = runner.run_case(ORACLE, case)
    assert verdict is None, f"{verdict}\nargs: {case['args']}"
