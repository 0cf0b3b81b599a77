"""What legs may be, what they may give, and what becomes of a search when they fail."""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm
from rankmeld.search.complaints import complaint
from rankmeld.search.workers import MOST_THREADS
from search.samples import (
    DIRECT,
    HOPS,
    MEANING,
    SEMANTIC,
    VECTOR,
    WHOLE,
    WORDS,
    Hanging,
    Hypothetical,
    Table,
    hit,
    statuses,
    until,
)
from support.refusals import refusal

# --- forms -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "lexical", "vector"),
    [(DIRECT, 10, None), (WHOLE, 20, None), (SEMANTIC, 20, 20), (HOPS, 20, 20)],
)
def test_a_tier_asks_only_the_legs_it_needs(query, lexical, vector):
    words, meaning = Table(WORDS), Table(MEANING)
    rm.AdaptiveSearcher(words, meaning).search(query, query_vector=VECTOR, filters={"type": "note"})
    assert words.asked == [(query, lexical, {"type": "note"})]
    assert meaning.asked == ([] if vector is None else [(VECTOR, vector, {"type": "note"})])


def test_a_vector_leg_without_a_vector_is_skipped_and_says_why():
    found = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING)).search(SEMANTIC)
    assert found.trace.legs["vector"] == rm.Leg("skipped", "no query_vector was given")
    assert found.ranking.ids == ["a", "b", "c"]


def test_a_leg_without_filters_is_asked_without_and_refused_with():
    searcher = rm.AdaptiveSearcher(lambda query, limit: WORDS)
    assert len(searcher.search(DIRECT).ranking) == 3
    assert refusal(rm.InvalidArgumentError, searcher.search, DIRECT, filters={"type": "note"}) == (
        "filters are given, and the lexical leg takes none; give it a parameter `filters`"
    )


def test_a_real_store_is_searched_by_its_methods(tmp_path):
    with rm.SqliteStore(tmp_path / "s.db") as store:
        store.add([hit[2] for hit in WORDS], vectors=[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        searcher = rm.AdaptiveSearcher(store.lexical, store.vector, leg_timeout=20)
        found = searcher.search(SEMANTIC, query_vector=[0.0, 1.0], filters={"type": "note"})
        assert found.ranking.ids[0] == "b"
        assert statuses(found)["vector"] == "ok"
        assert "takes no `limit`" in refusal(TypeError, rm.AdaptiveSearcher, store)


# --- answers ---------------------------------------------------------------------------------

GOOD = {
    "a list": WORDS,
    "an iterator": None,
    "a mapping": {"a": 0.9, "b": 0.6, "c": 0.2},
    "columns": (["a", "b", "c"], [0.9, 0.6, 0.2]),
    "a ranking": rm.Ranking(WORDS),
}


@pytest.mark.parametrize("form", GOOD)
def test_an_answer_may_have_any_form(form):
    searcher = rm.AdaptiveSearcher(lambda query, limit: GOOD[form] or iter(WORDS))
    assert searcher.search(DIRECT).ranking.ids == ["a", "b", "c"]


def test_an_endless_answer_is_read_as_far_as_it_was_asked_for():
    searcher = rm.AdaptiveSearcher(lambda query, limit: (hit(n, 1.0) for n in itertools.count()))
    assert searcher.search(DIRECT, limit=4).ranking.ids == [0, 1, 2, 3]


BAD = {
    "nothing": (None, "TypeError: hits is a NoneType"),
    "a number": (7, "TypeError: hits is a int"),
    "a text": ("a", "TypeError: hits is a str"),
    "an id that cannot be hashed": ([["a"]], "cannot be hashed"),
    "nan": ([("a", 1.0), ("b", math.nan)], "position 1, id 'b': the score is absent or NaN"),
    "infinite": ([("a", math.inf)], "position 0, id 'a': the score is inf; scores must be finite"),
    "raises": (ValueError("no index"), "ValueError: no index"),
    "runs out": (StopIteration("x"), "StopIteration"),
}


@pytest.mark.parametrize("timeout", [None, 20.0])
@pytest.mark.parametrize("case", BAD)
def test_garbage_is_a_failed_leg(case, timeout, caplog):
    answer, error = BAD[case]
    searcher = rm.AdaptiveSearcher(Table(WORDS), Table(answer), leg_timeout=timeout)
    with caplog.at_level(logging.WARNING, logger="rankmeld"):
        found = searcher.search(SEMANTIC, query_vector=VECTOR)
    leg = found.trace.legs["vector"]
    assert leg.status == "failed"
    assert error in leg.error
    assert found.ranking.ids == ["a", "b", "c"]
    assert [record.getMessage() for record in caplog.records] == [
        f"search: the vector leg failed: {leg.error}"
    ]


def test_scores_are_wanted_only_where_they_count():
    searcher = rm.AdaptiveSearcher(lambda query, limit: ["a", "b"], Table(["b", "c"]))
    assert searcher.search(SEMANTIC, query_vector=VECTOR).ranking.ids == ["b", "a", "c"]
    with pytest.raises(rm.RankmeldError, match="position 0, id 'a': there is no score; this tier weighs"):
        searcher.search(DIRECT)


def test_hits_without_documents_are_found_and_have_no_notes():
    found = rm.AdaptiveSearcher(Table([("a", 2.0)]), Table([("b", 0.5)])).search(HOPS, query_vector=VECTOR)
    assert set(found.ranking.ids) == {"a", "b"}
    assert found.ranking.explain("a").stages[0].details["note"] == ""


def test_a_document_that_only_one_leg_knows_is_read():
    searcher = rm.AdaptiveSearcher(Table([("a", 2.0)]), Table([hit("a", 0.5, "exponential retry policy")]))
    found = searcher.search(HOPS, query_vector=VECTOR)
    assert found.ranking.explain("a").stages[0].details["note"] == "exponential retry policy"
    assert found.ranking[0].document is not None


# --- failing ---------------------------------------------------------------------------------


def test_all_legs_failing_is_an_error_that_names_each():
    searcher = rm.AdaptiveSearcher(Table(OSError("disk gone")), Table(KeyError("x")))
    message = refusal_of(searcher, SEMANTIC)
    assert message == (
        "every leg of the search failed, so there is no answer, not even an empty one: "
        "lexical: OSError: disk gone; vector: KeyError: 'x'"
    )


def refusal_of(searcher, query):
    with pytest.raises(rm.RankmeldError) as caught:
        searcher.search(query, query_vector=VECTOR)
    return str(caught.value)


def test_an_empty_leg_beside_a_failed_one_is_an_answer():
    found = rm.AdaptiveSearcher(Table([]), Table(OSError("x"))).search(SEMANTIC, query_vector=VECTOR)
    assert statuses(found) == {"lexical": "empty", "vector": "failed", "hyde": "skipped", "graph": "skipped"}
    assert (len(found.ranking), found.grade, found.needs_refinement) == (0, "low", True)


@pytest.mark.parametrize(("words", "left"), [([], []), (OSError("disk gone"), ["x"])])
def test_meaning_alone_needs_no_proof_where_the_words_could_not_be_looked_at(words, left):
    unproven = [hit("x", 0.8, "nothing of the kind")]
    found = rm.AdaptiveSearcher(Table(words), Table(unproven)).search(SEMANTIC, query_vector=VECTOR)
    assert found.ranking.ids == left


@pytest.mark.parametrize("mode", list(rm.QueryTier))
def test_a_tier_is_a_mode(mode):
    assert rm.AdaptiveSearcher(Table(WORDS)).search("anything", mode=mode).tier is mode


def test_a_vector_that_was_not_made_counts_for_no_leg():
    searcher = rm.AdaptiveSearcher(Table(OSError("x")), Table(OSError("y")), hyde=Hypothetical(None))
    assert "hyde: made no vector" in refusal_of(searcher, SEMANTIC)


@pytest.mark.parametrize("made", [None, OSError("no model")])
def test_without_a_hypothetical_vector_the_query_s_own_is_used(made):
    searcher = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING), hyde=Hypothetical(made))
    plain = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING))
    found = searcher.search(SEMANTIC, query_vector=VECTOR)
    assert found.ranking == plain.search(SEMANTIC, query_vector=VECTOR).ranking
    assert statuses(found)["hyde"] == ("empty" if made is None else "failed")


@pytest.mark.parametrize("query", [DIRECT, WHOLE])
def test_other_tiers_make_no_hypothetical_vector(query):
    hyde = Hypothetical([0.0, 1.0])
    rm.AdaptiveSearcher(Table(WORDS), Table(MEANING), hyde=hyde).search(query, query_vector=VECTOR)
    assert hyde.tiers == []


def test_a_hypothetical_vector_needs_none_of_the_query():
    meaning = Table(MEANING)
    searcher = rm.AdaptiveSearcher(Table(WORDS), meaning, hyde=Hypothetical([0.0, 1.0]))
    found = searcher.search(SEMANTIC)
    assert meaning.asked == [([0.0, 1.0], 20, None)]
    assert [credit.name for credit in found.ranking.explain("b").sources] == ["lexical", "hyde"]


SECRETS = [
    ("https://me:hunter2@host/x", "https://***@host/x"),
    ("Authorization: Bearer abcdef123456", "Authorization: Bearer ***"),
    ("{'api_key': 'abcdef'}", "{'api_key': '***'}"),
    ("OPENAI_API_KEY=abcdef failed", "OPENAI_API_KEY=*** failed"),
    ("password = hunter2, user = me", "password = ***, user = me"),
    ("key sk-abcdefghijklmnopqrst is wrong", "key *** is wrong"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.sig_nature", "***"),
    ("the tokens of 3 passages: 12", "the tokens of 3 passages: 12"),
    ("two\nlines", "two lines"),
]


@pytest.mark.parametrize(("message", "shown"), SECRETS)
def test_errors_are_kept_without_credentials(message, shown):
    assert complaint(ValueError(message)) == f"ValueError: {shown}"
    assert len(complaint(ValueError(message * 1000))) < 330


@pytest.mark.parametrize("timeout", [None, 5.0])
def test_a_leg_whose_own_event_loop_is_cancelled_is_a_failed_leg(timeout):
    async def gone():
        raise asyncio.CancelledError

    searcher = rm.AdaptiveSearcher(
        Table(WORDS), lambda vector, limit: asyncio.run(gone()), leg_timeout=timeout
    )
    found = searcher.search(SEMANTIC, query_vector=[1.0])
    assert found.trace.legs["vector"].error == "CancelledError"
    assert found.ranking.ids == ["a", "b", "c"]


def test_an_error_without_a_message_is_still_told():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    assert complaint(Mute()) == "Mute"


# --- time ------------------------------------------------------------------------------------


def test_a_leg_that_hangs_is_left_behind():
    hanging = Hanging()
    searcher = rm.AdaptiveSearcher(Table(WORDS), hanging, leg_timeout=0.05)
    found = searcher.search(SEMANTIC, query_vector=VECTOR)
    assert found.trace.legs["vector"] == rm.Leg("timeout", "no answer within 0.05 s")
    assert found.ranking.ids == ["a", "b", "c"]
    hanging.release.set()


def test_hanging_legs_take_no_threads_without_bound_nor_from_others():
    hanging = Hanging()
    searcher = rm.AdaptiveSearcher(Table(WORDS), hanging, leg_timeout=0.01)
    before = threading.active_count()
    for _ in range(MOST_THREADS + 20):
        assert statuses(searcher.search(SEMANTIC, query_vector=VECTOR))["vector"] == "timeout"
    assert hanging.calls <= MOST_THREADS
    assert threading.active_count() - before <= MOST_THREADS + 2
    assert not searcher._team._workers["vector"]._crew.jobs  # what was not begun is taken back
    hanging.release.set()
    assert until(lambda: statuses(searcher.search(SEMANTIC, query_vector=VECTOR))["vector"] == "ok")


def test_legs_with_a_time_run_together():
    barrier = threading.Barrier(2)

    def met(query, limit):
        barrier.wait(20)
        return WORDS

    found = rm.AdaptiveSearcher(met, met, leg_timeout=30).search(SEMANTIC, query_vector=VECTOR)
    assert statuses(found)["lexical"] == statuses(found)["vector"] == "ok"


def test_without_a_time_no_thread_is_started():
    threads = set()

    def noted(query, limit):
        threads.add(threading.current_thread())
        return WORDS

    rm.AdaptiveSearcher(noted, noted).search(SEMANTIC, query_vector=VECTOR)
    assert threads == {threading.current_thread()}


def test_a_hanging_leg_keeps_no_interpreter_alive():
    code = """
import threading, rankmeld as rm
hang = lambda query, limit: threading.Event().wait()
searcher = rm.AdaptiveSearcher(lambda query, limit: [("a", 1.0)], hang, leg_timeout=0.05)
print(searcher.search("notes about it all", query_vector=[1.0]).trace.legs["vector"].status)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "timeout"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="not applicable: this system has no fork")
def test_it_searches_after_a_fork():
    code = """
import os, rankmeld as rm
leg = lambda query, limit: [("a", 1.0)]
searcher = rm.AdaptiveSearcher(leg, leg, leg_timeout=20)
search = lambda: searcher.search("notes about it all", query_vector=[1.0]).trace.legs["vector"].status
first = search()
child = os.fork()
if not child:
    os._exit(0 if search() == first == "ok" else 1)
print(os.waitpid(child, 0)[1])
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "0"


def test_many_threads_search_at_once():
    searcher = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING), leg_timeout=60)
    expected = searcher.search(HOPS, query_vector=VECTOR).ranking
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: searcher.search(HOPS, query_vector=VECTOR).ranking, range(200)))
    assert found == [expected] * 200


# --- refusals --------------------------------------------------------------------------------

LEG = Table(WORDS)


@pytest.mark.parametrize(
    ("kind", "make", "text"),
    [
        (
            TypeError,
            lambda: rm.AdaptiveSearcher(None),
            (
                "lexical must be a callable (query, *, limit, filters) or an object with such a `search`, "
                "not NoneType"
            ),
        ),
        (
            TypeError,
            lambda: rm.AdaptiveSearcher(Table),
            "lexical is the class Table; pass one of its objects",
        ),
        (
            TypeError,
            lambda: rm.AdaptiveSearcher(LEG, lambda vector: []),
            (
                "vector takes no `limit`; it is called as (query_vector, *, limit, filters), so wrap it: "
                "lambda query, limit, filters: ..."
            ),
        ),
        (TypeError, lambda: rm.AdaptiveSearcher(LEG, crag=0.5), "crag must be a CragConfig, not float"),
        (
            rm.InvalidArgumentError,
            lambda: rm.AdaptiveSearcher(LEG, leg_timeout=0),
            "leg_timeout is 0.0 s; it must be above 0, or None for no limit",
        ),
        (
            TypeError,
            lambda: rm.AdaptiveSearcher(LEG, LEG, hyde=print),
            (
                "hyde must be an object with `vector_for(query, tier)`, such as a HydeGenerator, "
                "not builtin_function_or_method"
            ),
        ),
        (
            rm.InvalidArgumentError,
            lambda: rm.AdaptiveSearcher(LEG, hyde=Hypothetical(None)),
            "hyde is given without vector; its vectors need a leg that searches with them",
        ),
        (
            TypeError,
            lambda: rm.AdaptiveSearcher(LEG, graph=3),
            (
                "graph must be a pair (nodes, edges), a KnowledgeGraph, or a callable "
                "(query, candidates) that "
                "gives one of these, not int"
            ),
        ),
        (
            TypeError,
            lambda: rm.AdaptiveSearcher(rm.SqliteStore(":memory:").hybrid),
            (
                "lexical cannot do without `embedder`, which no search gives; it is called as "
                "(query, *, limit, filters), so wrap it: lambda query, limit, filters: ..."
            ),
        ),
        (
            TypeError,
            lambda: rm.AdaptiveSearcher(lambda query, limit, filters, depth: []),
            (
                "lexical cannot do without `depth`, which no search gives; it is called as "
                "(query, *, limit, filters), so wrap it: lambda query, limit, filters: ..."
            ),
        ),
        (TypeError, lambda: rm.AdaptiveSearcher(LEG).search(b"x"), "query must be a str, not bytes"),
        (
            rm.InvalidArgumentError,
            lambda: rm.AdaptiveSearcher(LEG).search("x", mode="Direct"),
            "mode is 'Direct'; it must be one of 'auto', 'direct', 'semantic', 'multi_hop', 'global'",
        ),
        (
            rm.InvalidArgumentError,
            lambda: rm.AdaptiveSearcher(LEG).search("x", limit=-1),
            "limit is -1; it must be 0 or more, or None for all",
        ),
        (
            rm.InvalidArgumentError,
            lambda: rm.AdaptiveSearcher(LEG).search("x", query_vector=[math.nan]),
            "query_vector holds NaN or an infinity; embed the query anew",
        ),
        (
            rm.InvalidArgumentError,
            lambda: rm.AdaptiveSearcher(LEG).search("x", mode="direct", fusion_scores=[1.0, 0.5]),
            "fusion_scores are given with mode 'direct', which has its tier; they belong to 'auto'",
        ),
    ],
)
def test_refusals_say_what_is_wanted(kind, make, text):
    assert refusal(kind, make) == text


def test_a_query_vector_that_nobody_awaited_says_so():
    async def embedded():
        return [1.0]

    message = refusal(TypeError, rm.AdaptiveSearcher(LEG, LEG).search, "x", query_vector=embedded())
    assert message == "query_vector is to be awaited; write query_vector=await embedder.aembed_query(query)"


def test_a_leg_that_must_be_awaited_is_refused_with_the_way_to_do_it():
    async def later(query, limit):
        return WORDS

    for timeout in (None, 20.0):
        searcher = rm.AdaptiveSearcher(Table(WORDS), later, leg_timeout=timeout)
        with pytest.raises(TypeError, match=r"vector leg is asynchronous; write `await searcher\.asearch"):
            searcher.search(SEMANTIC, query_vector=VECTOR)


def test_a_query_of_a_megabyte_is_only_long():
    searcher = rm.AdaptiveSearcher(Table(WORDS), Table(MEANING), graph=(["Backoff"], []))
    query = "why is the retry policy exponential " * 30_000
    assert searcher.search(query, query_vector=VECTOR).tier.value == "multi_hop_graph"
