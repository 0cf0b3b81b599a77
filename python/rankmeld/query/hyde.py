"""Hypothetical documents: search with the vector of an answer that nobody has written yet."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, SupportsIndex

import numpy as np

from rankmeld._asking import Ask, Flow, Together, adrive, as_function, drive
from rankmeld._model_text import AnswerError, complaint, model_text
from rankmeld._options import as_positive
from rankmeld.embedding_cache import Vector, query_embedding_cache_key
from rankmeld.query.hyde_vectors import NoVectorError, check_embed, lacking, mean_vector, one_vector
from rankmeld.query.tiers import QueryTier
from rankmeld.scoped_cache import ScopedCache
from rankmeld.text import clean_text, is_blank
from rankmeld.types import Embedder

__all__ = ["HydeAttempt", "HydeGenerator", "hyde_from_env", "hyde_prompt"]

_log = logging.getLogger("rankmeld")

#: Where an answer that is made up helps: look-ups have exact words, and questions about the whole summaries.
_TIERS = frozenset({QueryTier.SEMANTIC_HYBRID, QueryTier.MULTI_HOP_GRAPH})

_BLANK = "generate gave a blank text"
_INSTEAD = "write `await hyde.avector_for(query, tier)` or `aattempt` instead of `vector_for` or `attempt`"


def hyde_prompt(query: str) -> str:
    """The prompt that asks for a passage in which a query's answer could stand.

    Parameters
    ----------
    query : str
        What was asked.

    Raises
    ------
    TypeError
        `query` is not a `str`.

    Examples
    --------
    >>> print(hyde_prompt("When did the bridge open?"))
    Below is a question. Imagine the document that answers it best, and write the one passage of
    that document in which the answer stands: three to five sentences, in the language of the
    question, with the terms and names that such a document would use. Write only the passage; do
    not address anybody and do not say that it is made up.
    <BLANKLINE>
    Question: When did the bridge open?
    Passage:
    """
    _require_query(query)
    return (
        "Below is a question. Imagine the document that answers it best, and write the one passage of\n"
        "that document in which the answer stands: three to five sentences, in the language of the\n"
        "question, with the terms and names that such a document would use. Write only the passage; do\n"
        "not address anybody and do not say that it is made up.\n\n"
        f"Question: {clean_text(query)}\nPassage:"
    )


def hyde_from_env() -> bool:
    """Whether the environment variable ``RANKMELD_HYDE`` is ``1``, ``true``, ``on`` or ``yes``, in any case.

    Nothing but a call of this function reads it.

    Examples
    --------
    >>> import os
    >>> os.environ["RANKMELD_HYDE"] = "on"
    >>> hyde_from_env()
    True
    >>> del os.environ["RANKMELD_HYDE"]
    >>> hyde_from_env()
    False
    """
    return os.environ.get("RANKMELD_HYDE", "").lower() in {"1", "true", "on", "yes"}


@dataclass(frozen=True, slots=True, eq=False)
class HydeAttempt:
    """What came of the attempt to search with a hypothetical answer.

    Attributes
    ----------
    vector : array of shape (D,), float32, or None
        What to search with, read-only; ``None``: search with the vector of the query.
    documents : tuple of str
        The passages that were generated, or were in the cache.
    status : {"ok", "skipped", "empty", "failed"}
        There is a vector; nothing was tried; the model had nothing to say; something went wrong.
    reason : str or None
        Why there is no vector, or what it lacks. It holds neither prompts nor messages of others,
        which may repeat a prompt or a key.
    """

    vector: Vector | None
    documents: tuple[str, ...]
    status: Literal["ok", "skipped", "empty", "failed"]
    reason: str | None = None

    def __str__(self) -> str:
        """The status, and why."""
        return self.status if self.reason is None else f"{self.status} ({self.reason})"


class _NoPassageError(Exception):
    """There is no passage, so nothing is cached; goes to all who wait for it."""

    def __init__(self, status: Literal["empty", "failed"], reason: str) -> None:
        super().__init__(status, reason)
        self.status = status
        self.reason = reason


class _Passages(NamedTuple):
    """What is cached for a query: at least one passage, and what is missing."""

    texts: tuple[str, ...]
    lack: str | None


class HydeGenerator:
    """Makes vectors of hypothetical answers (HyDE).

    A question and the passage that answers it are often written in other words, and lie apart for
    an embedder. So a language model writes such a passage, true or not, and its vector is what the
    search looks around: the passages near it are real ones.

    It is an addition that must not cost a search: what models do wrong is logged, never raised, and
    gives ``None``. `attempt` also tells why.

    Parameters
    ----------
    generate : callable or None
        ``generate(prompt)`` gives a text, from `hyde_prompt`. Reasoning between ``<think>`` and
        ``</think>``, and a code fence around the whole, are taken off.
    embed : Embedder, callable or None
        ``embed(text)`` gives a vector, of shape (D,). Of an `Embedder`, `embed_query` embeds the one
        passage of ``n=1``; of more, passages are embedded in one batch, and the query by `embed_query`.
    enabled : bool, default False
        Whether to do anything at all; see `hyde_from_env`.
    model : str, default ""
        Name of the model that generates: part of the key under which passages are cached.
    capacity : int, default 128
        For how many queries passages are cached.
    ttl : float or None, default 600.0
        Seconds that they are cached; ``None`` for ever.
    n : int, default 1
        How many passages to generate. With more than one the vector is the mean of theirs and the
        query's own, as in the paper. Those that fail are left out of it, as long as one is left.

    Raises
    ------
    TypeError
        An argument is of the wrong kind; on a call: a callable is asynchronous and nobody awaits it.
    InvalidArgumentError
        `model` holds a NUL, or `capacity`, `ttl` or `n` is not above zero.

    Notes
    -----
    Passages are cached, by model and query (see `query_embedding_cache_key`), vectors are not: an
    embedder costs little beside a language model. Failures and blank passages are never cached.
    Concurrent callers of one query, threads and tasks alike, cause one generation.

    The asynchronous methods await what is asynchronous, `achat`, `aembed_query` and `aembed` of models
    that have them among it; what is not runs in worker threads.

    References
    ----------
    Gao, Ma, Lin and Callan: Precise Zero-Shot Dense Retrieval without Relevance Labels, 2022.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hyde = rm.HydeGenerator(
    ...     lambda prompt: "The bridge opened in 1931.",
    ...     lambda text: [float(len(text)), 1.0],
    ...     enabled=True,
    ... )
    >>> hyde.vector_for("When did the bridge open?", rm.QueryTier.SEMANTIC_HYBRID)
    array([26.,  1.], dtype=float32)
    >>> print(hyde.attempt("bridge", rm.QueryTier.DIRECT_FACTUAL))
    skipped (a direct_factual query needs no hypothetical answer)
    """

    __slots__ = ("__weakref__", "_cache", "_calls", "_embed", "_enabled", "_generate", "_model", "_n")

    def __init__(
        self,
        generate: Callable[[str], Any] | None,
        embed: Embedder | Callable[[str], Any] | None,
        *,
        enabled: bool = False,
        model: str = "",
        capacity: SupportsIndex = 128,
        ttl: float | None = 600.0,
        n: SupportsIndex = 1,
    ) -> None:
        if not isinstance(enabled, bool | np.bool_):
            raise TypeError(f"enabled must be True or False, not {type(enabled).__name__}")
        count = as_positive(n, "n")
        query_embedding_cache_key(model, "")  # refuses what cannot be part of a key
        if generate is not None:
            as_function(generate, "generate", "(prompt) -> str, or None")
        if embed is not None:
            check_embed(embed, count)
        self._generate = generate
        self._embed = embed
        self._enabled = bool(enabled)
        self._model = model
        self._n = count
        self._cache = ScopedCache(capacity=capacity, ttl=ttl)
        #: One entry for each call: appending is a single step, whatever threads, signals and forks do.
        self._calls: list[None] = []

    def vector_for(self, query: str, tier: QueryTier) -> Vector | None:
        """The vector to search with beside the query's own, or ``None``.

        Parameters
        ----------
        query : str
            What was asked.
        tier : QueryTier
            What `classify_query` says of it. Only semantic and multi-hop queries are worth a
            generation; for the others nothing is touched.

        Returns
        -------
        array of shape (D,), float32, or None
            Read-only.
        """
        return self.attempt(query, tier).vector

    async def avector_for(self, query: str, tier: QueryTier) -> Vector | None:
        """As `vector_for`, for tasks."""
        return (await self.aattempt(query, tier)).vector

    def attempt(self, query: str, tier: QueryTier) -> HydeAttempt:
        """As `vector_for`, with what became of it.

        Parameters
        ----------
        query, tier
            As in `vector_for`.

        Returns
        -------
        HydeAttempt
            The vector, the passages that it was made of, and why there is none.
        """
        return _logged(drive(self._attempted(query, tier), _INSTEAD))

    async def aattempt(self, query: str, tier: QueryTier) -> HydeAttempt:
        """As `attempt`, for tasks. A cancellation goes through at once."""
        return _logged(await adrive(self._attempted(query, tier)))

    @property
    def calls(self) -> int:
        """How often `generate` was called."""
        return len(self._calls)

    @property
    def hits(self) -> int:
        """Queries whose passages were in the cache."""
        return self._cache.stats().hits

    @property
    def misses(self) -> int:
        """Queries whose passages were not."""
        return self._cache.stats().misses

    def __repr__(self) -> str:
        """Whether it is on, and the options that matter for what comes out."""
        return f"HydeGenerator(enabled={self._enabled}, model={self._model!r}, n={self._n})"

    # ---------------------------------------------------------------- the flow

    def _attempted(self, query: str, tier: QueryTier) -> Flow[HydeAttempt]:
        obstacle = self._obstacle(query, tier)
        if obstacle is not None:
            return HydeAttempt(None, (), "skipped", obstacle)
        try:
            found: _Passages = yield Ask("generate", self._passages, (query,), awaited=self._apassages)
        except _NoPassageError as missing:
            return HydeAttempt(None, (), missing.status, missing.reason)
        except Exception as error:  # noqa: BLE001 - `generate` asks in a circle for what it is making
            return HydeAttempt(None, (), "failed", complaint(error))
        try:
            if self._n == 1:
                vector, lack = (yield from one_vector(self._embed, found.texts[0])), None
            else:
                vector, lack = yield from mean_vector(self._embed, query, found.texts)
        except NoVectorError as failure:
            return HydeAttempt(None, found.texts, "failed", str(failure))
        lacks = [each for each in (found.lack, lack) if each is not None]
        return HydeAttempt(vector, found.texts, "ok", "; ".join(lacks) or None)

    def _obstacle(self, query: str, tier: QueryTier) -> str | None:
        """Why nothing is tried; the tier comes first."""
        _require_query(query)
        if not isinstance(tier, QueryTier):
            raise TypeError(
                f"tier must be a QueryTier, as classify_query gives it, not {type(tier).__name__}"
            )
        if tier not in _TIERS:
            return f"a {tier.value} query needs no hypothetical answer"
        if not self._enabled:
            return "HyDE is not enabled"
        if self._generate is None or self._embed is None:
            return f"there is no {'generate' if self._generate is None else 'embed'}"
        return "the query is blank" if is_blank(query) else None

    def _passages(self, query: str) -> _Passages:
        key = query_embedding_cache_key(self._model, query)
        return self._cache.get_or_compute(key, lambda: drive(self._generated(query), _INSTEAD))

    async def _apassages(self, query: str) -> _Passages:
        key = query_embedding_cache_key(self._model, query)
        return await self._cache.aget_or_compute(key, lambda: adrive(self._generated(query)))

    def _generated(self, query: str) -> Flow[_Passages]:
        """Ask for the passages; at least one, or an error, so that nothing is cached."""
        prompt = hyde_prompt(query)
        made = yield Together([self._one_generated(prompt) for _ in range(self._n)], self._n)
        texts = tuple(text for text, fault in made if fault is None)
        faults = [fault for _, fault in made if fault is not None]
        if texts:
            return _Passages(texts, lacking(faults, self._n))
        failures = [fault for fault in faults if fault != _BLANK]
        raise _NoPassageError("failed", failures[0]) if failures else _NoPassageError("empty", _BLANK)

    def _one_generated(self, prompt: str) -> Flow[tuple[str, str | None]]:
        """A passage, or what went wrong."""
        generate: Any = self._generate
        self._calls.append(None)
        try:
            text = model_text((yield Ask("generate", generate, (prompt,), getattr(generate, "achat", None))))
        except AnswerError as error:
            return "", f"generate gave {error}"
        except Exception as error:  # noqa: BLE001 - whatever a model raises must not cost the search
            return "", f"generate raised {complaint(error)}"
        return text, _BLANK if is_blank(text) else None


def _logged(attempt: HydeAttempt) -> HydeAttempt:
    if attempt.reason is not None and attempt.status != "skipped":
        _log.warning("hyde: %s", attempt)
    return attempt


def _require_query(query: object) -> None:
    if not isinstance(query, str):
        raise TypeError(f"query must be a str, not {type(query).__name__}")
