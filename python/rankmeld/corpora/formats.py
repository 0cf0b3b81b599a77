"""What a collection can do, and which kind of file is read how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from rankmeld.errors import InvalidArgumentError

__all__ = ["TEXT_FIELDS", "Collection", "chosen_field", "open_collection"]

#: Where a record has its text, if nobody says otherwise.
TEXT_FIELDS = ("text", "content", "body")


class Collection(Protocol):
    """The records of one file."""

    path: Path
    #: The key or column of the text, if one was asked for.
    field: str | None

    def texts(self, start: int = 0) -> Iterator[str]:
        """The text of each record from this one on."""
        ...

    def copy(self, keep: Sequence[bool], target: Path) -> None:
        """Write the records that are to be kept, as they are, into a new file."""
        ...


def open_collection(path: Path, *, field: str | None = None) -> Collection:
    """The collection of a file, by the end of its name.

    Parameters
    ----------
    path : Path
        ``.jsonl`` or ``.ndjson``: an object a line; ``.txt``: a text a line; ``.csv`` or ``.tsv``: a
        header, then a record a row; ``.parquet``.
    field : str, optional
        The key or column of the text; by default ``text``, else ``content``, else ``body``.

    Raises
    ------
    InvalidArgumentError
        The name ends otherwise, or a field is named where there are none.
    MissingExtraError
        What reads the file is not installed.
    """
    from rankmeld.corpora import lines, parquet, tables  # noqa: PLC0415 - they read this module

    suffix = path.suffix.lower()
    if suffix == ".txt":
        if field is not None:
            raise InvalidArgumentError(f"{path}: a text file has no fields; leave the field out")
        return lines.TextLines(path)
    if suffix in {".jsonl", ".ndjson"}:
        return lines.JsonLines(path, field)
    if suffix in {".csv", ".tsv"}:
        return tables.Table(path, field, "\t" if suffix == ".tsv" else None)
    if suffix == ".parquet":
        return parquet.Parquet(path, field)
    raise InvalidArgumentError(
        f"{path}: the end of the name says how a file is read, and {suffix or 'none'} is not known; "
        "it must be .jsonl, .ndjson, .txt, .csv, .tsv or .parquet"
    )


def chosen_field(names: Sequence[str], field: str | None) -> str | None:
    """The name of the text among those of a record or header; ``None`` if it is not there."""
    wanted = TEXT_FIELDS if field is None else (field,)
    return next((name for name in wanted if name in names), None)
