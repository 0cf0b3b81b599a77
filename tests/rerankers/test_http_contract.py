"""The contract of rerankers, kept over real sockets."""

from __future__ import annotations

from typing import ClassVar

import pytest

import rankmeld as rm
from rerankers import samples
from rerankers.reranker_contract import AskingContract
from support.rerank_service import KEY, RerankService

_SERVICES: list[RerankService] = []


@pytest.fixture(autouse=True, scope="module")
def service():
    with RerankService() as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKMELD_RERANK_API_KEY", KEY)
        _SERVICES.append(running)
        yield running
        _SERVICES.clear()


class TestHttp(AskingContract):
    """A service that is asked over HTTP."""

    options: ClassVar[dict[str, object]] = {}

    def make_reranker(self):
        return _SERVICES[0].reranker(**self.options)

    make_async_reranker = make_reranker

    def test_who_does_not_await_what_is_asynchronous_is_told(self):
        assert self.make_async_reranker().rerank(samples.QUERY, samples.HITS)  # both ways are its own


class TestHttpInBatches(TestHttp):
    """Two passages at a time."""

    options: ClassVar[dict[str, object]] = {"max_batch": 2}


class TestVoyage(TestHttp):
    """Another dialect."""

    options: ClassVar[dict[str, object]] = {"dialect": "voyage"}


class TestTei(TestHttp):
    """A dialect that names no model."""

    options: ClassVar[dict[str, object]] = {"dialect": "tei", "model": ""}


class TestMixedbread(TestHttp):
    """A dialect with another path."""

    options: ClassVar[dict[str, object]] = {"dialect": "mixedbread"}


class TestByName(TestHttp):
    """Made by the factory."""

    def make_reranker(self):
        config = rm.RerankConfig("vllm", "a", _SERVICES[0].url, rm.RateBudget(60_000))
        return rm.make_secure_reranker(config, _SERVICES[0].policy())

    make_async_reranker = make_reranker
