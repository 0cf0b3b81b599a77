"""The functions under test, by what they take, and how a refusal is looked at."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

import rankmeld as rm

NOW = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)
ONE = [("a", 2.0), ("b", 1.0)]
TWO = [ONE, [("b", 9.0), ("c", 8.0)]]

#: Every function that takes a list of rankings, and every one that takes a single ranking.
MANY = {
    "rrf": rm.rrf,
    "fuse_scores": rm.fuse_scores,
    "fuse_ranks": lambda rankings, **o: rm.fuse_ranks(rankings, method="isr", **o),
}
ONE_OF = {
    "Ranking": rm.Ranking,
    "dedup": rm.dedup,
    "dedup_near": rm.dedup_near,
    "time_decay": lambda ranking, **o: rm.time_decay(ranking, now=NOW, **o),
    "evaluate_crag": rm.evaluate_crag,
    "recognition_filter": rm.recognition_filter,
    "chain_of_note": lambda ranking, **o: rm.chain_of_note("a query", ranking, **o),
    "rrf": lambda ranking, **o: rm.rrf([ranking], **o),
    "fuse_scores": lambda ranking, **o: rm.fuse_scores([ranking], **o),
    "convex": lambda ranking, **o: rm.convex(ranking, ONE, **o),
}
LIMITED = {
    **MANY,
    "convex": lambda rankings, **o: rm.convex(*rankings, **o),
    "dedup": lambda rankings, **o: rm.dedup(rankings[0], **o),
    "rrf_by_kind": lambda rankings, **o: rm.rrf_by_kind(
        [rm.Source(f"s{i}", ranking) for i, ranking in enumerate(rankings)], **o
    ).rankings["chunk"],
}
NEEDS_SCORES = {
    name: ONE_OF[name]
    for name in (
        "time_decay",
        "fuse_scores",
        "convex",
        "dedup_near",
        "evaluate_crag",
        "recognition_filter",
    )
}


def refusal(kind: type[Exception], call: Callable[..., Any], /, *args: Any, **options: Any) -> str:
    """The message of the refusal, whose class must be exactly of the library's kind."""
    with pytest.raises(kind) as caught:
        call(*args, **options)
    assert isinstance(caught.value, rm.RankmeldError) == (kind is not TypeError)
    return str(caught.value)
