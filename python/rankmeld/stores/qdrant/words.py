"""Texts as sparse vectors whose product with a query's is BM25.

A document's entry for a word holds what BM25 makes of its count and of the text's length; the weight of
the word itself, which depends on all documents, is Qdrant's part: the IDF modifier applies it to each query.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from typing import NamedTuple

from rankmeld.stores.query_text import parted
from rankmeld.text import bm25_tokenize

__all__ = ["AVERAGE_LENGTH", "SparseWords", "words_of_query", "words_of_text"]

#: Words of a document of middling length. Qdrant keeps no count of them, so it is fixed for a collection.
AVERAGE_LENGTH = 256.0

_K1 = 1.2
_B = 0.75

#: Accents: the marks of Latin, Greek and Cyrillic letters, and none that another script spells with.
_ACCENTS = re.compile("[\u0300-\u036f]")

#: What Porter's rules are made for; shorter words they leave alone.
_ENGLISH = re.compile("[a-z]{3,}")


class SparseWords(NamedTuple):
    """A sparse vector.

    Attributes
    ----------
    indices : list of int
        Words, as 32 bits each; distinct, ascending. Two words in four billion share theirs.
    values : list of float
        Their weights.
    """

    indices: list[int]
    values: list[float]


def words_of_text(text: str, average_length: float = AVERAGE_LENGTH) -> SparseWords:
    """The words of a document.

    Parameters
    ----------
    text : str
        Title, topic and text.
    average_length : float
        Words of a document that is neither short nor long, above 0.
    """
    words = _words(text)
    stretch = _K1 * (1.0 - _B + _B * len(words) / average_length)
    counts = sorted(Counter(map(_index, words)).items())
    return SparseWords(
        [index for index, _ in counts],
        [count * (_K1 + 1.0) / (count + stretch) for _, count in counts],
    )


def words_of_query(query: str) -> SparseWords:
    """The words of a query; each counts once."""
    indices = sorted(set(map(_index, _words(query))))
    return SparseWords(indices, [1.0] * len(indices))


def _words(text: str) -> list[str]:
    """Lower-cased words without accents, English ones by Porter's stems, as `SqliteStore` has them."""
    words = parted(_unaccented(text))
    english = [word for word in words if _ENGLISH.fullmatch(word)]
    # Such a word is one term to the tokenizer, so the stems come back one for one.
    stems = iter(bm25_tokenize(" ".join(english), stemmer="porter"))
    return [next(stems) if _ENGLISH.fullmatch(word) else word for word in words]


def _unaccented(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def _index(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "replace"))
