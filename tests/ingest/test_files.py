"""Which files are found in a real folder, in which order, and what is reported."""

from __future__ import annotations

import hashlib
import os
import socket
import sys
from pathlib import Path

import pytest

from rankmeld.errors import InvalidArgumentError
from rankmeld.ingest import DEFAULT_MAX_BYTES, SourceFile, digest, discover


@pytest.fixture
def tree(tmp_path):
    def plant(**files):
        for name, content in files.items():
            path = tmp_path / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return plant


def names(folder, **options):
    root = folder.as_posix()
    return [source.path.removeprefix(root + "/") for source in discover([folder], **options)]


def test_order_is_that_of_the_names(tree):
    folder = tree(b_dot_txt="b", a__z_dot_txt="z", a__b_dot_txt="b", B_dot_txt="B", a_dot_txt="a")
    assert names(folder) == ["B.txt", "a/b.txt", "a/z.txt", "a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "markdown"),
        ("a.Markdown", "markdown"),
        ("a.rst", "rst"),
        ("a.py", "code"),
        ("a.RS", "code"),
        ("Makefile", "code"),
        ("CMakeLists.txt", "code"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.csv", "csv"),
        ("a.tsv", "csv"),
        ("a.txt", "text"),
        ("a.unheard-of", "text"),
        ("LICENSE", "text"),
    ],
)
def test_kinds_go_by_the_name(tmp_path, name, kind):
    (tmp_path / name).write_text("a")
    (source,) = discover([tmp_path])
    assert source == SourceFile((tmp_path / name).as_posix(), kind)
    assert source.name == name


def test_hidden_files_are_passed_over_and_reported_and_made_ones_in_silence(tree):
    folder = tree(
        _dot_hidden="a",
        _dot_git__config="a",
        node_modules__m_dot_js="a",
        keep_dot_txt="a",
        deep__node_modules__m_dot_js="a",
        env__lib__a_dot_py="a",
        env__pyvenv_dot_cfg="home = x",
    )
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.py").write_text("a")
    skipped = []
    assert names(folder, on_skip=lambda *skip: skipped.append(skip)) == ["keep.txt"]
    root = folder.as_posix()
    assert skipped == [(f"{root}/.git", "hidden"), (f"{root}/.hidden", "hidden")]
    for paths in ([folder, folder / ".hidden"], [folder / ".hidden", folder]):
        assert {source.name for source in discover(paths)} == {".hidden", "keep.txt"}


def test_named_file_is_taken_whatever_its_name_and_size(tree):
    folder = tree(_dot_hidden_dot_md="four")
    (source,) = discover([folder / ".hidden.md"], max_bytes=1)
    assert source.kind == "markdown"


def test_binary_files_are_reported(tree):
    folder = tree(early=b"a" * 8191 + b"\0", late=b"a" * 8192 + b"\0", image_dot_png=b"\x89PNG\0", empty=b"")
    skipped = []
    assert names(folder, on_skip=lambda *skip: skipped.append(skip)) == ["empty", "late"]
    assert skipped == [(f"{folder}/early", "binary"), (f"{folder}/image.png", "binary")]


def test_large_files_are_reported(tree):
    folder = tree(small="a" * 10, large="a" * 11)
    skipped = []
    assert names(folder, max_bytes=10, on_skip=lambda *skip: skipped.append(skip)) == ["small"]
    assert skipped == [(f"{folder}/large", "11 bytes, over the limit of 10")]
    assert names(folder, max_bytes=None) == ["large", "small"]


def test_limit_is_two_mebibytes_unless_told(tree):
    folder = tree(fits=b"a" * DEFAULT_MAX_BYTES, over=b"a" * (2 * 1024 * 1024 + 1))
    assert names(folder) == ["fits"]


def test_links(tree):
    folder = tree(a__real_dot_txt="text")
    (folder / "a" / "loop").symlink_to(folder)
    (folder / "a" / "self").symlink_to("self")
    (folder / "broken").symlink_to("nowhere")
    (folder / "link.txt").symlink_to("a/real.txt")
    skipped = {}
    found = names(folder, on_skip=skipped.__setitem__)
    assert found == ["a/real.txt", "link.txt"]
    assert skipped == {
        f"{folder}/a/loop": "a link to a folder; name it itself to follow it",
        f"{folder}/a/self": "cannot be read: Too many levels of symbolic links",
        f"{folder}/broken": "cannot be read: No such file or directory",
    }
    assert [source.name for source in discover([folder / "a" / "loop"])] == ["real.txt", "link.txt"]


def test_what_is_no_file_is_reported_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(".", os.O_RDONLY)
        os.chdir(tmp_path)  # the name of a socket must be short
        server.bind("socket")
        os.fchdir(here)
        os.close(here)
    skipped = []
    assert names(tmp_path, on_skip=lambda *skip: skipped.append(skip)) == []
    assert [reason for _, reason in skipped] == ["not a regular file"] * 2


def test_name_that_is_no_unicode_is_reported(tmp_path):
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("a")
    (tmp_path / "café.txt").write_text("a", encoding="utf-8")
    skipped = []
    assert names(tmp_path, on_skip=lambda *skip: skipped.append(skip)) == ["café.txt"]
    assert [reason for _, reason in skipped] == ["its name is not valid UTF-8"]


def test_file_that_vanishes_during_the_walk_is_reported(tree):
    folder = tree(a="a", b="b", c="c")
    skipped = []
    walk = discover([folder], on_skip=lambda *skip: skipped.append(skip))
    assert next(walk).name == "a"
    (folder / "b").unlink()
    assert [source.name for source in walk] == ["c"]
    assert skipped == [(f"{folder}/b", "cannot be read: No such file or directory")]


def test_paths_are_named_as_the_user_named_them(tree, monkeypatch):
    folder = tree(docs__a_dot_md="a")
    monkeypatch.chdir(folder)
    for given in ("docs", "docs/", "./docs", "docs/a.md", "."):
        assert [source.path for source in discover([given])] == ["docs/a.md"]
    monkeypatch.chdir(folder / "docs")
    assert [source.path for source in discover(["../docs"])] == ["../docs/a.md"]
    assert [source.path for source in discover(["."])] == ["a.md"]


def test_same_path_is_given_once(tree, monkeypatch):
    folder = tree(docs__a_dot_md="a", docs__b_dot_md="b")
    monkeypatch.chdir(folder)
    found = [source.path for source in discover(["docs/b.md", "docs", "./docs"])]
    assert found == ["docs/b.md", "docs/a.md"]


@pytest.fixture
def deep_tree(tmp_path):
    """A tree deeper than Python's stack, taken away again: pytest itself could not."""
    here = os.open(".", os.O_RDONLY)
    os.chdir(tmp_path)
    depth = sys.getrecursionlimit() + 200
    for _ in range(depth):
        Path("d").mkdir()
        os.chdir("d")
    Path("end.txt").write_text("a")
    yield tmp_path
    Path("end.txt").unlink()
    for _ in range(depth):
        os.chdir("..")
        Path("d").rmdir()
    os.fchdir(here)
    os.close(here)


def test_deep_tree_needs_no_deep_stack(deep_tree):
    assert [source.name for source in discover([deep_tree])] == ["end.txt"]


@pytest.mark.parametrize(
    ("paths", "options", "kind", "message"),
    [
        ("docs", {}, TypeError, r"paths is one path; pass a list of paths: \['docs'\]"),
        (["/no/such/place"], {}, InvalidArgumentError, "no such file or folder: '/no/such/place'"),
        ([], {"max_bytes": -1}, InvalidArgumentError, "max_bytes is -1; it must be 0 or more"),
        ([], {"max_bytes": 1.5}, TypeError, "max_bytes must be an int or None, not float"),
        ([], {"max_bytes": True}, TypeError, "max_bytes must be an int or None, not bool"),
    ],
)
def test_bad_arguments_are_refused_before_the_walk(paths, options, kind, message):
    with pytest.raises(kind, match=message):
        discover(paths, **options)


def test_digest_is_that_of_the_bytes(tmp_path):
    data = os.urandom(700_000)
    (tmp_path / "a").write_bytes(data)
    assert digest(tmp_path / "a") == hashlib.sha256(data).hexdigest()
    assert digest(str(tmp_path / "a")) == hashlib.sha256(data).hexdigest()
    with pytest.raises(FileNotFoundError):
        digest(tmp_path / "b")
