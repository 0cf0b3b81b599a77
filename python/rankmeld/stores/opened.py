"""A store's file from opening to closing: its connections, and what its vectors are."""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self

from rankmeld.errors import InvalidArgumentError, StoreError
from rankmeld.stores import writing
from rankmeld.stores.arguments import as_file
from rankmeld.stores.backup import copy_to
from rankmeld.stores.files import IN_MEMORY, open_pool, open_temporary
from rankmeld.stores.held import HeldVectors

__all__ = ["OpenedFile", "OpenedStore"]


class OpenedFile:
    """A store's file that is open, whatever of it is used.

    Parameters
    ----------
    path : str or os.PathLike
        The file, or ``":memory:"``.
    read_only : bool, default False
        Neither create nor change the file.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self._shown = as_file(path)
        if not isinstance(read_only, bool):
            raise TypeError(f"read_only must be True or False, not {type(read_only).__name__}")
        self._read_only = read_only
        if self._shown != IN_MEMORY:
            self._pool = open_pool(
                Path(self._shown).absolute(), read_only=read_only, durable=True, shown=self._shown
            )
            release: Callable[[], None] = self._pool.close
        elif read_only:
            raise InvalidArgumentError(
                f"read_only=True with path {IN_MEMORY!r} would be a store that stays empty; leave it out"
            )
        else:
            self._pool, release = open_temporary()
        self._release = weakref.finalize(self, release)

    def close(self) -> None:
        """Close the file. Calls that are under way in other threads end in peace.

        Closing twice is no error; any other call is then a `StoreError`.
        """
        self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        """Neither copied nor pickled: what is open is open here."""
        raise TypeError(
            f"store {self._shown} cannot be pickled or copied, since it is open in this process; hand on its "
            f"path, and open it there with {type(self).__name__}(path)"
        )

    def __repr__(self) -> str:
        read_only = ", read_only=True" if self._read_only else ""
        return f"{type(self).__name__}({self._shown!r}{read_only}){' (closed)' if self._pool.closed else ''}"

    @property
    def path(self) -> str:
        """The path as it was given."""
        return self._shown

    @property
    def read_only(self) -> bool:
        """Whether the store refuses to be changed."""
        return self._read_only

    def backup(
        self, path: str | os.PathLike[str], *, progress: Callable[[int, int], object] | None = None
    ) -> None:
        """Copy all that the file holds, as it is at this moment, while others read and write it.

        To restore, close the store everywhere and put the copy in its place, and see that no
        ``-wal`` or ``-shm`` file of the old one is left beside it; or just open the copy.

        Parameters
        ----------
        path : str or os.PathLike
            A new file. It is there as a whole or, after an error or a crash, not at all.
        progress : callable, optional
            ``progress(done, total)``, in pages of the file. An exception that it raises ends the call.

        Raises
        ------
        StoreError
            There is something at `path`, it cannot be written, or the store cannot be read.

        Examples
        --------
        >>> import rankmeld as rm
        >>> store = rm.SqliteStore("notes.db")  # doctest: +SKIP
        >>> store.backup("notes-2026-12-01.db")  # doctest: +SKIP
        """
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be a callable (done, total), not {type(progress).__name__}")
        target = Path(as_file(path)).absolute()
        with self._pool.reading() as connection:
            copy_to(connection, target, progress)

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        self._check_writable()
        return self._pool.writing()

    def _check_writable(self) -> None:
        if self._read_only:
            raise StoreError(
                f"store {self._shown} was opened with read_only=True; open it without to change it"
            )


class OpenedStore(OpenedFile):
    """A store that is open, with the vectors that it holds in memory.

    Parameters
    ----------
    path, read_only
        As in `OpenedFile`.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        super().__init__(path, read_only=read_only)
        self._held = HeldVectors()

    def close(self) -> None:
        """Close the store. Calls that are under way in other threads end in peace.

        Closing twice is no error; any other call on a closed store is a `StoreError`.
        """
        super().close()
        self._held.clear()

    @property
    def model(self) -> str | None:
        """Name of the model that made the vectors; ``None`` without vectors, or if it was not told."""
        with self._pool.reading() as connection:
            return writing.label(connection).model

    @property
    def dimensions(self) -> int | None:
        """Width of the vectors; ``None`` for a store without vectors."""
        with self._pool.reading() as connection:
            return writing.label(connection).dimensions
