"""What every reranker does. Subclass it and say how a reranker is made."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import math
import pickle
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankmeld as rm
from rerankers.samples import HITS, QUERY
from support import forms
from support.strategies import odd_ids

words = st.sampled_from(
    ["vector", "search", "river", "the", "", "é", "e\u0301", "\ud800", "検索", "🙂", "x_1"]
)
texts = st.lists(words, max_size=5).map(" ".join)
documents = st.one_of(st.none(), texts.map(lambda text: rm.Document("d", text)))
hits = st.lists(st.builds(rm.Hit, odd_ids, st.floats(-1e6, 1e6), documents), max_size=8)


def counted(ranking):
    """How often each hit is there: its id with its kind, and the very document."""
    return Counter((type(hit.id), hit.id, id(hit.document)) for hit in ranking)


class RerankerContract:
    """The promises of `rankmeld.Reranker`."""

    #: Whether hits without a score are refused.
    needs_scores = False
    #: Whether it is ordered by descending score.
    ordered = True

    def make_reranker(self):
        raise NotImplementedError

    @pytest.fixture
    def reranker(self):
        return self.make_reranker()

    def last_stage(self, ranking, id):
        return ranking.explain(id).stages[-1].details

    # --- what comes out -------------------------------------------------------------------------

    def test_it_is_a_reranker(self, reranker):
        assert isinstance(reranker, rm.Reranker)
        assert reranker.ordered is self.ordered

    def test_it_moves_hits(self, reranker):
        """Or nothing below would show anything."""
        assert reranker.rerank(QUERY, HITS).ids != [hit.id for hit in HITS]

    def test_it_gives_exactly_the_hits_it_got(self, reranker):
        found = reranker.rerank(QUERY, HITS)
        assert isinstance(found, rm.Ranking)
        assert counted(found) == counted(HITS)
        assert all(type(hit.score) is float and math.isfinite(hit.score) for hit in found)

    def test_a_hit_that_is_there_twice_stays_there_twice(self, reranker):
        twice = [*HITS, *HITS, rm.Hit("vector", 0.1)]
        assert counted(reranker.rerank(QUERY, twice)) == counted(twice)

    # Each subclass runs the test with a reranker of its own, which is meant.
    @settings(suppress_health_check=[HealthCheck.differing_executors])
    @given(query=texts, ranking=hits)
    def test_whatever_the_hits_are_it_gives_them_all_in_order(self, query, ranking):
        reranker = self.make_reranker()
        found = reranker.rerank(query, ranking)
        assert counted(found) == counted(ranking)
        scores = [hit.score for hit in found]
        if self.ordered:
            assert scores == sorted(scores, reverse=True)
        assert reranker.rerank(query, ranking) == found

    def test_equal_hits_stay_as_they_came(self, reranker):
        same = [rm.Hit(id, 0.5, rm.Document(id, "vector search")) for id in "caebd"]
        assert reranker.rerank(QUERY, same).ids == list("caebd")

    def test_one_hit(self, reranker):
        assert reranker.rerank(QUERY, HITS[:1]).ids == ["river"]

    def test_hits_without_a_document_have_an_empty_passage(self, reranker):
        bare = [rm.Hit(hit.id, hit.score) for hit in HITS]
        blank = [rm.Hit(hit.id, hit.score, rm.Document(hit.id)) for hit in HITS]
        found = reranker.rerank(QUERY, bare)
        assert [tuple(hit)[:2] for hit in found] == [tuple(hit)[:2] for hit in reranker.rerank(QUERY, blank)]

    # --- what goes in ---------------------------------------------------------------------------

    @pytest.mark.parametrize("form", forms.SCORED)
    def test_it_takes_a_ranking_in_any_form(self, reranker, form):
        pairs = [("b", 0.5), ("a", 0.75), ("c", 0.25)]
        expected = reranker.rerank(QUERY, rm.Ranking(pairs))
        assert reranker.rerank(QUERY, forms.SCORED[form](pairs)) == expected

    def test_nothing_that_goes_in_changes(self, reranker):
        given_hits = copy.deepcopy(HITS)
        reranker.rerank(QUERY, given_hits)
        assert given_hits == HITS
        ids, scores = np.array([3, 1, 2]), np.array([0.1, 0.3, 0.2])
        reranker.rerank(QUERY, (ids, scores))
        assert (ids.tolist(), scores.tolist()) == ([3, 1, 2], [0.1, 0.3, 0.2])
        ranking = rm.Ranking(HITS)
        reranker.rerank(QUERY, ranking)
        assert list(ranking) == HITS

    @pytest.mark.parametrize("empty", [[], (), {}, rm.Ranking(), iter([])])
    def test_nothing_in_nothing_out(self, reranker, empty):
        found = reranker.rerank(QUERY, empty)
        assert isinstance(found, rm.Ranking)
        assert len(found) == 0

    def test_the_name_is_kept(self, reranker):
        assert reranker.rerank(QUERY, rm.Ranking(HITS, name="fused")).name == "fused"
        assert reranker.rerank(QUERY, rm.Source("dense", HITS)).name == "dense"
        assert reranker.rerank(QUERY, rm.Ranking(name="none")).name == "none"

    @pytest.mark.parametrize("query", [None, b"vector", 1, ["vector"], rm.Document("q", "vector")])
    @pytest.mark.parametrize("ranking", [HITS, []], ids=["hits", "empty"])
    def test_a_query_is_a_str(self, reranker, query, ranking):
        with pytest.raises(TypeError, match=f"^query must be a str, not {type(query).__name__}$"):
            reranker.rerank(query, ranking)

    @pytest.mark.parametrize("ranking", ["vector", b"vector", 7, None])
    def test_what_is_no_ranking_is_refused(self, reranker, ranking):
        with pytest.raises(TypeError):
            reranker.rerank(QUERY, ranking)

    @pytest.mark.parametrize("query", ["", "   ", "?!", "🙂", "\udcff", "\x00", "vector " * 2_000])
    def test_any_text_is_a_query(self, reranker, query):
        assert counted(reranker.rerank(query, HITS)) == counted(HITS)

    def test_scores_are_needed_or_they_are_not(self, reranker):
        for absent in (["a", "b"], [("a", 1.0), ("b", None)]):
            if self.needs_scores:
                with pytest.raises(rm.InvalidScoreError, match="there is no score"):
                    reranker.rerank(QUERY, absent)
            else:
                assert reranker.rerank(QUERY, absent).ids == ["a", "b"]

    # --- why ------------------------------------------------------------------------------------

    def test_an_explanation_says_where_each_hit_stood_and_what_it_became(self, reranker):
        found = reranker.rerank(QUERY, HITS)
        for hit in found:
            details = self.last_stage(found, hit.id)
            before = [given.id for given in HITS].index(hit.id)
            assert details["position_before"] == before
            assert details["score_before"] == HITS[before].score
            assert details["score"] == hit.score
            assert type(details["score"]) is float

    def test_an_explanation_goes_on_where_the_fusion_ended(self, reranker):
        fused = rm.fuse_scores([rm.Source("lexical", HITS), rm.Source("dense", HITS[1:])], normalize="max")
        found = reranker.rerank(QUERY, fused)
        line = found.explain("vector")
        assert [credit.name for credit in line.sources] == ["lexical", "dense"]
        assert self.last_stage(found, "vector")["score_before"] == fused[fused.ids.index("vector")].score
        assert str(line).count("\n") == 2 + len(line.stages)
        assert [cut.id for cut in found[:2].explanation()] == found.ids[:2]

    # --- as an object ---------------------------------------------------------------------------

    def test_it_cannot_be_changed(self, reranker):
        options = [field.name for field in dataclasses.fields(reranker)]
        for name in (*options, "ordered", "something_else"):
            with pytest.raises((AttributeError, TypeError)):
                setattr(reranker, name, None)

    def test_it_can_be_pickled_and_copied(self, reranker):
        expected = reranker.rerank(QUERY, HITS)
        for other in (pickle.loads(pickle.dumps(reranker)), copy.copy(reranker), copy.deepcopy(reranker)):
            assert type(other) is type(reranker)
            assert other.rerank(QUERY, HITS) == expected

    def test_its_repr_is_one_line_without_addresses(self, reranker):
        shown = repr(reranker)
        assert shown.startswith(f"{type(reranker).__name__}(")
        assert "\n" not in shown
        assert " at 0x" not in shown
        assert len(shown) < 200

    def test_many_threads_may_use_it_at_once(self, reranker):
        alone = [reranker.rerank(query, HITS) for query in (QUERY, "river", "")] * 40
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(lambda q: reranker.rerank(q, HITS), [QUERY, "river", ""] * 40))
        assert together == alone


class AskingContract(RerankerContract):
    """What those that ask somebody else's code do as well."""

    def make_async_reranker(self):
        """The same, of asynchronous functions."""
        raise NotImplementedError

    def test_awaited_it_gives_the_same(self, reranker):
        expected = reranker.rerank(QUERY, HITS)
        for other in (reranker, self.make_async_reranker()):
            found = asyncio.run(other.arerank(QUERY, HITS))
            assert found == expected
            assert found.explanation() == expected.explanation()

    def test_awaited_it_checks_the_same(self, reranker):
        with pytest.raises(TypeError, match="query must be a str"):
            asyncio.run(reranker.arerank(None, []))
        assert len(asyncio.run(self.make_async_reranker().arerank(QUERY, []))) == 0

    def test_many_tasks_may_use_it_at_once(self):
        reranker = self.make_async_reranker()

        async def all_at_once():
            return await asyncio.gather(*[reranker.arerank(QUERY, HITS) for _ in range(50)])

        found = asyncio.run(all_at_once())
        assert all(ranking == found[0] for ranking in found)

    def test_who_does_not_await_what_is_asynchronous_is_told(self):
        with pytest.raises(TypeError, match=r"is asynchronous .* write `await reranker\.arerank"):
            self.make_async_reranker().rerank(QUERY, HITS)
