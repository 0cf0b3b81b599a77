"""What all tests share: hypothesis profiles and the shared data."""

from __future__ import annotations

import datetime as dt
import itertools
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support.postgres_server import NoServerError, PostgresServer
from support.shared import shared_folder

# `--hypothesis-profile=large` asks for the long run, `fuzz` (`make fuzz`) for a longer one that differs each
# time; a normal run is quick and repeatable.
settings.register_profile(
    "small",
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "large", max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "fuzz", max_examples=20_000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("small")

# Read when the first test starts a Spark: one that is small and quiet.
os.environ.setdefault("SPARK_CONF_DIR", str(Path(__file__).parent / "support" / "spark"))
# Its workers run in the interpreter of the tests, which has the package, not in the first of PATH.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


#: Each test that wants a database gets one of its own.
_DATABASES = itertools.count()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data; the test is skipped where it is absent."""
    folder = shared_folder()
    if folder is None:
        pytest.skip("the shared data are not on this machine (set RANKMELD_SHARED)")
    return folder


@pytest.fixture
def now() -> dt.datetime:
    """A fixed moment, so that no test looks at the clock."""
    return dt.datetime(2024, 3, 1, 12, tzinfo=dt.UTC)


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


@pytest.fixture
def database(postgres):
    """The connection string of a database that is empty."""
    name = f"test{next(_DATABASES)}"
    postgres.call("createdb", "-h", postgres.folder, "-U", "postgres", "--strategy=file_copy", name)
    return postgres.conninfo(name)
