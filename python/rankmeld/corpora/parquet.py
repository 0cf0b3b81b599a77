"""Parquet files, read and written some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rankmeld.corpora.formats import TEXT_FIELDS, chosen_field
from rankmeld.errors import FormatError, MissingExtraError

__all__ = ["Parquet"]

#: Rows that are in memory at the same time.
_ROWS = 8_192


class Parquet:
    """A Parquet file with a column of strings."""

    def __init__(self, path: Path, field: str | None) -> None:
        try:
            import pyarrow as pa  # noqa: PLC0415 - only those who have Parquet files need it
            import pyarrow.parquet as pq  # noqa: PLC0415 - as above
        except ImportError:
            raise MissingExtraError.for_extra("frames", "reading Parquet") from None
        self.path = path
        self.field = field
        self._arrow: Any = pa
        self._parquet: Any = pq

    def texts(self, start: int = 0) -> Iterator[str]:
        """The text of each record from this one on."""
        with self._opened() as file:
            name = chosen_field(file.schema_arrow.names, self.field)
            if name is None:
                wanted = " or ".join(TEXT_FIELDS) if self.field is None else self.field
                raise FormatError(f"no text: no column is named {wanted}", self.path)
            if file.schema_arrow.names.count(name) > 1:
                raise FormatError(f"several columns are named {name}; the text must be in one", self.path)
            kind, types = file.schema_arrow.field(name).type, self._arrow.types
            if not (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)):
                raise FormatError(f"the column {name} holds {kind}; it must hold strings", self.path)
            passed = 0
            for batch in self._batches(file, [name]):
                rest = batch.column(0)[max(start - passed, 0) :]
                passed += len(batch)
                try:
                    texts = rest.to_pylist()
                except UnicodeDecodeError as error:
                    raise FormatError(f"{name} is not UTF-8: {error.reason}", self.path) from None
                for text in texts:
                    yield "" if text is None else text

    def copy(self, keep: Sequence[bool], target: Path) -> None:
        """Write the records that are to be kept, as they are, into a new file."""
        done = 0
        with (
            self._opened() as file,
            self._parquet.ParquetWriter(target, file.schema_arrow) as out,
        ):
            for batch in self._batches(file):
                mask = self._arrow.array(list(keep[done : done + len(batch)]), type=self._arrow.bool_())
                done += len(batch)
                out.write_batch(batch.filter(mask))

    def _opened(self) -> Any:
        try:
            return self._parquet.ParquetFile(self.path)
        except self._arrow.ArrowInvalid as error:
            raise FormatError(f"no Parquet file: {error}", self.path) from None

    def _batches(self, file: Any, columns: list[str] | None = None) -> Iterator[Any]:
        """Some rows at a time; what Arrow cannot make sense of is the file's fault."""
        try:
            yield from file.iter_batches(batch_size=_ROWS, columns=columns)
        except (self._arrow.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise FormatError(f"a damaged Parquet file: {error}", self.path) from None
