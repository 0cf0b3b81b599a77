"""What is known of a collection: how many texts hold each token, and how long the texts are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Self

from rankmeld import _core
from rankmeld._files import FileKind, load_parts, save_parts
from rankmeld.document import no_text
from rankmeld.errors import FormatError, InvalidArgumentError
from rankmeld.text import bm25_tokenize, tokenize

__all__ = ["CorpusStats"]

#: Cuts a text into tokens.
Tokenizer = Callable[[str], Iterable[str]]

#: Tokenizers that are known by name, in files too.
_BUILT_IN: dict[str, Tokenizer] = {"tokenize": tokenize, "bm25_tokenize": bm25_tokenize}

_KIND = FileKind("corpus stats", 1, "file of corpus statistics")

#: How many texts are held in memory at once.
_AT_ONCE = 4_096


class CorpusStats:
    """Counts of a collection's tokens, for weights by rarity.

    Texts are added and removed at any time. A call that fails changes nothing, and many threads may
    read and change the counts at once.

    Parameters
    ----------
    texts : iterable of str, optional
        The first texts; read once.
    tokenizer : callable, default `tokenize`
        From a text to its tokens. `tokenize` and `bm25_tokenize` run without Python; for BM25 the
        counts must be made with the tokenizer of the scores.

    Raises
    ------
    TypeError
        `texts` is no iterable of `str`, `tokenizer` is not callable, or gave something other than
        strings.

    See Also
    --------
    lexical_maxsim_many : takes counts as ``stats=`` for ``weights="idf"``.

    Examples
    --------
    >>> stats = CorpusStats(["a red house", "the red car", "the sea"])
    >>> stats.document_count, stats.document_frequency("red")
    (3, 2)
    >>> stats.remove(["the sea"])
    >>> stats.document_frequency("the")
    1
    """

    __slots__ = ("_counts", "_tokenizer")
    __hash__ = None  # type: ignore[assignment]  # counts change

    def __init__(self, texts: Iterable[str] = (), *, tokenizer: Tokenizer = tokenize) -> None:
        if not callable(tokenizer):
            raise TypeError(f"tokenizer must be a callable, not {type(tokenizer).__name__}")
        self._tokenizer = tokenizer
        self._counts = self._count(texts)

    def add(self, texts: Iterable[str]) -> None:
        """Add texts to the collection; all of them, or on an error none.

        Parameters
        ----------
        texts : iterable of str
            Read once.

        Raises
        ------
        TypeError
            As for the class.

        Notes
        -----
        Linear in the length of the texts. Texts are read by a few thousand at once, so an iterator
        may go on for longer than memory is large.
        """
        self._counts.merge(self._count(texts))

    def remove(self, texts: Iterable[str]) -> None:
        """Remove texts from the collection: the exact inverse of `add`.

        Parameters
        ----------
        texts : iterable of str
            Texts that were added, as they were then.

        Raises
        ------
        InvalidArgumentError
            The counts show that a text was never added. Nothing is removed then.
        TypeError
            As for the class.
        """
        self._counts.subtract(self._count(texts))

    @property
    def tokenizer(self) -> Tokenizer:
        """What cuts the texts."""
        return self._tokenizer

    @property
    def document_count(self) -> int:
        """How many texts there are."""
        return self._counts.texts

    @property
    def total_length(self) -> int:
        """How many tokens all texts have together, repeated ones as often as they are there."""
        return self._counts.length

    @property
    def average_length(self) -> float:
        """How many tokens a text has on average; 0.0 for no texts."""
        return self._counts.average_length

    def document_frequency(self, token: str) -> int:
        """How many texts hold a token.

        Parameters
        ----------
        token : str
            As the tokenizer gives it.

        Raises
        ------
        TypeError
            If it is no `str`.
        """
        return self._counts.frequency(token)

    def idf(self, token: str) -> float:
        """Inverse document frequency, ``ln(1 + (N - n + 0.5) / (n + 0.5))``.

        N is `document_count`, n the token's `document_frequency`. Never negative; the largest for
        a token that no text holds.

        Parameters
        ----------
        token : str
            As the tokenizer gives it.

        Raises
        ------
        TypeError
            If it is no `str`.
        """
        return self._counts.idf(token)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the counts to a file; on an error or a crash, what was there before still is.

        Parameters
        ----------
        path : str or os.PathLike
            The file. A symbolic link is followed, and stays.

        Raises
        ------
        InvalidArgumentError
            `path` names no file.
        OSError
            It cannot be written.

        Notes
        -----
        A built-in tokenizer is saved by its name. Another one is not saved, and `load` asks for it.
        """
        name = self._built_in or ""
        save_parts(path, _KIND, [name.encode(), self._counts.to_bytes()])

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, tokenizer: Tokenizer | None = None) -> Self:
        """Read counts that `save` wrote.

        Parameters
        ----------
        path : str or os.PathLike
            The file.
        tokenizer : callable, optional
            The one that the counts were made with; needed if it is not built in, and refused if the
            file names another.

        Returns
        -------
        CorpusStats
            Equal to what was saved.

        Raises
        ------
        FormatError
            The file is damaged, something else, or from a newer version.
        InvalidArgumentError
            `tokenizer` is missing, or not the file's.
        OSError
            The file cannot be read.
        """
        if tokenizer is not None and not callable(tokenizer):
            raise TypeError(f"tokenizer must be a callable, not {type(tokenizer).__name__}")
        _, parts = load_parts(path, _KIND)
        try:
            name, counts = parts[0].decode(), _core.CorpusStats.from_bytes(parts[1])
        except (IndexError, ValueError) as error:
            raise FormatError("the counts in this file contradict themselves; make it again", path) from error
        return cls._made(counts, _agreed(name, tokenizer, os.fspath(path)))

    def _count(self, texts: Iterable[str]) -> _core.CorpusStats:
        """Count texts apart, so that what fails has changed nothing."""
        counted = _core.CorpusStats()
        name = self._built_in
        for first, some in _batches(texts):
            if name is not None:
                counted.merge(_core.CorpusStats.of_texts(some, name))
            else:
                counted.merge(_core.CorpusStats.of_tokens([self._tokenizer(text) for text in some], first))
        return counted

    @property
    def _built_in(self) -> str | None:
        """The name of the tokenizer, if it is one of ours."""
        return next((name for name, known in _BUILT_IN.items() if known is self._tokenizer), None)

    @classmethod
    def _made(cls, counts: _core.CorpusStats, tokenizer: Tokenizer) -> Self:
        made = cls(tokenizer=tokenizer)
        made._counts = counts
        return made

    def __eq__(self, other: object) -> bool:
        """Equal counts by the same tokenizer."""
        if not isinstance(other, CorpusStats):
            return NotImplemented
        return self._tokenizer == other._tokenizer and self._counts.equals(other._counts)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy: the counts as bytes, the tokenizer as pickle does it."""
        return _unpickled, (type(self), self._counts.to_bytes(), self._tokenizer)

    def __repr__(self) -> str:
        name = getattr(self._tokenizer, "__name__", repr(self._tokenizer))
        counts = self._counts
        texts = f"{counts.texts} {'text' if counts.texts == 1 else 'texts'}"
        tokens = f"{counts.distinct} distinct {'token' if counts.distinct == 1 else 'tokens'}"
        return f"CorpusStats({texts}, {tokens}, tokenizer={name})"


def _unpickled(kind: type[CorpusStats], counts: bytes, tokenizer: Tokenizer) -> CorpusStats:
    return kind._made(_core.CorpusStats.from_bytes(counts), tokenizer)


def _batches(texts: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Some texts at once, each time with the place of the first of them."""
    if isinstance(texts, str):
        raise TypeError("texts must be an iterable of str, not a str; to pass one text alone, write [text]")
    if hasattr(texts, "columns") and hasattr(texts, "shape"):
        raise TypeError(
            f"texts must be an iterable of str, not a {type(texts).__name__}; pass one of its columns, as "
            'frame["text"]'
        )
    try:
        left = iter(texts)
    except TypeError:
        raise TypeError(f"texts must be an iterable of str, not {type(texts).__name__}") from None
    before = 0
    while some := list(islice(left, _AT_ONCE)):
        for place, text in enumerate(some, start=before):
            if not isinstance(text, str):
                raise TypeError(f"texts[{place}] must be a str, not {no_text(text)}")
        yield before, some
        before += len(some)


def _agreed(name: str, tokenizer: Tokenizer | None, path: str) -> Tokenizer:
    """The tokenizer of a file that names this one, or none."""
    if name and name not in _BUILT_IN:
        raise FormatError(f"the counts were made with the tokenizer {name!r}, which is not known here", path)
    if not name:
        if tokenizer is None or tokenizer in _BUILT_IN.values():
            raise InvalidArgumentError(
                f"the counts in {path} were made with a tokenizer of one's own, which no file can hold; "
                "pass it as tokenizer="
            )
        return tokenizer
    if tokenizer is not None and tokenizer is not _BUILT_IN[name]:
        raise InvalidArgumentError(
            f"the counts in {path} were made with rankmeld.{name}, and tokenizer= is another; leave it out"
        )
    return _BUILT_IN[name]
