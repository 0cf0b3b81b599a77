"""Passages and concepts of one graph, ranked by what flows to them from a query's own hits."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex

import numpy as np

from rankmeld import _core
from rankmeld._options import as_float
from rankmeld._walks import Walk, as_edges, read_weights
from rankmeld.errors import InvalidArgumentError, InvalidScoreError
from rankmeld.pagerank import ranked, walked
from rankmeld.ranking import Ranking

__all__ = ["HippoRag", "hippo_rag"]

_KINDS = ("passage", "concept")


@dataclass(frozen=True)
class HippoRag:
    """What `hippo_rag` found.

    Attributes
    ----------
    applied : bool
        Whether there was a graph to walk and a seed to walk from. If not, there are no scores.
    passages : Ranking
        The passages, best first, each with its share of the walk.
    concepts : Ranking
        The concepts, alike. The scores of both sum to 1.
    """

    applied: bool
    passages: Ranking
    concepts: Ranking


def hippo_rag(
    nodes: Mapping[Any, Literal["passage", "concept"]],
    edges: Iterable[Sequence[Any]],
    *,
    passages: Iterable[tuple[Hashable, float, float]],
    concepts: Mapping[Any, float] | Any,
    damping: float = 0.85,
    max_iterations: SupportsIndex = 20,
    tolerance: float = 1e-6,
    threads: SupportsIndex | None = None,
) -> HippoRag:
    """Rank the passages of a graph by what flows to them from a query's passages and concepts.

    Passages that have nothing in common with the query are found through the concepts that they
    share with passages that do: `personalized_pagerank` over an undirected graph, seeded with what the
    query found by vector, by words, and by the concepts that it names.

    Parameters
    ----------
    nodes : mapping of id to "passage" or "concept"
        The nodes of the graph.
    edges : iterable of (source, target) or (source, target, weight)
        As in `personalized_pagerank`; an edge leads both ways.
    passages : iterable of (id, dense, lexical)
        What the query found, with finite scores from vectors and from words, 0 where one did not find
        it. A seed weighs ``max(dense, 0) + max(lexical, 0)``; those of one id add up.
    concepts : mapping of id to weight, or ranking
        The concepts that the query names, as seeds.
    damping, max_iterations, tolerance, threads
        As in `personalized_pagerank`.

    Returns
    -------
    HippoRag
        ``passages`` and ``concepts``, each a `Ranking` of all nodes of its kind, equal scores in the
        order of `nodes`; and ``applied``, which is False, with empty rankings, unless there are two
        nodes at least, an edge of some weight whose ends are nodes, and a seed that is a node.

    Raises
    ------
    TypeError, InvalidArgumentError
        As `personalized_pagerank`; or a node is neither a passage nor a concept.
    InvalidScoreError
        A score of a passage is absent or not finite.

    Notes
    -----
    O(nodes + edges) for each step. ``explain(id)`` says what weight a hit had as a seed.

    B. J. Gutiérrez, Y. Shu, Y. Gu, M. Yasunaga, Y. Su, HippoRAG: Neurobiologically inspired
    long-term memory for large language models, NeurIPS 2024.

    Examples
    --------
    >>> import rankmeld as rm
    >>> nodes = {"p1": "passage", "p2": "passage", "p3": "passage", "Orion": "concept"}
    >>> edges = [("p1", "Orion"), ("p2", "Orion")]
    >>> found = rm.hippo_rag(nodes, edges, passages=[("p1", 0.8, 0.2)], concepts={})
    >>> [(hit.id, round(hit.score, 3)) for hit in found.passages]
    [('p1', 0.354), ('p2', 0.204), ('p3', 0.0)]
    """
    walk = Walk.of(damping, max_iterations, tolerance, threads)
    kinds = _kinds(nodes)
    named, weights = _passage_seeds(passages)
    more, of_concepts = read_weights(concepts, "concepts")
    graph, ids, codes = _core.read_graph(list(nodes), as_edges(edges), False, named + more)
    # Each part of a seed is an entry of its own: their sums are the core's, which they cannot overflow.
    seeds = np.concatenate([np.array(weights, dtype=np.float64), of_concepts])
    count, carrying = graph.size()
    counts = any(
        code is not None and weight > 0.0 for code, weight in zip(codes, seeds.tolist(), strict=True)
    )
    if count < 2 or carrying == 0 or not counts:
        return HippoRag(False, Ranking(), Ranking())
    found = walked(walk, graph, ids, (codes, seeds))
    of_kind = {kind: [place for place, known in enumerate(kinds) if known == kind] for kind in _KINDS}
    return HippoRag(
        True,
        ranked(found, of_kind["passage"], "passages"),
        ranked(found, of_kind["concept"], "concepts"),
    )


def _kinds(nodes: Any) -> list[str]:
    if not isinstance(nodes, Mapping):
        raise TypeError(
            f"nodes must be a mapping of ids to 'passage' or 'concept', not {type(nodes).__name__}"
        )
    for id, kind in nodes.items():
        if not isinstance(kind, str) or kind not in _KINDS:
            raise InvalidArgumentError(f"nodes[{id!r}] is {kind!r}; it must be 'passage' or 'concept'")
    return list(nodes.values())


def _passage_seeds(passages: Any) -> tuple[list[Hashable], list[float]]:
    """Ids, twice each, with what vectors and what words say of them."""
    if isinstance(passages, str | bytes | Mapping) or not isinstance(passages, Iterable):
        raise TypeError(f"passages must be a list of (id, dense, lexical), not {type(passages).__name__}")
    ids: list[Hashable] = []
    weights: list[float] = []
    for position, passage in enumerate(passages):
        if not isinstance(passage, tuple | list) or len(passage) != 3:
            raise TypeError(f"passages[{position}] is {passage!r}; it must be (id, dense, lexical)")
        id, dense, lexical = passage
        _require_hashable(id, position)
        for name, score in (("dense", dense), ("lexical", lexical)):
            ids.append(id)
            weights.append(max(_score(score, position, id, name), 0.0))
    return ids, weights


def _require_hashable(id: object, position: int) -> None:
    try:
        hash(id)
    except TypeError:
        raise TypeError(
            f"passages[{position}]: the id is a {type(id).__name__}, which cannot be hashed"
        ) from None


def _score(score: Any, position: int, id: Hashable, name: str) -> float:
    place = f"passages[{position}], id {id!r}"
    if score is None:
        raise InvalidScoreError(f"{place}: there is no {name} score (None); pass 0 if that found nothing")
    if isinstance(score, bool) or not hasattr(score, "__float__"):
        raise TypeError(f"{place}: the {name} score is a {type(score).__name__}; it must be a number")
    number = as_float(score)
    if not np.isfinite(number):
        raise InvalidScoreError(f"{place}: the {name} score is {number}; it must be finite")
    return number
