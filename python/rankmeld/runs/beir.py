"""Judgements as BEIR's collections have them: a table with a header."""

from __future__ import annotations

from collections.abc import Hashable

from rankmeld.errors import FormatError
from rankmeld.runs import trec

__all__ = ["is_beir", "read_beir"]

_COLUMNS = ("query-id", "corpus-id", "score")


def is_beir(head: bytes) -> bool:
    """Whether a file that begins so has that header."""
    return head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r").split(b"\t") == [
        name.encode() for name in _COLUMNS
    ]


def read_beir(source: trec.Readable) -> dict[Hashable, dict[Hashable, int]]:
    """Grades by query and document id, in the order of the file."""
    path = trec.path_of(source)
    with trec.opened(source) as file:
        content = file.read()
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else bytes(content)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError("the line is no UTF-8", path, raw.count(b"\n", 0, error.start) + 1) from None
    if not is_beir(raw):
        raise FormatError(
            "the first line must be query-id, corpus-id and score, parted by tabs; lines of four columns "
            "without a header are read by Qrels.from_trec",
            path,
            1,
        )
    grades: dict[Hashable, dict[Hashable, int]] = {}
    # Lines end where TREC's do: other separators may be part of an id.
    for number, line in enumerate(text.split("\n")[1:], 2):
        row = line.removesuffix("\r")
        if not row.strip(" \t"):
            continue
        cells = row.split("\t")
        if len(cells) != len(_COLUMNS):
            raise FormatError(
                f"the line has {len(cells)} columns; three are wanted, parted by tabs", path, number
            )
        query, document, written = cells
        grade = _grade(written)
        if grade is None:
            raise FormatError(f"the score is {written!r}; whole numbers are wanted", path, number)
        known = grades.setdefault(query, {}).setdefault(document, grade)
        if known != grade:
            raise FormatError(
                f"document {document!r} of query {query!r} has the score {grade} here and {known} before",
                path,
                number,
            )
    return grades


def _grade(written: str) -> int | None:
    try:
        number = float(written)
    except ValueError:
        return None
    return int(number) if number.is_integer() else None
