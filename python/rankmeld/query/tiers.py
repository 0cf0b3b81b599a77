"""What kind of question a query is: by its words, and by the scores of a first answer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import as_number
from rankmeld._scale import Scale
from rankmeld._scores import read_scores
from rankmeld.query.vocabulary import DEFAULT_QUERY_VOCABULARY, QueryVocabulary
from rankmeld.ranking import Ranking

__all__ = ["FusionFeatures", "QueryTier", "classify_query", "classify_query_with_fusion", "fusion_features"]

#: From this skewness and this lead on, one hit stands out: a dear search would find nothing better.
_PEAKED = (1.0, 0.5)

#: Up to this skewness and this lead, no hit stands out: the cheap search has not found it.
_FLAT = (0.5, 0.2)


class QueryTier(Scale):
    """How much work a query deserves, cheapest first.

    ``DIRECT_FACTUAL`` names one thing, ``SEMANTIC_HYBRID`` asks for what is about something,
    ``MULTI_HOP_GRAPH`` asks how things hang together, ``ARCHITECTURAL_GLOBAL`` for the whole.
    A tier is the word in lower case, also in JSON. Tiers are ordered by their work, not by the
    alphabet, among themselves and with those words.

    Examples
    --------
    >>> QueryTier.DIRECT_FACTUAL == "direct_factual", QueryTier.MULTI_HOP_GRAPH > "semantic_hybrid"
    (True, True)
    """

    DIRECT_FACTUAL = "direct_factual"
    SEMANTIC_HYBRID = "semantic_hybrid"
    MULTI_HOP_GRAPH = "multi_hop_graph"
    ARCHITECTURAL_GLOBAL = "architectural_global"


_TIERS = tuple(QueryTier)


def classify_query(query: str, *, vocabulary: QueryVocabulary = DEFAULT_QUERY_VOCABULARY) -> QueryTier:
    """Tell what kind of question a query is, so that a cheap one is answered cheaply.

    In this order: a blank query is direct; one with a word of `vocabulary.multi_hop` asks for
    relations; one with a word of `vocabulary.architecture` for the whole. Direct is then what names
    one thing, and everything else is semantic. One thing is named by

    - a declaration: ``func``, ``struct``, ``type``, ``class``, ``interface``, ``const`` or ``var``
      with an identifier and at most two more words;
    - a dotted name, such as ``package.module.name``, or ``#`` and digits;
    - an identifier of 2 to 40 characters;
    - anything without white space below 40 characters, none of them of a script that is written
      without spaces: in such a script a whole question may look like one word.

    An identifier is a letter or underscore, then letters, digits and underscores, none of a script
    written without spaces; ``()`` may follow, which does not count.

    Parameters
    ----------
    query : str
        What was asked.
    vocabulary : QueryVocabulary, optional
        The words that are looked for: English and Spanish if not given.

    Returns
    -------
    QueryTier
        The tier.

    Raises
    ------
    TypeError
        `query` is no `str`, or `vocabulary` no `QueryVocabulary`.

    Notes
    -----
    One pass, linear in the length of the query. No model is asked: words decide alone, so
    ``"caused by"`` counts in any sentence. `classify_query_with_fusion` also looks at an answer.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.classify_query("HandleSearch()")
    <QueryTier.DIRECT_FACTUAL: 'direct_factual'>
    >>> rm.classify_query("notes about caching and retries").value
    'semantic_hybrid'
    >>> rm.classify_query("¿Por qué falla la cola?").value
    'multi_hop_graph'
    >>> rm.classify_query("overview of the storage layer").value
    'architectural_global'
    """
    return _TIERS[_place(query, vocabulary)]


def _place(query: str, vocabulary: QueryVocabulary) -> int:
    """The place of a query's tier, from the cheapest."""
    if not isinstance(vocabulary, QueryVocabulary):
        raise TypeError(
            f"vocabulary must be a QueryVocabulary, not {type(vocabulary).__name__}; "
            "write QueryVocabulary(multi_hop=[...]), or extend DEFAULT_QUERY_VOCABULARY"
        )
    return vocabulary.compiled.tier(query)


@dataclass(frozen=True, slots=True)
class FusionFeatures:
    """What the scores of an answer look like; see `fusion_features`.

    Parameters
    ----------
    skewness : float, default 0.0
        The population skewness: above 0 where few scores stand out above many.
    top1_margin : float, default 0.0
        How far the best leads the second, as a part of it.
    available : bool, default True
        Whether there were scores enough to say so; if not, the numbers count for nothing.

    Raises
    ------
    TypeError
        A number is none, or `available` no `bool`.
    InvalidArgumentError
        A number is not finite.
    """

    skewness: float = 0.0
    top1_margin: float = 0.0
    available: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "skewness", as_number(self.skewness, "skewness"))
        object.__setattr__(self, "top1_margin", as_number(self.top1_margin, "top1_margin"))
        if not isinstance(self.available, bool | np.bool_):
            raise TypeError(f"available must be a bool, not {type(self.available).__name__}")
        object.__setattr__(self, "available", bool(self.available))


def fusion_features(scores: Ranking | Iterable[float | None] | npt.ArrayLike) -> FusionFeatures:
    """Tell from the scores of an answer whether one hit stands out.

    The skewness is that of the population, ``m3 / m2**1.5`` with the central moments m2 and m3, and
    0 where all scores are equal. The margin is ``(s1 - s2) / s1`` of the two largest, and 0 unless
    s1 is above 0; a negative second makes it more than 1.

    Parameters
    ----------
    scores : Ranking, iterable of float, or array of shape (N,)
        In any order: a fused ranking, or the scores alone.

    Returns
    -------
    FusionFeatures
        Not available for fewer than two scores, and where one is absent or not finite.

    Raises
    ------
    TypeError
        `scores` holds no numbers.
    InvalidArgumentError
        `scores` has not one dimension.
    InvalidScoreError
        The margin is no finite number: the best is nearly 0 and the second far below it.

    Notes
    -----
    Linear in the number of scores, and exact to the last bits for scores of any size and distance:
    they are brought to 0..1 first, which changes no skewness.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.fusion_features([5.0, 1.0, 1.0, 1.0, 1.0])
    FusionFeatures(skewness=1.5, top1_margin=0.8, available=True)
    >>> rm.fusion_features(rm.rrf([["a", "b"], ["b", "c"]])).available
    True
    >>> rm.fusion_features([0.7])
    FusionFeatures(skewness=0.0, top1_margin=0.0, available=False)
    """
    found = _core.score_features(_column(scores))
    return FusionFeatures(available=False) if found is None else FusionFeatures(*found)


def _column(scores: Any) -> npt.ArrayLike:
    """The scores as one column, in which NaN stands for what is absent."""
    if isinstance(scores, Ranking):
        return () if scores.scores is None else scores.scores
    read = read_scores(scores, "scores")
    if isinstance(read, list):
        return [math.nan if score is None else score for score in read]
    return read


def classify_query_with_fusion(
    query: str, features: FusionFeatures, *, vocabulary: QueryVocabulary = DEFAULT_QUERY_VOCABULARY
) -> QueryTier:
    """Tell what kind of question a query is, by its words and by what a first search gave.

    Where one hit stands out (skewness 1.0 and margin 0.5, or more) the tier is never above
    semantic: the answer is likely found. Where none does (skewness 0.5 and margin 0.2, or less) it
    is one above that of the words, if there is one.

    Parameters
    ----------
    query : str
        What was asked.
    features : FusionFeatures
        What `fusion_features` says of the scores. If they are not available, words decide alone.
    vocabulary : QueryVocabulary, optional
        As in `classify_query`.

    Returns
    -------
    QueryTier
        The tier.

    Raises
    ------
    TypeError
        `query` is no `str`, `features` no `FusionFeatures`, or `vocabulary` no `QueryVocabulary`.

    Examples
    --------
    >>> import rankmeld as rm
    >>> flat = rm.fusion_features([0.33, 0.33, 0.32, 0.31])
    >>> rm.classify_query_with_fusion("notes about caching and retries", flat).value
    'multi_hop_graph'
    >>> peaked = rm.fusion_features([0.9, 0.1, 0.1, 0.1, 0.1])
    >>> rm.classify_query_with_fusion("why is the cache slow", peaked).value
    'semantic_hybrid'
    """
    if not isinstance(features, FusionFeatures):
        raise TypeError(
            f"features must be FusionFeatures, not {type(features).__name__}; pass fusion_features(scores)"
        )
    tier = _TIERS[place := _place(query, vocabulary)]
    if not features.available:
        return tier
    skewness, margin = features.skewness, features.top1_margin
    if skewness >= _PEAKED[0] and margin >= _PEAKED[1]:
        return tier if place == 0 else QueryTier.SEMANTIC_HYBRID
    if skewness <= _FLAT[0] and margin <= _FLAT[1]:
        return _TIERS[min(place + 1, len(_TIERS) - 1)]
    return tier
