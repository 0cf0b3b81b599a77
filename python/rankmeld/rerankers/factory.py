"""Rerankers by the name of who provides them, as a configuration file has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rankmeld._options import choose
from rankmeld.errors import ConfigError
from rankmeld.remote.budget import RateBudget
from rankmeld.remote.dialects import DialectName
from rankmeld.remote.policy import OutboundPolicy
from rankmeld.rerankers.base import Reranker
from rankmeld.rerankers.http import HttpReranker
from rankmeld.rerankers.late_interaction import LateInteractionReranker

__all__ = ["PRESETS", "Preset", "RerankConfig", "make_reranker", "make_secure_reranker"]


@dataclass(frozen=True, slots=True)
class Preset:
    """How a service is reached.

    Attributes
    ----------
    base_url : str
        Where it is; blank for software that runs on a server of one's own.
    dialect : str
        How it wants to be asked.
    source : str
        Where that was read.
    """

    base_url: str
    dialect: DialectName
    source: str


#: Read in documentation that was at hand in November 2026; none was tried against the service itself.
PRESETS = {
    "cohere": Preset("https://api.cohere.com/v2", "jina", "third-party clients of POST /v2/rerank"),
    "jina": Preset("https://api.jina.ai/v1", "jina", "LangChain's client of POST /v1/rerank"),
    "voyage": Preset("https://api.voyageai.com/v1", "voyage", "Voyage's SDK, and the AI SDK's base URL"),
    "mixedbread": Preset("https://api.mixedbread.com/v1", "mixedbread", "Mixedbread's API reference"),
    "vllm": Preset("", "jina", "vLLM's documentation, POST /v1/rerank"),
    # Listens at /rerank, or at /v1/rerank with --url-prefix /v1: the base URL has to say which.
    "infinity": Preset("", "jina", "Infinity's server, POST {prefix}/rerank"),
    "tei": Preset("", "tei", "Text Embeddings Inference's API, POST /rerank"),
    "custom": Preset("", "jina", "whatever answers like Jina's API"),
}

_LOCAL = ("none", "late-interaction")


@dataclass(frozen=True, slots=True)
class RerankConfig:
    """Which reranker to make; it holds no key.

    Parameters
    ----------
    provider : str
        ``"none"``; ``"late-interaction"``, which runs here; a service, ``"cohere"``, ``"jina"``,
        ``"voyage"`` or ``"mixedbread"``; software on a server of your own, ``"vllm"``,
        ``"infinity"`` (base URL with ``/rerank`` or ``/v1`` at its end, as its ``--url-prefix``
        says) or ``"tei"`` (Text Embeddings Inference); or ``"custom"`` for anything else that
        answers like Jina's API.
    model : str, default ""
        The model's name; the four services need one.
    base_url : str, default ""
        Where it is; blank for the public address of one of the four services.
    budget : RateBudget, optional
        Paces the requests; share one among all that ask one host.

    Raises
    ------
    InvalidArgumentError
        The provider is unknown.
    TypeError
        An argument is of the wrong kind.

    Examples
    --------
    >>> RerankConfig("voyage", model="rerank-2.5")
    RerankConfig(provider='voyage', model='rerank-2.5', base_url='', budget=None)
    """

    provider: str
    model: str = field(default="")
    base_url: str = field(default="")
    budget: RateBudget | None = field(default=None)

    def __post_init__(self) -> None:
        choose(self.provider, (*_LOCAL, *PRESETS), "provider")
        for name in ("model", "base_url"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} must be a str, not {type(getattr(self, name)).__name__}")
        if not isinstance(self.budget, RateBudget | None):
            raise TypeError(f"budget must be a RateBudget or None, not {type(self.budget).__name__}")


def make_reranker(config: RerankConfig) -> Reranker | None:
    """Make a reranker that runs here; it never opens a connection.

    Parameters
    ----------
    config : RerankConfig
        Provider ``"none"`` or ``"late-interaction"``.

    Returns
    -------
    Reranker or None
        ``None`` for ``"none"``.

    Raises
    ------
    ConfigError
        The provider is elsewhere, or has an option that has no use here.

    Examples
    --------
    >>> import rankmeld as rm
    >>> rm.make_reranker(rm.RerankConfig("late-interaction"))
    LateInteractionReranker()
    >>> rm.make_reranker(rm.RerankConfig("none")) is None
    True
    """
    _check(config)
    if config.provider not in _LOCAL:
        raise ConfigError(
            f"the provider {config.provider!r} is asked over HTTP; write "
            "make_secure_reranker(config, policy), where the policy says what may be reached"
        )
    for name in ("model", "base_url", "budget"):
        if getattr(config, name) not in {"", None}:
            raise ConfigError(f"the provider {config.provider!r} runs here and has no use for {name}")
    return None if config.provider == "none" else LateInteractionReranker()


def make_secure_reranker(config: RerankConfig, policy: OutboundPolicy, **options: Any) -> Reranker | None:
    """Make a reranker of any provider; one that is asked over HTTP reaches what the policy allows.

    The key comes from the environment variable ``RANKMELD_RERANK_API_KEY``, never from `config`.

    Parameters
    ----------
    config : RerankConfig
        Which one.
    policy : OutboundPolicy
        What may be reached; the service's host has to be in it.
    **options
        `max_batch`, `timeout`, `truncate` and `cache`, as in `HttpReranker`; for providers that run
        here there are none.

    Returns
    -------
    HttpReranker, Reranker or None
        What `make_reranker` gives for ``"none"`` and ``"late-interaction"``.

    Raises
    ------
    ConfigError
        The key is missing, or `config` lacks a model or a base URL that the provider needs.
    OutboundRefusedError
        The policy does not allow the service.

    Examples
    --------
    >>> import rankmeld as rm
    >>> policy = rm.OutboundPolicy(["api.cohere.com"])
    >>> rm.make_secure_reranker(rm.RerankConfig("cohere"), policy)
    Traceback (most recent call last):
        ...
    rankmeld.errors.ConfigError: the provider 'cohere' needs a model: RerankConfig('cohere', model=...)
    """
    _check(config)
    if not isinstance(policy, OutboundPolicy):
        raise TypeError(f"policy must be an OutboundPolicy, not {type(policy).__name__}")
    if config.provider in _LOCAL:
        if options:
            raise ConfigError(f"the provider {config.provider!r} runs here and has no use for {min(options)}")
        return make_reranker(config)
    preset = PRESETS[config.provider]
    if preset.base_url and not config.model:
        raise ConfigError(
            f"the provider {config.provider!r} needs a model: RerankConfig({config.provider!r}, model=...)"
        )
    if not (preset.base_url or config.base_url):
        raise ConfigError(
            f"the provider {config.provider!r} needs a base URL: "
            f"RerankConfig({config.provider!r}, base_url=...)"
        )
    return HttpReranker(
        config.base_url or preset.base_url,
        policy=policy,
        model=config.model,
        dialect=preset.dialect,
        budget=config.budget,
        **options,
    )


def _check(config: Any) -> None:
    if not isinstance(config, RerankConfig):
        raise TypeError(f"config must be a RerankConfig, not {type(config).__name__}")
