"""Joining what was found with a graph of what is known: passages name things, and things are linked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal

from rankmeld import _core
from rankmeld.errors import InvalidArgumentError
from rankmeld.hippo import hippo_rag
from rankmeld.ranking import Ranking
from rankmeld.text import clean_text, fold_text
from rankmeld.types import Document

__all__ = ["KnowledgeGraph", "as_graph", "passage_scores"]

#: What a node can be: text that can be found, or something that texts are about.
NodeKind = Literal["passage", "concept"]
_KINDS = ("passage", "concept")

#: Shorter names occur by chance.
_LEAST_CHARS = 3
#: What links a passage to the node that is the passage, and to one that it names.
_SAME, _NAMED = 1.0, 1.5


class KnowledgeGraph:
    """Nodes and edges, ready to be joined with what searches find.

    Parameters
    ----------
    nodes : mapping or iterable
        From each node's id to ``"passage"`` or ``"concept"``; or ids alone, which are concepts. An id that
        is a string of three characters or more is also a name, by which passages and queries mention
        the node.
    edges : iterable of tuple
        ``(source, target)`` or ``(source, target, weight)``, read in both directions; a weight is
        finite and not negative, 1 where it is left out. Edges to other nodes are ignored.

    Raises
    ------
    TypeError
        One of them is no such thing.
    InvalidArgumentError
        A node is neither a passage nor a concept, an edge has not two or three members, or a weight
        is negative or not finite.

    Notes
    -----
    Finding names takes one pass over a text, however many there are: linear in the text. Names are
    found as whole words in any case; a character of a script without spaces is a word.

    Examples
    --------
    >>> graph = KnowledgeGraph(["RetryPolicy", "Backoff"], [("RetryPolicy", "Backoff")])
    >>> graph.named_in(["The retrypolicy doubles it.", "RetryPolicyTest"])
    [['RetryPolicy'], []]
    """

    __slots__ = ("_named", "_symbols", "edges", "nodes")

    nodes: dict[Hashable, NodeKind]
    edges: list[tuple[Any, ...]]

    def __init__(
        self, nodes: Mapping[Hashable, NodeKind] | Iterable[Hashable], edges: Iterable[Sequence[Any]]
    ) -> None:
        self.nodes = _as_nodes(nodes)
        self.edges = _as_edges(edges)
        _core.read_graph(list(self.nodes), self.edges, False, [])  # refuses ids and weights that are none
        by_name: dict[str, list[Hashable]] = {}
        for node in self.nodes:
            if isinstance(node, str) and len(node) >= _LEAST_CHARS and len(clean_text(node)) >= _LEAST_CHARS:
                by_name.setdefault(fold_text(node), []).append(node)
        self._named = list(by_name.values())
        self._symbols = _core.Symbols(list(by_name))

    def named_in(self, texts: Iterable[str]) -> list[list[Hashable]]:
        """The nodes that each text names.

        Parameters
        ----------
        texts : iterable of str
            Passages or queries.

        Returns
        -------
        list of list
            For each text the nodes whose names it has as whole words, in any case, each once.
        """
        found = self._symbols.find([fold_text(text) for text in texts])
        return [[node for number in numbers for node in self._named[number]] for numbers in found]

    def __repr__(self) -> str:
        """How large it is."""
        return f"KnowledgeGraph({len(self.nodes)} nodes, {len(self.edges)} edges)"


def as_graph(graph: Any) -> KnowledgeGraph:
    """Read a graph: a `KnowledgeGraph`, a pair ``(nodes, edges)``, or an object that has both.

    Raises
    ------
    TypeError, InvalidArgumentError
        It is none; see `KnowledgeGraph`.
    """
    if isinstance(graph, KnowledgeGraph):
        return graph
    if isinstance(graph, tuple | list) and len(graph) == 2:
        return KnowledgeGraph(*graph)
    if isinstance(graph, Mapping) and set(graph) == {"nodes", "edges"}:
        return KnowledgeGraph(graph["nodes"], graph["edges"])
    raise TypeError(
        "graph must be a pair (nodes, edges), a KnowledgeGraph, or a callable (query, candidates) that "
        f"gives one of these, not {type(graph).__name__}"
    )


def _as_nodes(nodes: Any) -> dict[Hashable, NodeKind]:
    if isinstance(nodes, str | bytes) or not isinstance(nodes, Iterable):
        raise TypeError(
            "nodes must be a mapping of ids to 'passage' or 'concept', or a list of ids, "
            f"not {type(nodes).__name__}"
        )
    if not isinstance(nodes, Mapping):
        _, ids, _ = _core.read_graph(list(nodes), [], False, [])
        return dict.fromkeys(ids, "concept")
    for node, kind in nodes.items():
        if kind not in _KINDS:
            raise InvalidArgumentError(f"nodes[{node!r}] is {kind!r}; it must be 'passage' or 'concept'")
    return dict(nodes)


def _as_edges(edges: Any) -> list[tuple[Any, ...]]:
    if isinstance(edges, str | bytes | Mapping) or not isinstance(edges, Iterable):
        raise TypeError(
            "edges must be a list of (source, target) or (source, target, weight), "
            f"not {type(edges).__name__}"
        )
    found: list[tuple[Any, ...]] = []
    for place, edge in enumerate(edges):
        if not isinstance(edge, tuple | list):
            raise TypeError(
                f"edges[{place}] must be (source, target) or (source, target, weight), "
                f"not {type(edge).__name__}"
            )
        if len(edge) not in (2, 3):
            raise InvalidArgumentError(
                f"edges[{place}] has {len(edge)} members; it must be (source, target) or "
                "(source, target, weight)"
            )
        found.append(tuple(edge))
    return found


def passage_scores(
    query: str, candidates: Ranking, lexical: Sequence[float], dense: Sequence[float], graph: KnowledgeGraph
) -> dict[Hashable, float]:
    """What the graph says of each candidate, by a walk that begins at what was found and asked for.

    Each candidate becomes a node ``obs:<id>``, linked to the node with its id and to every node that its
    passage names. It is a seed by its two scores; concepts that the query names are seeds of weight 1.

    Returns
    -------
    dict
        From ids to shares of the walk, which sum to 1 over all nodes. Empty where nothing links
        the candidates with the graph, as then it tells nothing about them.
    """
    ids = candidates.ids
    named, *asked = _named(query, candidates.documents, graph)
    nodes, edges = dict(graph.nodes), list(graph.edges)
    passages: list[tuple[str, float, float]] = []
    linked = False
    for id, things, by_meaning, by_words in zip(ids, asked, dense, lexical, strict=True):
        name = f"obs:{id}"
        nodes[name] = "passage"
        passages.append((name, by_meaning, by_words))
        if id in graph.nodes:
            edges.append((name, id, _SAME))
            linked = True
        for thing in things:
            if thing not in (id, name):
                edges.append((name, thing, _NAMED))
                linked = True
    if not linked:
        return {}
    concepts = {thing: 1.0 for thing in named if graph.nodes[thing] == "concept"}
    found = hippo_rag(nodes, edges, passages=passages, concepts=concepts)
    if not found.applied:
        return {}
    scores = dict(zip(found.passages.ids, found.passages._score_list(), strict=True))
    return {id: float(scores.get(f"obs:{id}") or 0.0) for id in ids}


def _named(query: str, documents: Sequence[Document | None], graph: KnowledgeGraph) -> list[list[Hashable]]:
    """The nodes that the query names, then those of each passage."""
    return graph.named_in([query, *("" if document is None else document.passage for document in documents)])
