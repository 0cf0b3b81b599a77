"""Finding vectors: exactly, or through an index that may miss some.

pgvector computes in float32, in an order of its own. So it only chooses candidates, and what comes back is
scored by the kernel of `rankmeld.cosine_scores`: the same bits as from any other store.
"""

from __future__ import annotations

from typing import Any

from psycopg import sql

from rankmeld._asking import Flow
from rankmeld.stores.fusing import Scored
from rankmeld.stores.labels import check_width
from rankmeld.stores.matrix import Floats
from rankmeld.stores.postgres.embeddings import as_matrix, safe, to_vector
from rankmeld.stores.postgres.filters import Conditions
from rankmeld.stores.postgres.indexes import as_indexed, has_index
from rankmeld.stores.postgres.reading import sql_limit
from rankmeld.stores.postgres.sessions import AnySession
from rankmeld.stores.postgres.state import State
from rankmeld.vectors import cosine_top

__all__ = ["nearest"]

#: A distance of no number is that of a zero vector: it is among the candidates, wherever they end.
_EXACT = """
    WITH away AS MATERIALIZED (
        SELECT vectors.position, vectors.embedding {away} %s AS distance
        FROM {vectors} AS vectors {fitting}
    ),
    last AS (
        SELECT distance FROM away WHERE distance <> 'NaN' ORDER BY distance OFFSET %s::bigint - 1 LIMIT 1
    )
    SELECT position, embedding
    FROM away JOIN {vectors} USING (position)
    WHERE distance = 'NaN' OR distance <= coalesce((SELECT distance FROM last), 'Infinity') + %s::float8
    ORDER BY position
"""

_APPROXIMATE = """
    SELECT vectors.position, vectors.embedding
    FROM {vectors} AS vectors {fitting}
    WHERE {indexed_dims}
    ORDER BY {indexed} {away} {query}
    LIMIT %s::bigint
"""

_FITTING = "JOIN {documents} AS documents ON documents.position = vectors.position AND "


def nearest(
    session: AnySession,
    state: State,
    *,
    query: Floats,
    found: Conditions,
    limit: int | None,
    ef_search: int | None,
) -> Flow[list[Scored]]:
    """Rank documents by the cosine of their vectors with a query's.

    Parameters
    ----------
    session : session
        In a transaction.
    state : State
        What it sees of the store.
    query : array of shape (D,), float32
        The query's vector.
    found : Conditions
        What the documents must fulfil.
    limit : int or None
        How many at the most.
    ef_search : int or None
        How many candidates an index keeps in hand; ``None``: exact, without an index.

    Returns
    -------
    list of Scored
        Best first, equal scores by position.
    """
    if state.label.dimensions is None:
        return []
    check_width(state.label, query)
    if limit == 0:
        return []
    dimensions = state.label.dimensions
    # Near to a query of zeros there is nothing.
    if ef_search is not None and limit is not None and limit < state.vectors and query.any():
        rows = yield from _approximate(
            session, dimensions, query, found=found, limit=limit, ef_search=ef_search
        )
        scored = _scored(rows, dimensions, query, limit)
        # No index holds vectors of zeros, whose cosine is 0; and one may be done before there are enough.
        if len(scored) == limit and scored[-1].score > 0.0:
            return scored
    rows = yield from _exact(session, dimensions, query, found, limit)
    return _scored(rows, dimensions, query, limit)


def _slack(dimensions: int) -> float:
    """Twice as far as a distance of float32 can be from the true one, whatever the order of its sums.

    The error of a sum of D products is at most D u (1 + D u) times the sum of their sizes, with u = 2**-24;
    a cosine has one such sum above and the square root of two below.
    """
    return 2.0 * 2.0 * (dimensions + 8) * 2.0**-24 * (1.0 + dimensions * 2.0**-23)


def _exact(
    session: AnySession, dimensions: int, query: Floats, found: Conditions, limit: int | None
) -> Flow[list[tuple[int, Any]]]:
    """At least the nearest so many, and all that may be as near."""
    rows = yield session.ask(
        _EXACT,
        to_vector(safe(query)),
        *found.parameters,
        sql_limit(limit) if limit is not None else 2**63 - 1,
        _slack(dimensions),
        fitting=_fitting(session, found),
    )
    return list(rows)


def _approximate(
    session: AnySession, dimensions: int, query: Floats, *, found: Conditions, limit: int, ef_search: int
) -> Flow[list[tuple[int, Any]]]:
    if not (yield from has_index(session, dimensions)):
        return []
    names = session.server.names
    yield session.script(
        f"SET LOCAL hnsw.ef_search = {ef_search}; SET LOCAL hnsw.iterative_scan = relaxed_order"
    )
    rows = yield session.ask(
        _APPROXIMATE,
        *found.parameters,
        to_vector(safe(query)),
        limit,
        fitting=_fitting(session, found),
        indexed=as_indexed(names, dimensions, sql.SQL("vectors.embedding")),
        indexed_dims=names.fill("{vector_dims}(vectors.embedding) = {dims}", dims=sql.Literal(dimensions)),
        query=as_indexed(names, dimensions, sql.SQL("%s")),
    )
    return sorted(rows, key=lambda row: int(row[0]))


def _fitting(session: AnySession, found: Conditions) -> sql.Composable:
    return (
        session.server.names.fill(_FITTING + "{conditions}", conditions=found.sql) if found else sql.SQL("")
    )


def _scored(rows: list[tuple[int, Any]], dimensions: int, query: Floats, limit: int | None) -> list[Scored]:
    """The candidates, which come by position, by their exact cosines."""
    if not rows:
        return []
    matrix = as_matrix([vector for _, vector in rows], dimensions)
    places, scores = cosine_top(query, matrix, limit=limit)
    return [
        Scored(rows[place][0], score) for place, score in zip(places.tolist(), scores.tolist(), strict=True)
    ]
