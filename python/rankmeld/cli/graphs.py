"""Graphs in files: what ``rankmeld graph`` writes and ``rankmeld search --graph`` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from rankmeld.cli.errors import UsageError
from rankmeld.errors import FormatError, InvalidArgumentError
from rankmeld.ingest.knowledge import CheckoutGraph
from rankmeld.search import KnowledgeGraph

__all__ = ["read_graph", "write_graph"]

_LINE = (
    'each line is {"node": ID, "kind": "passage" or "concept"}'
    ' or {"source": ID, "target": ID, "weight": NUMBER}'
)


def read_graph(path: Path) -> KnowledgeGraph:
    """Read a graph from a JSON object, or from JSON lines.

    The object has ``nodes``, an object of ids to ``"passage"`` or ``"concept"`` or a list of ids, and
    ``edges``, a list of ``[source, target]`` or ``[source, target, weight]``. A line is an object with
    ``node`` (and ``kind``) or with ``source`` and ``target`` (and ``weight``).

    Raises
    ------
    UsageError
        There is no such file.
    FormatError
        It holds something else, or an edge whose weight is no finite number of 0 or more.
    """
    if not path.exists():  # a pipe is as good as a file
        raise UsageError(f"{path}: no such file; make it with: rankmeld graph PATH -o {path}")
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    first = text.lstrip().partition("\n")[0]
    try:
        whole = json.loads(text) if not _is_line(first) else None
    except (ValueError, RecursionError) as error:
        raise FormatError(
            f"not JSON: {error}; a graph is one object with nodes and edges, or {_LINE}", path
        ) from None
    nodes, edges = _of_lines(text, path) if whole is None else _of_object(whole, path)
    try:
        return KnowledgeGraph(nodes, edges)
    except (TypeError, InvalidArgumentError) as error:
        raise FormatError(str(error), path) from None


def _is_line(first: str) -> bool:
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and bool({"node", "source"} & set(record))


def _of_object(whole: Any, path: Path) -> tuple[Any, Any]:
    if not isinstance(whole, Mapping) or not {"nodes", "edges"} <= set(whole):
        raise FormatError("a graph is one object with nodes and edges", path)
    for place, node in enumerate(whole["nodes"] if isinstance(whole["nodes"], list) else ()):
        if isinstance(node, dict | list):
            raise FormatError(f"nodes[{place}] is {json.dumps(node)[:80]}; it must be an id", path)
    return whole["nodes"], whole["edges"]


def _of_lines(text: str, path: Path) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    nodes: dict[str, Any] = {}
    edges: list[tuple[Any, ...]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"not JSON: {error}; {_LINE}", path, number) from None
        if isinstance(record, dict) and isinstance(record.get("node"), str | int):
            nodes[record["node"]] = record.get("kind", "concept")
        elif isinstance(record, dict) and {"source", "target"} <= set(record):
            edges.append((record["source"], record["target"], record.get("weight", 1.0)))
        else:
            raise FormatError(f"neither a node nor an edge; {_LINE}", path, number)
    return nodes, edges


def write_graph(graph: CheckoutGraph, path: Path) -> None:
    """Write a graph as one JSON object, a node or an edge a line, so that a diff can be read."""
    parts = ['{"nodes": {\n', ",\n".join(_entries(graph.nodes.items())), '\n}, "edges": [\n']
    parts += [",\n".join(json.dumps(edge) for edge in graph.edges), "\n]}\n"]
    path.write_text("".join(parts), encoding="ascii")


def _entries(nodes: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{json.dumps(node)}: {json.dumps(kind)}" for node, kind in nodes]
