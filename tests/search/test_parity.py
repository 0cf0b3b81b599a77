"""Every tier against its definition, over random legs; and what must hold of all of them."""

from __future__ import annotations

import asyncio
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference import adaptive
from search.samples import HOPS, MEANING, SEMANTIC, VECTOR, WORDS, Hypothetical, Table, hit
from support.check import fused

MODES = ("direct", "semantic", "multi_hop", "global")
words = st.sampled_from(["retry", "policy", "caching", "notes", "garden", "exponential", "backoff"])
texts = st.lists(words, max_size=6).map(lambda found: " ".join(found) + ".")
queries = st.lists(st.one_of(words, st.sampled_from(["would", "why", "?"])), max_size=4).map(" ".join)
scores = st.one_of(st.floats(-2, 20).map(lambda x: round(x, 2)), st.sampled_from([0.0, 1.0, 0.004]))
types = st.sampled_from(["note", "decision", "pattern", "community_summary", "Decision"])


@st.composite
def legs(draw):
    """Two or three legs over one small collection."""
    collection = {id: (draw(texts), draw(types)) for id in "abcdefgh"}
    leg = st.lists(st.tuples(st.sampled_from("abcdefgh"), scores), max_size=8)
    return [[hit(id, score, *collection[id]) for id, score in draw(leg)] for _ in range(3)]


configs = st.fixed_dictionaries(
    {},
    optional={
        "floor": st.sampled_from([0.0, 0.3, 0.5, 0.9]),
        "dynamic": st.booleans(),
        "high": st.sampled_from([0.7, 0.95]),
    },
)


@given(legs(), queries, st.sampled_from(MODES), st.integers(0, 6), configs, st.booleans())
def test_as_defined(found_legs, query, mode, limit, config, with_hyde):  # noqa: PLR0917 - drawn
    lexical, vector, hyde = found_legs

    def by_vector(asked, *, limit, filters):
        return (hyde if asked == "hypothetical" else vector)[:limit]

    searcher = rm.AdaptiveSearcher(
        Table(lexical),
        by_vector,
        hyde=Hypothetical("hypothetical") if with_hyde else None,
        crag=rm.CragConfig(**config),
    )
    found = searcher.search(query, mode=mode, limit=limit, query_vector=VECTOR)
    grade, confidence, refine, ranking = adaptive.search(
        query, mode, lexical, vector, limit=limit, hyde=hyde if with_hyde else None, config=config
    )
    assert fused(found.ranking) == ranking
    assert (found.grade, found.needs_refinement) == (grade, refine)
    assert found.confidence == pytest.approx(confidence, abs=1e-12)
    awaited = asyncio.run(searcher.asearch(query, mode=mode, limit=limit, query_vector=VECTOR))
    assert without_seconds(awaited) == without_seconds(found)


def without_seconds(found):
    stages = [(stage.name, stage.candidates_in, stage.candidates_out) for stage in found.trace.stages]
    return (found.tier, found.grade, found.confidence, found.ranking, found.trace.legs, stages)


@given(legs(), st.sampled_from(MODES), st.integers(0, 6))
def test_what_holds_of_every_answer(found_legs, mode, limit):
    lexical, vector, _ = found_legs
    before = pickle.dumps(found_legs)
    searcher = rm.AdaptiveSearcher(Table(lexical), Table(vector))
    found = searcher.search("retry notes", mode=mode, limit=limit, query_vector=VECTOR)
    known = {hit[0] for hit in lexical + vector}
    assert pickle.dumps(found_legs) == before
    assert len(found.ranking) <= limit
    assert len(set(found.ranking.ids)) == len(found.ranking)
    assert set(found.ranking.ids) <= known
    assert 0.0 <= found.confidence <= 1.0
    assert found.needs_refinement == (found.grade == "low")
    assert all(stage.seconds >= 0.0 for stage in found.trace.stages)
    json.dumps(found.trace.to_dict(), allow_nan=False)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_better_top_is_never_graded_lower(one, other):
    low, high = sorted([one, other])
    grades = [
        rm.AdaptiveSearcher(Table([hit("a", score)])).search("a", mode="direct").grade
        for score in (low, high)
    ]
    assert grades[0] <= grades[1]


@pytest.mark.parametrize("mode", MODES)
def test_an_explanation_says_what_each_part_gave(mode):
    graph = (["Backoff", "retry policy"], [("Backoff", "retry policy")])
    searcher = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING), graph=graph)
    found = searcher.search(HOPS, mode=mode, query_vector=VECTOR)
    explanation = found.ranking.explain("a")
    stages = {stage.name: stage.details for stage in explanation.stages}
    assert stages["crag"]["ratio"] <= found.confidence or mode == "global"
    if mode == "direct":
        assert stages["lexical"] == {"position_before": 0, "score": 0.9}
    elif mode == "global":
        assert stages["summaries"]["share"] == 1.0
    elif mode == "semantic":
        assert [(c.name, c.position) for c in explanation.sources] == [("lexical", 0), ("vector", 2)]
    else:
        assert [(c.name, c.position) for c in explanation.sources] == [
            ("recognized", 0),
            ("vector", 2),
            ("notes", 0),
        ]
        assert stages["multi_hop"]["lexical_position"] == 0
        assert stages["multi_hop"]["graph"] > 0.0
        assert stages["multi_hop"]["note"] == "the retry policy is exponential"


def test_results_pickle_and_say_themselves_in_short():
    found = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING)).search(SEMANTIC, query_vector=VECTOR)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert repr(again) == (
        "AdaptiveResult(semantic_hybrid, high confidence 0.992, 4 hits; "
        "lexical ok, vector ok, hyde skipped, graph skipped)"
    )
    assert [line.split(":")[0].strip() for line in str(found.trace).splitlines()[1:]] == [
        "legs",
        "classify",
        "lexical",
        "vector",
        "fusion",
        "crag",
    ]


def test_the_trace_counts_what_goes_in_and_out():
    many = [hit(n % 5, 1.0 - n / 100) for n in range(12)]
    found = rm.AdaptiveSearcher(lambda query, limit: many).search("x", mode="direct", limit=8)
    stages = {stage.name: (stage.candidates_in, stage.candidates_out) for stage in found.trace.stages}
    assert stages == {"classify": (0, 0), "lexical": (12, 5), "crag": (5, 5)}
    assert found.ranking.ids == [0, 1, 2, 3, 4]
