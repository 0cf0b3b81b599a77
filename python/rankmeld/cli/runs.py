"""Files of runs and judgements on the command line: ``-`` is a standard stream, ``.gz`` is packed."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from rankmeld.cli.errors import UsageError
from rankmeld.errors import FormatError
from rankmeld.runs import Run

__all__ = ["opened", "read_runs", "write_run"]

_STANDARD = "-"


def read_runs(names: Sequence[str]) -> list[Run]:
    """Read runs; standard input can be one of them."""
    if list(names).count(_STANDARD) > 1:
        raise UsageError("- stands more than once, and standard input can be read once")
    runs = []
    for name in names:
        with opened(name) as file:
            runs.append(Run.from_trec(file))
    return runs


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """A file to be read, unpacked by the end of its name."""
    if name == _STANDARD:
        yield sys.stdin.buffer
        return
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"{name}: a folder, no file")
    if not path.exists():
        raise UsageError(f"{name}: no such file")
    if path.suffix.lower() != ".gz":
        with path.open("rb") as file:
            yield file
        return
    try:
        with gzip.open(path) as packed:
            yield packed  # type: ignore[misc]  # a GzipFile is a file of bytes in all but its type
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(f"not gzip, or damaged: {error}", path) from None


def write_run(run: Run, name: str, *, tag: str, strict: bool) -> None:
    """Write a run to a file, packed by the end of its name, or to standard output."""
    if name == _STANDARD:
        run.to_trec(sys.stdout.buffer, tag=tag, strict=strict)
        sys.stdout.buffer.flush()
    elif name.lower().endswith(".gz"):
        # Without the time of day, so that the same run gives the same bytes.
        packed = gzip.compress(run.to_trec(tag=tag, strict=strict).encode(), mtime=0)
        Path(name).write_bytes(packed)
    else:
        run.to_trec(name, tag=tag, strict=strict)
