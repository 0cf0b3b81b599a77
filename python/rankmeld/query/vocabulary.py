"""The words by which one kind of question is told from another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rankmeld._core import QueryWords
from rankmeld._options import as_list, require_order
from rankmeld.errors import InvalidArgumentError
from rankmeld.text import is_blank, white_space_words

__all__ = ["DEFAULT_QUERY_VOCABULARY", "ENGLISH", "SPANISH", "QueryVocabulary"]


@dataclass(frozen=True, init=False)
class QueryVocabulary:
    """Words and phrases that say what a question asks for.

    A frozen record that compares and hashes by its words. They match in any case and however they
    are composed, as whole words or with a plural ``s``, with any white space inside a phrase. One
    that ends in ``*`` matches as the beginning of a word. A word is bounded by anything but
    letters, digits, marks and underscores.

    Parameters
    ----------
    multi_hop : iterable of str, default ()
        Words of questions about how things hang together: causes, effects, dependencies.
    architecture : iterable of str, default ()
        Words of questions about the whole of a system.
    declarations : iterable of str, default ()
        Words that stand before an identifier in code, such as ``func``. They match whole.

    Raises
    ------
    TypeError
        What should be a list of `str` is not.
    InvalidArgumentError
        A word is blank, or has a ``*`` elsewhere than after its last letter; a declaration is more
        than one word.

    Notes
    -----
    Making one takes time linear in its words, and `extended` makes a new one, so keep those that you use.

    Examples
    --------
    >>> import rankmeld as rm
    >>> german = rm.QueryVocabulary(multi_hop=["warum", "abhäng*"], architecture=["überblick"])
    >>> rm.classify_query("Wovon ist der Dienst abhängig?", vocabulary=german)
    <QueryTier.MULTI_HOP_GRAPH: 'multi_hop_graph'>
    """

    multi_hop: tuple[str, ...]
    architecture: tuple[str, ...]
    declarations: tuple[str, ...]
    #: The same words as the core reads them.
    compiled: QueryWords = field(repr=False, compare=False)

    def __init__(
        self,
        *,
        multi_hop: Iterable[str] = (),
        architecture: Iterable[str] = (),
        declarations: Iterable[str] = (),
    ) -> None:
        set_field = object.__setattr__  # as a frozen record does in its own
        set_field(self, "multi_hop", _phrases(multi_hop, "multi_hop"))
        set_field(self, "architecture", _phrases(architecture, "architecture"))
        set_field(self, "declarations", _declarations(declarations))
        words = QueryWords(list(self.multi_hop), list(self.architecture), list(self.declarations))
        set_field(self, "compiled", words)

    def extended(
        self,
        *,
        multi_hop: Iterable[str] = (),
        architecture: Iterable[str] = (),
        declarations: Iterable[str] = (),
    ) -> QueryVocabulary:
        """These words and some more, as a new vocabulary.

        Parameters
        ----------
        multi_hop, architecture, declarations : iterable of str, default ()
            What is added to each list; a word that is there already is not added again.

        Returns
        -------
        QueryVocabulary
            This one stays as it is.

        Examples
        --------
        >>> import rankmeld as rm
        >>> ours = rm.DEFAULT_QUERY_VOCABULARY.extended(multi_hop=["vs"])
        >>> rm.classify_query("Redis vs. our own cache", vocabulary=ours)
        <QueryTier.MULTI_HOP_GRAPH: 'multi_hop_graph'>
        """
        return QueryVocabulary(
            multi_hop=_union(self.multi_hop, _phrases(multi_hop, "multi_hop")),
            architecture=_union(self.architecture, _phrases(architecture, "architecture")),
            declarations=_union(self.declarations, _declarations(declarations)),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the words; what is made of them is made again."""
        return _unpickled, (self.multi_hop, self.architecture, self.declarations)


def _unpickled(
    multi_hop: tuple[str, ...], architecture: tuple[str, ...], declarations: tuple[str, ...]
) -> QueryVocabulary:
    return QueryVocabulary(multi_hop=multi_hop, architecture=architecture, declarations=declarations)


def _phrases(words: Any, name: str) -> tuple[str, ...]:
    """The words of one list, each of them one that can be found."""
    require_order(words, name, "str")
    listed = tuple(as_list(words, name, alone="to pass one word alone, write [word]"))
    for place, word in enumerate(listed):
        if not isinstance(word, str):
            raise TypeError(f"{name}[{place}] must be a str, not {type(word).__name__}")
        beginning = word.rstrip().removesuffix("*")
        if is_blank(word):
            raise InvalidArgumentError(f"{name}[{place}] is blank; leave it out")
        if "*" in beginning or is_blank(beginning[-1:]):
            raise InvalidArgumentError(
                f"{name}[{place}] is {word!r}; a * stands only at the end, after the beginning of a word"
            )
    return listed


def _declarations(words: Any) -> tuple[str, ...]:
    listed = _phrases(words, "declarations")
    for place, word in enumerate(listed):
        if len(white_space_words(word)) != 1 or "*" in word:
            raise InvalidArgumentError(f"declarations[{place}] is {word!r}; it must be one word, without *")
    return listed


def _union(known: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *more)))


_DECLARATIONS = ("func", "struct", "type", "class", "interface", "const", "var")

#: English words. The starred ones are beginnings.
ENGLISH = QueryVocabulary(
    multi_hop=(
        "why",
        "impact*",
        "depend*",
        "connect",
        "connects",
        "connected",
        "connection between",
        "relate",
        "relates",
        "related",
        "relation*",
        "caused by",
        "flow",
        "workflow",
        "cycle",
        "trace",
        "blast radius",
        "blast_radius",
        "break",
        "breaking",
        "affect*",
    ),
    architecture=(
        "architecture",
        "overview",
        "structure",
        "module",
        "high level",
        "communities",
        "explain system",
    ),
    declarations=_DECLARATIONS,
)

#: Spanish words. Those of code are English everywhere.
SPANISH = QueryVocabulary(
    multi_hop=(
        "por que",
        "por qué",
        "impact*",
        "depend*",
        "dependencia*",
        "conecta*",
        "relación",
        "causa",
        "flujo",
        "workflow",
        "ciclo",
        "trazabilidad",
        "rompe",
        "afecta*",
    ),
    architecture=(
        "arquitectura",
        "resumen general",
        "estructura",
        "módulos",
        "alto nivel",
        "comunidades",
    ),
    declarations=_DECLARATIONS,
)

#: The words of `classify_query` where none are given: English and Spanish.
DEFAULT_QUERY_VOCABULARY = ENGLISH.extended(multi_hop=SPANISH.multi_hop, architecture=SPANISH.architecture)
