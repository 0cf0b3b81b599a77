"""Spark finds the clusters that one machine finds, and refuses what cannot be one."""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
from itertools import pairwise

import numpy as np
import pytest
from pyspark.sql import functions

import rankmeld as rm
from rankmeld import _core
from rankmeld._sketching import as_options
from rankmeld.distributed._components import stars_of
from rankmeld.distributed._job import ClusterJob
from rankmeld.distributed._kernels import How
from rankmeld.distributed.spark import near_duplicate_clusters

# The first step of a session starts the workers.
pytestmark = pytest.mark.timeout(180)

#: Bands of three values: texts that are not near share buckets all the time.
CROWDED = {"threshold": 0.9, "num_perm": 16}


def made_texts(count: int, replaced: int) -> list[str]:
    """Drifting copies of a few texts, some of them the same, some blank."""
    draw = random.Random(11)
    texts: list[str] = []
    for _ in range(count):
        kind = draw.random()
        if kind < 0.05:
            texts.append(draw.choice(["", "  ", "🎈🎈"]))
        elif kind < 0.2 and texts:
            texts.append(draw.choice(texts).upper())
        else:
            topic = draw.randrange(6)
            words = [f"word{topic}x{place}" for place in range(40)]
            for _ in range(draw.randrange(replaced)):
                words[draw.randrange(40)] = f"other{draw.randrange(1_000)}"
            texts.append(" ".join(words))
    return texts


def frame_of(spark, texts, kind="long"):
    return spark.createDataFrame(list(enumerate(texts)), f"id {kind}, text string")


def labels_of(found) -> list:
    return [cluster for _id, cluster in sorted((row.id, row.cluster) for row in found.collect())]


@pytest.mark.parametrize("options", [{}, {"shingle": 3, "threshold": 0.7, "verify": False}], ids=str)
def test_the_clusters_are_those_of_one_machine(spark, options):
    texts = made_texts(300, 8)
    expected = rm.near_duplicate_clusters(texts, **options).tolist()
    assert 30 < len(set(expected)) < 290
    assert labels_of(near_duplicate_clusters(frame_of(spark, texts), **options)) == expected


def test_buckets_in_several_parts_are_compared_in_full(spark):
    texts = made_texts(300, 5)
    frame = frame_of(spark, texts)
    expected = rm.near_duplicate_clusters(texts, **CROWDED).tolist()
    # Links to the first text of each bucket alone leave some clusters in parts.
    in_parts = labels_of(near_duplicate_clusters(frame, **CROWDED, largest_bucket=2))
    assert len(set(in_parts)) > len(set(expected))
    assert all(expected[part] == expected[place] for place, part in enumerate(in_parts))
    assert labels_of(near_duplicate_clusters(frame, **CROWDED)) == expected


def test_signatures_and_keys_are_those_of_one_machine_to_the_bit(spark):
    texts = [text for text in made_texts(100, 8) if rm.tokenize(text)]
    options = as_options(0.85, 128, "word", False)
    sketches = ClusterJob(How(options, None), lambda frame: frame, None).sketches(frame_of(spark, texts))
    rows = sorted(sketches.collect())
    signatures, keys = _core.Sketcher(*options, True).signatures(texts)
    assert b"".join(row.evidence for row in rows) == signatures.tobytes()
    buckets = np.array([row.buckets for row in rows])
    assert np.array_equal(buckets & 0xFFFF_FFFF, keys.reshape(len(texts), -1) & np.uint64(0xFFFF_FFFF))
    assert np.array_equal(buckets >> 32, np.tile(np.arange(buckets.shape[1]), (len(texts), 1)))


def test_a_bucket_of_everything_is_linear(spark):
    common = " ".join(f"word{place}" for place in range(80))
    frame = frame_of(spark, [f"{common} own{place}" for place in range(3_000)])
    job = ClusterJob(
        How(as_options(0.85, 128, "word", True), None), lambda frame: frame.localCheckpoint(), None
    )
    assert set(labels_of(job.run(frame))) == {0}


def test_ids_may_be_strings_columns_any_and_texts_null(spark):
    rows = [
        ("b", "green tea with honey"),
        ("a", "Green tea, with honey!"),
        ("d", None),
        ("c", None),
        ("e", ""),
    ]
    frame = spark.createDataFrame(rows, "`page.url` string, body string")
    found = near_duplicate_clusters(frame, id="page.url", text="body", tokenizer=str.split)
    assert labels_of(found) == ["a", "b", "c", "d", "e"]
    found = near_duplicate_clusters(frame, id="page.url", text="body")
    assert labels_of(found) == ["a", "a", "c", "d", "e"]
    assert found.columns == ["id", "cluster"]


def test_reliable_checkpoints_lie_in_the_folder_of_the_context(spark, tmp_path):
    spark.sparkContext.setCheckpointDir(str(tmp_path))
    frame = frame_of(spark, ["one two three", "one two three", "four five six"], "int")
    assert labels_of(near_duplicate_clusters(frame, checkpoint="reliable")) == [0, 0, 2]
    assert any(tmp_path.rglob("part-*"))


def test_components_of_chains_and_hubs(spark):
    draw = random.Random(5)
    names = draw.sample(range(10_000), 400)
    chain = list(pairwise(names[:200]))
    hub = [(names[200], other) for other in names[201:300]]
    tangle = [tuple(draw.sample(names[300:], 2)) for _ in range(80)]
    links = [(max(pair), min(pair)) for pair in [*chain, *hub, *tangle]]
    rounds = []

    def keep(frame):
        rounds.append(frame)
        return frame.localCheckpoint()

    stars = stars_of(spark.createDataFrame(links, "high long, low long"), keep).collect()
    firsts = {name: name for name in names}
    for _ in names:
        for high, low in links:
            firsts[high] = firsts[low] = min(firsts[high], firsts[low])
    expected = sorted((name, first) for name, first in firsts.items() if name != first)
    assert sorted((row.high, row.low) for row in stars) == expected
    assert len(rounds) <= 12  # the chain has 200 links


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(1, "x"), (1, "y")], "id 1 is there 2 times; each text needs an id of its own"),
        ([(1, "x"), (None, "y")], "id is null; each text needs an id of its own"),
    ],
)
def test_an_id_names_one_text(spark, rows, words):
    frame = spark.createDataFrame(rows, "id int, text string")
    with pytest.raises(rm.InvalidArgumentError, match=f"^{words}$"):
        near_duplicate_clusters(frame)


def test_columns_are_looked_at_before_anything_runs(spark):
    frame = spark.createDataFrame([(1.5, "x", 2)], "weight double, text string, number int")
    refused = [
        (
            rm.InvalidArgumentError,
            {},
            "id is 'id', which is no column of the frame; it has weight, text, number",
        ),
        (TypeError, {"id": "weight"}, "column 'weight' must hold integers or strings, not double"),
        (TypeError, {"id": "number", "text": "number"}, "column 'number' must hold strings, not int"),
        (TypeError, {"id": functions.col("text")}, "id must be the name of a column, not Column"),
    ]
    for kind, options, words in refused:
        with pytest.raises(kind, match=f"^{words}$"):
            near_duplicate_clusters(frame, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threshold": 0.0}, "threshold is 0.0; it must be above 0"),
        ({"threshold": 0.01}, "threshold is 0.01, which num_perm=128 cannot serve"),
        ({"largest_bucket": 1}, "largest_bucket is 1; it must be 2 or more, or None"),
        ({"checkpoint": "none"}, "checkpoint"),
    ],
)
def test_options_are_looked_at_first(options, words):
    with pytest.raises(rm.InvalidArgumentError, match=words):
        near_duplicate_clusters(None, **options)


def test_a_frame_of_something_else_is_refused():
    with pytest.raises(TypeError, match=r"^frame must be a DataFrame of Spark, not dict$"):
        near_duplicate_clusters({})


def test_without_spark_the_install_line_is_named():
    program = """
        import sys
        import rankmeld.distributed.spark as ours
        assert "pyspark" not in sys.modules and "pyarrow" not in sys.modules
        sys.modules["pyspark"] = None
        try:
            ours.near_duplicate_clusters(None)
        except ImportError as error:
            print(type(error).__name__, error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == (
        "MissingExtraError rankmeld.distributed.spark needs an optional dependency: "
        'pip install "rankmeld[spark]"'
    )
