"""The line formats of TREC: runs and judgements."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Literal, Self

import numpy as np

from rankmeld import _core
from rankmeld._options import TIES, as_integer, choose
from rankmeld.errors import InvalidArgumentError
from rankmeld.runs.columns import Columns

__all__ = ["read_qrels", "read_run", "write_run"]

#: What can be read: a path, the content, or an open file.
Readable = str | os.PathLike[str] | bytes | IO[Any]

#: What can be written to.
Writable = str | os.PathLike[str] | IO[Any]

Progress = Callable[[int, int | None], object]
Repeats = Literal["error", "first"]

#: Bytes that are read at a time.
_PIECE = 1 << 22

#: The tag of lines from a run without a name.
_TAG = "rankmeld"


def read_run(
    source: Readable, ties: str, duplicates: str, progress: Progress | None
) -> tuple[Columns, str | None]:
    """The columns of a run, and the tag of its first line."""
    choose(ties, TIES, "ties")
    choose(duplicates, ("error", "first"), "duplicates")
    columns, tag, left_out = _read(
        source, judgements=False, ties=ties, best=duplicates == "first", progress=progress
    )
    if left_out:
        _warn(f"{left_out:,} hits repeat a document of their query and were left out", source)
    return columns, tag or None


def read_qrels(source: Readable, progress: Progress | None) -> Columns:
    """The columns of judgements, grades as floats."""
    columns, _, left_out = _read(source, judgements=True, ties="first", best=False, progress=progress)
    if left_out:
        _warn(f"{left_out:,} lines repeat a judgement and were left out", source)
    return columns


def _warn(what: str, source: Readable) -> None:
    path = path_of(source)
    warnings.warn(what if path is None else f"{path}: {what}", UserWarning, stacklevel=4)


def _read(
    source: Readable, *, judgements: bool, ties: str, best: bool, progress: Progress | None
) -> tuple[Columns, str, int]:
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be callable, not {type(progress).__name__}")
    with opened(source) as file:
        queries, ids, (offsets, codes, scores), tag, left_out = _core.read_lines(
            _pieces(file, progress), judgements, ties, best, path_of(source)
        )
    return Columns(queries, offsets, ids, codes, scores), tag, left_out


@contextmanager
def opened(source: Readable) -> Iterator[IO[Any]]:
    """What is to be read, open; a file that came open stays so."""
    if isinstance(source, bytes | bytearray | memoryview):
        yield io.BytesIO(source)
    elif isinstance(source, str | os.PathLike):
        if isinstance(source, str) and "\n" in source:
            raise InvalidArgumentError(
                "source is a str of several lines, and a str is a path; to read the text itself, pass"
                " text.encode()"
            )
        with open(source, "rb") as file:  # noqa: PTH123 - a str stays one in messages
            yield file
    elif callable(getattr(source, "read", None)):
        yield source
    else:
        raise TypeError(f"source must be a path, bytes or an open file, not {type(source).__name__}")


def path_of(source: Any) -> str | None:
    """How messages call what is read, if it has a name."""
    name = source if isinstance(source, str | os.PathLike) else getattr(source, "name", None)
    return os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else None


def _pieces(file: IO[Any], progress: Progress | None) -> Callable[[], bytes]:
    """A function that gives the next piece of a file of bytes or text."""
    done = 0

    def read() -> bytes:
        nonlocal done
        piece = file.read(_PIECE)
        if isinstance(piece, str):
            # A lone surrogate is refused as what it is in a file: no UTF-8.
            piece = piece.encode("utf-8", "surrogatepass")
        elif not isinstance(piece, bytes):
            raise TypeError(
                f"source gave {type(piece).__name__} where bytes or str were read; open it for blocking reads"
            )
        done += len(piece)
        if progress is not None and piece:
            progress(done, total)
        return piece

    total = _size_of(file) if progress is not None else None
    return read


def _size_of(file: IO[Any]) -> int | None:
    if isinstance(file, io.BytesIO):
        return file.getbuffer().nbytes
    if not isinstance(file, io.BufferedReader | io.FileIO):
        return None  # what is packed or decoded has another size
    try:
        return os.fstat(file.fileno()).st_size or None
    except OSError:
        return None


def write_run(
    columns: Columns, target: Writable | None, tag: str | None, rank_base: int, strict: bool
) -> str | None:
    """Write a run to a path or an open file, or give its text."""
    word = _as_tag(_TAG if tag is None else tag)
    base = as_integer(rank_base, "rank_base")
    if not isinstance(strict, bool | np.bool_):
        raise TypeError(f"strict must be a bool, not {type(strict).__name__}")
    if abs(base) > 2**31:
        raise InvalidArgumentError(f"rank_base is {base}; it must lie within -2**31 and 2**31")

    def write_to(write: Callable[[bytes], object]) -> None:
        _core.write_lines(write, columns.queries, columns.ids, columns.numbers, word, base, bool(strict))

    return written(target, write_to)


def written(target: Writable | None, write_to: Callable[[Callable[[bytes], object]], None]) -> str | None:
    """Let `write_to` write bytes to a path or an open file, or give them as text."""
    if target is None:
        buffer = io.BytesIO()
        write_to(buffer.write)
        return buffer.getvalue().decode()
    if isinstance(target, str | os.PathLike):
        with _Late(target) as late:
            write_to(late.write)
        return None
    if not callable(getattr(target, "write", None)):
        raise TypeError(f"target must be a path, an open file or None, not {type(target).__name__}")
    if isinstance(target, io.TextIOBase):
        text = target
        write_to(lambda lines: text.write(lines.decode()))
    else:
        write_to(target.write)
    return None


class _Late:
    """A file that is opened by the first write, so that a refusal before leaves the old one be."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def write(self, lines: bytes) -> None:
        if self._file is None:
            self._file = open(self._path, "wb")  # noqa: PTH123, SIM115 - closed where the block ends
        self._file.write(lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if self._file is None and kind is None:
            self.write(b"")
        if self._file is not None:
            self._file.close()


def _as_tag(tag: str) -> str:
    if not isinstance(tag, str):
        raise TypeError(f"tag must be a str, not {type(tag).__name__}")
    if not tag or any(character in tag for character in " \t\n\r\v\f") or not tag.isprintable():
        raise InvalidArgumentError(f"tag is {tag!r}; it must be one word, as lines are split at blanks")
    return tag
