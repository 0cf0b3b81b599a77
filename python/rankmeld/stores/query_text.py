"""A query as a person types it, turned into full-text queries: any text is words, never syntax."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from rankmeld.text import clean_text

__all__ = ["match_expressions", "query_terms"]

#: Terms per full-text query. More would make each step of the index visit all of them.
_TERMS_AT_ONCE = 256


def query_terms(query: str) -> list[str]:
    """Cut a query into its distinct terms, in order of appearance.

    Terms are runs of letters, digits, marks and private-use characters: what the index's
    tokenizer takes for tokens. Everything else, punctuation and operators included, parts them.

    Parameters
    ----------
    query : str
        Any text.

    Returns
    -------
    list of str
        Lower-cased terms; empty for a query without any.

    Examples
    --------
    >>> query_terms('title:"state-of-the-art" AND NEAR(state*)')
    ['title', 'state', 'of', 'the', 'art', 'and', 'near']
    """
    parted = clean_text(query).lower().translate(_Parting())
    return list(dict.fromkeys(parted.split()))


class _Parting(dict[int, int]):
    """A translation table that learns, character by character, which ones part terms."""

    def __missing__(self, code: int) -> int:
        kind = unicodedata.category(chr(code))
        self[code] = code if kind[0] in "LNM" or kind == "Co" else ord(" ")
        return self[code]


def match_expressions(query: str) -> Iterator[str]:
    """Give the FTS5 expressions that together match any term of a query.

    A document's BM25 score is a sum over terms, so the scores of the expressions add up to the
    score of the whole query, however long it is.

    Parameters
    ----------
    query : str
        Any text.

    Yields
    ------
    str
        Quoted terms joined by ``OR``; nothing for a query without terms.
    """
    terms = query_terms(query)
    for start in range(0, len(terms), _TERMS_AT_ONCE):
        yield " OR ".join(f'"{term}"' for term in terms[start : start + _TERMS_AT_ONCE])
