"""Files with a record a line: JSON lines and plain text."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from rankmeld.corpora.formats import TEXT_FIELDS, chosen_field
from rankmeld.errors import FormatError

__all__ = ["JsonLines", "TextLines", "decoded"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Lines(ABC):
    """A file whose lines are records; copying takes them byte by byte."""

    def __init__(self, path: Path, field: str | None = None) -> None:
        self.path = path
        self.field = field

    def texts(self, start: int = 0) -> Iterator[str]:
        """The text of each record from this one on."""
        with self.path.open("rb") as file:
            for place, (number, line) in enumerate(self._records(file)):
                if place >= start:
                    yield self._text(line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line, number)

    def copy(self, keep: Sequence[bool], target: Path) -> None:
        """Write the records that are to be kept, as they are, into a new file."""
        with self.path.open("rb") as file, target.open("xb") as out:
            for (_, line), stays in zip(self._records(file), keep, strict=True):
                if stays:
                    out.write(line if line.endswith(b"\n") else line + b"\n")

    def _records(self, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
        """The lines that are records, with their numbers from 1."""
        return enumerate(file, start=1)

    @abstractmethod
    def _text(self, line: bytes, number: int) -> str:
        """The text of the record in a line."""


class TextLines(_Lines):
    """A text a line, an empty line being an empty text."""

    def _text(self, line: bytes, number: int) -> str:
        return decoded(line, self.path, number).rstrip("\r\n")


class JsonLines(_Lines):
    """An object a line; blank lines are passed over."""

    def _records(self, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
        return ((number, line) for number, line in super()._records(file) if line.strip())

    def _text(self, line: bytes, number: int) -> str:
        try:
            record = json.loads(decoded(line, self.path, number), parse_int=float)
        except (ValueError, RecursionError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(
                f"not JSON: {error}; every line must be one object", self.path, number
            ) from None
        if not isinstance(record, dict):
            raise FormatError("every line must be one object", self.path, number)
        name = chosen_field(list(record), self.field)
        if name is None:
            wanted = " or ".join(TEXT_FIELDS) if self.field is None else self.field
            raise FormatError(f"no text: the object has no key {wanted}", self.path, number)
        text = record[name]
        if text is None:
            return ""
        if not isinstance(text, str):
            raise FormatError(f"{name} must be a string", self.path, number)
        return text


def decoded(line: bytes, path: Path, number: int) -> str:
    """A line as text.

    Raises
    ------
    FormatError
        It is no UTF-8.
    """
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8: {error.reason} at byte {error.start}", path, number) from None
