"""Scores of a model that is asked over HTTP."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt

from rankmeld._asking import Flow
from rankmeld._options import as_number, as_positive, choose
from rankmeld.errors import InvalidArgumentError
from rankmeld.ranking import Ranking
from rankmeld.remote.budget import RateBudget
from rankmeld.remote.dialects import DIALECTS, DialectName
from rankmeld.remote.policy import OutboundPolicy
from rankmeld.rerankers.asking import AskingReranker
from rankmeld.rerankers.base import Parts, passages_of, reordered
from rankmeld.rerankers.exchange import Exchange
from rankmeld.scoped_cache import ScopedCache
from rankmeld.text import clean_text, is_blank

if TYPE_CHECKING:
    from rankmeld.remote.service import Service

__all__ = ["API_KEY", "HttpReranker"]

#: The environment variable that holds the key.
API_KEY = "RANKMELD_RERANK_API_KEY"


class _Connected(AskingReranker):
    """Keeps the service beside the options, so that no copy or dump of them meets it."""

    __slots__ = ("_service",)
    _service: Service


@dataclass(frozen=True, slots=True, repr=False)
class HttpReranker(_Connected):
    """A reranker that asks a model over HTTP: Cohere, Jina, Voyage, Mixedbread, or a server of your own.

    Its scores replace those of the ranking, which may have none. Either all passages get a score,
    or an exception is raised and nothing is applied. `rerank` blocks, `arerank` awaits; one
    reranker serves threads and any number of event loops at once.

    The key is read from the environment variable ``RANKMELD_RERANK_API_KEY`` when the reranker is
    made. It is sent to the host of `base_url` and nowhere else, and is in no repr, log, pickle or
    exception. A pickle holds the options; whoever unpickles it has the key in their environment.

    Parameters
    ----------
    base_url : str
        Where the service is; `rerank_endpoint` says what becomes of it. The dialect ``"tei"`` asks
        ``/rerank`` instead of ``/v1/rerank``, ``"mixedbread"`` asks ``/v1/reranking``.
    policy : OutboundPolicy
        What may be reached: the host has to be in it.
    model : str, default ""
        The model's name; blank for servers that have only one.
    dialect : {"jina", "voyage", "tei", "mixedbread"}, default "jina"
        How the service wants to be asked; Cohere, vLLM and Infinity speak ``"jina"``.
    budget : RateBudget, optional
        Paces the requests; share one among all that ask one host. If not given, one of its own
        with 60 in a minute.
    max_batch : int, default 32
        How many passages go into a request at the most. One that the service finds too large (413)
        is sent again in halves.
    timeout : float, optional
        Seconds for a whole call of `rerank`: its turns, requests and waits. If not given, the
        policy's `timeout`, which holds for each single wait as well.
    truncate : bool, default True
        Whether the service may cut passages that are too long for the model. Services of the
        dialects ``"jina"`` and ``"mixedbread"`` decide that themselves.
    cache : ScopedCache, optional
        Keeps the score of each (model, query, passage), so that only new pairs are asked for. Keys
        begin with the model and a NUL; they hold digests, no texts.

    Raises
    ------
    ConfigError
        `base_url` cannot be used, or the key is missing.
    OutboundRefusedError
        The policy does not allow `base_url`; on a call: it does not allow where that leads.
    InvalidArgumentError
        An option is out of range.
    TypeError
        An argument is of the wrong kind.
    MissingExtraError
        The extra ``http`` is not installed.

    See Also
    --------
    make_secure_reranker : makes one of a service's name.
    CallableReranker : for any other way to reach a model.

    Notes
    -----
    Status 429 and 502 to 504 are tried again three times, after what ``Retry-After`` asks for (at most
    60 s), else after 1, 2 and 4 s and up to a quarter more. A connection that ends before an answer
    begins is replaced once, at once. All of that ends with `timeout`, whatever the service does: slow
    headers, slow bodies, and waits for the budget count. Nothing is tried again once a task is cancelled.

    `rerank` raises `RerankResponseError` where the answer is not one finite score for every
    passage, each index once; results are matched by index only. An answer is read up to 4 MiB.
    `RemoteError` says that the service cannot be reached or would not answer (see its `status`),
    `RemoteTimeoutError` that it took too long. All of them are `RankmeldError`.

    Connections stay open for the next call. `close` and `aclose` close them, as does the end of a
    ``with`` or ``async with``; a later call opens new ones. Those of tasks are closed with their loop.

    Examples
    --------
    ::

        policy = rm.OutboundPolicy(["api.jina.ai"])
        with rm.HttpReranker(
            "https://api.jina.ai/v1", policy=policy, model="jina-reranker-v2-base-multilingual"
        ) as reranker:
            found = reranker.rerank("vector search", hits)
    """

    base_url: str
    policy: OutboundPolicy = field(kw_only=True, repr=False)
    model: str = field(default="", kw_only=True)
    dialect: DialectName = field(default="jina", kw_only=True)
    budget: RateBudget | None = field(default=None, kw_only=True)
    max_batch: int = field(default=32, kw_only=True)
    timeout: float | None = field(default=None, kw_only=True)
    truncate: bool = field(default=True, kw_only=True)
    cache: ScopedCache | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._check_kinds()
        choose(self.dialect, tuple(DIALECTS), "dialect")
        endpoint = DIALECTS[self.dialect].endpoint(self.base_url)
        if not self.truncate and DIALECTS[self.dialect].truncation is None:
            raise InvalidArgumentError(
                f"truncate=False has no effect in the dialect {self.dialect!r}, whose services decide that "
                "themselves; leave it out"
            )
        size = as_positive(self.max_batch, "max_batch")
        timeout = self.policy.timeout if self.timeout is None else as_number(self.timeout, "timeout")
        if timeout <= 0.0:
            raise InvalidArgumentError(f"timeout is {timeout:g}; it must be above 0 seconds")

        # Only now: the client takes time to load, and options are checked without it.
        from rankmeld.remote.secret import Secret  # noqa: PLC0415
        from rankmeld.remote.service import Service  # noqa: PLC0415

        object.__setattr__(self, "max_batch", size)
        object.__setattr__(self, "timeout", timeout)
        object.__setattr__(self, "budget", RateBudget() if self.budget is None else self.budget)
        object.__setattr__(self, "_service", Service(endpoint, self.policy, Secret(API_KEY)))

    def _check_kinds(self) -> None:
        kinds: tuple[tuple[str, Any, str], ...] = (
            ("policy", OutboundPolicy, "an OutboundPolicy"),
            ("model", str, "a str"),
            ("truncate", bool, "True or False"),
            ("budget", RateBudget | None, "a RateBudget or None"),
            ("cache", ScopedCache | None, "a ScopedCache or None"),
        )
        for name, kind, wanted in kinds:
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} must be {wanted}, not {type(value).__name__}")

    def _asked(self, query: str, given: Ranking) -> Flow[Ranking]:
        exchange = self._exchange()
        asked = clean_text(query)
        # Some services refuse an empty text, so a blank one goes as one space.
        passages = [" " if is_blank(passage) else passage for passage in passages_of(given)]
        scores, cached = np.empty(len(given)), np.zeros(len(given), np.bool_)
        key_of = self._keys(asked)
        #: Where each passage that is not in the cache stands: more than once, if it is there twice.
        missing: dict[int | str, list[int]] = {}
        for place, passage in enumerate(passages):
            key: int | str = place if key_of is None else key_of(passage)
            known = None if self.cache is None or key in missing else self.cache.get(key)
            if known is None:
                missing.setdefault(key, []).append(place)
            else:
                scores[place], cached[place] = known, True
        keys, step = list(missing), self.max_batch
        for start in range(0, len(keys), step):
            some = keys[start : start + step]
            places = [missing[key][0] for key in some]
            found = yield from exchange.scores(asked, [passages[place] for place in places], places)
            for key, score in zip(some, found, strict=True):
                scores[missing[key]] = score
                if self.cache is not None:
                    self.cache.set(key, score)
        return reordered(given, scores, "http", self._parts(cached))

    def _exchange(self) -> Exchange:
        """What this call has: the time starts to run now."""
        timeout = cast("float", self.timeout)
        return Exchange(
            self._service,
            DIALECTS[self.dialect],
            self.model,
            self.truncate,
            cast("RateBudget", self.budget),
            timeout,
            time.monotonic() + timeout,
        )

    def _parts(self, cached: npt.NDArray[np.bool_]) -> Parts:
        """Whose score it is, and whether it was asked for or known."""
        return {
            "service": lambda _place: self._service.name,
            "model": lambda _place: self.model,
            "cached": cached,
        }

    def _keys(self, query: str) -> Callable[[str], str] | None:
        """What gives the key of a passage's score; `None` without a cache."""
        if self.cache is None:
            return None
        begun = hashlib.blake2b(digest_size=16)
        begun.update(f"{self._service.url}\0{self.truncate}\0{len(query)}\0{query}".encode())

        def key_of(passage: str) -> str:
            whole = begun.copy()
            whole.update(passage.encode())
            return f"{self.model}\0{whole.hexdigest()}"

        return key_of

    def close(self) -> None:
        """Close the connections of threads; a later call opens new ones."""
        self._service.close()

    async def aclose(self) -> None:
        """Close the connections of threads and of this event loop; a later call opens new ones."""
        await self._service.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __reduce__(self) -> tuple[Any, ...]:
        """The options; the key is read anew where they are unpickled."""
        return _remade, (type(self), {option.name: getattr(self, option.name) for option in fields(self)})


def _remade(kind: type[HttpReranker], options: dict[str, Any]) -> HttpReranker:
    return kind(**options)
