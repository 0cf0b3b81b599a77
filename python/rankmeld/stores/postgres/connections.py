"""Connections to a server, handed out for one piece of work each: to those who wait, and those who await."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
import psycopg_pool
from psycopg.conninfo import conninfo_to_dict

from rankmeld._asking import adrive, drive
from rankmeld.errors import InvalidArgumentError, StoreError
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.postgres.failures import store_errors
from rankmeld.stores.postgres.options import Options
from rankmeld.stores.postgres.sessions import AsyncSession, Mode, Server, Session, Work, in_mode, is_open

__all__ = ["AsyncConnections", "Connections", "shown_of"]

T = TypeVar("T")

_POOLS = (psycopg_pool.ConnectionPool, psycopg_pool.NullConnectionPool)
_ASYNC_POOLS = (psycopg_pool.AsyncConnectionPool, psycopg_pool.AsyncNullConnectionPool)


def shown_of(server: Any) -> str:
    """How messages call a server: user, host, port and database of its connection string, no secret."""
    conninfo = server if isinstance(server, str) else getattr(server, "conninfo", "")
    parts: dict[str, Any] = {}
    readable = True
    try:
        parts = conninfo_to_dict(conninfo) if isinstance(conninfo, str) else {}
    except psycopg.Error:  # its text quotes the string, password and all
        readable = False
    if not readable:
        raise InvalidArgumentError(
            "conninfo cannot be read; write it as 'postgresql://user@host:5432/database' (with special "
            "characters of a password percent-encoded), or as 'host=... port=... dbname=... user=...'"
        )
    user, port = (f"{parts[key]}" if parts.get(key) else "" for key in ("user", "port"))
    return (
        f"postgresql://{user}{'@' if user else ''}{parts.get('host') or ''}{':' if port else ''}{port}"
        f"/{parts.get('dbname') or ''}"
    )


class _Handing:
    """What both kinds share.

    Parameters
    ----------
    server : str or pool
        A connection string, or a pool that stays its owner's.
    shown : str
        The store as messages show it.
    options : Options
        How large a pool of our own may be, and how long one waits.
    """

    kinds: tuple[type, ...]
    make: Any
    other: str

    def __init__(self, server: Any, shown: str, options: Options) -> None:
        self._shown = shown
        self._timeout = options.timeout
        self._process = os.getpid()
        self._owned = isinstance(server, str)
        self.closed = False
        if self._owned:
            self._pool = self.make(
                server,
                min_size=1,
                max_size=options.pool_size,
                timeout=options.timeout,
                open=False,
                check=self.make.check_connection,
                kwargs={"autocommit": True, "connect_timeout": max(2, round(options.timeout))},
                name="rankmeld",
            )
        elif isinstance(server, self.kinds):
            self._pool = server
        else:
            raise TypeError(
                f"conninfo must be a str or a psycopg_pool {self.kinds[0].__name__}, not "
                f"{type(server).__name__}{self.other}"
            )

    def _check(self) -> None:
        if self.closed:
            raise StoreError(f"store {self._shown} is closed; open it again")
        if os.getpid() != self._process:
            raise StoreError(
                f"store {self._shown} was opened before this process was forked, and a connection cannot be "
                "shared by two processes; open it in this one"
            )

    def _damaged(self, error: DamagedError) -> StoreError:
        return StoreError(
            f"store {self._shown} does not hold what it was given; restore it from a backup, or drop its "
            f"tables and index again ({error})"
        )


class Connections(_Handing):
    """Connections for those who wait."""

    kinds = _POOLS
    make = psycopg_pool.ConnectionPool
    other = "; AsyncPostgresStore takes an AsyncConnectionPool"

    def run(self, work: Work[T], mode: Mode, server: Server) -> T:
        """Do a piece of work on one connection; what it did is undone if anything goes wrong."""
        self._check()
        with store_errors(self._shown):
            connection = self._pool.getconn(self._timeout)
        try:
            autocommit = connection.autocommit
            connection.autocommit = True
            try:
                return drive(in_mode(Session(connection, server), work, mode), "")
            except DamagedError as error:
                raise self._damaged(error) from error
            finally:
                with suppress(psycopg.Error):  # one that is lost has undone it by itself
                    if is_open(connection):
                        connection.rollback()
                    connection.autocommit = autocommit
        finally:
            self._pool.putconn(connection)

    def open(self) -> None:
        """Connect once, so that what stands in the way is told at once; then open the pool."""
        if not self._owned:
            return
        with store_errors(self._shown, connecting=True):
            psycopg.connect(self._pool.conninfo, **self._pool.kwargs).close()
            self._pool.open()

    def close(self) -> None:
        """Close what is ours."""
        self.closed = True
        if self._owned and os.getpid() == self._process:
            self._pool.close()


class AsyncConnections(_Handing):
    """Connections for those who await."""

    kinds = _ASYNC_POOLS
    make = psycopg_pool.AsyncConnectionPool
    other = "; PostgresStore takes a ConnectionPool"

    async def run(self, work: Work[T], mode: Mode, server: Server) -> T:
        """Do a piece of work on one connection; what it did is undone if anything goes wrong."""
        self._check()
        with store_errors(self._shown):
            connection = await self._pool.getconn(self._timeout)
        try:
            autocommit = connection.autocommit
            await connection.set_autocommit(True)
            try:
                return await adrive(in_mode(AsyncSession(connection, server), work, mode))
            except DamagedError as error:
                raise self._damaged(error) from error
            finally:
                with suppress(psycopg.Error):
                    if is_open(connection):
                        await connection.rollback()
                    await connection.set_autocommit(autocommit)
        finally:
            await self._pool.putconn(connection)

    async def open(self) -> None:
        """Connect once, so that what stands in the way is told at once; then open the pool."""
        if not self._owned:
            return
        with store_errors(self._shown, connecting=True):
            connection = await psycopg.AsyncConnection.connect(self._pool.conninfo, **self._pool.kwargs)
            await connection.close()
            await self._pool.open()

    async def close(self) -> None:
        """Close what is ours."""
        self.closed = True
        if self._owned and os.getpid() == self._process:
            await self._pool.close()
