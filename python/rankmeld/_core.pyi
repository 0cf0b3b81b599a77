# The compiled core, as the Python face sees it. Private: names here may change at any time.

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Self, TypeAlias, final

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from rankmeld.types import Document

__all__ = [
    "BandIndex",
    "Bm25Builder",
    "Bm25Segment",
    "Bm25Snapshot",
    "Cache",
    "Cell",
    "CorpusStats",
    "Graph",
    "Method",
    "QueryWords",
    "Sketcher",
    "Sketches",
    "Symbols",
    "Trace",
    "VectorTable",
    "__version__",
    "adjacent",
    "bm25_scores",
    "bm25_tokenize",
    "boost_matches",
    "clean_text",
    "composite",
    "composite_parts",
    "cosine_scores",
    "cosine_top",
    "decay_factors",
    "decode_sketches",
    "fuse",
    "fuse_runs",
    "lexical_matches",
    "lexical_score",
    "lexical_scores",
    "light_stem",
    "maxsim",
    "mmr_cosine",
    "mmr_jaccard",
    "mmr_matrix",
    "near_bucket",
    "near_clusters",
    "near_kept",
    "near_pairs",
    "notes",
    "order",
    "propagate",
    "quality_terms",
    "query_pieces",
    "read",
    "read_graph",
    "read_lines",
    "run_columns",
    "run_of_rows",
    "score_features",
    "seal",
    "sentences",
    "shared_words",
    "sketch_columns",
    "snowball_languages",
    "stop_words",
    "temporal_proximity",
    "time_anchor",
    "time_decay",
    "token_similarity",
    "token_weight",
    "tokenize",
    "unseal",
    "write_lines",
]
__version__: str

#: Places, relevance, similarity to the nearest pick, its place, value: in the order of choice.
_Choice: TypeAlias = tuple[list[int], list[float], list[float | None], list[int | None], list[float]]

#: Bytes, and where among them those of each text begin and the last one's end.
_Evidence: TypeAlias = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]

#: Now in microseconds, half-life, curve, power of importance, factor of the undated.
_DecayOptions: TypeAlias = tuple[int, float, str, float, float]

#: Half-life, stability, weights of tiers (none first), confidence lost per week, grace, floor, undated.
_QualityOptions: TypeAlias = tuple[float, float, tuple[float, ...], float, float, float, float]

#: Weights, model, now, and where a time is asked for its moment, tolerance and boost.
_CompositeOptions: TypeAlias = tuple[
    tuple[float, float, float, float], _QualityOptions, int, tuple[int, float, float] | None
]

@final
class CorpusStats:
    def __new__(cls) -> CorpusStats: ...
    @staticmethod
    def of_texts(given: Iterable[str], tokenizer: str) -> CorpusStats: ...
    @staticmethod
    def of_tokens(given: list[Iterable[str]], first: int) -> CorpusStats: ...
    @staticmethod
    def from_bytes(saved: bytes) -> CorpusStats: ...
    def to_bytes(self) -> bytes: ...
    def merge(self, others: CorpusStats) -> None: ...
    def subtract(self, others: CorpusStats) -> None: ...
    @property
    def texts(self) -> int: ...
    @property
    def length(self) -> int: ...
    @property
    def average_length(self) -> float: ...
    @property
    def distinct(self) -> int: ...
    def frequency(self, token: str) -> int: ...
    def idf(self, token: str) -> float: ...
    def equals(self, other: CorpusStats) -> bool: ...

#: Offsets of queries, codes of documents, scores.
_Columns: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32], npt.NDArray[np.float64]]

@final
class Method:
    @staticmethod
    def reciprocal(k: float, rank_base: int) -> Method: ...
    @staticmethod
    def inverse_square() -> Method: ...
    @staticmethod
    def rank_biased(phi: float) -> Method: ...
    @staticmethod
    def linear() -> Method: ...
    @staticmethod
    def borda(points: bool) -> Method: ...
    @staticmethod
    def condorcet() -> Method: ...
    @staticmethod
    def scores(
        normalize: str, on_constant: float | None, bounds: list[tuple[float, float] | None]
    ) -> Method: ...

@final
class Trace:
    def contributions(
        self, places: list[int]
    ) -> list[list[tuple[int, int | None, float | None, float | None, float]]]: ...

def fuse(
    rankings: list[Any],
    names: list[str | None],
    weights: list[float],
    method: Method,
    combine: str,
    duplicates: str,
    limit: int | None,
    ties: str,
) -> tuple[
    list[Hashable] | npt.NDArray[np.int64],
    npt.NDArray[np.float64],
    list[Document | None] | None,
    dict[int, tuple[bool, Any]] | None,
    Trace,
]: ...
def read(
    ranking: Any, name: str
) -> tuple[
    list[Hashable] | npt.NDArray[np.int64],
    npt.NDArray[np.float64] | None,
    list[Document | None] | None,
]: ...
def maxsim(
    query: npt.ArrayLike,
    documents: Any,
    offsets: npt.ArrayLike | None,
    mask: npt.ArrayLike | None,
    normalize: bool,
    scales: Any,
    query_scales: Any,
    threads: int | None,
    explain: bool,
) -> tuple[
    npt.NDArray[np.float64],
    tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]] | None,
]: ...
def read_graph(
    nodes: Iterable[Hashable] | None,
    edges: Iterable[Sequence[Any]],
    directed: bool,
    wanted: list[Hashable],
) -> tuple[Graph, list[Hashable], list[int | None]]: ...
def order(
    scores: npt.NDArray[np.float64],
    ids: list[Hashable] | npt.NDArray[np.int64],
    limit: int | None,
    ties: str,
) -> npt.NDArray[np.int64]: ...
def propagate(
    ids: list[Hashable] | npt.NDArray[np.int64],
    scores: npt.ArrayLike,
    neighbors: Mapping[Any, Iterable[Any]],
    weight: float,
    limit: int | None,
    ties: str,
) -> tuple[
    npt.NDArray[np.int64],
    npt.NDArray[np.float64],
    list[Hashable],
    tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]],
]: ...
def adjacent(
    ids: Iterable[Hashable],
    groups: Iterable[Hashable] | None,
    window: int,
    forward: npt.ArrayLike,
    backward: npt.ArrayLike,
) -> dict[Hashable, tuple[tuple[Hashable, float], ...]]: ...
def boost_matches(
    scores: npt.ArrayLike,
    ids: list[Hashable] | npt.NDArray[np.int64],
    query: str,
    names: Sequence[str | list[str] | None],
    factor: float,
) -> tuple[npt.NDArray[np.float64], list[int | None]]: ...
def time_decay(
    scores: npt.NDArray[np.float64], documents: list[Document | None] | None, options: _DecayOptions
) -> npt.NDArray[np.float64]: ...
def decay_factors(
    documents: list[Document | None], options: _DecayOptions
) -> tuple[list[float | None], list[float]]: ...
def composite(
    scores: npt.NDArray[np.float64], documents: list[Document | None] | None, options: _CompositeOptions
) -> npt.NDArray[np.float64]: ...
def composite_parts(
    scores: npt.NDArray[np.float64], documents: list[Document | None] | None, options: _CompositeOptions
) -> list[tuple[float, float, float, float, float, float]]: ...
def quality_terms(
    document: Document, model: _QualityOptions, now: int
) -> tuple[float, float, float, float, float, float]: ...
def temporal_proximity(distance: int, tolerance: float) -> float: ...
def cosine_scores(query: npt.ArrayLike, vectors: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]: ...
def cosine_top(
    query: npt.ArrayLike, vectors: npt.ArrayLike, limit: int | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...

@final
class VectorTable:
    def __new__(cls, width: int) -> VectorTable: ...
    @property
    def width(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    def __len__(self) -> int: ...
    def bytes_beside(self, other: VectorTable) -> int: ...
    def updated(
        self,
        positions: npt.NDArray[np.int64],
        vectors: npt.NDArray[np.float32],
        gone: npt.NDArray[np.int64],
    ) -> VectorTable: ...
    def nearest(
        self,
        query: npt.NDArray[Any],
        limit: int | None,
        positions: npt.NDArray[np.int64] | None,
        threads: int | None,
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...

def tokenize(text: str) -> list[str]: ...
def bm25_tokenize(text: str, stemmer: str | None) -> list[str]: ...
def clean_text(given: str) -> str: ...
def light_stem(word: str) -> str: ...
def sentences(text: str) -> list[str]: ...
def shared_words(message: str, texts: list[str]) -> list[str | None]: ...
def snowball_languages() -> list[str]: ...
def seal(kind: str, version: int, parts: list[bytes]) -> bytes: ...
def unseal(kind: str, newest: int, file: bytes) -> tuple[str | None, int, list[bytes]]: ...
def time_anchor(
    query: str, today: int, after_midnight: bool, hemisphere: str
) -> tuple[int, float, str, tuple[int, int] | None] | None: ...
def token_similarity(a: str, b: str) -> float: ...
def token_weight(token: str, stop_words: Iterable[str] | None) -> float: ...
def stop_words() -> list[str]: ...
def lexical_score(
    query: str | Sequence[str],
    document: str | Sequence[str],
    weights: list[float] | None,
    stats: CorpusStats | None,
) -> float: ...
def lexical_scores(
    query: str | Sequence[str],
    documents: Iterable[str | Sequence[str]],
    weights: list[float] | None,
    stats: CorpusStats | None,
    threads: int | None,
) -> npt.NDArray[np.float64]: ...
def lexical_matches(
    query: str | Sequence[str],
    document: str | Sequence[str],
    weights: list[float] | None,
    stats: CorpusStats | None,
) -> list[tuple[str, float, str | None, float]]: ...
def bm25_scores(
    query: str | list[str],
    texts: Iterable[str] | list[list[str]],
    stemmer: str | None,
    tokenized: bool,
    k1: float,
    b: float,
    normalized: bool,
    statistics: tuple[int, float, list[int]] | None,
) -> npt.NDArray[np.float64]: ...

@final
class Bm25Builder:
    def __new__(cls) -> Bm25Builder: ...
    def push_texts(self, texts: list[str], stemmer: str | None) -> None: ...
    def push_tokens(self, lists: list[list[str]]) -> None: ...
    def finish(self) -> Bm25Segment: ...

@final
class Bm25Segment: ...

@final
class Bm25Snapshot:
    @staticmethod
    def empty(k1: float, b: float) -> Bm25Snapshot: ...
    def sizes(self) -> list[tuple[int, int]]: ...
    def statistics(self) -> tuple[int, float]: ...
    def holding(self, token: str) -> int: ...
    def lives(self, part: int, document: int) -> bool: ...
    def order_of(self, part: int, document: int) -> int: ...
    def without(self, places: list[tuple[int, int]]) -> Bm25Snapshot: ...
    def with_segment(
        self, segment: Bm25Segment, order: list[int]
    ) -> tuple[Bm25Snapshot, npt.NDArray[np.int64]]: ...
    def merged(self, first: int) -> tuple[Bm25Snapshot, npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
    def search(
        self,
        query: str | list[str],
        stemmer: str | None,
        limit: int | None,
        ties: bool,
        allowed: list[npt.NDArray[np.bool_]] | None,
    ) -> tuple[list[int], list[int], npt.NDArray[np.float64]]: ...
    def search_many(
        self,
        queries: list[str | list[str]],
        stemmer: str | None,
        limit: int | None,
        ties: bool,
        allowed: list[npt.NDArray[np.bool_]] | None,
        threads: int,
    ) -> list[tuple[list[int], list[int], npt.NDArray[np.float64]]]: ...
    def to_bytes(self) -> tuple[bytes, npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
    @staticmethod
    def from_bytes(k1: float, b: float, postings: bytes) -> Bm25Snapshot: ...

@final
class Symbols:
    def __new__(cls, names: list[str]) -> Symbols: ...
    def find(self, texts: list[str]) -> list[list[int]]: ...

@final
class Cell:
    def __new__(cls, value: Any) -> Cell: ...
    def get(self) -> Any: ...
    def exchange(self, expected: Any, value: Any) -> bool: ...

def mmr_jaccard(
    scores: npt.NDArray[np.float64], passages: list[str], lambda_: float, limit: int | None, minmax: bool
) -> _Choice: ...
def mmr_cosine(
    scores: npt.NDArray[np.float64], vectors: npt.ArrayLike, lambda_: float, limit: int | None, minmax: bool
) -> _Choice: ...
def mmr_matrix(
    scores: npt.NDArray[np.float64],
    similarity: npt.ArrayLike,
    lambda_: float,
    limit: int | None,
    minmax: bool,
) -> _Choice: ...
def notes(
    query: str, titles: list[str], topics: list[str], texts: list[str]
) -> tuple[list[str], npt.NDArray[np.float64]] | None: ...

@final
class Sketcher:
    def __new__(
        cls, threshold: float, num_perm: int, shingle: int | None, verify: bool, banded: bool
    ) -> Sketcher: ...
    @property
    def settings(self) -> tuple[float, int, int | None, bool]: ...
    @property
    def banding(self) -> tuple[int, int]: ...
    def texts(self, given: Iterable[str], threads: int) -> Sketches: ...
    def tokens(self, given: Sequence[Iterable[str]], threads: int) -> Sketches: ...
    def signatures(self, given: Iterable[str]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]: ...

@final
class Sketches:
    def __len__(self) -> int: ...
    def only(self, places: Sequence[int]) -> Sketches: ...
    def similarity(self, one: int, other: int) -> float: ...
    def encode(self, sketcher: Sketcher) -> bytes: ...

@final
class BandIndex:
    def __new__(cls, sketcher: Sketcher) -> BandIndex: ...
    def put(self, numbers: list[int], sketches: Sketches) -> None: ...
    def remove(self, number: int) -> bool: ...
    def query(self, sketch: Sketches) -> list[tuple[int, float]]: ...
    def all(self) -> tuple[list[int], Sketches]: ...

def near_clusters(sketcher: Sketcher, batches: list[Sketches], threads: int) -> npt.NDArray[np.int64]: ...
def near_kept(sketcher: Sketcher, hits: Sketches, groups: list[list[int]], linkage: str) -> list[int]: ...
def sketch_columns(
    sketches: Sketches,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...
def near_pairs(sketcher: Sketcher, ones: _Evidence, others: _Evidence) -> npt.NDArray[np.bool_]: ...
def near_bucket(
    sketcher: Sketcher, texts: _Evidence, known: npt.NDArray[np.integer]
) -> npt.NDArray[np.int64]: ...
def decode_sketches(encoded: bytes) -> tuple[Sketcher, Sketches]: ...

@disjoint_base
class Cache:
    def __new__(
        cls,
        capacity: int,
        ttl: float,
        clock: Callable[[], float] | None,
        sizer: Callable[[Any], int] | None,
    ) -> Self: ...
    def get(self, key: Hashable, default: Any = None) -> Any: ...
    def peek(self, key: Hashable, default: Any = None) -> Any: ...
    def set(self, key: Hashable, value: Any) -> None: ...
    def delete(self, key: Hashable) -> bool: ...
    def purge_prefix(self, prefix: str) -> int: ...
    def clear(self) -> None: ...
    def items(self) -> list[tuple[Hashable, Any]]: ...
    def counts(self) -> tuple[int, int, int, int, int, int | None]: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: object, /) -> bool: ...

@final
class QueryWords:
    def __new__(
        cls, multi_hop: list[str], architecture: list[str], declarations: list[str]
    ) -> QueryWords: ...
    def tier(self, query: str) -> int: ...

def query_pieces(query: str) -> list[str]: ...
def score_features(scores: npt.ArrayLike) -> tuple[float, float] | None: ...

@final
class Graph:
    @staticmethod
    def from_arrays(
        sources: npt.ArrayLike,
        targets: npt.ArrayLike,
        weights: npt.ArrayLike | None,
        nodes: int | None,
        directed: bool,
    ) -> Graph: ...
    @staticmethod
    def from_csr(
        indptr: npt.ArrayLike, indices: npt.ArrayLike, weights: npt.ArrayLike | None, directed: bool
    ) -> Graph: ...
    @staticmethod
    def from_parts(
        offsets: npt.NDArray[np.uint64],
        sources: npt.NDArray[np.uint32],
        weights: npt.NDArray[Any] | None,
    ) -> Graph: ...
    def parts(
        self,
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[Any] | None]: ...
    def size(self) -> tuple[int, int]: ...
    def pagerank(
        self,
        seeds: list[tuple[list[int | None] | None, npt.NDArray[np.float64]]],
        starts: list[npt.NDArray[np.float64]] | None,
        damping: float,
        max_iterations: int,
        tolerance: float,
        threads: int,
    ) -> list[tuple[npt.NDArray[np.float64], int, bool, bool]]: ...

def run_columns(queries: list[Hashable], rankings: list[Any]) -> tuple[tuple[Hashable, ...], _Columns]: ...
def run_of_rows(
    query_codes: npt.NDArray[np.uint32],
    queries: int,
    codes: npt.NDArray[np.uint32],
    scores: npt.NDArray[np.float64],
) -> _Columns: ...
def fuse_runs(
    runs: list[tuple[tuple[Hashable, ...], _Columns, npt.NDArray[np.int64]]],
    names: list[str | None],
    queries: list[Hashable],
    weights: list[float],
    method: Method,
    combine: str,
    duplicates: str,
    limit: int | None,
    ties: str,
    threads: int,
) -> tuple[tuple[Hashable, ...], _Columns]: ...
def read_lines(
    read: Callable[[], bytes], judgements: bool, ties: str, best: bool, path: str | None
) -> tuple[list[Hashable], tuple[Hashable, ...], _Columns, str, int]: ...
def write_lines(
    write: Callable[[bytes], object],
    queries: list[Hashable],
    ids: tuple[Hashable, ...],
    columns: _Columns,
    tag: str,
    rank_base: int,
    strict: bool,
) -> None: ...
