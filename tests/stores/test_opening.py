"""Opening and closing: what is no store, what may not be written, what is gone."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rankmeld as rm
from stores.samples import LetterEmbedder

NOBODY = 65534


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "store.db"
    with rm.SqliteStore(path) as store:
        store.add([rm.Document("a", "zebra")], vectors=[[1.0, 2.0]])
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.is_file()}


def test_a_store_is_there_again_when_it_is_opened_again(path):
    with rm.SqliteStore(str(path)) as store:
        assert store.lexical("zebra", limit=1).ids == ["a"]
        assert store.vector([1, 2], limit=1).ids == ["a"]
    assert sorted(files(path.parent)) == ["store.db"]  # the log is folded in and gone


@pytest.mark.parametrize(
    "name", ["plain", "with space", "100%.db", "a?b#c.db", "ü日本😀.db", "it's", 'quo"te', "a&mode=ro"]
)
def test_any_name_of_a_file_will_do(tmp_path, name):
    if sys.platform == "win32" and set(name) & set('?"'):
        pytest.skip("Windows allows no such name")
    with rm.SqliteStore(tmp_path / name) as store:
        store.add([rm.Document(1)])
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    with rm.SqliteStore(tmp_path / name, read_only=True) as store:
        assert len(store) == 1


def test_a_name_that_is_no_unicode_will_do(tmp_path):
    if sys.platform != "linux":
        pytest.skip("this system's file names are Unicode")
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/broken-\xe4.db"))
    with rm.SqliteStore(path) as store:
        store.add([rm.Document(1)])
    assert path.exists()
    with rm.SqliteStore(path, read_only=True) as store:
        assert len(store) == 1


def test_a_relative_path_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with rm.SqliteStore("store.db") as store:
        monkeypatch.chdir(tmp_path / "elsewhere")
        store.add([rm.Document(1)])
        assert len(store) == 1
    assert (tmp_path / "store.db").exists()


# --- what is no store ---------------------------------------------------------------------------


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "content", [b"This is a text, not a database, and long enough to show it. " * 50, b"\0" * 4096]
)
def test_another_kind_of_file_is_refused_and_left_alone(tmp_path, content, read_only):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(rm.StoreError, match=r"notes\.txt is not a database; name another file"):
        rm.SqliteStore(path, read_only=read_only)
    assert files(tmp_path) == {"notes.txt": content}


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "statement", ["CREATE TABLE t (x)", "PRAGMA user_version = 7", "PRAGMA application_id = 5"]
)
def test_another_programs_database_is_refused_and_left_alone(tmp_path, statement, read_only):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()
    before = files(tmp_path)
    with pytest.raises(
        rm.StoreError, match=r"other\.db is an SQLite database, but not one that rankmeld made"
    ):
        rm.SqliteStore(path, read_only=read_only)
    assert files(tmp_path) == before


def test_a_damaged_store_is_a_store_error(path):
    content = bytearray(path.read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(rm.StoreError, match="is damaged; restore it"), rm.SqliteStore(path) as store:
        store.lexical("zebra", limit=1)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_folder_is_refused(tmp_path, read_only):
    with pytest.raises(rm.StoreError, match="is a folder; name a file in it"):
        rm.SqliteStore(tmp_path, read_only=read_only)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(rm.StoreError, match=r"does not exist; create .*gone first"):
        rm.SqliteStore(tmp_path / "gone" / "store.db")
    assert list(tmp_path.iterdir()) == []


def test_reading_creates_nothing(tmp_path):
    with pytest.raises(rm.StoreError, match=r"store\.db does not exist, and read_only=True creates none"):
        rm.SqliteStore(tmp_path / "store.db", read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [b"store.db", 7, None])
def test_a_path_of_another_kind_is_a_type_error(path):
    with pytest.raises(TypeError, match="path"):
        rm.SqliteStore(path)


@pytest.mark.parametrize(
    ("path", "message"),
    [("", "path is empty; name a file"), ("a\0b.db", r"path is 'a\\x00b.db', and no file")],
)
def test_a_path_that_no_file_can_have_is_refused(path, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(rm.InvalidArgumentError, match=message):
        rm.SqliteStore(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("length", [250, 300])
def test_a_name_that_is_too_long_is_refused(tmp_path, length, read_only):
    with pytest.raises(rm.StoreError, match=r"cannot be opened: .*; shorten it"):
        rm.SqliteStore(tmp_path / ("n" * length), read_only=read_only)
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_is_too_long_for_sqlite_is_refused(tmp_path):
    folder = tmp_path / ("f" * 200) / ("g" * 200) / ("h" * 200)
    folder.mkdir(parents=True)
    with pytest.raises(rm.StoreError, match="not longer than 500 bytes"):
        rm.SqliteStore(folder / "store.db")
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no process's files")
def test_a_store_that_cannot_be_made_leaves_no_empty_file(tmp_path):
    program = textwrap.dedent(
        """
        import resource, sys, rankmeld as rm
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # as a full disk: a file is made, and cannot grow
        try:
            rm.SqliteStore(sys.argv[1])
        except rm.StoreError as error:
            sys.stdout.write(str(error))
        """
    )
    run = subprocess.run(
        [sys.executable, "-B", "-c", program, tmp_path / "store.db"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "store.db cannot" in run.stdout
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_that_was_there_stays_where_no_store_can_be_made_of_it(tmp_path, monkeypatch):
    def fail(*_):
        raise KeyboardInterrupt

    path = tmp_path / "store.db"
    path.touch()
    monkeypatch.setattr("rankmeld.stores.files.needs_upgrade", fail)
    with pytest.raises(KeyboardInterrupt):
        rm.SqliteStore(path)
    assert path.exists()


@pytest.mark.parametrize("copy", [pickle.dumps, copy.copy, copy.deepcopy])
def test_an_open_store_is_neither_pickled_nor_copied(path, copy):
    with rm.SqliteStore(path) as store:
        with pytest.raises(TypeError, match=r"store\.db cannot be pickled or copied.* SqliteStore\(path\)"):
            copy(store)
        assert store.lexical("zebra", limit=1).ids == ["a"]


def test_read_only_is_a_flag(path):
    with pytest.raises(TypeError, match="read_only must be True or False, not int"):
        rm.SqliteStore(path, read_only=1)
    with pytest.raises(rm.InvalidArgumentError, match="would be a store that stays empty"):
        rm.SqliteStore(":memory:", read_only=True)


# --- what may not be written --------------------------------------------------------------------


def test_a_store_opened_for_reading_refuses_every_change(path):
    before = path.read_bytes()
    with rm.SqliteStore(path, read_only=True) as store:
        for change in (
            lambda: store.add([rm.Document("b")]),
            lambda: store.delete(["a"]),
            lambda: store.replace_source("s", "d", []),
            lambda: store.remove_source("s"),
        ):
            with pytest.raises(
                rm.StoreError, match=r"was opened with read_only=True; open it without to change it"
            ):
                change()
        assert store.lexical("zebra", limit=1).ids == ["a"]
        assert "read_only=True" in repr(store)
    assert path.read_bytes() == before


def test_a_refused_change_embeds_nothing(path):
    embedder = LetterEmbedder()
    with rm.SqliteStore(path, read_only=True) as store, pytest.raises(rm.StoreError):
        store.add([rm.Document("b")], embedder=embedder)
    assert embedder.calls == []


def test_a_reader_sees_what_a_writer_adds(path):
    with rm.SqliteStore(path) as writer, rm.SqliteStore(path, read_only=True) as reader:
        assert reader.vector([1, 0], limit=None).ids == ["a"]
        writer.add([rm.Document("b", "zebra zebra")], vectors=[[1.0, 0.0]])
        assert reader.vector([1, 0], limit=None).ids == ["b", "a"]
        assert set(reader.lexical("zebra", limit=None).ids) == {"a", "b"}


def as_nobody(tmp_path: Path, code: str) -> str:
    """Run code as a user who owns nothing: permissions do not bind root."""
    if sys.platform == "win32" or os.geteuid() != 0:
        pytest.skip("this user cannot become another one")
    program = "import os, rankmeld as rm, rankmeld.stores.sqlite\n"
    program += f"os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n" + textwrap.dedent(code)
    # A folder that everyone may pass: pytest's own is private to its user.
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture
def open_folder(tmp_path):
    for folder in [tmp_path, *tmp_path.parents][:3]:
        folder.chmod(0o755)
    yield tmp_path
    tmp_path.chmod(0o755)


def test_a_file_that_may_not_be_written_is_refused_for_writing_and_readable(open_folder, path):
    path.chmod(0o444)
    out = as_nobody(
        open_folder,
        """
        import sys
        path = sys.argv[1] + "/store.db"
        try:
            rm.SqliteStore(path)
        except rm.StoreError as error:
            print(error)
        with rm.SqliteStore(path, read_only=True) as store:
            print(store.lexical("zebra", limit=1).ids, store.vector([1, 2], limit=1).ids)
        """,
    )
    assert "store.db may not be written; open it with read_only=True" in out
    assert "['a'] ['a']" in out
    assert sorted(files(open_folder)) == ["store.db"]


def test_a_folder_that_may_not_be_written_is_refused_for_writing(open_folder, path):
    path.chmod(0o666)
    open_folder.chmod(0o555)
    out = as_nobody(
        open_folder,
        """
        import sys
        for name in ("store.db", "new.db"):
            try:
                rm.SqliteStore(sys.argv[1] + "/" + name)
            except rm.StoreError as error:
                print(error)
        """,
    )
    assert out.count("may not be written, and a store keeps its log beside the file") == 2


# --- what is gone -------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["deleted", "replaced", "folder"])
def test_a_file_that_vanishes_takes_no_writes_with_it(tmp_path, loss):
    if sys.platform == "win32":
        pytest.skip("Windows does not delete files that are open")
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "store.db"
    with rm.SqliteStore(path) as store:
        store.add([rm.Document("a")])
        if loss == "folder":
            path.parent.rename(path.parent.parent / "elsewhere")
        else:
            path.unlink()
        if loss == "replaced":
            with rm.SqliteStore(path) as other:
                other.add([rm.Document("other")])
        for call in (
            lambda: store.add([rm.Document("b")]),
            lambda: store.lexical("zebra", limit=1),
            lambda: len(store),
        ):
            with pytest.raises(rm.StoreError, match="was deleted or replaced by another file"):
                call()


def test_a_closed_store_says_so(path):
    for where in (path, ":memory:"):
        store = rm.SqliteStore(where)
        store.close()
        store.close()
        for call in (
            lambda: store.add([rm.Document("b")]),  # noqa: B023
            lambda: store.get("a"),  # noqa: B023
            lambda: store.lexical("", limit=0),  # noqa: B023
            lambda: store.hybrid("", embedder=None, limit=0),  # noqa: B023
            lambda: store.source_digest("s"),  # noqa: B023
            lambda: store.model,  # noqa: B023
        ):
            with pytest.raises(rm.StoreError, match="is closed; open it again"):
                call()
        assert repr(store).endswith("(closed)")


def test_a_store_in_memory_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    store = rm.SqliteStore(":memory:")
    store.add([rm.Document(1)])
    assert len(list(tmp_path.iterdir())) == 1
    store.close()
    assert list(tmp_path.iterdir()) == []
    store = rm.SqliteStore(":memory:")
    store.add([rm.Document(1)])
    del store  # forgotten, not closed
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_stores_in_memory_are_private():
    with rm.SqliteStore(":memory:") as one, rm.SqliteStore(":memory:") as other:
        one.add([rm.Document(1)])
        assert len(other) == 0


def test_a_store_that_is_forgotten_is_closed(path):
    store = rm.SqliteStore(path)
    store.add([rm.Document("b")])
    del store
    gc.collect()
    assert sorted(files(path.parent)) == ["store.db"]
