"""Late interaction over the tokens of texts: no model, and spelling variants still meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._options import as_number, as_threads, choose, require_order
from rankmeld.corpus_stats import CorpusStats
from rankmeld.errors import InvalidArgumentError
from rankmeld.text import clean_text, tokenize

__all__ = [
    "STOP_WORDS",
    "TokenMatch",
    "lexical_matches",
    "lexical_maxsim",
    "lexical_maxsim_many",
    "token_similarity",
    "token_weight",
]

#: Words of English and Spanish that say little by themselves.
STOP_WORDS: frozenset[str] = frozenset(_core.stop_words())

#: How much a token of the query counts: a word, or a function of the token.
TokenWeights = Literal["specificity", "idf"] | Callable[[str], float]

_WORDS = ("specificity", "idf")


class TokenMatch(NamedTuple):
    """What a document has for one token of a query.

    Attributes
    ----------
    query_token : str
        The token of the query.
    weight : float
        How much it counts.
    document_token : str or None
        The document's most similar token, the first of equal ones; `None` where no token is alike.
    similarity : float
        How alike the two are, within 0..1.
    """

    query_token: str
    weight: float
    document_token: str | None
    similarity: float

    def __str__(self) -> str:
        """In a few words for people: ``index``, ``indexes -> index 0.71`` or ``the -> nothing``."""
        if self.document_token is None:
            return f"{self.query_token} -> nothing"
        if self.similarity == 1.0:
            return self.query_token
        return f"{self.query_token} -> {self.document_token} {self.similarity:.2g}"


def token_similarity(a: str, b: str) -> float:
    """How alike two tokens are spelled.

    1 if they are equal; 0 if one of them is empty; if one contains the other, the shorter length
    over the longer; else the Sørensen-Dice coefficient of their sets of character bigrams,
    ``2 |A & B| / (|A| + |B|)`` [1]_.

    Parameters
    ----------
    a, b : str
        Tokens, taken as they are but for being composed (NFC). Lone surrogates are read as U+FFFD.

    Returns
    -------
    float
        Within 0..1, the same in both directions.

    Raises
    ------
    TypeError
        If one of them is no `str`.

    Notes
    -----
    Linear in the lengths, which count characters, never bytes.

    References
    ----------
    .. [1] L. R. Dice, "Measures of the amount of ecologic association between species",
       Ecology 26(3), 1945.

    Examples
    --------
    >>> token_similarity("night", "nacht")
    0.25
    >>> token_similarity("search", "searching") == 6 / 9
    True
    """
    return _core.token_similarity(a, b)


def token_weight(token: str, *, stop_words: Iterable[str] = STOP_WORDS) -> float:
    """How much a token says, by what it looks like.

    A stop word 0.35; else with an ASCII digit or an underscore 2.2; else with a character of a
    script that is written without spaces 1.0; else with 8 characters or more 1.6, with 2 or fewer
    0.6, and 1.0 between.

    Parameters
    ----------
    token : str
        A token, taken as it is but for being composed (NFC).
    stop_words : iterable of str, optional
        In place of `STOP_WORDS`.

    Returns
    -------
    float
        The weight.

    Raises
    ------
    TypeError
        If `token` is no `str`, or `stop_words` is one or holds something else.

    Examples
    --------
    >>> [token_weight(token) for token in ("the", "v2", "index", "embedding")]
    [0.35, 2.2, 1.0, 1.6]
    """
    return _core.token_weight(token, None if stop_words is STOP_WORDS else stop_words)


def lexical_maxsim(
    query: str | Sequence[str],
    document: str | Sequence[str],
    *,
    weights: TokenWeights = "specificity",
    stats: CorpusStats | None = None,
) -> float:
    """How well the tokens of a document answer those of a query.

    Each token of the query looks for the document's token that is most like it; the score is the
    weighted mean of these similarities: `lexical_maxsim_many` for one document.

    Parameters
    ----------
    query, document : str or list of str
        A text, or tokens, which are taken as they are but for being composed (NFC).
    weights, stats
        As in `lexical_maxsim_many`.

    Returns
    -------
    float
        Within 0..1.

    Raises
    ------
    TypeError, InvalidArgumentError
        As in `lexical_maxsim_many`.

    See Also
    --------
    lexical_maxsim_many : many documents in one call, which is much faster.
    lexical_matches : which tokens met.

    Examples
    --------
    >>> lexical_maxsim("vector index", "An index of vectors")
    0.9285714285714286
    """
    asked, chosen, counts = _weighed(query, weights, stats)
    return _core.lexical_score(asked, document, chosen, counts)


def lexical_maxsim_many(
    query: str | Sequence[str],
    documents: Iterable[str | Sequence[str]],
    *,
    weights: TokenWeights = "specificity",
    stats: CorpusStats | None = None,
    threads: SupportsIndex | None = None,
) -> npt.NDArray[np.float64]:
    """How well the tokens of each document answer those of a query.

    ``sum(w(q) * max(sim(q, d) for d in document) for q in query) / sum(w(q) for q in query)``,
    where `sim` is `token_similarity`: ColBERT's late interaction [1]_ with spelling in place of
    vectors. 0 where either side has no token, or all weights are 0.

    Parameters
    ----------
    query : str or list of str
        A text, which `tokenize` cuts, or tokens, which are taken as they are but for being composed
        (NFC). A token that is there twice counts twice.
    documents : iterable of (str or list of str)
        Texts, lists of tokens, or some of each.
    weights : {"specificity", "idf"} or callable, default "specificity"
        How much a token of the query counts: `token_weight`, its idf in `stats`, or what a function
        of the token gives, finite and not negative; it is asked once for each distinct token.
    stats : CorpusStats, optional
        The collection that ``"idf"`` is about; needed there, and refused elsewhere. For a query that is a
        text, counted with `tokenize`.
    threads : int, optional
        How many threads share the documents, which shows in no result; by default as many as there
        are processors, if there is some megabyte of text for each.

    Returns
    -------
    array of shape (N,), float64
        Within 0..1, in the order of the documents; 1 for a document that has all the tokens.

    Raises
    ------
    TypeError
        The query or a document is neither text nor tokens, or a weight is no number.
    InvalidArgumentError
        `weights` is an unknown word, `stats` is missing, has no use or was counted with another
        tokenizer, `threads` is below 1, or a weight is negative or not finite; the message names the token.

    Notes
    -----
    O(length of the documents + Q T / 16) for Q distinct tokens of the query and T of the
    documents, which are compared once however many documents hold them. A weighted similarity
    is rounded, the sums are exact, their quotient is rounded: batches and orders show in no bit.

    References
    ----------
    .. [1] O. Khattab and M. Zaharia, "ColBERT: Efficient and effective passage search via
       contextualized late interaction over BERT", SIGIR 2020.

    Examples
    --------
    >>> lexical_maxsim_many("search engine", ["engines that search", "gardening", ["engine"]])
    array([0.92857143, 0.30769231, 0.5       ])
    """
    workers = as_threads(threads)
    asked, chosen, counts = _weighed(query, weights, stats)
    return _core.lexical_scores(asked, documents, chosen, counts, workers)


def lexical_matches(
    query: str | Sequence[str],
    document: str | Sequence[str],
    *,
    weights: TokenWeights = "specificity",
    stats: CorpusStats | None = None,
) -> list[TokenMatch]:
    """Which token of a document each token of a query met: why `lexical_maxsim` is what it is.

    Parameters
    ----------
    query, document : str or list of str
        A text, or tokens, which are taken as they are but for being composed (NFC).
    weights, stats
        As in `lexical_maxsim_many`.

    Returns
    -------
    list of TokenMatch
        One for each token of the query, in its order.

    Raises
    ------
    TypeError, InvalidArgumentError
        As in `lexical_maxsim_many`.

    Examples
    --------
    >>> for match in lexical_matches("fast indexes", "A fast index of rows"):
    ...     print(match.query_token, match.weight, match.document_token, round(match.similarity, 2))
    fast 1.0 fast 1.0
    indexes 1.0 index 0.71
    """
    asked, chosen, counts = _weighed(query, weights, stats)
    return [TokenMatch(*match) for match in _core.lexical_matches(asked, document, chosen, counts)]


_Weighed = tuple[str | Sequence[str], list[float] | None, _core.CorpusStats | None]


def _weighed(query: str | Sequence[str], weights: TokenWeights, stats: CorpusStats | None) -> _Weighed:
    """Check the options; the query, weights that were asked for one by one, and counts for idf."""
    if isinstance(weights, str):
        choose(weights, _WORDS, "weights")
    elif not callable(weights):
        words = ", ".join(repr(word) for word in _WORDS)
        raise TypeError(f"weights must be one of {words}, or a callable, not {type(weights).__name__}")
    if stats is not None and not isinstance(stats, CorpusStats):
        raise TypeError(f"stats must be a CorpusStats, not {type(stats).__name__}")
    if weights == "idf":
        if stats is None:
            raise InvalidArgumentError('weights="idf" needs stats=, a CorpusStats of the collection')
        if isinstance(query, str) and stats.tokenizer is not tokenize:
            raise InvalidArgumentError(
                "stats was counted with another tokenizer than tokenize, which cuts this query, so it knows "
                "other tokens; count it as CorpusStats(texts), or pass the query as a list of tokens"
            )
        return query, None, stats._counts
    if stats is not None:
        raise InvalidArgumentError('stats is used by weights="idf" alone; leave it out, or ask for "idf"')
    if isinstance(weights, str):
        return query, None, None
    tokens = tokenize(query) if isinstance(query, str) else _as_tokens(query)
    by_token = {token: _as_token_weight(weights(token), token) for token in dict.fromkeys(tokens)}
    return tokens, [by_token[token] for token in tokens], None


def _as_tokens(query: Sequence[str]) -> list[str]:
    require_order(query, "query", "str")
    try:
        tokens = list(query)
    except TypeError:
        raise TypeError(f"query must be a str or a list of tokens, not {type(query).__name__}") from None
    for place, token in enumerate(tokens):
        if not isinstance(token, str):
            raise TypeError(f"query[{place}] must be a str, not {type(token).__name__}")
    return [clean_text(token) for token in tokens]


def _as_token_weight(weight: float, token: str) -> float:
    number = as_number(weight, f"the weight of token {token!r}")
    if number < 0.0:
        raise InvalidArgumentError(f"the weight of token {token!r} is {number}; it must not be negative")
    return number
