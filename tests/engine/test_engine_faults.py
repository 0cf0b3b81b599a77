"""What fails, and what the caller sees: raising, hanging, garbage, cancellation."""

from __future__ import annotations

import asyncio
import threading
import time

import numpy as np
import pytest

import rankmeld as rm
from engine.memories import KEYS, NOW, AwaitedTable, Hanging, Model, Table, aretrieved, hit, retrieved
from rankmeld.engine import hops


@pytest.mark.parametrize("run", [retrieved, aretrieved])
@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (OSError("database is locked"), "OSError: database is locked"),
        (rm.InvalidArgumentError("no such model"), "InvalidArgumentError: no such model"),
        (StopIteration("x"), "StopIteration"),
        (None, "TypeError: "),
        (7, "TypeError: "),
        ("text", "TypeError: "),
        ([("a", float("nan"))], "InvalidScoreError: ranking, position 0, id 'a'"),
        ([("a", 0.5), ("b", float("inf"))], "InvalidScoreError: ranking, position 1, id 'b'"),
        (["a", "b"], "InvalidScoreError: ranking, position 0, id 'a': there is no score"),
        ([([], 0.5)], "TypeError: "),
        ([("a", "high")], "TypeError: "),
    ],
)
def test_a_memory_that_fails_is_an_error_that_names_it(run, answer, what):
    with pytest.raises(rm.RankmeldError) as refusal:
        run(rm.RetrievalEngine(Table(answer)), "key")
    text = str(refusal.value)
    assert text.startswith("the memory could not be asked, so there is no answer, not even an empty one: ")
    assert "memory (Table): " in text
    assert what in text
    assert refusal.value.__cause__ is not None
    if isinstance(answer, OSError | rm.RankmeldError):
        assert refusal.value.__cause__ is answer


@pytest.mark.parametrize("run", [retrieved, aretrieved])
def test_a_memory_that_hangs_is_left_behind(run):
    hanging = Hanging()
    engine = rm.RetrievalEngine(hanging, settings=rm.EngineSettings(timeout=0.05))
    with pytest.raises(rm.RankmeldError, match=r"memory \(Hanging\): no answer within 0\.05 s"):
        run(engine, "key")
    hanging.release.set()


class Store:
    """A feedback store that answers as it is told."""

    def __init__(self, answer):
        self.answer = answer

    def net(self, ids, *, user_id):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def add(self, useful_ids, harmful_ids, *, user_id):
        return self.net((), user_id=user_id)


@pytest.mark.parametrize("run", [retrieved, aretrieved])
@pytest.mark.parametrize("answer", [OSError("locked"), None, [("mat", 1)], {"mat": "many"}, {"mat": 1.5}])
def test_feedback_that_fails_leaves_the_ranking_as_it_is(run, answer, caplog):
    plain = retrieved(rm.RetrievalEngine(Table(KEYS)), "key")
    found = run(rm.RetrievalEngine(Table(KEYS), feedback=Store(answer)), "key", user_id="u")
    assert found.ranking == plain.ranking
    assert found.trace.legs["feedback"].status == "failed"
    assert "engine: the feedback failed" in caplog.text


@pytest.mark.parametrize("net", [10**30, -(10**30), np.int64(3)])
def test_sums_of_any_size_count(net):
    found = retrieved(rm.RetrievalEngine(Table(KEYS), feedback=Store({"mat": net})), "key", user_id="u")
    assert found.trace.legs["feedback"].status == "ok"


def test_an_empty_mapping_of_sums_is_an_answer():
    found = retrieved(rm.RetrievalEngine(Table(KEYS), feedback=Store({})), "key", user_id="u")
    assert found.trace.legs["feedback"] == rm.Leg("ok")
    assert "feedback" in [stage.name for stage in found.trace.stages]


def test_feedback_that_is_not_stored_is_an_error():
    cause = OSError("disk full")
    engine = rm.RetrievalEngine(Table(KEYS), feedback=Store(cause))
    with pytest.raises(rm.RankmeldError) as refusal:
        engine.report_feedback(["mat"], user_id="u")
    assert str(refusal.value) == "feedback was not stored (Store): OSError: disk full"
    assert refusal.value.__cause__ is cause
    with pytest.raises(TypeError, match="useful_ids must be an iterable of ids, not str; one id goes as"):
        rm.RetrievalEngine(Table(KEYS), feedback=rm.MemoryFeedback()).report_feedback("mat", user_id="u")
    with pytest.raises(rm.InvalidArgumentError, match="the engine has no feedback store; make it with"):
        rm.RetrievalEngine(Table(KEYS)).report_feedback(["mat"])


def test_feedback_that_hangs_may_or_may_not_be_stored():
    release = threading.Event()

    class Slow(Store):
        def add(self, useful_ids, harmful_ids, *, user_id):
            release.wait(30)

    engine = rm.RetrievalEngine(Table(KEYS), feedback=Slow({}), settings=rm.EngineSettings(timeout=0.05))
    with pytest.raises(rm.RankmeldError, match=r"feedback perhaps was not stored \(Slow\): no answer within"):
        engine.report_feedback(["mat"])
    release.set()


class AwaitedStore:
    """A feedback store that is awaited."""

    def __init__(self):
        self.kept = rm.MemoryFeedback()

    async def aadd(self, useful_ids, harmful_ids, *, user_id):
        self.kept.add(useful_ids, harmful_ids, user_id=user_id)

    async def anet(self, ids, *, user_id):
        return self.kept.net(ids, user_id=user_id)


def test_everything_may_be_awaited():
    class Chatting:
        def __call__(self, prompt):
            raise AssertionError

        async def achat(self, prompt):
            return "where is the key"

    memory = AwaitedTable(KEYS)
    engine = rm.RetrievalEngine(memory, llm=Chatting(), feedback=AwaitedStore())

    async def scenario():
        await engine.areport_feedback(["cat"], user_id="u")
        text = await engine.aretrieve_for_inference("long " * 30, user_id="u")
        return text, await engine.aretrieve("long " * 30, user_id="u", now=NOW)

    text, found = asyncio.run(scenario())
    assert "key" in text
    assert memory.queries == ["where is the key"] * 2
    assert found.ranking.explain("cat").stages[-1].details["net"] == 1
    for call in (
        lambda: engine.retrieve("key"),
        lambda: engine.report_feedback(["cat"]),
    ):
        with pytest.raises(TypeError, match=r"leg is asynchronous; write `await engine\.a"):
            call()


def test_a_cancellation_goes_through_at_once():
    async def scenario():
        slow, hanging = AwaitedTable(KEYS, seconds=60), Hanging()
        running = [
            asyncio.ensure_future(rm.RetrievalEngine(memory).aretrieve("key")) for memory in (slow, hanging)
        ]
        await asyncio.sleep(0.05)
        started = time.monotonic()
        for one in running:
            one.cancel()
        outcomes = await asyncio.gather(*running, return_exceptions=True)
        took = time.monotonic() - started
        await asyncio.sleep(0)
        hanging.release.set()
        return outcomes, took, slow.cancelled

    outcomes, took, cancelled = asyncio.run(scenario())
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)
    assert (took < 5, cancelled) == (True, 1)


@pytest.mark.parametrize("message", ["key", "many words " * 20_000])
def test_what_takes_long_does_not_run_on_the_event_loop(message):
    """Somebody else's counter may be slow, and long messages and texts are."""
    threads = set()

    def counter(text):
        threads.add(threading.get_ident())
        return len(text) // 4

    context = rm.ContextAssembler(count_tokens=counter)
    engine = rm.RetrievalEngine(Table(KEYS), settings=rm.EngineSettings(context=context))
    aretrieved(engine, message)
    assert threads
    assert threading.get_ident() not in threads


def _threads_of(monkeypatch, name):
    """In which threads the engine's flow calls a function."""
    threads, function = [], getattr(hops, name)

    def watched(*args):
        threads.append(threading.get_ident())
        return function(*args)

    monkeypatch.setattr(hops, name, watched)
    return threads


@pytest.mark.parametrize(
    ("hits", "here"),
    [
        (KEYS, True),
        ([(place, 0.5) for place in range(1000)], False),
        ([hit(place, 0.5, "mat", title="key " * 1000) for place in range(20)], False),
        ([hit(place, 0.5, "mat", topic="key " * 1000) for place in range(20)], False),
    ],
)
def test_many_hits_and_long_passages_are_weighed_in_a_thread(hits, here, monkeypatch):
    threads = _threads_of(monkeypatch, "blended")
    aretrieved(rm.RetrievalEngine(AwaitedTable(hits), settings=rm.EngineSettings(candidates=2000)), "key")
    assert [thread == threading.get_ident() for thread in threads] == [here]


@pytest.mark.parametrize(("answer", "here"), [("the key", True), ("key " * 100_000, False)])
def test_a_long_answer_of_a_model_is_read_in_a_thread(answer, here, monkeypatch):
    class Chat(Model):
        async def achat(self, prompt):
            return self(prompt)

    threads = _threads_of(monkeypatch, "model_text")
    flow = _threads_of(monkeypatch, "blended")
    aretrieved(rm.RetrievalEngine(AwaitedTable(KEYS), llm=Chat(answer)), "key " * 26)
    assert [thread == threading.get_ident() for thread in threads] == [here]
    assert flow == [threading.get_ident()]  # what is left of the answer is short


def test_many_sums_of_feedback_are_read_in_a_thread(monkeypatch):
    class Awaited(Store):
        async def anet(self, ids, *, user_id):
            return self.answer

    threads = _threads_of(monkeypatch, "read_sums")
    for many in (3, 1000):
        store = Awaited(dict.fromkeys(range(many), 1))
        aretrieved(rm.RetrievalEngine(AwaitedTable(KEYS), feedback=store), "key", user_id="ada")
    assert [thread == threading.get_ident() for thread in threads] == [True, False]


def test_an_order_of_ones_own_is_asked_in_a_thread():
    threads = set()

    def order(one):
        threads.add(threading.get_ident())
        return one.id

    context = rm.ContextAssembler(order=order)
    aretrieved(rm.RetrievalEngine(Table(KEYS), settings=rm.EngineSettings(context=context)), "key")
    assert threads
    assert threading.get_ident() not in threads


def test_the_event_loop_goes_on():
    hits = [hit(place, 0.9, f"word{place} of many " * 4000) for place in range(20)]
    engine = rm.RetrievalEngine(Table(hits))

    async def scenario():
        gaps, done = [], asyncio.Event()

        async def beat():
            last = time.perf_counter()
            while not done.is_set():
                await asyncio.sleep(0)
                now = time.perf_counter()
                gaps.append(now - last)
                last = now

        beating = asyncio.ensure_future(beat())
        await engine.aretrieve("many words " * 20_000)
        done.set()
        await beating
        return sorted(gaps)

    gaps = asyncio.run(scenario())
    assert gaps[int(len(gaps) * 0.99)] < 0.02


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: rm.RetrievalEngine(7),
            TypeError,
            "memory must be an object with search_candidates(query, *, user_id, top_k), and int has none",
        ),
        (lambda: rm.RetrievalEngine(Table), TypeError, "memory is the class Table; pass one of its objects"),
        (
            lambda: rm.RetrievalEngine(rm.SqliteStore(":memory:")),
            TypeError,
            (
                "memory must be an object with search_candidates(query, *, user_id, top_k), and SqliteStore "
                "has none; StoreMemory(store, embedder) makes one of a store"
            ),
        ),
        (
            lambda: rm.RetrievalEngine(Table([]), llm="gpt"),
            TypeError,
            "llm must be a callable (prompt) -> str, not str",
        ),
        (
            lambda: rm.RetrievalEngine(Table([]), feedback={}),
            TypeError,
            (
                "feedback must be a FeedbackStore with add(useful_ids, harmful_ids, *, user_id) and "
                "net(ids, *, user_id), such as MemoryFeedback; dict has no `add`"
            ),
        ),
        (
            lambda: rm.RetrievalEngine(Table([]), feedback=rm.MemoryFeedback),
            TypeError,
            "feedback is the class MemoryFeedback; pass one of its objects",
        ),
        (
            lambda: rm.RetrievalEngine(Table([]), settings={}),
            TypeError,
            "settings must be an EngineSettings, not dict",
        ),
        (lambda: rm.RetrievalEngine(Table([])).retrieve(7), TypeError, "message must be a str, not int"),
        (
            lambda: rm.RetrievalEngine(Table([])).retrieve("", user_id=7),
            TypeError,
            "user_id must be a str or None, not int; pass str(user_id)",
        ),
        (
            lambda: rm.RetrievalEngine(Table([])).retrieve("", now="soon"),
            rm.InvalidArgumentError,
            (
                "now is 'soon', which is not an ISO 8601 date or time (Invalid isoformat string: 'soon'); "
                "pass a datetime, a date, an ISO 8601 string or epoch seconds"
            ),
        ),
        (
            lambda: rm.RetrievalEngine(Table([])).iterative_retrieve("", max_hops=0),
            rm.InvalidArgumentError,
            "max_hops is 0; it must be 1 or more",
        ),
        (
            lambda: rm.RetrievalEngine(Table([])).iterative_retrieve("", reasoner="ask"),
            TypeError,
            "reasoner must be a callable (message, ranking, hop) -> next query, not str",
        ),
        (
            lambda: rm.EngineSettings(candidates=0),
            rm.InvalidArgumentError,
            "candidates is 0; it must be 1 or more",
        ),
        (
            lambda: rm.EngineSettings(bm25_weight=-1),
            rm.InvalidArgumentError,
            "bm25_weight is -1.0; it must not be negative",
        ),
        (
            lambda: rm.EngineSettings(feedback_weight=2),
            rm.InvalidArgumentError,
            "feedback_weight is 2.0; it must be within 0..1",
        ),
        (lambda: rm.EngineSettings(dedup=1), TypeError, "dedup must be True or False, not int"),
        (
            lambda: rm.EngineSettings(mmr_lambda=-0.1),
            rm.InvalidArgumentError,
            "mmr_lambda is -0.1; it must be within 0..1",
        ),
        (
            lambda: rm.EngineSettings(filter_above=-1),
            rm.InvalidArgumentError,
            "filter_above is -1; it must be 0 or more",
        ),
        (
            lambda: rm.EngineSettings(half_life_days=0),
            rm.InvalidArgumentError,
            "half_life_days is 0.0; it must be above zero (math.inf: no decay)",
        ),
        (lambda: rm.EngineSettings(context=7), TypeError, "context must be a ContextAssembler, not int"),
        (
            lambda: rm.EngineSettings(timeout=0),
            rm.InvalidArgumentError,
            "timeout is 0.0 s; it must be above 0, or None for no limit",
        ),
    ],
)
def test_refusals(call, kind, message):
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == message


def test_a_model_is_given_no_more_than_it_can_read():
    model = Model("DONE")
    hits = [hit(place, 0.9, "evidence " * 5_000) for place in range(20)]
    rm.RetrievalEngine(Table(hits), llm=model).iterative_retrieve("evidence")
    assert len(model.prompts[0]) < 20_000
