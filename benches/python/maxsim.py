"""MaxSim: one query of 32 vectors against 1,000 documents, beside NumPy and the peers of it.

The share of the processor's peak is taken from a large matrix product in the same round, with as many
threads. Run it with OPENBLAS_NUM_THREADS=1 for figures of one thread.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import rankmeld as rm

from .harness import Case, Effort, Goal, Group, Result, measure
from .workloads import SEED

_QUERY, _WIDTH, _LENGTH = 32, 128, 180
_SIDE = 1_536

Floats = npt.NDArray[np.float32]


def run(*, quick: bool) -> Iterator[Result]:
    """All documents of one length, of many, a few that stay in the caches, and narrow numbers."""
    effort = Effort(0.7, 3) if quick else Effort(10.0, 12)
    count = 100 if quick else 1_000
    rng = np.random.default_rng(SEED)
    query = _unit(rng.standard_normal((_QUERY, _WIDTH)))
    cube = _unit(rng.standard_normal((count, _LENGTH, _WIDTH)))
    lengths = rng.integers(40, 301, count)
    ragged = [_unit(rng.standard_normal((int(length), _WIDTH))) for length in lengths]
    yield measure(_fixed(query, cube), effort)
    yield measure(_ragged(query, ragged), effort)
    yield measure(_hot(query, cube[:20]), effort)
    yield measure(_narrow(query, cube), effort)


def _unit(vectors: npt.NDArray[np.float64]) -> Floats:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


def _near(query: Floats, documents: Any, tolerance: float = 1e-4) -> Callable[[Any], None]:
    wide = query.astype(np.float64)
    expected = np.array([(wide @ d.astype(np.float64).T).max(1).sum() for d in documents])

    def check(scores: Any) -> None:
        np.testing.assert_allclose(np.asarray(scores, np.float64).ravel(), expected, rtol=0, atol=tolerance)

    return check


def _peak(vectors: int) -> Case:
    """A matrix product of the same number of multiplications as the scores."""
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((_SIDE, _SIDE)).astype(np.float32) for _ in range(2))
    out = np.empty_like(left)
    share = vectors * _QUERY * _WIDTH / _SIDE**3
    return Case(
        _PEAK,
        lambda: np.matmul(left, right, out=out),
        None,
        note=f"the peak; of as many products as the scores: times {share:.4f}",
    )


_PEAK = f"sgemm {_SIDE}^3"


def _share(case: str, vectors: int) -> Goal:
    """At least 75% of the peak."""
    limit = vectors * _QUERY * _WIDTH / _SIDE**3 / 0.75
    return Goal(f"{case}: 75% of the peak of sgemm, as a ratio of times", case, _PEAK, limit)


def _fixed(query: Floats, cube: Floats) -> Group:
    count, length, width = cube.shape
    check = _near(query, cube)
    listed = list(cube)
    transposed = np.ascontiguousarray(query.T)

    def by_chunks() -> Floats:
        made = np.empty(count, np.float32)
        for first in range(0, count, 8):
            block = cube[first : first + 8]
            products = block.reshape(-1, width) @ transposed
            made[first : first + 8] = products.reshape(len(block), length, -1).max(1).sum(1)
        return made

    name = "rankmeld, one array"
    cases = [
        _peak(count * length),
        Case(name, lambda: rm.maxsim(query, cube, threads=1), check),
        Case("rankmeld, a list of arrays", lambda: rm.maxsim(query, listed, threads=1), check),
        Case(
            "rankmeld, with matches",
            lambda: rm.maxsim(query, cube, threads=1, explain=True),
            lambda found: check(found.scores),
        ),
        Case("rankmeld, two threads", lambda: rm.maxsim(query, cube, threads=2), check),
        Case("NumPy, 8 documents at a time", by_chunks, check),
        *_peers("maxsim_scores", query, cube, check),
    ]
    title = f"MaxSim, {_QUERY} x {width} against {count:,} x {length}, float32"
    return Group(title, cases, name, [_share(name, count * length)])


def _peers(function: str, query: Floats, documents: Any, check: Callable[[Any], None]) -> list[Case]:
    if importlib.util.find_spec("maxsim_cpu") is None:
        return []
    scores = getattr(importlib.import_module("maxsim_cpu"), function)
    return [Case("maxsim-cpu", lambda: scores(query, documents), check)]


def _ragged(query: Floats, ragged: list[Floats]) -> Group:
    joined = np.concatenate(ragged)
    offsets = np.cumsum([0, *map(len, ragged)])
    check = _near(query, ragged)
    # As many vectors, cut into equal documents.
    count = len(joined) // _LENGTH
    even = joined[: count * _LENGTH].reshape(count, _LENGTH, _WIDTH)
    equal, ours = "rankmeld, as many vectors in equal documents", "rankmeld, offsets"
    cases = [
        _peak(len(joined)),
        Case(equal, lambda: rm.maxsim(query, even, threads=1), _near(query, even)),
        Case(ours, lambda: rm.maxsim(query, joined, offsets=offsets, threads=1), check),
        Case("rankmeld, a list of arrays", lambda: rm.maxsim(query, ragged, threads=1), check),
        Case("NumPy, a loop", lambda: np.array([(query @ d.T).max(1).sum() for d in ragged]), check),
        *_peers("maxsim_scores_variable", query, ragged, check),
    ]
    goals = [Goal("ragged within 5% of equal lengths", ours, equal, 1.05), _share(ours, len(joined))]
    return Group(f"MaxSim, {len(ragged):,} documents of 40 to 300 vectors", cases, equal, goals)


def _hot(query: Floats, cube: Floats) -> Group:
    check, listed = _near(query, cube), list(cube)
    name, of_list = "rankmeld, one array", "rankmeld, a list of arrays"
    vectors = cube.shape[0] * cube.shape[1]
    cases = [
        _peak(vectors),
        Case(name, lambda: rm.maxsim(query, cube, threads=1), check),
        Case(of_list, lambda: rm.maxsim(query, listed, threads=1), check),
        Case("NumPy, a loop", lambda: np.array([(query @ d.T).max(1).sum() for d in cube]), check),
        *_peers("maxsim_scores", query, cube, check),
    ]
    goals = [_share(name, vectors), _share(of_list, vectors)]
    return Group(f"MaxSim, {len(cube)} documents in the caches", cases, name, goals)


def _narrow(query: Floats, cube: Floats) -> Group:
    def bfloat16(values: Floats) -> npt.NDArray[np.uint16]:
        return (values.view(np.uint32) >> 16).astype(np.uint16)

    small_query, query_scales = rm.quantize_int8(query)
    small, scales = rm.quantize_int8(cube)
    short_query, short = bfloat16(query), bfloat16(cube)
    half = cube.astype(np.float16)
    lossy = _near(query, cube, 0.25)
    full = "float32"
    cases = [
        Case(full, lambda: rm.maxsim(query, cube, threads=1), _near(query, cube)),
        Case("bfloat16", lambda: rm.maxsim(short_query, short, threads=1), lossy),
        Case(
            "int8",
            lambda: rm.maxsim(small_query, small, scales=scales, query_scales=query_scales, threads=1),
            lossy,
        ),
        Case("float32 query, bfloat16 documents", lambda: rm.maxsim(query, short, threads=1), lossy),
        Case("float32 query, float16 documents", lambda: rm.maxsim(query, half, threads=1), lossy),
        Case(
            "float32 query, int8 documents",
            lambda: rm.maxsim(query, small, scales=scales, threads=1),
            lossy,
        ),
    ]
    goals = [
        Goal("bfloat16 in half the time of float32 (with its instructions)", "bfloat16", full, 0.5),
        Goal("int8 in half the time of float32 (with its instructions)", "int8", full, 0.5),
    ]
    return Group("MaxSim with narrow numbers", cases, full, goals)
