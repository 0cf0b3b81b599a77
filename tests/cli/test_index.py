"""Indexing: what is new, changed, gone or unreadable, and runs that do not reach their end."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
import time

import numpy as np
import pytest

from rankmeld.document import Document
from rankmeld.embed import CallableEmbedder
from rankmeld.errors import StoreError
from rankmeld.stores import SqliteStore


def texts(rankmeld) -> list[str]:
    """All passages of the store, sorted."""
    with SqliteStore(rankmeld.folder / "t.db", read_only=True) as store:
        return sorted(store.get(id).text for id in store.lexical("word", limit=100).ids)


def test_only_changed_files_are_read_again(rankmeld):
    rankmeld.write("d/a.md", "# A\n\nword one\n")
    rankmeld.write("d/b.md", "# B\n\nword two\n")
    assert "2 new" in rankmeld.index("d").out
    again = rankmeld.index("d").out
    assert "2 unchanged" in again
    assert "new" not in again
    rankmeld.write("d/b.md", "# B\n\nword three\n")
    assert "1 changed, 1 unchanged" in rankmeld.index("d").out
    assert texts(rankmeld) == ["word one", "word three"]


def test_a_touched_file_is_unchanged(rankmeld):
    path = rankmeld.write("d/a.md", "word\n")
    rankmeld.index("d")
    os.utime(path, (1, 1))
    assert "1 unchanged" in rankmeld.index("d").out


def test_removed_files_are_removed_but_only_under_the_given_paths(rankmeld):
    first, second = rankmeld.write("d/a.md", "word one\n"), rankmeld.write("e/b.md", "word two\n")
    rankmeld.write("d/c.md", "word three\n")
    rankmeld.index("d", "e")
    first.unlink()
    second.unlink()
    assert "1 removed" in rankmeld.index("d").out
    assert texts(rankmeld) == ["word three", "word two"]
    assert "1 removed" in rankmeld.index(".").out
    assert texts(rankmeld) == ["word three"]


def test_a_sibling_with_the_same_beginning_is_not_under_the_path(rankmeld):
    rankmeld.write("notes/a.md", "word one\n")
    gone = rankmeld.write("notes-old/b.md", "word two\n")
    rankmeld.index("notes", "notes-old")
    gone.unlink()
    assert "removed" not in rankmeld.index("notes").out


def test_the_same_folder_named_differently_is_one_folder(rankmeld):
    rankmeld.write("d/a.md", "word\n")
    rankmeld.index("d")
    for name in ("./d", "d/", str(rankmeld.folder / "d"), "d/../d", "d/a.md"):
        out = rankmeld.index(name).out
        assert "1 unchanged" in out, (name, out)
    assert texts(rankmeld) == ["word"]


def test_a_path_that_does_not_exist_is_an_error_before_anything_is_done(rankmeld):
    rankmeld.write("d/a.md", "word\n")
    done = rankmeld("index", "d", "absent", "--db", "t.db", "--embedder", "none")
    assert (done.code, done.out) == (2, "")
    assert "no such file or folder" in done.err
    assert "absent" in done.err
    assert not (rankmeld.folder / "t.db").exists()


def test_a_bad_line_is_reported_with_its_number_and_the_rest_is_indexed(rankmeld):
    rankmeld.write("d/bad.jsonl", '{"id": 1, "text": "word"}\n{"id": 2,\n')
    rankmeld.write("d/good.md", "word\n")
    done = rankmeld("index", "d", "--db", "t.db", "--embedder", "none")
    assert done.code == 0
    assert "1 new, 1 left out" in done.out
    assert "d/bad.jsonl:2: not JSON" in done.err
    assert "Traceback" not in done.err
    assert texts(rankmeld) == ["word"]


def test_a_file_that_vanishes_while_indexing_is_reported(tmp_path):
    from rankmeld.cli.indexing import Found, Indexer

    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"word {name}\n")
    found = Found.under([tmp_path], db=tmp_path / "t.db")
    (tmp_path / "a.md").unlink()
    with SqliteStore(tmp_path / "t.db") as store:
        indexer = Indexer(store, None)
        indexer.run(found)
        assert len(store) == 1
    ((path, reason),) = indexer.outcome.left_out
    assert path.endswith("a.md")
    assert "no such file" in reason


def test_a_file_that_cannot_be_read_keeps_what_was_indexed_of_it(rankmeld):
    path = rankmeld.write("d/a.jsonl", '{"id": 1, "text": "word one"}\n')
    rankmeld.index("d")
    path.write_text("{broken\n")
    done = rankmeld("index", "d", "--db", "t.db", "--embedder", "none")
    assert "1 left out" in done.out
    assert texts(rankmeld) == ["word one"]


@pytest.mark.skipif(os.name == "nt", reason="Windows lets few users make links")
def test_what_lies_in_a_folder_that_cannot_be_read_is_not_taken_for_gone(rankmeld):
    rankmeld.write("d/sub/a.md", "word one\n")
    rankmeld.write("d/b.md", "word two\n")
    rankmeld.index("d")
    (rankmeld.folder / "d" / "sub").rename(rankmeld.folder / "elsewhere")
    (rankmeld.folder / "d" / "sub").symlink_to("not-mounted")
    done = rankmeld.index("d")
    assert "left out: d/sub: cannot be read" in done.err
    assert texts(rankmeld) == ["word one", "word two"]
    (rankmeld.folder / "d" / "sub").unlink()
    assert "1 removed" in rankmeld.index("d").out


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("a.csv", "id,text\n1,word of a\n2,word two\n"), ("b.csv", "id,text\n1,word of b\n")),
        (
            ("a.jsonl", '{"id": 1, "text": "word of a"}\n{"_id": "2", "text": "word two"}\n'),
            ("b.jsonl", '{"id": 1, "text": "word of b"}\n'),
        ),
    ],
    ids=["csv", "jsonl"],
)
def test_files_whose_records_have_the_same_ids_leave_each_other_alone(rankmeld, first, second):
    rankmeld.write(f"d/{first[0]}", first[1])
    gone = rankmeld.write(f"d/{second[0]}", second[1])
    assert "2 new" in rankmeld.index("d").out
    assert texts(rankmeld) == ["word of a", "word of b", "word two"]
    gone.unlink()
    assert "1 unchanged, 1 removed" in rankmeld.index("d").out
    assert texts(rankmeld) == ["word of a", "word two"]


def test_a_record_is_named_after_its_file_and_keeps_its_own_id(rankmeld):
    path = rankmeld.write("d/a.jsonl", '{"id": 7, "text": "word"}\n{"text": "word"}\n')
    rankmeld.index("d")
    with SqliteStore(rankmeld.folder / "t.db", read_only=True) as store:
        named = {id: store.get(id).metadata.get("record_id") for id in store.lexical("word", limit=9).ids}
    assert named == {f"{path}#7": 7, f"{path}#2": None}


def test_of_two_records_with_one_id_the_later_counts_and_it_is_said(rankmeld):
    rankmeld.write("d/a.csv", "id,text\n1,word one\n2,word two\n1,word three\n")
    done = rankmeld.index("d")
    assert "Passages: 2 written" in done.out
    assert "d/a.csv: 1 record replaced by a later one of the same id" in done.err
    assert texts(rankmeld) == ["word three", "word two"]


def test_one_is_no_plural(rankmeld):
    rankmeld.write("d/a.md", "word\n")
    assert "holds 1 passage," in rankmeld.index("d").out
    rankmeld.write("d/b.md", "word\n")
    assert "holds 2 passages," in rankmeld.index("d").out


def test_hidden_and_binary_files_are_counted(rankmeld):
    rankmeld.write("d/a.md", "word\n")
    for name in (".env", ".git/config", ".git/HEAD", "sub/.hidden", "b.bin"):
        rankmeld.write(f"d/{name}", "\0")
    assert "Files: 1 new, 1 binary, 3 hidden\n" in rankmeld.index("d").out


def test_the_database_inside_the_folder_is_no_file_of_it(rankmeld):
    rankmeld.write("a.md", "word\n")
    rankmeld.index(".")
    # Another process has it open, so that its -wal and -shm are there too.
    with SqliteStore(rankmeld.folder / "t.db") as store:
        assert len(store) == 1
        assert (rankmeld.folder / "t.db-wal").exists()
        done = rankmeld.index(".")
    assert done.out.splitlines()[0] == "Files: 1 unchanged"
    assert done.err == ""
    rankmeld.write("d/t.db", "word\n")
    assert "1 new, 1 unchanged" in rankmeld.index(".").out


def test_not_a_database(rankmeld):
    rankmeld.write("d/a.md", "word\n")
    rankmeld.write("t.db", "this is no database, but it is long enough to be looked at " * 20)
    for command in (["index", "d"], ["search", "word"], ["info"]):
        done = rankmeld(*command, "--db", "t.db")
        assert done.code == 2, command
        assert "t.db" in done.err
        assert "Traceback" not in done.err
        assert "Traceback" in rankmeld(*command, "--db", "t.db", "--debug").err


def wait_for_passages(rankmeld, process) -> None:
    """Wait until the run has committed something and is still at work."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert process.poll() is None, process.communicate()
        try:
            with SqliteStore(rankmeld.folder / "t.db", read_only=True) as store:
                if len(store) > 0:
                    return
        except StoreError:
            pass  # not created yet
        time.sleep(0.01)
    pytest.fail("the run committed nothing within a minute")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill"])
def test_a_stopped_run_leaves_a_store_that_opens_and_goes_on(rankmeld, how):
    count = 1000
    for i in range(count):
        rankmeld.write(f"d/{i % 20}/{i}.md", f"# Note {i}\n\nword number {i}\n\n## More\n\nof it\n")
    process = rankmeld.start("index", "d", "--db", "t.db", "--embedder", "none")
    wait_for_passages(rankmeld, process)
    sent = time.monotonic()
    process.send_signal(how)
    _, err = process.communicate(timeout=60)
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert time.monotonic() - sent < 5
        assert "goes on from there" in err
        assert "Traceback" not in err
    with SqliteStore(rankmeld.folder / "t.db", read_only=True) as store:
        kept = len(store.sources())
        assert 0 < kept < count
        with sqlite3.connect(rankmeld.folder / "t.db") as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
    again = rankmeld.index("d").out
    assert f"{count - kept:,} new, {kept:,} unchanged" in again
    assert f"files     {count:,}\n" in rankmeld("info", "--db", "t.db").out


def test_what_was_embedded_before_a_stop_is_not_embedded_again(tmp_path):
    from rankmeld.cli.indexing import Found, Indexer

    class Stopping:
        """Ctrl-C comes at the 200th text."""

        model, dimensions, seen = "stopping", 2, 0

        def __call__(self, texts, /, **_):
            for _ in texts:
                self.seen += 1
                if self.seen == 200:
                    raise KeyboardInterrupt
            return np.ones((len(texts), 2), np.float32)

        def embed_query(self, _):
            return np.ones(2, np.float32)

    (tmp_path / "d").mkdir()
    for i in range(300):
        (tmp_path / "d" / f"{i}.md").write_text(f"word {i}\n")
    embedder = Stopping()
    with SqliteStore(tmp_path / "t.db") as store:
        with pytest.raises(KeyboardInterrupt):
            Indexer(store, embedder).run(Found.under([tmp_path / "d"], db=tmp_path / "t.db"))
        kept = len(store)
        assert 100 < kept < 200
        embedder.seen = -1000
        Indexer(store, embedder).run(Found.under([tmp_path / "d"], db=tmp_path / "t.db"))
        assert embedder.seen == -1000 + 300 - kept
        assert len(store) == 300


def test_vectors_are_made_later_for_what_was_indexed_without(rankmeld, static):
    rankmeld.write("d/a.md", "word one\n")
    rankmeld.index("d")
    rankmeld.write("d/b.md", "word two\n")
    assert "Files: 1 new, 1 embedded\n" in rankmeld.index("d", embedder=static).out
    with SqliteStore(rankmeld.folder / "t.db", read_only=True) as store:
        assert store.dimensions == 256
    assert "2 unchanged" in rankmeld.index("d", embedder=static).out
    assert "2 unchanged" in rankmeld.index("d", embedder="none").out


def test_a_database_of_words_only_stays_so_and_says_how_to_change_it(rankmeld, static):
    rankmeld.write("d/a.md", "word one\n")
    rankmeld.index("d")
    rankmeld.write("d/b.md", "word two\n")
    done = rankmeld("index", "d", "--db", "t.db")
    assert "Files: 1 new, 1 unchanged\n" in done.out
    assert "vectors: none" in done.out
    assert "note: this database knows words but not meaning, and stays so" in done.err
    assert re.search(r"--embedder (minilm|static)$", done.err.strip())
    assert rankmeld.index("d", embedder="none").err == ""


def test_an_embedder_that_is_not_installed_leaves_no_database(rankmeld):
    rankmeld.write("d/a.md", "word\n")
    code = (
        "import importlib.metadata as m, sys; real = m.distribution\n"
        "def absent(name):\n"
        "    if name == 'wordllama': raise m.PackageNotFoundError(name)\n"
        "    return real(name)\n"
        "m.distribution = absent; sys.modules['wordllama'] = None\n"
        "sys.argv = ['rankmeld', 'index', 'd', '--db', 't.db', '--embedder', 'static']\n"
        "from rankmeld.cli import main; main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=rankmeld.folder,
        env=rankmeld.environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert 'pip install "rankmeld[embed-static]"' in done.stderr
    assert not (rankmeld.folder / "t.db").exists()


def test_the_model_of_the_store_wins(rankmeld, static):
    rankmeld.write("d/a.md", "word one\n")
    rankmeld.index("d", embedder=static)
    rankmeld.write("d/b.md", "word two\n")
    done = rankmeld("index", "d", "--db", "t.db")
    assert done.code == 0
    with SqliteStore(rankmeld.folder / "t.db", read_only=True) as store:
        assert store.model == "wordllama-l2-supercat-256"
    refused = rankmeld("index", "d", "--db", "t.db", "--embedder", "minilm")
    assert refused.code == 2
    assert "--embedder" in refused.err


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
def test_vectors_of_another_model_are_left_in_peace(rankmeld, named):
    rankmeld.write("d/a.md", "word two\n")
    embedder = CallableEmbedder(lambda texts: [[1.0, 2.0] for _ in texts], model="mine")
    with SqliteStore(rankmeld.folder / "t.db") as store:
        store.add([Document(1, "word one")], vectors=[[1.0, 2.0]], embedder=embedder if named else None)
    refused = rankmeld("index", "d", "--db", "t.db")
    assert refused.code == 2
    assert "use --embedder none, or another --db" in refused.err
    assert "1 new" in rankmeld.index("d").out
    found = rankmeld.search("word")
    assert found.code == 0
    assert "searching words only" in found.err


def test_a_file_that_no_store_can_keep_does_not_keep_out_the_others(rankmeld):
    rankmeld.write("d/deep.jsonl", '{"text": "word", "x": ' + "[" * 800 + "]" * 800 + "}\n")
    rankmeld.write("d/good.md", "word\n")
    done = rankmeld.index("d")
    assert "1 new, 1 left out" in done.out
    assert "d/deep.jsonl" in done.err
    assert "Traceback" not in done.err


def test_an_odd_file_name_is_only_a_name(rankmeld):
    rankmeld.write("d/[red]x[/red] \x1b[31m:smile:.md", "word one\n")
    rankmeld.write("d/bad [bold]\x1b]0;t\x07.jsonl", "{\n")
    done = rankmeld("index", "d", "--db", "t.db", "--embedder", "none")
    assert done.code == 0
    assert "bad [bold].jsonl" in done.err
    assert "\x1b" not in done.err
    found = rankmeld.search("word")
    assert "[red]x[/red] :smile:.md" in found.out
    assert "\x1b" not in found.out


def test_the_bar_is_for_terminals_only(rankmeld):
    rankmeld.write("d/a.md", "word\n")
    shown = rankmeld.in_terminal("index", "d", "--db", "t.db", "--embedder", "none")
    assert "Indexing" in shown
    assert "1 new" in shown
    assert rankmeld.index("d").err == ""
