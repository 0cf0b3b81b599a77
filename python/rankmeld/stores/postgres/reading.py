"""Finding documents by words and by id, in the transaction that a caller has begun."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankmeld._asking import Flow
from rankmeld.document import Document
from rankmeld.ranking import Ranking
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.fusing import Lookups, Scored
from rankmeld.stores.postgres.filters import Conditions
from rankmeld.stores.postgres.sessions import AnySession
from rankmeld.stores.postgres.state import State
from rankmeld.stores.postgres.writing import as_key
from rankmeld.stores.rows import to_document

__all__ = ["by_key", "by_position", "lexical", "looked_up"]

#: The parameters of BM25, as SqliteStore has them.
K1, B = 1.2, 0.75

_BY_POSITION = """
    SELECT position, title, topic, text, record FROM {documents} WHERE position = ANY(%s::bigint[])
"""

_BY_KEY = """
    SELECT id_key, title, topic, text, record FROM {documents} WHERE id_key = ANY(%s::text[])
"""

# For a query of one term and weights of 1, ts_rank_cd counts the places of the term.
_LEXICAL = """
    WITH asked AS (
        SELECT term::tsquery, place FROM unnest(%s::text[]) WITH ORDINALITY AS terms (term, place)
    ),
    matched AS MATERIALIZED (
        SELECT
            documents.position,
            asked.place,
            documents.length,
            CASE
                WHEN {fitting} THEN ts_rank_cd('{{1, 1, 1, 1}}', documents.words, asked.term)::float8
            END AS count
        FROM asked JOIN {documents} AS documents ON documents.words @@ asked.term
    ),
    rarity AS (
        SELECT place, ln(1 + (%s::float8 - count(*) + 0.5::float8) / (count(*) + 0.5::float8)) AS weight
        FROM matched GROUP BY place
    )
    SELECT
        position,
        sum(
            weight * %s::float8 * count / (count + %s::float8 + %s::float8 * length)
            ORDER BY place
        ) AS score
    FROM matched JOIN rarity USING (place)
    WHERE count IS NOT NULL
    GROUP BY position
    ORDER BY score DESC, position
    LIMIT %s::bigint
"""


def lexical(
    session: AnySession, state: State, terms: Sequence[str], found: Conditions, limit: int | None
) -> Flow[list[Scored]]:
    """Rank the documents that have any term of a query by BM25.

    Parameters
    ----------
    session : session
        In a transaction.
    state : State
        What it sees of the store.
    terms : sequence of str
        Distinct, each a tsquery.
    found : Conditions
        What the documents must fulfil; rarity is counted whatever they are.
    limit : int or None
        How many at the most.

    Returns
    -------
    list of Scored
        Best first, equal scores by position; scores are above 0.
    """
    if not terms or not state.documents or limit == 0:
        return []
    average = max(state.words / state.documents, 1.0)
    rows = yield session.ask(
        _LEXICAL,
        list(terms),
        *found.parameters,
        float(state.documents),
        K1 + 1.0,
        K1 * (1.0 - B),
        K1 * B / average,
        sql_limit(limit),
        fitting=found.sql,
    )
    return [Scored(*row) for row in rows]


def sql_limit(limit: int | None) -> int | None:
    """PostgreSQL reads NULL as no limit, and cannot hold numbers beyond 64 bits."""
    return None if limit is None else min(limit, 2**63 - 1)


def looked_up(session: AnySession, lookups: Lookups) -> Flow[Ranking]:
    """The ranking of lookups, which are sent the documents that they ask for."""
    positions = next(lookups)
    while True:
        documents = yield from by_position(session, positions)
        try:
            positions = lookups.send(documents)
        except StopIteration as end:
            ranking: Ranking = end.value
            return ranking


def by_position(session: AnySession, positions: Iterable[int]) -> Flow[dict[int, Document]]:
    """The documents at these positions."""
    wanted = list(positions)
    rows = (yield session.ask(_BY_POSITION, wanted)) if wanted else []
    found = {position: to_document(*columns) for position, *columns in rows}
    for position in wanted:
        if position not in found:
            raise DamagedError(f"an index has document {position}, which is missing")
    return found


def by_key(session: AnySession, keys: Iterable[str]) -> Flow[dict[str, Document]]:
    """The documents of these keys, by the keys as they were given."""
    wanted = {as_key(key): key for key in keys}
    rows = yield session.ask(_BY_KEY, list(wanted))
    return {wanted[key]: to_document(*columns) for key, *columns in rows}
