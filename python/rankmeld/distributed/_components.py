"""Connected components of links that lie on many machines."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - Spark's own name for them

__all__ = ["stars_of"]


def stars_of(links: DataFrame, keep: Callable[[DataFrame], DataFrame]) -> DataFrame:
    """The links (high, low) as stars: for each item of a component but the smallest, that smallest.

    Two steps alternate (Kiveris, Lattanzi, Mirrokni, Rastogi and Vassilvitskii, "Connected
    components in MapReduce and beyond", 2014): each item's larger neighbours are linked to the
    smallest item around it, then its smaller ones. Neither takes a component apart or joins two,
    and there are never more links than at the start. In practice rounds grow with the logarithm of
    a component's diameter.

    Minima are taken and joined back, so an item with many neighbours is no group that has to fit in
    one worker's memory.

    Parameters
    ----------
    links : DataFrame
        Columns ``high`` and ``low``, the first always the larger.
    keep : callable
        Computes a frame and cuts it off from how it was made, so that plans do not grow by rounds.
    """
    links = keep(links.distinct())
    while not _are_stars(links):
        links = keep(_smaller_to_least(_larger_to_least(links)))
    return links


def _are_stars(links: DataFrame) -> bool:
    """Whether each item is linked down once, and what it is linked to not at all."""
    twice = links.groupBy("high").count().where("count > 1")
    between = links.join(links.select(F.col("low").alias("high")), "high", "left_semi")
    stars: bool = twice.isEmpty() and between.isEmpty()
    return stars


def _larger_to_least(links: DataFrame) -> DataFrame:
    """Large-star: for each item, its larger neighbours to the smallest of its neighbours and itself."""
    upward = links.select(F.col("low").alias("item"), F.col("high").alias("other"))
    both = links.select(F.col("high").alias("item"), F.col("low").alias("other")).union(upward)
    least = both.groupBy("item").agg(F.least("item", F.min("other")).alias("least"))
    larger = both.join(least, "item").where("other > item")
    return larger.select(F.col("other").alias("high"), F.col("least").alias("low")).distinct()


def _smaller_to_least(links: DataFrame) -> DataFrame:
    """Small-star: for each item, its smaller neighbours and itself to the smallest of them."""
    least = links.groupBy("high").agg(F.min("low").alias("least"))
    smaller = links.join(least, "high").where("low > least")
    smaller = smaller.select(F.col("low").alias("high"), F.col("least").alias("low"))
    return smaller.union(least.withColumnRenamed("least", "low")).distinct()
