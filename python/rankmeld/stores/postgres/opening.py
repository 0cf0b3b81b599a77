"""What both faces of a store share: its options, its operations, and how it shows itself."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

from rankmeld.errors import MissingExtraError
from rankmeld.stores.postgres.options import read_options

if TYPE_CHECKING:
    from rankmeld.stores.postgres.operations import Operations

__all__ = ["Opening"]


class Opening:
    """A store in PostgreSQL, not connected yet.

    Parameters
    ----------
    conninfo : str or pool
        The server.
    **options
        As `read_options` takes them.
    """

    #: Which of the two ways of handing out connections.
    _connections_name: str

    def __init__(self, conninfo: Any, **options: Any) -> None:
        checked = read_options(**options)
        try:
            from rankmeld.stores.postgres import connections  # noqa: PLC0415 - an extra
            from rankmeld.stores.postgres.operations import Operations  # noqa: PLC0415
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("psycopg", "psycopg_pool", "pgvector"):
                raise
            raise MissingExtraError.for_extra("postgres", type(self).__name__) from None
        self._server = connections.shown_of(conninfo)
        self._schema, self._prefix = checked.schema, checked.prefix
        where = f"{checked.schema}.{checked.prefix}*" if checked.prefix else checked.schema
        shown = f"{self._server} ({where})"
        handing = getattr(connections, self._connections_name)(conninfo, shown, checked)
        self._operations: Operations = Operations(handing, shown, checked)

    @property
    def schema(self) -> str:
        """The schema of the tables."""
        return self._schema

    @property
    def prefix(self) -> str:
        """What the names of the tables begin with."""
        return self._prefix

    def __repr__(self) -> str:
        prefix = f", prefix={self._prefix!r}" if self._prefix else ""
        closed = " (closed)" if self._operations.closed else ""
        return f"{type(self).__name__}({self._server!r}, schema={self._schema!r}{prefix}){closed}"

    def __reduce__(self) -> NoReturn:
        """Neither copied nor pickled: what is connected is connected here."""
        raise TypeError(
            f"store {self._server} cannot be pickled or copied, since it is connected in this process "
            f"({os.getpid()}); hand on its connection string, and open it there"
        )
