"""JSON lines and tables: which keys become what, and how a bad line is reported."""

from __future__ import annotations

import contextlib
import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld.errors import FormatError
from rankmeld.ingest.records import read_csv, read_jsonl
from rankmeld.types import Document, Tier


def one(record, path="a.jsonl"):
    (document,) = read_jsonl(json.dumps(record), path)
    return document


def test_fields_by_name_and_the_rest_as_metadata():
    document = one(
        {
            "_id": "7",
            "title": "Wing",
            "text": "It stalls.",
            "topic": "flight",
            "parent_id": "book",
            "created_at": "2024-05-01",
            "importance": 0.5,
            "access_count": 3,
            "tier": "Semantic",
            "evergreen": True,
            "confidence": None,
            "project": "aero",
            "metadata": {"scope": "all"},
        }
    )
    assert document == Document(
        "7",
        "It stalls.",
        "Wing",
        "flight",
        parent_id="book",
        created_at=dt.datetime(2024, 5, 1, tzinfo=dt.UTC),
        importance=0.5,
        access_count=3,
        tier=Tier.SEMANTIC,
        evergreen=True,
        metadata={"source": "a.jsonl", "type": "jsonl", "project": "aero", "scope": "all"},
    )


@pytest.mark.parametrize("key", ["text", "content", "body"])
def test_names_of_the_text(key):
    assert one({"id": 1, key: "words"}).text == "words"


def test_first_name_wins_and_the_other_is_kept():
    document = one({"id": "a", "_id": "b", "text": "t", "body": "u"})
    assert (document.id, document.text) == ("a", "t")
    assert document.metadata["_id"] == "b"
    assert document.metadata["body"] == "u"


def test_defaults():
    first, second = read_jsonl('{"text": "a"}\n\n{"title": "b", "id": 0}\n', "dir/a.jsonl")
    assert (first.id, first.parent_id) == ("dir/a.jsonl#1", "dir/a.jsonl")
    assert (second.id, second.text) == (0, "")


def test_own_source_and_type_win():
    metadata = one({"text": "a", "type": "decision", "source": "wiki"}).metadata
    assert metadata == {"source": "wiki", "type": "decision"}


def test_empty_values_are_values():
    document = one({"id": "", "text": "", "note": 0})
    assert (document.id, document.text, document.metadata["note"]) == ("", "", 0)


def test_lone_surrogates_become_replacement_characters():
    (document,) = read_jsonl(r'{"id": "\ud800", "text": "a\uDFFFb \ud83d\ude00"}', "a")
    assert (document.id, document.text) == ("\ufffd", "a\ufffdb \U0001f600")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("nonsense", "not JSON: Expecting value at column 1; every line must be one object"),
        ("[1]", "every line must be one object, not an array"),
        ("null", "every line must be one object, not null"),
        ('"a"', "every line must be one object, not a string"),
        ("1.5", "every line must be one object, not a number"),
        ('{"text": NaN}', "not JSON: NaN is no JSON number; use null"),
        ('{"text": "a", "n": ' + "9" * 5000 + "}", "not JSON: "),
        ("[" * 200_000, "not JSON: "),
        ('{"id": 1}', "no text: give one of text, content, body or title"),
        ('{"text": 5}', "text must be a str, not int"),
        ('{"text": "a", "id": [1]}', "id must be a string or an integer, not an array"),
        ('{"text": "a", "id": true}', "id must be a string or an integer, not a boolean"),
        ('{"text": "a", "id": 1.5}', "id must be a string or an integer, not a number"),
        ('{"text": "a", "importance": 1e999}', "importance is inf; it must be finite"),
        ('{"text": "a", "created_at": "soon"}', "created_at is 'soon', which is not an ISO 8601"),
        ('{"text": "a", "tier": "x"}', "tier is 'x'; it must be one of"),
    ],
)
def test_bad_line_is_named(line, message):
    with pytest.raises(FormatError) as caught:
        read_jsonl('{"text": "fine"}\n\n' + line + "\n", "dir/a.jsonl")
    assert str(caught.value).startswith("dir/a.jsonl:3: " + message)
    assert (caught.value.path, caught.value.line) == ("dir/a.jsonl", 3)


def test_table():
    text = (
        "ID,Title,text,importance,access_count,evergreen,created_at,Project\n"
        '1,Wing,"It stalls,\nthen falls.",0.5,3,yes,2024-05-01,aero\n'
        "\n"
        ",, ,,,,,\n"
        "2,,Plain,,,,,\n"
    )
    first, second = read_csv(text, "a.csv")
    assert first == Document(
        "1",
        "It stalls,\nthen falls.",
        "Wing",
        parent_id="a.csv",
        created_at="2024-05-01",
        importance=0.5,
        access_count=3,
        evergreen=True,
        metadata={"source": "a.csv", "type": "csv", "Project": "aero"},
    )
    assert second == Document("2", "Plain", parent_id="a.csv", metadata={"source": "a.csv", "type": "csv"})


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators(separator):
    text = separator.join(("id", "text")) + "\n" + separator.join(("1", "a")) + "\n"
    (document,) = read_csv(text, "a")
    assert (document.id, document.text) == ("1", "a")


def test_row_without_an_id_is_named_after_its_line():
    documents = read_csv('text\n"a\nb"\nc\n', "a.csv")
    assert [document.id for document in documents] == ["a.csv#2", "a.csv#4"]


def test_table_without_rows():
    assert read_csv("", "a") == []
    assert read_csv("id,text\n", "a") == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("id,text\n1,a\n2,b,c\n", 3, "the row has 3 cells and the header 2; quote cells"),
        ('id,text\n1,"a\nb"\n2\n', 4, "the row has 1 cells and the header 2"),
        ('id,text\n1,"a\n', 2, "not CSV: unexpected end of data"),
        ('id,text\n1,"a"b\n', 2, "not CSV: ',' expected after '\"'"),
        ("text,Text\na,b\n", 1, "a column name occurs twice"),
        ("id,words\n1,a\n", 1, "no column is named text, content, body or title"),
        ("text,importance\na,high\n", 2, "importance: could not convert string to float: 'high'"),
        ("text,importance\na,nan\n", 2, "importance is nan; it must be finite"),
        ("text,volatile\na,maybe\n", 2, "volatile: 'maybe' is neither true nor false"),
        ("text,access_count\na,-1\n", 2, "access_count is -1; it must be 0 or more"),
        ("id,text\n1,\n", 2, "no text: give one of"),
        ("text\n" + "a" * 200_000, 2, "not CSV: field larger than field limit (131072)"),
    ],
)
def test_bad_row_is_named(text, line, message):
    with pytest.raises(FormatError) as caught:
        read_csv(text, "dir/a.csv")
    assert str(caught.value).startswith(f"dir/a.csv:{line}: {message}")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from(["id", "_id", "text", "title", "tier", "importance", "metadata", "x"]),
        JSON,
        max_size=6,
    )
)
def test_any_object_is_a_document_or_a_format_error(record):
    try:
        documents = read_jsonl(json.dumps(record), "a")
    except FormatError:
        return
    assert [type(document) for document in documents] == [Document]


@given(st.text(max_size=80))
def test_any_text_is_lines_and_tables_or_a_format_error(text):
    for read in (read_jsonl, read_csv):
        with contextlib.suppress(FormatError):
            assert all(document.parent_id == "a" for document in read(text, "a"))
