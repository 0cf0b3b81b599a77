"""From texts to sketches: the options that everything about near-duplicates shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, SupportsIndex

from rankmeld import _core
from rankmeld._options import as_integer, as_list, as_number
from rankmeld.errors import InvalidArgumentError
from rankmeld.text import clean_text

__all__ = [
    "TEXTS_FOR_A_THREAD",
    "Progress",
    "Shingle",
    "Sketching",
    "Tokenizer",
    "as_options",
    "as_texts",
    "in_batches",
]

#: From a text to its tokens.
Tokenizer = Callable[[str], Iterable[str]]

#: Words and bigrams of characters, or the length of runs of tokens.
Shingle = Literal["word"] | SupportsIndex

#: Called as ``progress(done, total)`` with numbers of texts.
Progress = Callable[[int, int], Any]

_FEWEST_VALUES = 16
_MOST_VALUES = 1 << 16

#: Texts that are sketched between two calls of `progress`: under a tenth of a second of work.
_BATCH = 1 << 13

#: Texts that are worth a thread.
TEXTS_FOR_A_THREAD = 128


class Options(NamedTuple):
    """What decides whether two texts are near-duplicates, checked."""

    threshold: float
    num_perm: int
    shingle: int | None
    verify: bool


def as_options(threshold: float, num_perm: SupportsIndex, shingle: Shingle, verify: bool) -> Options:
    """Check the options that decide whether two texts are near-duplicates."""
    similarity = as_number(threshold, "threshold")
    if not 0.0 < similarity <= 1.0:
        raise InvalidArgumentError(
            f"threshold is {similarity}; it must be above 0 and at most 1 (1: equal sets of shingles)"
        )
    values = as_integer(num_perm, "num_perm")
    if not _FEWEST_VALUES <= values <= _MOST_VALUES:
        raise InvalidArgumentError(
            f"num_perm is {values}; it must be from {_FEWEST_VALUES} to {_MOST_VALUES:,} (128 is usual)"
        )
    if not isinstance(verify, bool):
        raise TypeError(f"verify must be a bool, not {type(verify).__name__}")
    return Options(similarity, values, _as_run_length(shingle), verify)


def _as_run_length(shingle: Shingle) -> int | None:
    if isinstance(shingle, str):
        if shingle == "word":
            return None
        raise InvalidArgumentError(
            f"shingle is {shingle!r}; it must be 'word', or an integer n for runs of n tokens"
        )
    length = as_integer(shingle, "shingle")
    if not 1 <= length <= 1 << 31:
        raise InvalidArgumentError(f"shingle is {length}; runs of tokens have from 1 to 2,147,483,648 tokens")
    return length


class Sketching:
    """How texts become sketches.

    Parameters
    ----------
    options : Options
        As `as_options` gives them.
    tokenizer : callable or None
        The caller's own; ``None``: ours.
    banded : bool
        Whether sketches are found by their bands, or compared pair by pair.
    """

    __slots__ = ("core", "tokenizer")

    def __init__(self, options: Options, tokenizer: Tokenizer | None, *, banded: bool) -> None:
        if tokenizer is not None and not callable(tokenizer):
            raise TypeError(f"tokenizer must be callable or None, not {type(tokenizer).__name__}")
        self.core = _core.Sketcher(*options, banded)
        self.tokenizer = tokenizer

    def __call__(self, texts: Sequence[str], threads: int = 1) -> _core.Sketches:
        """The texts' sketches, in order."""
        if self.tokenizer is None:
            return self.core.texts(texts, threads)
        tokenizer = self.tokenizer
        return self.core.tokens([tokenizer(clean_text(text)) for text in texts], threads)


def in_batches(
    sketching: Sketching, texts: Sequence[str], threads: int
) -> Iterator[tuple[int, _core.Sketches]]:
    """Sketches of many texts, some thousands at a time, each with how many texts are done then."""
    for start in range(0, len(texts), _BATCH):
        sketches = sketching(texts[start : start + _BATCH], threads)
        yield start + len(sketches), sketches


def as_texts(texts: Iterable[str], name: str) -> list[str]:
    """A list of texts, all of them looked at before anything is done with one."""
    given = as_list(texts, name)
    for place, text in enumerate(given):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{place}] must be a str, not {type(text).__name__}")
    return given
