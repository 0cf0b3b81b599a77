"""What walks over a graph are asked with: options, seeds, and scores to start from."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import as_integer, as_number, as_threads, require_order, threads_for
from rankmeld._vectors import as_vector
from rankmeld.errors import InvalidArgumentError

Floats = npt.NDArray[np.float64]
#: Numbers of nodes, `None` for ids that are no nodes, and their weights; no numbers: a weight for each node.
CodedSeeds = tuple[list[int | None] | None, Floats]

#: Nodes and edges for which another thread pays, in each step.
_ENOUGH = 400_000


@dataclass(frozen=True, slots=True)
class Walk:
    """How a walk goes."""

    damping: float
    max_iterations: int
    tolerance: float
    threads: int | None

    @classmethod
    def of(
        cls,
        damping: float,
        max_iterations: SupportsIndex,
        tolerance: float,
        threads: SupportsIndex | None,
    ) -> Walk:
        """The options, checked.

        Raises
        ------
        TypeError, InvalidArgumentError
            One is not allowed.
        """
        damping = as_number(damping, "damping")
        if not 0.0 <= damping <= 1.0:
            raise InvalidArgumentError(f"damping is {damping}; it must be within 0..1")
        steps = as_integer(max_iterations, "max_iterations")
        if steps < 0:
            raise InvalidArgumentError(f"max_iterations is {steps}; it must be 0 or more")
        tolerance = as_number(tolerance, "tolerance")
        if tolerance < 0.0:
            raise InvalidArgumentError(f"tolerance is {tolerance}; it must be 0 or more (0: every iteration)")
        return cls(damping, min(steps, sys.maxsize), tolerance, as_threads(threads))

    def over(
        self, graph: _core.Graph, seeds: list[CodedSeeds], starts: list[Floats] | None = None
    ) -> list[tuple[Floats, int, bool, bool]]:
        """For each set of seeds the scores, iterations, whether it converged and whether a seed counted."""
        threads = threads_for(self.threads, sum(graph.size()) * len(seeds), _ENOUGH)
        walked = graph.pagerank(seeds, starts, self.damping, self.max_iterations, self.tolerance, threads)
        for scores, *_ in walked:
            scores.flags.writeable = False
        return walked


def read_weights(weights: Any, name: str) -> tuple[list[Hashable], Floats]:
    """Ids and finite weights of a mapping, or of a ranking of any form; 1 where there are no scores.

    Raises
    ------
    TypeError, InvalidArgumentError
        It is neither, or a weight is no finite number.
    """
    if isinstance(weights, Mapping):
        ids = list(weights)
        if any(isinstance(id, float) and math.isnan(id) for id in ids):
            raise InvalidArgumentError(f"{name}: an id is NaN, which is not equal to itself; pass a real id")
        numbers = [
            weight
            if type(weight) is float and math.isfinite(weight)
            else as_number(weight, f"{name}[{id!r}]")
            for id, weight in weights.items()
        ]
        return ids, np.array(numbers, dtype=np.float64)
    column, scores, _ = _core.read(weights, name)
    ids = column if isinstance(column, list) else column.tolist()
    if scores is None:
        return ids, np.ones(len(ids))
    wrong = np.flatnonzero(~np.isfinite(scores))
    if len(wrong):
        place = int(wrong[0])
        raise InvalidArgumentError(
            f"{name}, position {place}, id {ids[place]!r}: the weight is {scores[place]}; it must be finite"
        )
    return ids, scores


def as_nodes(nodes: Any) -> Any:
    """A list of ids, in order; of a mapping its keys.

    Raises
    ------
    TypeError
        It is something else.
    """
    if isinstance(nodes, Mapping):
        return list(nodes)
    if isinstance(nodes, str | bytes) or not isinstance(nodes, Iterable):
        raise TypeError(f"nodes must be a list of ids, not {type(nodes).__name__}")
    require_order(nodes, "nodes", "ids")
    return nodes


def as_edges(edges: Any) -> Any:
    """An iterable of edges, in order.

    Raises
    ------
    TypeError
        It is something else.
    """
    if isinstance(edges, str | bytes) or not isinstance(edges, Iterable):
        raise TypeError(
            f"edges must be a list of (source, target) or (source, target, weight), "
            f"not {type(edges).__name__}"
        )
    if isinstance(edges, Mapping):
        raise TypeError(
            f"edges must be a list of (source, target) or (source, target, weight), "
            f"not {type(edges).__name__}; for one of (source, target) to weight: "
            "[(*pair, weight) for pair, weight in edges.items()]"
        )
    if hasattr(edges, "columns") and hasattr(edges, "shape"):
        require_order(edges, "edges", "edges")
    return edges


def dense_rows(value: Any, nodes: int, name: str) -> list[Floats] | None:
    """The rows of an array with a finite number for each node, or `None` if it is no array.

    Raises
    ------
    TypeError, InvalidArgumentError
        It is an array of something else.
    """
    if not (isinstance(value, np.ndarray) or hasattr(value, "__array__")) or isinstance(value, Mapping):
        return None
    array = np.asanyarray(value)
    if array.ndim not in {1, 2}:
        raise InvalidArgumentError(
            f"{name} has {array.ndim} dimension(s) (shape {list(array.shape)}); it must have a number for "
            "each node, or a row of them for each set of seeds"
        )
    rows = [array] if array.ndim == 1 else list(array)
    if array.shape[-1] != nodes and rows:
        raise InvalidArgumentError(
            f"{name} has {array.shape[-1]} number(s) in a row for {nodes} node(s); give one for each "
            "node, or a mapping of ids to numbers"
        )
    return [_finite(as_vector(row, lambda: name), name) for row in rows]


def _finite(row: npt.NDArray[Any], name: str) -> Floats:
    floats = np.ascontiguousarray(row, dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(floats))
    if len(wrong):
        place = int(wrong[0])
        raise InvalidArgumentError(f"{name}, node {place}: the number is {floats[place]}; it must be finite")
    return floats


def start_row(value: Any, nodes: int, code_of: Callable[[Hashable], int | None], name: str) -> Floats:
    """Scores to start from, one for each node; 0 for those that a mapping lacks.

    Raises
    ------
    TypeError, InvalidArgumentError
        They are no scores of this graph.
    """
    rows = dense_rows(value, nodes, name)
    if rows is not None:
        if len(rows) != 1:
            raise InvalidArgumentError(f"{name} has {len(rows)} rows; give one for each set of seeds")
        row = rows[0]
    else:
        row = np.zeros(nodes)
        ids, numbers = read_weights(value, name)
        for id, number in zip(ids, numbers.tolist(), strict=True):
            code = code_of(id)
            if code is not None:
                row[code] = min(max(float(row[code]) + number, -sys.float_info.max), sys.float_info.max)
    if row.size and row.min() < 0.0:
        place = int(row.argmin())
        raise InvalidArgumentError(
            f"{name}, node {place}: the score is {row[place]}; it must not be negative"
        )
    return row


def several(value: Any) -> Sequence[Any] | None:
    """The sets of a list of mappings, or `None` if it is one set."""
    if isinstance(value, list | tuple) and all(isinstance(item, Mapping) for item in value):
        return value
    return None
