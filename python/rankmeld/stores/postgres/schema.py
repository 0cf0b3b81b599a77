"""The tables of a store, its version, and the ladder that brings older ones up to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from psycopg.types import TypeInfo

from rankmeld._asking import Flow
from rankmeld.errors import InvalidArgumentError, StoreError
from rankmeld.stores.postgres.options import Options
from rankmeld.stores.postgres.sessions import AnySession, Server
from rankmeld.stores.postgres.sql import Names

__all__ = ["LADDER", "Opened", "look", "prepare"]

#: Whoever makes or changes tables of ours in a database holds this advisory lock ("rkmd").
_LOCK = 0x726B6D64

#: The language of a new store, unless another one is asked for.
_LANGUAGE = "english"

#: The version of pgvector whose scans of an index go on until there are enough that fit.
_ITERATIVE = (0, 8)

#: What is known of a store that can be used: its server, and its language.
Opened = tuple[Server, str]


def _create(session: AnySession, language: str) -> Flow[None]:
    """A store of version 1."""
    statements = (
        # One row: every writer begins by locking it, and every search for words begins by reading it.
        """
        CREATE TABLE {store} (
            single boolean PRIMARY KEY DEFAULT true CHECK (single),
            version integer NOT NULL,
            language text NOT NULL,
            documents bigint NOT NULL DEFAULT 0,
            words bigint NOT NULL DEFAULT 0,
            vectors bigint NOT NULL DEFAULT 0,
            last bigint NOT NULL DEFAULT 0,
            model text,
            dimensions integer
        )
        """,
        """
        CREATE TABLE {sources} (
            source bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            path_key text COLLATE "C" NOT NULL UNIQUE,
            path text NOT NULL,
            digest text NOT NULL
        )
        """,
        # The position is the order in which ids were first seen; it breaks ties of scores.
        # title, topic and text are composed (NFC); the record holds the form that came where it differs.
        """
        CREATE TABLE {documents} (
            position bigint PRIMARY KEY,
            id_key text COLLATE "C" NOT NULL UNIQUE,
            title text NOT NULL,
            topic text NOT NULL,
            text text NOT NULL,
            created_at bigint,
            source bigint REFERENCES {sources},
            record text NOT NULL,
            attributes text[] COLLATE "C" NOT NULL,
            length integer NOT NULL,
            words tsvector NOT NULL
        )
        """,
        "CREATE INDEX {words_index} ON {documents} USING gin (words)",
        "CREATE INDEX {attributes_index} ON {documents} USING gin (attributes)",
        "CREATE INDEX {created_index} ON {documents} (created_at) WHERE created_at IS NOT NULL",
        "CREATE INDEX {source_index} ON {documents} (source) WHERE source IS NOT NULL",
        # Apart from the documents and in the rows themselves: to read all of them is to read little else.
        """
        CREATE TABLE {vectors} (
            position bigint PRIMARY KEY REFERENCES {documents} ON DELETE CASCADE,
            embedding {vector} NOT NULL
        )
        """,
        "ALTER TABLE {vectors} ALTER COLUMN embedding SET STORAGE MAIN",
    )
    for statement in statements:
        yield session.ask(statement)
    yield session.ask("INSERT INTO {store} (version, language) VALUES (0, %s)", language)


#: Step n brings a store of version n to version n + 1.
LADDER: Sequence[Callable[[AnySession, str], Flow[None]]] = (_create,)

Ladder = Sequence[Callable[[AnySession, str], Flow[None]]]


def look(session: AnySession, options: Options, ladder: Ladder = LADDER) -> Flow[Opened | None]:
    """Tell what is known of a store; ``None`` if it is not there, or older than this version of rankmeld.

    Raises
    ------
    StoreError
        It is newer than the last step, or its database cannot hold a store.
    InvalidArgumentError
        It is of another language than the one that was asked for.
    """
    shown = session.server.shown
    ((holds_every_text,),) = yield session.ask("SELECT current_setting('server_encoding') = 'UTF8'")
    if not holds_every_text:
        raise StoreError(
            f"store {shown} is in a database that cannot hold every text; make one with ENCODING 'UTF8'"
        )
    version = yield from _version(session)
    if version is None:
        return None
    if version > len(ladder):
        raise StoreError(
            f"store {shown} has schema version {version}, and this rankmeld knows versions up to "
            f"{len(ladder)}; upgrade rankmeld, or index again into another schema"
        )
    server = yield from _with_extension(session)
    if version < len(ladder) or server is None:
        return None
    if not options.exact:
        yield from _check_iterative_scan(session)
    ((language,),) = yield session.ask("SELECT language FROM {store}")
    if options.language is not None and options.language != language:
        raise InvalidArgumentError(
            f"language is {options.language!r}, and the words of store {shown} are those of {language!r}; "
            "leave it out, or index again into another schema"
        )
    return server, language


def prepare(session: AnySession, options: Options, ladder: Ladder = LADDER) -> Flow[Opened]:
    """Make a store, or climb the steps that it lacks; in the caller's transaction, so all or none.

    However many processes begin at once, one does it and the others wait for it.
    """
    yield session.ask("SELECT pg_advisory_xact_lock(%s)", _LOCK)
    opened = yield from look(session, options, ladder)
    if opened is not None:
        return opened  # another process was faster
    server = yield from _with_extension(session)
    if server is None:
        server = yield from _install(session)
    session.server = server
    yield from _make_schema(session)
    version = (yield from _version(session)) or 0
    for step in ladder[version:]:
        yield from step(session, options.language or _LANGUAGE)
    yield session.ask("UPDATE {store} SET version = %s", len(ladder))
    opened = yield from look(session, options, ladder)
    if opened is None:
        raise StoreError(f"store {server.shown} was made and is not there; try again")
    return opened


def _version(session: AnySession) -> Flow[int | None]:
    names = session.server.names
    ((there,),) = yield session.ask(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = %s AND tablename = %s)",
        names.schema,
        names.table("store"),
    )
    if not there:
        return None
    ((version,),) = yield session.ask("SELECT max(version) FROM {store}")
    return int(version or 0)


def _with_extension(session: AnySession) -> Flow[Server | None]:
    """What is known of the server once its pgvector is; ``None`` if the database has none."""
    rows = yield session.ask(
        "SELECT namespace.nspname, type.oid::int8, type.typarray::int8"
        " FROM pg_catalog.pg_extension AS extension"
        " JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = extension.extnamespace"
        " JOIN pg_catalog.pg_type AS type ON type.typnamespace = namespace.oid AND type.typname = 'vector'"
        " WHERE extension.extname = 'vector'"
    )
    if not rows:
        return None
    ((schema, oid, array),) = rows
    server = session.server
    return replace(
        server,
        names=Names(server.names.schema, server.names.prefix, schema),
        vector_type=TypeInfo("vector", oid, array),
    )


def _check_iterative_scan(session: AnySession) -> Flow[None]:
    """Older versions of pgvector look at so many candidates and no more, whatever a filter leaves of them."""
    ((version,),) = yield session.ask(
        "SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'vector'"
    )
    parts = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if parts < _ITERATIVE:
        raise StoreError(
            f"store {session.server.shown} has pgvector {version}, and exact=False needs 0.8; upgrade it and "
            "execute ALTER EXTENSION vector UPDATE, or search with exact=True"
        )


def _install(session: AnySession) -> Flow[Server]:
    shown = session.server.shown
    rows = yield session.ask("SELECT 1 FROM pg_catalog.pg_available_extensions WHERE name = 'vector'")
    if not rows:
        raise StoreError(
            f"store {shown} needs pgvector, which its server does not have; install it there (on Debian the "
            "package postgresql-NN-pgvector, NN being the server's version), then try again"
        )
    try:
        yield session.script("CREATE EXTENSION IF NOT EXISTS vector")
    except StoreError as error:
        raise StoreError(
            f"store {shown} needs pgvector, which is not in its database, and this user may not put it "
            "there; have a superuser execute: CREATE EXTENSION vector"
        ) from error
    server = yield from _with_extension(session)
    if server is None:
        raise StoreError(f"store {shown} needs pgvector, which was put there and is gone; try again")
    return server


def _make_schema(session: AnySession) -> Flow[None]:
    rows = yield session.ask(
        "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s", session.server.names.schema
    )
    if not rows:  # only then is the right to make one needed
        yield session.ask("CREATE SCHEMA {schema}")
