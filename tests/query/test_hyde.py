"""Hypothetical documents: when one is made, what is cached, what is embedded, what is said of failures."""

from __future__ import annotations

import asyncio
import logging
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.hyde import Hyde

from .hyde_models import MULTI_HOP, QUERY, SEMANTIC, Model, OneByOne, Pair, lengths


def attempt_of(how, hyde, query=QUERY, tier=SEMANTIC):
    return hyde.attempt(query, tier) if how == "waited" else asyncio.run(hyde.aattempt(query, tier))


@pytest.fixture(params=["waited", "awaited"])
def attempt(request):
    """Ask by either door."""
    return lambda *args, **options: attempt_of(request.param, *args, **options)


# ------------------------------------------------------------------- when


@pytest.mark.parametrize("tier", list(rm.QueryTier))
def test_only_questions_that_words_answer_badly_are_worth_it(attempt, tier):
    generate, embed = Model("an answer"), Model([1.0, 2.0])
    found = attempt(rm.HydeGenerator(generate, embed, enabled=True), tier=tier)
    if tier in (SEMANTIC, MULTI_HOP):
        assert (found.status, found.reason, found.documents) == ("ok", None, ("an answer",))
        assert found.vector.tolist() == [1.0, 2.0]
    else:
        assert (found.vector, found.documents, found.status) == (None, (), "skipped")
        assert found.reason == f"a {tier.value} query needs no hypothetical answer"
        assert not generate.asked
        assert not embed.asked


def test_it_is_off_unless_it_is_switched_on(attempt):
    generate, embed = Model("an answer"), Model([1.0])
    for hyde, reason in [
        (rm.HydeGenerator(generate, embed), "HyDE is not enabled"),
        (rm.HydeGenerator(None, embed, enabled=True), "there is no generate"),
        (rm.HydeGenerator(generate, None, enabled=True), "there is no embed"),
        (rm.HydeGenerator(None, None), "HyDE is not enabled"),
    ]:
        found = attempt(hyde)
        assert (found.vector, found.status, found.reason) == (None, "skipped", reason)
        assert (hyde.calls, hyde.hits, hyde.misses) == (0, 0, 0)
    assert not generate.asked
    assert not embed.asked
    blank = rm.HydeGenerator(generate, embed, enabled=True)
    assert str(attempt(blank, query=" \u3000\n")) == "skipped (the query is blank)"
    assert not generate.asked


@pytest.mark.parametrize("value", ["1", "TRUE", "oN", "Yes"])
def test_the_environment_switches_it_on_when_it_is_asked(monkeypatch, value):
    monkeypatch.delenv("RANKMELD_HYDE", raising=False)
    assert rm.hyde_from_env() is False
    monkeypatch.setenv("RANKMELD_HYDE", value)
    assert rm.hyde_from_env() is True
    assert rm.HydeGenerator(None, None).attempt(QUERY, SEMANTIC).reason == "HyDE is not enabled"


# ------------------------------------------------------------------- what


def test_the_model_gets_the_prompt_and_the_embedder_what_it_answered(attempt):
    generate, embed = Model("<think>hm</think>\nRefunds take 14 days."), Model([3.0, 4.0])
    hyde = rm.HydeGenerator(generate, embed, enabled=True)
    found = attempt(hyde)
    assert generate.asked == [rm.hyde_prompt(QUERY)]
    assert embed.asked == ["Refunds take 14 days."]
    assert found.vector.dtype == np.float32
    assert not found.vector.flags.writeable
    assert asyncio.run(hyde.avector_for(QUERY, SEMANTIC)).tolist() == [3.0, 4.0]
    assert hyde.vector_for(QUERY, SEMANTIC).tolist() == [3.0, 4.0]


def test_the_prompt_holds_the_question_and_no_lone_surrogate():
    assert rm.hyde_prompt("why\ud800?").endswith("Question: why\ufffd?\nPassage:")


def test_passages_are_cached_and_vectors_are_not(attempt):
    generate, embed = Model("an answer"), Model([1.0], [2.0])
    hyde = rm.HydeGenerator(generate, embed, enabled=True)
    assert attempt(hyde).vector.tolist() == [1.0]
    assert attempt(hyde, query="What  is the REFUND rule ", tier=MULTI_HOP).vector.tolist() == [2.0]
    assert (hyde.calls, hyde.hits, hyde.misses) == (1, 1, 1)


def test_passages_go_when_the_cache_is_full_or_they_are_old():
    generate = Model("an answer")
    small = rm.HydeGenerator(generate, lengths, enabled=True, capacity=1)
    for query in ("a b", "c d", "a b"):
        small.vector_for(query, SEMANTIC)
    assert small.calls == 3
    brief = rm.HydeGenerator(generate, lengths, enabled=True, ttl=1e-9)
    for _ in range(2):
        brief.vector_for(QUERY, SEMANTIC)
    assert brief.calls == 2


# --------------------------------------------------------------- failures

NO_VECTORS = [
    (OSError("SECRET"), "embed raised OSError"),
    (rm.RemoteError("models.test answered with status 500", 500), "embed raised RemoteError: models.test"),
    ([0.0, 0.0], "embed gave zeros for the passage"),
    ([], "embed gave an empty vector for the passage"),
    ([1.0, math.nan], "embed gave no vector of finite numbers, of shape (D,), for the passage"),
    ([math.inf, 1.0], "embed gave no vector of finite numbers"),
    ([1e300, 1.0], "embed gave no vector of finite numbers"),
    ([[1.0, 2.0]], "embed gave no vector of finite numbers"),
    (None, "embed gave no vector of finite numbers"),
    ("text", "embed gave no vector of finite numbers"),
    ([[1.0], [1.0, 2.0]], "embed gave no vector of finite numbers"),
]


@pytest.mark.parametrize(("given", "reason"), NO_VECTORS)
def test_without_a_vector_there_is_none(attempt, caplog, given, reason):
    generate = Model("an answer")
    hyde = rm.HydeGenerator(generate, Model(given, [1.0, 2.0]), enabled=True)
    with caplog.at_level(logging.WARNING, "rankmeld"):
        found = attempt(hyde)
    assert (found.vector, found.documents, found.status) == (None, ("an answer",), "failed")
    assert found.reason.startswith(reason)
    assert [record.getMessage() for record in caplog.records] == [f"hyde: failed ({found.reason})"]
    assert "SECRET" not in caplog.text
    assert attempt(hyde).vector.tolist() == [1.0, 2.0]  # the passage was cached, the failure not
    assert hyde.calls == 1


NO_TEXTS = [
    (RuntimeError("SECRET"), "failed", "generate raised RuntimeError"),
    (TypeError("SECRET"), "failed", "generate raised TypeError"),
    (TimeoutError(), "failed", "generate raised TimeoutError"),
    ("", "empty", "generate gave a blank text"),
    (" \u3000\n", "empty", "generate gave a blank text"),
    ("<think>never closed", "empty", "generate gave a blank text"),
    (None, "failed", "generate gave NoneType, not a str"),
    (b"bytes", "failed", "generate gave bytes, not a str"),
]


@pytest.mark.parametrize(("given", "status", "reason"), NO_TEXTS)
def test_without_a_passage_nothing_is_embedded_or_cached(attempt, caplog, given, status, reason):
    embed = Model([1.0])
    hyde = rm.HydeGenerator(Model(given, "an answer"), embed, enabled=True)
    with caplog.at_level(logging.WARNING, "rankmeld"):
        found = attempt(hyde)
    assert (found.vector, found.documents, found.status, found.reason) == (None, (), status, reason)
    assert [record.getMessage() for record in caplog.records] == [f"hyde: {status} ({reason})"]
    assert not embed.asked
    assert attempt(hyde).status == "ok"
    assert (hyde.calls, hyde.hits, hyde.misses) == (2, 0, 2)


def test_a_model_that_asks_for_what_it_is_making_is_a_failure():
    hyde = rm.HydeGenerator(lambda _prompt: inner(), lengths, enabled=True)
    seen = []

    def inner():
        seen.append(hyde.attempt(QUERY, SEMANTIC))
        return "an answer"

    assert hyde.attempt(QUERY, SEMANTIC).status == "ok"
    assert seen[0].status == "failed"
    assert "waits for that same key" in seen[0].reason


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
@pytest.mark.parametrize("where", ["generate", "embed"])
def test_interrupts_go_through(error, where):
    models = {"generate": Model("an answer"), "embed": Model([1.0]), where: Model(error())}
    hyde = rm.HydeGenerator(models["generate"], models["embed"], enabled=True)
    with pytest.raises(error):
        hyde.attempt(QUERY, SEMANTIC)


# -------------------------------------------------------- several passages


def test_several_passages_and_the_query_are_averaged(attempt):
    embed = OneByOne({QUERY: [1.0, 0.0], "one": [0.0, 1.0], "two": [0.0, 2.0]})
    hyde = rm.HydeGenerator(Model("one", "two"), embed, enabled=True, n=2)
    found = attempt(hyde)
    assert found.vector.tolist() == pytest.approx([1 / 3, 1.0])
    assert (found.status, found.reason, found.documents) == ("ok", None, ("one", "two"))
    assert (hyde.calls, hyde.hits, hyde.misses) == (2, 0, 1)
    assert attempt(hyde).vector.tolist() == found.vector.tolist()
    assert (hyde.calls, hyde.hits, hyde.misses) == (2, 1, 1)


@pytest.mark.parametrize("bad", [OSError(), [0.0, 0.0], [], [math.nan, 1.0], [1.0, 2.0, 3.0], None])
def test_what_failed_is_never_averaged_in(attempt, bad):
    embed = OneByOne({QUERY: [1.0, 0.0], "one": [0.0, 1.0], "two": bad, "three": [0.0, 3.0]})
    found = attempt(rm.HydeGenerator(Model("one", "two", "three"), embed, enabled=True, n=3))
    assert found.vector.tolist() == pytest.approx([1 / 3, 4 / 3])
    assert found.status == "ok"
    assert found.reason.startswith("1 of 3 passages are missing: embed ")


def test_the_passages_that_were_made_count_and_are_cached_together(attempt):
    generate = Model("one", RuntimeError(), "three")
    embed = OneByOne({QUERY: [1.0, 0.0], "one": [0.0, 1.0], "three": [0.0, 3.0]})
    hyde = rm.HydeGenerator(generate, embed, enabled=True, n=3)
    for _ in range(2):
        found = attempt(hyde)
        assert found.documents == ("one", "three")
        assert found.vector.tolist() == pytest.approx([1 / 3, 4 / 3])
        assert found.reason == "1 of 3 passages are missing: generate raised RuntimeError"
    assert hyde.calls == 3


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        ({QUERY: OSError(), "one": [1.0]}, "embed raised OSError"),
        ({QUERY: [0.0], "one": [1.0]}, "embed gave zeros for the query"),
        ({QUERY: [1.0], "one": OSError()}, "embed raised OSError"),
        (
            {QUERY: [1.0], "one": [1.0, 2.0]},
            "embed gave a vector of width 2 for a passage, and of width 1 for the query",
        ),
        ({QUERY: [1.0], "one": [-0.5]}, "embed gave zeros for passages and query together"),
    ],
)
def test_a_mean_of_nothing_is_none(attempt, vectors, reason):
    hyde = rm.HydeGenerator(Model("one"), OneByOne(vectors), enabled=True, n=2)
    found = attempt(hyde)
    assert (found.vector, found.status, found.reason) == (None, "failed", reason)
    assert attempt(rm.HydeGenerator(Model("", OSError()), lengths, enabled=True, n=2)).status == "failed"
    assert attempt(rm.HydeGenerator(Model(""), lengths, enabled=True, n=2)).status == "empty"


# ---------------------------------------------------------------- embedders


def test_an_embedder_embeds_one_passage_as_it_embeds_a_query(attempt):
    embedder = Pair()
    found = attempt(rm.HydeGenerator(Model("four"), embedder, enabled=True))
    assert embedder.asked == ["four"]
    assert found.vector.tolist() == [-4.0, 1.0]


def test_an_embedder_embeds_several_passages_in_one_batch(attempt):
    embedder = Pair()
    found = attempt(rm.HydeGenerator(Model("one", "three"), embedder, enabled=True, n=2))
    assert embedder.asked == [QUERY, ["one", "three"]]
    assert found.vector.tolist() == pytest.approx([(3 + 5 - len(QUERY)) / 3, 1.0])


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (np.ones((1, 2), np.float32), "embed gave 1 vectors for 2 passages"),
        (None, None),
        (7, "embed raised TypeError"),
        (np.zeros((2, 2), np.float32), "embed gave zeros for a passage"),
    ],
)
def test_a_batch_that_does_not_fit_is_a_failure(attempt, rows, reason):
    found = attempt(rm.HydeGenerator(Model("one", "two"), Pair(rows), enabled=True, n=2))
    assert (found.status, found.reason) == (("ok", None) if reason is None else ("failed", reason))


def test_one_bad_row_of_a_batch_is_left_out(attempt):
    rows = np.array([[math.nan, 1.0], [4.0, 1.0]], np.float32)
    found = attempt(rm.HydeGenerator(Model("one", "two"), Pair(rows), enabled=True, n=2))
    assert found.vector.tolist() == pytest.approx([(4 - len(QUERY)) / 2, 1.0])
    assert found.reason.startswith("1 of 2 passages are missing")


def test_the_asynchronous_forms_of_models_are_awaited_where_they_are_there():
    class Served:
        model, dimensions, asked = "m", 2, []

        def __call__(self, _texts):
            raise AssertionError

        embed_query = __call__

        async def achat(self, _prompt):
            self.asked.append("achat")
            return "an answer"

        async def aembed_query(self, text):
            self.asked.append("aembed_query")
            return lengths(text)

        async def aembed(self, texts):
            self.asked.append("aembed")
            return [lengths(text) for text in texts]

    served = Served()
    for n in (1, 2):
        hyde = rm.HydeGenerator(served, served, enabled=True, n=n)
        assert asyncio.run(hyde.aattempt(QUERY, SEMANTIC)).status == "ok"
    assert served.asked == ["achat", "aembed_query", "achat", "achat", "aembed_query", "aembed"]


def test_a_search_looks_elsewhere_than_with_the_query():
    rooms = {QUERY: [1.0, 0.0], "Refunds take 14 days.": [0.0, 1.0]}
    hyde = rm.HydeGenerator(lambda _prompt: "Refunds take 14 days.", rooms.__getitem__, enabled=True)
    passages = np.array([[0.9, 0.1], [0.1, 0.9]], np.float32)
    by_query = rm.cosine_top(np.array(rooms[QUERY], np.float32), passages, limit=1)
    by_answer = rm.cosine_top(hyde.vector_for(QUERY, SEMANTIC), passages, limit=1)
    assert (by_query[0].tolist(), by_answer[0].tolist()) == ([0], [1])


# ----------------------------------------------------------- the definition

ANSWERS = st.sampled_from(
    ["one", "two", "<think>x</think>two", "```\none\n```", "", " \n", "<think>one", None, 3, RuntimeError()]
)
VECTORS = st.sampled_from(
    [[1.0, 0.0], [0.5, 0.25], [-1.0, 0.0], [0.0], [], [math.nan], [math.inf], [1.0] * 3, None, RuntimeError()]
)
QUERIES = st.sampled_from(["q one", "Q  ONE", "q two", " "])
TIERS = st.sampled_from(list(rm.QueryTier))


@given(
    answers=st.lists(ANSWERS, min_size=1, max_size=8),
    vectors=st.fixed_dictionaries(dict.fromkeys(("one", "two", "q one", "Q  ONE", "q two"), VECTORS)),
    steps=st.lists(st.tuples(QUERIES, TIERS), max_size=6),
    n=st.integers(1, 4),
    how=st.sampled_from(["waited", "awaited"]),
)
def test_it_does_what_the_definition_says_and_never_raises(answers, vectors, steps, n, how):
    def embed(text):
        if isinstance(vectors[text], BaseException):
            raise vectors[text]
        return vectors[text]

    script = Model(*answers)

    async def generate(prompt):
        return script(prompt)

    expected = Hyde(partial(Model(*answers), ""), embed, n=n)
    hyde = rm.HydeGenerator(script if how == "waited" else generate, embed, enabled=True, n=n)
    for query, tier in steps:
        found = attempt_of(how, hyde, query, tier)
        vector, status = expected.vector_for(query, tier.value)
        assert found.status == status, found
        if vector is None:
            assert found.vector is None
            assert found.reason
        else:
            assert found.vector.tolist() == np.array(vector, np.float32).tolist()
            assert np.isfinite(found.vector).all()
            assert found.vector.any()
        assert (hyde.calls, hyde.hits, hyde.misses) == (expected.calls, expected.hits, expected.misses)
