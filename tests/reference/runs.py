"""Runs in plain Python: lines read one by one, queries fused one by one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reference.ranks import fuse_ranks
from reference.rrf import rrf
from reference.scores import fuse_scores

Scores = dict[str, list[tuple[str, float]]]
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
MARK = b"\xef\xbb\xbf"


class BadLine(Exception):
    """A line that is none, with its number."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def fields_of(line: str) -> list[str]:
    """What stands between spaces and tabs."""
    return [field for part in line.split(" ") for field in part.split("\t") if field]


def lines_of(content: bytes) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    for number, line in enumerate(content.removeprefix(MARK).split(b"\n"), start=1):
        try:
            text = line.removesuffix(b"\r").decode()
        except UnicodeDecodeError:
            raise BadLine(number) from None
        if fields_of(text):
            yield number, text


def read_run(content: bytes, *, ties: str = "first", best: bool = False) -> Scores:
    """The hits of each query, best first."""
    read: dict[str, list[tuple[str, float]]] = {}
    at: dict[tuple[str, str], int] = {}
    repeat: int | None = None
    for number, line in lines_of(content):
        fields = fields_of(line)
        if len(fields) != 6:
            raise BadLine(number)
        query, _, document, _, score, _ = fields
        if not NUMBER.fullmatch(score) or not math.isfinite(float(score)):
            raise BadLine(number)
        if (query, document) in at and repeat is None:
            repeat = number
        at.setdefault((query, document), number)
        read.setdefault(query, []).append((document, float(score)))
    if repeat is not None and not best:
        raise BadLine(repeat)
    for query, hits in read.items():
        if ties != "first":
            hits.sort(key=lambda hit: hit[0].encode(), reverse=ties == "id_desc")
        hits.sort(key=lambda hit: -hit[1])
        read[query] = first_of_each(hits)
    return read


def first_of_each(hits: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Without the later hits of a document."""
    kept: dict[str, float] = {}
    for document, score in hits:
        kept.setdefault(document, score)
    return list(kept.items())


def write_run(rankings: Mapping[str, Any], tag: str, *, strict: bool = False) -> str:
    """Lines with the shortest scores that read back."""
    lines = []
    for query, hits in rankings.items():
        before = math.inf
        for rank, (document, score) in enumerate(hits, start=1):
            written = math.nextafter(before, -math.inf) if strict and score >= before else score
            lines.append(f"{query} Q0 {document} {rank} {written!r} {tag}\n")
            before = written
    return "".join(lines)


def fuse_runs(runs: list[Mapping[Any, Any]], **options: Any) -> dict[Any, list[tuple[Any, float]]]:
    """Each query fused by the definition for one query."""
    method = options.pop("method", "rrf")
    queries = dict.fromkeys(query for run in runs for query in run)
    if method == "rrf":
        one = rrf
    elif "combine" in options or method in {"minmax", "max", "sum", "zscore", "dbsf", "rank", "none"}:
        one, options = fuse_scores, {"normalize": method, **options}
    else:
        one, options = fuse_ranks, {"method": method, **options}
    return {query: one([run.get(query, []) for run in runs], **options) for query in queries}
