"""What runs on Spark's workers: batches of Arrow into the core and out of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rankmeld import _core
from rankmeld._sketching import Options, Sketching, Tokenizer

__all__ = ["How", "close_pairs", "links_of_bucket", "sketch_batches"]

#: Rows that become one batch of sketches, so that the evidence of long texts fits one.
_ROWS = 1 << 10


class How(NamedTuple):
    """How texts are compared; small, and sent along with each task."""

    options: Options
    tokenizer: Tokenizer | None

    def sketching(self) -> Sketching:
        """What makes sketches this way."""
        return Sketching(self.options, self.tokenizer, banded=True)


def sketch_batches(how: How, batches: Iterable[Any]) -> Iterator[Any]:
    """From columns (id, text) to (id, evidence, buckets)."""
    sketching = how.sketching()
    bands, _rows = sketching.core.banding
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS):
            ids, texts = batch.slice(start, _ROWS).columns
            sketches = sketching(pc.fill_null(texts, "").to_pylist())
            evidence, offsets, buckets = _core.sketch_columns(sketches)
            counts = np.where(np.diff(offsets) > 0, bands, 0)
            ends = pa.array(np.concatenate(([0], np.cumsum(counts))), pa.int32())
            columns = [ids, _binary(evidence, offsets), pa.ListArray.from_arrays(ends, pa.array(buckets))]
            yield pa.RecordBatch.from_arrays(columns, ["id", "evidence", "buckets"])


def close_pairs(how: How, batches: Iterable[Any]) -> Iterator[Any]:
    """Of pairs (high, low, high_evidence, low_evidence) the ids of those that are similar enough."""
    sketcher = how.sketching().core
    for batch in batches:
        high, low, ones, others = batch.columns
        near = _core.near_pairs(sketcher, _evidence(ones), _evidence(others))
        pairs = pa.RecordBatch.from_arrays([high, low], ["high", "low"])
        yield pairs.filter(pa.array(near))


def links_of_bucket(how: How, bucket: Any) -> Any:
    """Of one bucket (label, evidence) the pairs of labels that similar texts connect."""
    labels = bucket["label"].combine_chunks()
    known = labels.dictionary_encode().indices.to_numpy()
    evidence = bucket["evidence"].cast(pa.large_binary()).combine_chunks()
    firsts = _core.near_bucket(how.sketching().core, _evidence(evidence), known)
    moved = np.flatnonzero(known != known[firsts])
    links = pa.table({"high": labels.take(pa.array(moved)), "low": labels.take(pa.array(firsts[moved]))})
    return links.group_by(["high", "low"]).aggregate([])


def _binary(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> Any:
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_binary(), len(offsets) - 1, buffers).cast(pa.binary())


def _evidence(column: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """A column of bytes as the core reads it, without a copy of the bytes."""
    column = column.cast(pa.large_binary())
    _valid, ends, data = column.buffers()
    offsets = np.frombuffer(ends, np.int64)[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(b"" if data is None else data, np.uint8), offsets
