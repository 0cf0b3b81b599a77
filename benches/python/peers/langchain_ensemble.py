"""LangChain: the fusion step of its ensemble retriever."""

from __future__ import annotations

from collections.abc import Iterator

from benches.python import oracle
from benches.python.agreement import in_order
from benches.python.by_hand import K
from benches.python.harness import Case
from benches.python.workloads import Pairs
from langchain_classic.retrievers.ensemble import EnsembleRetriever
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from .texts import PASSAGE


def rrf(lists: list[Pairs]) -> list[Case]:
    # Retrievers have to be there, but only the fusion step is called.
    nobody = [RunnableLambda(lambda _: []) for _ in lists]
    ensemble = EnsembleRetriever(retrievers=nobody, weights=[1.0] * len(lists), c=K, id_key="id")
    fuse = ensemble.weighted_reciprocal_rank
    ready = _documents(lists)
    check = in_order(oracle.rrf(lists), _ids)
    return [
        Case("LangChain ensemble, documents ready", lambda: fuse(ready), check),
        Case("LangChain ensemble, documents made", lambda: fuse(_documents(lists)), check),
    ]


def _documents(lists: list[Pairs]) -> list[list[Document]]:
    return [[Document(page_content=id + PASSAGE, metadata={"id": id}) for id, _ in pairs] for pairs in lists]


def _ids(documents: list[Document]) -> Iterator[str]:
    return (document.metadata["id"] for document in documents)
