"""Base URLs, as people paste them."""

from __future__ import annotations

import pytest

import rankmeld as rm
from rankmeld.remote.dialects import DIALECTS
from support.refusals import refusal

LEAVE_OUT = "leave it out, the key goes into the environment variable RANKMELD_RERANK_API_KEY"


@pytest.mark.parametrize(
    "base", ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1//", " http://h:1 "]
)
def test_whatever_is_pasted_leads_to_one_endpoint(base):
    assert rm.rerank_endpoint(base) == "http://h:1/v1/rerank"
    assert rm.rerank_endpoint(rm.rerank_endpoint(base)) == "http://h:1/v1/rerank"


@pytest.mark.parametrize(
    ("dialect", "base", "endpoint"),
    [
        ("jina", "http://h:1", "http://h:1/v1/rerank"),
        ("voyage", "https://api.voyageai.com/v1", "https://api.voyageai.com/v1/rerank"),
        ("tei", "http://h:1", "http://h:1/rerank"),
        ("tei", "http://h:1/rerank/", "http://h:1/rerank"),
        ("tei", "http://h:1/models/a", "http://h:1/models/a/rerank"),
        ("mixedbread", "https://api.mixedbread.com", "https://api.mixedbread.com/v1/reranking"),
        ("mixedbread", "https://api.mixedbread.com/v1/", "https://api.mixedbread.com/v1/reranking"),
    ],
)
def test_a_dialect_knows_its_path(dialect, base, endpoint):
    assert DIALECTS[dialect].endpoint(base) == endpoint


@pytest.mark.parametrize(
    ("base", "text"),
    [
        ("", "base_url is blank; it must be like https://api.example.com/v1"),
        (" \n", "base_url is blank; it must be like https://api.example.com/v1"),
        (
            "api.example.com",
            "base_url is not an absolute URL; it must be like https://api.example.com/v1",
        ),
        ("ftp://h", "base_url is not an absolute URL; it must be like https://api.example.com/v1"),
        ("https:///v1", "base_url is not an absolute URL; it must be like https://api.example.com/v1"),
        ("https://[::1/v1", "base_url is not an absolute URL; it must be like https://api.example.com/v1"),
        ("https://h/a b", "base_url has white space, a control character or a backslash in it"),
        ("https://h/a\n", None),
        ("https://h\\@evil/", "base_url has white space, a control character or a backslash in it"),
        ("https://h/\x00", "base_url has white space, a control character or a backslash in it"),
        (
            "https://h/?key=SECRET",
            f"base_url for 'h' has a query or a fragment; {LEAVE_OUT}",
        ),
        (
            "https://h/v1#",
            f"base_url for 'h' has a query or a fragment; {LEAVE_OUT}",
        ),
        (
            "https://me:SECRET@h/v1",
            f"base_url for 'h' has user info before the host; {LEAVE_OUT}",
        ),
    ],
)
def test_what_is_refused_is_not_repeated(base, text):
    if text is None:
        assert rm.rerank_endpoint(base) == "https://h/a/v1/rerank"
        return
    said = refusal(rm.ConfigError, rm.rerank_endpoint, base)
    assert said == text
    assert "SECRET" not in said


def test_a_base_url_is_a_str():
    assert refusal(TypeError, rm.rerank_endpoint, None) == "base_url must be a str, not NoneType"
