"""Text as rankmeld reads it: composed, without lone surrogates; folded, tokens, sentences."""

from __future__ import annotations

import re

from rankmeld import _core
from rankmeld._options import choose

__all__ = [
    "SNOWBALL_LANGUAGES",
    "bm25_tokenize",
    "clean_text",
    "fold_text",
    "is_blank",
    "light_stem",
    "sentences",
    "tokenize",
    "white_space_words",
]

#: The languages of the Snowball stemmers, for `bm25_tokenize`.
SNOWBALL_LANGUAGES: tuple[str, ...] = tuple(_core.snowball_languages())
_STEMMERS = ("light", *SNOWBALL_LANGUAGES)

# Unicode White_Space. `str.split` would also split at U+001C to U+001F, which are not in it.
_SPACES = "\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WHITE_SPACE = re.compile(f"[{_SPACES}]+")
_SAYING_SOMETHING = re.compile(f"[^{_SPACES}]")


def clean_text(text: str) -> str:
    r"""Compose a text (NFC) and read each lone surrogate as U+FFFD.

    Parameters
    ----------
    text : str
        Any text, surrogates from broken JSON or file names included.

    Returns
    -------
    str
        A text that can be encoded as UTF-8.

    Examples
    --------
    >>> clean_text("cafe\u0301")
    'café'
    >>> clean_text("a\ud800b") == "a\ufffdb"
    True
    """
    return text if text.isascii() else _core.clean_text(text)


def fold_text(text: str) -> str:
    r"""Bring a text into the form in which texts are compared for equality.

    Composed (NFC), fully case folded, runs of Unicode white space as one space, trimmed.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        The folded text; empty for a blank one.

    Examples
    --------
    >>> fold_text("  Straße \n  ONE ")
    'strasse one'
    """
    if text.isascii():  # bytes split at the white space of ASCII, and fast
        return b" ".join(text.lower().encode("ascii").split()).decode("ascii")
    folded = clean_text(clean_text(text).casefold())
    return _WHITE_SPACE.sub(" ", folded).strip(" ")


def white_space_words(text: str) -> list[str]:
    r"""Cut a text at Unicode white space, and nowhere else.

    Parameters
    ----------
    text : str
        Any text; it is composed (NFC), and lone surrogates are read as U+FFFD.

    Returns
    -------
    list of str
        The pieces in order, none of them empty.

    Examples
    --------
    >>> white_space_words(" one,\u3000two\n")
    ['one,', 'two']
    """
    return [word for word in _WHITE_SPACE.split(clean_text(text)) if word]


def is_blank(text: str) -> bool:
    r"""Whether a text is empty or white space alone.

    Parameters
    ----------
    text : str
        Any text.

    Examples
    --------
    >>> is_blank(" \u3000 "), is_blank(" . ")
    (True, False)
    """
    # `str.isspace` knows a few more spaces than Unicode does, so it can only say no for sure.
    return not text or (text.isspace() and _SAYING_SOMETHING.search(text) is None)


def tokenize(text: str) -> list[str]:
    """Cut a text into lower-cased tokens that keep the words of code whole.

    A token is a run of letters, decimal digits and underscores, with the marks and joiners inside
    it. In Han, Hiragana, Katakana, Thai, Lao, Khmer and Myanmar, which have no spaces between
    words, each character is a token of its own, with its marks. Other runs of one character are
    dropped.

    Parameters
    ----------
    text : str
        Any text; it is composed (NFC) first, and lone surrogates are read as U+FFFD.

    Returns
    -------
    list of str
        The tokens in order.

    Raises
    ------
    TypeError
        If `text` is no `str`.

    See Also
    --------
    bm25_tokenize : words and stems, for lexical search.

    Notes
    -----
    Linear in the length of the text.

    Examples
    --------
    >>> tokenize("func HandleSearch_Hybrid(ctx context.Context)")
    ['func', 'handlesearch_hybrid', 'ctx', 'context', 'context']
    >>> tokenize("東京2020 v2.0")
    ['東', '京', '2020', 'v2']
    """
    return _core.tokenize(text)


def bm25_tokenize(text: str, *, stemmer: str | None = "light") -> list[str]:
    """Cut a text into the terms that BM25 counts.

    The text is brought to NFKC and lower case. Terms are words of two letters or more, runs of
    decimal digits, and single ideographs of Han. Words are stemmed.

    Parameters
    ----------
    text : str
        Any text; lone surrogates are read as U+FFFD.
    stemmer : str, optional
        ``"light"`` for `light_stem`, a language of `SNOWBALL_LANGUAGES`, or `None` for words as
        they are.

    Returns
    -------
    list of str
        The terms in order.

    Raises
    ------
    TypeError
        If `text` is no `str`.
    InvalidArgumentError
        If there is no such stemmer.

    See Also
    --------
    tokenize : tokens that keep the words of code whole.

    Notes
    -----
    Linear in the length of the text. Marks and joiners inside a word belong to it and are no
    letters of their own. Words of more than 256 bytes are not stemmed by Snowball's algorithms
    [1]_, and a stem that would be empty leaves the word as it is. Lower case goes word by word, so
    a Greek final sigma is the same whatever follows the word.

    References
    ----------
    .. [1] M. F. Porter, "Snowball: A language for stemming algorithms", 2001.

    Examples
    --------
    >>> bm25_tokenize("HTTP2 queries in Python3")
    ['http', '2', 'query', 'in', 'python', '3']
    >>> bm25_tokenize("running connections", stemmer="english")
    ['run', 'connect']
    """
    if stemmer is not None:
        choose(stemmer, _STEMMERS, "stemmer")
    return _core.bm25_tokenize(text, stemmer)


def light_stem(word: str) -> str:
    """Take the plural's ending off an English word.

    ``rode`` and ``riding`` give ``ride``. A word of up to four characters, or one that ends in
    ``ss``, stays; ``sses`` becomes ``ss``, ``ies`` becomes ``y``, and another final ``s`` goes.

    Parameters
    ----------
    word : str
        A lower-cased word.

    Returns
    -------
    str
        The stem, composed (NFC).

    Raises
    ------
    TypeError
        If `word` is no `str`.

    Examples
    --------
    >>> [light_stem(word) for word in ("queries", "classes", "vectors", "news")]
    ['query', 'class', 'vector', 'news']
    """
    return _core.light_stem(word)


def sentences(text: str) -> list[str]:
    """Cut a text into sentences.

    A sentence ends at ``.``, ``!``, ``?`` or ``;`` before white space or the end of the text, at
    a line break, and at the full-width marks wherever they stand. It keeps its mark and loses the
    white space around it. So ``main.go`` and ``3.14`` are not cut.

    Parameters
    ----------
    text : str
        Any text; lone surrogates are read as U+FFFD.

    Returns
    -------
    list of str
        The sentences in order, none of them blank.

    Raises
    ------
    TypeError
        If `text` is no `str`.

    Notes
    -----
    Linear in the length of the text.

    Examples
    --------
    >>> sentences("Open main.go first. Is pi 3.14? Yes")
    ['Open main.go first.', 'Is pi 3.14?', 'Yes']
    """
    return _core.sentences(text)
