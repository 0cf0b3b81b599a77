"""The examination of a database, as people and programs see it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

import rankmeld as rm


def doctor(rankmeld, *arguments):
    return rankmeld("doctor", "--db", "t.db", *arguments)


def damage(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_a_healthy_database(notes):
    done = doctor(notes)
    assert done.code == 0, done.out
    lines = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert lines["files"] == "3"
    assert lines["vectors"] == "none"
    assert "nothing is wrong" in done.out
    found = json.loads(doctor(notes, "--json").out)
    assert found["healthy"] is True
    assert found["passages"] == 3
    assert {finding["code"] for finding in found["findings"]} == {"words_only", "no_date"}


def test_an_older_database_is_refused_with_the_command_that_brings_it_up_to_date(notes):
    damage(notes.folder / "t.db", "PRAGMA user_version = 1")
    for command in (["doctor"], ["ask", "tea"], ["feedback"], ["search", "tea"]):
        done = notes(*command, "--db", "t.db")
        assert done.code == 2
        assert "older schema" in done.err
        assert "as the command `rankmeld index` does, to bring it up to date" in done.err


def test_an_examination_changes_nothing(notes):
    before = (notes.folder / "t.db").read_bytes()
    doctor(notes)
    assert (notes.folder / "t.db").read_bytes() == before


def test_a_sick_database_is_exit_code_1(notes):
    damage(notes.folder / "t.db", "UPDATE documents SET text = 'changed behind the back of the index'")
    done = doctor(notes)
    assert done.code == 1
    assert "problem    the full-text index is not that of the documents" in done.out
    assert done.out.splitlines()[-1] == "result     1 problem"
    found = json.loads(doctor(notes, "--json").out)
    assert found["healthy"] is False
    assert [one["code"] for one in found["findings"] if one["wrong"]] == ["index_out_of_step"]


def test_what_is_no_database_is_exit_code_2(rankmeld):
    rankmeld.write("t.db", "no database at all, but long enough to be looked at" * 40)
    done = doctor(rankmeld)
    assert (done.code, done.out) == (2, "")
    assert "is not a database" in done.err


@pytest.mark.parametrize("net", ["'abc'", "1.5", "x'00'"])
def test_a_sum_of_feedback_that_is_none(rankmeld, net):
    rankmeld.write("d/a.md", "Some text.\n")
    rankmeld.index("d")
    assert rankmeld("feedback", "--db", "t.db", "--useful", "d/a.md#1").code == 0
    damage(rankmeld.folder / "t.db", f"UPDATE feedback SET net = {net}")
    what = "an entry of the feedback cannot be read: its sum is "
    done = doctor(rankmeld)
    assert (done.code, what in done.out) == (1, True)
    done = rankmeld("feedback", "--db", "t.db")
    assert (done.code, "is damaged" in done.err, what in done.err) == (2, True, True)
    done = rankmeld("ask", "text", "--db", "t.db")
    assert (done.code, "warning: feedback was left out: StoreError: " in done.err) == (0, True)


def test_vectors_that_this_command_cannot_search(rankmeld):
    with rm.SqliteStore(rankmeld.folder / "t.db") as store:
        store.add([rm.Document(1, "zebra")], vectors=[[1.0, 2.0]])
    done = doctor(rankmeld)
    assert done.code == 1
    assert "the vectors are of a model without a name, which this command cannot load" in done.out


def test_the_embedder_of_the_vectors_is_known(rankmeld, static):
    rankmeld.write("d/a.md", "Some text.\n")
    rankmeld.index("d", embedder=static)
    assert doctor(rankmeld).code == 0
    damage(
        rankmeld.folder / "t.db",
        "UPDATE settings SET value = 2 WHERE name = 'dimensions'",
        "UPDATE vectors SET vector = x'0000803f0000803f'",
    )
    done = doctor(rankmeld)
    assert done.code == 1
    assert "has 256 dimensions, and the vectors have 2" in done.out
