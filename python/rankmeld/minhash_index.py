"""An index of texts that finds near-duplicates while texts come and go."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Sequence
from os import PathLike
from typing import Any, SupportsIndex

import numpy as np

from rankmeld import _core
from rankmeld._files import FileKind, load_parts, save_parts
from rankmeld._options import as_threads, threads_for
from rankmeld._sketching import (
    TEXTS_FOR_A_THREAD,
    Options,
    Progress,
    Shingle,
    Sketching,
    Tokenizer,
    as_options,
    as_texts,
    in_batches,
)
from rankmeld.errors import FormatError, InvalidArgumentError

__all__ = ["MinHashIndex"]

_KIND = FileKind("minhash-index", 1, "MinHash index")
#: In place of the id of a number that has none.
_GONE: Any = object()
_DAMAGED = "this MinHash index is damaged; make it again, or take a whole copy"


class MinHashIndex:
    """Near-duplicates of a text among many, by MinHash signatures.

    An id names one text; adding it again replaces the text, and keeps its place among equals.
    Readers and writers may work at the same time, in any number of threads.

    Parameters
    ----------
    threshold : float, default 0.85
        Jaccard similarity from which on texts are near-duplicates; above 0, at most 1. How low it
        can be depends on `num_perm`: 0.0354 with 128.
    num_perm : int, default 128
        Values of a signature, 16 or more.
    shingle : "word" or int, default "word"
        What is compared; as in `dedup_near`.
    tokenizer : callable, optional
        From a text to its tokens, all of which then count.
    verify : bool, default True
        Prove each match by the exact similarity, and give that; else both are estimated from
        signatures, with a standard error of ``sqrt(s * (1 - s) / num_perm)``.

    Raises
    ------
    TypeError, InvalidArgumentError
        An option is not allowed, or the threshold is too low for `num_perm`; the message names the
        smallest possible.

    Notes
    -----
    Signatures are cut into bands so that a pair at the threshold shares one with a probability of
    at least 0.99; what shares one is compared. Adding takes time linear in the text, a query as
    well and in the number of texts that share a band. 1.3 KiB a text of 80 words. Signatures
    are the same on every platform, in every process.

    Examples
    --------
    >>> import rankmeld as rm
    >>> index = rm.MinHashIndex(threshold=0.5)
    >>> index.add("a", "The bridge opened in 1931 and carries two lanes of traffic.")
    >>> index.add("b", "The ferry runs twice a day.")
    >>> index.query("The bridge opened in 1934 and carries two lanes of traffic.")
    [('a', 0.8)]
    """

    __slots__ = ("_bands", "_ids", "_next", "_numbers", "_options", "_sketching")

    def __init__(
        self,
        *,
        threshold: float = 0.85,
        num_perm: SupportsIndex = 128,
        shingle: Shingle = "word",
        tokenizer: Tokenizer | None = None,
        verify: bool = True,
    ) -> None:
        self._begin(as_options(threshold, num_perm, shingle, verify), tokenizer)

    def _begin(self, options: Options, tokenizer: Tokenizer | None) -> None:
        self._options = options
        self._sketching = Sketching(options, tokenizer, banded=True)
        self._bands = _core.BandIndex(self._sketching.core)
        # The core knows texts by numbers that are never given twice. Both tables are changed by
        # single operations of `dict`, so no lock is held while an id is hashed or compared.
        self._numbers: dict[Hashable, int] = {}
        self._ids: dict[int, Hashable] = {}
        self._next = itertools.count()

    # ------------------------------------------------------------------ contents

    def add(self, id: Hashable, text: str) -> None:
        """Add a text, or replace the one with this id.

        Parameters
        ----------
        id : Hashable
            Its name.
        text : str
            The text. One without a token is kept, and is nobody's near-duplicate.

        Raises
        ------
        TypeError
            The id cannot be hashed, or the text is no str.
        """
        name = _as_id(id, "id")
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__}")
        self._put([name], self._sketching([text]))

    def add_many(
        self,
        ids: Iterable[Hashable],
        texts: Iterable[str],
        *,
        progress: Progress | None = None,
        threads: SupportsIndex | None = None,
    ) -> None:
        """Add texts, or replace those with these ids; of an id that is given twice the last counts.

        Parameters
        ----------
        ids : iterable of Hashable
            One for each text.
        texts : iterable of str
            The texts.
        progress : callable, optional
            Called as ``progress(done, total)`` after every few thousand texts.
        threads : int, optional
            By default what the machine has, for some hundred texts or more.

        Raises
        ------
        TypeError
            An id cannot be hashed, or a text is no str; nothing is added then.
        InvalidArgumentError
            There are more ids than texts, or fewer; nothing is added then.

        Notes
        -----
        What is interrupted, by Ctrl-C or by an error of `progress` or of the tokenizer, leaves the
        texts that were added before.
        """
        as_threads(threads)
        names = list(ids)
        given = as_texts(texts, "texts")
        if len(names) != len(given):
            raise InvalidArgumentError(
                f"there are {len(names)} ids and {len(given)} texts; give one id for each text"
            )
        names = [_as_id(id_, f"ids[{place}]") for place, id_ in enumerate(names)]
        count = threads_for(threads, len(given), TEXTS_FOR_A_THREAD)

        for done, sketches in in_batches(self._sketching, given, count):
            self._put(names[done - len(sketches) : done], sketches)
            if progress is not None:
                progress(done, len(given))

    def remove(self, id: Hashable) -> None:
        """Remove a text.

        Parameters
        ----------
        id : Hashable
            Its name.

        Raises
        ------
        KeyError
            There is no text with this id.
        """
        number = self._numbers.pop(id)
        # No query finds it from here on, even if another thread adds the id again.
        self._ids.pop(number, None)
        self._bands.remove(number)

    def query(self, text: str) -> list[tuple[Hashable, float]]:
        """The texts that are near-duplicates of this one.

        Parameters
        ----------
        text : str
            A text, which need not be in the index.

        Returns
        -------
        list of (id, similarity)
            At or above the threshold, the most similar first, equal ones in the order in which
            their ids came in.

        Raises
        ------
        TypeError
            The text is no str.
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, not {type(text).__name__}")
        found = self._bands.query(self._sketching([text]))
        # What another thread has removed meanwhile has no id any more.
        named = ((self._ids.get(number, _GONE), similarity) for number, similarity in found)
        return [(name, similarity) for name, similarity in named if name is not _GONE]

    def __len__(self) -> int:
        """How many texts there are."""
        return len(self._numbers)

    def __contains__(self, id: Hashable) -> bool:
        """Whether there is a text with this id."""
        return id in self._numbers

    def __repr__(self) -> str:
        """The options, and how many texts there are."""
        threshold, num_perm, length, verify = self._options
        shingle = "word" if length is None else length
        return f"<MinHashIndex of {len(self):,} texts, {threshold=}, {num_perm=}, {shingle=}, {verify=}>"

    # --------------------------------------------------------------------- files

    def save(self, path: str | PathLike[str]) -> None:
        """Write the index into a file, in one piece: what stood there is lost only when it is done.

        Parameters
        ----------
        path : str or os.PathLike
            The file. The texts themselves are not in it, nor is the tokenizer.

        Raises
        ------
        TypeError
            An id is of a kind that no file can hold: no str, int, float, bytes, UUID, date or tuple
            of these.
        OSError
            The file cannot be written; an older one is as it was.
        """
        from rankmeld.stores.encoding import encode  # noqa: PLC0415 - most never save an index

        ids, sketches = self._now()
        about = encode({"ids": ids, "own_tokenizer": self._sketching.tokenizer is not None})
        save_parts(path, _KIND, [sketches.encode(self._sketching.core), about.encode()])

    @classmethod
    def load(cls, path: str | PathLike[str], *, tokenizer: Tokenizer | None = None) -> MinHashIndex:
        """Read an index that `save` wrote.

        Parameters
        ----------
        path : str or os.PathLike
            The file.
        tokenizer : callable, optional
            The tokenizer that the index was made with, if it was made with one.

        Returns
        -------
        MinHashIndex
            With the options and the texts that it had.

        Raises
        ------
        FormatError
            The file is no index, is damaged, or was written by a newer version.
        InvalidArgumentError
            The index was made with a tokenizer and none is given, or the other way round.
        OSError
            The file cannot be read.
        """
        from rankmeld.stores.encoding import decode  # noqa: PLC0415 - as in `save`

        _, parts = load_parts(path, _KIND)
        try:
            encoded, about = parts
            described = decode(about.decode())
            ids, own = described["ids"], described["own_tokenizer"]
        except (TypeError, ValueError, KeyError, RecursionError):
            raise FormatError(_DAMAGED, path) from None
        if own and tokenizer is None:
            raise InvalidArgumentError(
                "the index was made with a tokenizer of its own, and tokenizer is None; pass the same one"
            )
        if tokenizer is not None and not own:
            raise InvalidArgumentError(
                "the index was made without a tokenizer, and one is given; leave it out, or make the index "
                "anew"
            )
        try:
            return _restored(cls, encoded, ids, tokenizer)
        except InvalidArgumentError:
            raise FormatError(_DAMAGED, path) from None

    def __reduce__(self) -> tuple[Any, ...]:
        """Everything, the tokenizer included."""
        ids, sketches = self._now()
        tokenizer = self._sketching.tokenizer
        return _restored, (type(self), sketches.encode(self._sketching.core), ids, tokenizer)

    def _now(self) -> tuple[list[Hashable], _core.Sketches]:
        """The ids and sketches of one moment."""
        numbers, sketches = self._bands.all()
        places: dict[Hashable, int] = {}
        for place, number in enumerate(numbers):
            # A number without an id is being removed by another thread.
            if (name := self._ids.get(number, _GONE)) is not _GONE:
                places[name] = place
        return list(places), sketches.only(list(places.values()))

    def _put(self, ids: Sequence[Hashable], sketches: _core.Sketches) -> None:
        fresh = [next(self._next) for _ in ids]
        # A number has its id before another thread can come upon it.
        self._ids.update(zip(fresh, ids, strict=True))
        numbers = [self._numbers.setdefault(id_, number) for id_, number in zip(ids, fresh, strict=True)]
        for number, new in zip(numbers, fresh, strict=True):
            if number != new:
                del self._ids[new]
        try:
            self._bands.put(numbers, sketches)
        except BaseException:
            for id_, number, new in zip(ids, numbers, fresh, strict=True):
                if number == new and self._numbers.get(id_) == number:
                    self.remove(id_)
            raise
        for place, (id_, number) in enumerate(zip(ids, numbers, strict=True)):
            # Another thread removed the id while its text was on the way: it came in after that.
            if self._numbers.get(id_) != number:
                self._bands.remove(number)
                self._put([id_], sketches.only([place]))


def _restored(
    kind: type[MinHashIndex], encoded: bytes, ids: list[Hashable], tokenizer: Tokenizer | None
) -> MinHashIndex:
    """An index of encoded sketches."""
    core, sketches = _core.decode_sketches(encoded)
    if len(ids) != len(sketches):
        raise InvalidArgumentError(f"there are {len(ids)} ids and {len(sketches)} texts")
    made = kind.__new__(kind)
    made._begin(Options(*core.settings), tokenizer)
    made._put(ids, sketches)
    return made


def _as_id(id: Hashable, name: str) -> Hashable:
    """An id that can be found again; NumPy's scalars as Python's values."""
    found = id.item() if isinstance(id, np.generic) else id
    try:
        hash(found)
    except TypeError:
        raise TypeError(
            f"{name} is a {type(found).__name__}, which cannot be hashed; use a str or an int"
        ) from None
    if found != found:  # noqa: PLR0124 - that is what NaN is
        raise InvalidArgumentError(f"{name} is NaN, which is not equal to itself; use a real id")
    return found
