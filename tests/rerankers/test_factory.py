"""Rerankers by name: what is local opens nothing, what is not needs a policy."""

from __future__ import annotations

import pickle

import pytest

import rankmeld as rm
from rankmeld.rerankers.factory import PRESETS
from support.refusals import refusal

NAMES = ", ".join(map(repr, ("none", "late-interaction", *PRESETS)))
POLICY = rm.OutboundPolicy(
    ["api.cohere.com", "api.jina.ai", "api.voyageai.com", "api.mixedbread.com", "models.example.com"]
)


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("RANKMELD_RERANK_API_KEY", "sk-SECRET")


def test_what_runs_here():
    for make in (rm.make_reranker, lambda config: rm.make_secure_reranker(config, POLICY)):
        assert make(rm.RerankConfig("none")) is None
        assert make(rm.RerankConfig("late-interaction")) == rm.LateInteractionReranker()


@pytest.mark.parametrize(
    ("provider", "endpoint", "dialect"),
    [
        ("cohere", "https://api.cohere.com/v2/rerank", "jina"),
        ("jina", "https://api.jina.ai/v1/rerank", "jina"),
        ("voyage", "https://api.voyageai.com/v1/rerank", "voyage"),
        ("mixedbread", "https://api.mixedbread.com/v1/reranking", "mixedbread"),
    ],
)
def test_services_by_name(provider, endpoint, dialect):
    budget = rm.RateBudget(120)
    made = rm.make_secure_reranker(rm.RerankConfig(provider, "m", budget=budget), POLICY, max_batch=8)
    assert isinstance(made, rm.HttpReranker)
    assert (made._service.url, made.dialect, made.model) == (endpoint, dialect, "m")
    assert made.budget is budget
    assert made.max_batch == 8


@pytest.mark.parametrize(
    ("provider", "base", "endpoint"),
    [
        ("vllm", "", "/v1/rerank"),
        ("infinity", "/rerank", "/rerank"),
        ("infinity", "/v1", "/v1/rerank"),
        ("tei", "", "/rerank"),
        ("custom", "/v3", "/v3/rerank"),
        ("cohere", "/v2", "/v2/rerank"),
    ],
)
def test_servers_of_ones_own(provider, base, endpoint):
    config = rm.RerankConfig(provider, "m", "https://models.example.com" + base)
    assert rm.make_secure_reranker(config, POLICY)._service.url == "https://models.example.com" + endpoint


@pytest.mark.parametrize("provider", sorted(PRESETS))
def test_what_is_elsewhere_is_not_made_without_a_policy(provider):
    config = rm.RerankConfig(provider, "m", "https://models.example.com")
    assert refusal(rm.ConfigError, rm.make_reranker, config) == (
        f"the provider {provider!r} is asked over HTTP; write make_secure_reranker(config, policy), where "
        "the policy says what may be reached"
    )
    with pytest.raises(TypeError, match="policy must be an OutboundPolicy, not NoneType"):
        rm.make_secure_reranker(config, None)
    with pytest.raises(rm.OutboundRefusedError, match="not in allowed_hosts"):
        rm.make_secure_reranker(config, rm.OutboundPolicy([]))


@pytest.mark.parametrize(
    ("kind", "config", "text"),
    [
        (
            rm.InvalidArgumentError,
            {"provider": "openai"},
            f"provider is 'openai'; it must be one of {NAMES}",
        ),
        (TypeError, {"provider": "tei", "model": None}, "model must be a str, not NoneType"),
        (TypeError, {"provider": "tei", "base_url": 1}, "base_url must be a str, not int"),
        (TypeError, {"provider": "tei", "budget": 60}, "budget must be a RateBudget or None, not int"),
    ],
)
def test_a_config_is_checked(kind, config, text):
    assert refusal(kind, rm.RerankConfig, **config) == text


@pytest.mark.parametrize(
    ("config", "options", "text"),
    [
        (
            rm.RerankConfig("voyage"),
            {},
            "the provider 'voyage' needs a model: RerankConfig('voyage', model=...)",
        ),
        (
            rm.RerankConfig("tei"),
            {},
            "the provider 'tei' needs a base URL: RerankConfig('tei', base_url=...)",
        ),
        (rm.RerankConfig("none", "m"), {}, "the provider 'none' runs here and has no use for model"),
        (
            rm.RerankConfig("late-interaction", budget=rm.RateBudget()),
            {},
            "the provider 'late-interaction' runs here and has no use for budget",
        ),
        (
            rm.RerankConfig("none"),
            {"timeout": 3},
            "the provider 'none' runs here and has no use for timeout",
        ),
    ],
)
def test_what_lacks_or_has_no_use_is_said(config, options, text):
    assert refusal(rm.ConfigError, rm.make_secure_reranker, config, POLICY, **options) == text


def test_other_things_are_no_config():
    for make in (rm.make_reranker, lambda config: rm.make_secure_reranker(config, POLICY)):
        with pytest.raises(TypeError, match="config must be a RerankConfig, not dict"):
            make({"provider": "none"})


def test_a_config_holds_no_key_and_can_be_pickled():
    config = rm.RerankConfig("cohere", "m")
    assert pickle.loads(pickle.dumps(config)) == config
    assert b"SECRET" not in pickle.dumps(config)
