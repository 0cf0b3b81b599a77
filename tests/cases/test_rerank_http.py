"""Known failures of rerank clients elsewhere, each as a test of its whole kind."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import time
import traceback

import pytest

import rankmeld as rm
from support import rerank_service as services
from support.check import fused
from support.rerank_service import KEY, RerankService


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("RANKMELD_RERANK_API_KEY", KEY)


def hits(count):
    return [rm.Hit(f"d{i}", None, rm.Document(f"d{i}", f"text {i}")) for i in range(count)]


def answered(body, count, **options):
    """What a service that answers this makes of so many documents."""
    service = RerankService(services.text(json.dumps(body)))
    with service, service.reranker(**options) as reranker:
        return reranker.rerank("q", hits(count))


def results(*pairs, score="relevance_score"):
    return [{"index": index, score: value} for index, value in pairs]


def test_c037_scores_go_by_index_not_by_the_order_of_the_answer():
    found = answered(results((2, 0.9), (0, 0.5), (1, 0.1), score="score"), 3, dialect="tei")
    assert fused(found) == [("d2", 0.9), ("d0", 0.5), ("d1", 0.1)]


@pytest.mark.parametrize("wrong", [[(-1, 0.9)], [(2, 0.9)], [(0, 0.9), (0, 0.1)], [("1", 0.9)]])
def test_c039_indices_of_a_service_are_not_trusted(wrong):
    with pytest.raises(rm.RerankResponseError):
        answered({"results": results(*wrong)}, 2)


def test_c040_the_client_sorts_whatever_the_server_does():
    found = answered({"results": results((0, 0.03), (1, 0.12), (2, 0.02))}, 3)
    assert fused(found[:1]) == [("d1", 0.12)]


def test_c043_the_right_answer_is_not_the_order_of_the_question():
    found = answered({"data": results((2, 0.9), (0, 0.5), (1, 0.2))}, 3, dialect="voyage")
    assert found.ids == ["d2", "d0", "d1"]


def test_c044_nothing_to_rank_makes_no_request():
    with RerankService() as service, service.reranker() as reranker:
        assert len(reranker.rerank("anything", [])) == 0
        assert len(asyncio.run(reranker.arerank("anything", []))) == 0
        assert (service.requests, service.opened) == ([], 0)


@pytest.mark.parametrize(("dialect", "field"), [("tei", "truncate"), ("voyage", "truncation")])
def test_c046_c047_what_is_too_long_is_cut_unless_one_says_no(dialect, field):
    with RerankService() as service:
        for options, sent in (({}, True), ({"truncate": False}, False)):
            with service.reranker(dialect=dialect, **options) as reranker:
                reranker.rerank("q", hits(2))
            assert service.requests[-1].body[field] is sent
        with pytest.raises(
            rm.InvalidArgumentError, match="truncate=False has no effect in the dialect 'jina'"
        ):
            service.reranker(truncate=False)


def test_c047_the_tei_dialect_sends_its_own_fields_and_reads_a_bare_list():
    with RerankService() as service, service.reranker(dialect="tei") as reranker:
        assert len(reranker.rerank("q", hits(2))) == 2
    assert service.requests[0].path == "/rerank"
    assert service.requests[0].body == {"query": "q", "texts": ["text 0", "text 1"], "truncate": True}
    with pytest.raises(rm.RerankResponseError, match="does it speak another dialect"):
        answered({"results": results((0, 0.5))}, 1, dialect="tei")


def test_c048_batches_are_merged_into_one_order():
    answers = [[(1, 0.9), (0, 0.1)], [(0, 0.5), (1, 0.4)], [(0, 0.7)]]
    service = RerankService(*[services.results(*pairs) for pairs in answers])
    with service, service.reranker(max_batch=2) as reranker:
        found = reranker.rerank("q", hits(5))
    assert fused(found) == [("d1", 0.9), ("d4", 0.7), ("d2", 0.5), ("d3", 0.4), ("d0", 0.1)]
    assert [request.body["top_n"] for request in service.requests] == [2, 2, 1]


def test_c049_no_document_is_dropped_at_a_servers_limit():
    many = [rm.Hit(i, None, rm.Document(i, "d")) for i in range(1_500)]
    with (
        RerankService(always=services.at_most(1_000)) as service,
        service.reranker(max_batch=1_500) as reranker,
    ):
        found = reranker.rerank("d", many)
    assert len(found) == 1_500
    assert {hit.score for hit in found} == {1.0}
    assert [len(request.passages) for request in service.requests] == [1_500, 750, 750]


@pytest.mark.parametrize(
    "body",
    [
        {"results": [{"index": 0, "relevance_score": [0.2, 0.8]}]},
        {"results": [{"index": 0, "relevance_score": None}]},
        {"results": [{"index": 0}]},
        {"results": None},
        "<html>bad gateway</html>",
    ],
)
def test_c051_a_malformed_body_is_one_kind_of_error(body):
    with pytest.raises(rm.RerankResponseError, match=r"^127\.0\.0\.1:\d+ gave "):
        answered(body, 1)


def test_c055_a_base_url_is_taken_as_people_paste_it():
    for base in ("http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/", "http://h:1/v1/rerank"):
        assert rm.rerank_endpoint(base) == "http://h:1/v1/rerank"
    with pytest.raises(rm.ConfigError):  # a key in a URL would be in every log
        rm.rerank_endpoint("http://h:1/proxy/api?key=k")


@pytest.mark.parametrize(
    ("provider", "path"),
    [("tei", "/rerank"), ("vllm", "/v1/rerank"), ("jina", "/v1/rerank"), ("cohere", "/v2/rerank")],
)
def test_c056_the_path_belongs_to_the_provider(provider, path):
    with RerankService() as service:
        base = service.url + ("/v2" if provider == "cohere" else "")
        config = rm.RerankConfig(provider, "a-model", base, rm.RateBudget(60_000))
        with rm.make_secure_reranker(config, service.policy()) as reranker:
            reranker.rerank("q", hits(1))
        assert service.requests[0].path == path


def test_c058_the_key_is_nowhere_to_be_read(caplog):
    caplog.set_level(logging.DEBUG)
    with (
        RerankService(services.status(500, X_Echo=f"Bearer {KEY}")) as service,
        service.reranker() as reranker,
    ):
        with pytest.raises(rm.RemoteError) as caught:
            reranker.rerank("q", hits(1))
        assert service.requests[0].headers["authorization"] == f"Bearer {KEY}"
        shown = [repr(reranker), str(reranker), str(caught.value), repr(caught.value), caplog.text]
        shown += [repr(pickle.dumps(caught.value)), repr(pickle.dumps(reranker))]
    # Tools that report errors show the variables of every frame.
    inner = caught.value.with_traceback(caught.tb.tb_next)  # without the test's own frame
    locals_too = traceback.TracebackException.from_exception(inner, capture_locals=True)
    shown += list(locals_too.format())
    assert not any(KEY in text for text in shown)


def test_c060_a_cancellation_is_not_tried_again():
    async def scene(reranker):
        task = asyncio.ensure_future(reranker.arerank("q", hits(1)))
        await asyncio.sleep(0.05)
        task.cancel()
        begun = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 0.5

    with RerankService(always=services.slow_headers) as service, service.reranker() as reranker:
        asyncio.run(scene(reranker))
        assert service.until_closed()
        assert len(service.requests) <= 1
