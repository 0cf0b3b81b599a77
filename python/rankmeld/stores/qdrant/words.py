"""Texts as sparse vectors whose product with a query's is BM25.

A document's entry for a word holds what BM25 makes of its count and of the text's length; the weight of
the word itself, which depends on all documents, is Qdrant's part: the IDF modifier applies it to each query.
"""

from __future__ import annotations

import zlib
from collections import Counter
from typing import NamedTuple

from rankmeld.stores.stems import Stems

__all__ = ["SparseWords", "Words"]

_K1 = 1.2
_B = 0.75


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


class Words:
    """Turns texts into sparse vectors.

    Parameters
    ----------
    language : str or None
        Whose endings are taken off, see `rankmeld.stores.stems`.
    average_length : float
        Words of a document that is neither short nor long, above 0. Qdrant keeps no count of them.
    """

    def __init__(self, language: str | None, average_length: float) -> None:
        self.language = language
        self.average_length = average_length
        self._stems = Stems(language)

    def of_document(self, text: str) -> SparseWords:
        """The words of title, topic and text."""
        stems = self._stems.of_text(text)
        stretch = _K1 * (1.0 - _B + _B * len(stems) / self.average_length)
        counts = sorted(Counter(map(_index, stems)).items())
        return SparseWords(
            [index for index, _ in counts],
            [count * (_K1 + 1.0) / (count + stretch) for _, count in counts],
        )

    def of_query(self, query: str) -> SparseWords:
        """The words of a query; each counts once."""
        indices = sorted(set(map(_index, self._stems.of_text(query))))
        return SparseWords(indices, [1.0] * len(indices))


def _index(stem: str) -> int:
    return zlib.crc32(stem.encode("utf-8", "replace"))
