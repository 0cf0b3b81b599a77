"""Haystack: its document joiner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benches.python import oracle
from benches.python.agreement import close
from benches.python.harness import Case
from benches.python.workloads import Pairs
from haystack import Document
from haystack.components.joiners import DocumentJoiner

import rankmeld as rm

from .texts import PASSAGE


def rrf(lists: list[Pairs]) -> list[Case]:
    join = DocumentJoiner("reciprocal_rank_fusion").run
    ready = _documents(lists)
    preset = rm.rrf_preset("haystack")
    # The scores are multiplied so that the first of all lists gets 1.
    scale = preset["k"] / len(lists)
    check = close([(id, score * scale) for id, score in oracle.rrf(lists, **preset)], _scores)
    return [
        Case("Haystack joiner, documents ready", lambda: join(documents=ready), check),
        Case("Haystack joiner, documents made", lambda: join(documents=_documents(lists)), check),
    ]


def _documents(lists: list[Pairs]) -> list[list[Document]]:
    return [[Document(id=id, content=PASSAGE, score=score) for id, score in pairs] for pairs in lists]


def _scores(joined: Mapping[str, Any]) -> Mapping[str, float]:
    return {document.id: document.score for document in joined["documents"]}
