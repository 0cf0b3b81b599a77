"""Which files there are to read, what kind each is, and what its bytes are."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from rankmeld.errors import InvalidArgumentError
from rankmeld.ingest.languages import language_of

__all__ = ["DEFAULT_MAX_BYTES", "Skip", "SourceFile", "SourceKind", "digest", "discover"]

#: How a file is read: prose by paragraph, headings, code by block, or one record a line.
SourceKind = Literal["text", "markdown", "rst", "code", "jsonl", "csv"]

#: Called as ``on_skip(path, reason)`` for a file that is not read.
Skip = Callable[[str, str], Any]

#: Larger files found in a folder are left out: they are data or generated, not written by people.
DEFAULT_MAX_BYTES = 2 * 1024 * 1024

_KINDS: dict[str, SourceKind] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "markdown",
    ".rst": "rst",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
}

#: Folders that hold what tools made or fetched; hidden ones (.git, .venv) need not be listed.
_MADE_BY_TOOLS = frozenset({"node_modules", "__pycache__"})

#: A file with a NUL byte this early is binary; the heuristic that git and grep use too.
_BINARY_PROBE = 8192


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    Attributes
    ----------
    path : str
        The path as the user named it, or the named folder joined with the way down from it,
        with ``/`` between the parts. It is the `parent_id` of the documents.
    kind : {"text", "markdown", "rst", "code", "jsonl", "csv"}
        How it is read.
    """

    path: str
    kind: SourceKind

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


def discover(
    paths: Iterable[str | PathLike[str]],
    *,
    max_bytes: int | None = DEFAULT_MAX_BYTES,
    on_skip: Skip | None = None,
) -> Iterator[SourceFile]:
    """Find the files to read.

    A folder is walked in the order of its names. ``node_modules``, ``__pycache__`` and virtual
    environments are passed over in silence. Hidden files and folders (a folder once, not what is in
    it), binary files (a NUL byte in the first 8 KiB), files over `max_bytes`, links to folders (they
    may form loops), devices and what cannot be read are passed over and reported. A file that is
    named itself is taken whatever its name and size. The same path is given once.

    Parameters
    ----------
    paths : iterable of str or os.PathLike
        Files and folders.
    max_bytes : int, optional
        Size limit for files found in a folder, 2 MiB by default; ``None`` sets none.
    on_skip : callable, optional
        ``on_skip(path, reason)`` for what is reported; of a hidden one the reason is ``"hidden"``, of a
        binary one ``"binary"``.

    Returns
    -------
    iterator of SourceFile
        Found as it is asked for. Nothing is opened but the first 8 KiB of each file.

    Raises
    ------
    TypeError
        `paths` is a single path, or holds something else.
    InvalidArgumentError
        A path does not exist, or `max_bytes` is negative.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> _ = Path(folder.name, "b.md").write_text("# B")
    >>> _ = Path(folder.name, "a.py").write_text("a = 1")
    >>> [(source.name, source.kind) for source in discover([folder.name])]
    [('a.py', 'code'), ('b.md', 'markdown')]
    >>> folder.cleanup()
    """
    if isinstance(paths, str | bytes | PathLike):
        raise TypeError(f"paths is one path; pass a list of paths: [{paths!r}]")
    roots = [Path(path) for path in paths]
    if max_bytes is not None and (isinstance(max_bytes, bool) or not isinstance(max_bytes, int)):
        raise TypeError(f"max_bytes must be an int or None, not {type(max_bytes).__name__}")
    if max_bytes is not None and max_bytes < 0:
        raise InvalidArgumentError(f"max_bytes is {max_bytes}; it must be 0 or more, or None")
    for root in roots:
        if not root.exists():  # nor does a link that leads nowhere, or in a circle
            raise InvalidArgumentError(f"no such file or folder: {str(root)!r}")
    return _walk(roots, max_bytes, on_skip or _in_silence)


def digest(path: str | PathLike[str]) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; the file is read in pieces.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _in_silence(path: str, reason: str) -> None:
    """Report nothing."""


def _walk(roots: list[Path], max_bytes: int | None, skip: Skip) -> Iterator[SourceFile]:
    seen: set[str] = set()
    # The stack holds what is still to be visited, the next on top; a tree may be deeper than
    # Python's own stack.
    stack = [(root, True) for root in reversed(roots)]
    while stack:
        path, named = stack.pop()
        name = path.as_posix()
        if name in seen:
            continue
        if path.name.startswith(".") and not named:
            skip(name, "hidden")
            continue
        seen.add(name)
        if not name.isascii() and not _is_unicode(name):
            skip(name, "its name is not valid UTF-8")
            continue
        try:
            if path.is_dir():
                if path.is_symlink() and not named:
                    skip(name, "a link to a folder; name it itself to follow it")
                else:
                    stack += [(child, False) for child in reversed(_children(path))]
                continue
            reason = _why_not(path, None if named else max_bytes)
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        if reason is None:
            yield SourceFile(name, _kind_of(path.name))
        else:
            skip(name, reason)


def _children(folder: Path) -> list[Path]:
    """What a folder holds, by name, without what is made by tools."""
    names = sorted(os.listdir(folder))  # noqa: PTH208 - names are wanted, not paths
    if "pyvenv.cfg" in names:  # the mark of a virtual environment, whatever it is called
        return []
    return [folder / name for name in names if name not in _MADE_BY_TOOLS]


def _why_not(path: Path, max_bytes: int | None) -> str | None:
    """Why a file is not read; ``None`` where it is."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"  # to open a pipe would wait for its writer
    if max_bytes is not None and found.st_size > max_bytes:
        return f"{found.st_size:,} bytes, over the limit of {max_bytes:,}"
    with path.open("rb") as file:
        return "binary" if b"\0" in file.read(_BINARY_PROBE) else None


def _kind_of(name: str) -> SourceKind:
    suffix = Path(name).suffix.lower()
    if suffix in _KINDS:
        return _KINDS[suffix]
    return "code" if language_of(name) else "text"


def _is_unicode(name: str) -> bool:
    """Whether a name can be written to a store; undecodable bytes come as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
