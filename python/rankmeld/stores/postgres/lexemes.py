"""Texts as PostgreSQL indexes them: tsvectors and tsqueries made of our own words.

PostgreSQL's parser takes ``end.of`` for a host and ``a/b`` for a file, and what is a letter to it depends
on the server's locale. So words are cut, stemmed and folded here, and the server is handed lexemes.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from rankmeld.stores.rows import Row
from rankmeld.stores.stems import Stems
from rankmeld.text import clean_text

__all__ = ["Lexemes", "Words", "query_lexemes", "without_nul"]

#: PostgreSQL keeps so many places of a lexeme, and places up to this one.
_MOST_PLACES = 255
_LAST_PLACE = 16_383

#: Longer lexemes are known by their digest: the index takes no more than 2 KB.
_LONGEST_LEXEME = 400

#: Title and topic are marked, so that one's own SQL can weigh them.
_WEIGHTS = ("A", "B", "")


class Words(NamedTuple):
    """The words of a document.

    Attributes
    ----------
    vector : str
        A tsvector, as PostgreSQL reads it.
    length : int
        How many words there are.
    """

    vector: str
    length: int


class Lexemes:
    """Turns texts into lexemes.

    Parameters
    ----------
    language : str
        Whose endings are taken off.
    """

    def __init__(self, language: str) -> None:
        self._stems = Stems(language)

    def of_text(self, text: str) -> list[str]:
        """The lexemes of a text, in order."""
        return list(map(_bounded, self._stems.of_text(text)))

    def of_row(self, row: Row) -> Words:
        """The words of title, topic and text as one tsvector."""
        places: dict[str, list[str]] = {}
        place = 0
        for text, weight in zip((row.title, row.topic, row.text), _WEIGHTS, strict=True):
            for lexeme in self.of_text(text):
                place += 1
                where = places.setdefault(lexeme, [])
                if len(where) < _MOST_PLACES:
                    where.append(f"{min(place, _LAST_PLACE)}{weight}")
        return Words(" ".join(f"{_quoted(lexeme)}:{','.join(at)}" for lexeme, at in places.items()), place)


def query_lexemes(query: str, lexemes: Lexemes) -> list[str]:
    """The distinct lexemes of a query in order of appearance, each as a tsquery."""
    return [_quoted(lexeme) for lexeme in dict.fromkeys(lexemes.of_text(query))]


def without_nul(text: str) -> str:
    """A text as a column can hold it: composed, and each NUL read as U+FFFD."""
    return clean_text(text).replace("\0", "\ufffd")


def _bounded(lexeme: str) -> str:
    encoded = lexeme.encode()
    return lexeme if len(encoded) <= _LONGEST_LEXEME else hashlib.sha256(encoded).hexdigest()


def _quoted(lexeme: str) -> str:
    doubled = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
