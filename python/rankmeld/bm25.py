"""Okapi BM25 scores of a few texts, as a reranker needs them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import as_integer, as_list, as_number, require_order
from rankmeld._terms import TermReader, Tokenizer
from rankmeld.document import no_text
from rankmeld.errors import InvalidArgumentError
from rankmeld.text import bm25_tokenize

__all__ = ["CollectionStatistics", "bm25_scores"]

_BUILT_IN = TermReader(bm25_tokenize)

#: Collections have fewer documents than this.
_MOST = 2**63


@runtime_checkable
class CollectionStatistics(Protocol):
    """What BM25 asks of a collection: how many documents, how long, and who holds a term."""

    @property
    def document_count(self) -> int:
        """How many documents there are."""

    @property
    def average_length(self) -> float:
        """Terms in a document on average."""

    def document_frequency(self, token: str, /) -> int:
        """How many documents hold a term."""


def bm25_scores(
    query: str,
    texts: Iterable[str],
    *,
    k1: float = 1.5,
    b: float = 0.75,
    normalized: bool = False,
    tokenizer: Tokenizer = bm25_tokenize,
    stats: CollectionStatistics | None = None,
) -> npt.NDArray[np.float64]:
    """Okapi BM25 of a query with each of a few texts [1]_.

    The sum over the distinct terms of the query of ``idf * tf * (k1 + 1) / (tf + norm)``, where
    ``norm = k1 * (1 - b + b * length / average)``, lengths are counted in terms, the average is 1 or
    more, and ``idf = ln(1 + (N - n + 0.5) / (n + 0.5))`` for a term that n of the N documents hold. It is
    never negative, so a match never costs a document anything.

    Parameters
    ----------
    query : str
        Any text. Each distinct term counts once.
    texts : iterable of str
        The documents.
    k1 : float, default 1.5
        How soon repetitions stop to count; not negative. 0: only presence counts.
    b : float, default 0.75
        How much length counts, within 0..1. 0: not at all.
    normalized : bool, default False
        Divide by the largest score, so that the best text has 1; scores that are all 0 stay.
    tokenizer : callable, default `bm25_tokenize`
        From a text to its terms. `bm25_tokenize`, also with a stemmer bound by
        ``functools.partial(bm25_tokenize, stemmer="english")``, is read inside the core, which is
        many times faster than any other callable.
    stats : CorpusStats, BM25Index or CollectionStatistics, optional
        The collection that N, n and the average length are of, counted with the same tokenizer.
        Not given: the texts themselves.

    Returns
    -------
    array of shape (N,), float64
        In the order of the texts; 0 where no term of the query occurs.

    Raises
    ------
    TypeError
        An argument is of the wrong kind, or the tokenizer gives something else than strings.
    InvalidArgumentError
        `k1` is negative, `b` is outside 0..1, or `stats` was counted with another tokenizer.

    Notes
    -----
    Linear in the length of the texts; only terms of the query are looked up. The credits of the
    terms are added in the order in which they first occur in the query, so `BM25Index` gives the
    same bits over the same documents.

    References
    ----------
    .. [1] S. Robertson, H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
       Foundations and Trends in Information Retrieval 3(4), 2009. The idf is that of Lucene.

    Examples
    --------
    >>> bm25_scores("house market", ["house market river", "house house garden", "violin"]).round(3)
    array([1.286, 0.615, 0.   ])
    """
    k1, b, reader = as_options(k1, b, normalized, tokenizer, stats)
    asked = reader.of_query(query)
    statistics = None
    if stats is not None:
        terms_asked = reader.terms(asked, "query") if isinstance(asked, str) else asked
        asked = list(dict.fromkeys(terms_asked))
        statistics = _statistics(stats, asked)
    if reader.built_in:
        return _core.bm25_scores(asked, texts, reader.stemmer, False, k1, b, bool(normalized), statistics)
    terms = [reader.terms(text, f"texts[{place}]") for place, text in enumerate(_as_texts(texts))]
    return _core.bm25_scores(asked, terms, None, True, k1, b, bool(normalized), statistics)


def as_options(
    k1: float, b: float, normalized: bool, tokenizer: Tokenizer, stats: CollectionStatistics | None
) -> tuple[float, float, TermReader]:
    """The options of `bm25_scores`, checked without a call of the tokenizer, as the core needs them."""
    k1, b = as_parameters(k1, b)
    if not isinstance(normalized, bool | np.bool_):
        raise TypeError(f"normalized must be True or False, not {type(normalized).__name__}")
    reader = _BUILT_IN if tokenizer is bm25_tokenize else TermReader(tokenizer)
    if stats is not None:
        _check_statistics(stats, reader)
    return k1, b, reader


def as_parameters(k1: float, b: float) -> tuple[float, float]:
    """Both parameters, checked."""
    k1, b = as_number(k1, "k1"), as_number(b, "b")
    if k1 < 0.0:
        raise InvalidArgumentError(f"k1 is {k1}; it must not be negative (0: only presence counts)")
    if not 0.0 <= b <= 1.0:
        raise InvalidArgumentError(f"b is {b}; it must be within 0..1 (0: length does not count)")
    return k1, b


def _as_texts(texts: Iterable[str]) -> list[str]:
    """The texts as the core reads them, with its words for what is none."""
    require_order(texts, "texts", "str")
    given = as_list(texts, "texts")
    for place, text in enumerate(given):
        if not isinstance(text, str):
            raise TypeError(f"texts[{place}] must be a str, not {no_text(text)}")
    return given


def _check_statistics(stats: CollectionStatistics, reader: TermReader) -> None:
    if not isinstance(stats, CollectionStatistics):
        raise TypeError(
            f"stats must have document_count, average_length and document_frequency, as CorpusStats and "
            f"BM25Index do, and {type(stats).__name__} has not"
        )
    counted = getattr(stats, "tokenizer", None)
    if counted is not None and not reader.same_as(TermReader(counted)):
        raise InvalidArgumentError(
            "stats was counted with another tokenizer than this call's, so it knows other terms; count it "
            "with the same one, as CorpusStats(texts, tokenizer=rankmeld.bm25_tokenize)"
        )


def _statistics(stats: CollectionStatistics, terms: list[str]) -> tuple[int, float, list[int]]:
    """What a collection says, which may be one of somebody's own: its numbers are checked."""
    count = as_integer(stats.document_count, "stats.document_count")
    average = as_number(stats.average_length, "stats.average_length")
    if not 0 <= count < _MOST or average < 0.0:
        raise InvalidArgumentError(
            f"stats has document_count {count} and average_length {average}; neither can be negative, and "
            f"there must be fewer than 2**63 documents"
        )
    holding = [
        as_integer(stats.document_frequency(term), f"stats.document_frequency({term!r})") for term in terms
    ]
    for term, documents in zip(terms, holding, strict=True):
        if not 0 <= documents <= count:
            raise InvalidArgumentError(
                f"stats says that {documents} documents hold {term!r}, and has {count} documents in all"
            )
    return count, average, holding
