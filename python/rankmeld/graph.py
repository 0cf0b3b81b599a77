"""Graphs that are built once and asked many times."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Never, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import as_integer
from rankmeld._walks import (
    CodedSeeds,
    Floats,
    Walk,
    as_edges,
    as_nodes,
    dense_rows,
    read_weights,
    several,
    start_row,
)
from rankmeld.errors import InvalidArgumentError
from rankmeld.pagerank import PageRank

__all__ = ["Graph"]


class Graph:
    """Nodes and weighted edges in compressed rows, for many questions to one graph.

    Made by `from_edges` from edges between ids, by `from_arrays` from columns of node numbers, by
    `from_csr` or `from_scipy` from a sparse matrix. It cannot change; any number of threads may ask it at
    once, and it pickles.

    Notes
    -----
    Twelve bytes for each edge, eight if all weights are single-precision floats or small integers, and
    four if all are equal; about twenty-four for each node. An edge that leads both ways counts
    twice. For what weights, parallel edges and edges from a node to itself mean see
    `personalized_pagerank`.

    Examples
    --------
    >>> import rankmeld as rm
    >>> graph = rm.Graph.from_edges([("a", "b"), ("b", "c", 2.0), ("b", "a")])
    >>> graph
    <Graph: 3 nodes, 3 edges>
    >>> graph.personalized_pagerank({"a": 1}).ranking().ids
    ['a', 'b', 'c']
    """

    __slots__ = ("__weakref__", "_codes", "_graph", "_ids")

    _graph: _core.Graph
    _ids: Sequence[Hashable]
    _codes: dict[Hashable, int] | None

    def __init__(self, *_: Never, **__: Never) -> None:
        raise TypeError(
            "a Graph is made by Graph.from_edges, Graph.from_arrays, Graph.from_csr or Graph.from_scipy"
        )

    @classmethod
    def _of(cls, graph: _core.Graph, ids: Sequence[Hashable]) -> Graph:
        made = cls.__new__(cls)
        made._graph = graph
        made._ids = ids
        made._codes = None
        return made

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Any]],
        *,
        nodes: Iterable[Hashable] | None = None,
        directed: bool = True,
    ) -> Graph:
        """A graph of edges between ids.

        Parameters
        ----------
        edges : iterable of (source, target) or (source, target, weight)
            As in `personalized_pagerank`.
        nodes : iterable of ids, optional
            The nodes, in order; edges from or to anything else are ignored. If not given, all ends of
            edges are nodes, in first-seen order.
        directed : bool, default True
            Whether an edge leads one way.

        Returns
        -------
        Graph

        Raises
        ------
        TypeError, InvalidArgumentError
            As `personalized_pagerank`.
        """
        given = None if nodes is None else as_nodes(nodes)
        graph, ids, _ = _core.read_graph(given, as_edges(edges), bool(directed), [])
        return cls._of(graph, ids)

    @classmethod
    def from_arrays(
        cls,
        sources: npt.ArrayLike,
        targets: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        *,
        nodes: SupportsIndex | Iterable[Hashable] | None = None,
        directed: bool = True,
    ) -> Graph:
        """A graph of columns, an entry for each edge.

        Parameters
        ----------
        sources, targets : array of shape (E,), integers
            Numbers of nodes, from 0.
        weights : array of shape (E,), optional
            Finite and not negative; 1 if not given.
        nodes : int or iterable of distinct ids, optional
            How many nodes there are, or their ids. If not given, there are as many as the largest
            number says, and their ids are their numbers.
        directed : bool, default True
            Whether an edge leads one way.

        Returns
        -------
        Graph

        Raises
        ------
        TypeError, InvalidArgumentError
            Columns differ in length or are of the wrong kind, a node's number or a weight is out of range.
            The message names the edge.

        Notes
        -----
        O(nodes + edges). Contiguous int64 and float64 are read without a copy.

        Examples
        --------
        >>> import numpy as np
        >>> from rankmeld import Graph
        >>> Graph.from_arrays(np.array([0, 1, 2]), np.array([1, 2, 0]), nodes=4)
        <Graph: 4 nodes, 3 edges>
        """
        ids, count = _labels(nodes)
        graph = _core.Graph.from_arrays(sources, targets, weights, count, bool(directed))
        return cls._of(graph, range(graph.size()[0]) if ids is None else ids)

    @classmethod
    def from_csr(
        cls,
        indptr: npt.ArrayLike,
        indices: npt.ArrayLike,
        weights: npt.ArrayLike | None = None,
        *,
        nodes: Iterable[Hashable] | None = None,
        directed: bool = True,
    ) -> Graph:
        """A graph of compressed rows: the edges of node i are ``indptr[i]`` to ``indptr[i + 1]``.

        Parameters
        ----------
        indptr : array of shape (N + 1,), integers
            Where the edges that begin at each node begin.
        indices : array of shape (E,), integers
            Where each edge ends.
        weights : array of shape (E,), optional
            Finite and not negative; 1 if not given.
        nodes : iterable of distinct ids, optional
            The ids of the nodes; their numbers if not given.
        directed : bool, default True
            Whether an edge leads one way.

        Returns
        -------
        Graph

        Raises
        ------
        TypeError, InvalidArgumentError
            As `from_arrays`.

        Examples
        --------
        >>> from rankmeld import Graph
        >>> Graph.from_csr([0, 1, 3, 3], [1, 0, 2], [1.0, 0.5, 0.5])
        <Graph: 3 nodes, 3 edges>
        """
        ids, count = _labels(nodes)
        graph = _core.Graph.from_csr(indptr, indices, weights, bool(directed))
        size = graph.size()[0]
        if count is not None and count != size:
            raise InvalidArgumentError(
                f"nodes has {count} id(s) and indptr is of {size} node(s); give an id for each node"
            )
        return cls._of(graph, range(size) if ids is None else ids)

    @classmethod
    def from_scipy(
        cls, matrix: Any, *, nodes: Iterable[Hashable] | None = None, directed: bool = True
    ) -> Graph:
        """A graph of a sparse matrix of SciPy: ``matrix[i, j]`` weighs the edge from node i to node j.

        Parameters
        ----------
        matrix : sparse matrix or array of shape (N, N)
            In any format.
        nodes : iterable of distinct ids, optional
            The ids of the nodes; their numbers if not given.
        directed : bool, default True
            Whether an edge leads one way. A symmetric matrix has both directions already.

        Returns
        -------
        Graph

        Raises
        ------
        TypeError, InvalidArgumentError
            The matrix is not sparse or not square; else as `from_arrays`.
        """
        if not hasattr(matrix, "tocsr"):
            raise TypeError(
                f"matrix must be a sparse matrix of SciPy, not {type(matrix).__name__}; for a dense one: "
                "scipy.sparse.csr_array(matrix)"
            )
        rows = matrix.tocsr()
        if rows.shape[0] != rows.shape[1]:
            raise InvalidArgumentError(
                f"matrix has shape {rows.shape}; it must be square, a row for each node"
            )
        weights = rows.data.astype(np.float64) if rows.data.dtype.kind == "b" else rows.data
        return cls.from_csr(rows.indptr, rows.indices, weights, nodes=nodes, directed=directed)

    @property
    def ids(self) -> list[Hashable]:
        """The ids of the nodes, in order (a new list)."""
        return list(self._ids)

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return self._graph.size()[0]

    @property
    def edge_count(self) -> int:
        """How many edges weigh something; one that leads both ways is two."""
        return self._graph.size()[1]

    def __repr__(self) -> str:
        """How large it is."""
        nodes, edges = self._graph.size()
        return f"<Graph: {nodes} nodes, {edges} edges>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Its arrays and ids."""
        return _unpickled, (*self._graph.parts(), self._ids)

    @overload
    def personalized_pagerank(
        self,
        seeds: Sequence[Mapping[Any, float]],
        *,
        damping: float = ...,
        max_iterations: SupportsIndex = ...,
        tolerance: float = ...,
        start: Any = ...,
        threads: SupportsIndex | None = ...,
    ) -> list[PageRank]: ...
    @overload
    def personalized_pagerank(
        self,
        seeds: Any,
        *,
        damping: float = ...,
        max_iterations: SupportsIndex = ...,
        tolerance: float = ...,
        start: Any = ...,
        threads: SupportsIndex | None = ...,
    ) -> Any: ...
    def personalized_pagerank(
        self,
        seeds: Any,
        *,
        damping: float = 0.85,
        max_iterations: SupportsIndex = 20,
        tolerance: float = 1e-6,
        start: Any = None,
        threads: SupportsIndex | None = None,
    ) -> PageRank | list[PageRank]:
        """Spread the weight of seeds over the graph; see the function `personalized_pagerank`.

        Parameters
        ----------
        seeds : mapping, ranking or array of shape (N,); or a list of mappings, or array of shape (S, N)
            One set of seeds: ids and weights, or a weight for each node. Or several: then the result is a
            list. Several sets are asked side by side, which shares the reading of edges and the threads; each
            has the bits that it has alone.
        damping, max_iterations, tolerance
            As in the function `personalized_pagerank`.
        start : PageRank, mapping or array of shape (N,), optional; for several sets a list, or (S, N)
            Scores to start from, as of similar seeds or of before a change of the graph; finite and not
            negative. If they are near the answer, few steps are enough. Of a mapping, ids that are no nodes
            do not count. What the seeds cannot reach is 0 from the start.
        threads : int, optional
            How many threads share the work; as many as pay if not given. It shows in no bit.

        Returns
        -------
        PageRank or list of PageRank

        Raises
        ------
        TypeError, InvalidArgumentError
            As the function `personalized_pagerank`.

        Examples
        --------
        >>> from rankmeld import Graph
        >>> graph = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a")])
        >>> both = graph.personalized_pagerank([{"a": 1}, {"b": 1, "c": 1}])
        >>> [found.ranking(limit=1).ids for found in both]
        [['a'], ['c']]
        >>> again = graph.personalized_pagerank({"a": 2}, start=both[0], max_iterations=100)
        >>> again.converged
        True
        """
        walk = Walk.of(damping, max_iterations, tolerance, threads)
        coded, single = self._seeds(seeds)
        starts = None if start is None else self._starts(start, len(coded), single)
        walked = walk.over(self._graph, coded, starts)
        found = [PageRank(self._ids, *one, given) for one, given in zip(walked, coded, strict=True)]
        return found[0] if single else found

    def _seeds(self, seeds: Any) -> tuple[list[CodedSeeds], bool]:
        """The sets, and whether it was one that came alone."""
        rows = dense_rows(seeds, self.node_count, "seeds")
        if rows is not None:
            return [(None, row) for row in rows], np.ndim(seeds) == 1
        sets = several(seeds)
        if sets is not None:
            return [self._coded(one, f"seeds[{place}]") for place, one in enumerate(sets)], False
        return [self._coded(seeds, "seeds")], True

    def _coded(self, seeds: Any, name: str) -> CodedSeeds:
        ids, weights = read_weights(seeds, name)
        return [self._code(id) for id in ids], weights

    def _starts(self, start: Any, sets: int, single: bool) -> list[Floats]:
        if not single and (isinstance(start, str | bytes | Mapping) or not isinstance(start, Iterable)):
            raise TypeError(
                f"start must be a list with one for each set of seeds, not {type(start).__name__}"
            )
        given = [start] if single else list(start)
        if len(given) != sets:
            raise InvalidArgumentError(f"start has {len(given)} row(s) for {sets} set(s) of seeds")
        return [
            start_row(
                one.array if isinstance(one, PageRank) else one,
                self.node_count,
                self._code,
                "start" if single else f"start[{place}]",
            )
            for place, one in enumerate(given)
        ]

    def _code(self, id: Hashable) -> int | None:
        if self._codes is None:
            # Two threads may both do this, and come to the same.
            self._codes = {id: code for code, id in enumerate(self._ids)}
        return self._codes.get(id)


def _labels(nodes: Any) -> tuple[list[Hashable] | None, int | None]:
    """Distinct ids, if they are given, and how many nodes there are, if that is said."""
    if nodes is None:
        return None, None
    if not isinstance(nodes, Iterable):
        count = as_integer(nodes, "nodes")
        if count < 0:
            raise InvalidArgumentError(f"nodes is {count}; it must be 0 or more")
        return None, min(count, sys.maxsize)  # which the core refuses
    given = list(as_nodes(nodes))
    _, ids, _ = _core.read_graph(given, [], True, [])
    if len(ids) != len(given):
        raise InvalidArgumentError(
            f"nodes has {len(given)} ids of which {len(ids)} are distinct; each node needs an id of its own"
        )
    return ids, len(ids)


def _unpickled(
    offsets: npt.NDArray[np.uint64],
    sources: npt.NDArray[np.uint32],
    weights: npt.NDArray[Any] | None,
    ids: Sequence[Hashable],
) -> Graph:
    return Graph._of(_core.Graph.from_parts(offsets, sources, weights), ids)
