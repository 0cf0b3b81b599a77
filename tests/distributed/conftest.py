"""A Spark session on this machine; tests/support/spark says how it is set."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed")


@pytest.fixture(scope="module")
def spark() -> Iterator[pyspark.sql.SparkSession]:
    if shutil.which("java") is None:
        pytest.skip("java is not installed, which Spark needs")
    session = pyspark.sql.SparkSession.builder.master("local[2]").appName("rankmeld").getOrCreate()
    yield session
    session.stop()
