"""A BM25 index as its users see it."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from functools import partial
from uuid import UUID

import numpy as np
import pytest

import rankmeld as rm

TEXTS = {"a": "old caches forget", "b": "a ranking of old rankings", "c": "nothing here", "d": "old ranking"}


@pytest.fixture
def index():
    made = rm.BM25Index()
    made.add(TEXTS.items())
    return made


def pairs(ranking):
    return [(hit.id, hit.score) for hit in ranking]


def expected(query, texts, **options):
    scores = rm.bm25_scores(query, list(texts.values()), **options).tolist()
    hits = [(id, score) for id, score in zip(texts, scores, strict=True) if score > 0]
    return sorted(hits, key=lambda hit: -hit[1])


def test_a_search_gives_the_bits_of_bm25_scores(index):
    for query in ("old", "ranking of caches", "nothing", "unknown", "", "old old ranking"):
        assert pairs(index.search(query)) == expected(query, TEXTS)
    ranking = index.search("old ranking")
    assert ranking.name == "bm25"
    assert ranking.documents == [None] * 3
    assert ranking.scores.dtype == np.float64


def test_an_index_without_documents_answers():
    empty = rm.BM25Index()
    assert (len(empty), empty.average_length, empty.document_frequency("x")) == (0, 0.0, 0)
    assert empty.search("x").ids == []
    assert [ranking.ids for ranking in empty.search_many(["x", ""])] == [[], []]
    assert empty.remove(["x"]) == 0
    assert empty.add([]) == 0
    assert "x" not in empty
    blanks = rm.BM25Index()
    blanks.add([("a", ""), ("b", " . ")])
    assert (len(blanks), blanks.search("a").ids, blanks.average_length) == (2, [], 0.0)


def test_documents_come_back_and_their_passage_is_indexed(index):
    document = rm.Document("e", "body words", title="Title", topic="Topic", metadata={"project": "x"})
    index.add([document])
    for word in ("body", "title", "topic"):
        hit = index.search(word)[0]
        assert hit.id == "e"
        assert hit.document is document
    assert index.get("e") is document
    assert index.get("a") is None
    assert index.get("zz") is None
    index.add([("e", "plain text")])
    assert index.get("e") is None


def test_a_replaced_document_keeps_its_id_and_its_place():
    index = rm.BM25Index()
    index.add([(1, "same"), (2, "same"), (3, "same")])
    assert index.add([(2.0, "same word"), (4, "same"), (True, "other")]) == 3
    assert index.search("same").ids == [3, 4, 2]
    index.add([(2.0, "same")])
    ids = index.search("same").ids
    assert ids == [2, 3, 4]
    assert [type(id) for id in ids] == [int] * 3
    assert index.search("other").ids == [1]
    assert type(index.search("other").ids[0]) is int
    assert len(index) == 4


def test_of_several_with_one_id_the_last_counts_in_the_first_ones_place():
    index = rm.BM25Index()
    assert index.add([("x", "first"), ("y", "last"), ("x", "last")]) == 2
    assert index.search("last").ids == ["x", "y"]
    assert index.search("first").ids == []


def test_ids_of_all_kinds_are_apart_as_in_a_dict():
    ids = ["", "1", 1, 0, b"1", (1, "a"), UUID(int=1), None, frozenset({1}), np.int64(7), np.str_("np")]
    index = rm.BM25Index()
    index.add([(id, f"word w{place}") for place, id in enumerate(ids)])
    assert index.search("word", limit=None).ids == ids
    assert [type(id) for id in index.search("word", limit=None).ids[-2:]] == [int, str]
    assert 1.0 in index
    assert "2" not in index
    assert index.remove([1, b"1", "absent"]) == 2
    assert 1 not in index
    assert "1" in index


def test_limits_only_cut(index):
    every = index.search("old ranking", limit=None)
    for limit in (0, 1, 2, 3, 4, np.int64(2), 10**30):
        assert index.search("old ranking", limit=limit) == every[: min(int(limit), 9)]


def test_ties_follow_the_rule_whatever_the_limit():
    index = rm.BM25Index()
    index.add([(id, "same words") for id in (3, 1, 4, 5, 2)])
    index.add([(9, "same words words")])
    for limit in (1, 2, 5, None):
        assert index.search("same", limit=limit).ids == [3, 1, 4, 5, 2, 9][:limit]
        assert index.search("same", limit=limit, ties="id_asc").ids == [1, 2, 3, 4, 5, 9][:limit]
        assert index.search("same", limit=limit, ties="id_desc").ids == [5, 4, 3, 2, 1, 9][:limit]
    index.add([("x", "same words")])
    with pytest.raises(TypeError, match="cannot be compared"):
        index.search("same", limit=1, ties="id_asc")


def test_many_queries_get_what_each_would_get():
    index = rm.BM25Index()
    index.add([(n, " ".join(f"w{(n * k) % 50}" for k in range(1, 12))) for n in range(500)])
    queries = [f"w{n} w{n + 3} unknown" for n in range(200)]
    one_by_one = [index.search(query, limit=7) for query in queries]
    for threads in (None, 1, 2, 7):
        assert index.search_many(iter(queries), limit=7, threads=threads) == one_by_one
    assert index.search_many([], threads=2) == []


FILTERED = [
    rm.Document("a", "word", metadata={"project": "x", "tags": 3}, created_at="2024-01-01"),
    rm.Document("b", "word", metadata={"project": "y", "kind": "é"}, created_at="2024-02-01"),
    rm.Document("c", "word", metadata={"project": None, "scope": True}),
    rm.Document("d", "word", metadata={"type": "x", "source": "s", 5: "five"}, created_at="0001-01-01"),
]


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, ["a", "b", "c", "d", "pair"]),
        ({"project": None, "type": ""}, ["a", "b", "c", "d", "pair"]),
        ({"project": "x"}, ["a"]),
        ({"project": ["x", "y"]}, ["a", "b"]),
        ({"project": []}, []),
        ({"metadata.tags": "3"}, ["a"]),
        ({"metadata.kind": "e\u0301"}, ["b"]),
        ({"metadata.5": "five"}, ["d"]),
        ({"scope": "True"}, ["c"]),
        ({"type": "x", "source": "s"}, ["d"]),
        ({"type": "x", "source": "t"}, []),
        ({"created_at": ("2024-01-01", "2024-02-01")}, ["a"]),
        ({"created_at": ("2024-01-02", None)}, ["b"]),
        ({"created_at": (None, "2024-01-01")}, ["d"]),
        ({"created_at": (None, None)}, ["a", "b", "c", "d", "pair"]),
    ],
)
@pytest.mark.parametrize("scattered", [False, True])
def test_filters_mean_what_they_mean_for_a_store(filters, ids, scattered):
    index = rm.BM25Index()
    if scattered:
        for document in FILTERED:
            index.add([document])
    else:
        index.add(FILTERED)
    index.add([("pair", "word")])
    assert index.search("word", filters=filters).ids == ids
    assert index.search_many(["word"], filters=filters)[0].ids == ids
    with rm.SqliteStore(":memory:") as store:
        store.add([*FILTERED, rm.Document("pair", "word")])
        assert store.lexical("word", limit=None, filters=filters).ids == ids


def test_filters_leave_scores_alone(index):
    index.add([rm.Document("e", "old ranking", metadata={"project": "x"})])
    unfiltered = dict(pairs(index.search("old ranking")))
    assert pairs(index.search("old ranking", filters={"project": "x"})) == [("e", unfiltered["e"])]
    assert pairs(index.search("old ranking", among=["b", "zz"])) == [("b", unfiltered["b"])]
    assert index.search("old ranking", among=iter(["e", "b"]), filters={"project": "x"}).ids == ["e"]
    assert index.search("old ranking", among=[]).ids == []


def test_among_and_remove_take_what_has_ids(index):
    fused = rm.rrf([["b", "zz"], ["d"]])
    for among in (fused, list(fused), [rm.Document("b"), rm.Hit("d")], ["b", "d"], iter(fused)):
        assert sorted(index.search("old ranking", among=among).ids) == ["b", "d"]
    assert index.search_many(["old"], among=fused)[0].ids == ["d", "b"]
    assert index.remove([rm.Document("a"), rm.Hit("zz")]) == 1
    assert index.remove(rm.Ranking([("b", 2.0), ("c", 1.0)])) == 2
    assert index.ids == ["d"]


def test_ids_are_in_the_order_of_insertion():
    index = rm.BM25Index()
    assert index.ids == []
    for number in range(40):
        index.add([(number, "word")])
    index.add([(3, "again"), ("new", "word"), (1.0, "again")])
    index.remove([5, 39])
    assert index.ids == [*range(5), *range(6, 39), "new"]
    index.ids.clear()
    assert len(index.ids) == len(index) == 39


def test_a_filter_finds_as_many_as_there_are_behind_better_hits():
    index = rm.BM25Index()
    better = [rm.Document(n, "word word", metadata={"project": "x"}) for n in range(300)]
    worse = [rm.Document(n, "word and more words", metadata={"project": "y"}) for n in range(300, 320)]
    index.add([*better, *worse])
    assert index.search("word", limit=15, filters={"project": "y"}).ids == list(range(300, 315))


def test_it_knows_its_statistics(index):
    assert (len(index), index.document_count, index.average_length) == (4, 4, 2.75)
    assert [index.document_frequency(term) for term in ("old", "ranking", "rankings")] == [3, 2, 0]
    index.remove(["b"])
    assert [index.document_frequency(term) for term in ("old", "ranking")] == [2, 1]
    assert repr(index) == "<BM25Index of 3 documents>"
    assert (index.k1, index.b, index.tokenizer) == (1.5, 0.75, rm.bm25_tokenize)


def test_tokenizers_of_all_kinds():
    for tokenizer in (
        str.split,
        partial(rm.bm25_tokenize, stemmer="english"),
        lambda text: iter(text.split()),
    ):
        index = rm.BM25Index(tokenizer=tokenizer, k1=1.0, b=0.5)
        index.add(TEXTS.items())
        for query in ("old ranking", "forget rankings"):
            wanted = expected(query, TEXTS, tokenizer=tokenizer, k1=1.0, b=0.5)
            assert pairs(index.search(query)) == wanted
            assert pairs(index.search_many([query])[0]) == wanted


def test_copies_are_their_own(index):
    for made in (copy.copy(index), copy.deepcopy(index), pickle.loads(pickle.dumps(index))):
        assert made.search("old ranking") == index.search("old ranking")
        made.add([("new", "old")])
        made.remove(["a"])
        assert "new" not in index
        assert "a" in index
        assert (made.k1, made.b) == (index.k1, index.b)


def test_progress_counts_documents_and_can_stop_it(index):
    seen = []
    many = [(n, "old word") for n in range(1_200)]
    index.add(many, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(512, 1_200), (1_024, 1_200), (1_200, 1_200)]

    def stop(done, total):
        raise RuntimeError("enough")

    before = index.search("old", limit=None)
    with pytest.raises(RuntimeError, match="enough"):
        index.add([("x", "old")], progress=stop)
    assert index.search("old", limit=None) == before


def test_removing_leaves_no_garbage_for_ever(index):
    index.add([(n, f"word w{n}") for n in range(1_000)])
    index.remove(range(900))
    assert sum(all_ for all_, _ in index._state.snapshot.sizes()) < 200
    index.remove([*range(1_000), *TEXTS])
    assert len(index) == 0
    assert index._state.parts == ()


def test_adding_one_by_one_keeps_few_parts():
    index = rm.BM25Index()
    for n in range(500):
        index.add([(n, f"word w{n % 7}")])
    assert len(index._state.parts) <= 10
    assert index.search("word", limit=None).ids == list(range(500))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda index: index.add("abc"),
            TypeError,
            "documents must be an iterable of Document or of (id, text) pairs, not str",
        ),
        (
            lambda index: index.add(rm.Document("x")),
            TypeError,
            (
                "documents must be an iterable of Document or of (id, text) pairs, not Document; one "
                "document goes as [document]"
            ),
        ),
        (
            lambda index: index.add({"a": "x"}),
            TypeError,
            "documents must be an iterable of Document or of (id, text) pairs, not dict; pass its .items()",
        ),
        (
            lambda index: index.add([("a", "x"), "bc"]),
            TypeError,
            "documents[1] must be a Document or a pair (id, text), not str",
        ),
        (
            lambda index: index.add([("a", "x", 1)]),
            TypeError,
            "documents[0] must be a Document or a pair (id, text), not tuple of 3",
        ),
        (
            lambda index: index.add([("a", b"x")]),
            TypeError,
            "the text of documents[0] must be a str, not bytes",
        ),
        (
            lambda index: index.add([("new", "x"), ([1], "y")]),
            TypeError,
            (
                "the id of documents[1] is a list, which cannot be hashed; pass a str, an int, a tuple or "
                "another hashable value"
            ),
        ),
        (
            lambda index: index.add([("new", "x"), (float("nan"), "y")]),
            rm.InvalidArgumentError,
            "the id of documents[1] is NaN, which is not equal to itself; pass a real id",
        ),
        (
            lambda index: index.add([], progress=1),
            TypeError,
            "progress must be a callable (done, total), not int",
        ),
        (
            lambda index: index.remove("abc"),
            TypeError,
            "ids must be an iterable of ids, not str; one id goes as [id]",
        ),
        (
            lambda index: index.remove(["a", []]),
            TypeError,
            (
                "ids[1] is a list, which cannot be hashed; pass a str, an int, a tuple or another hashable "
                "value"
            ),
        ),
        (
            lambda index: index.remove(["a", float("nan")]),
            rm.InvalidArgumentError,
            "ids[1] is NaN, which is not equal to itself; pass a real id",
        ),
        (
            lambda index: index.search("x", among=[Decimal("nan")]),
            rm.InvalidArgumentError,
            "among[0] is NaN, which is not equal to itself; pass a real id",
        ),
        (
            lambda index: index.remove(rm.Document("a")),
            TypeError,
            "ids must be an iterable of ids, not Document; one id goes as [id]",
        ),
        (
            lambda index: index.search("x", among=rm.Hit("a", 1.0)),
            TypeError,
            "among must be an iterable of ids, not Hit; one id goes as [id]",
        ),
        (
            lambda index: index.search("x", filters={"metadata.year": lambda year: year > 2020}),
            TypeError,
            (
                "filters['metadata.year'] must be a value or a list of values, not function; values are "
                "compared as strings, so there are neither functions nor patterns nor ranges"
            ),
        ),
        (lambda index: index.search(7), TypeError, "query must be a str, not int"),
        (
            lambda index: index.search("x", limit=-1),
            rm.InvalidArgumentError,
            "limit is -1; it must be 0 or more, or None for all",
        ),
        (
            lambda index: index.search("x", ties="last"),
            rm.InvalidArgumentError,
            "ties is 'last'; it must be one of 'first', 'id_asc', 'id_desc'",
        ),
        (
            lambda index: index.search("x", among="abc"),
            TypeError,
            "among must be an iterable of ids, not str; one id goes as [id]",
        ),
        (
            lambda index: index.search("x", filters={"colour": "red"}),
            rm.InvalidArgumentError,
            (
                "filters has the unknown key 'colour'; it must be one of 'project', 'scope', 'type', "
                "'source', 'created_at', or 'metadata.colour' for a key of the metadata"
            ),
        ),
        (
            lambda index: index.search_many("abc"),
            TypeError,
            "queries must be an iterable of str, not str; search() takes one query",
        ),
        (
            lambda index: index.search_many(["a", None]),
            TypeError,
            "queries[1] must be a str, not NoneType",
        ),
        (
            lambda index: index.search_many([], threads=0),
            rm.InvalidArgumentError,
            "threads is 0; it must be 1 or more, or None for what fits",
        ),
        (lambda index: [] in index, TypeError, "unhashable type: 'list'"),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(index, call, error, text):
    before = index.search("old ranking", limit=None)
    with pytest.raises(error) as refused:
        call(index)
    assert str(refused.value) == text
    assert index.search("old ranking", limit=None) == before
    assert len(index) == 4


@pytest.mark.parametrize("options", [{"k1": -1}, {"b": 2}, {"k1": "x"}, {"tokenizer": 3}])
def test_parameters_are_checked(options):
    with pytest.raises((TypeError, ValueError)):
        rm.BM25Index(**options)


def test_a_tokenizer_that_fails_adds_nothing():
    def fragile(text):
        if "bad" in text:
            raise ZeroDivisionError
        return text.split()

    index = rm.BM25Index(tokenizer=fragile)
    index.add([(1, "good")])
    with pytest.raises(ZeroDivisionError):
        index.add([(2, "good"), (3, "bad")])
    assert index.search("good").ids == [1]


def test_lone_surrogates_and_long_words_are_answered():
    index = rm.BM25Index()
    index.add([("s", "bad \ud800 word"), ("l", "x" * 1_000_000), ("n", "nul\0nul")])
    assert index.search("word\udfff").ids == ["s"]
    assert index.search("x" * 1_000_000).ids == ["l"]
    assert index.search("nul").ids == ["n"]
