"""The leg that looks around a hypothetical answer: how it fared is in the trace, and why."""

from __future__ import annotations

import asyncio
import logging

import pytest

import rankmeld as rm

from .samples import DIRECT, MEANING, SEMANTIC, VECTOR, WORDS, Table, statuses


def raising(_text):
    raise OSError("key SECRET")


def made(_text):
    return [0.0, 1.0]


async def later(_prompt):
    return "an answer"


def generator(generate=lambda _prompt: "an answer", embed=made, **options):
    return rm.HydeGenerator(generate, embed, **{"enabled": True, **options})


def searched(how, hyde, query=SEMANTIC, **options):
    searcher = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING), hyde=hyde, **options)
    if how == "waited":
        return searcher.search(query, query_vector=VECTOR)
    return asyncio.run(searcher.asearch(query, query_vector=VECTOR))


@pytest.fixture(params=["waited", "awaited"])
def search(request):
    return lambda *args, **options: searched(request.param, *args, **options)


@pytest.mark.parametrize(
    ("hyde", "leg"),
    [
        (generator(), "ok"),
        (generator(raising), "failed (generate raised OSError)"),
        (generator(embed=raising), "failed (embed raised OSError)"),
        (generator(embed=lambda _text: [0.0, 0.0]), "failed (embed gave zeros for the passage)"),
        (generator(lambda _prompt: " "), "empty (generate gave a blank text)"),
        (generator(enabled=False), "skipped (HyDE is not enabled)"),
        (rm.HydeGenerator(None, made, enabled=True), "skipped (there is no generate)"),
    ],
)
def test_the_trace_says_how_it_fared_and_why(search, caplog, hyde, leg):
    with caplog.at_level(logging.WARNING, "rankmeld"):
        found = search(hyde)
    assert str(found.trace.legs["hyde"]) == leg
    assert ("the hyde leg failed" in caplog.text) == leg.startswith("failed")
    assert "SECRET" not in caplog.text
    lists = ["lexical", "vector", "hyde"] if leg == "ok" else ["lexical", "vector"]
    assert [credit.name for credit in found.ranking.explain("b").sources] == lists
    assert ("hyde" in [stage.name for stage in found.trace.stages]) == (not leg.startswith("skipped"))


def test_other_tiers_do_not_ask_for_it(search):
    hyde = generator()
    assert search(hyde, DIRECT).trace.legs["hyde"] == rm.Leg("skipped")
    assert hyde.calls == 0


def test_where_nobody_could_look_the_error_says_why_there_was_no_hypothetical_answer():
    searcher = rm.AdaptiveSearcher(Table(OSError()), Table(OSError()), hyde=generator(raising))
    with pytest.raises(rm.RankmeldError, match="hyde: generate raised OSError"):
        searcher.search(SEMANTIC, query_vector=VECTOR)


@pytest.mark.parametrize("options", [{}, {"leg_timeout": 20}])
def test_a_model_that_has_to_be_awaited_wants_a_search_that_awaits(options):
    with pytest.raises(
        TypeError, match=r"the hyde leg is asynchronous; write `await searcher.asearch"
    ) as caught:
        searched("waited", generator(later), **options)
    assert "generate is asynchronous" in str(caught.value.__cause__)
    assert statuses(searched("awaited", generator(later), **options))["hyde"] == "ok"


def test_a_model_that_hangs_is_left_behind():
    async def hanging(_prompt):
        await asyncio.sleep(60)

    found = searched("awaited", generator(hanging), leg_timeout=0.05)
    assert statuses(found)["hyde"] == "timeout"
