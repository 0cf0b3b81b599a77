"""The file behind a store: found, created, recognized, upgraded; or a temporary one."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path

from rankmeld.errors import StoreError
from rankmeld.stores.connections import ConnectionPool, connect, patiently, stoppable
from rankmeld.stores.failures import store_errors
from rankmeld.stores.forking import fork_guard
from rankmeld.stores.schema import needs_upgrade, upgrade

__all__ = ["IN_MEMORY", "open_pool", "open_temporary"]

#: The path of a store that nobody else sees and that is gone when it is closed.
IN_MEMORY = ":memory:"


def open_temporary() -> tuple[ConnectionPool, Callable[[], None]]:
    """Make a store of a new temporary folder.

    It is a file, not memory, so it behaves like every other store: many readers beside a writer,
    and the same data in forked children.

    Returns
    -------
    (ConnectionPool, callable)
        The store, and what closes it and deletes the folder.
    """
    import shutil  # noqa: PLC0415 - most stores need neither, and `import rankmeld` is to stay quick
    import tempfile  # noqa: PLC0415 - as above

    folder = tempfile.mkdtemp(prefix="rankmeld-")
    pool = open_pool(Path(folder, "store.db"), read_only=False, durable=False, shown=IN_MEMORY)
    owner = os.getpid()

    def discard() -> None:
        pool.close()
        if os.getpid() == owner:  # a forked child leaves its parent's files alone
            shutil.rmtree(folder, ignore_errors=True)

    return pool, discard


def open_pool(path: Path, *, read_only: bool, durable: bool, shown: str) -> ConnectionPool:
    """Open a store file, creating or upgrading it where that is allowed.

    Parameters
    ----------
    path : Path
        Absolute path.
    read_only : bool
        Neither create, upgrade nor write.
    durable : bool
        As in `connect`.
    shown : str
        The store as messages show it.

    Returns
    -------
    ConnectionPool
        For a file of the newest schema.

    Raises
    ------
    StoreError
        It cannot be opened, is not a store, or is newer than this rankmeld.
    """
    _check_place(path, read_only=read_only, shown=shown)
    mode = _read_only_mode(path) if read_only else "rw"
    first = mode if read_only else "rwc"
    new = not read_only and not path.exists()
    with (
        _nothing_left(path) if new else nullcontext(),
        store_errors(shown),
        fork_guard().using(shown),
        closing(connect(path, first, durable=durable)) as connection,
        stoppable(connection),
    ):
        outdated = _is_outdated(connection, shown)
        if outdated and read_only:
            raise StoreError(
                f"store {shown} is empty or has an older schema, and read_only=True changes nothing; "
                "open it once without read_only, as the command `rankmeld index` does, to bring it up to date"
            )
        if outdated:
            _bring_up_to_date(connection, shown)
    return ConnectionPool(path, mode, durable=durable, shown=shown)


@contextmanager
def _nothing_left(path: Path) -> Iterator[None]:
    """Where a new store cannot be made, on a full disk say, its empty file goes again."""
    try:
        yield
    except BaseException:
        with suppress(OSError):
            if path.stat().st_size == 0:
                path.unlink()
        raise


def _check_place(path: Path, *, read_only: bool, shown: str) -> None:
    """Say in plain words what SQLite calls "unable to open database file"."""
    try:
        Path(f"{path}-journal").stat()  # the longest name that SQLite puts beside the file
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        remedy = "shorten it" if error.errno == errno.ENAMETOOLONG else "check its folder, then try again"
        raise StoreError(f"store {shown} cannot be opened: {error.strerror}; {remedy}") from error
    if path.is_dir():
        raise StoreError(f"store {shown} is a folder; name a file in it")
    if not path.exists():
        if read_only:
            raise StoreError(
                f"store {shown} does not exist, and read_only=True creates none; check the path, or open it "
                "without read_only to create it"
            )
        if not path.parent.is_dir():
            raise StoreError(f"the folder of store {shown} does not exist; create {path.parent} first")
    elif not read_only and not os.access(path, os.W_OK):
        raise StoreError(f"store {shown} may not be written; open it with read_only=True")
    if not read_only and not os.access(path.parent, os.W_OK):
        raise StoreError(
            f"the folder of store {shown} may not be written, and a store keeps its log beside the file; "
            "make the folder writable, or open the store with read_only=True"
        )


def _read_only_mode(path: Path) -> str:
    """How to open a file for reading.

    SQLite keeps a log beside the file even for readers. In a folder where this user cannot write, a
    file without a log is read as it lies: nobody has it open for writing.
    """
    frozen = not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists()
    return "ro&immutable=1" if frozen else "ro"


def _is_outdated(connection: sqlite3.Connection, shown: str) -> bool:
    """Look before anything is written: it may be another program's database."""
    answers: list[bool] = []
    patiently(lambda: answers.append(needs_upgrade(connection, shown)))
    return answers[-1]


def _bring_up_to_date(connection: sqlite3.Connection, shown: str) -> None:
    # With a write-ahead log, readers go on reading while one process writes.
    patiently(lambda: connection.execute("PRAGMA journal_mode = WAL"))
    patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
    try:
        upgrade(connection, shown)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
