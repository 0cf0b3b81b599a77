"""What every store finds. Subclass it and say how a store is made."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pytest

import rankmeld as rm
from stores.samples import Colour, LetterEmbedder, Size

HOSTILE = [
    '"', "'", '""', 'a"b', "(", "(((", ")", "*", "*word*", "-", "-word", "+word", "^word", "word^2",
    ":", "title:word", "text : word", "{title text} : word", "NEAR", "NEAR(word other, 2)", "AND",
    "OR", "NOT", "word AND", "OR OR", "NOT word", "word NOT other", "word + other",
    "; DROP TABLE documents; --", "%", "_", "\\", '\\"', "word\x00other", "\x00", "\ud800",
    "word\udfff", "😀", "word 😀 👩\u200d👩\u200d👧", "日本語", "हिन्दी", "e\u0301", "\u0301",
    "\u202e word", "ﬁ", "İ", "a" * 50_000, "word " * 10_000, "?", "?1", ":name", "@x", "$x",
    "\n\t\r", "|", "rank:", "rowid", "passages",
]  # fmt: skip


class SearchContract:
    """Words, vectors, both, filters and limits.

    A store that scores words in less than float64 says in ``digits`` how many digits are right.
    """

    digits = 12

    def make_store(self, tmp_path):
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path):
        with self.make_store(tmp_path) as store:
            yield store

    @pytest.fixture
    def animals(self, store):
        store.add(
            [
                rm.Document("z", "The zebra runs.", "Striped", metadata={"project": "alpha", "type": "note"}),
                rm.Document("l", "A lion sleeps, zebras do not.", created_at="2024-01-01",
                            metadata={"project": 7, "scope": "team", "tags": ["a"], "a.b": True}),
                rm.Document("g", "Giraffes eat leaves.", topic="zebra crossing", created_at="2024-06-01",
                            metadata={"project": "Alpha", "source": "x\x00y", "text": "long " * 1000}),
                rm.Document("n", "Nothing of interest here."),
            ],
            vectors=[[1, 0], [1, 1], [0, 1], [-1, 0]],
        )  # fmt: skip
        return store

    # --- words ----------------------------------------------------------------------------------

    def test_any_word_matches_in_title_topic_or_text_and_best_is_first(self, animals):
        ranking = animals.lexical("striped zebra giraffe", limit=None)
        assert set(ranking.ids) == {"z", "l", "g"}
        assert ranking.ids[-1] == "l"
        assert list(ranking.scores) == sorted(ranking.scores, reverse=True)
        assert all(score > 0 for score in ranking.scores)
        assert ranking.name == "lexical"
        assert [document.id for document in ranking.documents] == ranking.ids

    def test_words_are_stemmed_and_accents_and_case_ignored(self, store):
        store.add([rm.Document("a", "Running CAFÉ"), rm.Document("b", "nothing"), rm.Document("c", "none")])
        for query in ("runs", "cafe", "café", "cafe\u0301", "CAFÉS"):
            assert store.lexical(query, limit=None).ids == ["a"], query

    def test_a_decomposed_text_is_found_as_well(self, store):
        store.add([rm.Document("a", "cafe\u0301 \u1112\u1161\u11ab"), rm.Document("b"), rm.Document("c")])
        assert store.lexical("café", limit=None).ids == ["a"]
        assert store.lexical("한", limit=None).ids == ["a"]

    def test_equal_scores_come_in_the_order_of_adding(self, store):
        store.add([rm.Document(id, "same words") for id in (5, "b", 3, "a")])
        assert store.lexical("word", limit=None).ids == [5, "b", 3, "a"]
        assert store.lexical("word", limit=2).ids == [5, "b"]

    @pytest.mark.parametrize("query", ["", " ", "\n", "?!", "😀", "---", "\x00"])
    def test_a_query_without_a_word_finds_nothing(self, animals, query):
        assert list(animals.lexical(query, limit=None)) == []
        assert list(animals.hybrid(query, embedder=LetterEmbedder(), limit=None)) == []

    @pytest.mark.parametrize("query", HOSTILE, ids=lambda query: ascii(query[:30]))
    def test_every_text_is_a_query_and_its_words_are_found(self, store, query):
        store.add([rm.Document("w", "word"), rm.Document("o", "unrelated")])
        expected = ["w"] if "word" in query else []
        assert store.lexical(query, limit=None).ids == expected

    def test_operators_are_words(self, store):
        store.add([rm.Document("n", "near and not or"), rm.Document("w", "word")])
        assert store.lexical("NEAR", limit=None).ids == ["n"]
        assert set(store.lexical("word NOT near", limit=None).ids) == {"n", "w"}

    def test_a_megabyte_is_a_query_and_all_its_words_count(self, store):
        store.add(
            [rm.Document("last", "w149999"), rm.Document("two", "w3 w140000"), rm.Document("none", "x")]
        )
        query = " ".join(f"w{i}" for i in range(150_000))
        assert len(query) > 1_000_000
        ranking = store.lexical(query, limit=None)
        assert ranking.ids == ["two", "last"]

    def test_a_long_query_scores_as_the_sum_of_its_words(self, store):
        store.add([rm.Document(i, " ".join(f"w{j}" for j in range(i % 7, 600, i + 2))) for i in range(40)])
        query = " ".join(f"w{i}" for i in range(600))
        whole = {hit.id: hit.score for hit in store.lexical(query, limit=None)}
        parts: dict = {}
        for word in query.split():
            for hit in store.lexical(word, limit=None):
                parts[hit.id] = parts.get(hit.id, 0.0) + hit.score
        assert whole == pytest.approx(parts, rel=10.0**-self.digits)
        assert store.lexical(query, limit=5).ids == store.lexical(query, limit=None).ids[:5]

    def test_a_repeated_word_counts_once(self, animals):
        once = animals.lexical("zebra striped", limit=None)
        assert list(animals.lexical("zebra Zebra striped ZEBRA", limit=None).scores) == list(once.scores)

    def test_a_query_of_another_kind_is_a_type_error(self, store):
        for query in (None, b"word", 3, ["word"]):
            with pytest.raises(TypeError, match="query must be a str"):
                store.lexical(query, limit=1)

    # --- vectors --------------------------------------------------------------------------------

    def test_cosine_orders_all_documents_with_vectors(self, animals):
        ranking = animals.vector(np.array([5.0, 0.0]), limit=None)
        assert ranking.ids == ["z", "l", "g", "n"]
        assert ranking.scores == pytest.approx([1.0, 0.5**0.5, 0.0, -1.0], abs=1e-6)
        assert ranking.name == "vector"
        assert ranking.documents[0].text == "The zebra runs."

    def test_documents_without_a_vector_are_not_found_by_it(self, animals):
        animals.add([rm.Document("bare", "zebra")])
        assert "bare" not in animals.vector([1, 0], limit=None).ids

    def test_zero_vectors_are_alike_to_nothing(self, store):
        store.add([rm.Document("zero"), rm.Document("one")], vectors=[[0, 0], [1, 0]])
        assert store.vector([1, 0], limit=None).ids == ["one", "zero"]
        assert list(store.vector([0, 0], limit=None).scores) == [0.0, 0.0]

    def test_a_store_without_vectors_finds_nothing_by_vector(self, store):
        store.add([rm.Document("a", "word")])
        assert list(store.vector([1.0, 2.0], limit=None)) == []

    def test_new_vectors_are_found_at_once_and_gone_ones_never(self, animals):
        assert animals.vector([0, -1], limit=1).ids == ["z"]  # 0 as good as n's, and first
        animals.add([rm.Document("new")], vectors=[[0, -2]])
        assert animals.vector([0, -1], limit=1).ids == ["new"]
        animals.delete(["new"])
        assert animals.vector([0, -1], limit=1).ids == ["z"]

    @pytest.mark.parametrize(
        ("vector", "message"),
        [
            ([1.0], r"query_vector has 1 dimensions and the vectors of the store 2"),
            ([1.0, float("nan")], r"query_vector is nan in dimension 1"),
            ([1.0, float("inf")], r"query_vector is inf in dimension 1"),
            ([1e39, 0.0], r"query_vector is 1e\+39 in dimension 0"),
            ([[1.0, 2.0]], r"query_vector has shape \(1, 2\)"),
            ([], r"query_vector has shape \(0,\)"),
        ],
    )
    def test_a_vector_that_cannot_be_compared_is_refused(self, animals, vector, message):
        with pytest.raises(rm.InvalidArgumentError, match=message):
            animals.vector(vector, limit=1)

    def test_a_text_in_place_of_a_vector_is_refused_with_the_way_to_one(self, animals):
        with pytest.raises(
            TypeError, match=r"query_vector must be a vector, not str; pass embedder\.embed_query"
        ):
            animals.vector("cat", limit=1)

    def test_the_store_is_a_vector_index_and_a_lookup(self, animals):
        assert isinstance(animals, rm.types.VectorIndex)
        assert isinstance(animals, rm.types.DocumentLookup)
        assert animals.capabilities() == rm.IndexCapabilities("pre")
        found = animals.search(rm.VectorQuery([1, 0], 2))
        assert [id for id, _ in found] == ["z", "l"]
        assert all(type(score) is float for _, score in found)
        assert animals.search(rm.VectorQuery([1, 0], 1, {"project": "7"}))[0][0] == "l"
        with pytest.raises(TypeError, match="query must be a VectorQuery, not str"):
            animals.search("zebra")

    # --- filters --------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (None, "zlgn"),
            ({}, "zlgn"),
            ({"project": None, "scope": "", "created_at": None, "metadata.x": ""}, "zlgn"),
            ({"project": "alpha"}, "z"),
            ({"project": "Alpha"}, "g"),
            ({"project": 7}, "l"),
            ({"project": "7"}, "l"),
            ({"project": 7.0}, ""),
            ({"project": ["alpha", 7]}, "zl"),
            ({"project": ("Alpha",)}, "g"),
            ({"project": {"alpha", "Alpha"}}, "zg"),
            ({"project": np.array(["alpha", "7"])}, "zl"),
            ({"project": []}, ""),
            ({"project": "alpha", "type": "note"}, "z"),
            ({"project": "alpha", "type": "decision"}, ""),
            ({"scope": "team"}, "l"),
            ({"source": "x\x00y"}, "g"),
            ({"source": "x"}, ""),
            ({"metadata.project": "alpha"}, "z"),
            ({"metadata.a.b": True}, "l"),
            ({"metadata.a.b": "True"}, "l"),
            ({"metadata.a.b": 1}, ""),
            ({"metadata.tags": "['a']"}, "l"),
            ({"metadata.text": "long " * 1000}, "g"),
            ({"metadata.text": "long " * 999}, ""),
            ({"metadata.nobody": "x"}, ""),
            ({"project": [str(i) for i in range(100_000)]}, "l"),
            ({"created_at": ("2024-01-01", "2024-06-01")}, "l"),
            ({"created_at": ("2024-01-01", None)}, "lg"),
            ({"created_at": [None, dt.date(2024, 6, 2)]}, "lg"),
            ({"created_at": (None, None)}, "zlgn"),
            ({"created_at": ("2024-06-01T02:00:00+02:00", "")}, "g"),
            ({"created_at": ("2024-06-01T00:00:00.000001", None)}, ""),
            ({"created_at": ("2025-01-01", "2024-01-01")}, ""),
        ],
        ids=lambda value: repr(value)[:60],
    )
    def test_filters_hold_for_words_and_vectors(self, animals, filters, expected):
        words = animals.lexical("zebra nothing", limit=None, filters=filters)
        assert set(words.ids) == set(expected)
        vectors = animals.vector([1, 0], limit=None, filters=filters)
        assert vectors.ids == list(expected)
        assert animals.hybrid("zebra nothing", embedder=None, limit=9, filters=filters).ids == words.ids

    def test_filters_come_before_the_search(self, store):
        documents = [rm.Document(i, "word " * (1000 - i), metadata={"type": i % 100}) for i in range(1000)]
        store.add(documents, vectors=[[1.0, i / 1000] for i in range(1000)])
        few = {"type": 99}
        assert len(store.lexical("word", limit=5, filters=few)) == 5
        assert store.vector([1, 0], limit=5, filters=few).ids == [99, 199, 299, 399, 499]
        whole = store.vector([1, 0], limit=None)
        filtered = store.vector([1, 0], limit=None, filters=few)
        assert [hit for hit in whole if hit.id % 100 == 99] == list(filtered)

    @pytest.mark.parametrize(("member", "value"), [(Colour.RED, "red"), (Size.BIG, 7)])
    def test_filters_and_metadata_compare_members_of_enums_by_value(self, store, member, value):
        store.add([rm.Document("member", "zebra", metadata={"type": member, member: 1})])
        store.add([rm.Document("value", "zebra", metadata={"type": value, value: 1})])
        for key, wanted in (("type", member), ("type", value), ("type", [member])):
            ranking = store.lexical("zebra", limit=None, filters={key: wanted})
            assert ranking.ids == ["member", "value"]
        assert len(store.lexical("zebra", limit=None, filters={f"metadata.{value}": 1})) == 2

    @pytest.mark.parametrize(
        ("filters", "error", "message"),
        [
            ({"colour": "red"}, rm.InvalidArgumentError, "unknown key 'colour'.*'metadata.colour'"),
            ({"colour": None}, rm.InvalidArgumentError, "unknown key 'colour'"),
            ({"metadata.": 1}, rm.InvalidArgumentError, "unknown key 'metadata.'"),
            ({"metadata": {}}, rm.InvalidArgumentError, "unknown key 'metadata'"),
            ({"project": ["a", None]}, rm.InvalidArgumentError, "lists None"),
            ({"project": {"a": 1}}, TypeError, r"filters\['project'\] must be a value or a list"),
            ({7: 1}, TypeError, "a key of filters must be a str, not int"),
            ({"type": iter(["a"])}, TypeError, r"filters\['type'\] must be .*list_iterator; pass a list"),
            ({"metadata.n": str.isdigit}, TypeError, r"filters\['metadata.n'\] must be .*not method_desc"),
            ({"metadata.n": [1, object()]}, TypeError, r"must be a value or a list of values, not object"),
            ({"metadata.n": slice(1, 3)}, TypeError, r"not slice; values are compared as strings"),
            ({"project": re.compile("a")}, TypeError, r"not Pattern; .* neither functions nor patterns"),
            ({"type": 10**5000}, rm.InvalidArgumentError, "cannot be compared as a string"),
            (["project"], TypeError, "filters must be a mapping of conditions, not list"),
            ({"created_at": "2024-01-01"}, TypeError, r"must be a pair \(from, to\).*not str$"),
            (
                {"created_at": rm.TimeAnchor(7, 3)},
                TypeError,
                r"must be a pair \(from, to\).*not TimeAnchor; pass \(anchor.start, anchor.end\)$",
            ),
            ({"created_at": ("2024-01-01",)}, rm.InvalidArgumentError, r"has 1 entries"),
            ({"created_at": ("soon", None)}, rm.InvalidArgumentError, r"from of filters\['created_at'\]"),
            ({"created_at": (10**400, None)}, rm.InvalidArgumentError, r"from of filters\['created_at'\]"),
            ({"created_at": (None, float("nan"))}, rm.InvalidArgumentError, r"to of filters\['created_at'\]"),
        ],
    )
    def test_filters_that_say_nothing_known_are_refused(self, animals, filters, error, message):
        for search in (
            lambda: animals.lexical("zebra", limit=1, filters=filters),
            lambda: animals.vector([1, 0], limit=0, filters=filters),
            lambda: animals.hybrid("", embedder=None, limit=0, filters=filters),
            lambda: animals.search(rm.VectorQuery([1, 0], 1, filters)),
        ):
            with pytest.raises(error, match=message):
                search()

    # --- limits ---------------------------------------------------------------------------------

    @pytest.mark.parametrize(
        ("limit", "count"), [(0, 0), (1, 1), (3, 3), (10**30, 3), (None, 3), (np.int8(2), 2)]
    )
    def test_a_limit_cuts_the_output_and_nothing_else(self, animals, limit, count):
        words, vectors = animals.lexical("zebra", limit=None), animals.vector([1, 1], limit=None)
        assert list(animals.lexical("zebra", limit=limit)) == list(words)[:count]
        limited = animals.vector([1, 1], limit=limit)
        assert list(limited) == list(vectors)[: len(limited)]
        assert len(limited) == (count if limit is not None and limit < 4 else 4)
        assert len(animals.hybrid("zebra", embedder=None, limit=limit)) == count

    @pytest.mark.parametrize(
        ("limit", "error"), [(-1, ValueError), (True, TypeError), (1.0, TypeError), ("1", TypeError)]
    )
    def test_a_limit_that_is_no_count_is_refused(self, animals, limit, error):
        for search in (
            lambda: animals.lexical("", limit=limit),
            lambda: animals.vector([1, 0], limit=limit),
            lambda: animals.hybrid("", embedder=None, limit=limit),
            lambda: animals.search(rm.VectorQuery([1, 0], limit)),
        ):
            with pytest.raises(error, match="limit"):
                search()

    # --- both -----------------------------------------------------------------------------------

    def test_hybrid_fuses_both_legs_and_explains_itself(self, store):
        embedder = LetterEmbedder()
        store.add(
            [
                rm.Document("words", "zebra zebra"),
                rm.Document("both", "zebra ccc"),
                rm.Document("meaning", "cccc"),
                rm.Document("neither", "xyz"),
                rm.Document("other", "ab"),
            ],
            embedder=embedder,
        )
        ranking = store.hybrid("zebra cccccc", embedder=embedder, limit=3)
        lexical = store.lexical("zebra cccccc", limit=6)
        vector = store.vector(embedder.embed_query("zebra cccccc"), limit=6)
        expected = rm.dedup(rm.rrf([lexical, vector]), limit=3)
        assert ranking.ids == expected.ids
        assert list(ranking.scores) == list(expected.scores)
        assert ranking.ids[0] == "both"
        credits = {credit.name: credit for credit in ranking.explain("both").sources}
        assert set(credits) == {"lexical", "vector"}
        assert credits["lexical"].score == lexical[lexical.ids.index("both")].score

    def test_hybrid_looks_past_repeated_texts_until_the_limit_is_full(self, store):
        # Equally good, so in this order; most of them say what was said before.
        texts = ["same word"] * 40 + ["other word"] + ["same word"] * 40 + ["third word"]
        store.add([rm.Document(id, text) for id, text in enumerate(texts)])
        store.add([rm.Document(("far", i), "nothing") for i in range(200)])
        assert store.hybrid("word", embedder=None, limit=1).ids == [0]
        assert store.hybrid("word", embedder=None, limit=2).ids == [0, 40]
        assert store.hybrid("word", embedder=None, limit=3).ids == [0, 40, 81]
        assert store.hybrid("word", embedder=None, limit=None).ids == [0, 40, 81]
        assert store.hybrid("word", embedder=None, limit=3).explain(81).sources[0].position == 81

    def test_the_limit_of_hybrid_only_cuts(self, store):
        embedder = LetterEmbedder()
        texts = [f"word number{i % 7} number{i % 11}" for i in range(60)]
        store.add([rm.Document(id, text) for id, text in enumerate(texts)], embedder=embedder)
        every = store.hybrid("word number3", embedder=embedder, limit=None)
        for limit in (0, 1, 2, 5, 13, 59):
            part = store.hybrid("word number3", embedder=embedder, limit=limit)
            assert part.ids == every.ids[:limit]
            assert list(part.scores) == list(every.scores[:limit])

    def test_the_depth_of_hybrid_is_what_each_leg_brings(self, store):
        store.add([rm.Document(id, f"word {id}") for id in range(9)])
        assert store.hybrid("word", embedder=None, limit=None, depth=4).ids == [0, 1, 2, 3]
        with pytest.raises(rm.InvalidArgumentError, match="depth is 0"):
            store.hybrid("word", embedder=None, limit=3, depth=0)
        with pytest.raises(TypeError, match="depth must be an integer"):
            store.hybrid("word", embedder=None, limit=3, depth=2.5)

    def test_hybrid_drops_repeated_texts(self, store):
        store.add([rm.Document(1, "One  zebra."), rm.Document(2, "one ZEBRA."), rm.Document(3, "two zebra.")])
        assert len(store.hybrid("zebra", embedder=None, limit=5)) == 2

    def test_hybrid_of_a_store_without_vectors_is_lexical(self, store):
        store.add([rm.Document("a", "zebra"), rm.Document("b", "lion")])
        embedder = LetterEmbedder()
        ranking = store.hybrid("zebra", embedder=embedder, limit=5)
        assert ranking.ids == ["a"]
        assert embedder.calls == []
        assert [credit.name for credit in ranking.explain("a").sources] == ["lexical"]

    def test_hybrid_refuses_the_embedder_of_another_model(self, store):
        store.add([rm.Document("a", "zebra")], embedder=LetterEmbedder())
        with pytest.raises(
            rm.InvalidArgumentError, match="are of model 'letters', and embedder is 'other'; search with"
        ):
            store.hybrid("zebra", embedder=LetterEmbedder("other"), limit=1)
        with pytest.raises(TypeError, match="CallableEmbedder"):
            store.hybrid("zebra", embedder=len, limit=1)

    def test_vectors_of_an_unnamed_model_go_with_any_embedder_of_their_width(self, store):
        store.add([rm.Document("a", "x"), rm.Document("b", "y")], vectors=[[1, 0, 0], [0, 1, 0]])
        assert store.hybrid("bbb", embedder=LetterEmbedder(), limit=1).ids == ["b"]

    def test_the_embedder_gets_a_clean_query(self, store):
        embedder = LetterEmbedder()
        store.add([rm.Document("a", "a")], embedder=embedder)
        store.hybrid("cafe\u0301 \ud800", embedder=embedder, limit=1)
        assert embedder.calls[-1] == ["café \ufffd"]
