"""Personalized PageRank over nodes and edges that are named by ids."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import TIES, as_limit, choose
from rankmeld._walks import CodedSeeds, Walk, as_edges, as_nodes, read_weights
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking

__all__ = ["PageRank", "personalized_pagerank"]


@dataclass(frozen=True, eq=False)
class PageRank:
    """How likely a walk that keeps coming back to the seeds is at each node.

    Attributes
    ----------
    ids : sequence of ids
        The nodes.
    array : array of shape (N,), float64, read-only
        Their scores, in that order: a distribution. What cannot be reached from a seed is exactly 0.
    iterations : int
        How many steps were taken.
    converged : bool
        Whether the last step changed the scores, absolutely and in sum, by less than the tolerance.
    seeded : bool
        Whether any seed counted. If not, every node was one.
    """

    ids: Sequence[Hashable]
    array: npt.NDArray[np.float64]
    iterations: int
    converged: bool
    seeded: bool
    #: The seeds, for explanations.
    _seeds: CodedSeeds = field(repr=False)

    @property
    def scores(self) -> dict[Hashable, float]:
        """The score of each node by its id (a new dict)."""
        return dict(zip(self.ids, self.array.tolist(), strict=True))

    def ranking(self, *, limit: SupportsIndex | None = None, ties: Ties = "first") -> Ranking:
        """The nodes, best first.

        Parameters
        ----------
        limit : int, optional
            How many; all if not given.
        ties : {"first", "id_asc", "id_desc"}, default "first"
            What decides between equal scores: the order of the nodes, or their ids.

        Returns
        -------
        Ranking
            ``explain`` says what weight a hit had as a seed.

        Examples
        --------
        >>> import rankmeld as rm
        >>> found = rm.personalized_pagerank(["a", "b", "c"], [("a", "b"), ("b", "c")], {"a": 1})
        >>> found.ranking(limit=2).ids
        ['a', 'b']
        """
        count = as_limit(limit)
        choose(ties, TIES, "ties")
        return ranked(self, None, "pagerank", count, ties)

    def seed_weights(self) -> list[float]:
        """The weight of each node as a seed, as it was given; 0 for one that is none."""
        codes, weights = self._seeds
        if codes is None:
            return [max(weight, 0.0) for weight in weights.tolist()]
        column = [0.0] * len(self.ids)
        for code, weight in zip(codes, weights.tolist(), strict=True):
            if code is not None and weight > 0.0:
                column[code] = min(column[code] + weight, sys.float_info.max)
        return column


def ranked(
    found: PageRank, among: list[int] | None, name: str, limit: int | None = None, ties: Ties = "first"
) -> Ranking:
    """All nodes or some places of them, best first."""
    ids, scores, seeds = list(found.ids), found.array, found.seed_weights()
    if among is not None:
        ids, scores, seeds = [ids[at] for at in among], scores[among], [seeds[at] for at in among]
    best = _core.order(scores, ids, limit, ties)
    places = best.tolist()
    columns = {"seed": [seeds[place] for place in places]}
    return Ranking._of(ids, scores, None, name)._step(places, scores[best], "pagerank", columns)


def personalized_pagerank(
    nodes: Iterable[Hashable],
    edges: Iterable[Sequence[Any]],
    seeds: Mapping[Any, float] | Any,
    *,
    damping: float = 0.85,
    max_iterations: SupportsIndex = 20,
    tolerance: float = 1e-6,
    directed: bool = True,
    threads: SupportsIndex | None = None,
) -> PageRank:
    """Spread the weight of the seeds over a graph: what is near them, over many or strong edges, scores high.

    Of every node's score the part `damping` flows on over its edges, each edge a share by its weight;
    the rest, and all of what is at a node that no edge leaves, flows back to the seeds. The scores
    are where that comes to rest, or where it is after `max_iterations` steps from the seeds.

    Parameters
    ----------
    nodes : iterable of ids
        Any hashable ids, in the order of the result. One that comes again is the same node.
    edges : iterable of (source, target) or (source, target, weight)
        Weights are finite and not negative, 1 if left out; 0 is no edge. Parallel edges add up; an edge
        from a node to itself counts. Edges from or to what is no node are ignored.
    seeds : mapping of id to weight, or ranking
        Finite weights, of which only proportions matter. Those of 0 or less do not count, nor do ids
        that are no nodes; weights of one id add up. Of a ranking the scores are the weights, and 1
        where there are none. If nothing counts, every node is a seed alike, and ``seeded`` is False.
    damping : float, default 0.85
        How much flows on, within 0..1.
    max_iterations : int, default 20
        How many steps at most; 0 gives the seeds' shares.
    tolerance : float, default 1e-6
        It ends when the sum of absolute changes of a step is below this. 0 never ends early.
    directed : bool, default True
        Whether an edge leads one way. If not, it leads both ways with its weight (and from a node
        to itself once).
    threads : int, optional
        How many threads share the work; as many as pay if not given. It shows in no bit of the result.

    Returns
    -------
    PageRank
        ``scores`` by id, ``ranking()`` best first, ``iterations``, ``converged``, ``seeded``.

    Raises
    ------
    TypeError
        Something is of the wrong kind: an id that cannot be hashed, an edge that is no pair.
    InvalidArgumentError
        An option is out of range, or a weight is negative or not finite. The message names the edge.

    See Also
    --------
    Graph : for many questions to one graph, and for graphs in arrays.

    Notes
    -----
    O(nodes + edges) for each step. Weights may have any size: shares neither overflow nor vanish.

    L. Page, S. Brin, R. Motwani, T. Winograd, The PageRank citation ranking, 1998; T. Haveliwala,
    Topic-sensitive PageRank, WWW 2002.

    Examples
    --------
    >>> import rankmeld as rm
    >>> nodes = ["wal", "checkpoint", "vacuum"]
    >>> edges = [("wal", "checkpoint", 2.0), ("checkpoint", "wal"), ("wal", "vacuum")]
    >>> found = rm.personalized_pagerank(nodes, edges, {"wal": 1})
    >>> {id: round(score, 3) for id, score in found.scores.items()}
    {'wal': 0.558, 'checkpoint': 0.294, 'vacuum': 0.147}
    >>> found.ranking().ids
    ['wal', 'checkpoint', 'vacuum']
    """
    walk = Walk.of(damping, max_iterations, tolerance, threads)
    named, weights = read_weights(seeds, "seeds")
    graph, ids, codes = _core.read_graph(as_nodes(nodes), as_edges(edges), bool(directed), named)
    return walked(walk, graph, ids, (codes, weights))


def walked(walk: Walk, graph: _core.Graph, ids: Sequence[Hashable], seeds: CodedSeeds) -> PageRank:
    """One walk."""
    ((scores, iterations, converged, seeded),) = walk.over(graph, [seeds])
    return PageRank(ids, scores, iterations, converged, seeded, seeds)
