"""The tables of a store, its version, and the ladder that brings older files up to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from rankmeld.errors import StoreError
from rankmeld.stores.query_text import separators

__all__ = ["APPLICATION_ID", "LADDER", "needs_upgrade", "upgrade"]

#: Marks a file as ours ("rkmd"), so that another program's database is never written to.
APPLICATION_ID = 0x726B6D64


def _create(connection: sqlite3.Connection) -> None:
    """An empty file becomes a store of version 1."""
    statements = (
        """
        CREATE TABLE sources (
            source INTEGER PRIMARY KEY,
            path TEXT NOT NULL UNIQUE,
            digest TEXT NOT NULL
        )
        """,
        # The position is the order in which ids were first seen; it breaks ties of scores.
        # title, topic and text are composed (NFC); the record holds the form that came where it differs.
        """
        CREATE TABLE documents (
            position INTEGER PRIMARY KEY,
            id_key TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            topic TEXT NOT NULL,
            text TEXT NOT NULL,
            created_at INTEGER,
            source INTEGER REFERENCES sources ON DELETE CASCADE,
            record TEXT NOT NULL
        )
        """,
        "CREATE INDEX documents_by_time ON documents (created_at) WHERE created_at IS NOT NULL",
        "CREATE INDEX documents_by_source ON documents (source) WHERE source IS NOT NULL",
        """
        CREATE TABLE attributes (
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            position INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
            PRIMARY KEY (name, value, position)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX attributes_by_document ON attributes (position)",
        """
        CREATE TABLE vectors (
            position INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
            vector BLOB NOT NULL
        )
        """,
        f"""
        CREATE VIRTUAL TABLE passages USING fts5 (
            title, topic, text,
            content = 'documents', content_rowid = 'position',
            tokenize = "porter unicode61 remove_diacritics 2 separators '{separators()}'"
        )
        """,
        """
        CREATE TRIGGER index_document AFTER INSERT ON documents BEGIN
            INSERT INTO passages (rowid, title, topic, text)
            VALUES (new.position, new.title, new.topic, new.text);
        END
        """,
        """
        CREATE TRIGGER unindex_document AFTER DELETE ON documents BEGIN
            INSERT INTO passages (passages, rowid, title, topic, text)
            VALUES ('delete', old.position, old.title, old.topic, old.text);
        END
        """,
        # generation counts changes of the vectors, whoever makes them: readers see by it whether the
        # matrix that they hold is still the one in the file.
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
        "INSERT INTO settings VALUES ('generation', 0)",
        """
        CREATE TRIGGER count_new_vector AFTER INSERT ON vectors BEGIN
            UPDATE settings SET value = value + 1 WHERE name = 'generation';
        END
        """,
        """
        CREATE TRIGGER count_gone_vector AFTER DELETE ON vectors BEGIN
            UPDATE settings SET value = value + 1 WHERE name = 'generation';
        END
        """,
    )
    for statement in statements:
        connection.execute(statement)


def _keep_feedback(connection: sqlite3.Connection) -> None:
    """Feedback of users; it outlives its documents, which are replaced when they are indexed again."""
    connection.execute(
        """
        CREATE TABLE feedback (
            user_key TEXT NOT NULL,
            id_key TEXT NOT NULL,
            net INTEGER NOT NULL,
            PRIMARY KEY (user_key, id_key)
        ) WITHOUT ROWID
        """
    )


#: Changes of vectors that are noted; who is further behind reads all vectors again.
_CHANGES_NOTED = 65_536


def _note_changes(connection: sqlite3.Connection) -> None:
    """Which vectors changed is noted, so that readers fetch these and no others.

    The mark tells histories apart: a copy of the file that was put back and then changed as often has
    other marks, though its generation is the same.
    """
    connection.execute(
        """
        CREATE TABLE changes (
            generation INTEGER PRIMARY KEY,
            position INTEGER NOT NULL,
            mark INTEGER NOT NULL
        )
        """
    )
    for trigger in ("count_new_vector", "count_gone_vector"):
        connection.execute(f"DROP TRIGGER {trigger}")
    for event, row in (("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")):
        connection.execute(
            f"""
            CREATE TRIGGER note_{event.lower()} AFTER {event} ON vectors BEGIN
                UPDATE settings SET value = value + 1 WHERE name = 'generation';
                INSERT INTO changes (generation, position, mark)
                SELECT value, {row}.position, random() FROM settings WHERE name = 'generation';
                DELETE FROM changes WHERE generation =
                    (SELECT value FROM settings WHERE name = 'generation') - {_CHANGES_NOTED};
            END
            """  # noqa: S608 - names and numbers of this file
        )


#: Step n brings a store of version n to version n + 1.
LADDER: Sequence[Callable[[sqlite3.Connection], None]] = (_create, _keep_feedback, _note_changes)


def needs_upgrade(
    connection: sqlite3.Connection,
    shown: str,
    ladder: Sequence[Callable[[sqlite3.Connection], None]] = LADDER,
) -> bool:
    """Tell whether a file is empty or older than this version of rankmeld.

    Parameters
    ----------
    connection : sqlite3.Connection
        An open file.
    shown : str
        The store as messages show it.
    ladder : sequence of callables, optional
        The steps that are known.

    Returns
    -------
    bool
        False: it can be used as it is.

    Raises
    ------
    StoreError
        It is another program's database, or newer than the last step.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    # Last: whoever makes the store between these reads has then set the mark of all that is there.
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        if application or version or tables:
            raise StoreError(
                f"store {shown} is an SQLite database, but not one that rankmeld made; name another file, "
                "or a new one to be created"
            )
        return True
    if version > len(ladder):
        raise StoreError(
            f"store {shown} has schema version {version}, and this rankmeld knows versions up to "
            f"{len(ladder)}; upgrade rankmeld, or index again into a new file"
        )
    return bool(version < len(ladder))


def upgrade(
    connection: sqlite3.Connection,
    shown: str,
    ladder: Sequence[Callable[[sqlite3.Connection], None]] = LADDER,
) -> None:
    """Climb the steps that a file lacks; inside the caller's transaction, so all or none.

    Parameters
    ----------
    connection : sqlite3.Connection
        An open file, in a write transaction.
    shown : str
        The store as messages show it.
    ladder : sequence of callables, optional
        The steps that are known.
    """
    if not needs_upgrade(connection, shown, ladder):
        return  # another process was faster
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for step in ladder[version:]:
        step(connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {len(ladder)}")
