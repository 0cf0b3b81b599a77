"""Texts rewritten by a model: which, into what, and what stays as it was."""

from __future__ import annotations

import asyncio
import datetime as dt
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from support.refusals import refusal

LONG = "Well, as I said before, the bridge was opened in 1931."
HITS = [
    ("a", 0.9, rm.Document("a", LONG, title="Bridges")),
    ("b", 0.7),
    ("c", 0.5, rm.Document("c", "  \n")),
    ("d", 0.2, rm.Document("d", "It is 503 m long, they told us.")),
]


def text_of(prompt):
    return prompt.partition("Text:\n")[2]


def shout(prompt):
    return text_of(prompt).upper()


def awaited(ranking, llm, **options):
    return asyncio.run(rm.acompress(ranking, llm, **options))


@pytest.fixture(params=[rm.compress, awaited], ids=["compress", "acompress"])
def compress(request):
    return request.param


def texts(ranking):
    return [None if document is None else document.text for document in ranking.documents]


def test_texts_are_rewritten_and_all_else_stays(compress):
    given = rm.Ranking(HITS)
    found = compress(given, shout)
    assert texts(found) == [LONG.upper(), None, "  \n", "IT IS 503 M LONG, THEY TOLD US."]
    assert (found.ids, found.scores.tolist()) == (given.ids, given.scores.tolist())
    assert found[0].document.title == "Bridges"
    assert texts(given) == texts(rm.Ranking(HITS))
    assert HITS[0][2].text == LONG


def test_the_model_gets_the_text_alone_and_only_texts_that_say_something(compress):
    asked = []
    compress(HITS, lambda prompt: asked.append(prompt) or "x")
    assert sorted(asked) == sorted([rm.compression_prompt(LONG), rm.compression_prompt(HITS[3][2].text)])
    assert rm.compression_prompt("a\ud800").endswith("Text:\na\ufffd")


@pytest.mark.parametrize("answer", ["", " \n\u3000", "<think>never closed", "```\n```"])
def test_a_blank_answer_leaves_the_text(compress, answer):
    found = compress(HITS, lambda _prompt: answer)
    assert found.documents == rm.Ranking(HITS).documents


def test_answers_are_cleaned(compress):
    answer = "<think>1931?</think>\n```text\nOpened 1931.\n```"
    assert compress(HITS[:1], lambda _prompt: answer)[0].document.text == "Opened 1931."


@pytest.mark.parametrize("limit", [0, 1, 2, 4, 9, None, np.int64(2)])
def test_the_best_are_given_and_the_others_are_not_asked_about(compress, limit):
    asked = []
    found = compress(HITS, lambda prompt: asked.append(prompt) or shout(prompt), limit=limit)
    assert found == compress(HITS, shout)[:limit]
    assert len(asked) == sum(bool(text and text.strip()) for text in texts(found))


def test_a_document_stays_what_it_is_but_for_its_text(compress):
    document = rm.Document(
        ("t", 1),
        LONG,
        "Title",
        "topic",
        parent_id="p",
        created_at=1.5,
        updated_at="2024-03-01T10:00:00.123456+02:00",
        valid_from=dt.date(2020, 1, 1),
        last_accessed_at=dt.datetime(2024, 1, 1),
        access_count=10**30,
        importance=0.3,
        assessed_importance=0.9,
        confidence=0.5,
        tier="semantic",
        evergreen=True,
        volatile=True,
        metadata={"type": "decision", "k": [1]},
    )
    found = compress([("x", 1.0, document)], lambda _prompt: "short")[0].document
    assert type(found) is rm.Document
    assert found.to_dict() == {**document.to_dict(), "text": "short"}
    assert found._signals == document._signals
    with pytest.raises(AttributeError):
        found.text = "other"


def test_each_hit_explains_how_much_it_has_lost(compress):
    fused = rm.rrf([rm.Source("dense", HITS)])
    found = compress(fused, lambda _prompt: "short")
    first = found.explain("a")
    assert [stage.name for stage in first.stages] == ["compress"]
    assert first.sources[0].name == "dense"
    assert first.stages[0].details == {"characters_before": len(LONG), "characters_after": 5}
    assert found.explain("b").stages[0].details == {"characters_before": None, "characters_after": None}


def test_rankings_of_every_form_and_of_nothing(compress):
    assert compress([], shout) == rm.Ranking() == compress({}, shout)
    assert compress(["x", "y"], shout).ids == ["x", "y"]
    whole = compress((np.array([3, 1]), np.array([2.0, 1.0])), shout)
    assert whole.ids == [3, 1]
    assert all(type(id) is int for id in whole.ids)
    twice = compress([("a", 1.0, HITS[0][2]), ("a", 0.5, HITS[3][2])], shout)
    assert texts(twice) == [LONG.upper(), HITS[3][2].text.upper()]
    assert compress([(1, None, rm.Document(1, "one"))], shout).scores is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (OSError("SECRET"), "the text of 'd': llm raised OSError; nothing was compressed"),
        (
            rm.RemoteError("models.test answered with status 500", 500),
            (
                "the text of 'd': llm raised RemoteError: models.test answered with status 500; "
                "nothing was compressed"
            ),
        ),
        (None, "the text of 'd': llm gave NoneType, not a str; nothing was compressed"),
    ],
)
def test_an_error_names_the_hit_and_is_chained(compress, given, message):
    def llm(prompt):
        if "503" not in prompt:
            return "short"
        if isinstance(given, BaseException):
            raise given
        return given

    with pytest.raises(rm.CompressionError) as caught:
        compress(HITS, llm)
    assert str(caught.value) == message
    assert caught.value.id == "d"
    assert caught.value.__cause__ is given
    assert isinstance(caught.value, RuntimeError)
    assert isinstance(caught.value, rm.RankmeldError)


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError])
def test_interrupts_go_through(error):
    def llm(_prompt):
        raise error

    with pytest.raises(error):
        rm.compress(HITS, llm)


def test_progress_counts_the_texts_that_were_asked_about(compress):
    seen = []
    compress(HITS, shout, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]

    def stop(_done, _total):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        compress(HITS, shout, progress=stop)


@pytest.mark.parametrize(
    ("kind", "args", "options", "message"),
    [
        (TypeError, (HITS, None), {}, "llm must be a callable (prompt) -> str, not NoneType"),
        (TypeError, ([], "gpt"), {}, "llm must be a callable (prompt) -> str, not str"),
        (TypeError, (HITS, shout), {"limit": 1.0}, None),
        (rm.InvalidArgumentError, ([], shout), {"limit": -1}, None),
        (
            TypeError,
            (HITS, shout),
            {"progress": 3},
            "progress must be a callable (done, total), or None, not int",
        ),
        (TypeError, ("text", shout), {}, None),
    ],
)
def test_misuse_is_refused(compress, kind, args, options, message):
    said = refusal(kind, compress, *args, **options)
    assert message is None or said == message


def test_how_many_at_a_time_is_checked_even_for_nothing():
    assert refusal(rm.InvalidArgumentError, awaited, [], shout, concurrency=0) == (
        "concurrency is 0; it must be 1 or more"
    )
    assert (
        refusal(TypeError, awaited, [], shout, concurrency="8") == "concurrency must be an integer, not str"
    )


def test_who_waits_is_told_what_has_to_be_awaited():
    async def llm(_prompt):
        return "short"

    assert refusal(TypeError, rm.compress, HITS, llm) == (
        "llm is asynchronous (it gave a coroutine); "
        "write `await acompress(ranking, llm)` instead of `compress`"
    )


@pytest.mark.parametrize(("options", "most"), [({}, 8), ({"concurrency": 3}, 3), ({"concurrency": 99}, 20)])
def test_texts_are_asked_about_together_and_no_more_than_allowed(options, most):
    running, peak = 0, 0

    async def llm(prompt):
        nonlocal running, peak
        running, peak = running + 1, max(peak, running + 1)
        number = int(re.search(r"number (\d+)", prompt)[1])
        await asyncio.sleep(0.0005 * (20 - number))  # the last ones answer first
        running -= 1
        return f"n{number}"

    hits = [(i, 1.0, rm.Document(i, f"This is number {i}")) for i in range(20)]
    found = awaited(hits, llm, **options)
    assert texts(found) == [f"n{i}" for i in range(20)]
    assert peak == most


def test_the_first_error_cancels_the_rest():
    begun, cancelled = [], []

    async def llm(prompt):
        begun.append(text_of(prompt))
        if "number 1" in prompt:
            raise OSError
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.append(text_of(prompt))
            raise

    hits = [(i, 1.0, rm.Document(i, f"number {i}")) for i in range(6)]
    with pytest.raises(rm.CompressionError) as caught:
        awaited(hits, llm, concurrency=3)
    assert caught.value.id == 1
    assert len(begun) == 3
    assert sorted(cancelled) == ["number 0", "number 2"]


def test_a_cancellation_goes_through():
    async def llm(_prompt):
        await asyncio.sleep(30)

    async def main():
        task = asyncio.create_task(rm.acompress(HITS, llm))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 10)

    asyncio.run(main())


OUTCOMES = st.sampled_from(["short", "", " ", "<think>x</think>s", "<think>x", None, 3, OSError()])
SAID = {"short": "short", "<think>x</think>s": "s"}


@given(outcomes=st.lists(OUTCOMES, max_size=8), limit=st.none() | st.integers(0, 9), together=st.booleans())
def test_whatever_a_model_does_all_is_compressed_or_nothing(outcomes, limit, together):
    hits = [(i, float(-i), rm.Document(i, f"text {i}.")) for i in range(len(outcomes))]

    def llm(prompt):
        outcome = outcomes[int(text_of(prompt)[5:-1])]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    asked = outcomes[:limit]
    bad = [i for i, outcome in enumerate(asked) if not isinstance(outcome, str)]
    compress = awaited if together else rm.compress
    if bad:
        with pytest.raises(rm.CompressionError) as caught:
            compress(hits, llm, limit=limit)
        assert caught.value.id in (bad if together else bad[:1])
    else:
        found = compress(hits, llm, limit=limit)
        assert texts(found) == [SAID.get(outcome, f"text {i}.") for i, outcome in enumerate(asked)]
        assert found.ids == [hit[0] for hit in hits[:limit]]
