"""Documents that come one a line: JSON lines, and tables with a header."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from rankmeld.errors import FormatError
from rankmeld.types import Document

__all__ = ["read_csv", "read_jsonl"]

_ID_KEYS = ("id", "_id")
_TEXT_KEYS = ("text", "content", "body")
_FIELDS = frozenset(field.name for field in dataclasses.fields(Document)) - {"id", "text"}

_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def read_jsonl(text: str, path: str) -> list[Document]:
    """Read one JSON object a line; blank lines are passed over.

    Raises
    ------
    FormatError
        With file and line.
    """
    documents = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            record = _object(line, path, number)
            documents.append(_document(record, path, number, kind="jsonl"))
    return documents


def read_csv(text: str, path: str) -> list[Document]:
    """Read a table: a header, then one document a row, separated by commas, semicolons or tabs.

    Names of the header are matched in any case, and empty cells are absent values.

    Raises
    ------
    FormatError
        With file and line.
    """
    header_line = text.partition("\n")[0]
    separator = max(",;\t", key=header_line.count)
    rows = _rows(csv.reader(io.StringIO(text), delimiter=separator, strict=True), path)
    _, header = next(rows, (1, []))
    names = [_column(name) for name in header]
    if len(set(names)) < len(names):
        raise FormatError("a column name occurs twice in the header", path, 1)
    if names and not {*_TEXT_KEYS, "title"} & set(names):
        raise FormatError("no column is named text, content, body or title", path, 1)
    documents = []
    for number, row in rows:
        if len(row) != len(names):
            raise FormatError(
                f"the row has {len(row)} cells and the header {len(names)}; quote cells that "
                f"hold {separator!r} or a line break",
                path,
                number,
            )
        record = {
            name: _cell(name, cell, path, number)
            for name, cell in zip(names, row, strict=True)
            if cell.strip()
        }
        documents.append(_document(record, path, number, kind="csv"))
    return documents


def _object(line: str, path: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line, parse_constant=_refuse_constant)
        if "\\ud" in line or "\\uD" in line:  # an escaped surrogate; a lone one could not be stored
            written = json.dumps(value, ensure_ascii=False)
            value = json.loads(_LONE_SURROGATES.sub("\ufffd", written))
    except json.JSONDecodeError as error:
        reason = f"not JSON: {error.msg} at column {error.colno}"
        raise FormatError(f"{reason}; every line must be one object", path, number) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path, number) from None
    if not isinstance(value, dict):
        raise FormatError(f"every line must be one object, not {_json_kind(value)}", path, number)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number; use null for an absent value")


def _rows(reader: Any, path: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with the line that each begins on; a quoted cell may run over several."""
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):  # spreadsheets write blank rows as ",,,"
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise FormatError(f"not CSV: {error}", path, line) from None


def _column(name: str) -> str:
    """A field's own spelling of a column name; other names stay as they are."""
    plain = name.strip()
    known = plain.lower() in _FIELDS or plain.lower() in (*_ID_KEYS, *_TEXT_KEYS)
    return plain.lower() if known else plain


def _as_flag(cell: str) -> bool:
    word = cell.strip().lower()
    if word in ("true", "yes", "1"):
        return True
    if word in ("false", "no", "0"):
        return False
    raise ValueError(f"{cell!r} is neither true nor false")


#: What the cells of a table, which are all text, become.
_CELLS: Mapping[str, Callable[[str], Any]] = {
    "access_count": int,
    "importance": float,
    "assessed_importance": float,
    "confidence": float,
    "evergreen": _as_flag,
    "volatile": _as_flag,
}


def _cell(name: str, cell: str, path: str, number: int) -> Any:
    try:
        return _CELLS[name](cell) if name in _CELLS else cell
    except ValueError as error:
        raise FormatError(f"{name}: {error}", path, number) from None


def _document(record: Mapping[str, Any], path: str, number: int, *, kind: str) -> Document:
    """Make a document of a record: fields by name, all other keys into the metadata."""
    rest = {key: value for key, value in record.items() if value is not None}
    own = rest.pop("metadata", None) if isinstance(rest.get("metadata"), Mapping) else None
    identity = _first(rest, _ID_KEYS)
    text = _first(rest, _TEXT_KEYS)
    fields = {name: rest.pop(name) for name in _FIELDS & rest.keys() - {"metadata"}}
    if identity is None:
        identity = f"{path}#{number}"
    elif isinstance(identity, bool) or not isinstance(identity, str | int):
        raise FormatError(f"id must be a string or an integer, not {_json_kind(identity)}", path, number)
    if text is None and "title" not in fields:
        raise FormatError("no text: give one of text, content, body or title", path, number)
    metadata = {"source": path, "type": kind, **rest, **(own or {})}
    fields.setdefault("parent_id", path)
    try:
        return Document(identity, "" if text is None else text, **fields, metadata=metadata)
    except (TypeError, ValueError) as error:
        raise FormatError(str(error), path, number) from None


def _first(record: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """Take the first of these keys that is there."""
    for key in keys:
        if key in record:
            return record.pop(key)
    return None


def _json_kind(value: object) -> str:
    """What JSON calls a value of this type."""
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null", dict: "an object"}
    return names.get(type(value), "a number")
