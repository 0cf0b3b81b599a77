"""What is in a store's file, and what of it is wrong: counts that do not fit, and what no search can find."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankmeld.stores import feedback, writing
from rankmeld.stores.backup import copy_into
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.files import open_pool
from rankmeld.stores.labels import Label
from rankmeld.stores.rows import to_document
from rankmeld.text import is_blank

__all__ = ["Examination", "Finding", "examine"]

_FROM_A_COPY = "restore the file from a backup, or delete it and index again"
_INDEX_AGAIN = "index into a new file, or delete this one and index again"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that an examination found.

    Attributes
    ----------
    code : str
        A word for programs, such as ``"no_vector"``.
    wrong : bool
        Whether searches suffer from it; else it is only good to know.
    message : str
        What it is and what follows from it.
    remedy : str
        What helps; empty where nothing needs to.
    count : int
        How many documents, vectors or entries it is about.
    """

    code: str
    wrong: bool
    message: str
    remedy: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True)
class Examination:
    """What a store's file holds.

    Attributes
    ----------
    size, log_size : int
        Bytes of the file, and of the write-ahead log beside it.
    version : int
        Of the schema.
    documents, sources, vectors : int
        How many there are.
    label : Label
        Of the vectors.
    feedback, users : int
        Sums of feedback, and of how many users.
    findings : tuple of Finding
        What is wrong or good to know.
    """

    size: int
    log_size: int
    version: int
    documents: int
    sources: int
    vectors: int
    label: Label
    feedback: int
    users: int
    findings: tuple[Finding, ...]


def examine(path: Path, shown: str) -> Examination:
    """Look at a file without changing it, as it is at one moment.

    Parameters
    ----------
    path : Path
        Of a store.
    shown : str
        The store as messages show it.

    Raises
    ------
    StoreError
        It cannot be read at all.

    Notes
    -----
    Reads the whole file, and copies it once to a temporary one (in memory where it is small): SQLite
    checks a full-text index only where it may write.
    """
    log = Path(f"{path}-wal")
    log_size = log.stat().st_size if log.exists() else 0
    pool = open_pool(path.absolute(), read_only=True, durable=True, shown=shown)
    with closing(pool), pool.reading() as connection:
        return _examined(connection, path.stat().st_size, log_size)


def _examined(connection: sqlite3.Connection, size: int, log_size: int) -> Examination:
    def count(what: str) -> int:
        return int(connection.execute(f"SELECT count({what}").fetchone()[0])

    label = writing.label(connection)
    documents, vectors = count("*) FROM documents"), count("*) FROM vectors")
    return Examination(
        size=size,
        log_size=log_size,
        version=int(connection.execute("PRAGMA user_version").fetchone()[0]),
        documents=documents,
        sources=count("*) FROM sources"),
        vectors=vectors,
        label=label,
        feedback=count("*) FROM feedback"),
        users=count("DISTINCT user_key) FROM feedback"),
        findings=(*_findings(connection, documents, vectors, label), *_log(log_size)),
    )


def _findings(
    connection: sqlite3.Connection, documents: int, vectors: int, label: Label
) -> Sequence[Finding]:
    """Where SQLite itself finds damage, nothing else can be relied on."""
    try:
        return list(_damage(connection)) or [
            *_index(connection),
            *_documents(connection, documents),
            *_vectors(connection, documents, vectors, label),
            *_feedback(connection),
        ]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return [Finding("damaged", True, f"the file cannot be read to its end ({error})", _FROM_A_COPY)]


def _damage(connection: sqlite3.Connection) -> Iterator[Finding]:
    """What SQLite's own check finds."""
    report = [line for (line,) in connection.execute("PRAGMA integrity_check(5)")]
    if report != ["ok"]:
        yield Finding("damaged", True, f"the file is damaged ({'; '.join(report)[:200]})", _FROM_A_COPY)


def _index(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Whether the full-text index is that of the documents, and no row belongs to a document that is gone."""
    with closing(sqlite3.connect("", isolation_level=None)) as copy:
        copy_into(copy, connection, None)
        try:
            copy.execute("INSERT INTO passages (passages, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError:
            yield Finding(
                "index_out_of_step",
                True,
                "the full-text index is not that of the documents, so searches by words miss some or fail",
                _INDEX_AGAIN,
            )
    orphans: dict[str, int] = {}
    for table, *_ in connection.execute("PRAGMA foreign_key_check"):
        orphans[table] = orphans.get(table, 0) + 1
    for table, number in orphans.items():
        yield Finding(
            "orphans", True, f"{number:,} of {table} belong to what is not there", _INDEX_AGAIN, count=number
        )


def _documents(connection: sqlite3.Connection, documents: int) -> Iterator[Finding]:
    if not documents:
        yield Finding("empty", True, "there are no documents, so every search is empty", "index something")
        return
    wordless = textless = undated = unreadable = 0
    for title, topic, text, record, created_at in connection.execute(
        "SELECT title, topic, text, record, created_at FROM documents"
    ):
        try:
            to_document(title, topic, text, record)
        except DamagedError:
            unreadable += 1
        without = is_blank(text)
        textless += without
        wordless += without and is_blank(title) and is_blank(topic)
        undated += created_at is None
    if unreadable:
        yield Finding(
            "unreadable", True, f"{unreadable:,} documents cannot be read", _FROM_A_COPY, count=unreadable
        )
    if wordless:
        yield Finding(
            "no_words",
            True,
            f"{wordless:,} documents have neither text nor title: no search finds them by words",
            "delete them, or add them with a text",
            count=wordless,
        )
    if textless > wordless:
        yield Finding(
            "no_text",
            False,
            f"{textless - wordless:,} documents have a title but no text: found, but in no context",
            count=textless - wordless,
        )
    if undated:
        yield Finding(
            "no_date",
            False,
            f"{undated:,} of {documents:,} documents have no created_at: to searches they are of no age",
            count=undated,
        )


def _vectors(connection: sqlite3.Connection, documents: int, vectors: int, label: Label) -> Iterator[Finding]:
    if (label.dimensions is None) != (not vectors):
        yield Finding(
            "label",
            True,
            f"there are {vectors:,} vectors, and their width is recorded as {label.dimensions}",
            _INDEX_AGAIN,
        )
        return
    if not vectors:
        if documents:
            yield Finding(
                "words_only", False, "there are no vectors: searches go by words alone", "name an embedder"
            )
        return
    if label.model is None:
        yield Finding(
            "no_model",
            False,
            "nobody said which model made the vectors, so a query of another one would not be refused",
            "add documents with embedder=",
        )
    (bare,) = connection.execute(
        "SELECT count(*) FROM documents WHERE position NOT IN (SELECT position FROM vectors)"
    ).fetchone()
    if bare:
        yield Finding(
            "no_vector",
            True,
            f"{bare:,} of {documents:,} documents have no vector: no search finds them by meaning",
            "add them again with the embedder",
            count=bare,
        )
    yield from _values(connection, label)


def _values(connection: sqlite3.Connection, label: Label) -> Iterator[Finding]:
    """Vectors that are of another width, like nothing, or no vectors at all."""
    width = infinite = zero = 0
    for (blob,) in connection.execute("SELECT iif(typeof(vector) = 'blob', vector, NULL) FROM vectors"):
        if blob is None or len(blob) != 4 * (label.dimensions or 0):
            width += 1
            continue
        vector = np.frombuffer(blob, "<f4")
        infinite += not np.isfinite(vector).all()
        zero += not vector.any()
    if width:
        yield Finding(
            "width",
            True,
            f"{width:,} vectors have not the {label.dimensions} dimensions that are recorded: searches by"
            " meaning fail",
            _INDEX_AGAIN,
            count=width,
        )
    if infinite:
        yield Finding(
            "not_finite", True, f"{infinite:,} vectors are not finite", _INDEX_AGAIN, count=infinite
        )
    if zero:
        yield Finding(
            "zero_vector",
            True,
            f"{zero:,} vectors are zero, and like nothing: an embedder gives them for texts without a word",
            "delete these documents, or add them with a text",
            count=zero,
        )


def _feedback(connection: sqlite3.Connection) -> Iterator[Finding]:
    try:
        feedback.everything(connection)
    except DamagedError as error:
        yield Finding("feedback_unreadable", True, str(error), _FROM_A_COPY)
    (gone,) = connection.execute(
        "SELECT count(*) FROM feedback WHERE id_key NOT IN (SELECT id_key FROM documents)"
    ).fetchone()
    if gone:
        yield Finding(
            "feedback_for_nothing",
            False,
            f"{gone:,} sums of feedback are of documents that are not here; they count when these come back",
            count=gone,
        )


def _log(log_size: int) -> Iterator[Finding]:
    if log_size:
        yield Finding(
            "log",
            False,
            f"a log of {log_size:,} bytes lies beside the file and belongs to it: a program has it open, or"
            " ended in the middle; the next one that writes folds it in",
        )
