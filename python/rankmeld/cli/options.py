"""The options that more than one command has, and the store behind ``--db``."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, get_args

import typer

from rankmeld.cli.errors import UsageError
from rankmeld.ingest import SourceKind
from rankmeld.stores import SqliteStore

__all__ = [
    "KINDS",
    "LOCAL_USER",
    "NO_VALUE",
    "Database",
    "Debug",
    "Filters",
    "User",
    "check_exists",
    "open_existing",
    "shown",
    "shown_id",
    "vectors",
]

#: The metavar of a flag; typer would write ``<bool>``, as if it took a value.
NO_VALUE = ""

Database = Annotated[Path, typer.Option("--db", metavar="FILE", help="The database that holds the index.")]
Debug = Annotated[bool, typer.Option("--debug", metavar=NO_VALUE, help="Show the traceback of an error.")]
User = Annotated[
    str,
    typer.Option(
        "--user",
        metavar="NAME",
        help="Whose feedback counts.",
    ),
]

#: Who is at the terminal, where nobody says.
LOCAL_USER = "local"


#: The types that files are indexed as.
KINDS: tuple[str, ...] = get_args(SourceKind)

Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="KEY=VALUE",
        help=f"Only documents with this value: type ({', '.join(KINDS)}; records may bring their own),"
        " source (a file or a folder), project, scope, metadata.KEY, or created_at=FROM..TO."
        " May be given again; one key with several values takes any of them.",
    ),
]


@contextmanager
def open_existing(db: Path) -> Iterator[SqliteStore]:
    """Open a store for reading; one that is not there is an error, not an empty store."""
    check_exists(db)
    with SqliteStore(db, read_only=True) as store:
        yield store


def check_exists(db: Path) -> None:
    """Refuse a file that is not there or empty, before anything creates it."""
    if not db.exists():
        raise UsageError(f"{db}: no such database; make it with: rankmeld index PATH --db {db}")
    if db.is_file() and not db.stat().st_size:
        raise UsageError(f"{db}: an empty file, no database yet; run: rankmeld index PATH --db {db}")


def vectors(store: SqliteStore) -> str:
    """The vectors of a store, for people."""
    if store.dimensions is None:
        return "none (lexical search only)"
    return f"{store.model or 'of a model without a name'} ({store.dimensions} dimensions)"


def shown(path: str) -> str:
    """A path as people want it: from the folder they are in, where it lies below that."""
    here = Path.cwd()
    return Path(path).relative_to(here).as_posix() if Path(path).is_relative_to(here) else path


def shown_id(id: Hashable) -> str:
    """An id as people want it, and as ``rankmeld feedback`` takes it: a path from the folder they are in."""
    return shown(id) if isinstance(id, str) else repr(id)
