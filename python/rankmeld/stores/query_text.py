"""A query as a person types it, turned into full-text queries: any text is words, never syntax."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterator

from rankmeld.text import clean_text

__all__ = ["match_expressions", "parted", "query_terms", "separators"]

#: Terms per full-text query. More would make each step of the index visit all of them.
_TERMS_AT_ONCE = 256

#: Unicode has assigned no symbol, punctuation or control character beyond, except invisible tags.
_LAST_SYMBOL = 0x1FFFF


def query_terms(query: str) -> list[str]:
    """Cut a query into its distinct terms, in order of appearance.

    Symbols, punctuation, white space and control characters part terms, here as in the index. What
    is left may still be more than one token to the index (marks part some scripts); it then
    looks for these tokens side by side.

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
    return list(dict.fromkeys(parted(query)))


def parted(text: str) -> list[str]:
    """Cut a text at symbols, punctuation, white space and control characters; lower-cased, in order."""
    return clean_text(text).lower().translate(_parting()).split()


@functools.cache
def separators() -> str:
    """Every character beyond ASCII that parts terms.

    SQLite knows the characters of Unicode 6.1 and takes later ones for letters: without this list,
    a word would not be found where a newer emoji follows it.
    """
    return "".join(chr(code) for code in range(0x80, _LAST_SYMBOL + 1) if _parts_terms(code))


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


class _Parting(dict[int, int]):
    """A translation table that learns, character by character, which ones part terms."""

    def __missing__(self, code: int) -> int:
        self[code] = ord(" ") if _parts_terms(code) else code
        return self[code]


@functools.cache
def _parting() -> _Parting:
    """One table for all texts: what it has learnt stays right."""
    return _Parting()


def _parts_terms(code: int) -> bool:
    kind = unicodedata.category(chr(code))
    return kind[0] in "SPZ" or kind in ("Cc", "Cf")
