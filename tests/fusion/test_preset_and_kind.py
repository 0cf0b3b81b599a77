"""Presets of other systems, and fusion of each kind apart."""

from __future__ import annotations

import math

import pytest

import rankmeld as rm
from support.check import fused

LISTS = [["a", "b", "c"], ["b", "d", "a", "b"]]
PRESETS = {
    **dict.fromkeys(
        ["textbook", "elasticsearch", "opensearch", "milvus", "lancedb", "ranx"], (60, 1, "first")
    ),
    "langchain": (60, 1, "sum"),
    **dict.fromkeys(["llama_index", "weaviate"], (60, 0, "first")),
    "haystack": (61, 0, "first"),
    "qdrant": (2, 0, "first"),
    "steep": (5, 0, "first"),
}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_gives_options_of_rrf(name):
    k, rank_base, duplicates = PRESETS[name]
    by_name = rm.rrf(LISTS, **rm.rrf_preset(name))
    assert by_name == rm.rrf(LISTS, k=k, rank_base=rank_base, duplicates=duplicates)


def test_a_preset_can_be_changed_without_changing_the_next():
    rm.rrf_preset("qdrant")["k"] = 1_000
    assert rm.rrf_preset("qdrant")["k"] == 2


def test_the_steep_setting_keeps_a_first_hit_above_two_middling_ones():
    legs = [["top", *[f"x{i}" for i in range(19)], "middling"], [*[f"y{i}" for i in range(20)], "middling"]]
    gentle = rm.rrf(legs, k=rm.DEFAULT_RRF_K, rank_base=0)
    steep = rm.rrf(legs, k=rm.STEEP_RRF_K, rank_base=0)
    assert gentle.ids[0] == "middling"
    assert steep.ids[0] == "top"
    assert (rm.DEFAULT_RRF_K, rm.STEEP_RRF_K, rm.DEFAULT_FUSION_ALPHA) == (60.0, 5.0, 0.5)


def test_kinds_are_fused_apart():
    sources = [
        rm.Source("passages", ["a", "b"]),
        rm.Source("graph", ["a", "n"], kind="node"),
        rm.Source("more passages", ["b", "c"]),
    ]
    found = rm.rrf_by_kind(sources)
    assert set(found.rankings) == {"chunk", "node"}
    assert found.rankings["chunk"] == rm.rrf([["a", "b"], ["b", "c"]])
    assert found.rankings["node"] == rm.rrf([["a", "n"]])
    assert found.total == math.fsum([1 / 62 + 1 / 61, 1 / 61])


def test_the_limit_is_per_kind_and_does_not_touch_the_total():
    sources = [rm.Source("p", ["a", "b"]), rm.Source("e", ["x", "y", "z"], kind="edge")]
    whole, cut = rm.rrf_by_kind(sources), rm.rrf_by_kind(sources, limit=1)
    assert [len(ranking) for ranking in cut.rankings.values()] == [1, 1]
    assert cut.total == whole.total == rm.rrf_by_kind(sources, limit=0).total


def test_weights_go_by_index_over_all_sources():
    sources = [rm.Source("p", ["a"]), rm.Source("n", ["b"], kind="node"), rm.Source("q", ["c"])]
    found = rm.rrf_by_kind(sources, weights=[1, 2, 3])
    assert fused(found.rankings["chunk"]) == [("c", 3 / 61), ("a", 1 / 61)]
    assert fused(found.rankings["node"]) == [("b", 2 / 61)]


def test_a_sources_own_weight_gives_way_to_the_argument():
    sources = [rm.Source("p", ["a"], weight=5.0), rm.Source("q", ["b"])]
    assert fused(rm.rrf(sources)) == [("a", 5 / 61), ("b", 1 / 61)]
    assert fused(rm.rrf(sources, weights=[None, 2.0])) == [("b", 2 / 61), ("a", 1 / 61)]
    assert fused(rm.rrf(sources, weights={"q": 2.0})) == [("b", 2 / 61), ("a", 1 / 61)]


def test_nothing_given_is_nothing_fused():
    found = rm.rrf_by_kind([])
    assert (dict(found.rankings), found.total) == ({}, 0.0)
    empty = rm.rrf_by_kind([rm.Source("p", [])])
    assert (len(empty.rankings["chunk"]), empty.total) == (0, 0.0)


def test_plain_rrf_ignores_kinds():
    sources = [rm.Source("p", ["a"]), rm.Source("n", ["a"], kind="node")]
    assert fused(rm.rrf(sources)) == [("a", 2 / 61)]
