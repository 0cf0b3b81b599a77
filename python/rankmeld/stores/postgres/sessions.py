"""What a flow does with one connection: it asks for rows, and somebody waits for them or awaits them.

All statements are here in flows (see `rankmeld._asking`), written once. `Session` executes them for
those who wait, `AsyncSession` for those who await.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

import psycopg
from pgvector.psycopg.vector import register_vector_info
from psycopg import sql
from psycopg.rows import tuple_row
from psycopg.types import TypeInfo

from rankmeld._asking import Ask, Flow
from rankmeld.stores.postgres.failures import store_errors
from rankmeld.stores.postgres.sql import Names

__all__ = [
    "AnySession",
    "AsyncSession",
    "Mode",
    "Server",
    "Session",
    "Work",
    "in_mode",
    "is_open",
]

T = TypeVar("T")


class Mode(Enum):
    """What a transaction is for."""

    #: Everything is seen as it was at one moment.
    READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    #: Writers of a store go one after the other, each seeing what the one before it committed.
    WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    #: Each statement for itself: there are some that no transaction can hold.
    SINGLE = ""


@dataclass(frozen=True, slots=True)
class Server:
    """What is known of a server.

    Attributes
    ----------
    shown : str
        The store as messages show it.
    names : Names
        Of its tables.
    settings : str
        What every transaction sets, as statements.
    vector_type : TypeInfo, optional
        That of pgvector, once it is known.
    """

    shown: str
    names: Names
    settings: str
    vector_type: TypeInfo | None = None


class AnySession:
    """What both kinds of session share.

    Parameters
    ----------
    connection : psycopg connection
        In autocommit mode: transactions begin and end as statements.
    server : Server
        Whose it is.
    """

    kind: Any

    def __init__(self, connection: Any, server: Server) -> None:
        self.server = server
        # Not the connection's own kind, which may read other placeholders and give other rows.
        self._cursor = self.kind(connection, row_factory=tuple_row)
        if server.vector_type is not None:  # for this cursor: a pool's connections are their owner's
            register_vector_info(self._cursor, server.vector_type)

    def ask(self, statement: str, *parameters: object, **parts: sql.Composable) -> Ask:
        """Ask for the rows that a statement gives.

        Parameters
        ----------
        statement : str
            As `Names.fill` takes it.
        *parameters
            What its placeholders stand for.
        **parts
            As `Names.fill` takes them.
        """
        return Ask("PostgreSQL", self.rows, (self.server.names.fill(statement, **parts), parameters))

    def script(self, statements: str | sql.Composable) -> Ask:
        """Ask for several statements without parameters or rows, in one message."""
        return Ask("PostgreSQL", self.run, (statements,))

    def load(self, statement: str, rows: Iterable[Sequence[object]], types: Sequence[str] = ()) -> Ask:
        """Ask for rows to be copied into a table; in binary form where their types are named."""
        return Ask("PostgreSQL", self.copy, (self.server.names.fill(statement), rows, types))

    rows: Callable[..., Any]
    run: Callable[..., Any]
    copy: Callable[..., Any]


#: What is done with a session; told by its flow.
Work = Callable[[AnySession], Flow[T]]


class Session(AnySession):
    """A connection of somebody who waits."""

    kind = psycopg.Cursor

    def rows(self, statement: sql.Composed, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        """What a statement gives."""
        with store_errors(self.server.shown):
            # Planned anew each time: how many documents a filter leaves decides how to go about it.
            self._cursor.execute(statement, parameters, prepare=False, binary=True)
            return self._cursor.fetchall() if self._cursor.description else []

    def run(self, statements: str | sql.Composable) -> None:
        """Execute statements."""
        with store_errors(self.server.shown):
            self._cursor.execute(statements)

    def copy(self, statement: sql.Composed, rows: Iterable[Sequence[object]], types: Sequence[str]) -> None:
        """Copy rows into a table."""
        with store_errors(self.server.shown), self._cursor.copy(statement) as copy:
            if types:
                copy.set_types(types)
            for row in rows:
                copy.write_row(row)


class AsyncSession(AnySession):
    """A connection of somebody who awaits."""

    kind = psycopg.AsyncCursor

    async def rows(self, statement: sql.Composed, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        """What a statement gives."""
        with store_errors(self.server.shown):
            await self._cursor.execute(statement, parameters, prepare=False, binary=True)
            return await self._cursor.fetchall() if self._cursor.description else []

    async def run(self, statements: str | sql.Composable) -> None:
        """Execute statements."""
        with store_errors(self.server.shown):
            await self._cursor.execute(statements)

    async def copy(
        self, statement: sql.Composed, rows: Iterable[Sequence[object]], types: Sequence[str]
    ) -> None:
        """Copy rows into a table."""
        with store_errors(self.server.shown):
            async with self._cursor.copy(statement) as copy:
                if types:
                    copy.set_types(types)
                for row in rows:
                    await copy.write_row(row)


def in_mode(session: AnySession, work: Work[T], mode: Mode) -> Flow[T]:
    """Do work in a transaction, and commit it.

    What goes wrong goes through; who holds the connection undoes the transaction.
    """
    if mode is Mode.SINGLE:
        return (yield from work(session))
    yield session.script(f"{mode.value}; {session.server.settings}")
    result = yield from work(session)
    yield session.script("COMMIT")
    return result


def is_open(connection: Any) -> bool:
    """Whether a transaction is to be undone before the connection is handed back."""
    return bool(connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE)
