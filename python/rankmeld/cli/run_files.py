"""Files of runs and judgements as a person names them: plain, packed, or from a pipe."""

from __future__ import annotations

import gzip
import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rankmeld.cli import console
from rankmeld.cli.errors import UsageError
from rankmeld.errors import FormatError
from rankmeld.runs import Qrels, Run
from rankmeld.runs.beir import is_beir

__all__ = ["STANDARD_INPUT", "read_qrels", "read_run", "read_runs"]

#: What stands for standard input.
STANDARD_INPUT = Path("-")


def read_run(file: Path) -> Run:
    """A run of TREC lines."""
    with _opened(file) as source:
        return Run.from_trec(source)


def read_runs(files: list[Path]) -> dict[str, Run]:
    """Runs by the names of their files; by their paths where two have one name."""
    if files.count(STANDARD_INPUT) > 1:
        raise UsageError("- is named twice, and standard input can be read once")
    names = ["standard input" if file == STANDARD_INPUT else _stem(file) for file in files]
    if len(set(names)) < len(names):
        names = [str(file) for file in files]
    if len(set(names)) < len(names):
        raise UsageError("a run is named twice")
    return {name: read_run(file).named(name) for name, file in zip(names, files, strict=True)}


def read_qrels(file: Path) -> Qrels:
    """Judgements, of TREC or with BEIR's header."""
    with _opened(file) as source:
        content = source.read()
    with _named(file):
        return Qrels.from_beir(content) if is_beir(content[:200]) else Qrels.from_trec(content)


def _stem(file: Path) -> str:
    return Path(file.stem).stem if file.suffix == ".gz" else file.stem


@contextmanager
def _opened(file: Path) -> Iterator[Any]:
    """The file, open for reading bytes; what its reader warns about is told in the command's way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with _bytes_of(file) as source, _named(file):
            try:
                yield source
            except (gzip.BadGzipFile, EOFError) as error:
                raise FormatError(f"it cannot be unpacked: {error}", file) from None
    for warning in caught:
        console.warn(str(warning.message))


@contextmanager
def _bytes_of(file: Path) -> Iterator[IO[bytes]]:
    if file == STANDARD_INPUT:
        yield sys.stdin.buffer
    else:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as source:
            yield io.BufferedReader(source) if isinstance(source, gzip.GzipFile) else source


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Give messages the file's name, where their reader did not know it."""
    try:
        yield
    except FormatError as error:
        if error.path is not None:
            raise
        shown = "standard input" if file == STANDARD_INPUT else file
        raise FormatError(error.message, shown, error.line) from None
