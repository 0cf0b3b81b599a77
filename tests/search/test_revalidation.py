"""Looking candidates up: what is gone is dropped, and the lookup is asked no more than it must be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmeld as rm
from reference import vector_search as oracle
from support.refusals import refusal

DOCUMENTS = {id: rm.Document(id, f"text of {id}") for id in ("a", "b", "c")}


class Lookup:
    """Holds documents; fails for some ids."""

    def __init__(self, documents: Any = DOCUMENTS, failing: Any = ()) -> None:
        self.documents, self.failing = documents, failing
        self.singles: list[Any] = []
        self.many: list[list[Any]] = []

    def get(self, id: Any, /) -> Any:
        self.singles.append(id)
        if id in self.failing:
            raise RuntimeError("no lookup")
        return self.documents.get(id)


class Many(Lookup):
    """Also gives many at once, in one of several ways."""

    def __init__(self, answer: Any, **options: Any) -> None:
        super().__init__(**options)
        self.answer = answer

    def get_many(self, ids: Any, /) -> Any:
        self.many.append(list(ids))
        return self.answer(ids)


def fails(_ids: Any) -> Any:
    raise RuntimeError("no lookup of many")


def works(ids: Any) -> Any:
    return {id: DOCUMENTS[id] for id in ids if id in DOCUMENTS}


@given(
    st.lists(st.tuples(st.sampled_from("abcxyz"), st.floats(-1, 1)), max_size=12),
    st.frozensets(st.sampled_from("abcxyz")),
    st.sampled_from([None, fails, works]),
)
def test_parity(candidates: list[tuple[str, float]], failing: frozenset[str], answer: Any) -> None:
    lookup = Lookup(failing=failing) if answer is None else Many(answer, failing=failing)
    found = rm.revalidate(candidates, lookup)
    expected = oracle.revalidate(
        candidates, DOCUMENTS.get if answer is works else Lookup(failing=failing).get
    )
    assert [tuple(hit) for hit in found] == expected
    distinct = list(dict.fromkeys(id for id, _ in candidates))
    assert lookup.many == ([distinct] if answer is not None and distinct else [])
    assert lookup.singles == ([] if answer is works else distinct)


def test_each_form_of_candidates_and_lookups() -> None:
    assert rm.revalidate(["x", "a"], DOCUMENTS).scores is None
    old = rm.Document("a", "as it was")
    assert rm.revalidate([("a", 0.5, old)], DOCUMENTS).documents == [DOCUMENTS["a"]]
    assert rm.revalidate([(1, 0.5), (True, 0.4)], {1: rm.Document(1)}).ids == [1, True]
    with rm.SqliteStore(":memory:") as store:
        store.add(DOCUMENTS.values())
        store.delete(["b"])
        ranking = rm.revalidate([("b", 0.9), ("a", 0.8), ("a", 0.7)], store)
        assert [tuple(hit) for hit in ranking] == [("a", 0.8, DOCUMENTS["a"]), ("a", 0.7, DOCUMENTS["a"])]
        # The store refuses ids that it cannot hold; these alone are missing.
        assert rm.revalidate([(frozenset({1}), 0.9), ("c", 0.8)], store).ids == ["c"]


def test_earlier_stages_are_still_explained() -> None:
    fusion = rm.rrf([rm.Source("dense", ["x", "a"]), rm.Source("words", ["a"])])
    told = str(rm.revalidate(fusion, DOCUMENTS).explain("a"))
    assert "revalidate" in told
    assert "dense" in told


@pytest.mark.parametrize("answer", [lambda _ids: None, lambda ids: [DOCUMENTS[id] for id in ids]])
def test_many_that_are_no_mapping_are_asked_for_one_by_one(answer: Any) -> None:
    lookup = Many(answer)
    assert rm.revalidate(["a", "b"], lookup).ids == ["a", "b"]
    assert lookup.singles == ["a", "b"]


def test_many_with_a_none_or_less_are_missing() -> None:
    lookup = Many(lambda _ids: {"a": None, "b": DOCUMENTS["b"], "other": DOCUMENTS["c"]})
    assert rm.revalidate(["a", "b", "c"], lookup).ids == ["b"]
    assert lookup.singles == []


def test_wiring_slips_are_told_rather_than_hidden() -> None:
    class Waits:
        async def get(self, id: Any, /) -> Any:
            return DOCUMENTS[id]

    assert refusal(TypeError, rm.revalidate, ["a"], Waits()) == (
        "lookup.get is asynchronous (it gave a coroutine); await it beforehand and pass a dict of documents"
    )
    assert refusal(TypeError, rm.revalidate, ["a"], {"a": {"text": "t"}}) == (
        "lookup gave dict for the id 'a'; it must be a Document or None, so make one with Document(id, text)"
    )
    for lookup, kind in ((None, "NoneType"), (Lookup, "the class Lookup"), ([], "list")):
        assert refusal(TypeError, rm.revalidate, [], lookup) == (
            "lookup must be an object with `get(id)`, such as a SqliteStore or a dict of documents, not "
            + kind
        )
    assert "str" in refusal(TypeError, rm.revalidate, "abc", DOCUMENTS)
    with pytest.raises(KeyboardInterrupt):
        rm.revalidate(["a"], Many(interrupts))


def interrupts(_ids: Any) -> Any:
    raise KeyboardInterrupt
