"""From real files to documents: ids, titles, encodings, and files that are gone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld.errors import FormatError
from rankmeld.ingest import SourceFile, discover, read_documents
from rankmeld.ingest.reading import decode
from rankmeld.types import Document


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        (source,) = discover([name])
        return read_documents(source)

    return read


def test_markdown(read):
    documents = read("docs/guide.md", "Hello.\n\n# Guide\n\n## Set up\n\nInstall it.\n")
    common = {"parent_id": "docs/guide.md"}
    metadata = {"source": "docs/guide.md", "type": "markdown"}
    assert documents == [
        Document("docs/guide.md#1", "Hello.", "guide.md", **common, metadata={**metadata, "line": 1}),
        Document(
            "docs/guide.md#2", "Install it.", "Guide > Set up", **common, metadata={**metadata, "line": 7}
        ),
    ]


def test_restructuredtext(read):
    (document,) = read("a.rst", "Title\n=====\n\nText.\n")
    assert (document.title, document.text) == ("Title", "Text.")
    assert document.metadata["type"] == "rst"


def test_code_has_its_language_as_topic(read):
    (document,) = read("src/main.rs", "fn main() {\n    run();\n}\n")
    assert document == Document(
        "src/main.rs#1",
        "fn main() {\n    run();\n}",
        "main.rs",
        "rust",
        parent_id="src/main.rs",
        metadata={"source": "src/main.rs", "type": "code", "line": 1},
    )


@pytest.mark.parametrize("name", ["a.py", "a.txt", "a.md", "a.rst"])
def test_a_passage_tells_its_first_line(read, name):
    text = "\n\n# Top\n\n" + "\r\n\r\n".join(f"def f{n}():\n    " + "x" * 700 for n in range(9))
    lines = text.replace("\r\n", "\n").split("\n")
    documents = read(name, text)
    assert len(documents) >= 9
    for document in documents:
        assert document.text.split("\n")[0] == lines[document.metadata["line"] - 1]


def test_long_text_is_numbered_in_order(read):
    sentences = [f"Sentence number {number} says little." for number in range(200)]
    documents = read("a.txt", " ".join(sentences))
    assert [document.id for document in documents] == [
        f"a.txt#{number}" for number in range(1, len(documents) + 1)
    ]
    assert len(documents) > 5
    assert " ".join(document.text for document in documents) == " ".join(sentences)
    assert max(len(document.text) for document in documents) <= 1200
    assert {document.title for document in documents} == {"a.txt"}


def test_records(read):
    assert [document.id for document in read("a.jsonl", '{"id": "x", "text": "a"}\n')] == ["x"]
    assert [document.id for document in read("a.csv", "id,text\ny,a\n")] == ["y"]
    assert [document.id for document in read("a.tsv", "id\ttext\nz\ta\n")] == ["z"]
    with pytest.raises(FormatError, match=r"^bad\.jsonl:1: not JSON"):
        read("bad.jsonl", "{")


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.rst", "a.py", "a.jsonl", "a.csv"])
@pytest.mark.parametrize("content", [b"", b" \r\n\t\r\n", b"\xef\xbb\xbf"])
def test_blank_file_has_no_documents(read, name, content):
    assert read(name, content) == []


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"caf\xc3\xa9", "café"),
        (b"\xef\xbb\xbfcaf\xc3\xa9", "café"),
        (b"caf\xe9 \x80 \x93quoted\x94", "café € “quoted”"),
        (b"caf\xe9 \x81", "café \x81"),
        (b"one\r\ntwo\rthree\n", "one\ntwo\nthree\n"),
        (b"\xed\xa0\x80", "í\xa0€"),
    ],
    ids=["utf-8", "mark", "cp1252", "latin-1", "line ends", "surrogate"],
)
def test_encodings(data, text):
    assert decode(data) == text


@given(st.binary(max_size=60))
def test_every_file_is_some_text_that_utf8_can_hold(data):
    decode(data).encode("utf-8")


def test_windows_line_ends_and_mark_make_no_difference(read):
    text = "# A\n\none\n\n```\n# no\n```\n\n## B\n\ntwo\n"
    plain = read("a.md", text)
    assert read("a.md", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()) == plain
    assert [document.title for document in plain] == ["A", "A > B"]


def test_file_that_vanished_is_reported(tmp_path):
    source = SourceFile((tmp_path / "gone.md").as_posix(), "markdown")
    skipped = []
    assert read_documents(source, on_skip=lambda *skip: skipped.append(skip)) == []
    assert skipped == [(source.path, "cannot be read: No such file or directory")]
    with pytest.raises(FileNotFoundError):
        read_documents(source)


def test_reading_twice_gives_the_same(read):
    text = "# A\n\n" + "Some words here. " * 300
    assert read("a.md", text) == read("a.md", text)
