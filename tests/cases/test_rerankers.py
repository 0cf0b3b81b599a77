"""Known failures of rerankers elsewhere, each as a test of its whole kind; those of services aside."""

from __future__ import annotations

import asyncio
import math
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm
from support.check import fused

SCORES = {"d0": 0.1, "d1": 0.9, "d2": 0.4}
DOCUMENTS = [rm.Hit(id, 1.0, rm.Document(id, f"the text of {id}")) for id in SCORES]


def model(_query, passages):
    """A score for each passage, by the id that its text names."""
    return [SCORES[passage.rpartition(" ")[2]] for passage in passages]


@pytest.mark.parametrize("size", [None, 1, 2, 3])
def test_c042_c043_scores_stay_with_their_passages(size):
    found = rm.CallableReranker(model, batch_size=size).rerank("anything", DOCUMENTS)
    assert fused(found) == [("d1", 0.9), ("d2", 0.4), ("d0", 0.1)]
    assert all(hit.document.id == hit.id for hit in found)


def test_c044_nothing_to_rank_asks_nobody():
    def never(*_given):
        raise AssertionError("asked")

    rerankers = [
        rm.CallableReranker(never),
        rm.CosineReranker(never),
        rm.MaxSimReranker(never),
        rm.MMRReranker(similarity="cosine", embedder=never),
    ]
    for reranker in [*rerankers, rm.ChainReranker(rerankers)]:
        assert len(reranker.rerank("anything", [])) == 0
        assert len(asyncio.run(reranker.arerank("anything", []))) == 0


def test_c048_batches_are_merged_into_one_order():
    """Passages d0 to d4 in batches of two, with the scores of the report."""
    answers = iter([[0.1, 0.9], [0.5, 0.4], [0.7]])
    hits = [rm.Hit(f"d{i}", None, rm.Document(f"d{i}", f"text {i}")) for i in range(5)]
    found = rm.CallableReranker(lambda _query, _passages: next(answers), batch_size=2).rerank("q", hits)
    assert fused(found) == [("d1", 0.9), ("d4", 0.7), ("d2", 0.5), ("d3", 0.4), ("d0", 0.1)]


@pytest.mark.parametrize(
    "answer",
    [
        [[0.2, 0.8], 0.1, 0.2],
        [None, 0.1, 0.2],
        [math.nan, 0.1, 0.2],
        [0.1, 0.2],
        [0.1, 0.2, 0.3, 0.4],
        None,
        "<html>bad gateway</html>",
        {"results": None},
    ],
)
def test_c051_a_malformed_answer_is_one_kind_of_error_and_nothing_is_applied(answer):
    ranking = rm.Ranking(DOCUMENTS)
    for reranker in (
        rm.CallableReranker(lambda _query, _passages: answer),
        rm.CosineReranker(lambda _texts: answer),
        rm.MaxSimReranker(lambda _texts: answer),
    ):
        with pytest.raises(rm.RerankResponseError):
            reranker.rerank("anything", ranking)
    assert list(ranking) == DOCUMENTS


def test_c060_a_cancellation_is_seen_at_once_and_asks_no_more():
    asked = []

    async def slow(_query, passages):
        asked.append(passages)
        await asyncio.sleep(60)

    async def cancelled():
        reranker = rm.ChainReranker([rm.CallableReranker(slow, batch_size=1), rm.CallableReranker(slow)])
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(reranker.arerank("anything", DOCUMENTS), 0.05)

    started = time.monotonic()
    asyncio.run(cancelled())
    assert time.monotonic() - started < 5
    assert len(asked) == 1


def test_c269_one_object_is_used_by_many_threads_and_by_its_own_callback():
    depth = []

    def within(query, passages):
        """Asks the same reranker once more, as long as the query has a mark to give."""
        depth.append(query)
        if query.endswith("!"):
            inner = reranker.rerank(query[:-1], [(p, None, rm.Document(p, p)) for p in passages])
            found = dict(fused(inner))
            return [found[passage] for passage in passages]
        return model(query, passages)

    reranker = rm.CallableReranker(within)
    alone = reranker.rerank("q!!!", DOCUMENTS)
    assert len(depth) == 4
    assert alone.ids == ["d1", "d2", "d0"]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda _: reranker.rerank("q!!!", DOCUMENTS), range(1_000)))
    assert all(found == alone for found in together)
