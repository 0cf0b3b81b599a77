"""Feedback in an SQLite file: beside the documents of a store, or in a file of its own."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from rankmeld.engine.feedback import Feedback
from rankmeld.engine.feedback_base import KeptFeedback, as_user
from rankmeld.errors import InvalidArgumentError
from rankmeld.stores import feedback
from rankmeld.stores.encoding import encode, id_key
from rankmeld.stores.opened import OpenedFile

__all__ = ["SqliteFeedback"]


class SqliteFeedback(KeptFeedback, OpenedFile):
    """Feedback in one SQLite file, for any number of threads and processes.

    The file may be that of a `SqliteStore`, whether or not one is open: feedback is a table of its own there,
    is copied by the same backup, and stays when documents are indexed again or deleted. Marks are added in
    the file itself, so none is lost where several processes add at once. An `add` is on the disk
    when it returns, as a whole or not at all; it waits up to a minute for another writer.

    Parameters
    ----------
    path : str or os.PathLike
        The file; created if it is not there, as a store without documents.
    read_only : bool, default False
        Neither create nor change the file.

    Raises
    ------
    StoreError
        The file cannot be opened, is not a store, or a newer rankmeld made it. Every other method raises
        it as well where the file is closed, busy, damaged or cannot be written.

    Notes
    -----
    Ids may be what a `SqliteStore` takes: str, int, float, bytes, UUID or tuples of these. An `add` costs
    a commit, a fraction of a millisecond to some milliseconds as the disk goes; `net` is a look-up for
    each id. From asynchronous code, call through ``asyncio.to_thread``.

    Examples
    --------
    >>> import rankmeld as rm
    >>> with rm.SqliteFeedback(":memory:") as feedback:
    ...     feedback.add(["m1"], ["m2"], user_id="ada")
    ...     feedback.net(["m1", "m2", "m3"], user_id="ada")
    {'m1': 1, 'm2': -1, 'm3': 0}
    """

    def entries(self) -> list[Feedback]:
        """Everything that is kept, sorted by user and document."""
        with self._pool.reading() as connection:
            rows = feedback.everything(connection)
        return [Feedback(id, as_user(user), net) for id, user, net in rows]

    def clear(self, user_id: str | None) -> int:
        """Forget all that a user said; gives how many sums that were."""
        key = encode(as_user(user_id))
        with self._writing() as connection:
            return feedback.forget(connection, key)

    def _change(self, user: str | None, changes: dict[Hashable, int]) -> None:
        rows = _rows((user, id, change) for id, change in changes.items())
        with self._writing() as connection:
            feedback.add(connection, rows)

    def _sums(self, user: str | None, ids: Sequence[Hashable]) -> dict[Hashable, int]:
        keys = {id: _key_if_any(id) for id in ids}
        with self._pool.reading() as connection:
            found = feedback.sums(connection, encode(user), [key for key in keys.values() if key is not None])
        return {id: 0 if key is None else found.get(key, 0) for id, key in keys.items()}

    def _merge(self, entries: Sequence[Feedback], *, add: bool) -> None:
        rows = _rows((entry.user_id, entry.id, entry.net) for entry in entries)
        with self._writing() as connection:
            (feedback.add if add else feedback.put)(connection, rows)


def _rows(sums: Iterable[tuple[str | None, Hashable, int]]) -> list[feedback.Row]:
    return [(encode(user), id_key(id), net) for user, id, net in sums]


def _key_if_any(id: Hashable) -> str | None:
    """The key of an id; what cannot be stored has no feedback."""
    try:
        return id_key(id)
    except (TypeError, InvalidArgumentError):
        return None
