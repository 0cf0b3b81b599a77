"""`Document`, `Hit`, `Source`, `Tier`: frozen records that compare by value."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import math
import pickle

import numpy as np
import pytest

import rankmeld as rm

MOMENTS = ("created_at", "updated_at", "valid_from", "last_accessed_at")
NUMBERS = ("importance", "assessed_importance", "confidence")


def test_defaults():
    document = rm.Document("a")
    assert (document.id, document.text, document.title, document.topic) == ("a", "", "", "")
    assert document.parent_id is None
    assert all(getattr(document, name) is None for name in (*MOMENTS, *NUMBERS, "tier"))
    assert (document.access_count, document.evergreen, document.volatile) == (0, False, False)
    assert dict(document.metadata) == {}


def test_it_is_frozen():
    document = rm.Document("a", text="t", metadata={"project": "p"})
    for name, value in (("text", "x"), ("id", "b"), ("unknown", 1)):
        with pytest.raises((AttributeError, TypeError)):
            setattr(document, name, value)
    with pytest.raises(TypeError):
        document.metadata["project"] = "q"
    with pytest.raises((AttributeError, TypeError)):
        del document.text


def test_metadata_is_a_snapshot():
    given = {"project": "p"}
    document = rm.Document("a", metadata=given)
    given["project"] = "q"
    assert document.metadata["project"] == "p"


def test_equality_and_hash_are_by_value():
    fields = {"text": "t", "created_at": "2024-01-01", "metadata": {"tags": ["x"]}, "tier": rm.Tier.SEMANTIC}
    one, other = rm.Document("a", **fields), rm.Document("a", **copy.deepcopy(fields))
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other}) == 1
    for name, value in (("text", "u"), ("created_at", "2024-01-02"), ("metadata", {}), ("tier", None)):
        assert one != rm.Document("a", **{**fields, name: value})
    assert rm.Document(1) == rm.Document(1.0)
    assert rm.Document("1") != rm.Document(1)
    assert one != "a"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_it_pickles_and_copies(protocol):
    document = rm.Document(
        "a", text="t\ud800", created_at=0, tier="working", metadata={"k": [1]}, confidence=0.5
    )
    for back in (
        pickle.loads(pickle.dumps(document, protocol)),
        copy.copy(document),
        copy.deepcopy(document),
    ):
        assert back == document
        assert dict(back.metadata) == dict(document.metadata)


class Page(rm.Document):
    """One that keeps more than a document does, and whose constructor wants it."""

    def __init__(self, id, url, **fields):
        super().__init__(id, **fields)
        object.__setattr__(self, "url", url)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Record(rm.Document):
    """One that sets its fields by itself."""

    url: str


def _derived():
    fields = {"created_at": "2024-01-01", "importance": 0.5, "metadata": {"k": [1]}}
    plain = rm.Document("a", **fields)
    values = {field.name: getattr(plain, field.name) for field in dataclasses.fields(plain)}
    return [Page("a", "u", **fields), Record(url="u", **values)]


@pytest.mark.parametrize("document", _derived(), ids=["class", "dataclass"])
def test_copies_of_a_derived_document_keep_its_class_and_what_it_adds(document):
    for back in (pickle.loads(pickle.dumps(document)), copy.copy(document), copy.deepcopy(document)):
        assert (type(back), back.url, back) == (type(document), "u", document)
        assert rm.time_decay([("a", 1.0, back)], now="2024-01-31").scores.tolist() == [0.5]
    marked = document.with_metadata(lang="en")
    assert (type(marked), marked.url, dict(marked.metadata)) == (
        type(document),
        "u",
        {"k": [1], "lang": "en"},
    )
    short = document.with_text("short")
    assert (type(short), short.url) == (type(document), "u")
    assert short.to_dict() == {**document.to_dict(), "text": "short"}


@pytest.mark.parametrize("name", MOMENTS)
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (dt.datetime(2024, 1, 2, 3), dt.datetime(2024, 1, 2, 3, tzinfo=dt.UTC)),
        (dt.date(2024, 1, 2), dt.datetime(2024, 1, 2, tzinfo=dt.UTC)),
        ("2024-01-02T03:00:00+03:00", dt.datetime(2024, 1, 2, tzinfo=dt.UTC)),
        ("2024-01-02", dt.datetime(2024, 1, 2, tzinfo=dt.UTC)),
        (0, dt.datetime(1970, 1, 1, tzinfo=dt.UTC)),
        (-1.5, dt.datetime(1969, 12, 31, 23, 59, 58, 500_000, tzinfo=dt.UTC)),
        (np.float64(86_400), dt.datetime(1970, 1, 2, tzinfo=dt.UTC)),
        (None, None),
    ],
)
def test_moments_in_any_form_become_aware(name, given, expected):
    found = getattr(rm.Document("a", **{name: given}), name)
    assert found == expected
    assert found is None or found.tzinfo is not None


@pytest.mark.parametrize("name", MOMENTS)
@pytest.mark.parametrize(
    "bad", ["", "soon", "2023-02-29", "2024-01-02T25:00", math.nan, math.inf, 1e18, -1e18]
)
def test_impossible_moments(name, bad):
    with pytest.raises(rm.InvalidArgumentError, match=name):
        rm.Document("a", **{name: bad})


def test_a_missing_date_of_a_frame_is_told_apart():
    pandas = pytest.importorskip("pandas", reason="NaT is a value of pandas")
    with pytest.raises(rm.InvalidArgumentError, match=r"created_at is NaT, which is no moment; pass None"):
        rm.Document("a", created_at=pandas.NaT)


def test_moments_outside_the_years_1_to_9999():
    first, last = "0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00"
    assert rm.Document("a", created_at=first, updated_at=last).created_at.year == 1
    for bad in ("0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", 253_402_300_800):
        with pytest.raises(rm.InvalidArgumentError, match="created_at"):
            rm.Document("a", created_at=bad)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_finite_and_kept_as_they_are(name):
    for value in (-3.5, 0, 0.0, 7, np.float32(0.5)):
        assert getattr(rm.Document("a", **{name: value}), name) == value
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(rm.InvalidArgumentError, match=name):
            rm.Document("a", **{name: bad})
    for bad in ("1", b"1", [1], 1j):
        with pytest.raises(TypeError, match=name):
            rm.Document("a", **{name: bad})


def test_access_count_is_an_integer_not_below_zero():
    assert rm.Document("a", access_count=np.int64(3)).access_count == 3
    with pytest.raises(rm.InvalidArgumentError, match="access_count"):
        rm.Document("a", access_count=-1)
    for bad in (1.0, "1", None, True):
        with pytest.raises(TypeError, match="access_count"):
            rm.Document("a", access_count=bad)


@pytest.mark.parametrize("given", ["semantic", "SEMANTIC", "Semantic", rm.Tier.SEMANTIC])
def test_a_tier_or_its_name_in_any_case(given):
    assert rm.Document("a", tier=given).tier is rm.Tier.SEMANTIC


def test_tiers_have_names():
    assert [tier.value for tier in rm.Tier] == ["working", "episodic", "semantic", "procedural"]
    with pytest.raises(rm.InvalidArgumentError, match="procedural"):
        rm.Document("a", tier="longterm")
    with pytest.raises(rm.InvalidArgumentError, match="tier"):
        rm.Document("a", tier="")


@pytest.mark.parametrize("bad", [[], {}, bytearray(b"x")])
def test_an_id_can_be_hashed(bad):
    with pytest.raises(TypeError, match="id"):
        rm.Document(bad)


def test_nan_is_no_id_and_no_parent():
    with pytest.raises(rm.InvalidArgumentError, match="id"):
        rm.Document(math.nan)


@pytest.mark.parametrize("name", ["text", "title", "topic"])
@pytest.mark.parametrize("bad", [None, b"x", 5, ["x"]])
def test_texts_are_strings(name, bad):
    with pytest.raises(TypeError, match=name):
        rm.Document("a", **{name: bad})


def test_unknown_fields_are_refused():
    with pytest.raises(TypeError, match="colour"):
        rm.Document("a", colour="red")


@pytest.mark.parametrize(
    ("fields", "passage"),
    [
        ({}, ""),
        ({"title": "T", "topic": "O", "text": "x"}, "T O x"),
        ({"title": "T", "text": "x"}, "T x"),
        ({"title": " ", "topic": "\t", "text": "x"}, "x"),
        ({"title": " T ", "text": "x "}, " T  x "),
        ({"topic": "O", "text": "\u3000"}, "O"),
    ],
)
def test_a_passage_is_what_is_not_blank(fields, passage):
    assert rm.Document("a", **fields).passage == passage


def test_a_hit_is_a_tuple_of_three():
    assert rm.Hit("a") == ("a", None, None)
    id, score, document = rm.Hit("a", 1.0, rm.Document("a"))
    assert (id, score, document.id) == ("a", 1.0, "a")


def test_a_source_names_a_ranking():
    source = rm.Source("dense", ["a"], weight=0.5, kind="node")
    assert (source.name, source.weight, source.kind) == ("dense", 0.5, "node")
    with pytest.raises((AttributeError, TypeError)):
        source.name = "other"
    with pytest.raises(TypeError):
        rm.Source("dense", ["a"], 0.5)


def test_a_source_of_a_generator_can_be_used_twice():
    source = rm.Source("dense", (id for id in "ab"))
    assert rm.rrf([source]) == rm.rrf([source]) == rm.rrf([["a", "b"]])


@pytest.mark.parametrize(
    "call",
    [
        lambda document: rm.bm25_scores("a", [document]),
        lambda document: rm.bm25_scores("a", [document], tokenizer=str.split),
        lambda document: rm.lexical_maxsim("a", document),
        lambda document: rm.lexical_maxsim_many("a", [document]),
        lambda document: rm.CorpusStats([document]),
    ],
)
def test_where_a_text_belongs_a_document_is_told_where_it_has_one(call):
    with pytest.raises(TypeError, match=r"must be a str.*, not Document; pass document\.passage$"):
        call(rm.Document("id", "text"))
