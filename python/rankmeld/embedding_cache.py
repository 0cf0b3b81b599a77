"""Vectors of queries, so that a query asked twice is embedded once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, SupportsIndex

import numpy as np
import numpy.typing as npt

from rankmeld.errors import InvalidArgumentError
from rankmeld.scoped_cache import CacheStats, ScopedCache
from rankmeld.single_flight import MISSING, SingleFlight, plain
from rankmeld.text import fold_text

__all__ = ["QueryEmbeddingCache", "SecondLevel", "Vector", "query_embedding_cache_key"]

#: A query's vector: shape (D,), float32.
Vector = npt.NDArray[np.float32]


class SecondLevel(Protocol):
    """Where vectors are kept beyond this process; it answers, and never raises."""

    def get(self, key: str, /) -> Vector | None:
        """The vector of a key, or ``None``."""

    def set(self, key: str, vector: Vector, /) -> None:
        """Keep a vector."""


def query_embedding_cache_key(model: str, query: str) -> str:
    r"""The key under which a query's vector is cached.

    The model, a NUL, and the query composed (NFC), with white space collapsed and trimmed, and
    case folded: what differs only in these shares a vector.

    Parameters
    ----------
    model : str
        Names everything that changes the vector: model, revision, dimensions, prefix.
    query : str
        The query.

    Raises
    ------
    InvalidArgumentError
        `model` holds a NUL, which would let two models share a key.
    TypeError
        An argument is not a `str`.

    Examples
    --------
    >>> query_embedding_cache_key("minilm", "  Straße \n ONE")
    'minilm\x00strasse one'
    """
    for name, value in (("model", model), ("query", query)):
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if "\0" in model:
        raise InvalidArgumentError(f"model is {model!r}; it must not contain NUL, which ends it in the key")
    return "\0".join((model, fold_text(query)))  # the text of a `str` enum's member, not how it prints


class QueryEmbeddingCache:
    """Embeds each query once, and hands out its vector.

    For queries, which repeat; never for documents, which do not. Vectors come back as read-only
    float32 arrays over memory of the cache's own, so no caller can change what others get.
    Concurrent callers of one query, threads and tasks alike, cause one call. Errors and empty
    vectors are never cached.

    Parameters
    ----------
    capacity : int, default 256
        How many vectors there are at the most; above zero.
    ttl : float or None, default 300.0
        Seconds that a vector is kept; ``None`` for ever.
    second : SecondLevel, optional
        Asked where this process has no vector, and told of new ones:
        `rankmeld.stores.redis_cache.RedisVectorCache`.

    Raises
    ------
    InvalidArgumentError
        `capacity` or `ttl` is not above zero; on a call: `fn` gave something else than one vector
        of finite numbers, or the model's name holds a NUL.
    TypeError
        An argument is of the wrong kind.

    Examples
    --------
    >>> cache = QueryEmbeddingCache()
    >>> embed = lambda text: [len(text), 1.0]
    >>> cache.embed("lengths", "How long?", embed)
    array([9., 1.], dtype=float32)
    >>> cache.embed("lengths", "how  long?", embed)  # the same query: nothing is embedded
    array([9., 1.], dtype=float32)
    >>> cache.hits, cache.misses
    (1, 1)
    """

    __slots__ = ("__weakref__", "_flights", "_second", "_vectors")

    def __init__(
        self,
        *,
        capacity: SupportsIndex = 256,
        ttl: float | None = 300.0,
        second: SecondLevel | None = None,
    ) -> None:
        self._vectors = ScopedCache(capacity=capacity, ttl=ttl, sizer=lambda vector: int(vector.nbytes))
        self._flights = SingleFlight()
        self._second = second

    def embed(self, model: str, query: str, fn: Callable[[str], Any]) -> Vector:
        """The vector of a query, from the cache or from ``fn(query)``.

        Parameters
        ----------
        model : str
            Names everything that changes the vector: model, revision, dimensions, prefix.
        query : str
            The query; `fn` gets it as it is here.
        fn : callable
            ``fn(query)`` gives one vector, of shape (D,): an embedder's `embed_query`.

        Returns
        -------
        array of shape (D,), float32
            Read-only.
        """
        key = query_embedding_cache_key(model, query)
        vector = self._vectors.get(key, MISSING)
        if vector is MISSING:

            def make() -> Vector:
                shared = self._from_second(key)
                return self._made(key, as_vector(plain(fn(query)))) if shared is None else shared

            vector = self._flights.run(key, make, self._found, self._keep)
        return _handed_out(vector)

    async def aembed(self, model: str, query: str, fn: Callable[[str], Awaitable[Any] | Any]) -> Vector:
        """As `embed`, for tasks: ``fn(query)`` may give an awaitable, which is awaited."""
        key = query_embedding_cache_key(model, query)
        vector = self._vectors.get(key, MISSING)
        if vector is MISSING:
            vector = await self._flights.arun(
                key, lambda: self._amake(key, query, fn), self._found, self._keep
            )
        return _handed_out(vector)

    async def _amake(self, key: str, query: str, fn: Callable[[str], Any]) -> Vector:
        """Make a vector in a task; the second level is asked in a thread, for it may block."""
        import asyncio  # noqa: PLC0415 - whoever awaits has it; others need not load it
        import inspect  # noqa: PLC0415

        if self._second is not None:
            shared = await asyncio.to_thread(self._from_second, key)
            if shared is not None:
                return shared
        given = fn(query)
        vector = as_vector(await given if inspect.isawaitable(given) else given)
        if self._second is not None:
            await asyncio.to_thread(self._made, key, vector)
        return vector

    @property
    def hits(self) -> int:
        """Calls that found the vector in this process."""
        return self.stats().hits

    @property
    def misses(self) -> int:
        """Calls that did not."""
        return self.stats().misses

    def stats(self) -> CacheStats:
        """Counters since the cache was made; `bytes` counts the vectors' numbers."""
        return self._vectors.stats()

    def clear(self) -> None:
        """Forget the vectors of this process; a second level keeps its own."""
        self._vectors.clear()

    def __len__(self) -> int:
        """How many vectors are kept in this process."""
        return len(self._vectors)

    def _found(self, key: Any) -> Any:
        return self._vectors.peek(key, MISSING)

    def _from_second(self, key: str) -> Vector | None:
        shared = None if self._second is None else self._second.get(key)
        return None if shared is None else as_vector(shared)

    def _made(self, key: str, vector: Vector) -> Vector:
        """Tell the second level of a new vector."""
        if self._second is not None and vector.size:
            self._second.set(key, vector)
        return vector

    def _keep(self, key: Any, vector: Vector) -> None:
        if vector.size:
            self._vectors.set(key, vector)


def as_vector(given: Any) -> Vector:
    """What a function gave, as an array whose memory nobody can write to; may be empty."""
    try:
        numbers = np.asarray(given)
    except ValueError:  # nested lists of different lengths
        numbers = np.asarray(None)
    if numbers.dtype.kind not in "fiu" or (numbers.ndim != 1 and numbers.size):
        found = f"shape {numbers.shape}" if numbers.dtype.kind in "fiu" else type(given).__name__
        raise InvalidArgumentError(f"fn must give one vector of numbers, of shape (D,); it gave {found}")
    with np.errstate(over="ignore"):  # what does not fit float32 is reported below
        packed = numbers.ravel().astype(np.float32)
    if not np.isfinite(packed).all():
        raise InvalidArgumentError("fn gave a vector with NaN, an infinity or a number beyond float32")
    # Over bytes, no array can be made writable again.
    return np.frombuffer(packed.tobytes(), np.float32)


def _handed_out(vector: Vector) -> Vector:
    """An array of the caller's own over the same memory: even its shape is nobody else's."""
    return vector.view()
