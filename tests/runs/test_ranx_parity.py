"""Against ranx on real runs, all queries of each collection: equal scores to 1e-9.

Of ranx's methods these are defined as here: rrf, isr, log_isr, logn_isr, bordafuse and w_bordafuse, rbc;
sum, mnz, anz, max, min, med and wsum over min-max, max, sum and zmuv; sum over the norms rank and borda.
Others differ: condorcet and w_condorcet sort by pairwise votes in hash order (majorities are counted here),
wmnz weighs the count and not the scores; gmnz, mixed, the norm min-max-inverted and what is trained on
judgements are not here.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

import rankmeld as rm

NORMALIZE = {"minmax": "min-max", "max": "max", "sum": "sum", "zscore": "zmuv"}
COMBINE = {"sum": "sum", "mnz": "mnz", "anz": "anz", "max": "max", "min": "min", "median": "med"}
RANKS = {
    "rrf": ("rrf", {"k": 60}),
    "isr": ("isr", {}),
    "log_isr": ("log_isr", {}),
    "logn_isr": ("logn_isr", {}),
    "borda": ("bordafuse", {}),
    "rbc": ("rbc", {"phi": 0.8}),
}
WEIGHTS = (0.4, 0.6)


class Pair(NamedTuple):
    """Two runs of one collection, here and there."""

    ranx: ModuleType
    runs: list[rm.Run]
    peers: list[object]


@pytest.fixture(scope="module")
def ranx() -> ModuleType:
    pytest.importorskip("ranx", reason="ranx, a peer that only this test needs, is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer's own
        import ranx

        return ranx


@pytest.fixture(scope="module", params=["cranfield", "scifact-dev", "locomo-dev"])
def pair(request: pytest.FixtureRequest, ranx: ModuleType, shared: Path) -> Pair:
    read = [rm.Run.from_trec(shared / "data" / request.param / name) for name in ("bm25.run", "dense.run")]
    both = [query for query in read[0] if query in read[1]]
    assert len(both) > 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peers = [
            ranx.Run({query: scores for query, scores in run.to_dict().items() if query in both})
            for run in read
        ]
    # The peer's own order of equal scores, so that both count the same positions.
    runs = [
        rm.Run.from_dict({query: list(hits.items()) for query, hits in peer.to_dict().items()})
        for peer in peers
    ]
    return Pair(ranx, runs, peers)


def peer(
    pair: Pair, norm: str | None, method: str, options: dict[str, object]
) -> dict[str, dict[str, float]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pair.ranx.fuse(runs=list(pair.peers), norm=norm, method=method, params=options).to_dict()


def assert_equal(found: rm.Run, expected: dict[str, dict[str, float]]) -> None:
    assert set(found) == set(expected)
    for query, scores in expected.items():
        ids, values = found[query].ids, found[query].scores
        assert set(ids) == set(scores)
        np.testing.assert_allclose(values, [scores[id] for id in ids], rtol=1e-9, atol=1e-9)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("combine", COMBINE)
@pytest.mark.parametrize("normalize", NORMALIZE)
def test_score_fusion(pair, normalize, combine):
    # A flat list is 0 in ranx; `max` has no such rule.
    options = {} if normalize == "max" else {"on_constant": 0.0}
    found = rm.fuse_runs(pair.runs, method=normalize, combine=combine, **options)
    assert_equal(found, peer(pair, NORMALIZE[normalize], COMBINE[combine], {}))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("normalize", NORMALIZE)
def test_weighted_sums(pair, normalize):
    options = {} if normalize == "max" else {"on_constant": 0.0}
    found = rm.fuse_runs(pair.runs, method=normalize, weights=WEIGHTS, **options)
    assert_equal(found, peer(pair, NORMALIZE[normalize], "wsum", {"weights": list(WEIGHTS)}))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("method", RANKS)
def test_rank_fusion(pair, method):
    assert_equal(rm.fuse_runs(pair.runs, method=method), peer(pair, None, *RANKS[method]))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("norm", ["rank", "borda"])
def test_position_norms(pair, norm):
    found = rm.fuse_runs(pair.runs, method=norm, combine="sum")
    assert_equal(found, peer(pair, norm, "sum", {}))


@pytest.mark.timeout(300)
def test_weighted_borda(pair):
    found = rm.fuse_runs(pair.runs, method="borda", weights=WEIGHTS)
    assert_equal(found, peer(pair, None, "w_bordafuse", {"weights": list(WEIGHTS)}))
