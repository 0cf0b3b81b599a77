"""What goes in is let go of again: no reference is kept, no cycle outlives its owner."""

from __future__ import annotations

import contextlib
import gc
import sys
import weakref

import numpy as np
import pytest

import rankmeld as rm


class Name:
    """An id that can be referred to weakly, and that can refer to a result."""

    result: rm.Ranking


MAKERS = {
    "Ranking": lambda id: rm.Ranking([(id, 1.0)]),
    "rrf": lambda id: rm.rrf([[id], [id]]),
    "fuse_scores": lambda id: rm.fuse_scores([[(id, 1.0)]]),
    "fuse_ranks": lambda id: rm.fuse_ranks([[id]], method="isr"),
    "dedup": lambda id: rm.dedup([(id, 1.0)]),
    "time_decay": lambda id: rm.time_decay([(id, 1.0)]),
    "slice": lambda id: rm.rrf([[id, "b"]])[:1],
    "explained": lambda id: rm.rrf([[id]]).explain(id) and rm.rrf([[id]]),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_an_id_that_holds_its_own_result_is_collected(maker):
    id = Name()
    watched = weakref.ref(id)
    id.result = MAKERS[maker](id)
    del id
    gc.collect()
    assert watched() is None


def test_reference_counts_come_back():
    ids = [object() for _ in range(20)]
    documents = [rm.Document(i) for i in range(20)]
    watched = [*ids, *documents]

    def work() -> None:
        triples = list(zip(ids, [1.0] * 20, documents, strict=True))
        rm.rrf([triples, ids[::-1]], limit=3).explanation()
        rm.fuse_scores([triples], duplicates="first").to_dicts()
        rm.rrf([dict.fromkeys(ids, 0.5)])
        rm.dedup(rm.time_decay(triples))
        with contextlib.suppress(rm.InvalidScoreError):
            rm.fuse_scores([triples, [(ids[0], float("nan"))]])
        with contextlib.suppress(TypeError):
            rm.rrf([triples, [*ids, []]])
        with contextlib.suppress(TypeError):
            rm.rrf([ids], ties="id_asc")

    work()
    gc.collect()
    before = [sys.getrefcount(one) for one in watched]
    for _ in range(50):
        work()
    gc.collect()
    assert [sys.getrefcount(one) for one in watched] == before


def test_an_array_is_held_no_longer_than_its_result():
    scores = np.array([2.0, 1.0])
    watched = weakref.ref(scores)
    ranking = rm.rrf([(np.array([1, 2]), scores)])
    del scores
    assert ranking.ids == [1, 2]
    del ranking
    gc.collect()
    assert watched() is None
