"""Words as stores keep them whose database does not cut texts itself: cut, stemmed, without accents."""

from __future__ import annotations

import functools
import unicodedata

from rankmeld._options import choose
from rankmeld.stores.query_text import parted
from rankmeld.text import SNOWBALL_LANGUAGES, bm25_tokenize

__all__ = ["Stems", "as_language"]

#: Words whose stems are remembered, for each language.
_REMEMBERED = 1 << 16

#: The languages whose words can be stemmed.
_LANGUAGES = ("light", *SNOWBALL_LANGUAGES)


def as_language(language: str | None) -> str | None:
    """A language whose endings can be taken off, or ``None`` for words as they are."""
    return None if language is None else choose(language, _LANGUAGES, "language")


class Stems:
    """Turns texts into stems.

    Parameters
    ----------
    language : str or None
        Whose endings are taken off, see `as_language`.
    """

    def __init__(self, language: str | None) -> None:
        self._of_word = functools.lru_cache(_REMEMBERED)(functools.partial(_of_word, language=language))

    def of_text(self, text: str) -> list[str]:
        """The stems of a text, in order."""
        return [stem for word in parted(text) for stem in self._of_word(word)]


def _of_word(word: str, *, language: str | None) -> tuple[str, ...]:
    """The stems of a word: one, except where scripts are written without spaces."""
    # The ending of a number, or of a name with one, says something.
    stemmed = not any(map(str.isnumeric, word))
    stems = (bm25_tokenize(word, stemmer=language) if stemmed else []) or [word]
    return tuple(map(_without_accents, stems))


def _without_accents(stem: str) -> str:
    """Taken off after stemming, which knows them; marks of other scripts than Latin's kind stay."""
    if stem.isascii():
        return stem
    parts = unicodedata.normalize("NFD", stem)
    return (
        unicodedata.normalize("NFC", "".join(part for part in parts if not "\u0300" <= part <= "\u036f"))
        or stem
    )
