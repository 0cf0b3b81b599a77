"""Opening a store in PostgreSQL: tables, versions, rights, pools, and what stands in the way."""

from __future__ import annotations

import asyncio
import copy
import logging
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import rankmeld as rm
from stores.processes import POSIX, run_child

psycopg = pytest.importorskip("psycopg")
psycopg_pool = pytest.importorskip("psycopg_pool")


def execute(database, *statements):
    with psycopg.connect(database, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def as_user(database, user):
    return database.replace("user=postgres", f"user={user}")


# --- tables -------------------------------------------------------------------------------------


def test_what_was_written_is_there_when_it_is_opened_again(database):
    with rm.PostgresStore(database) as store:
        store.add([rm.Document("a", "zebra")], vectors=[[1.0, 2.0]])
    with rm.PostgresStore(database) as store:
        assert store.lexical("zebra", limit=1).ids == ["a"]
        assert (len(store), store.dimensions) == (1, 2)


def test_schemas_and_prefixes_keep_stores_apart(database):
    places = [{}, {"schema": "other"}, {"schema": "other", "prefix": "b_"}, {"schema": 'Odd "name"; --{}'}]
    stores = [rm.PostgresStore(database, **place) for place in places]
    for number, store in enumerate(stores):
        store.add([rm.Document(number, "zebra")], vectors=[[1.0] * (number + 1)])
    for number, store in enumerate(stores):
        assert store.lexical("zebra", limit=None).ids == [number]
        assert store.vector([1.0] * (number + 1), limit=None).ids == [number]
        store.create_index()
        store.close()
    assert execute(database, "SELECT count(*) FROM other.b_documents") == [(1,)]


def test_whoever_begins_first_makes_the_tables_once(database):
    code = """
    store = rm.PostgresStore(sys.argv[1])
    store.add([rm.Document(int(sys.argv[2]), "zebra")])
    """
    children = [run_child(code, database, number) for number in range(8)]
    for child in children:
        child.communicate(timeout=60)
    assert [child.returncode for child in children] == [0] * 8
    with rm.PostgresStore(database) as store:
        assert sorted(store.lexical("zebra", limit=None).ids) == list(range(8))


def test_a_newer_store_is_refused_and_left_alone(database):
    rm.PostgresStore(database).close()
    execute(database, "UPDATE rankmeld.store SET version = 2")
    with pytest.raises(rm.StoreError, match=r"schema version 2, and this .* up to 1; upgrade rankmeld"):
        rm.PostgresStore(database)


def test_an_older_store_climbs_the_ladder_once_or_not_at_all(database, monkeypatch):
    from rankmeld.stores.postgres import schema

    with rm.PostgresStore(database) as store:
        store.add([rm.Document("a", "zebra")])

    def widen(session, language):
        yield session.ask("ALTER TABLE {documents} ADD COLUMN extra text")

    def fail(session, language):
        yield session.ask("SELECT 1 / 0")

    longer = (*schema.LADDER, widen)
    for name in ("look", "prepare"):
        function = getattr(schema, name)
        monkeypatch.setattr(
            schema, name, lambda session, options, *_, of=function: of(session, options, ladder[0])
        )
    ladder = [(*longer, fail)]
    with pytest.raises(rm.StoreError, match="division by zero"):
        rm.PostgresStore(database)
    assert execute(database, "SELECT version FROM rankmeld.store") == [(1,)]
    with pytest.raises(rm.StoreError, match="an older rankmeld made it; open it once without read_only"):
        rm.PostgresStore(database, read_only=True)
    ladder[0] = longer
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: rm.PostgresStore(database), range(6)))
    assert [store.lexical("zebra", limit=1).ids for store in stores] == [["a"]] * 6
    for store in stores:
        store.close()
    assert execute(
        database, "SELECT version, (SELECT max(extra) FROM rankmeld.documents) FROM rankmeld.store"
    ) == [(2, None)]


def test_the_language_is_fixed_when_the_store_is_made(database):
    with rm.PostgresStore(database, language="german") as store:
        store.add([rm.Document("a", "Häuser am Fluss")])
        assert store.lexical("Haus Hausern", limit=None).ids == ["a"]
    with rm.PostgresStore(database) as store:
        assert store.lexical("häusern", limit=None).ids == ["a"]
    with pytest.raises(rm.InvalidArgumentError, match=r"language is 'english', and .* are those of 'german'"):
        rm.PostgresStore(database, language="english")


# --- rights -------------------------------------------------------------------------------------


@pytest.fixture
def roles(database):
    """A user who may do nothing, and the name of the role."""
    name = f"role_{database.rpartition('=')[2]}"
    execute(database, f"CREATE ROLE {name} LOGIN")
    return name


def test_a_user_who_may_not_install_pgvector_is_told_who_may(database, roles):
    execute(database, f"CREATE SCHEMA rankmeld AUTHORIZATION {roles}")
    with pytest.raises(rm.StoreError, match="have a superuser execute: CREATE EXTENSION vector"):
        rm.PostgresStore(as_user(database, roles))
    execute(database, "CREATE EXTENSION vector")
    with rm.PostgresStore(as_user(database, roles)) as store:
        assert store.add([rm.Document("a", "zebra")], vectors=[[1.0]]) == 1
        assert store.create_index()


def test_a_user_who_may_not_make_a_schema_needs_one(database, roles):
    execute(database, "CREATE EXTENSION vector")
    with pytest.raises(rm.StoreError, match=r"does not let this user do that; ask its owner to GRANT"):
        rm.PostgresStore(as_user(database, roles))


def test_pgvector_may_be_in_any_schema(database):
    execute(database, "CREATE SCHEMA extensions", "CREATE EXTENSION vector SCHEMA extensions")
    for options in ({}, {"exact": False}):
        with rm.PostgresStore(database, **options) as store:
            store.add([rm.Document(i) for i in range(4)], vectors=[[1.0, i] for i in range(4)])
            store.create_index()
            assert store.vector([0.0, 1.0], limit=2).ids == [3, 2]


def test_the_right_to_select_is_enough_to_search(database, roles):
    with rm.PostgresStore(database) as store:
        store.add([rm.Document("a", "zebra")], vectors=[[1.0]])
    execute(
        database,
        f"GRANT USAGE ON SCHEMA rankmeld TO {roles}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA rankmeld TO {roles}",
    )
    with rm.PostgresStore(as_user(database, roles), read_only=True) as store:
        assert store.hybrid("zebra", embedder=None, limit=1).ids == ["a"]
        assert store.vector([1.0], limit=1).ids == ["a"]
        for change in (lambda: store.add([]), lambda: store.delete([]), store.create_index, store.drop_index):
            with pytest.raises(rm.StoreError, match="opened with read_only=True; open it without"):
                change()
    with rm.PostgresStore(as_user(database, roles)) as store, pytest.raises(rm.StoreError, match="GRANT"):
        store.add([rm.Document("b")])


def test_a_store_that_is_not_there_is_not_made_to_be_read(database):
    with pytest.raises(rm.StoreError, match="is not there"):
        rm.PostgresStore(database, read_only=True)
    assert execute(database, "SELECT count(*) FROM pg_namespace WHERE nspname = 'rankmeld'") == [(0,)]


# --- what stands in the way ---------------------------------------------------------------------


SECRET = "sw0rdf1sh"


@pytest.mark.parametrize(
    ("conninfo", "error", "message"),
    [
        (
            f"postgresql://ann:{SECRET}@127.0.0.1:1/app",
            rm.StoreError,
            r"postgresql://ann@127.0.0.1:1/app \(rank",
        ),
        (
            f"host=/nowhere password={SECRET} user=ann dbname=app",
            rm.StoreError,
            "postgresql://ann@/nowhere/app",
        ),
        (
            f"host=x password={SECRET} {SECRET}",
            rm.InvalidArgumentError,
            "conninfo cannot be read; write it as",
        ),
        (f"postgresql://ann:{SECRET}%zz@host/app", rm.InvalidArgumentError, "percent-encoded"),
        (f"postgresql://host/app?password={SECRET}&slmode=x", rm.InvalidArgumentError, "cannot be read"),
    ],
)
@pytest.mark.parametrize("kind", [rm.PostgresStore, rm.AsyncPostgresStore])
def test_no_message_has_the_password(kind, conninfo, error, message, caplog):
    import asyncio

    caplog.set_level(logging.DEBUG)

    def open_it():
        store = kind(conninfo, timeout=2)
        if kind is rm.AsyncPostgresStore:
            asyncio.run(store.open())

    with pytest.raises(error, match=message) as caught:
        open_it()
    seen: BaseException | None = caught.value
    while seen is not None:
        assert SECRET not in f"{seen!s} {seen!r}"
        seen = seen.__cause__ or seen.__context__
    assert SECRET not in caplog.text


def test_a_refused_password_is_told_as_such(postgres, database):
    name = f"guarded_{database.rpartition('=')[2]}"
    execute(database, f"CREATE ROLE {name} LOGIN PASSWORD 'right'")
    rules = postgres.data / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all {name} scram-sha-256\n{before}")
    execute(database, "SELECT pg_reload_conf()")
    try:
        with pytest.raises(rm.StoreError, match="password authentication failed") as caught:
            rm.PostgresStore(f"{as_user(database, name)} password={SECRET}")
        assert "refuses this user" in str(caught.value)
        assert SECRET not in str(caught.value)
    finally:
        rules.write_text(before)
        execute(database, "SELECT pg_reload_conf()")


def test_a_database_that_cannot_hold_every_text_is_refused(postgres, database):
    name = f"ascii_{database.rpartition('=')[2]}"
    execute(
        database, f"CREATE DATABASE {name} ENCODING SQL_ASCII TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    with pytest.raises(rm.StoreError, match="cannot hold every text; make one with ENCODING 'UTF8'"):
        rm.PostgresStore(postgres.conninfo(name))


def test_an_old_pgvector_searches_exactly_only(database):
    with rm.PostgresStore(database) as store:
        store.add([rm.Document("a")], vectors=[[1.0]])
    execute(database, "UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
    with pytest.raises(rm.StoreError, match=r"has pgvector 0.7.4, and exact=False needs 0.8; upgrade it"):
        rm.PostgresStore(database, exact=False)
    with rm.PostgresStore(database) as store:
        assert store.vector([1.0], limit=1).ids == ["a"]


def test_damage_is_told_as_such(database):
    with rm.PostgresStore(database) as store:
        store.add([rm.Document("a", "zebra")])
        execute(database, "UPDATE rankmeld.documents SET record = '{'")
        with pytest.raises(rm.StoreError, match=r"does not hold what it was given; .*record of a document"):
            store.get("a")
        execute(database, "DROP TABLE rankmeld.vectors")
        with pytest.raises(rm.StoreError, match="lacks a part of its tables"):
            store.add([rm.Document("a")])
        execute(database, "DELETE FROM rankmeld.store")
        with pytest.raises(rm.StoreError, match="settings has 0 rows"):
            len(store)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"schema": ""}, rm.InvalidArgumentError, "schema is ''; it must be a name of 1 to 63 bytes"),
        ({"schema": "a\0"}, rm.InvalidArgumentError, "without NUL and %"),
        ({"schema": "100%s"}, rm.InvalidArgumentError, "without NUL and %"),
        ({"schema": "é" * 32}, rm.InvalidArgumentError, "63 bytes"),
        ({"schema": "\ud800"}, rm.InvalidArgumentError, "UTF-8"),
        ({"schema": b"x"}, TypeError, "schema must be a str, not bytes"),
        ({"prefix": "p" * 41}, rm.InvalidArgumentError, "prefix is .* 40 bytes"),
        ({"prefix": None}, TypeError, "prefix must be a str, not NoneType"),
        (
            {"language": "klingon"},
            rm.InvalidArgumentError,
            "language is 'klingon'; it must be one of 'light'",
        ),
        ({"exact": 1}, TypeError, "exact must be True or False, not int"),
        ({"read_only": None}, TypeError, "read_only must be True or False"),
        ({"ef_search": 0}, rm.InvalidArgumentError, r"ef_search is 0; it must be within 1\.\.1000"),
        ({"pool_size": 0}, rm.InvalidArgumentError, "pool_size is 0"),
        ({"timeout": 0}, rm.InvalidArgumentError, "timeout is 0.0; it must be seconds"),
        ({"statement_timeout": float("inf")}, rm.InvalidArgumentError, "statement_timeout is inf"),
        ({"lock_timeout": "1"}, TypeError, "lock_timeout"),
    ],
)
def test_options_are_checked_before_anybody_is_asked(options, error, message):
    for kind in (rm.PostgresStore, rm.AsyncPostgresStore):
        with pytest.raises(error, match=message):
            kind("host=/nowhere", **options)


def test_what_is_no_server_is_a_type_error():
    with pytest.raises(
        TypeError, match="conninfo must be a str or a psycopg_pool ConnectionPool, not NoneType"
    ):
        rm.PostgresStore(None)
    with pytest.raises(TypeError, match="; PostgresStore takes a ConnectionPool"):
        rm.AsyncPostgresStore(psycopg_pool.ConnectionPool("host=/nowhere", open=False))


def test_without_its_packages_it_says_what_to_install():
    code = """
    for name in ("psycopg", "psycopg_pool", "pgvector"):
        sys.modules[name] = None
    try:
        rm.PostgresStore("host=/nowhere")
    except rm.MissingExtraError as error:
        print(error)
    """
    output, _ = run_child(code).communicate(timeout=60)
    assert output == 'PostgresStore needs an optional dependency: pip install "rankmeld[postgres]"\n'


# --- pools of one's own -------------------------------------------------------------------------


def test_a_pool_of_your_own_stays_yours(database):
    from psycopg.rows import dict_row

    kwargs = {"row_factory": dict_row, "cursor_factory": psycopg.RawCursor}
    with psycopg_pool.ConnectionPool(database, min_size=1, max_size=2, kwargs=kwargs, open=True) as pool:
        store = rm.PostgresStore(pool)
        assert store.add([rm.Document("a", "zebra 100%")], vectors=[[1.0]]) == 1
        assert store.lexical("zebra", limit=1, filters={"project": None}).ids == ["a"]
        assert store.vector([1.0], limit=1).ids == ["a"]
        assert store.create_index()
        store.close()
        with pool.connection() as connection:
            assert connection.autocommit is False
            assert connection.execute("SELECT 1 AS one").fetchone() == {"one": 1}
        with pytest.raises(rm.StoreError, match="is closed; open it again"):
            store.lexical("zebra", limit=1)


def test_a_connection_of_your_own_pool_comes_back_as_it_was_after_a_failure_too(database, caplog):
    def stop(done, total):
        raise KeyboardInterrupt

    with psycopg_pool.ConnectionPool(database, min_size=1, max_size=1, open=True) as pool:
        store = rm.PostgresStore(pool)
        with pytest.raises(KeyboardInterrupt):
            store.add([rm.Document(i) for i in range(300)], progress=stop)
        with pool.connection() as connection:
            assert connection.autocommit is False
        assert len(store) == 0
    assert "rolling back" not in caplog.text


@pytest.mark.parametrize("cancelled", [False, True])
def test_so_does_a_connection_that_is_awaited(database, caplog, cancelled):
    def stop(done, total):
        raise asyncio.CancelledError if cancelled else RuntimeError("enough")

    async def main():
        async with (
            psycopg_pool.AsyncConnectionPool(database, min_size=1, max_size=1, open=False) as pool,
            rm.AsyncPostgresStore(pool) as store,
        ):
            with pytest.raises(asyncio.CancelledError if cancelled else RuntimeError):
                await store.add([rm.Document(i) for i in range(300)], progress=stop)
            async with pool.connection() as connection:
                autocommit = connection.autocommit
            return autocommit, await store.count(), await store.add([rm.Document("a")])

    assert asyncio.run(main()) == (False, 0, 1)
    assert "rolling back" not in caplog.text


def test_a_closed_pool_is_told_as_such(database):
    pool = psycopg_pool.ConnectionPool(database, min_size=1, open=True)
    store = rm.PostgresStore(pool)
    pool.close()
    with pytest.raises(rm.StoreError, match="is closed; open it again"):
        len(store)


def test_a_closed_store_says_so_and_may_be_closed_again(database):
    store = rm.PostgresStore(database)
    assert repr(store).endswith("schema='rankmeld')")
    store.close()
    store.close()
    assert repr(store).endswith("schema='rankmeld') (closed)")
    for call in (lambda: len(store), lambda: store.add([]), lambda: store.get("a")):
        with pytest.raises(rm.StoreError, match="is closed; open it again"):
            call()


def test_a_store_is_neither_copied_nor_pickled(database):
    with rm.PostgresStore(database) as store:
        for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="hand on its connection string, and open it there"):
                attempt(store)


@POSIX
def test_a_forked_child_is_refused_and_does_the_parent_no_harm(database):
    code = """
    store = rm.PostgresStore(sys.argv[1])
    store.add([rm.Document("a", "zebra")])
    child = os.fork()
    if child == 0:
        try:
            store.get("a")
        except rm.StoreError as error:
            os._exit(7 if "open it in this one" in str(error) else 8)
        os._exit(9)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), len(store))
    """
    output, _ = run_child(code, database).communicate(timeout=60)
    assert output == "7 1\n"


def test_importing_the_package_does_not_import_psycopg():
    code = "import rankmeld, sys; rankmeld.PostgresStore; print('psycopg' in sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True
    )
    assert output.stdout == "False\n"
