"""Counts in a file: as they were, or refused by name."""

from __future__ import annotations

import errno
import functools
import os

import pytest

import rankmeld as rm
from rankmeld import corpus_stats
from rankmeld._files import save_parts
from support.refusals import refusal

TEXTS = ["the red car", "検索 and the rest", "", "the the the"]


@pytest.mark.parametrize("tokenizer", [rm.tokenize, rm.bm25_tokenize])
def test_what_was_saved_comes_back_with_its_tokenizer(tmp_path, tokenizer):
    path = tmp_path / "counts"
    stats = rm.CorpusStats(TEXTS, tokenizer=tokenizer)
    stats.save(path)
    for loaded in (rm.CorpusStats.load(path), rm.CorpusStats.load(str(path), tokenizer=tokenizer)):
        assert loaded == stats
        assert loaded.tokenizer is tokenizer
        loaded.add(["one more"])
        loaded.remove([*TEXTS, "one more"])
        assert loaded == rm.CorpusStats(tokenizer=tokenizer)


def test_a_tokenizer_of_ones_own_is_asked_for(tmp_path):
    path = tmp_path / "counts"
    own = functools.partial(rm.bm25_tokenize, stemmer="english")
    stats = rm.CorpusStats(TEXTS, tokenizer=own)
    stats.save(path)
    assert rm.CorpusStats.load(path, tokenizer=own) == stats
    for options in ({}, {"tokenizer": rm.tokenize}):
        assert refusal(rm.InvalidArgumentError, rm.CorpusStats.load, path, **options) == (
            f"the counts in {path} were made with a tokenizer of one's own, which no file can hold; "
            "pass it as tokenizer="
        )


def test_another_tokenizer_than_the_files_is_refused(tmp_path):
    path = tmp_path / "counts"
    rm.CorpusStats(TEXTS).save(path)
    assert refusal(rm.InvalidArgumentError, rm.CorpusStats.load, path, tokenizer=rm.bm25_tokenize) == (
        f"the counts in {path} were made with rankmeld.tokenize, and tokenizer= is another; leave it out"
    )
    message = refusal(TypeError, rm.CorpusStats.load, path, tokenizer="tokenize")
    assert message == "tokenizer must be a callable, not str"


def test_equal_counts_give_equal_files(tmp_path):
    one, other = rm.CorpusStats(TEXTS), rm.CorpusStats(["gone", *TEXTS[::-1]])
    other.remove(["gone"])
    one.save(tmp_path / "one")
    other.save(tmp_path / "other")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_damage_anywhere_is_seen(tmp_path):
    path = tmp_path / "counts"
    rm.CorpusStats(TEXTS).save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(rm.FormatError, match="counts"):
            rm.CorpusStats.load(path)
        path.write_bytes(whole[:at])
        with pytest.raises(rm.FormatError, match="counts"):
            rm.CorpusStats.load(path)


def test_a_failed_save_leaves_what_was_there(tmp_path):
    path = tmp_path / "counts"
    rm.CorpusStats(TEXTS).save(path)
    for wanted, kind in (
        (tmp_path / "no-folder" / "counts", FileNotFoundError),
        (path / "counts", (NotADirectoryError, FileNotFoundError)),
    ):
        with pytest.raises(kind) as caught:
            rm.CorpusStats().save(wanted)
        assert (caught.value.filename, caught.value.filename2) == (str(wanted), None)
        assert str(caught.value).endswith(f": {str(wanted)!r}")
    assert rm.CorpusStats.load(path) == rm.CorpusStats(TEXTS)
    assert [entry.name for entry in tmp_path.iterdir()] == ["counts"]


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([b"tokenize", b"nonsense"], "the counts in this file contradict themselves; make it again"),
        ([b"tokenize"], "the counts in this file contradict themselves; make it again"),
        ([b"\xff", bytes(24)], "the counts in this file contradict themselves; make it again"),
        ([b"words", bytes(24)], "the counts were made with the tokenizer 'words', which is not known here"),
    ],
)
def test_a_whole_file_of_something_else_is_refused(tmp_path, parts, reason):
    path = tmp_path / "counts"
    save_parts(path, corpus_stats._KIND, parts)
    assert refusal(rm.FormatError, rm.CorpusStats.load, path) == f"{path}: {reason}"


def test_a_newer_file_is_refused(tmp_path):
    path = tmp_path / "counts"
    save_parts(path, corpus_stats._KIND._replace(version=2), [b"tokenize", bytes(24)])
    assert "a newer rankmeld wrote this" in refusal(rm.FormatError, rm.CorpusStats.load, path)


@pytest.mark.parametrize("path", ["", ".", os.sep])
def test_a_path_that_names_no_file_is_refused(path):
    index = rm.BM25Index()
    for call in (rm.CorpusStats(TEXTS).save, index.save, rm.CorpusStats.load, rm.BM25Index.load):
        text = refusal(rm.InvalidArgumentError, call, path)
        assert text == f"path is {path!r}, which names no file; give the path of one"


def test_a_name_may_be_as_long_as_the_system_lets_it_be(tmp_path):
    path = tmp_path / ("n" * 250)
    rm.CorpusStats(TEXTS).save(path)
    assert rm.CorpusStats.load(path) == rm.CorpusStats(TEXTS)
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_link_is_followed_and_stays(tmp_path):
    (tmp_path / "data").mkdir()
    file, link, chain = tmp_path / "data" / "counts", tmp_path / "link", tmp_path / "chain"
    try:
        link.symlink_to(file)  # to nothing yet
        chain.symlink_to("link")
    except OSError:
        pytest.skip("not applicable: this user may make no links")
    for path, texts in ((link, TEXTS), (chain, [*TEXTS, "more"])):
        rm.CorpusStats(texts).save(path)
        assert link.is_symlink()
        assert chain.is_symlink()
        assert not file.is_symlink()
        assert rm.CorpusStats.load(file) == rm.CorpusStats.load(path) == rm.CorpusStats(texts)


def test_links_in_a_circle_are_an_error(tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    try:
        one.symlink_to(other)
        other.symlink_to(one)
    except OSError:
        pytest.skip("not applicable: this user may make no links")
    with pytest.raises(OSError, match="one") as caught:
        rm.CorpusStats(TEXTS).save(one)
    assert caught.value.errno == errno.ELOOP
    assert one.is_symlink()
