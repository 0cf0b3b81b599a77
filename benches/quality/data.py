"""Collections with known answers: documents, queries, grades, runs and vectors.

A folder holds ``corpus.jsonl`` and ``queries.jsonl`` (``_id``, ``title``, ``text``, ``metadata``),
``qrels.tsv`` (a head line, then query, document and grade, parted by tabs), two runs in TREC's six columns,
``bm25.run`` and ``dense.run``, and, where somebody needs vectors, ``embeddings.npz``.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import rankmeld as rm


@dataclass(frozen=True)
class Query:
    """What is asked, what is known of it, and which documents answer it."""

    id: str
    text: str
    metadata: Mapping[str, Any]
    grades: Mapping[str, float]


@dataclass(frozen=True)
class Collection:
    """Documents in their order, the queries that have an answer, and runs: for each query its hits."""

    folder: Path
    documents: dict[str, rm.Document]
    queries: list[Query]
    runs: dict[str, dict[str, rm.Ranking]]

    @property
    def name(self) -> str:
        return self.folder.name

    def vectors(self) -> npt.NDArray[np.float32]:
        """A row for each document, in their order."""
        return np.load(self.folder / "embeddings.npz")["corpus"].astype(np.float32)


def read(folder: Path) -> Collection:
    """Everything but the vectors."""
    documents = {
        row["_id"]: rm.Document(
            row["_id"],
            row["text"],
            title=row.get("title") or "",
            created_at=row["metadata"].get("datetime"),
            metadata=row["metadata"],
        )
        for row in rows(folder / "corpus.jsonl")
    }
    grades: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades[query][document] = float(grade)
    queries = [
        Query(row["_id"], row["text"], row.get("metadata") or {}, grades[row["_id"]])
        for row in rows(folder / "queries.jsonl")
        if row["_id"] in grades
    ]
    runs = {name: _run(folder / f"{name}.run", documents) for name in ("bm25", "dense")}
    return Collection(folder, documents, queries, runs)


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _run(path: Path, documents: Mapping[str, rm.Document]) -> dict[str, rm.Ranking]:
    hits: defaultdict[str, list[tuple[str, float, rm.Document]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        hits[query].append((document, float(score), documents[document]))
    return {query: rm.Ranking(found) for query, found in hits.items()}


def folders(*names: str) -> list[Path]:
    """Where the named collections lie, in ``data`` of the shared folder; see `benches.quality`."""
    beside = Path(__file__).resolve().parents[3] / "shared"
    data = Path(os.environ.get("RANKMELD_SHARED", beside)) / "data"
    missing = [name for name in names if not (data / name).is_dir()]
    if missing:
        sys.exit(
            f"{data} has no {', '.join(missing)}; set RANKMELD_SHARED to the folder whose data/ has them"
        )
    return [data / name for name in names]
