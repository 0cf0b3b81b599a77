"""What HyDE refuses, and in which words: wrong arguments, and models that have to be awaited."""

from __future__ import annotations

import asyncio
import copy

import pytest

import rankmeld as rm
from support.refusals import refusal

from .hyde_models import QUERY, SEMANTIC, Model, lengths


@pytest.mark.parametrize(
    ("kind", "args", "options", "message"),
    [
        (TypeError, ("gpt", None), {}, "generate must be a callable (prompt) -> str, or None, not str"),
        (
            TypeError,
            (None, "minilm"),
            {},
            (
                "embed must be an Embedder, a callable (text) -> vector, or None, not str; "
                "pass load_embedder(...) of rankmeld.embed"
            ),
        ),
        (
            TypeError,
            (None, 3),
            {},
            "embed must be an Embedder, a callable (text) -> vector, or None, not int",
        ),
        (TypeError, (None, None), {"enabled": 1}, "enabled must be True or False, not int"),
        (TypeError, (None, None), {"enabled": "yes"}, "enabled must be True or False, not str"),
        (TypeError, (None, None), {"model": None}, "model must be a str, not NoneType"),
        (TypeError, (None, None), {"n": 2.0}, "n must be an integer, not float"),
        (rm.InvalidArgumentError, (None, None), {"n": 0}, "n is 0; it must be 1 or more"),
        (
            rm.InvalidArgumentError,
            (None, None),
            {"model": "a\0b"},
            "model is 'a\\x00b'; it must not contain NUL, which ends it in the key",
        ),
        (
            rm.InvalidArgumentError,
            (None, None),
            {"capacity": 0},
            "capacity is 0; it must be above zero",
        ),
        (
            rm.InvalidArgumentError,
            (None, None),
            {"ttl": 0},
            "ttl is 0.0; it must be above zero, or None for no expiry",
        ),
    ],
)
def test_misuse_is_refused_when_it_is_made(kind, args, options, message):
    assert refusal(kind, rm.HydeGenerator, *args, **options) == message


def test_an_embedder_of_single_texts_is_no_embedder_of_many():
    class Single:
        def embed_query(self, text):
            return lengths(text)

    assert rm.HydeGenerator(Model("four"), Single(), enabled=True).vector_for(QUERY, SEMANTIC).tolist() == [
        4,
        1,
    ]
    assert refusal(TypeError, rm.HydeGenerator, None, Single(), n=2) == (
        "embed is a Single, which embeds one text at a time; with n above 1 it must be an Embedder, which "
        "embeds a list when it is called, or a callable (text) -> vector"
    )


async def later(_text):
    return "an answer"


@pytest.mark.parametrize(
    ("generate", "embed", "name"),
    [
        (later, lengths, "generate"),
        (Model("an answer"), later, "embed"),
        (lambda p: later(p), lengths, "generate"),  # noqa: PLW0108 - it does not look asynchronous
    ],
)
def test_who_waits_is_told_what_has_to_be_awaited(generate, embed, name):
    hyde = rm.HydeGenerator(generate, embed, enabled=True)
    for call in (hyde.vector_for, hyde.attempt):
        assert refusal(TypeError, call, QUERY, SEMANTIC) == (
            f"{name} is asynchronous (it gave a coroutine); write `await hyde.avector_for(query, tier)` or "
            "`aattempt` instead of `vector_for` or `attempt`"
        )


def test_a_call_with_the_wrong_arguments_is_refused_even_where_nothing_would_be_done():
    hyde = rm.HydeGenerator(None, None)
    assert refusal(TypeError, hyde.vector_for, None, SEMANTIC) == "query must be a str, not NoneType"
    assert refusal(TypeError, hyde.vector_for, QUERY, "semantic_hybrid") == (
        "tier must be a QueryTier, as classify_query gives it, not str"
    )
    assert refusal(TypeError, rm.hyde_prompt, b"q") == "query must be a str, not bytes"
    with pytest.raises(TypeError, match="query must be a str"):
        asyncio.run(hyde.aattempt(3, SEMANTIC))


def test_it_shows_what_matters_and_cannot_be_copied():
    hyde = rm.HydeGenerator(Model("an answer"), lengths, enabled=True, model="m", n=2)
    assert repr(hyde) == "HydeGenerator(enabled=True, model='m', n=2)"
    with pytest.raises(TypeError, match="cannot be pickled or copied"):
        copy.deepcopy(hyde)
    attempt = hyde.attempt(QUERY, SEMANTIC)
    assert str(attempt) == "ok"
    with pytest.raises(AttributeError):
        attempt.vector = None
