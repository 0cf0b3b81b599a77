"""What is found of a healthy file, and of each way to be a sick one."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np
import pytest

import rankmeld as rm
from rankmeld.stores.examining import examine
from rankmeld.stores.schema import LADDER


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "store.db"
    with rm.SqliteStore(path) as store:
        documents = [rm.Document(n, f"zebra {n}", created_at="2024-01-01") for n in range(20)]
        store.add(documents, vectors=np.eye(20, dtype=np.float32))
    return path


def damage(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def codes(path, *, wrong=True):
    return [finding.code for finding in examine(path, "store").findings if finding.wrong is wrong]


def test_a_store_of_its_own_vectors_is_healthy(path):
    assert codes(path) == []
    assert codes(path, wrong=False) == ["no_model"]
    found = examine(path, "store")
    assert (found.documents, found.vectors, found.label.dimensions) == (20, 20, 20)
    assert found.version == len(LADDER)


SICK = [
    ("empty", ["DELETE FROM documents", "DELETE FROM vectors", "DELETE FROM settings WHERE name LIKE '%m%'"]),
    ("index_out_of_step", ["UPDATE documents SET title = 'giraffe' WHERE position = 3"]),
    ("index_out_of_step", ["INSERT INTO passages (passages) VALUES ('delete-all')"]),
    ("orphans", ["INSERT INTO vectors SELECT 999, vector FROM vectors LIMIT 1"]),
    ("orphans", ["INSERT INTO attributes VALUES ('\"a\"', '\"b\"', 999)"]),
    ("unreadable", ["UPDATE documents SET record = '{' WHERE position = 3"]),
    ("label", ["DELETE FROM settings WHERE name = 'dimensions'"]),
    ("label", ["DELETE FROM vectors"]),
    ("no_vector", ["DELETE FROM vectors WHERE position = 4"]),
    ("width", ["UPDATE vectors SET vector = x'0000803f' WHERE position = 4"]),
    ("width", ["UPDATE vectors SET vector = 'no blob' WHERE position = 4"]),
    ("zero_vector", ["UPDATE vectors SET vector = zeroblob(80) WHERE position = 4"]),
    ("not_finite", [f"UPDATE vectors SET vector = x'{'0000c07f' * 20}' WHERE position = 4"]),
    ("damaged", ["UPDATE documents SET record = CAST(x'ff' AS TEXT) WHERE position = 3"]),
    ("feedback_unreadable", ["INSERT INTO feedback VALUES ('{', '7', 1)"]),
]


@pytest.mark.parametrize(("code", "statements"), SICK)
def test_each_way_to_be_sick(path, code, statements):
    damage(path, *statements)
    found = examine(path, "store")
    assert [finding.code for finding in found.findings if finding.wrong] == [code]
    (finding,) = (finding for finding in found.findings if finding.wrong)
    assert finding.remedy


def test_a_damaged_file_is_told_from_a_sick_one(path):
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size - 3 * 4096)
        file.write(b"\xff" * 2048)
    try:
        assert codes(path) == ["damaged"]
    except rm.StoreError as error:  # it could not even be counted
        assert "is damaged" in str(error)  # noqa: PT017 - one of two right answers


def test_documents_that_nobody_finds(path):
    with rm.SqliteStore(path) as store:
        store.add([rm.Document("blank", " \n"), rm.Document("titled", "", title="A title")])
    assert codes(path) == ["no_words", "no_vector"]
    assert codes(path, wrong=False) == ["no_text", "no_date", "no_model"]


def test_feedback_of_documents_that_are_gone(path):
    with rm.SqliteFeedback(path) as feedback:
        feedback.add([1, "gone"], ["away"], user_id="ada")
        feedback.add([2], user_id="bob")
    found = examine(path, "store")
    assert (found.feedback, found.users) == (4, 2)
    (gone,) = (finding for finding in found.findings if finding.code == "feedback_for_nothing")
    assert (gone.count, gone.wrong) == (2, False)


def test_a_log_beside_the_file(path):
    with rm.SqliteStore(path) as store:
        store.add([rm.Document("new", "zebra", created_at="2024-01-01")], vectors=[[1.0] * 20])
        assert "log" in codes(path, wrong=False)
        assert examine(path, "store").documents == 21
    assert "log" not in codes(path, wrong=False)
