"""`ContextAssembler` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import copy
import datetime as dt
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.engine import context as oracle

COUNTERS = {
    "characters": len,
    "words": lambda text: len(text.split()),
    "quarters": lambda text: -(-len(text) // 4),
    "lines": lambda text: text.count("\n"),
    "distinct": lambda text: len(set(text.split())),
    "nothing": lambda text: 0,
    "marked": lambda text: len(text.split()) + 2,
}

#: A longer text may count less.
ERRATIC = {
    "modulo": lambda text: len(text) % 97,
    "hashed": lambda text: sum(text.encode("utf-8", "replace")) % 50,
    "shrinking": lambda text: max(0, 400 - len(text)),
}

words = st.text("ab \n§é日\ud800", max_size=60)
documents = st.builds(
    rm.Document,
    st.integers(0, 5),
    words,
    created_at=st.one_of(
        st.none(),
        st.datetimes(
            timezones=st.just(dt.timezone(dt.timedelta(hours=-5))), min_value=dt.datetime(2, 1, 1)
        ).filter(lambda moment: moment.year < 9999),
    ),
    confidence=st.one_of(st.none(), st.floats(-0.5, 1.5)),
    volatile=st.booleans(),
    parent_id=st.one_of(st.none(), st.sampled_from(["book", "letter"])),
    metadata=st.one_of(
        st.just({}), st.fixed_dictionaries({"line": st.one_of(st.integers(0, 9), st.just("x"))})
    ),
)
rankings = st.lists(st.one_of(documents, documents, documents, st.none()), max_size=12)


def hits(documents):
    return [(n if one is None else one.id, -n, one) for n, one in enumerate(documents)]


@given(rankings, st.integers(0, 300), st.sampled_from(sorted(COUNTERS)), st.sampled_from(["stop", "skip"]))
def test_equals_the_oracle(documents, budget, counter, fill):
    count = COUNTERS[counter]
    included, text = oracle(documents, max_tokens=budget, count=count, fill=fill)
    found = rm.ContextAssembler(max_tokens=budget, count_tokens=count, fill=fill).select(hits(documents))
    assert found.text == text
    assert (
        found.included.scores.tolist() == [-place for place in included] if included else not found.included
    )
    assert [one.hit.score for one in found.skipped] == [
        -place for place in range(len(documents)) if place not in included
    ]
    assert found.tokens == (count(text) if text else 0)


@given(
    rankings,
    st.integers(0, 300),
    st.sampled_from(sorted(COUNTERS | ERRATIC)),
    st.fixed_dictionaries(
        {
            "fill": st.sampled_from(["stop", "skip"]),
            "order": st.sampled_from(["ranking", "time", "source"]),
            "header": st.sampled_from(["", "§§§", "=== RELEVANT ==="]),
        }
    ),
)
def test_no_counter_and_no_order_ever_exceeds_the_budget(documents, budget, counter, options):
    count = (COUNTERS | ERRATIC)[counter]
    assembler = rm.ContextAssembler(max_tokens=budget, count_tokens=count, footer="", **options)
    found = assembler.select(hits(documents))
    assert assembler.assemble(hits(documents)) == found.text
    if not found.text:
        assert (len(found.included), found.tokens) == (0, 0)
        return
    assert found.tokens == count(found.text) <= budget
    texts = [one.document.text.replace("\ud800", "\ufffd") for one in found.included]
    assert all(text in found.text for text in texts)
    assert len(found.included) + len(found.skipped) == len(documents)
    assert found.included.scores.tolist() == sorted(found.included.scores.tolist(), reverse=True)


@given(rankings, st.integers(0, 120), st.sampled_from(sorted(COUNTERS)))
def test_the_reasons_are_true(documents, budget, counter):
    count = COUNTERS[counter]
    for fill in ("stop", "skip"):
        found = rm.ContextAssembler(max_tokens=budget, count_tokens=count, fill=fill).select(hits(documents))
        stopped = False
        for one in found.skipped:
            blank = one.hit.document is None or not one.hit.document.text.strip()
            if blank:
                assert (one.reason, one.tokens) == ("no_text", None)
            elif stopped:
                assert (one.reason, one.tokens) == ("after_stop", None)
            else:
                assert one.reason == "too_long"
                assert one.tokens > budget
                stopped = fill == "stop"


def memory(id, score, text, **fields):
    return (id, score, rm.Document(id, text, **fields))


MEMORIES = [
    memory("late", 0.9, "Third thing.", created_at="2024-03-03", parent_id="b"),
    memory("undated", 0.8, "No day.", parent_id="a", metadata={"line": 9}),
    memory("early", 0.7, "First thing.", created_at="2024-03-01", parent_id="a", metadata={"line": 2}),
    memory("middle", 0.6, "Second thing.", created_at="2024-03-02", parent_id="b", metadata={"line": 1}),
    memory("bare", 0.5, "On its own."),
]


def lines(text):
    return [line for line in text.splitlines() if line.endswith(".")]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("ranking", ["Third thing.", "No day.", "First thing.", "Second thing.", "On its own."]),
        ("time", ["First thing.", "Second thing.", "Third thing.", "No day.", "On its own."]),
        # The source of the best hit first, within it by line; a passage without a line after those with one.
        ("source", ["Second thing.", "Third thing.", "First thing.", "No day.", "On its own."]),
        (lambda hit: hit.id, ["On its own.", "First thing.", "Third thing.", "Second thing.", "No day."]),
    ],
)
def test_the_order_of_the_text_is_not_that_of_the_choice(order, expected):
    found = rm.ContextAssembler(order=order).select(MEMORIES)
    assert lines(found.text) == expected
    assert found.included.ids == ["late", "undated", "early", "middle", "bare"]
    assert found.included.explain("early").stages[-1].details["place_in_text"] == expected.index(
        "First thing."
    )
    # With little room, the best come in, not the first of the text.
    small = rm.ContextAssembler(order=order, max_tokens=20, count_tokens=lambda text: len(text.split()))
    assert small.select(MEMORIES).included.ids == found.included.ids[: len(small.select(MEMORIES).included)]
    assert small.select(MEMORIES).included.ids[:2] == ["late", "undated"]


def test_a_block_says_when_and_how_sure_and_to_verify():
    document = rm.Document(
        "m", "The text.", created_at="2023-12-31T23:59:59.75+02:00", confidence=1.7, volatile=True
    )
    assert rm.ContextAssembler().assemble([document]) == (
        "=== RELEVANT MEMORIES ===\n\n[2023-12-31T21:59:59Z] (confidence: 1.00)\n[verify live] The text.\n\n"
        "=== END MEMORIES ==="
    )
    ancient = rm.Document("m", "Old.", created_at=dt.datetime(1, 1, 1), confidence=-0.0)
    assert "[0001-01-01T00:00:00Z] (confidence: 0.00)\nOld." in rm.ContextAssembler().assemble([ancient])


@pytest.mark.parametrize("text", ["", " \n\t", "\u3000"])
def test_a_hit_without_a_text_is_left_out_and_costs_nothing(text):
    found = rm.ContextAssembler().select([rm.Document("a", text, title="A title"), rm.Document("b", "Text.")])
    assert found.included.ids == ["b"]
    assert [str(one) for one in found.skipped] == ["'a': no text"]


def test_texts_come_as_they_are_but_for_what_nobody_can_encode():
    text = "cafe\u0301  two  spaces\r\n\x00\ud800 end "
    found = rm.ContextAssembler().assemble([rm.Document("a", text)])
    assert text.replace("\ud800", "\ufffd") in found
    found.encode()


def test_nothing_fits_is_an_empty_text():
    found = rm.ContextAssembler(max_tokens=3).select(
        [rm.Document("a", "Some text."), rm.Document("b", "More.")]
    )
    assert (found.text, found.tokens, str(found), bool(found)) == ("", 0, "", False)
    assert [(one.id, one.reason) for one in found.skipped] == [("a", "too_long"), ("b", "after_stop")]
    assert rm.ContextAssembler(max_tokens=0, count_tokens=lambda text: 0).assemble([rm.Document("a", "x")])


def test_without_header_and_footer_there_are_blocks_alone():
    bare = rm.ContextAssembler(header="", footer="", max_tokens=2)
    assert bare.assemble([rm.Document("a", "abc"), rm.Document("b", "def")]) == "abc\n\ndef"
    assert bare.assemble([]) == ""


def test_the_manifest_goes_through_json():
    found = rm.ContextAssembler(max_tokens=20, fill="skip").select(
        [rm.Document("a", "x" * 100), rm.Document("b", "Fits."), ("c", 0.5)]
    )
    assert json.loads(json.dumps(found.to_dict())) == {
        "text": found.text,
        "tokens": 14,
        "budget": 20,
        "included": ["b"],
        "skipped": [
            {"id": "a", "reason": "too_long", "tokens": 38},
            {"id": "c", "reason": "no_text", "tokens": None},
        ],
    }


def test_contexts_are_copied_and_pickled():
    found = rm.ContextAssembler().select(MEMORIES)
    assert copy.deepcopy(found) == found
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_budget_for_one_call():
    assembler = rm.ContextAssembler(fill="skip", header="H", footer="", count_tokens=len)
    smaller = assembler.with_budget(8)
    assert smaller.assemble([rm.Document("a", "12345")]) == "H\n\n12345"
    assert smaller.with_budget(7).assemble([rm.Document("a", "12345")]) == ""
    assert (assembler.max_tokens, smaller.max_tokens) == (2000, 8)
    assert (
        repr(smaller) == "ContextAssembler(max_tokens=8, count_tokens=<built-in function len>, fill='skip')"
    )
    assert repr(rm.ContextAssembler(order="time")) == "ContextAssembler(max_tokens=2000, order='time')"


def test_few_texts_are_counted():
    seen = []

    def count(text):
        seen.append(len(text))
        return len(text.split())

    many = [rm.Document(n, "word " * (n % 7 + 1)) for n in range(20_000)]
    found = rm.ContextAssembler(max_tokens=30_000, count_tokens=count).select(many)
    assert 7_000 < len(found.included) < 8_000
    assert len(seen) <= 8
    assert sum(seen) <= 8 * len(found.text)


def test_a_counter_that_misleads_costs_a_logarithm():
    seen = []

    def count(text):  # the last hits are worth all the tokens
        seen.append(text)
        return max(0, text.count("word") - 9_000) * 50

    many = [rm.Document(n, "word") for n in range(10_000)]
    found = rm.ContextAssembler(max_tokens=100, count_tokens=count).select(many)
    assert len(found.included) == 9_002
    assert len(seen) < 40


ORDERS = "'ranking', 'time', 'source'"
REFUSED = [
    ({"max_tokens": -1}, rm.InvalidArgumentError, "max_tokens is -1; it must be 0 or more"),
    ({"max_tokens": 2.5}, TypeError, "max_tokens must be an integer, not float"),
    ({"max_tokens": True}, TypeError, "max_tokens must be an integer, not bool"),
    ({"max_tokens": None}, TypeError, "max_tokens must be an integer, not NoneType"),
    ({"count_tokens": 4}, TypeError, "count_tokens must be a callable text -> int, not int"),
    ({"fill": "cut"}, rm.InvalidArgumentError, "fill is 'cut'; it must be one of 'stop', 'skip'"),
    (
        {"order": "best"},
        rm.InvalidArgumentError,
        f"order is 'best'; it must be one of {ORDERS}",
    ),
    ({"order": None}, TypeError, f"order must be one of {ORDERS}, not NoneType"),
    ({"header": None}, TypeError, "header must be a str, not NoneType; '' for none"),
    ({"footer": b"F"}, TypeError, "footer must be a str, not bytes; '' for none"),
]


@pytest.mark.parametrize(("options", "error", "text"), REFUSED)
def test_options_are_refused_before_there_is_a_ranking(options, error, text):
    with pytest.raises(error) as refusal:
        rm.ContextAssembler(**options)
    assert str(refusal.value) == text


WANTED = "count_tokens must give the number of tokens of a text, an integer of 0 or more; it gave "


def test_a_counter_that_would_be_awaited_is_named():
    async def counter(text):
        return len(text)

    with pytest.raises(TypeError) as refusal:
        rm.ContextAssembler(count_tokens=counter).select([rm.Document("a", "Text.")])
    assert str(refusal.value) == WANTED + "a coroutine, and is not awaited; pass a plain function"


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        (-3, rm.InvalidArgumentError, "-3"),
        (2.0, TypeError, "a float"),
        (True, TypeError, "a bool"),
        (np.True_, TypeError, "a bool"),
        (None, TypeError, "a NoneType"),
        ("7", TypeError, "a str; wrap it to give len(...)"),
        ([1, 2], TypeError, "a list; wrap it to give len(...)"),
    ],
)
def test_a_counter_that_gives_no_count_is_named(given, error, text):
    with pytest.raises(error) as refusal:
        rm.ContextAssembler(count_tokens=lambda _: given).select([rm.Document("a", "Text.")])
    assert str(refusal.value) == WANTED + text


def test_counts_of_numpy_are_counts_and_what_a_counter_raises_comes_through():
    found = rm.ContextAssembler(count_tokens=lambda text: np.int64(len(text))).select(MEMORIES)
    assert type(found.tokens) is int

    def failing(text):
        raise ConnectionError("no tokenizer")

    with pytest.raises(ConnectionError, match="no tokenizer"):
        rm.ContextAssembler(count_tokens=failing).select(MEMORIES)
    assert rm.ContextAssembler(count_tokens=failing).assemble([]) == ""  # nothing to be counted


def test_inputs_are_not_changed():
    given = list(MEMORIES)
    rm.ContextAssembler(order="time").select(given)
    assert given == MEMORIES
