"""The contract of rerankers, kept by each of them."""

from __future__ import annotations

import pytest

import rankmeld as rm
from rerankers import samples
from rerankers.reranker_contract import AskingContract, RerankerContract


class TestLateInteraction(RerankerContract):
    """By words."""

    needs_scores = True

    def make_reranker(self):
        return rm.LateInteractionReranker()


class TestLateInteractionOfRawScores(TestLateInteraction):
    """By words, beside the scores as they are."""

    def make_reranker(self):
        return rm.LateInteractionReranker(scale=None, weights=len)


class TestBM25(RerankerContract):
    """By BM25 alone."""

    def make_reranker(self):
        return rm.BM25Reranker()


class TestBM25BesideTheScore(RerankerContract):
    """By BM25 and the ranking."""

    needs_scores = True

    def make_reranker(self):
        return rm.BM25Reranker(rank_weight=0.7, bm25_weight=0.3, normalized=True, scale="minmax")


class TestComposite(RerankerContract):
    """By what is known of documents."""

    needs_scores = True

    def make_reranker(self):
        return rm.CompositeReranker(now="2024-03-01", weights=rm.RerankWeights(0.5, 0.2, 0.2, 0.1))


class TestTemporal(RerankerContract):
    """By the time that the query names."""

    needs_scores = True

    def make_reranker(self):
        return rm.TemporalReranker(
            now="2024-03-01", extractor=rm.CallableAnchorExtractor(samples.third_of_january)
        )


class MMRContract(AskingContract):
    """Ordered by choice, with the scores as they were."""

    needs_scores = True
    ordered = False

    def last_stage(self, ranking, id):
        details = ranking.explain(id).stages[-1].details
        kept = ranking[ranking.ids.index(id)].score
        return {**details, "score_before": kept, "score": kept}


class TestMMR(MMRContract):
    """By the words of the texts."""

    def make_reranker(self):
        return rm.MMRReranker(lambda_=0.3)

    make_async_reranker = make_reranker

    def test_who_does_not_await_what_is_asynchronous_is_told(self):
        assert self.make_async_reranker().rerank(samples.QUERY, samples.HITS)  # nobody is asked


class TestMMRByCosine(MMRContract):
    """By the vectors of an embedder."""

    def make_reranker(self):
        return rm.MMRReranker(similarity="cosine", embedder=samples.letters, lambda_=0.3)

    def make_async_reranker(self):
        return rm.MMRReranker(similarity="cosine", embedder=samples.letters_later, lambda_=0.3)


class TestCallable(AskingContract):
    """Somebody's own function."""

    def make_reranker(self):
        return rm.CallableReranker(samples.shared_letters)

    def make_async_reranker(self):
        return rm.CallableReranker(samples.shared_letters_later, name="shared_letters")


class TestCallableInBatches(AskingContract):
    """Somebody's own function, two passages at a time."""

    def make_reranker(self):
        return rm.CallableReranker(samples.shared_letters, batch_size=2)

    def make_async_reranker(self):
        return rm.CallableReranker(samples.shared_letters_later, name="shared_letters", batch_size=2)


class TestCosine(AskingContract):
    """An embedder, as a plain function."""

    def make_reranker(self):
        return rm.CosineReranker(samples.letters, batch_size=2)

    def make_async_reranker(self):
        return rm.CosineReranker(samples.letters_later, batch_size=2)


class TestMaxSim(AskingContract):
    """A model of token vectors."""

    def make_reranker(self):
        return rm.MaxSimReranker(samples.letter_tokens, batch_size=2)

    def make_async_reranker(self):
        return rm.MaxSimReranker(samples.letter_tokens_later, batch_size=2)


class TestChain(AskingContract):
    """Two of them, one after the other."""

    def make_reranker(self):
        return rm.ChainReranker(
            [rm.CosineReranker(samples.letters), rm.CallableReranker(samples.shared_letters)]
        )

    def make_async_reranker(self):
        later = rm.CallableReranker(samples.shared_letters_later, name="shared_letters")
        return rm.ChainReranker([rm.CosineReranker(samples.letters_later), later])

    def last_stage(self, ranking, id):
        first, *_, last = ranking.explain(id).stages
        return {**last.details, **{key: first.details[key] for key in ("position_before", "score_before")}}


class TestChainOfChains(TestChain):
    """Nested."""

    def make_reranker(self):
        return rm.ChainReranker([rm.ChainReranker([]), super().make_reranker()])

    def make_async_reranker(self):
        return rm.ChainReranker([super().make_async_reranker(), rm.ChainReranker([])])


def test_messages_of_python_name_what_is_public():
    with pytest.raises(TypeError, match=r"^Reranker\.rerank\(\) got an unexpected keyword argument 'limit'$"):
        rm.BM25Reranker().rerank("query", ["a"], limit=1)
