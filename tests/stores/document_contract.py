"""What every store does with documents. Subclass it and say how a store is made."""

from __future__ import annotations

import datetime as dt
import sqlite3
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import rankmeld as rm
from stores.samples import EVERY_FIELD, IDS, BrokenEmbedder, Colour, LetterEmbedder, Loud, Size

CYCLE: list[object] = []
CYCLE.append([CYCLE])


class DocumentContract:
    """Adding, replacing, deleting and looking up documents.

    A store whose back end has no transactions says ``atomic = False``: documents are checked before the
    first is written, and then they are written batch by batch.
    """

    atomic = True

    def make_store(self, tmp_path):
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path):
        with self.make_store(tmp_path) as store:
            yield store

    # --- round trips ----------------------------------------------------------------------------

    def test_every_field_comes_back_as_it_went_in(self, store):
        store.add([EVERY_FIELD])
        back = store.get(EVERY_FIELD.id)
        assert back == EVERY_FIELD
        assert type(back.metadata["yes"]) is bool
        assert back.created_at.utcoffset() == dt.timedelta(hours=-5)
        assert back.text == EVERY_FIELD.text  # not composed

    def test_a_bare_document_comes_back(self, store):
        store.add([rm.Document("bare")])
        assert store.get("bare") == rm.Document("bare")

    def test_ids_of_every_kind_are_kept_apart_and_come_back(self, store):
        store.add([rm.Document(id, text=repr(id)) for id in IDS])
        assert len(store) == len(IDS)
        for id in IDS:
            found = store.get(id)
            assert found.text == repr(id)
            assert found.id == id
            assert type(found.id) is type(id)

    @pytest.mark.parametrize(
        ("first", "same"),
        [(1, True), (1, 1.0), (0, -0.0), (True, np.int64(1)), ((1, "a"), (1.0, "a")), ("a", np.str_("a"))],
    )
    def test_ids_that_are_equal_are_one(self, store, first, same):
        store.add([rm.Document(first, "old")])
        assert same in store
        store.add([rm.Document(same, "new")])
        assert len(store) == 1
        assert store.get(first).text == "new"

    @pytest.mark.parametrize(("member", "value"), [(Colour.RED, "red"), (Size.BIG, 7), (Loud("red"), "red")])
    def test_a_value_of_a_subclass_is_the_value_that_it_equals(self, store, member, value):
        document = rm.Document(member, member if member == "red" else "", metadata={"kind": [member]})
        store.add([document, rm.Document(("part", member))])
        for same in (member, value):
            found = store.get(same)
            assert (found.id, found.text, found.metadata) == (value, document.text, {"kind": [value]})
            assert type(found.id) is type(found.metadata["kind"][0]) is type(value)
            assert store.get(("part", same)).id == ("part", value)
        assert store.delete([value, ("part", value)]) == 2

    @pytest.mark.parametrize("id", [None, Decimal(1), frozenset({1}), Path("a"), 1j, (1, None), object()])
    def test_ids_of_other_kinds_are_refused_by_name(self, store, id):
        with pytest.raises(TypeError, match=r"an id of type .* cannot be stored"):
            store.add([rm.Document("good"), rm.Document(id)])
        assert len(store) == 0
        with pytest.raises(TypeError, match=r"an id of type .* cannot be stored"):
            store.get(id)

    def test_a_nan_inside_an_id_is_refused(self, store):
        with pytest.raises(rm.InvalidArgumentError, match="NaN"):
            store.add([rm.Document((1, float("nan")))])

    def test_lone_surrogates_become_replacement_characters(self, store):
        store.add([rm.Document("a", "x\ud800y", "t\udfff", "e\u0301\ud83d")])
        found = store.get("a")
        assert (found.text, found.title, found.topic) == ("x\ufffdy", "t\ufffd", "e\u0301\ufffd")

    def test_metadata_that_cannot_be_kept_names_document_and_key(self, store):
        with pytest.raises(TypeError, match=r"metadata\['when'\] of document 'b': .* type timedelta"):
            store.add([rm.Document("a"), rm.Document("b", metadata={"ok": 1, "when": dt.timedelta(1)})])
        assert len(store) == 0

    @pytest.mark.parametrize(
        ("value", "message"), [([[1] * 2, {"huge": 10**5000}], "too large"), (CYCLE, "contains itself")]
    )
    def test_metadata_without_bounds_names_document_and_key(self, store, value, message):
        with pytest.raises(rm.InvalidArgumentError, match=rf"metadata\['x'\] of document 'b': .*{message}"):
            store.add([rm.Document("a"), rm.Document("b", metadata={"ok": 1, "x": value})])
        assert len(store) == 0

    def test_an_integer_without_bounds_is_no_id(self, store):
        for call in (store.get, lambda id: store.add([rm.Document(id)]), lambda id: store.delete([id])):
            with pytest.raises(rm.InvalidArgumentError, match="too large to be stored"):
                call(10**5000)

    # --- adding and replacing -------------------------------------------------------------------

    def test_add_counts_distinct_documents_and_the_last_one_counts(self, store):
        assert store.add([rm.Document("a", "one"), rm.Document("b"), rm.Document("a", "two")]) == 2
        assert store.get("a").text == "two"

    def test_with_vectors_too_the_last_of_an_id_counts(self, store):
        store.add([rm.Document("a"), rm.Document("b"), rm.Document("a")], vectors=[[1, 0], [1, 1], [0, 1]])
        assert store.vector([0, 1], limit=None).ids == ["a", "b"]

    def test_add_takes_any_iterable_once(self, store):
        assert store.add(rm.Document(i) for i in range(3)) == 3
        assert store.add([]) == 0
        assert len(store) == 3

    def test_replacing_forgets_the_old_words_vector_and_metadata(self, store):
        store.add([rm.Document("a", "zebra", metadata={"project": "x"})], vectors=[[1.0, 0.0]])
        store.add([rm.Document("a", "giraffe")])
        assert store.lexical("zebra", limit=None).ids == []
        assert store.lexical("giraffe", limit=None).ids == ["a"]
        assert store.lexical("giraffe", limit=None, filters={"project": "x"}).ids == []
        assert store.vector([1.0, 0.0], limit=None).ids == []

    def test_a_replaced_document_keeps_its_place_among_equals(self, store):
        store.add([rm.Document(id, "same words") for id in "abc"])
        store.add([rm.Document("a", "same words", metadata={"edition": 2})])
        assert store.lexical("words", limit=None).ids == ["a", "b", "c"]

    @pytest.mark.parametrize("slip", [rm.Document("a"), 7, None])
    def test_one_document_where_a_list_belongs_is_a_type_error(self, store, slip):
        with pytest.raises(TypeError, match="documents must be an iterable of Document"):
            store.add(slip)

    def test_something_else_among_documents_is_named_by_its_place(self, store):
        with pytest.raises(TypeError, match=r"documents\[1\] must be a Document, not str"):
            store.add([rm.Document("a"), "b"])
        assert len(store) == 0

    # --- deleting and looking up ----------------------------------------------------------------

    def test_delete_counts_what_was_there(self, store):
        store.add([rm.Document(i, "word") for i in range(5)], vectors=np.eye(5))
        assert store.delete([0, 3, 99, "0"]) == 2
        assert store.delete([]) == 0
        assert len(store) == 3
        assert store.lexical("word", limit=None).ids == [1, 2, 4]
        assert store.vector(np.ones(5), limit=None).ids == [1, 2, 4]

    def test_one_id_where_several_belong_is_a_type_error(self, store):
        for call in (store.delete, store.get_many):
            with pytest.raises(TypeError, match="ids must be an iterable of ids, not str"):
                call("abc")

    def test_get_many_gives_what_is_there_under_the_ids_asked(self, store):
        store.add([rm.Document(i) for i in range(2000)])
        found = store.get_many([1500, "x", 3.0, *range(1990, 3000)])
        assert list(found) == [1500, 3.0, *range(1990, 2000)]
        assert found[3.0].id == 3
        assert store.get_many([]) == {}

    def test_unknown_ids_are_absent_not_errors(self, store):
        assert store.get("nothing") is None
        assert "nothing" not in store

    # --- vectors --------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("vectors", "message"),
        [
            ([[1, 2]], r"vectors holds 1 vectors for 2 documents"),
            ([[1, 2], [1, float("nan")]], r"vectors\[1\] \(document 'b'\) is nan in dimension 1"),
            ([[1, float("-inf")], [1, 2]], r"vectors\[0\] \(document 'a'\) is -inf in dimension 1"),
            (np.array([[1e39, 1], [1, 1]]), r"document 'a'\) is 1e\+39 in dimension 0; .* fit float32"),
            ([[1, 2], [1, 2, 3]], r"vectors\[1\] \(document 'b'\) has 3 dimensions .* 2"),
            (np.zeros(2), r"vectors has shape \(2,\); it must be \(N, D\)"),
            (np.zeros((2, 0)), r"vectors has shape \(2, 0\)"),
            (np.zeros((2, 2, 2)), r"vectors has shape \(2, 2, 2\)"),
        ],
    )
    def test_vectors_that_cannot_be_searched_are_refused(self, store, vectors, message):
        with pytest.raises(rm.InvalidArgumentError, match=message):
            store.add([rm.Document("a"), rm.Document("b")], vectors=vectors)
        assert len(store) == 0

    @pytest.mark.parametrize("vectors", ["ab", 3, [["a"], ["b"]], np.zeros((2, 2), complex), [None, None]])
    def test_vectors_of_another_kind_are_type_errors(self, store, vectors):
        with pytest.raises(TypeError, match="vectors"):
            store.add([rm.Document("a"), rm.Document("b")], vectors=vectors)

    @pytest.mark.parametrize(
        "form",
        [
            np.array([[3, 4], [0, 1]], ">i2"),
            np.array([[3, 4], [0, 1]], "f8", order="F"),
            np.array([[3, 0, 4], [0, 0, 1]], "f4")[:, ::2],
            [[3, 4], [0, 1]],
            [np.array([3, 4]), (0, 1)],
        ],
    )
    def test_vectors_of_any_form_are_the_same_vectors(self, store, form):
        store.add([rm.Document("a"), rm.Document("b")], vectors=form)
        ranking = store.vector([0, 2], limit=None)
        assert ranking.ids == ["b", "a"]
        assert ranking.scores == pytest.approx([1.0, 0.8], abs=1e-6)

    def test_the_first_vectors_decide_width_and_model(self, store):
        assert (store.model, store.dimensions) == (None, None)
        store.add([rm.Document("a", "ab")], embedder=LetterEmbedder())
        assert (store.model, store.dimensions) == ("letters", 3)
        with pytest.raises(
            rm.InvalidArgumentError, match="model 'other', and those of the store of 'letters'"
        ):
            store.add([rm.Document("b")], embedder=LetterEmbedder("other"))
        with pytest.raises(rm.InvalidArgumentError, match="does not say of which"):
            store.add([rm.Document("b")], vectors=[[1, 2, 3]])
        with pytest.raises(rm.InvalidArgumentError, match="2 dimensions, and those of the store 3"):
            store.add([rm.Document("b")], vectors=[[1, 2]], embedder=LetterEmbedder())
        assert len(store) == 1
        store.add([rm.Document("b")], vectors=[[1, 2, 3]], embedder=LetterEmbedder())
        assert len(store) == 2

    def test_a_refused_add_leaves_the_replaced_document_as_it_was(self, store):
        store.add([rm.Document("a", "zebra"), rm.Document("b")], embedder=LetterEmbedder())
        with pytest.raises(rm.InvalidArgumentError):
            store.add([rm.Document("a", "giraffe")], embedder=LetterEmbedder("other"))
        assert store.lexical("zebra", limit=None).ids == ["a"]
        assert store.vector([1, 1, 1], limit=None).ids == ["a", "b"]

    def test_a_store_whose_vectors_are_all_replaced_or_gone_takes_another_model(self, store):
        store.add([rm.Document("a", "ab")], embedder=LetterEmbedder())
        store.add([rm.Document("a", "ab")], embedder=LetterEmbedder("other"))
        assert store.model == "other"
        store.delete(["a"])
        assert (store.model, store.dimensions) == (None, None)
        store.add([rm.Document("b")], vectors=[[1.0]])
        assert (store.model, store.dimensions) == (None, 1)

    def test_vectors_beside_an_embedder_are_not_made_again(self, store):
        embedder = LetterEmbedder()
        store.add([rm.Document("a")], vectors=[[1, 2, 3]], embedder=embedder)
        assert embedder.calls == []

    def test_the_embedder_reads_passages(self, store):
        embedder = LetterEmbedder()
        store.add([rm.Document("a", "text", "title", "topic"), rm.Document("b", "only")], embedder=embedder)
        assert embedder.calls == [["title topic text", "only"]]

    @pytest.mark.parametrize("made", [np.zeros((1, 3)), np.full((2, 3), np.nan), np.zeros(3)])
    def test_what_an_embedder_gives_is_checked(self, store, made):
        broken = BrokenEmbedder(made)
        with pytest.raises(rm.InvalidArgumentError, match="what embedder 'letters' gave"):
            store.add([rm.Document("a"), rm.Document("b")], embedder=broken)
        assert len(store) == 0

    def test_a_plain_function_is_no_embedder(self, store):
        with pytest.raises(TypeError, match=r"CallableEmbedder\(fn"):
            store.add([], embedder=lambda texts: texts)

    # --- progress -------------------------------------------------------------------------------

    @pytest.mark.parametrize("embedder", [None, LetterEmbedder()])
    def test_progress_grows_and_ends_once_with_everything_committed(self, store, embedder):
        seen = []

        def progress(done, total):
            seen.append((done, total, len(store)))

        store.add([rm.Document(i, "abc") for i in range(700)], embedder=embedder, progress=progress)
        counts = [done for done, _, _ in seen]
        assert counts == sorted(set(counts))
        assert len(counts) >= 3
        assert {total for _, total, _ in seen} == {700}
        there = [there for _, _, there in seen]
        if self.atomic:  # a reader beside the writer sees nothing until all is there
            assert there == [0] * (len(seen) - 1) + [700]
        assert there == sorted(there)
        assert counts[-1] == there[-1] == 700

    def test_an_exception_of_progress_undoes_the_call(self, store):
        store.add([rm.Document("before", "word")])

        def stop(done, total):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            store.add([rm.Document(i, "word") for i in range(1000)], progress=stop)
        if self.atomic:
            assert len(store) == 1
            assert store.lexical("word", limit=None).ids == ["before"]
        else:
            assert 1 <= len(store) < 1001
            store.add([rm.Document(i, "word") for i in range(1000)])
            assert store.lexical("word", limit=None).ids == ["before", *range(1000)]

    @pytest.mark.parametrize("slip", [b"\xff".decode, lambda: sqlite3.connect("/no/such/folder/x")])
    def test_an_exception_of_progress_stays_what_it_is(self, store, slip):
        with pytest.raises((UnicodeDecodeError, sqlite3.OperationalError)):
            store.add([rm.Document(i) for i in range(300)], progress=lambda *_: slip())
        assert len(store) < 300
        if self.atomic:
            assert len(store) == 0

    def test_progress_that_cannot_be_called_is_refused(self, store):
        with pytest.raises(TypeError, match="progress must be a callable"):
            store.add([], progress=True)
