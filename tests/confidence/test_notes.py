"""`chain_of_note` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.confidence import chain_of_note as oracle
from support.check import fused

words = st.sampled_from(
    ["river", "rivers", "wide", "the", "main.go", "3.14", "a", "検索", "Straße", "e\u0301t\u00e9"]
)
ends = st.sampled_from(
    [" ", ". ", "! ", ";", "; ", "\n", "\r\n", "。", "？", " \u3000", "\u2028", "\ud800", "\u037e "]
)
texts = st.lists(st.tuples(words, ends).map("".join), max_size=8).map("".join)
documents = st.none() | st.builds(rm.Document, st.just("d"), texts, title=texts, topic=texts)
hits = st.lists(st.tuples(st.sampled_from("abcd"), st.none() | st.floats(-9, 9), documents), max_size=6)


@given(texts, hits)
def test_equals_the_oracle(query, hits):
    found = rm.chain_of_note(query, hits)
    notes, places = oracle(query, hits)
    assert [note[:3] for note in found.notes] == notes
    assert [note.answer_bearing for note in found.notes] == [note[2] >= 0.5 for note in notes]
    assert found.ranking == rm.Ranking([hits[place] for place in places])


@given(texts, hits)
def test_it_keeps_the_hits_and_their_scores(query, hits):
    found = rm.chain_of_note(query, hits)
    assert sorted(map(repr, found.ranking)) == sorted(map(repr, rm.Ranking(hits)))
    assert len(found.notes) in {0, len(hits)}
    if found.notes:
        assert [note.id for note in found.notes] == rm.Ranking(hits).ids
        relevance = [stage.stages[-1].details["relevance"] for stage in found.ranking.explanation()]
        assert relevance == sorted(relevance, reverse=True)


def passage(id: str, text: str, score: float = 0.5, **fields: str) -> tuple[str, float, rm.Document]:
    return (id, score, rm.Document(id, text, **fields))


@pytest.mark.parametrize(
    ("query", "document", "sentence", "relevance"),
    [
        ("river", rm.Document("d", "A house. A river! The river"), "A river!", 1.0),
        ("river house", rm.Document("d", "A house. A river!"), "A house.", 0.5),
        ("main.go", rm.Document("d", "See it; open main.go now. Done."), "open main.go now.", 1.0),
        ("river", rm.Document("d", "plain", title="River. Notes.", topic="river"), "River. Notes.", 1.0),
        ("river", rm.Document("d", "plain", title=" \n", topic=" The river "), "The river", 1.0),
        ("river", rm.Document("d", "1! a. b."), "1!", 0.0),
        ("検索", rm.Document("d", "最初の文。検索は速い！"), "検索は速い！", 1.0),
        ("river", rm.Document("d", " \n "), "", 0.0),
        ("river", None, "", 0.0),
    ],
)
def test_the_first_of_the_best_sentences(query, document, sentence, relevance):
    found = rm.chain_of_note(query, [("d", 0.5, document)])
    assert found.notes == (rm.PassageNote("d", sentence, relevance, relevance >= 0.5),)


@pytest.mark.parametrize("query", ["", " \n", "a", "?!", "\ud800"])
def test_a_query_without_tokens_says_nothing(query):
    given = rm.Ranking([passage("b", "river", 0.1), passage("a", "house", 0.9)])
    found = rm.chain_of_note(query, given)
    assert found == rm.ChainOfNote((), given)


def test_bare_ids_are_a_ranking_too():
    found = rm.chain_of_note("river", ["b", "a"])
    assert found.notes == (("b", "", 0.0, False), ("a", "", 0.0, False))
    assert found.ranking == rm.Ranking(["b", "a"])
    assert rm.chain_of_note("river", []) == rm.ChainOfNote((), rm.Ranking())


def test_a_relevance_is_never_a_score():
    lexical = [passage("b", "a house", 9.0), passage("a", "a river", 0.1), passage("c", "river", -3.0)]
    found = rm.chain_of_note("river", lexical)
    assert fused(found.ranking) == [("a", 0.1), ("c", -3.0), ("b", 9.0)]
    assert rm.rrf([found.ranking]).ids == ["a", "c", "b"]


def test_it_explains_the_move():
    fused_first = rm.rrf([[passage("b", "a house"), passage("a", "a river. Wide.")]])
    found = rm.chain_of_note("river", fused_first)
    assert str(found.ranking.explain("a")).splitlines()[-1] == (
        "  chain_of_note: position_before 1, sentence a river., relevance 1, answer_bearing True"
    )
    assert found.ranking.explain("a").sources == fused_first.explain("a").sources


def test_results_travel():
    found = rm.chain_of_note("river", [passage("a", "a river")])
    for copied in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert copied == found
        assert isinstance(copied.notes[0], rm.PassageNote)
    assert json.dumps(found.notes) == '[["a", "a river", 1.0, true]]'
    assert json.dumps(found.notes[0]._asdict()) == (
        '{"id": "a", "sentence": "a river", "relevance": 1.0, "answer_bearing": true}'
    )


def test_threads_get_the_same_answer():
    hits = [passage(f"d{n}", f"river {n}. house {n % 7}. " * 40) for n in range(50)]
    expected = rm.chain_of_note("river house 3", hits)
    with ThreadPoolExecutor(8) as pool:
        assert all(
            found == expected
            for found in pool.map(lambda _: rm.chain_of_note("river house 3", hits), range(40))
        )
