"""`dedup` against the oracle, and each of its rules by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference.dedup import WHITE_SPACE, folded
from reference.dedup import dedup as oracle
from support.check import fused


def hits(*texts: str | None) -> list[tuple[str, float, rm.Document | None]]:
    return [
        (f"d{i}", 1.0 - i / 100, None if text is None else rm.Document(id=f"d{i}", text=text))
        for i, text in enumerate(texts)
    ]


def kept(*texts: str | None, limit: int | None = None) -> list[int]:
    return [int(id[1:]) for id in rm.dedup(hits(*texts), limit=limit).ids]


snippets = st.lists(
    st.sampled_from(
        ["a", "A", "ß", "SS", "é", "e\u0301", " ", "\u00a0", "\t", "\u2003", "\x1c", "\ud800", "\ufffd", "İ"]
    ),
    max_size=4,
).map("".join)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.one_of(st.none(), snippets)), max_size=8),
    st.one_of(st.none(), st.integers(0, 6)),
)
def test_equals_the_oracle(given_hits, limit):
    ranking = [(id, 1.0, None if text is None else rm.Document(id=id, text=text)) for id, text in given_hits]
    found = rm.dedup(ranking, limit=limit)
    assert fused(found) == oracle(ranking, limit=limit)


@given(st.lists(snippets, max_size=8))
def test_once_is_enough(texts):
    once = rm.dedup(hits(*texts))
    assert rm.dedup(once) == once
    keys = [folded(one.document.text) for one in once]
    spoken = [key for key in keys if key]
    assert len(spoken) == len(set(spoken))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Straße", "STRASSE"),
        ("a  b", " a\tb\n"),
        ("caf\u00e9", "cafe\u0301"),
        ("a\u00a0b", "a b"),
        ("a\u3000b", "a\u2028b"),
        ("x\ud800", "x\ufffd"),
        ("ΣΑΣ", "σας"),
    ],
)
def test_equal_texts(left, right):
    assert kept(left, right) == [0]
    assert kept(right, left) == [0]


@pytest.mark.parametrize(
    ("left", "right"),
    [("a b", "ab"), ("a", "a."), ("ﬁ\u200b", "ﬁ"), ("a\x1cb", "a b"), ("1", "１"), ("İ", "i")],
)
def test_different_texts(left, right):
    assert kept(left, right) == [0, 1]


@pytest.mark.parametrize("space", sorted(WHITE_SPACE))
def test_every_white_space_is_one_space(space):
    assert kept("a b", f"a{space}{space}b", f"{space}a b{space}") == [0]


def test_blank_texts_say_nothing_and_stay():
    assert kept("", " ", "\u3000", "") == [0, 1, 2, 3]


def test_bare_hits_go_by_id_and_only_against_bare_hits():
    ranking = [
        ("a", 1.0, rm.Document(id="a", text="one")),
        ("a", 0.9, None),
        ("a", 0.8, None),
        ("b", 0.7, None),
    ]
    assert fused(rm.dedup(ranking)) == [("a", 1.0), ("a", 0.9), ("b", 0.7)]
    assert rm.dedup(["a", "b", "a"]).ids == ["a", "b"]


def test_equal_ids_with_different_texts_both_stay():
    ranking = [("a", 1.0, rm.Document(id="a", text="one")), ("a", 0.9, rm.Document(id="a", text="two"))]
    assert len(rm.dedup(ranking)) == 2


def test_the_limit_counts_what_is_kept():
    assert kept("a", "A", "b", "c", limit=2) == [0, 2]
    assert kept("a", "b", limit=0) == []
    assert kept("a", "b", limit=10**30) == [0, 1]


def test_scores_documents_and_order_stay():
    ranking = hits("one", "two", "ONE")
    found = rm.dedup(ranking)
    assert list(found) == [rm.Hit(*one) for one in ranking[:2]]
    assert rm.dedup(["a", "b"]).scores is None


def test_scores_play_no_part():
    worse_first = [("a", 0.1, rm.Document(id="a", text="x")), ("b", 0.9, rm.Document(id="b", text="X"))]
    assert rm.dedup(worse_first).ids == ["a"]
    unfit = [("a", float("nan"), None), ("b", None, None)]
    assert rm.dedup(unfit).ids == ["a", "b"]


def test_titles_play_no_part():
    ranking = [
        ("a", 1.0, rm.Document(id="a", title="A", text="x")),
        ("b", 0.9, rm.Document(id="b", title="B", text="x")),
    ]
    assert rm.dedup(ranking).ids == ["a"]
