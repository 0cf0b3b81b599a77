"""Rewriting a query before it is searched for: cleaned, corrected, widened, or given a context."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, SupportsIndex

from rankmeld import _core
from rankmeld._options import as_integer, as_list, require_order
from rankmeld.errors import InvalidArgumentError
from rankmeld.text import fold_text, white_space_words

__all__ = [
    "DEFAULT_CORRECTIONS",
    "DEFAULT_PREFIX",
    "DEFAULT_SYNONYMS",
    "expand_synonyms",
    "normalize_query",
    "refine_query",
]

#: Slips of the keyboard that Spanish and English queries about software are full of. Read-only.
DEFAULT_CORRECTIONS: Mapping[str, str] = MappingProxyType(
    {
        "hiso": "hizo",
        "ase": "hace",
        "despliege": "despliegue",
        "habian": "habían",
        "erro": "error",
    }
)

#: What software goes by under several names, in English and Spanish. Read-only.
DEFAULT_SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "error": ("failure", "fallo"),
        "fallo": ("error", "failure"),
        "bug": ("defect", "error"),
        "crash": ("panic", "abort"),
        "fix": ("repair", "arreglo"),
        "arreglo": ("fix", "solución"),
        "test": ("check", "prueba"),
        "prueba": ("test",),
        "deploy": ("release", "despliegue"),
        "despliegue": ("deploy", "release"),
        "config": ("configuration", "settings"),
        "configuración": ("config", "settings"),
        "db": ("database",),
        "database": ("db", "base de datos"),
        "auth": ("authentication", "login"),
        "login": ("auth", "sign in"),
        "repo": ("repository",),
        "docs": ("documentation",),
        "dependency": ("package", "dependencia"),
        "dependencia": ("dependency", "package"),
        "function": ("method", "función"),
        "función": ("function", "method"),
    }
)

#: What `refine_query` puts before a query if nothing else is given.
DEFAULT_PREFIX = "project-context implementation symbols decisions files context"


def normalize_query(query: str, *, corrections: Mapping[str, str] = DEFAULT_CORRECTIONS) -> str:
    """Clean a query of punctuation and of known slips.

    ``¿ ? ¡ ! ;`` become spaces, and ``. , :`` do where they do not stand between two characters of
    words, so that ``main.go``, ``3.14`` and ``10:30`` stay whole; ``://`` stays. White space becomes
    single spaces. Then whole words are corrected by the table, in any case.

    Parameters
    ----------
    query : str
        What was asked.
    corrections : mapping of str to str, optional
        What to put for which word; it replaces `DEFAULT_CORRECTIONS`. Empty: nothing is corrected.
        A word is a run of letters, digits, marks and underscores. Where the one in the query has a
        capital, so has the correction; else it is put as it stands in the table.

    Returns
    -------
    str
        The query, composed (NFC).

    Raises
    ------
    TypeError
        `query` is no `str`, or `corrections` no mapping of `str` to `str`.
    InvalidArgumentError
        What is to be corrected is not one word.

    Notes
    -----
    Linear in the query and the table.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.normalize_query("¿Quién  HISO el despliege, y en main.go?")
    'Quién Hizo el despliegue y en main.go'
    >>> rm.normalize_query("recieve it", corrections={"recieve": "receive"})
    'receive it'
    """
    table = _CORRECTIONS if corrections is DEFAULT_CORRECTIONS else _read_corrections(corrections)
    pieces = _core.query_pieces(query)
    if table:
        for place in range(1, len(pieces), 2):
            correction = table.get(fold_text(pieces[place]))
            if correction is not None:
                pieces[place] = _like(pieces[place], correction)
    return "".join(pieces)


def _like(word: str, correction: str) -> str:
    """The correction, with a capital where the word has one."""
    first = word[0]
    return correction[:1].title() + correction[1:] if first.isupper() or first.istitle() else correction


def expand_synonyms(query: str, *, table: Mapping[str, Iterable[str]] = DEFAULT_SYNONYMS) -> str:
    """Widen a query by other words for its own, joined with ``or``.

    Parameters
    ----------
    query : str
        What was asked; it is normalized first, as `normalize_query` does.
    table : mapping of str to list of str, optional
        Other words, or phrases, for a word, in any case; it replaces `DEFAULT_SYNONYMS`. Synonyms
        are not looked up in turn.

    Returns
    -------
    str
        Each word of the query in order, followed by its synonyms, joined by ``" or "``. No term
        stands there twice, compared in any case: the first stays.

    Raises
    ------
    TypeError
        `query` is no `str`, or `table` no mapping of `str` to lists of `str`.
    InvalidArgumentError
        A word of the table is not one word, or a synonym is blank.

    Notes
    -----
    Linear in the query, the table and the result.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.expand_synonyms("DB error!")
    'DB or database or error or failure or fallo'
    >>> rm.expand_synonyms("ship it", table={"ship": ["deploy", "send out"]})
    'ship or deploy or send out or it'
    """
    synonyms = _SYNONYMS if table is DEFAULT_SYNONYMS else _read_synonyms(table)
    terms: dict[str, str] = {}
    for word in normalize_query(query).split(" "):
        folded = fold_text(word)
        terms.setdefault(folded, word)
        for synonym_folded, synonym in synonyms.get(folded, ()):
            terms.setdefault(synonym_folded, synonym)
    return " or ".join(terms.values())


def refine_query(
    query: str,
    *,
    prefix: str = DEFAULT_PREFIX,
    max_words: SupportsIndex = 40,
    max_chars: SupportsIndex = 320,
) -> str:
    """Put a context before a query, and keep the whole within limits.

    Parameters
    ----------
    query : str
        What was asked.
    prefix : str, optional
        Words that go first.
    max_words : int, default 40
        The most words of the result, those of the prefix included.
    max_chars : int, default 320
        The most characters of the result.

    Returns
    -------
    str
        The words of the prefix, then those of the query that are not there yet in any case,
        with single spaces, up to the first that would go beyond a limit. No word is cut.

    Raises
    ------
    TypeError
        `query` or `prefix` is no `str`, or a limit no integer.
    InvalidArgumentError
        A limit is negative.

    Notes
    -----
    Words are what white space parts; punctuation stays. A prefix that is longer than the limits is
    held to them as well, so nothing is left of the query then.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.refine_query("Files of the retry policy")
    'project-context implementation symbols decisions files context of the retry policy'
    >>> rm.refine_query("one two three", prefix="note", max_words=3)
    'note one two'
    """
    words, chars = _as_size(max_words, "max_words"), _as_size(max_chars, "max_chars")
    refined: list[str] = []
    length = -1  # no space before the first word
    for word in _prefix_then_query(_spaced(prefix, "prefix"), _spaced(query, "query")):
        length += 1 + len(word)
        if len(refined) == words or length > chars:
            break
        refined.append(word)
    return " ".join(refined)


def _prefix_then_query(prefix: list[str], query: list[str]) -> Iterator[str]:
    """The words of the prefix, then those of the query that were not there yet."""
    yield from prefix
    seen = {fold_text(word) for word in prefix}
    for word in query:
        folded = fold_text(word)
        if folded not in seen:
            seen.add(folded)
            yield word


def _spaced(text: Any, name: str) -> list[str]:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {type(text).__name__}")
    return white_space_words(text)


def _as_size(value: SupportsIndex, name: str) -> int:
    size = as_integer(value, name)
    if size < 0:
        raise InvalidArgumentError(f"{name} is {size}; it must be 0 or more")
    return size


def _read_corrections(table: Any) -> dict[str, str]:
    """A table of corrections, by folded word."""
    read: dict[str, str] = {}
    for word, correction in _items(table, "corrections"):
        before, *rest = _core.query_pieces(word)
        if before or len(rest) != 2 or rest[1]:
            raise InvalidArgumentError(
                f"corrections has {word!r}, which is not one word; corrections are for single words, made "
                "of letters, digits, marks and underscores"
            )
        read[fold_text(word)] = _phrase(correction, f"corrections[{word!r}]")
    return read


def _read_synonyms(table: Any) -> dict[str, list[tuple[str, str]]]:
    """A table of synonyms by folded word, each with what it is compared by."""
    read: dict[str, list[tuple[str, str]]] = {}
    for word, synonyms in _items(table, "table"):
        name = f"table[{word!r}]"
        key = fold_text(normalize_query(word))
        if not key or " " in key:
            raise InvalidArgumentError(
                f"table has {word!r}, which is not one word once a query is normalized; synonyms are for "
                "single words"
            )
        require_order(synonyms, name, "str")
        listed = as_list(synonyms, name, alone="to give one alone, write [synonym]")
        phrases = [_phrase(synonym, f"{name}[{place}]") for place, synonym in enumerate(listed)]
        read[key] = [(fold_text(phrase), phrase) for phrase in phrases]
    return read


def _items(table: Any, name: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(table, Mapping):
        raise TypeError(f"{name} must be a mapping of words, not {type(table).__name__}")
    for word, value in table.items():
        if not isinstance(word, str):
            raise TypeError(f"{name} must have str for keys, not {type(word).__name__} ({word!r})")
        yield word, value


def _phrase(text: Any, name: str) -> str:
    """What is put into a query, with single spaces."""
    phrase = " ".join(_spaced(text, name))
    if not phrase:
        raise InvalidArgumentError(f"{name} is blank; give a word, or leave it out")
    return phrase


_CORRECTIONS = _read_corrections(DEFAULT_CORRECTIONS)
_SYNONYMS = _read_synonyms(DEFAULT_SYNONYMS)
