"""A reranker over HTTP: its options, its key, its cache and its connections."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import gc
import os
import pickle
import subprocess
import sys
import threading
import weakref

import pytest

import rankmeld as rm
from support import rerank_service as services
from support.refusals import refusal
from support.rerank_service import KEY, RerankService

HITS = [
    rm.Hit("a", 0.9, rm.Document("a", "the river")),
    rm.Hit("b", 0.8, rm.Document("b", "vector search")),
    rm.Hit("c", 0.7, rm.Document("c", " \n")),
    rm.Hit("d", 0.6),
]
POLICY = rm.OutboundPolicy(["api.example.com"], timeout=12)
DECIDES = "whose services decide that themselves; leave it out"
BASE = "https://api.example.com"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("RANKMELD_RERANK_API_KEY", KEY)


@pytest.fixture
def service():
    with RerankService() as running:
        yield running


# ----------------------------------------------------------------------------- what is sent


def test_a_request(service):
    with service.reranker() as reranker:
        assert reranker.rerank("vector search", HITS).ids == ["b", "a", "c", "d"]
    request = service.requests[0]
    assert request.path == "/v1/rerank"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept-encoding"] == "identity"
    assert request.body == {
        "model": "a-model",
        "query": "vector search",
        "documents": ["the river", "vector search", " ", " "],
        "top_n": 4,
    }


def test_texts_are_sent_composed_and_without_lone_surrogates(service):
    with service.reranker() as reranker:
        reranker.rerank("e\u0301\ud800", [rm.Hit("a", 1.0, rm.Document("a", "e\u0301\ud800"))])
    assert service.requests[0].body["query"] == "é\ufffd"
    assert service.requests[0].passages == ["é\ufffd"]


def test_batches_of_32(service):
    hits = [rm.Hit(i, None, rm.Document(i, "x" * (i + 1))) for i in range(70)]
    with service.reranker() as reranker:
        assert len(reranker.rerank("x", hits)) == 70
    assert [len(request.passages) for request in service.requests] == [32, 32, 6]


def test_an_explanation_says_whose_score_it_is(service):
    cache = rm.ScopedCache()
    with service.reranker(cache=cache) as reranker:
        reranker.rerank("vector search", HITS[:1])
        found = reranker.rerank("vector search", HITS[:2])
    asked, cached = found.explain("b").stages[-1], found.explain("a").stages[-1]
    assert asked.name == "http"
    assert asked.details == {
        "position_before": 1,
        "score_before": 0.8,
        "service": service.host,
        "model": "a-model",
        "cached": False,
        "score": 10.0,
    }
    assert cached.details["cached"] is True


# -------------------------------------------------------------------------------- the cache


def test_only_misses_are_asked_for(service):
    cache = rm.ScopedCache(capacity=100, ttl=None)
    with service.reranker(cache=cache) as reranker:
        expected = reranker.rerank("vector search", HITS)
        assert service.requests[0].passages == ["the river", "vector search", " "]  # blank ones are one
        more = [*HITS, rm.Hit("e", 0.1, rm.Document("e", "new")), rm.Hit("f", 0.1, rm.Document("f", "new"))]
        found = asyncio.run(reranker.arerank("vector search", more))
        assert service.requests[1].passages == ["new"]
        assert [hit for hit in found if hit.id in "abcd"] == list(expected)
        assert [hit.score for hit in found if hit.id in "ef"] == [services.score("vector search", "new")] * 2
        assert reranker.rerank("vector search", HITS) == expected
        assert len(service.requests) == 2


def test_a_score_belongs_to_query_model_and_service(service):
    cache = rm.ScopedCache()
    hit = HITS[:1]
    service.reranker(cache=cache).rerank("one", hit)
    service.reranker(cache=cache).rerank("one", hit)
    assert len(service.requests) == 1
    service.reranker(cache=cache).rerank("ONE", hit)
    service.reranker(cache=cache, model="another").rerank("one", hit)
    service.reranker(cache=cache, base_url=service.url + "/other").rerank("one", hit)
    service.reranker(cache=cache, dialect="tei").rerank("one", hit)
    service.reranker(cache=cache, dialect="tei", truncate=False).rerank("one", hit)
    assert len(service.requests) == 6
    assert cache.purge_prefix("another\0") == 1
    assert not any("river" in key or "one" in key.partition("\0")[2] for key, _ in cache.items())


# ---------------------------------------------------------------------------------- the key


@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_without_a_key_there_is_no_reranker(monkeypatch, value):
    monkeypatch.delenv("RANKMELD_RERANK_API_KEY")
    if value is not None:
        monkeypatch.setenv("RANKMELD_RERANK_API_KEY", value)
    assert refusal(rm.ConfigError, rm.HttpReranker, BASE, policy=POLICY) == (
        "the environment variable RANKMELD_RERANK_API_KEY is not set; put the service's key there (for a "
        "server without one, any word)"
    )


@pytest.mark.parametrize("value", ["SECRET 1", "SECRET\n1", "SECRET\x7f", "SECRETé"])
def test_a_key_that_cannot_stand_in_a_header_is_not_repeated(monkeypatch, value):
    monkeypatch.setenv("RANKMELD_RERANK_API_KEY", value)
    said = refusal(rm.ConfigError, rm.HttpReranker, BASE, policy=POLICY)
    assert "SECRET" not in said
    assert said.endswith("holds white space or characters beyond ASCII, which no key has")


def test_the_key_is_read_once(monkeypatch, service):
    reranker = service.reranker()
    monkeypatch.setenv("RANKMELD_RERANK_API_KEY", "another")
    with reranker:
        reranker.rerank("q", HITS)
    assert service.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_key_is_in_no_dump(service):
    reranker = service.reranker()
    inner = reranker._service
    dumps = [
        repr(reranker),
        str(reranker),
        repr(dataclasses.asdict(reranker)),
        repr(dataclasses.fields(reranker)),
        repr(vars(inner)),
        repr({name: getattr(inner._key, name) for name in ("reveal",)}),
        repr(pickle.dumps(reranker)),
        repr(reranker.__reduce__()),
    ]
    assert not any(KEY in dump for dump in dumps)
    with pytest.raises(TypeError, match="a key cannot be pickled or copied"):
        copy.deepcopy(inner._key)


def test_a_pickle_reads_the_key_where_it_is_unpickled(monkeypatch, service):
    data = pickle.dumps(service.reranker())
    monkeypatch.setenv("RANKMELD_RERANK_API_KEY", "sk-another")
    with pickle.loads(data) as reranker:
        reranker.rerank("q", HITS)
    assert service.requests[0].headers["authorization"] == "Bearer sk-another"
    monkeypatch.delenv("RANKMELD_RERANK_API_KEY")
    with pytest.raises(rm.ConfigError, match="is not set"):
        pickle.loads(data)


def test_the_key_does_not_follow_to_another_port(service):
    with RerankService() as other:
        service.always = services.status(307, Location=other.url + "/v1/rerank")
        policy = service.policy(ports=[service.port, other.port])
        with service.reranker(policy=policy) as reranker:
            assert reranker.rerank("vector search", HITS).ids[0] == "b"
        assert "authorization" in service.requests[0].headers
        assert "authorization" not in other.requests[0].headers


# --------------------------------------------------------------------------- connections


def test_a_connection_is_used_again(service):
    with service.reranker() as reranker:
        for _ in range(5):
            reranker.rerank("q", HITS)
        assert service.opened == 1
    assert service.until_closed()

    async def tasks():
        async with service.reranker() as reranker:
            for _ in range(5):
                await reranker.arerank("q", HITS)
            assert service.opened == 2

    asyncio.run(tasks())
    assert service.until_closed()


def test_after_close_a_call_opens_anew(service):
    reranker = service.reranker()
    reranker.rerank("q", HITS)
    reranker.close()
    reranker.close()
    assert service.until_closed()
    assert reranker.rerank("q", HITS)
    reranker.close()
    assert service.opened == 2


def test_whoever_forgets_to_close_leaves_nothing_open(service):
    """No warning either: those are errors here."""
    reranker = service.reranker()
    reranker.rerank("q", HITS)
    asyncio.run(reranker.arerank("q", HITS))
    gone = weakref.ref(reranker._service)
    del reranker
    gc.collect()
    assert gone() is None
    assert service.until_closed()


def test_several_event_loops_one_after_the_other_and_at_once(service):
    reranker = service.reranker()
    for _ in range(3):
        assert asyncio.run(reranker.arerank("vector search", HITS)).ids[0] == "b"
        assert service.until_closed()
    found = []

    async def some():
        answers = await asyncio.gather(*[reranker.arerank("vector search", HITS) for _ in range(5)])
        found.extend(answer.ids[0] for answer in answers)

    threads = [threading.Thread(target=asyncio.run, args=(some(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["b"] * 20
    assert service.until_closed()
    assert len(reranker._service._async._loops) == 0


def test_within_one_loop_a_dropped_reranker_lets_go_of_its_connections(service):
    async def scene():
        await service.reranker().arerank("q", HITS)
        gc.collect()
        await asyncio.to_thread(service.until_closed)
        assert service.open == 0

    asyncio.run(scene())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not applicable: this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_has_connections_of_its_own(service):
    reranker = service.reranker()
    expected = reranker.rerank("vector search", HITS)
    pid = os.fork()
    if pid == 0:
        right = all(reranker.rerank("vector search", HITS) == expected for _ in range(3))
        os._exit(0 if right else 1)
    assert all(reranker.rerank("vector search", HITS) == expected for _ in range(3))
    assert os.waitpid(pid, 0)[1] == 0
    assert service.opened == 2
    reranker.close()


def test_rerankers_do_not_load_the_http_client():
    code = (
        "import sys, rankmeld as rm; rm.HttpReranker, rm.make_reranker(rm.RerankConfig('late-interaction'));"
        "sys.exit(any(name in sys.modules for name in ('httpx2', 'httpcore2', 'asyncio', 'ssl')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# -------------------------------------------------------------------------------- options


def test_the_timeout_is_the_policys_unless_given():
    assert rm.HttpReranker(BASE, policy=POLICY).timeout == 12
    assert rm.HttpReranker(BASE, policy=POLICY, timeout=3).timeout == 3
    assert repr(rm.HttpReranker(BASE, policy=POLICY, model="m")) == (
        "HttpReranker('https://api.example.com', model='m', budget=RateBudget(per_minute=60, burst=1), "
        "timeout=12.0)"
    )


@pytest.mark.parametrize(
    ("kind", "options", "text"),
    [
        (TypeError, {"policy": None}, "policy must be an OutboundPolicy, not NoneType"),
        (TypeError, {"model": None}, "model must be a str, not NoneType"),
        (TypeError, {"truncate": 1}, "truncate must be True or False, not int"),
        (TypeError, {"budget": 60}, "budget must be a RateBudget or None, not int"),
        (TypeError, {"cache": {}}, "cache must be a ScopedCache or None, not dict"),
        (TypeError, {"dialect": 1}, "dialect must be one of 'jina', 'voyage', 'tei', 'mixedbread', not int"),
        (
            rm.InvalidArgumentError,
            {"dialect": "cohere"},
            "dialect is 'cohere'; it must be one of 'jina', 'voyage', 'tei', 'mixedbread'",
        ),
        (rm.InvalidArgumentError, {"max_batch": 0}, "max_batch is 0; it must be 1 or more"),
        (TypeError, {"max_batch": 1.5}, "max_batch must be an integer, not float"),
        (rm.InvalidArgumentError, {"timeout": 0}, "timeout is 0; it must be above 0 seconds"),
        (TypeError, {"timeout": "1"}, "timeout must be a number, not str"),
        (
            rm.InvalidArgumentError,
            {"truncate": False, "dialect": "mixedbread"},
            f"truncate=False has no effect in the dialect 'mixedbread', {DECIDES}",
        ),
        (
            rm.OutboundRefusedError,
            {"base_url": "https://evil.example.com"},
            "the host 'evil.example.com' is not in allowed_hosts",
        ),
        (
            rm.ConfigError,
            {"base_url": ""},
            "base_url is blank; it must be like https://api.example.com/v1",
        ),
    ],
)
def test_what_is_refused(kind, options, text):
    given = {"policy": POLICY, "base_url": BASE, **options}
    assert refusal(kind, rm.HttpReranker, given.pop("base_url"), **given) == text


def test_there_is_none_without_a_policy():
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'policy'"):
        rm.HttpReranker(BASE)
