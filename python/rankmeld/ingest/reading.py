"""From a file to its documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rankmeld.ingest.chunking import CODE, PROSE, chunk
from rankmeld.ingest.files import Skip, SourceFile
from rankmeld.ingest.languages import language_of
from rankmeld.ingest.outline import Passage, cut_by_headings, markdown_headings, rst_headings
from rankmeld.ingest.records import read_csv, read_jsonl
from rankmeld.types import Document

__all__ = ["decode", "read_documents"]

#: Between the titles of nested headings.
_TITLE_SEPARATOR = " > "


def read_documents(source: SourceFile, *, on_skip: Skip | None = None) -> list[Document]:
    r"""Read a file and cut it into documents.

    Text is cut into passages of at most 1,200 characters: Markdown and reStructuredText by
    heading, then paragraph, with the path of headings as the title; text by paragraph and code by
    definition, with the file's name as the title and a code's language as the topic. Short
    neighbours share a passage; a long one is cut at the end of a sentence or line, inside a word
    only where there is no white space. Passages are numbered from 1: ``path#1`` is the id.

    JSON lines and CSV hold one document a line: ``id`` or ``_id`` (else ``path#line``), ``text``,
    ``content`` or ``body``, the other fields of `Document` by name, all else into the metadata.

    Every document has the path as its `parent_id`, and as ``source`` in the metadata beside the
    kind as ``type``; a record's own values win. A passage has its first ``line`` there too, from 1.

    Parameters
    ----------
    source : SourceFile
        As `discover` gives it.
    on_skip : callable, optional
        ``on_skip(path, reason)``, called where the file has vanished or cannot be read; no
        documents are given then.

    Returns
    -------
    list of Document
        In the order of the file; empty for a blank one.

    Raises
    ------
    FormatError
        A line of JSON lines or CSV is wrong; it names file and line.
    OSError
        The file cannot be read, and there is no `on_skip`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "guide.md")
    ...     _ = path.write_text("# Guide\n\n## Setup\n\nInstall it.\n")
    ...     documents = read_documents(SourceFile(path.as_posix(), "markdown"))
    >>> [(document.title, document.text) for document in documents]
    [('Guide > Setup', 'Install it.')]
    """
    try:
        data = Path(source.path).read_bytes()
    except OSError as error:
        if on_skip is None:
            raise
        on_skip(source.path, f"cannot be read: {error.strerror or error}")
        return []
    text = decode(data)
    if source.kind == "jsonl":
        return read_jsonl(text, source.path)
    if source.kind == "csv":
        return read_csv(text, source.path)
    topic = language_of(source.name) if source.kind == "code" else ""
    passages = _passages(text, source)
    return [
        Document(
            f"{source.path}#{number}",
            text[slice(*passage.span)],
            _TITLE_SEPARATOR.join(passage.titles) or source.name,
            topic,
            parent_id=source.path,
            metadata={"source": source.path, "type": source.kind, "line": line},
        )
        for number, (passage, line) in enumerate(zip(passages, _first_lines(text, passages), strict=True), 1)
    ]


def _passages(text: str, source: SourceFile) -> list[Passage]:
    if source.kind == "markdown":
        return cut_by_headings(text, markdown_headings)
    if source.kind == "rst":
        return cut_by_headings(text, rst_headings)
    breaks = CODE if source.kind == "code" else PROSE
    return [Passage(span, ()) for span in chunk(text, 0, len(text), breaks=breaks)]


def _first_lines(text: str, passages: list[Passage]) -> Iterator[int]:
    """The line on which each passage begins, from 1; passages come in the order of the text."""
    line, counted = 1, 0
    for passage in passages:
        start = passage.span[0]
        line += text.count("\n", counted, start)
        counted = start
        yield line


def decode(data: bytes) -> str:
    r"""Read bytes as text with ``\n`` line ends.

    UTF-8, with or without a byte-order mark; what is not valid UTF-8 is read as Windows-1252,
    and what is not valid in that as Latin-1, which takes every byte.

    Examples
    --------
    >>> decode(b"caf\xc3\xa9\r\n"), decode(b"caf\xe9")
    ('café\n', 'café')
    """
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            text = data.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")
