"""A PostgreSQL for the tests of stores."""

from __future__ import annotations

import itertools
import sys

import pytest

from support.postgres_server import NoServerError, PostgresServer


@pytest.fixture(scope="session")
def postgres():
    """A server; the tests are skipped where none can be started."""
    if sys.platform == "win32":
        pytest.skip("not applicable: the server of these tests listens on a Unix socket")
    pytest.importorskip("psycopg_pool")
    try:
        server = PostgresServer()
    except NoServerError as error:
        pytest.skip(str(error))
    yield server
    server.stop()


_NUMBERS = itertools.count()


@pytest.fixture
def database(postgres):
    """The connection string of a database that is empty."""
    name = f"test{next(_NUMBERS)}"
    postgres.call("createdb", "-h", postgres.folder, "-U", "postgres", "--strategy=file_copy", name)
    return postgres.conninfo(name)
