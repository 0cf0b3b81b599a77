"""The steps from texts to clusters, as frames of Spark."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - Spark's own name for them
from pyspark.sql.types import ArrayType, BinaryType, LongType, StructField, StructType

from rankmeld.distributed._components import stars_of
from rankmeld.distributed._kernels import How, close_pairs, links_of_bucket, sketch_batches
from rankmeld.errors import InvalidArgumentError

__all__ = ["ClusterJob"]


class ClusterJob:
    """One call of `near_duplicate_clusters`.

    Parameters
    ----------
    how : How
        How texts are compared.
    keep : callable
        Computes a frame and cuts it off from how it was made.
    largest_bucket : int or None
        Buckets of more texts are linked by their first text alone.
    """

    def __init__(self, how: How, keep: Callable[[DataFrame], DataFrame], largest_bucket: int | None) -> None:
        self._how = how
        self._keep = keep
        self._largest = largest_bucket

    def run(self, texts: DataFrame) -> DataFrame:
        """From columns (id, text) to (id, cluster)."""
        sketches = self._keep(self.sketches(texts))
        _refuse_repeated(sketches)
        different = self._keep(_different(sketches))
        members = self._keep(_members(different))
        stars = stars_of(self._near_first(members, different), self._keep)
        stars = self._with_split_buckets(members, different, stars)
        return _clusters(sketches, different, stars)

    def sketches(self, texts: DataFrame) -> DataFrame:
        """What is kept of each text: its evidence, a digest of that, and its buckets."""
        fields = [
            texts.schema["id"],
            StructField("evidence", BinaryType()),
            StructField("buckets", ArrayType(LongType())),
        ]
        sketches = texts.mapInArrow(partial(sketch_batches, self._how), StructType(fields))
        return sketches.withColumn("digest", F.unhex(F.sha2("evidence", 256)))

    def _near_first(self, members: DataFrame, different: DataFrame) -> DataFrame:
        """Links between texts and the first one of a bucket of theirs, as far as they are similar."""
        evidence = different.select("id", "evidence")
        pairs = members.where("id != first").select(F.col("id").alias("high"), F.col("first").alias("low"))
        pairs = pairs.distinct()
        for end in ("high", "low"):
            pairs = pairs.join(evidence.toDF(end, f"{end}_evidence"), end)
        pairs = pairs.select("high", "low", "high_evidence", "low_evidence")
        return pairs.mapInArrow(partial(close_pairs, self._how), _links_of(different))

    def _with_split_buckets(self, members: DataFrame, different: DataFrame, stars: DataFrame) -> DataFrame:
        """The stars, once the buckets that they leave in several parts are compared in full.

        A bucket of two is settled: its only pair has been compared.
        """
        size = "size > 2" if self._largest is None else f"size > 2 and size <= {self._largest}"
        labelled = _labelled(members.where(size).select("bucket", "id"), "id", stars)
        apart = F.min("label") != F.max("label")
        split = labelled.groupBy("bucket").agg(apart.alias("apart")).where("apart").select("bucket")
        rest = labelled.join(split, "bucket", "left_semi").join(different.select("id", "evidence"), "id")
        rest = rest.select("bucket", "label", "evidence")
        links = rest.groupBy("bucket").applyInArrow(self._links_of_bucket(), _links_of(different))
        high, low = F.greatest("high", "low"), F.least("high", "low")
        links = self._keep(links.select(high.alias("high"), low.alias("low")))
        return stars if links.isEmpty() else stars_of(stars.union(links), self._keep)

    def _links_of_bucket(self) -> Callable[[Any], Any]:
        how = self._how
        # Spark counts the arguments: a partial function would pass for one of two.
        return lambda bucket: links_of_bucket(how, bucket)


def _refuse_repeated(sketches: DataFrame) -> None:
    wrong = sketches.groupBy("id").count().where("count > 1 or id is null").head(1)
    if wrong:
        id_, count = wrong[0]
        what = "is null" if id_ is None else f"{id_!r} is there {count} times"
        raise InvalidArgumentError(f"id {what}; each text needs an id of its own")


def _different(sketches: DataFrame) -> DataFrame:
    """One text for all that have the same shingles: the smallest id, and how many there are."""
    same = sketches.where(F.size("buckets") > 0).groupBy("digest")
    return same.agg(
        F.min("id").alias("id"),
        F.first("evidence").alias("evidence"),
        F.first("buckets").alias("buckets"),
        F.count("*").alias("copies"),
    )


def _members(different: DataFrame) -> DataFrame:
    """The texts of each bucket that has several, beside its first text and its size."""
    rows = different.select("id", F.explode("buckets").alias("bucket"))
    buckets = rows.groupBy("bucket").agg(F.min("id").alias("first"), F.count("*").alias("size"))
    return rows.join(buckets.where("size > 1"), "bucket")


def _clusters(sketches: DataFrame, different: DataFrame, stars: DataFrame) -> DataFrame:
    copied = different.where("copies > 1").select("digest", F.col("id").alias("first"))
    firsts = sketches.select("id", "digest").join(copied, "digest", "left")
    firsts = firsts.select("id", F.coalesce("first", "id").alias("first"))
    return _labelled(firsts, "first", stars).select("id", F.col("label").alias("cluster"))


def _labelled(rows: DataFrame, column: str, stars: DataFrame) -> DataFrame:
    """The rows with the smallest id that the one in a column is connected to."""
    rows = rows.join(stars.toDF(column, "low"), column, "left")
    return rows.withColumn("label", F.coalesce("low", column)).drop("low")


def _links_of(different: DataFrame) -> StructType:
    id_ = different.schema["id"].dataType
    return StructType([StructField("high", id_), StructField("low", id_)])
