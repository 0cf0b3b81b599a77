"""Near-duplicates of collections that one machine cannot hold, as a Spark job.

Needs ``pip install "rankmeld[spark]"`` where the job is started, and rankmeld itself, of the same
version, with pyarrow on every worker. Importing this module imports neither Spark nor Arrow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, SupportsIndex

from rankmeld._options import as_integer, choose
from rankmeld._sketching import Shingle, Sketching, Tokenizer, as_options
from rankmeld.errors import InvalidArgumentError, MissingExtraError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["near_duplicate_clusters"]


def near_duplicate_clusters(
    frame: DataFrame,
    *,
    id: str = "id",
    text: str = "text",
    threshold: float = 0.85,
    num_perm: SupportsIndex = 128,
    shingle: Shingle = "word",
    tokenizer: Tokenizer | None = None,
    verify: bool = True,
    largest_bucket: SupportsIndex | None = None,
    checkpoint: Literal["local", "reliable"] = "local",
) -> DataFrame:
    """Find the clusters of near-duplicates in a Spark frame of texts.

    The clusters are those of `rankmeld.near_duplicate_clusters` for the same texts and options.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Read once. It has N rows.
    id : str, default "id"
        The column that names texts: integers or strings, each there once.
    text : str, default "text"
        The column of texts, strings. A null is a text without words, and so nobody's duplicate.
    threshold, num_perm, shingle, verify
        As in `rankmeld.near_duplicate_clusters`.
    tokenizer : callable, optional
        From a text to its tokens, all of which then count. It is pickled for the workers.
    largest_bucket : int, optional
        Buckets of more texts than this are linked by their first text alone, so that texts which
        are all nearly similar enough cost no more than others. Clusters may then come out in
        several parts. By default no bucket is too large.
    checkpoint : {"local", "reliable"}, default "local"
        Where steps are kept: by the executors, whose loss then ends the job, or in the folder that
        ``SparkContext.setCheckpointDir`` names.

    Returns
    -------
    pyspark.sql.DataFrame
        N rows: ``id``, and ``cluster``, the smallest id (in Spark's order) of the text's cluster. So
        ``id == cluster`` marks one text of each. With positions as ids, these are the labels of the
        call on one machine.

    Raises
    ------
    MissingExtraError
        Spark or Arrow is not installed.
    TypeError, InvalidArgumentError
        An option is not allowed, a column is absent or of another kind, or an id is null or there
        twice.

    Notes
    -----
    *The same clusters.* Two texts are linked if they share a bucket (the key of a band) and are
    similar enough; clusters are the connected components of these links, here as on one machine, and
    shingles, signatures, keys and similarities are computed by the same kernel. What is left out on
    the way can change no component:

    1. Of texts with the same shingles one goes on. They share all buckets and are similar to the same
       texts.
    2. In each bucket every text is compared with the bucket's first one. That is linear, and the
       links that it finds are some of those that count.
    3. A bucket whose texts are all connected by now can only link what is connected. The others are
       compared in full, but for pairs that are connected already.

    Links of steps 2 and 3 are true ones, and each true link that they leave out is between texts
    that other links connect; so the components are equal. Components come from alternating
    large-star and small-star steps (Kiveris et al., "Connected components in MapReduce and beyond",
    2014).

    *Cost.* Linear in the length of the texts and in the number of pairs of step 2. Only step 3 can be
    quadratic, in the size of a bucket whose texts are similar enough for one band and not for the
    threshold; it also needs the memory for that bucket's shingles, up to 24 bytes each, in one worker.
    `largest_bucket` bounds both.

    Examples
    --------
    >>> from rankmeld.distributed.spark import near_duplicate_clusters
    >>> pages = spark.read.parquet("pages")  # doctest: +SKIP
    >>> found = near_duplicate_clusters(pages, id="url", checkpoint="reliable")  # doctest: +SKIP
    >>> found.where("id = cluster").write.parquet("kept")  # doctest: +SKIP
    """
    options = as_options(threshold, num_perm, shingle, verify)
    Sketching(options, tokenizer, banded=True)  # refuses here what workers would refuse later
    largest = None if largest_bucket is None else _as_size(largest_bucket)
    choose(checkpoint, ("local", "reliable"), "checkpoint")
    try:
        from pyspark.sql import DataFrame  # noqa: PLC0415 - for those who call
        from pyspark.sql import functions as F  # noqa: N812, PLC0415

        from rankmeld.distributed._job import ClusterJob  # noqa: PLC0415
        from rankmeld.distributed._kernels import How  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError.for_extra("spark", "rankmeld.distributed.spark") from error
    if not isinstance(frame, DataFrame):
        raise TypeError(f"frame must be a DataFrame of Spark, not {type(frame).__name__}")
    _require_columns(frame, id, text)
    texts = frame.select(F.col(_quoted(id)).alias("id"), F.col(_quoted(text)).alias("text"))
    return ClusterJob(How(options, tokenizer), _keeping(checkpoint), largest).run(texts)


def _as_size(largest_bucket: SupportsIndex) -> int:
    size = as_integer(largest_bucket, "largest_bucket")
    if size < 2:
        raise InvalidArgumentError(f"largest_bucket is {size}; it must be 2 or more, or None")
    return size


def _require_columns(frame: DataFrame, id_: str, text: str) -> None:
    """Both columns are there, ids can be ordered and compared, and texts are strings."""
    from pyspark.sql.types import IntegralType, StringType  # noqa: PLC0415

    kinds: tuple[tuple[str, str, tuple[type, ...], str], ...] = (
        ("id", id_, (IntegralType, StringType), "integers or strings"),
        ("text", text, (StringType,), "strings"),
    )
    for argument, name, wanted, words in kinds:
        if not isinstance(name, str):
            raise TypeError(f"{argument} must be the name of a column, not {type(name).__name__}")
        if name not in frame.columns:
            raise InvalidArgumentError(
                f"{argument} is {name!r}, which is no column of the frame; it has {', '.join(frame.columns)}"
            )
        kind = frame.schema[name].dataType
        if not isinstance(kind, wanted):
            raise TypeError(f"column {name!r} must hold {words}, not {kind.simpleString()}")


def _quoted(name: str) -> str:
    """A column's name as Spark reads it, dots and all."""
    return "`" + name.replace("`", "``") + "`"


def _keeping(checkpoint: str) -> Callable[[DataFrame], DataFrame]:
    """What computes a frame once, and forgets how it was made."""
    if checkpoint == "local":
        return lambda frame: frame.localCheckpoint(eager=True)
    return lambda frame: frame.checkpoint(eager=True)
