"""LlamaIndex: the fusion steps of its query fusion retriever."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benches.python import oracle
from benches.python.agreement import Expected, close
from benches.python.harness import Case
from benches.python.workloads import Pairs
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import NodeWithScore, TextNode

import rankmeld as rm

from .texts import PASSAGE

#: Results by query and retriever, as the retriever collects them.
Results = dict[tuple[str, int], list[NodeWithScore]]


def rrf(lists: list[Pairs]) -> list[Case]:
    fuse = _retriever(lists)._reciprocal_rerank_fusion  # noqa: SLF001 - the step that is compared
    return [_case("reciprocal_rerank", lists, fuse, oracle.rrf(lists, **rm.rrf_preset("llama_index")))]


def minmax(lists: list[Pairs]) -> list[Case]:
    fuse = _retriever(lists)._relative_score_fusion  # noqa: SLF001 - the step that is compared
    # Each retriever's weight is one by their number.
    shares = [(id, score / len(lists)) for id, score in oracle.fuse_scores(lists)]
    return [_case("relative_score", lists, fuse, shares)]


def _case(mode: str, lists: list[Pairs], fuse: Callable[[Results], Any], expected: Expected) -> Case:
    nodes = [[(TextNode(id_=id, text=id + PASSAGE), score) for id, score in pairs] for pairs in lists]

    def results() -> Results:
        return {
            ("q", number): [NodeWithScore(node=node, score=score) for node, score in scored]
            for number, scored in enumerate(nodes)
        }

    # It writes into what it is given, so each call gets scores of its own.
    return Case(f"LlamaIndex {mode}, nodes ready", fuse, close(expected, _scores), prepare=results)


def _retriever(lists: list[Pairs]) -> QueryFusionRetriever:
    # Retrievers and a model have to be there, but only the fusion step is called.
    return QueryFusionRetriever([object()] * len(lists), llm=MockLLM(), num_queries=1, use_async=False)


def _scores(nodes: list[NodeWithScore]) -> Mapping[str, float]:
    return {found.node.node_id: found.score for found in nodes}
