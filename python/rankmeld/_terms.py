"""How texts become terms: by the built-in tokenizer, inside the core, or by a caller's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from rankmeld.text import bm25_tokenize, clean_text

__all__ = ["TermReader", "Tokenizer"]

#: From a text to its terms.
Tokenizer = Callable[[str], Iterable[str]]


class TermReader:
    """Reads terms with one tokenizer.

    Parameters
    ----------
    tokenizer : callable
        `bm25_tokenize`, that with a stemmer bound by `functools.partial`, or any callable from a
        text to its terms.

    Attributes
    ----------
    tokenizer : callable
        As it was given.
    built_in : bool
        Whether the core reads texts by itself.
    stemmer : str or None
        The built-in tokenizer's stemmer.
    """

    __slots__ = ("built_in", "stemmer", "tokenizer")

    def __init__(self, tokenizer: Tokenizer) -> None:
        if not callable(tokenizer):
            raise TypeError(
                f"tokenizer must be a callable from a text to its terms, not {type(tokenizer).__name__}"
            )
        self.tokenizer = tokenizer
        self.built_in = tokenizer is bm25_tokenize or _has_stemmer_bound(tokenizer)
        self.stemmer: str | None = "light"
        if isinstance(tokenizer, partial) and self.built_in:
            self.stemmer = tokenizer.keywords.get("stemmer", "light")
            bm25_tokenize("", stemmer=self.stemmer)  # a stemmer that there is not is refused now

    def terms(self, text: str, name: str) -> list[str]:
        """The terms of a text, composed (NFC); `name` is how messages call it."""
        if self.built_in:
            return bm25_tokenize(text, stemmer=self.stemmer)
        given: Any = self.tokenizer(text)
        if isinstance(given, str | bytes) or not isinstance(given, Iterable):
            raise TypeError(f"tokenizer must give a list of str, and gave {_kind(given)} for {name}")
        terms = list(given)
        for place, term in enumerate(terms):
            if not isinstance(term, str):
                raise TypeError(
                    f"tokenizer must give a list of str, and gave {_kind(term)} at place {place} for {name}"
                )
        return [term if term.isascii() else clean_text(term) for term in terms]

    def of_query(self, query: str, name: str = "query") -> str | list[str]:
        """What the core takes for a query: the text itself where it reads texts, else its terms."""
        if not isinstance(query, str):
            raise TypeError(f"{name} must be a str, not {type(query).__name__}")
        return query if self.built_in else self.terms(query, name)

    def same_as(self, other: TermReader) -> bool:
        """Whether both give the same terms, as far as one can tell."""
        if self.built_in or other.built_in:
            return self.built_in and other.built_in and self.stemmer == other.stemmer
        return self.tokenizer == other.tokenizer


def _has_stemmer_bound(tokenizer: object) -> bool:
    return (
        isinstance(tokenizer, partial)
        and tokenizer.func is bm25_tokenize
        and not tokenizer.args
        and tokenizer.keywords.keys() <= {"stemmer"}
    )


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"
