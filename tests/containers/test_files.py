"""Files are written as a whole or not at all, and what is not whole is refused by name."""

from __future__ import annotations

import os
import stat

import pytest

import rankmeld as rm
from rankmeld._files import FileKind, load_parts, save_parts

KIND = FileKind("test", 3, "test's file")
NEWER = "a newer rankmeld wrote this (version 3; 2 is the newest known here); upgrade rankmeld to read it"
PARTS = [b"first", b"", bytes(range(32))]


@pytest.fixture
def path(tmp_path):
    save_parts(tmp_path / "a file", KIND, PARTS)
    return tmp_path / "a file"


def test_what_is_written_comes_back(path):
    assert load_parts(str(path), KIND) == (3, PARTS)
    save_parts(path, KIND._replace(version=1), [])
    assert load_parts(path, KIND) == (1, [])
    assert [file.name for file in path.parent.iterdir()] == ["a file"]


def test_every_cut_and_every_changed_byte_is_seen(path):
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at])
        with pytest.raises(rm.FormatError):
            load_parts(path, KIND)
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])
        with pytest.raises(rm.FormatError):
            load_parts(path, KIND)


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        (b"{}", KIND, "this is not a test's file of rankmeld; check the path"),
        (b"", KIND, "this is not a test's file of rankmeld; check the path"),
        (None, KIND._replace(mark="other"), "this is not a test's file of rankmeld; check the path"),
        (
            None,
            KIND._replace(version=2),
            NEWER,
        ),
        (
            -1,
            KIND,
            "this test's file ends too early; make it again, or take a whole copy",
        ),
        (
            b"x",
            KIND,
            "this test's file is damaged (wrong checksum); make it again, or take a whole copy",
        ),
    ],
)
def test_refusals_name_file_and_reason(path, content, kind, text):
    if content == -1:
        path.write_bytes(path.read_bytes()[:-1])
    elif content == b"x":
        path.write_bytes(path.read_bytes() + b"x")
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(rm.FormatError) as refused:
        load_parts(path, kind)
    assert str(refused.value) == f"{path}: {text}"
    assert refused.value.path == str(path)


def test_a_failed_write_leaves_what_was_there(path, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_parts(path, KIND, [b"new"])
    monkeypatch.undo()
    assert load_parts(path, KIND) == (3, PARTS)
    assert [file.name for file in path.parent.iterdir()] == ["a file"]


def test_a_file_keeps_its_permissions(path):
    path.chmod(0o640)
    save_parts(path, KIND, [b"new"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_other_errors_stay_what_they_are(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_parts(tmp_path / "none", KIND)
    with pytest.raises(FileNotFoundError):
        save_parts(tmp_path / "none" / "file", KIND, [])
    with pytest.raises(TypeError, match="path must be a str or a path, not int"):
        load_parts(3, KIND)


def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    if not hasattr(os, "mkfifo"):
        pytest.skip("not applicable: there are no named pipes here")
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="not a regular file"):
        save_parts(pipe, KIND, PARTS)
    with pytest.raises(IsADirectoryError, match="not a regular file"):
        save_parts(tmp_path, KIND, PARTS)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [file.name for file in tmp_path.iterdir()] == ["pipe"]
