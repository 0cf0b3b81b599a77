"""`boost_matches` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.propagation import boost_matches as oracle
from support.check import fused

words = st.text("ab_. \u7f13Éßſ\u0301\u03a3ı-", max_size=5)


def hit(id: str, score: float, **fields: object) -> tuple[str, float, rm.Document]:
    return (id, score, rm.Document(id, **fields))


@given(
    st.text("ab_. \u7f13éSs\u0301\u03c3i-'", max_size=25),
    st.lists(st.lists(words, max_size=3), max_size=5),
    st.sampled_from(["first", "id_asc", "id_desc"]),
)
def test_equals_the_oracle(query, names, ties):
    by_id = {str(place): listed for place, listed in enumerate(names)}
    hits = [hit(id, 1.0 + len(listed), metadata={"name": listed}) for id, listed in by_id.items()]
    found = rm.boost_matches(hits, query, field="name", boost=0.5, ties=ties)
    assert fused(found) == oracle(hits, query, by_id, boost=0.5, ties=ties)


@pytest.mark.parametrize(
    ("query", "name", "matches"),
    [
        ("What did Caroline say?", "caroline", True),
        ("CAROLINE'S dog", "Caroline", True),
        ("Melanie's house", "Mel", False),
        ("xCaroline", "Caroline", False),
        ("Caroline_2", "Caroline", False),
        ("see src/main.go:12", "main.go", True),
        ("see domain.go", "main.go", False),
        ("c++ or c", "C++", True),
        ("ann lee", "Ann Lee", True),
        ("ann  lee", "Ann Lee", False),
        ("who is ann lee", "  Ann Lee\u3000", True),
        ("Straße", "STRASSE", True),
        ("Jose\u0301 went", "JOSÉ", True),
        ("ΣΊΣΥΦΟΣ", "σίσυφος", True),
        ("\u691c\u7d22\u306f", "\u691c\u7d22", True),
        ("anything", "", False),
        ("anything . !", "!", False),
        ("a\ud800b", "a\ufffdb", True),
    ],
)
def test_whole_words_in_any_case(query, name, matches):
    (found,) = rm.boost_matches([hit("d", 1.0, title=name)], query)
    assert found.score == (1.3 if matches else 1.0)


@pytest.mark.parametrize(
    ("field", "document"),
    [
        ("title", {"title": "Nate"}),
        ("topic", {"topic": "Nate"}),
        ("text", {"text": "Nate"}),
        ("parent_id", {"parent_id": "Nate"}),
        ("speaker", {"metadata": {"speaker": "Nate"}}),
        ("speakers", {"metadata": {"speakers": ["Joanna", "Nate"]}}),
        ("speakers", {"metadata": {"speakers": ("Joanna", "Nate", None)}}),
        ("year", {"metadata": {"year": 2023}}),
        ("tier", {"tier": "semantic"}),
    ],
)
def test_fields(field, document):
    (found,) = rm.boost_matches([hit("d", 1.0, **document)], "semantic: Nate in 2023", field=field)
    assert found.score == 1.3


def test_ids_are_names_too():
    assert fused(rm.boost_matches([hit("R2-D2", 1.0)], "where is r2-d2?", field="id")) == [("R2-D2", 1.3)]


@pytest.mark.parametrize("value", [None, True, 1.5, {"Nate": 1}, [], [None], b"Nate"])
def test_what_is_no_name_matches_nothing(value):
    found = rm.boost_matches(
        [hit("d", 1.0, metadata={"speaker": value})], "Nate True 1.5 None 1", field="speaker"
    )
    assert fused(found) == [("d", 1.0)]


def test_hits_without_a_document_or_a_value():
    hits = [("a", 0.5), hit("b", 0.4, title="x"), hit("c", 0.3)]
    assert fused(rm.boost_matches(hits, "x", boost=1.0)) == [("b", 0.8), ("a", 0.5), ("c", 0.3)]
    assert fused(rm.boost_matches(hits[:1], "x")) == [("a", 0.5)]
    assert fused(rm.boost_matches([], "x")) == []


def test_no_boost_is_no_change():
    hits = [hit("a", 0.5, title="x"), hit("b", 0.5, title="y"), hit("c", -1.0, title="x")]
    assert fused(rm.boost_matches(hits, "x y", boost=0.0)) == [("a", 0.5), ("b", 0.5), ("c", -1.0)]


def test_the_explanation_names_what_matched():
    hits = [hit("a", 1.0, metadata={"who": ["Ann", "Bob"]}), hit("b", 0.5)]
    found = rm.boost_matches(hits, "did bob call?", field="who", boost=0.5)
    (stage,) = found.explain("a").stages
    assert stage.name == "boost_matches"
    assert stage.details == {"matched": "Bob", "factor": 1.5, "score_before": 1.0, "score": 1.5}
    (stage,) = found.explain("b").stages
    assert stage.details == {"matched": None, "factor": 1.0, "score_before": 0.5, "score": 0.5}


def test_long_names_and_queries_take_linear_time():
    hits = [hit(str(n), 1.0, title="a " * 2000 + str(n)) for n in range(200)]
    started = time.process_time()
    rm.boost_matches(hits, "a " * 20_000)
    assert time.process_time() - started < 5.0
