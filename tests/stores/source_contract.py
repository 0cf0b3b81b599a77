"""What every store does that keeps files' documents together. Subclass it and say how a store is made."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankmeld as rm
from stores.samples import Colour


class SourceContract:
    """Sources: files that were indexed."""

    def make_store(self, tmp_path):
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path):
        with self.make_store(tmp_path) as store:
            yield store

    def test_a_source_and_its_digest_may_be_members_of_an_enum(self, store):
        store.replace_source(Colour.RED, Colour.RED, [])
        assert store.sources() == {"red": "red"}
        assert store.source_digest("red") == "red"

    def test_a_source_is_replaced_as_a_whole(self, store):
        store.add([rm.Document("free", "word")])
        assert store.replace_source("a.md", "d1", [rm.Document(f"a#{i}", "word") for i in range(3)]) == 3
        assert store.source_digest("a.md") == "d1"
        assert store.replace_source(Path("a.md"), "d2", [rm.Document("a#1", "other")]) == 1
        assert store.source_digest("a.md") == "d2"
        assert store.lexical("word other", limit=None).ids == ["free", "a#1"]
        assert store.sources() == {"a.md": "d2"}

    def test_a_source_without_documents_is_still_registered(self, store):
        assert store.replace_source("empty.md", "d", [], vectors=np.empty((0, 3))) == 0
        assert store.sources() == {"empty.md": "d"}

    def test_a_refused_replacement_leaves_the_source_as_it_was(self, store):
        store.replace_source("a.md", "d1", [rm.Document("a", "word")])
        with pytest.raises(rm.InvalidArgumentError):
            store.replace_source("a.md", "d2", [rm.Document("a")], vectors=[[float("nan")]])
        assert store.source_digest("a.md") == "d1"
        assert store.lexical("word", limit=None).ids == ["a"]

    def test_removing_a_source_takes_its_documents_and_nothing_else(self, store):
        store.add([rm.Document("free", "word")])
        store.replace_source("a", "d", [rm.Document(1, "word"), rm.Document(2)], vectors=np.eye(2))
        store.replace_source("b", "d", [rm.Document(3, "word")])
        assert store.remove_source("a") == 2
        assert store.remove_source("a") == 0
        assert store.sources() == {"b": "d"}
        assert store.lexical("word", limit=None).ids == ["free", 3]
        assert store.dimensions is None

    def test_a_document_belongs_to_who_wrote_it_last(self, store):
        store.replace_source("a", "d", [rm.Document(1), rm.Document(2)])
        store.replace_source("b", "d", [rm.Document(1)])
        store.add([rm.Document(2)])
        assert store.remove_source("a") == 0
        assert len(store) == 2
        assert store.remove_source("b") == 1

    def test_names_of_sources_are_kept_to_the_byte(self, store):
        names = ["a", "A", "é", "e\u0301", "broken-\udce4", "with\x00nul"]
        for name in names:
            store.replace_source(name, f"digest of {name!r}", [])
        assert store.sources() == {name: f"digest of {name!r}" for name in names}
        assert store.source_digest("b") is None
        with pytest.raises(TypeError, match="path must be a str or a path, not bytes"):
            store.remove_source(b"a")
