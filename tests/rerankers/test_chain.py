"""Rerankers in a row."""

from __future__ import annotations

import asyncio

import pytest

import rankmeld as rm
from rerankers.samples import HITS, QUERY, Calls, equal, letters, shared_letters, shared_letters_later
from support.refusals import refusal


class Backwards:
    """Somebody's own reranker, which shares nothing with those here."""

    ordered = False

    def rerank(self, _query, ranking):
        return rm.Ranking(list(ranking)[::-1])


class Waiting:
    """One that can be awaited, and remembers how it was asked."""

    def __init__(self):
        self.asked = []

    def rerank(self, _query, ranking):
        self.asked.append("now")
        return ranking

    async def arerank(self, _query, ranking):
        await asyncio.sleep(0)
        self.asked.append("later")
        return ranking


LETTERS = rm.CallableReranker(shared_letters)


def test_each_gets_what_the_one_before_made():
    length = rm.CallableReranker(lambda _query, passages: [len(p) for p in passages], name="length")
    same = rm.CallableReranker(equal)
    found = rm.ChainReranker([length, same]).rerank(QUERY, HITS)
    assert found.ids == ["river", "vector", "copper", "search", "blank"]  # the ties of the second
    assert set(found.scores) == {1.0}
    line = found.explain("copper")
    assert [stage.name for stage in line.stages] == ["length", "equal"]
    assert [stage.details["position_before"] for stage in line.stages] == [3, 2]


@pytest.mark.parametrize("empty", [[], (), iter([])])
def test_a_chain_of_none_changes_nothing(empty):
    ranking = rm.Ranking([("a", 0.1), ("b", None), ("c", 0.3)], name="odd")
    chain = rm.ChainReranker(empty)
    assert chain.rerank(QUERY, ranking) is ranking
    assert asyncio.run(chain.arerank(QUERY, ranking)) is ranking
    assert chain.ordered is False


def test_it_is_ordered_if_the_last_one_is():
    assert rm.ChainReranker([Backwards(), LETTERS]).ordered is True
    assert rm.ChainReranker([LETTERS, Backwards()]).ordered is False
    assert rm.ChainReranker([LETTERS, rm.ChainReranker([Backwards()])]).ordered is False
    assert rm.ChainReranker([Waiting()]).ordered is True


def test_somebodys_own_reranker_is_one_of_them():
    assert rm.ChainReranker([Backwards()]).rerank(QUERY, HITS).ids == [hit.id for hit in HITS][::-1]


def test_what_can_be_awaited_is_awaited():
    one, other = Waiting(), Waiting()
    chain = rm.ChainReranker([one, Backwards(), rm.ChainReranker([other, LETTERS])])
    found = asyncio.run(chain.arerank(QUERY, HITS))
    assert (one.asked, other.asked) == (["later"], ["later"])
    assert found == chain.rerank(QUERY, HITS)
    assert (one.asked, other.asked) == (["later", "now"], ["later", "now"])


def test_an_asynchronous_member_has_to_be_awaited():
    chain = rm.ChainReranker([LETTERS, rm.CallableReranker(shared_letters_later)])
    with pytest.raises(TypeError, match="shared_letters_later is asynchronous"):
        chain.rerank(QUERY, HITS)
    assert len(asyncio.run(chain.arerank(QUERY, HITS))) == len(HITS)


def test_where_one_fails_those_after_it_are_not_asked():
    after = Calls(equal)
    chain = rm.ChainReranker(
        [rm.CallableReranker(lambda _q, _p: [], name="broken"), rm.CallableReranker(after)]
    )
    with pytest.raises(rm.RerankResponseError, match=r"^broken gave 0 answers"):
        chain.rerank(QUERY, HITS)
    assert after.calls == []


def test_a_cancellation_goes_through():
    async def forever(_query, _passages):
        await asyncio.sleep(60)

    after = Calls(equal)
    chain = rm.ChainReranker([rm.ChainReranker([rm.CallableReranker(forever)]), rm.CallableReranker(after)])

    async def cancelled():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(chain.arerank(QUERY, HITS), 0.05)

    asyncio.run(cancelled())
    assert after.calls == []


class Wrong:
    """One that gives something else."""

    def __init__(self, gives):
        self.gives = gives

    def rerank(self, _query, _ranking):
        return self.gives


@pytest.mark.parametrize(
    ("gives", "got"),
    [
        (rm.Ranking(HITS[:2]), "2 hits"),
        (HITS, "list"),
        (None, "NoneType"),
        (rm.Ranking([*HITS, "f"]), "6 hits"),
    ],
)
def test_a_reranker_that_drops_or_invents_hits_is_refused(gives, got):
    text = refusal(rm.RerankResponseError, rm.ChainReranker([Wrong(gives)]).rerank, QUERY, HITS)
    assert text == f"Wrong gave {got}; a reranker must give a Ranking of exactly the 5 hits that it got"


ROWS = {
    "one alone": (
        LETTERS,
        "rerankers must be a list of rerankers, not CallableReranker; to run one alone, write [reranker]",
    ),
    "a mapping": (
        {},
        "rerankers must be a list of rerankers, not a dict; to pass its values, write list(d.values())",
    ),
    "a set": (
        {LETTERS},
        "rerankers must be a list of rerankers, not a set; the order of a set is not defined",
    ),
    "a word": ("mmr", "rerankers must be a list of rerankers, not str"),
    "nothing": (None, "rerankers must be a list of rerankers, not NoneType"),
    "a function": (
        [LETTERS, equal],
        (
            "rerankers[1] must have a method rerank(query, ranking), which equal has not; wrap it: "
            "CallableReranker(equal)"
        ),
    ),
    "a word in it": (["mmr"], "rerankers[0] must have a method rerank(query, ranking), which 'mmr' has not"),
    "a class": (
        [Backwards],
        "rerankers[0] is the class Backwards; make one of it: Backwards(...)",
    ),
}


@pytest.mark.parametrize(("rerankers", "text"), ROWS.values(), ids=ROWS)
def test_what_is_no_chain_is_refused(rerankers, text):
    assert refusal(TypeError, rm.ChainReranker, rerankers) == text


def test_repr():
    chain = rm.ChainReranker([rm.CosineReranker(letters, batch_size=8), LETTERS])
    assert (
        repr(chain)
        == "ChainReranker([CosineReranker(letters, batch_size=8), CallableReranker(shared_letters)])"
    )
    assert repr(rm.ChainReranker([])) == "ChainReranker([])"


class Swaps:
    """Gives as many hits as it got, and others."""

    def rerank(self, _query, ranking):
        return rm.Ranking([("stranger", 1.0)] * len(ranking))


def test_other_hits_than_it_got_are_refused():
    chain = rm.ChainReranker([Swaps()])
    text = refusal(rm.RerankResponseError, chain.rerank, "q", [("a", 1.0), ("b", 0.5)])
    assert text == "Swaps gave other hits; a reranker must give a Ranking of exactly the 2 hits that it got"
