"""Against ranx, the library that people compare with, on real runs: equal scores to 1e-9."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

import rankmeld as rm

COLLECTIONS = ("cranfield", "scifact-dev", "locomo-dev")
QUERIES = 40
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
Scores = dict[str, float]


class Runs(NamedTuple):
    """The first queries of one collection: for each its rankings, and ranx with the same."""

    ranx: ModuleType
    lists: dict[str, list[Scores]]
    peers: list[object]


@pytest.fixture(scope="module")
def ranx() -> ModuleType:
    pytest.importorskip("ranx", reason="ranx, a peer that only this test needs, is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peer's own
        import ranx

        return ranx


def read_run(path: Path) -> dict[str, Scores]:
    out: dict[str, Scores] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        out.setdefault(query, {})[document] = float(score)
    return out


@pytest.fixture(scope="module", params=COLLECTIONS)
def runs(request: pytest.FixtureRequest, ranx: ModuleType, shared: Path) -> Runs:
    folder = shared / "data" / request.param
    both = [read_run(folder / name) for name in ("bm25.run", "dense.run")]
    queries = [query for query in both[0] if query in both[1]][:QUERIES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peers = [ranx.Run({query: run[query] for query in queries}) for run in both]
    # The peer's own order of equal scores, so that both count the same positions.
    ordered = [peer.to_dict() for peer in peers]
    return Runs(ranx, {query: [one[query] for one in ordered] for query in queries}, peers)


def pairs(runs: Runs, query: str) -> list[list[tuple[str, float]]]:
    return [list(scores.items()) for scores in runs.lists[query]]


def peer(runs: Runs, norm: str | None, method: str, options: dict[str, float]) -> dict[str, Scores]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return runs.ranx.fuse(runs=list(runs.peers), norm=norm, method=method, params=options).to_dict()


def assert_equal(found: rm.Ranking, expected: Scores) -> None:
    assert {hit.id: hit.score for hit in found} == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("combine", COMBINE)
@pytest.mark.parametrize("normalize", NORMALIZE)
def test_score_fusion(runs, normalize, combine):
    expected = peer(runs, NORMALIZE[normalize], COMBINE[combine], {})
    for query in runs.lists:
        # A flat list is 0 in ranx; `max` has no such rule.
        options = {} if normalize == "max" else {"on_constant": 0.0}
        found = rm.fuse_scores(pairs(runs, query), normalize=normalize, combine=combine, **options)
        assert_equal(found, expected[query])


@pytest.mark.timeout(300)
@pytest.mark.parametrize("method", RANKS)
def test_rank_fusion(runs, method):
    expected = peer(runs, None, *RANKS[method])
    for query in runs.lists:
        assert_equal(rm.fuse_ranks(pairs(runs, query), method=method), expected[query])
    if method == "rrf":
        for query in runs.lists:
            assert_equal(rm.rrf(pairs(runs, query)), expected[query])


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("normalize", "norm"), [("rank", "rank"), ("borda", "borda")])
def test_position_norms(runs, normalize, norm):
    expected = peer(runs, norm, "sum", {})
    for query in runs.lists:
        assert_equal(rm.fuse_scores(pairs(runs, query), normalize=normalize), expected[query])


@pytest.mark.timeout(300)
def test_condorcet_where_majorities_decide(runs):
    """Three voters over the documents that all three rank, kept where majorities form one line."""
    three: list[dict[str, Scores]] = [{}, {}, {}]
    for query, (left, right) in runs.lists.items():
        common = [id for id in left if id in right]
        third = sorted(common, key=lambda id: (len(id), id[::-1]))  # a voter of another mind
        voters = [common, [id for id in right if id in left], third]
        if decided(voters):
            for run, ids in zip(three, voters, strict=True):
                run[query] = {id: float(len(ids) - i) for i, id in enumerate(ids)}
    # Small pools of few documents are always there; whole ones are mostly full of cycles.
    for query, (left, right) in runs.lists.items():
        common = [id for id in left if id in right][:5]
        voters = [common, sorted(common, key=list(right).index), common[1:] + common[:1]]
        if decided(voters) and query not in three[0]:
            for run, ids in zip(three, voters, strict=True):
                run[query] = {id: float(len(ids) - i) for i, id in enumerate(ids)}
    assert len(three[0]) >= 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = runs.ranx.fuse(
            runs=[runs.ranx.Run(run) for run in three], norm=None, method="condorcet"
        ).to_dict()
    for query, scores in expected.items():
        lists = [list(run[query]) for run in three]
        best_first = sorted(scores, key=scores.__getitem__, reverse=True)
        assert rm.fuse_ranks(lists, method="condorcet").ids == best_first


def decided(voters: list[list[str]]) -> bool:
    """Whether the majorities put all documents in one line, with no cycle."""
    at = [{id: position for position, id in enumerate(ids)} for ids in voters]
    everyone = voters[0]
    wins = [sum(sum(one[a] < one[b] for one in at) >= 2 for b in everyone if b != a) for a in everyone]
    return len(everyone) > 1 and sorted(wins) == list(range(len(everyone)))
