"""Files that something else has written to: every call works or says that the store is damaged."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing, suppress

import pytest

import rankmeld as rm
from stores.samples import LetterEmbedder


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "store.db"
    with rm.SqliteStore(path) as store:
        store.add(
            [
                rm.Document(
                    i,
                    f"zebra number {i} " + "long " * i,
                    title="Ein Gnu, größer",
                    created_at="2024-01-01",
                    metadata={"type": "animal", "list": [1, (2.5,)], "bytes": b"x"},
                )
                for i in range(60)
            ],
            embedder=LetterEmbedder(),
        )
        store.replace_source("a.md", "digest", [rm.Document("of file", "zebra")])
    return path


def calls(store):
    """Everything that a store can be asked."""
    embedder = LetterEmbedder()
    yield lambda: len(store)
    yield lambda: store.get_many(range(60))
    yield lambda: store.lexical("zebra number", limit=None)
    yield lambda: store.vector([1, 2, 3], limit=None)
    yield lambda: store.vector(
        [1, 2, 3], limit=5, filters={"type": "animal", "created_at": ("2023-01-01", None)}
    )
    yield lambda: store.hybrid("zebra 5", embedder=embedder, limit=3)
    yield lambda: (store.model, store.dimensions)
    yield lambda: (store.sources(), store.source_digest("a.md"))
    yield lambda: store.remove_source("a.md")
    yield lambda: store.add([rm.Document(5, "zebra"), rm.Document("new", "word")], embedder=embedder)
    yield lambda: store.delete([1, 2, 3])


@pytest.mark.parametrize("seed", range(60))
def test_no_error_of_another_kind_comes_from_a_file_with_wrong_bytes(path, seed):
    chance = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 3, 10, 100])):
        start = chance.randrange(len(content))
        length = min(chance.choice([1, 1, 1, 200]), len(content) - start)
        content[start : start + length] = chance.randbytes(length)
    path.write_bytes(content)
    with suppress(rm.StoreError), rm.SqliteStore(path) as store:
        for call in calls(store):
            with suppress(rm.StoreError):
                call()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE documents SET record = ?",
        "UPDATE documents SET record = cast(x'ff41' AS TEXT)",
        """UPDATE documents SET record = '{"mapping":[["importance",{"float":"nan"}]]}'""",
        """UPDATE documents SET record = '{"mapping":[["colour",1]]}'""",
        """UPDATE documents SET record = '{"unheard of":1}'""",
        "UPDATE documents SET record = '{}'",
        "UPDATE documents SET record = '7'",
        "UPDATE documents SET title = x'00'",
        "UPDATE vectors SET vector = x'00'",
        "UPDATE vectors SET vector = 'text'",
        "UPDATE vectors SET vector = x'0000c07f0000000000000000'",
        "UPDATE settings SET value = 'three' WHERE name = 'dimensions'",
        "UPDATE settings SET value = x'ff' WHERE name = 'model'",
        "UPDATE settings SET value = 'many' WHERE name = 'generation'",
        "DELETE FROM settings",
        "UPDATE sources SET digest = 'no JSON'",
        "DROP TABLE attributes",
        "DROP TRIGGER unindex_document; DELETE FROM documents WHERE position = 3",
    ],
)
def test_what_a_store_does_not_write_is_damage(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statement.replace("?", "'no JSON'"))
        connection.commit()
    reports = []
    with rm.SqliteStore(path) as store:
        for call in calls(store):
            try:
                call()
            except rm.StoreError as error:
                reports.append(str(error))
    assert reports
    for report in reports:
        assert f"store {path} is damaged; restore it from a copy, or delete it" in report
        assert len(report) < 400 + len(str(path))


def test_a_wrong_width_asks_for_no_memory(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE settings SET value = 10000000000000 WHERE name = 'dimensions'")
        connection.commit()
    with rm.SqliteStore(path) as store, pytest.raises(rm.StoreError, match="is damaged"):
        store.vector([1, 2, 3], limit=1)
