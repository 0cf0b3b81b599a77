"""Tables: a header, then a record a row, which may run over several lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rankmeld.corpora.formats import TEXT_FIELDS, chosen_field
from rankmeld.corpora.lines import decoded
from rankmeld.errors import FormatError

__all__ = ["Table"]

#: The largest cell that is read; the module's own bound is lower than many a text is long.
_LARGEST_CELL = (1 << 31) - 1


class _Row(NamedTuple):
    """A row with the lines that it stands on, the first of which has this number."""

    cells: list[str]
    lines: bytes
    number: int


class Table:
    """A file of comma, semicolon or tab separated values; copying takes rows byte by byte."""

    def __init__(self, path: Path, field: str | None, separator: str | None) -> None:
        self.path = path
        self.field = field
        self._separator = separator

    def texts(self, start: int = 0) -> Iterator[str]:
        """The text of each record from this one on."""
        rows = self._rows()
        header = next(rows, None)
        if header is None:
            return
        name = chosen_field(header.cells, self.field)
        if name is None:
            wanted = " or ".join(TEXT_FIELDS) if self.field is None else self.field
            raise FormatError(f"no text: no column is named {wanted}", self.path, header.number)
        column = header.cells.index(name)
        for place, row in enumerate(rows):
            if len(row.cells) != len(header.cells):
                raise FormatError(
                    f"the row has {len(row.cells)} cells and the header {len(header.cells)}",
                    self.path,
                    row.number,
                )
            if place >= start:
                yield row.cells[column]

    def copy(self, keep: Sequence[bool], target: Path) -> None:
        """Write the header and the records that are to be kept, as they are, into a new file."""
        rows = self._rows()
        with target.open("xb") as out:
            header = next(rows, None)
            if header is None:
                return
            out.write(header.lines)
            for row, stays in zip(rows, keep, strict=True):
                if stays:
                    out.write(row.lines if row.lines.endswith((b"\n", b"\r")) else row.lines + b"\n")

    def _rows(self) -> Iterator[_Row]:
        """The rows that are not blank, the header first."""
        taken: list[bytes] = []

        def lines() -> Iterator[str]:
            with self.path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    taken.append(line)
                    text = decoded(line, self.path, number)
                    yield text.removeprefix("\ufeff") if number == 1 else text

        number = 1
        bound = csv.field_size_limit(_LARGEST_CELL)
        try:
            reader = csv.reader(lines(), delimiter=self._separator or self._guessed(), strict=True)
            for cells in reader:
                whole = b"".join(taken)
                # Empty cells are a record as well, one that says nothing.
                if len(cells) > 1 or whole.strip():
                    yield _Row(cells, whole, number)
                taken.clear()
                number = reader.line_num + 1
        except csv.Error as error:
            raise FormatError(f"not a table: {error}", self.path, number) from None
        finally:
            csv.field_size_limit(bound)

    def _guessed(self) -> str:
        """The separator that the header has most of."""
        with self.path.open("rb") as file:
            header = file.readline().decode(errors="replace")
        return max(",;\t", key=header.count)
