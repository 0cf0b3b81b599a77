"""Joining candidates with a graph: which names a passage has, and what the walk makes of it."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from rankmeld.search import KnowledgeGraph
from rankmeld.text import fold_text
from search.samples import HOPS, MEANING, VECTOR, WORDS, Table, hit, statuses
from support.refusals import refusal

GRAPH = (["Backoff", "retry policy", "Cache"], [("retry policy", "Backoff", 2.0), ("Backoff", "Cache")])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("The RETRY\n policy", ["Retry Policy"]),
        ("retry policyholder, unretry policy", []),
        ("(retry policy)", ["Retry Policy"]),
        ("it calls order.best() now", ["order.best"]),
        ("order.bests", []),
        ("c++ or C++, twice", ["C++"]),
        ("src/order.best", ["order.best"]),
        ("Strasse", ["Straße"]),
        ("io", []),
        ("使用缓存策略时", ["缓存策略"]),
        ("cafe\u0301s cafe\u0301", ["café"]),
        ("\ud800 café", ["café"]),
    ],
)
def test_names_are_whole_words_in_any_case(text, named):
    names = ["Retry Policy", "order.best", "C++", "Straße", "io", "缓存策略", "café"]
    assert KnowledgeGraph(names, []).named_in([text]) == [named]


def by_definition(name: str, text: str) -> bool:
    """Whether a folded text has a folded name, neither end of which lies inside a word."""

    def is_word(character):
        category = unicodedata.category(character)
        return category[0] in "LM" or category == "Nd" or character == "_"

    if not any(map(is_word, name)):
        return False
    for match in re.finditer(f"(?={re.escape(name)})", text):
        start, end = match.start(), match.start() + len(name)
        parted = [
            at in (0, len(text)) or not (is_word(text[at - 1]) and is_word(text[at])) for at in (start, end)
        ]
        if all(parted):
            return True
    return False


alphabet = st.text("abA_.- #9é", min_size=3, max_size=6)


@given(st.lists(alphabet, max_size=6, unique_by=fold_text), st.text("abA_.- #9é\n", max_size=40))
def test_names_as_defined(names, text):
    graph = KnowledgeGraph(names, [])
    expected = [name for name in names if by_definition(fold_text(name), fold_text(text))]
    assert sorted(graph.named_in([text])[0]) == sorted(expected)


def test_ten_thousand_names_cost_no_more_than_the_text():
    names = [f"package.module.Symbol{n}" for n in range(10_000)]
    graph = KnowledgeGraph(names, [])
    texts = [f"package.module.Symbol{n} and package.module.other " * 20 for n in range(40)]
    best = min(timed(lambda: graph.named_in(texts)) for _ in range(5))
    assert graph.named_in(texts) == [[f"package.module.Symbol{n}"] for n in range(40)]
    assert best < 0.05


def timed(call):
    started = time.process_time()
    call()
    return time.process_time() - started


def test_linked_passages_rise():
    words = [hit("x", 1.0, "garden"), hit("y", 0.99, "Backoff waits"), hit("z", 0.98, "river")]
    searcher = rm.AdaptiveSearcher(Table(words), graph=GRAPH)
    plain = rm.AdaptiveSearcher(Table(words))
    query = "why does the retry policy stall"
    assert plain.search(query).ranking.explain("y").sources[0].position == 1
    found = searcher.search(query)
    assert found.ranking.explain("y").sources[0].position == 0
    assert found.trace.legs["graph"].status == "ok"


def test_the_walk_is_that_of_hippo_rag():
    found = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING), graph=GRAPH).search(HOPS, query_vector=VECTOR)
    nodes = dict.fromkeys(GRAPH[0], "concept") | dict.fromkeys(
        ["obs:a", "obs:b", "obs:c", "obs:d"], "passage"
    )
    edges = [*GRAPH[1], ("obs:a", "retry policy", 1.5), ("obs:d", "Backoff", 1.5)]
    passages = [
        ("obs:a", 0.5, 1.0),
        ("obs:b", 0.8, 0.6 / 0.9),
        ("obs:c", 0.0, 0.2 / 0.9),
        ("obs:d", 0.7, 0.0),
    ]
    walk = rm.hippo_rag(nodes, edges, passages=passages, concepts={"retry policy": 1.0})
    for share in walk.passages:
        details = {s.name: s.details for s in found.ranking.explain(share.id[4:]).stages}["multi_hop"]
        assert details["graph"] == pytest.approx(share.score, rel=1e-9)
    recognized = found.ranking.explain("a").sources[0]
    assert recognized.score == pytest.approx(
        1.0 + 2.0 * walk.passages._score_list()[walk.passages.ids.index("obs:a")]
    )


def test_a_node_with_the_id_of_a_hit_is_that_hit():
    graph = ({7: "passage", "thing": "concept"}, [(7, "thing")])
    found = rm.AdaptiveSearcher(Table([hit(7, 1.0), hit(8, 0.9)]), graph=graph).search("why")
    assert found.ranking.explain(7).stages[0].details["graph"] > 0.0
    assert found.ranking.ids == [7, 8]


@pytest.mark.parametrize(
    "graph",
    [
        ([], []),
        (["elsewhere"], []),
        (["one thing", "other"], [("one thing", "other")]),
        (["retry policy"], [("gone", "nowhere")]),
    ],
)
def test_a_graph_that_touches_nothing_changes_nothing(graph):
    texts = [hit("a", 0.9, "garden"), hit("b", 0.5, "river")]
    found = rm.AdaptiveSearcher(Table(texts), graph=graph).search(HOPS)
    assert found.ranking == rm.AdaptiveSearcher(Table(texts)).search(HOPS).ranking
    assert statuses(found)["graph"] == "empty"


def test_loops_and_ten_thousand_parallel_edges():
    edges = [("Backoff", "Backoff")] + [("Backoff", "retry policy")] * 10_000
    found = rm.AdaptiveSearcher(Table(WORDS), graph=(GRAPH[0], edges)).search(HOPS)
    once = rm.AdaptiveSearcher(
        Table(WORDS), graph=(GRAPH[0], [("Backoff", "retry policy", 10_000.0), *edges[:1]])
    )
    assert found.ranking == once.search(HOPS).ranking


def test_a_callable_gets_the_candidates_and_may_fail():
    asked = []

    def fetched(query, candidates):
        asked.append((query, candidates.ids, [document.text for document in candidates.documents]))
        return GRAPH

    found = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING), graph=fetched).search(HOPS, query_vector=VECTOR)
    assert [(query, ids) for query, ids, _ in asked] == [(HOPS, ["a", "b", "c", "d"])]
    assert statuses(found)["graph"] == "ok"
    plain = rm.AdaptiveSearcher(Table(WORDS)).search(HOPS).ranking
    for answer in (
        None,
        3,
        ([], 5),
        (["a"], [("x",)]),
        OSError("graph gone"),
        (["retry policy"], [("retry policy", "retry policy", -1.0)]),
    ):
        found = rm.AdaptiveSearcher(Table(WORDS), graph=lambda q, c, a=answer: raised(a)).search(HOPS)
        assert statuses(found)["graph"] == "failed"
        assert found.ranking == plain


def raised(answer):
    if isinstance(answer, Exception):
        raise answer
    return answer


def test_no_candidates_ask_no_graph():
    found = rm.AdaptiveSearcher(Table([]), graph=lambda query, candidates: 1 / 0).search(HOPS)
    assert statuses(found)["graph"] == "skipped"


@pytest.mark.parametrize(
    ("kind", "nodes", "edges", "text"),
    [
        (
            TypeError,
            "abc",
            [],
            "nodes must be a mapping of ids to 'passage' or 'concept', or a list of ids, not str",
        ),
        (
            rm.InvalidArgumentError,
            {"a": "thing"},
            [],
            "nodes['a'] is 'thing'; it must be 'passage' or 'concept'",
        ),
        (
            TypeError,
            ["a", []],
            [],
            (
                "nodes, position 1: the id is a list, which cannot be hashed; ids are str, int, bytes, tuple "
                "or another hashable value (for dicts and other records see rankmeld.from_records)"
            ),
        ),
        (
            TypeError,
            [],
            "ab",
            "edges must be a list of (source, target) or (source, target, weight), not str",
        ),
        (TypeError, [], ["ab"], "edges[0] must be (source, target) or (source, target, weight), not str"),
        (
            rm.InvalidArgumentError,
            [],
            [("a",)],
            "edges[0] has 1 members; it must be (source, target) or (source, target, weight)",
        ),
        (
            rm.InvalidArgumentError,
            ["a", "b"],
            [("a", "b"), ("a", "b", -1.0)],
            "edges[1] ('a' -> 'b'): the weight is -1.0; weights are finite and not negative",
        ),
        (
            TypeError,
            ["a", "b"],
            [("a", "b", "2")],
            "edges[0] ('a' -> 'b'): the weight is a str ('2'); it must be a number, or left out for 1",
        ),
    ],
)
def test_refusals(kind, nodes, edges, text):
    assert refusal(kind, KnowledgeGraph, nodes, edges) == text


def test_a_graph_says_how_large_it_is_and_stays_as_it_was_given():
    nodes, edges = {"a": "concept"}, [("a", "a")]
    graph = KnowledgeGraph(nodes, edges)
    rm.AdaptiveSearcher(Table(WORDS), graph=graph).search(HOPS)
    assert repr(graph) == "KnowledgeGraph(1 nodes, 1 edges)"
    assert (nodes, edges, graph.nodes, graph.edges) == ({"a": "concept"}, [("a", "a")], nodes, edges)
