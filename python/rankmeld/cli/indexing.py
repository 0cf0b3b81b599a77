"""Bringing a store up to date with files: only what changed is read again, and every step can be the last.

A file's passages are replaced in one transaction together with its digest, so a run that is stopped at
any moment leaves a store in which each file is either as it was or as it is, and the next run goes on
from there. Every id begins with its file's path, so that no file takes the documents of another.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rankmeld.cli.models import LocalEmbedder
from rankmeld.embed.base import Vectors
from rankmeld.errors import FormatError
from rankmeld.ingest import SourceFile, digest, discover, read_documents
from rankmeld.stores import SqliteStore
from rankmeld.types import Document

__all__ = ["Found", "Indexer", "Outcome"]

#: Passages that are embedded together before their files are committed: what a kill loses at most, about.
BATCH = 64
#: Files that wait for a commit at the most, so that a folder of empty files is committed too.
WAITING_FILES = 64

#: What one file can be at fault for: it is gone, broken, or holds what no store can keep. It must not
#: keep the others from being indexed. `StoreError` is not among them: it concerns all.
_COMPLAINTS = (OSError, TypeError, ValueError, RecursionError)


@dataclass
class Outcome:
    """What a run did, in files; passages are those that were written.

    `embedded` counts files that only lacked the vectors: their content is what it was.
    `left_out` has files with the reason why they were not read: broken, unreadable, gone, too large;
    `repeated` has files with how many of their records gave way to a later one of the same id.
    """

    new: int = 0
    changed: int = 0
    embedded: int = 0
    unchanged: int = 0
    removed: int = 0
    binary: int = 0
    hidden: int = 0
    passages: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list)
    repeated: list[tuple[str, int]] = field(default_factory=list)


@dataclass
class Found:
    """The files under some paths."""

    folders: list[Path]
    files: list[SourceFile] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def under(cls, paths: Iterable[Path], *, db: Path) -> Found:
        """Look for files, the database's own left out.

        Paths are made absolute: a file has one name, whatever folder a command is run in.

        Raises
        ------
        InvalidArgumentError
            A path does not exist.
        """
        found = cls([Path(os.path.abspath(path)) for path in paths])  # noqa: PTH100 - links stay as they are
        found.files += discover(found.folders, on_skip=lambda *skipped: found.skipped.append(skipped))
        found.files = [file for file in found.files if not _belongs_to(db, file.path)]
        found.skipped = [skipped for skipped in found.skipped if not _belongs_to(db, skipped[0])]
        return found

    def lacks(self, sources: Iterable[str]) -> Iterator[str]:
        """Those of `sources` that should have been found but were not: their files are gone."""
        seen = {file.path for file in self.files}
        # What lies in a folder that cannot be read is not gone.
        unknown = [path for path, reason in self.skipped if reason.startswith("cannot be read")]
        for source in sources:
            if source not in seen and _is_under(source, self.folders) and not _is_under(source, unknown):
                yield source


class _Read(NamedTuple):
    """A file that has been read and waits to be embedded and committed."""

    path: str
    mark: str
    documents: list[Document]


class Indexer:
    """One run over some paths.

    Parameters
    ----------
    store : SqliteStore
        Where the passages go.
    embedder : LocalEmbedder or None
        Makes the vectors; ``None``: the passages get none.
    on_progress : callable, optional
        ``on_progress(done, total, passages)``: files, and passages that are embedded so far.
    """

    def __init__(
        self,
        store: SqliteStore,
        embedder: LocalEmbedder | None,
        *,
        on_progress: Callable[[int, int, int], None] | None = None,
    ) -> None:
        self.outcome = Outcome()
        self._store = store
        self._embedder = embedder
        self._on_progress = on_progress
        self._known = store.sources()
        self._waiting: list[_Read] = []
        self._done = 0
        self._total = 0

    def run(self, found: Found) -> None:
        """Bring the store up to date with the files that were found."""
        self._total = len(found.files)
        for file in found.files:
            self._take(file)
            passages = sum(len(waiting.documents) for waiting in self._waiting)
            if len(self._waiting) >= WAITING_FILES or passages >= BATCH:
                self._commit()
        self._commit()
        for path in found.lacks(self._known):
            self._store.remove_source(path)
            self.outcome.removed += 1
        for path, reason in found.skipped:
            if reason == "binary":
                self.outcome.binary += 1
            elif reason == "hidden":
                self.outcome.hidden += 1
            else:
                self.outcome.left_out.append((path, reason))

    def _take(self, file: SourceFile) -> None:
        try:
            # Before the text: if the file changes in between, the next run sees another digest and
            # reads it again.
            mark = f"{digest(file.path)} {self._embedder.model if self._embedder else '-'}"
            if self._is_current(file.path, mark):
                self.outcome.unchanged += 1
                self._advance()
            else:
                documents = read_documents(file)
                kept = list({document.id: document for document in _in_file(file, documents)}.values())
                if len(kept) < len(documents):
                    self.outcome.repeated.append((file.path, len(documents) - len(kept)))
                self._waiting.append(_Read(file.path, mark, kept))
        except _COMPLAINTS as error:
            self.outcome.left_out.append(_complaint(file.path, error))
            self._advance()

    def _is_current(self, path: str, mark: str) -> bool:
        known = self._known.get(path)
        if known is None or self._embedder is not None:
            return known == mark
        # Words only were asked for: passages that have vectors as well are as good.
        return _content(known) == _content(mark)

    def _commit(self) -> None:
        """Embed what waits in one go, then write file by file."""
        vectors = self._embed([document.passage for file in self._waiting for document in file.documents])
        start = 0
        for file in self._waiting:
            end = start + len(file.documents)
            self._write(file, None if vectors is None else vectors[start:end])
            start = end
            self._advance()
        self._waiting.clear()

    def _write(self, file: _Read, vectors: Vectors | None) -> None:
        try:
            self._store.replace_source(
                file.path, file.mark, file.documents, vectors=vectors, embedder=self._embedder
            )
        except _COMPLAINTS as error:
            self.outcome.left_out.append(_complaint(file.path, error))
            return
        known = self._known.get(file.path)
        if known is None:
            self.outcome.new += 1
        elif _content(known) == _content(file.mark):
            self.outcome.embedded += 1
        else:
            self.outcome.changed += 1
        self.outcome.passages += len(file.documents)

    def _embed(self, texts: list[str]) -> Vectors | None:
        if self._embedder is None or not texts:
            return None
        return self._embedder(texts, progress=lambda done, _: self._report(self.outcome.passages + done))

    def _advance(self) -> None:
        self._done += 1
        self._report(self.outcome.passages)

    def _report(self, passages: int) -> None:
        if self._on_progress is not None:
            self._on_progress(self._done, self._total, passages)


def _content(mark: str) -> str:
    """The digest in a mark, without the model."""
    return mark.partition(" ")[0]


def _in_file(file: SourceFile, documents: list[Document]) -> Iterator[Document]:
    """The documents under ids that only this file can have; a record keeps its own as ``record_id``.

    Two tables may both count their rows from 1, and a file that goes may not take the other's along.
    """
    if file.kind not in {"jsonl", "csv"}:
        yield from documents  # passages are numbered behind the path anyway
        return
    for document in documents:
        own = str(document.id)
        if own.startswith(f"{file.path}#"):  # named after its line
            yield document
        else:
            metadata = {"record_id": document.id, **document.metadata}
            yield dataclasses.replace(document, id=f"{file.path}#{own}", metadata=metadata)


def _belongs_to(db: Path, path: str) -> bool:
    """Whether a file is the database or one of the logs that SQLite keeps beside it."""
    name = path.rpartition("/")[2]
    of_db = name.startswith(db.name) and name.removeprefix(db.name) in {"", "-wal", "-shm", "-journal"}
    return of_db and os.path.realpath(path) == os.path.realpath(db.with_name(name))


def _is_under(path: str, folders: Sequence[Path | str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def _complaint(path: str, error: Exception) -> tuple[str, str]:
    if isinstance(error, FormatError):
        return f"{path}:{error.line}" if error.line is not None else path, error.message
    if isinstance(error, OSError):
        return path, (error.strerror or str(error)).lower()
    return path, str(error)
