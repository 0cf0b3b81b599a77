"""Files of a BM25 index: nothing is lost, nothing damaged is read, nothing half written is left."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
import sys
import time
from functools import partial
from uuid import UUID

import pytest

import rankmeld as rm

IDS = [
    "",
    "line\nbreak\u2028",
    "\ud800",
    1,
    -(2**70),
    2.5,
    b"\0\xff",
    UUID(int=7),
    (1, ("a", b"b")),
    None,
    False,
]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "an index"


def filled(**options):
    index = rm.BM25Index(**options)
    index.add([(id, f"word number w{place}") for place, id in enumerate(IDS)])
    return index


def same(left, right, *queries):
    for query in queries:
        assert left.search(query, limit=None) == right.search(query, limit=None)
    assert (len(left), left.k1, left.b) == (len(right), right.k1, right.b)


def test_ids_of_all_kinds_come_back(path):
    index = filled(k1=0.9, b=0.4)
    index.save(path)
    loaded = rm.BM25Index.load(str(path))
    same(index, loaded, "word", "w3 number", "nothing")
    assert [type(id) for id in loaded.search("word", limit=None).ids] == [type(id) for id in IDS]
    loaded.add([("new", "word")])
    index.add([("new", "word")])
    same(index, loaded, "word")
    assert loaded.tokenizer is rm.bm25_tokenize


def test_documents_come_back_as_they_were(path):
    moment = dt.datetime(2024, 3, 1, 12, tzinfo=dt.UTC)
    documents = [
        rm.Document(
            "full", "text", "title", "topic", parent_id=(1, "p"), created_at=moment, updated_at=moment,
            valid_from=moment, last_accessed_at=moment, access_count=3, importance=0.5,
            assessed_importance=0.25, confidence=0.75, tier="semantic", evergreen=True, volatile=True,
            metadata={"project": "x", "n": 1, "nested": {"a": [1, (2, b"3")]}, 7: None},
        ),
        rm.Document("bare", "text"),
    ]  # fmt: skip
    index = rm.BM25Index()
    index.add([*documents, ("pair", "text")])
    index.save(path)
    loaded = rm.BM25Index.load(path)
    assert loaded.search("text").documents == [documents[1], None, documents[0]]
    assert loaded.get("full").metadata["nested"] == {"a": [1, (2, b"3")]}
    assert loaded.search("text", filters={"project": "x"}).ids == ["full"]
    same(index, loaded, "text title")


def test_what_was_removed_is_not_in_the_file(path):
    index = rm.BM25Index()
    index.add([rm.Document("kept", "ordinary"), *[rm.Document(n, f"ordinary o{n}") for n in range(20)]])
    index.add([rm.Document("gone", "secretword", metadata={"note": "hush"})])
    index.remove(["gone"])
    index.save(path)
    assert b"secretword" not in path.read_bytes()
    assert b"hush" not in path.read_bytes()


def test_an_empty_index_is_kept_too(path):
    rm.BM25Index(k1=2.0).save(path)
    loaded = rm.BM25Index.load(path)
    assert (len(loaded), loaded.k1) == (0, 2.0)
    loaded.add([("a", "b2 word")])
    assert loaded.search("word").ids == ["a"]


def test_the_tokenizer_is_kept_by_name_or_asked_for(path):
    english = partial(rm.bm25_tokenize, stemmer="english")
    filled(tokenizer=english).save(path)
    loaded = rm.BM25Index.load(path)
    same(filled(tokenizer=english), loaded, "words numbering")
    same(loaded, rm.BM25Index.load(path, tokenizer=partial(rm.bm25_tokenize, stemmer="english")), "words")
    with pytest.raises(rm.InvalidArgumentError) as refused:
        rm.BM25Index.load(path, tokenizer=rm.bm25_tokenize)
    assert str(refused.value) == (
        f"the index in {str(path)!r} was made with bm25_tokenize and stemmer 'english', and tokenizer is "
        "another one; leave it out, or index the documents again"
    )
    own = filled(tokenizer=str.split)
    own.save(path)
    same(own, rm.BM25Index.load(path, tokenizer=str.split), "word")
    for tokenizer in (None, rm.bm25_tokenize, rm.tokenize, partial(rm.bm25_tokenize, stemmer=None)):
        with pytest.raises(rm.InvalidArgumentError) as refused:
            rm.BM25Index.load(path, tokenizer=tokenizer)
        assert str(refused.value) == (
            f"the index in {str(path)!r} was made with a tokenizer of its own, which a file cannot keep; "
            "pass it as tokenizer="
        )


def test_the_plain_tokenizer_is_kept_by_name_too(path):
    plain = filled(tokenizer=rm.tokenize)
    plain.save(path)
    for loaded in (rm.BM25Index.load(path), rm.BM25Index.load(path, tokenizer=rm.tokenize)):
        same(plain, loaded, "words numbering")
        assert loaded.tokenizer is rm.tokenize
    for tokenizer in (str.split, rm.bm25_tokenize):
        with pytest.raises(rm.InvalidArgumentError) as refused:
            rm.BM25Index.load(path, tokenizer=tokenizer)
        assert str(refused.value) == (
            f"the index in {str(path)!r} was made with tokenize, and tokenizer is another one; leave it out, "
            "or index the documents again"
        )


def test_what_a_file_cannot_keep_is_named_and_leaves_the_old_file(path):
    index = filled()
    index.save(path)
    before = path.read_bytes()
    index.add([(frozenset({1}), "word")])
    with pytest.raises(TypeError, match=r"^id frozenset\(\{1\}\) cannot be saved: .*frozenset"):
        index.save(path)
    index.remove([frozenset({1})])
    index.add([rm.Document("d", "word", metadata={"key": object()})])
    with pytest.raises(TypeError, match=r"^document 'd' cannot be saved: .*object"):
        index.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_cuts_changes_and_foreign_files_are_refused_by_name(path):
    filled().save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        for broken in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]):
            path.write_bytes(broken)
            with pytest.raises(rm.FormatError) as refused:
                rm.BM25Index.load(path)
            assert refused.value.path == str(path)
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(rm.FormatError, match="this is not a BM25 index of rankmeld; check the path"):
        rm.BM25Index.load(path)
    rm.CorpusStats(["a text"]).save(path)
    with pytest.raises(rm.FormatError, match="this is not a BM25 index of rankmeld; check the path"):
        rm.BM25Index.load(path)
    with pytest.raises(FileNotFoundError):
        rm.BM25Index.load(path.with_name("none"))


@pytest.mark.parametrize("change", ["parts", "ids", "twice", "options", "tokenizer", "postings", "records"])
def test_a_well_formed_file_of_something_else_is_refused(path, change):
    from rankmeld._bm25_storage import _KIND
    from rankmeld._files import load_parts, save_parts

    filled().save(path)
    _, (options, ids, records, postings) = load_parts(path, _KIND)
    broken = {
        "parts": [options, ids],
        "ids": [options, b'["a"]', records, postings],
        "twice": [options, b"[" + b",".join([b"1"] * len(IDS)) + b"]", records, postings],
        "options": [b'{"mapping":[["k1",-1]]}', ids, records, postings],
        "tokenizer": [options.replace(b'"bm25_tokenize"', b'"other"'), ids, records, postings],
        "postings": [options, ids, records, postings[:-1]],
        "records": [options, ids, b'[{"mapping":[["colour",1]]}]', postings],
    }[change]
    save_parts(path, _KIND, broken)
    with pytest.raises(rm.FormatError, match="this BM25 index does not hold what it should") as refused:
        rm.BM25Index.load(path)
    assert refused.value.path == str(path)


CHILD = """
import sys
import rankmeld as rm
index = rm.BM25Index()
index.add([(n, f"word w{n} x{n % 97}") for n in range(60_000)])
print("ready", flush=True)
while True:
    index.save(sys.argv[1])
"""


@pytest.mark.skipif(os.name != "posix", reason="not applicable: kills a process by signal")
def test_a_kill_in_the_middle_leaves_a_whole_file(path):
    filled().save(path)
    for delay in (0.0, 0.03, 0.08):
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "ready\n"
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        loaded = rm.BM25Index.load(path)
        assert len(loaded) in (len(IDS), 60_000)
        assert loaded.search("w3").ids[0] in (3, 1)
