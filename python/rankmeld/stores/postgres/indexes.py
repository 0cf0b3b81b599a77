"""The index over vectors: a graph that finds most of the nearest ones without looking at all."""

from __future__ import annotations

from psycopg import sql

from rankmeld._asking import Flow
from rankmeld._options import as_integer
from rankmeld.errors import InvalidArgumentError, StoreError
from rankmeld.stores.postgres.sessions import AnySession
from rankmeld.stores.postgres.sql import Names
from rankmeld.stores.postgres.state import seen

__all__ = ["as_indexed", "check_parameters", "drop", "has_index", "make"]

#: pgvector indexes so wide vectors, and twice as wide ones with half of the precision.
_WIDEST, _WIDEST_HALF = 2000, 4000


def as_indexed(names: Names, dimensions: int, value: sql.Composable) -> sql.Composed:
    """A vector in the form that the index has it; the column holds vectors of any width.

    Half precision ends at 65504, and below 1e-7 there is little of it: only directions are kept in it.
    """
    form = (
        "({value}::{vector}({dims}))"
        if dimensions <= _WIDEST
        else "({l2_normalize}({value}::{vector})::{halfvec}({dims}))"
    )
    return names.fill(form, value=value, dims=sql.Literal(dimensions))


def check_parameters(m: int, ef_construction: int) -> tuple[int, int]:
    """The parameters of the graph, within what pgvector takes."""
    links, candidates = as_integer(m, "m"), as_integer(ef_construction, "ef_construction")
    if not 2 <= links <= 100:
        raise InvalidArgumentError(f"m is {links}; it must be within 2..100")
    if not max(4, 2 * links) <= candidates <= 1000:
        raise InvalidArgumentError(
            f"ef_construction is {candidates}; it must be within 4..1000, and twice m ({links}) or more"
        )
    return links, candidates


def has_index(session: AnySession, dimensions: int) -> Flow[bool]:
    """Whether there is an index that can be used for vectors of this width."""
    comment = yield from _comment(session, only_valid=True)
    return comment is not None and comment.startswith(f"{dimensions} ")


def make(session: AnySession, m: int, ef_construction: int) -> Flow[bool]:
    """Make the index beside those who read and write, in place of one of another width or make.

    Not in a transaction.

    Returns
    -------
    bool
        False: there is such an index already.
    """
    shown = session.server.shown
    dimensions = (yield from seen(session)).label.dimensions
    if dimensions is None:
        raise StoreError(
            f"store {shown} has no vectors, and an index is for those of one width; add them first"
        )
    if dimensions > _WIDEST_HALF:
        raise InvalidArgumentError(
            f"the vectors of store {shown} have {dimensions} dimensions, and pgvector indexes "
            f"{_WIDEST_HALF} at the most; search exactly, or use a model of fewer"
        )
    made = f"{dimensions} {m} {ef_construction}"
    if (yield from _comment(session, only_valid=True)) == made:
        return False
    yield from drop(session)
    yield session.script(_statement(session.server.names, dimensions, m, ef_construction))
    # Told last: an index that is not whole has no comment.
    yield session.script(
        session.server.names.fill("COMMENT ON INDEX {hnsw} IS {made}", made=sql.Literal(made))
    )
    return True


def drop(session: AnySession) -> Flow[bool]:
    """Drop the index; gives whether there was one."""
    there = yield from _comment(session, only_valid=False)
    if there is None:
        return False
    yield session.script(session.server.names.fill("DROP INDEX CONCURRENTLY IF EXISTS {hnsw}"))
    return True


def _statement(names: Names, dimensions: int, m: int, ef_construction: int) -> sql.Composed:
    kind = "vector" if dimensions <= _WIDEST else "halfvec"
    return names.fill(
        "CREATE INDEX CONCURRENTLY {hnsw_index} ON {vectors} USING hnsw ({indexed} {operators})"
        " WITH (m = {m}, ef_construction = {ef}) WHERE {vector_dims}(embedding) = {dims}",
        indexed=as_indexed(names, dimensions, sql.SQL("embedding")),
        operators=sql.Identifier(names.extension, f"{kind}_cosine_ops"),
        m=sql.Literal(m),
        ef=sql.Literal(ef_construction),
        dims=sql.Literal(dimensions),
    )


def _comment(session: AnySession, *, only_valid: bool) -> Flow[str | None]:
    """What the comment of the index says; ``None`` without an index."""
    names = session.server.names
    rows = yield session.ask(
        "SELECT coalesce(obj_description(class.oid, 'pg_class'), '')"
        " FROM pg_catalog.pg_class AS class"
        " JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace"
        " JOIN pg_catalog.pg_index AS index ON index.indexrelid = class.oid"
        " WHERE namespace.nspname = %s AND class.relname = %s AND (index.indisvalid OR NOT %s)",
        names.schema,
        names.table("vectors_hnsw"),
        only_valid,
    )
    return None if not rows else str(rows[0][0])
