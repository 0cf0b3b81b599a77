"""``--rerank``: what may order the best of a search anew."""

from __future__ import annotations

from enum import StrEnum

from rankmeld.rerankers import BM25Reranker, LateInteractionReranker, MMRReranker, Reranker

__all__ = ["CANDIDATES", "Choice", "make"]

#: How many of the fused hits are looked at: the answer is hardly ever further down.
CANDIDATES = 50


class Choice(StrEnum):
    """The rerankers that need nothing but the text."""

    NONE = "none"
    LATE_INTERACTION = "late-interaction"
    BM25 = "bm25"
    MMR = "mmr"


def make(choice: Choice) -> Reranker | None:
    """The reranker of that name, `None` for none."""
    # The fused list knows the words already, so they get less weight than on a list by meaning.
    if choice is Choice.LATE_INTERACTION:
        return LateInteractionReranker(rank_weight=0.8, maxsim_weight=0.2, maxsim_scale=1.0)
    if choice is Choice.BM25:
        return BM25Reranker(rank_weight=0.7, bm25_weight=0.3, normalized=True, scale="max")
    return MMRReranker() if choice is Choice.MMR else None
