"""The engine against the oracle, in one hop and in several, plain and awaited."""

from __future__ import annotations

import datetime as dt
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from engine.memories import NOW, AwaitedTable, Table, aretrieved, retrieved
from rankmeld.engine.candidates import joined
from reference import retrieval as oracle

WORDS = st.lists(
    st.sampled_from(["house", "houses", "river", "the", "cat", "検索", "検索する", "Market", "?"]), max_size=6
).map(" ".join)
DATES = st.one_of(st.none(), st.integers(-40, 400).map(lambda days: NOW - dt.timedelta(days=days)))
DOCUMENTS = st.builds(
    rm.Document,
    st.just("d"),
    WORDS,
    title=st.sampled_from(["", "River"]),
    created_at=DATES,
    importance=st.one_of(st.none(), st.sampled_from([0.2, 0.5, 1.0, 3.0])),
    evergreen=st.booleans(),
)
#: Scores far enough apart that rounding turns no order around; importance 0 has a test of its own.
SCORES = st.integers(-20, 100).map(lambda n: n / 100)
CANDIDATES = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), SCORES, st.one_of(DOCUMENTS, DOCUMENTS, st.none())), max_size=9
)
NETS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-9, 9))


def close(found: rm.Ranking, expected: list[tuple[object, float]]) -> None:
    assert found.ids == [id for id, _ in expected]
    assert [score for _, score in expected] == pytest.approx(
        [] if found.scores is None else found.scores.tolist(), rel=1e-12, abs=1e-15
    )


def settled(expected: list[tuple[object, float]]) -> bool:
    """Whether no two scores are so close that the last bit of a power decides."""
    scores = [score for _, score in expected]
    return all(a == b or abs(a - b) > 1e-12 for a, b in itertools.pairwise(scores))


def store(nets):
    feedback = rm.MemoryFeedback()
    for id, net in nets.items():
        feedback.add([id] * max(net, 0), [id] * max(-net, 0), user_id="u")
    return feedback


@given(WORDS.filter(str.strip), CANDIDATES, NETS, st.sampled_from([0.0, 0.5, 1.0]))
def test_one_hop_equals_the_oracle(message, hits, nets, weight):
    settings = rm.EngineSettings(feedback_weight=weight)
    engine = rm.RetrievalEngine(Table(hits), feedback=store(nets), settings=settings)
    for user in ("u", None):
        expected = oracle.ranked(
            oracle.hop(message, message, hits), NOW, nets if user and weight else None, weight
        )
        if settled(expected):
            close(retrieved(engine, message, user_id=user).ranking, expected)


@given(st.lists(st.tuples(WORDS.filter(str.strip), CANDIDATES), min_size=1, max_size=4), NETS)
def test_several_hops_equal_the_oracle(hops, nets):
    keys = [oracle.dedup.folded(query) for query, _ in hops]
    if len(set(keys)) < len(keys):
        return  # a query that is asked again ends the search; it has a test of its own
    queries = [query for query, _ in hops]
    table = Table(*(hits for _, hits in hops))
    engine = rm.RetrievalEngine(table, feedback=store(nets))
    found = engine.iterative_retrieve(
        queries[0],
        user_id="u",
        max_hops=len(hops),
        reasoner=lambda _message, _ranking, hop: queries[hop],
        now=NOW,
    )
    parts = [oracle.hop(query, query, hits) for query, hits in hops]
    expected = oracle.ranked(oracle.accumulated(parts) if len(parts) > 1 else parts[0], NOW, nets)
    assert table.queries == [
        " ".join(query.split()) if place else query for place, query in enumerate(queries)
    ]
    assert found.trace.stopped == "max_hops"
    if settled(expected):
        close(found.ranking, expected)


@given(WORDS.filter(str.strip), CANDIDATES)
def test_awaited_and_diverse_it_equals_the_oracle(message, hits):
    settings = rm.EngineSettings(mmr_lambda=0.5)
    plain = retrieved(rm.RetrievalEngine(Table(hits), settings=settings), message)
    before = oracle.ranked(oracle.hop(message, message, hits), NOW)
    if settled(before) and all(abs(a - b) > 1e-9 for (_, a), (_, b) in itertools.pairwise(before)):
        close(plain.ranking, oracle.ranked(oracle.hop(message, message, hits), NOW, lambda_=0.5))
    for memory in (Table(hits), AwaitedTable(hits)):
        found = aretrieved(rm.RetrievalEngine(memory, settings=settings), message)
        assert (found.ranking, found.context.text) == (plain.ranking, plain.context.text)


NAMELESS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", None]),
        SCORES,
        st.one_of(
            st.none(), st.builds(rm.Document, st.just("d"), st.sampled_from(["", "A b", "a  B ", "c"]))
        ),
    ),
    max_size=6,
)


@given(st.lists(NAMELESS, min_size=1, max_size=3))
def test_candidates_accumulate_by_id_else_by_text(hops):
    found, picks, holders = joined([rm.Ranking(hits) for hits in hops])
    assert list(found) == [rm.Hit(*hit) for hit in oracle.accumulated(hops)]
    for one, pick, parts in zip(found, picks, holders, strict=True):
        assert (one.id, one.score) == hops[pick.part][pick.place][:2]
        assert pick.part in parts


@pytest.mark.parametrize("count", [0, 5, 6, 20, 21, 40])
def test_twenty_candidates_are_looked_at_and_more_than_five_filtered(count):
    hits = [(place, 0.5, rm.Document(place, "no word")) for place in range(count)]
    found = retrieved(rm.RetrievalEngine(Table(hits)), "house").ranking
    assert len(found) == (count if count <= 5 else 0)
    close(found, oracle.ranked(oracle.hop("house", "house", hits), NOW))
