"""Copying a collection without its near-duplicates, in passes that can be stopped and gone on with.

The first pass keeps a sketch of each record: some hundred bytes for a page of text. Sketches go to the
disk as well, some ten thousand records in a file of their own, so a run that was stopped goes on after
the last of these. The second pass copies what stays; its output takes its name when it is complete.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankmeld import _core
from rankmeld._files import FileKind, load_parts, save_parts
from rankmeld._sketching import Options, Sketching
from rankmeld.corpora.formats import Collection
from rankmeld.errors import FormatError, InvalidArgumentError

__all__ = ["Deduplication", "Outcome"]

_KIND = FileKind("dedup-progress", 1, "progress of a deduplication")

#: Records, and characters, whose sketches make up one file.
_RECORDS = 1 << 15
_CHARACTERS = 1 << 25


@dataclass
class Outcome:
    """What was found.

    Attributes
    ----------
    labels : array of shape (N,), int64
        For each record the number of the one that stays for it, from 0.
    resumed : int
        Records whose sketches an earlier run left.
    """

    labels: npt.NDArray[np.int64]
    resumed: int

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """Which records stay: the first of each cluster."""
        return np.equal(self.labels, np.arange(len(self.labels)))

    @property
    def clusters(self) -> list[list[int]]:
        """The records of each cluster of two or more, the one that stays first; the largest first."""
        found: dict[int, list[int]] = {}
        for place in np.flatnonzero(~self.kept).tolist():
            found.setdefault(int(self.labels[place]), []).append(place)
        return sorted(([first, *rest] for first, rest in found.items()), key=len, reverse=True)


@dataclass
class Deduplication:
    """One run, or what is left of it.

    Attributes
    ----------
    source : Collection
        What is read.
    target : Path
        What is written.
    options : Options
        What a near-duplicate is.
    threads : int
        For sketching and comparing.
    """

    source: Collection
    target: Path
    options: Options
    threads: int = 1
    _sketching: Sketching = field(init=False)
    _state: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        if self.target.exists():
            if self.target.samefile(self.source.path):
                raise InvalidArgumentError(f"{self.target} is the input itself; name another output")
            if not self.target.is_file():
                raise InvalidArgumentError(f"{self.target} is no regular file; name another output")
        self._state = _state(self.source.path)
        self._sketching = Sketching(self.options, None, banded=True)

    @property
    def progress_folder(self) -> Path:
        """Where sketches lie until the output is complete."""
        return self.target.with_name(f"{self.target.name}.progress")

    def run(self, on_progress: Callable[[int], Any] = lambda _: None) -> Outcome:
        """Write the output; `on_progress` is told how many records are read.

        Raises
        ------
        FormatError
            A record cannot be read, or the source was changed meanwhile.
        OSError
            A file cannot be read or written; an older output is as it was.
        """
        batches = list(self._left())
        resumed = done = sum(map(len, batches))
        on_progress(done)
        for texts in _in_pieces(self.source.texts(done)):
            batch = self._sketching(texts, self.threads)
            self._keep(len(batches), batch)
            batches.append(batch)
            done += len(batch)
            on_progress(done)
        outcome = Outcome(_core.near_clusters(self._sketching.core, batches, self.threads), resumed)
        self._write(outcome.kept)
        self._forget()
        return outcome

    def _left(self) -> Iterator[_core.Sketches]:
        """The sketches of an earlier run, as far as they are of this source and these options."""
        number = 0
        while (path := self._file(number)).is_file():
            try:
                _, (encoded, about) = load_parts(path, _KIND)
                fits = about == self._about()
                sketches = _core.decode_sketches(encoded)[1] if fits else None
            except (FormatError, ValueError):
                return
            if sketches is None:
                return
            yield sketches
            number += 1

    def _keep(self, number: int, sketches: _core.Sketches) -> None:
        self.progress_folder.mkdir(exist_ok=True)
        save_parts(self._file(number), _KIND, [sketches.encode(self._sketching.core), self._about()])

    def _file(self, number: int) -> Path:
        return self.progress_folder / f"{number:06}"

    def _about(self) -> bytes:
        """What sketches are of: they are of no use once this has changed."""
        path = os.fspath(self.source.path.absolute())
        return json.dumps([path, self._state, self.source.field, self.options]).encode()

    def _forget(self) -> None:
        """Remove the sketches, and nothing that somebody else put beside them."""
        for number in itertools.count():
            try:
                self._file(number).unlink()
            except OSError:
                break
        with suppress(OSError):  # something else is in it
            self.progress_folder.rmdir()

    def _check_unchanged(self) -> None:
        """Refuse to copy by places what has other places now."""
        if _state(self.source.path) != self._state:
            raise FormatError("the file was changed while it was read; run again", self.source.path)

    def _write(self, kept: npt.NDArray[np.bool_]) -> None:
        temporary = self.target.with_name(f".{self.target.name}.{os.getpid():x}.tmp{self.target.suffix}")
        temporary.unlink(missing_ok=True)
        try:
            self._check_unchanged()
            self.source.copy(kept.tolist(), temporary)
            self._check_unchanged()
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(self.target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _state(path: Path) -> tuple[int, ...]:
    """What another content of a file would have otherwise."""
    state = path.stat()
    return state.st_ino, state.st_size, state.st_mtime_ns


def _in_pieces(texts: Iterator[str]) -> Iterator[list[str]]:
    """Texts as many at a time as fit into memory, however long they are."""
    piece: list[str] = []
    size = 0
    for text in texts:
        piece.append(text)
        size += len(text)
        if len(piece) == _RECORDS or size >= _CHARACTERS:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece
