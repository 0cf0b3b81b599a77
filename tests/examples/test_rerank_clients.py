"""Clients of rerank services ask the example server: ours, Cohere's and Voyage's.

They rank as the local rerankers do, and ours asks and reads as theirs do.
"""

from __future__ import annotations

import asyncio
import json

import pytest

import rankmeld as rm
from rankmeld.remote.dialects import DIALECTS
from support.loopback import Answer, serving

pytest.importorskip("httpx2", reason="httpx2 is not installed (rankmeld[http])")

from .served import KEY, MODELS, QUERY, TEXTS, hits_of, ranked, running

# ------------------------------------------------------------------------------- our own client


def reranker_for(port, provider="custom", model=MODELS[0], **options):
    policy = rm.OutboundPolicy(
        ["127.0.0.1"], allowed_ports=[port], allow_loopback=True, allow_insecure_loopback_http=True
    )
    config = rm.RerankConfig(provider, model, f"http://127.0.0.1:{port}", rm.RateBudget(per_minute=60_000))
    return rm.make_secure_reranker(config, policy, **options)


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("RANKMELD_RERANK_API_KEY", KEY)


@pytest.mark.parametrize(
    ("provider", "model"),
    # Whoever speaks to Text Embeddings Inference names no model, as it has only one.
    [
        ("tei", MODELS[0]),
        *((provider, model) for provider in ("custom", "cohere", "voyage") for model in MODELS),
    ],
)
def test_our_client_ranks_as_the_local_model_does(port, provider, model):
    expected = ranked(model)
    with reranker_for(port, provider, model, max_batch=4) as reranker:
        found = reranker.rerank(QUERY, hits_of(TEXTS))
        assert list(zip(found.ids, found.scores.tolist(), strict=True)) == expected
        assert asyncio.run(reranker.arerank(QUERY, hits_of(TEXTS))).ids == found.ids


def test_our_client_sends_halves_where_the_server_takes_fewer_documents():
    texts = [f"vector {'search ' * (n % 7)}number {n}" for n in range(30)]
    with running("--max-documents", "8", "--max-bytes", "400") as (_process, port):
        found = reranker_for(port).rerank(QUERY, hits_of(texts))
    assert list(zip(found.ids, found.scores.tolist(), strict=True)) == ranked(MODELS[0], texts)


# --------------------------------------------------------------------------- the clients of others


@pytest.fixture(scope="module")
def cohere():
    return pytest.importorskip("cohere", reason="the client `cohere` is not installed")


@pytest.fixture(scope="module")
def voyageai():
    module = pytest.importorskip("voyageai", reason="the client `voyageai` is not installed")
    import requests

    # Left to itself it never closes its connections.
    with requests.Session() as session:
        module.requestssession = session
        yield module
    module.requestssession = None


#: Without the lone surrogate, which no client of theirs can send.
CLEAN = [text.replace("\ud800", "") for text in TEXTS]


def places_and_scores(results):
    return [(result.index, result.relevance_score) for result in results]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("version", [1, 2])
def test_coheres_client(cohere, port, version, model):
    kind = cohere.Client if version == 1 else cohere.ClientV2
    expected = ranked(model, CLEAN)
    with kind(KEY, base_url=f"http://127.0.0.1:{port}") as client:
        found = client.rerank(model=model, query=QUERY, documents=CLEAN)
        assert places_and_scores(found.results) == expected
        found = client.rerank(model=model, query=QUERY, documents=CLEAN, top_n=2)
        assert places_and_scores(found.results) == expected[:2]


def test_coheres_client_gets_documents_back(cohere, port):
    documents = [{"text": text} for text in CLEAN]
    with cohere.Client(KEY, base_url=f"http://127.0.0.1:{port}") as client:
        found = client.rerank(query=QUERY, documents=documents, return_documents=True)
    assert [result.document.text for result in found.results] == [
        CLEAN[place] for place, _ in ranked(MODELS[0], CLEAN)
    ]


def test_coheres_client_for_tasks(cohere, port):
    async def scene():
        async with cohere.AsyncClientV2(KEY, base_url=f"http://127.0.0.1:{port}") as client:
            return await client.rerank(model=MODELS[0], query=QUERY, documents=CLEAN)

    assert places_and_scores(asyncio.run(scene()).results) == ranked(MODELS[0], CLEAN)


def test_coheres_client_understands_what_went_wrong(cohere, port):
    base = f"http://127.0.0.1:{port}"
    with cohere.ClientV2(KEY, base_url=base) as client:
        with pytest.raises(cohere.NotFoundError) as caught:
            client.rerank(model="another", query=QUERY, documents=CLEAN)
        assert caught.value.body["detail"].startswith("there is no such model; there are: late-interaction")
        with pytest.raises(cohere.UnprocessableEntityError):
            client.rerank(model=MODELS[0], query=QUERY, documents=[])
    with cohere.ClientV2("wrong", base_url=base) as client, pytest.raises(cohere.UnauthorizedError):
        client.rerank(model=MODELS[0], query=QUERY, documents=CLEAN)


@pytest.mark.parametrize("model", MODELS)
def test_voyages_client(voyageai, port, model):
    client = voyageai.Client(KEY, base_url=f"http://127.0.0.1:{port}/v1")
    expected = ranked(model, CLEAN)
    found = client.rerank(QUERY, CLEAN, model)
    assert places_and_scores(found.results) == expected
    assert [result.document for result in found.results] == [CLEAN[place] for place, _ in expected]
    assert found.total_tokens == sum(len(rm.tokenize(text)) for text in (QUERY, *CLEAN))
    assert places_and_scores(client.rerank(QUERY, CLEAN, model, top_k=2).results) == expected[:2]


def test_voyages_client_for_tasks(voyageai, port):
    async def scene():
        client = voyageai.AsyncClient(KEY, base_url=f"http://127.0.0.1:{port}/v1")
        return await client.rerank(QUERY, CLEAN, MODELS[0])

    assert places_and_scores(asyncio.run(scene()).results) == ranked(MODELS[0], CLEAN)


def test_voyages_client_understands_what_went_wrong(voyageai, port):
    base = f"http://127.0.0.1:{port}/v1"
    with pytest.raises(voyageai.error.AuthenticationError, match="the key is missing or wrong"):
        voyageai.Client("wrong", base_url=base).rerank(QUERY, CLEAN, MODELS[0])
    with pytest.raises(voyageai.error.VoyageError, match="top_k must be 1 or more"):
        voyageai.Client(KEY, base_url=base).rerank(QUERY, CLEAN, MODELS[0], top_k=0)


# ------------------------------------- our dialects beside what the clients of others send and read


def test_our_request_is_coheres(cohere):
    answer = {"results": [{"index": 0, "relevance_score": 1.0}, {"index": 1, "relevance_score": 0.5}]}
    with (
        serving(lambda _request: Answer(body=json.dumps(answer).encode())) as server,
        cohere.ClientV2(KEY, base_url=f"http://127.0.0.1:{server.port}") as client,
    ):
        client.rerank(model="m", query="q", documents=["a", "b"], top_n=2)
    (sent,) = server.received
    assert json.loads(sent.body) == json.loads(DIALECTS["jina"].request("m", "q", ["a", "b"], truncate=True))
    assert f"https://api.cohere.com{sent.path}" == DIALECTS["jina"].endpoint("https://api.cohere.com/v2")
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["content-type"] == "application/json"


def test_our_request_is_voyages(voyageai):
    answer = {"data": [{"index": 0, "relevance_score": 1.0}], "usage": {"total_tokens": 3}}
    with serving(lambda _request: Answer(body=json.dumps(answer).encode())) as server:
        client = voyageai.Client(KEY, base_url=f"http://127.0.0.1:{server.port}/v1")
        client.rerank("q", ["a", "b"], "m", top_k=2)
    (sent,) = server.received
    assert json.loads(sent.body) == json.loads(
        DIALECTS["voyage"].request("m", "q", ["a", "b"], truncate=True)
    )
    assert f"https://api.voyageai.com{sent.path}" == DIALECTS["voyage"].endpoint(
        "https://api.voyageai.com/v1"
    )
    assert sent.headers["authorization"] == f"Bearer {KEY}"


def test_our_client_reads_every_field_that_coheres_types_know(cohere):
    version = cohere.ApiMetaApiVersion(version="2", is_experimental=False)
    meta = cohere.ApiMeta(api_version=version, billed_units=cohere.ApiMetaBilledUnits(search_units=1.0))
    results = [
        cohere.V2RerankResponseResultsItem(index=1, relevance_score=0.75),
        cohere.V2RerankResponseResultsItem(index=0, relevance_score=0.25),
    ]
    whole = cohere.V2RerankResponse(id="an-id", results=results, meta=meta)
    assert DIALECTS["jina"].scores(whole.json().encode(), 2, "host") == [0.25, 0.75]
    older = cohere.RerankResponse(
        results=[
            cohere.RerankResponseResultsItem(
                index=0, relevance_score=0.5, document=cohere.RerankResponseResultsItemDocument(text="a")
            )
        ]
    )
    assert DIALECTS["jina"].scores(older.json().encode(), 1, "host") == [0.5]
