"""Spark and one machine find the same clusters: on more texts than a test has time for.

    python -m benches.python.spark_agreement                    100,000 texts
    python -m benches.python.spark_agreement --texts 10000

The job runs on this machine, so its time says what Spark costs and nothing of what it gains. What it
stores and moves a text is the same on any cluster. A difference ends the run with an error.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

import rankmeld as rm
from rankmeld.distributed.spark import near_duplicate_clusters

from .near_duplicates import texts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--memory", default="4g", help="of the driver, which is all of this Spark")
    options = parser.parse_args()
    given = texts(options.texts)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pq.write_table(pa.table({"id": range(len(given)), "text": given}), folder / "texts.parquet")
        for shingle in ("word", 3):
            start = time.process_time()
            expected = rm.near_duplicate_clusters(given, shingle=shingle)
            alone = time.process_time() - start
            (folder / "log").mkdir(exist_ok=True)
            session = _session(folder / "log", options.memory)
            frame = session.read.parquet(str(folder / "texts.parquet"))
            start = time.perf_counter()
            found = _labels(near_duplicate_clusters(frame, shingle=shingle), len(given))
            spent = time.perf_counter() - start
            session.stop()
            assert np.array_equal(found, expected), "Spark and one machine differ"
            clusters = len(np.unique(expected))
            print(f"\n{len(given):,} texts, shingle={shingle!r}: the same {clusters:,} clusters")
            print(f"one machine: {alone:.1f} s of CPU time; Spark, two cores: {spent:.1f} s")
            for what, count in _moved(folder / "log").items():
                print(f"{what}: {count / len(given):,.0f} bytes a text")


def _labels(found: DataFrame, count: int) -> np.ndarray:
    rows = found.toArrow()
    labels = np.full(count, -1)
    labels[rows["id"].to_numpy()] = rows["cluster"].to_numpy()
    return labels


def _session(log: Path, memory: str) -> SparkSession:
    options = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": memory,
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        # Tables of a size that needs a cluster are never sent to all of it.
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.shuffle.partitions": "8",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def _moved(log: Path) -> dict[str, int]:
    """What the tasks of the last session say of themselves; its log goes."""
    shuffled = spilled = 0
    for path in log.iterdir():
        for line in path.read_text(encoding="utf-8").splitlines():
            metrics = json.loads(line).get("Task Metrics")
            if metrics:
                shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                spilled += metrics["Disk Bytes Spilled"]
        path.unlink()
    return {"shuffled": shuffled, "spilled": spilled}


if __name__ == "__main__":
    main()
