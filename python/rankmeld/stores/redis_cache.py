"""Vectors of queries in Redis: a second level that many processes share."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rankmeld.embedding_cache import Vector
from rankmeld.errors import InvalidArgumentError, MissingExtraError
from rankmeld.scoped_cache import as_ttl

__all__ = ["RedisVectorCache"]

#: Form of what is stored; another form gets another mark, in the keys too.
_MARK = b"RMV1"

#: Longest lifetime, in milliseconds: Redis refuses what ends later than it can count to.
_LONGEST = 10**15


class RedisVectorCache:
    """Keeps vectors in Redis, packed as float32, for some time.

    For `rankmeld.QueryEmbeddingCache(second=...)`. Redis may be slow, full or gone: then there is
    no vector, `failures` counts it, and for `pause` seconds nobody waits for Redis again. No
    method raises on its account.

    Parameters
    ----------
    redis : redis.Redis or str
        A client, or a URL as in ``"redis://localhost:6379/0"``, for which a client is made that
        waits `timeout` seconds at most. The client must not decode responses.
    ttl : float, default 86_400.0
        Seconds that a vector is kept; above zero, at least a millisecond.
    jitter : float, default 0.1
        By what share of it, at random, each vector is kept longer or shorter, so that what was set
        together does not expire together; 0 up to below 1.
    prefix : str, default "rankmeld"
        Begins every key.
    pause : float, default 5.0
        Seconds without Redis after a failure; 0 asks it every time.
    timeout : float, default 0.25
        Seconds to wait for Redis where a URL was given.

    Attributes
    ----------
    hits, misses : int
        Vectors that Redis gave, and those that it did not have or could not be asked for.
    failures : int
        Calls that Redis failed, and values that were no vectors.

    Raises
    ------
    MissingExtraError
        A URL was given and redis-py is not installed.
    InvalidArgumentError
        `ttl`, `jitter`, `pause` or `timeout` is out of its range.

    Notes
    -----
    Keys are hashed (BLAKE2b, 160 bits), so that Redis shows no queries and keys are short. Values
    are four bytes that name their form, and the numbers in little-endian order.
    """

    def __init__(
        self,
        redis: Any,
        *,
        ttl: float = 86_400.0,
        jitter: float = 0.1,
        prefix: str = "rankmeld",
        pause: float = 5.0,
        timeout: float = 0.25,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        seconds = as_ttl(ttl)
        if not 0.001 <= seconds < float("inf"):
            raise InvalidArgumentError(
                f"ttl is {ttl}; Redis keeps vectors for a millisecond or longer, not for ever"
            )
        if not 0.0 <= jitter < 1.0:
            raise InvalidArgumentError(f"jitter is {jitter}; it must be from 0 to below 1")
        for name, value in (("pause", pause), ("timeout", timeout)):
            if not 0.0 <= value < float("inf"):
                raise InvalidArgumentError(f"{name} is {value}; it must be finite and not negative")
        self._redis = _client(redis, timeout) if isinstance(redis, str) else redis
        self._ttl = seconds
        self._jitter = jitter
        self._prefix = prefix
        self._pause = pause
        self._clock = clock
        self._paused_until = float("-inf")
        self._random = random.Random()  # noqa: S311 - no secret
        self.hits = 0
        self.misses = 0
        self.failures = 0

    def get(self, key: str, /) -> Vector | None:
        """The vector of a key, or ``None``."""
        packed = self._ask(lambda: self._redis.get(self._name(key)))
        vector = None if packed is None else self._unpacked(packed)
        if vector is None:
            self.misses += 1
        else:
            self.hits += 1
        return vector

    def set(self, key: str, vector: Vector, /) -> None:
        """Keep a vector."""
        packed = _MARK + np.ascontiguousarray(vector, "<f4").tobytes()
        spread = 1.0 + self._jitter * self._random.uniform(-1.0, 1.0)
        milliseconds = max(1, round(min(self._ttl * spread * 1_000, _LONGEST)))
        self._ask(lambda: self._redis.set(self._name(key), packed, px=milliseconds))

    def _name(self, key: str) -> bytes:
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()
        return f"{self._prefix}:{_MARK.decode()}:{digest}".encode("utf-8", "surrogatepass")

    def _ask(self, call: Callable[[], Any]) -> Any:
        """What Redis answers; nothing where it fails, whatever the failure."""
        if self._clock() < self._paused_until:
            return None
        try:
            return call()
        except Exception:  # noqa: BLE001 - a cache that is not there must not stop anybody
            self._failed()
            return None

    def _failed(self) -> None:
        self.failures += 1
        self._paused_until = self._clock() + self._pause

    def _unpacked(self, packed: Any) -> Vector | None:
        """The vector in a value; what has another form, or was damaged, counts as a failure."""
        whole = isinstance(packed, bytes) and packed[:4] == _MARK and len(packed) % 4 == 0 and len(packed) > 4
        if whole:
            vector = np.frombuffer(packed, "<f4", offset=4).astype(np.float32, copy=False)
            if np.isfinite(vector).all():
                return vector
        self.failures += 1
        return None


def _client(url: str, timeout: float) -> Any:
    try:
        import redis  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError.for_extra("redis", "RedisVectorCache") from None
    return redis.Redis.from_url(url, socket_timeout=timeout, socket_connect_timeout=timeout)
