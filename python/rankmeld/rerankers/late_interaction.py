"""Reranking by words: what each word of the query finds in the passage, without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmeld._options import as_limit, not_negative
from rankmeld.decay import finite_scores
from rankmeld.late_interaction import lexical_matches, lexical_maxsim_many
from rankmeld.ranking import Ranking
from rankmeld.rerankers.base import BaseReranker, passages_of, reordered
from rankmeld.rerankers.blend import Scale, blended, check_scale
from rankmeld.text import clean_text, tokenize

if TYPE_CHECKING:
    from rankmeld.corpus_stats import CorpusStats

__all__ = ["LateInteractionReranker"]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class LateInteractionReranker(BaseReranker):
    """A reranker that lifts passages in which each word of the query finds its like.

    The new score is ``rank_weight * s + maxsim_weight * maxsim_scale * m``: `s` is the ranking's
    score on the common scale, `m` the lexical MaxSim of query and passage
    (`rankmeld.lexical_maxsim`), which is within 0..1. Needs no model; a word that is inflected or
    misspelt still counts in part.

    Parameters
    ----------
    rank_weight : float, default 0.6
        Weight of the ranking's own scores; finite, not negative. 0: scores are not needed.
    maxsim_weight, maxsim_scale : float, default 0.4 and 2.0
        Their product is the weight of the similarity; finite, not negative.
    scale : {"max", "minmax"} or None, default "max"
        What the ranking's scores are brought to: ``"max"`` divides them by the highest,
        ``"minmax"`` maps the lowest to 0 and the highest to 1, equal scores to 1; ``None`` takes
        them as they are. Where the highest is not above 0, ``"max"`` does what ``"minmax"`` does.
        Other than the default with a `rank_weight` above 0 only.
    weights : {"specificity", "idf"} or callable, default "specificity"
        What a word of the query counts; see `rankmeld.lexical_maxsim`.
    stats : CorpusStats, optional
        The statistics behind ``weights="idf"``.
    depth : int, optional
        How many hits are read, from the first on; all if not given. In those after them no word finds
        anything (`m` is 0), so that they keep their order and lead none that was before them.

    Raises
    ------
    TypeError, InvalidArgumentError
        An option is not allowed.

    Notes
    -----
    A query without a token (as of punctuation alone) says nothing: the hits are ordered by their
    scores, which stay as they are.

    The explanation has both credits, which sum to the score, and under ``matches`` for each token
    of the query what it found, worked out when somebody looks.

    Late interaction is that of ColBERT (Khattab and Zaharia, 2020), with the likeness of words in
    place of vectors.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("a", 0.9, rm.Document("a", "garden market river")),
    ...     ("b", 0.7, rm.Document("b", "vector search engine")),
    ... ]
    >>> found = rm.LateInteractionReranker().rerank("searching by vector", hits)
    >>> found.ids
    ['b', 'a']
    """

    rank_weight: float = 0.6
    maxsim_weight: float = 0.4
    maxsim_scale: float = 2.0
    scale: Scale | None = "max"
    weights: Literal["specificity", "idf"] | Callable[[str], float] = "specificity"
    stats: CorpusStats | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        for name in ("rank_weight", "maxsim_weight", "maxsim_scale"):
            object.__setattr__(self, name, not_negative(getattr(self, name), name))
        check_scale(self.scale, "max", self.rank_weight)
        as_limit(self.depth, "depth")
        lexical_maxsim_many("", [], **self._weighing())  # refuses what it would refuse later

    def _weighing(self) -> dict[str, Any]:
        """The options that decide what a token counts."""
        return {"weights": self.weights, "stats": self.stats}

    def _weighing_now(self, tokens: list[str]) -> dict[str, Any]:
        """The same for one query: what counts change to later shows in no explanation."""
        weight_of = self.weights if self.stats is None else self.stats.idf
        if isinstance(weight_of, str):
            return self._weighing()
        weights = {token: weight_of(token) for token in map(clean_text, tokens)}
        return {"weights": weights.__getitem__}

    def _rescored(self, query: str, given: Ranking) -> Ranking:
        tokens = tokenize(query)
        if not tokens:
            if self.rank_weight == 0.0 and given.scores is None:
                return given  # there is nothing to order by, and scores are not needed
            return reordered(given, finite_scores(given), "late_interaction", {})
        weighing = self._weighing_now(tokens)
        passages = passages_of(given if self.depth is None else given[: self.depth])
        similarity = np.zeros(len(given))
        similarity[: len(passages)] = lexical_maxsim_many(tokens, passages, **weighing)
        scores, parts = blended(
            given,
            similarity,
            name="maxsim",
            rank_weight=self.rank_weight,
            weights=(self.maxsim_weight, self.maxsim_scale),
            scale=self.scale,
        )
        parts["matches"] = lambda place: (
            lexical_matches(tokens, passages[place], **weighing) if place < len(passages) else []
        )
        return reordered(given, scores, "late_interaction", parts)
