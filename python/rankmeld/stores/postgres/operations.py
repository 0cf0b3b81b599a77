"""What a store does, as flows: the same for those who wait and for those who await."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankmeld._asking import Ask, Flow, name_of
from rankmeld._options import as_limit
from rankmeld.document import Document
from rankmeld.errors import StoreError
from rankmeld.ranking import Ranking
from rankmeld.stores.arguments import (
    as_documents,
    as_ids,
    as_path,
    as_query,
    as_vector_query,
    check_embedder,
)
from rankmeld.stores.encoding import decode, encode, id_key
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.fusing import as_depth, fused, leg, ranked
from rankmeld.stores.labels import Label, Labelled, check_model
from rankmeld.stores.matrix import Floats, as_query_vector
from rankmeld.stores.postgres import indexes, reading, schema, writing
from rankmeld.stores.postgres.filters import conditions
from rankmeld.stores.postgres.lexemes import Lexemes, query_lexemes, without_nul
from rankmeld.stores.postgres.nearest import nearest
from rankmeld.stores.postgres.options import Options
from rankmeld.stores.postgres.sessions import AnySession, Mode, Server, Work
from rankmeld.stores.postgres.sql import Names
from rankmeld.stores.postgres.state import State, seen
from rankmeld.stores.postgres.writing import Entry, as_key
from rankmeld.stores.preparing import prepare
from rankmeld.text import clean_text
from rankmeld.types import Embedder, Filters, VectorQuery

__all__ = ["Operations"]

#: ``progress(done, total)``.
Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class _Writable:
    """What is to be written, all computed."""

    entries: Sequence[Entry]
    labelled: Labelled | None


class Operations:
    """The operations of one store.

    Parameters
    ----------
    connections : Connections or AsyncConnections
        Who hands out connections.
    shown : str
        The store as messages show it.
    options : Options
        How it was opened.
    """

    def __init__(self, connections: Any, shown: str, options: Options) -> None:
        self._connections = connections
        self._options = options
        self._shown = shown
        self._server = Server(shown, Names(options.schema, options.prefix), _settings(options))
        self._lexemes: Lexemes | None = None

    # --- opening and closing --------------------------------------------------------------------

    def open(self) -> Flow[None]:
        """Connect, and see to it that the tables are there."""
        if self._lexemes is not None:
            return
        yield Ask("PostgreSQL", self._connections.open, ())
        opened = yield self._work(lambda session: schema.look(session, self._options), Mode.READ)
        if opened is None and self._options.read_only:
            raise StoreError(
                f"store {self._shown} is not there, or an older rankmeld made it; open it once without "
                "read_only=True, which makes it"
            )
        if opened is None:
            opened = yield self._work(lambda session: schema.prepare(session, self._options), Mode.WRITE)
        self._server, language = opened
        self._lexemes = Lexemes(language)

    def close(self) -> Flow[None]:
        """Close what is ours."""
        yield Ask("PostgreSQL", self._connections.close, ())

    @property
    def closed(self) -> bool:
        """Whether the store was closed."""
        return bool(self._connections.closed)

    # --- changing -------------------------------------------------------------------------------

    def add(
        self,
        documents: Iterable[Document],
        vectors: Any,
        embedder: Embedder | None,
        progress: Progress | None,
    ) -> Flow[int]:
        """Write documents."""
        given = as_documents(documents)
        _check_progress(progress)
        report = _reporting(progress)
        written = yield from self._prepared(given, vectors, embedder, report)
        total = len(written.entries)
        embedded = embedder is not None and vectors is None
        reported = None if embedded else lambda done: report(done, total)
        yield self._write(
            lambda session: writing.put(session, written.entries, written.labelled, report=reported)
        )
        if progress is not None and total:
            progress(total, total)
        return total

    def delete(self, ids: Iterable[Hashable]) -> Flow[int]:
        """Delete documents."""
        keys = [id_key(id) for id in as_ids(ids)]
        count = yield self._write(lambda session: writing.remove(session, keys))
        return int(count)

    def replace_source(
        self,
        path: str | os.PathLike[str],
        digest: str,
        documents: Iterable[Document],
        vectors: Any,
        embedder: Embedder | None,
    ) -> Flow[int]:
        """Write a source and its documents."""
        if not isinstance(digest, str):
            raise TypeError(f"digest must be a str, not {type(digest).__name__}")
        name = as_path(path)
        written = yield from self._prepared(as_documents(documents), vectors, embedder, _reporting(None))
        yield self._write(
            lambda session: writing.replace_source(session, name, digest, written.entries, written.labelled)
        )
        return len(written.entries)

    def remove_source(self, path: str | os.PathLike[str]) -> Flow[int]:
        """Delete a source and its documents."""
        name = as_path(path)
        count = yield self._write(lambda session: writing.remove_source(session, name))
        return int(count)

    def _prepared(
        self,
        documents: Sequence[Document],
        vectors: Any,
        embedder: Embedder | None,
        report: Progress,
    ) -> Flow[_Writable]:
        if embedder is not None:
            check_embedder(embedder)
        self._check_writable()
        lexemes = self._opened()

        def compute() -> _Writable:
            rows, labelled = prepare(documents, vectors, embedder, report, as_column=without_nul)
            return _Writable([Entry(row, lexemes.of_row(row)) for row in rows], labelled)

        written: _Writable = yield Ask("prepare", compute, ())
        return written

    # --- looking --------------------------------------------------------------------------------

    def get_many(self, ids: Iterable[Hashable]) -> Flow[dict[Hashable, Document]]:
        """The documents of these ids."""
        keys = [(id, id_key(id)) for id in as_ids(ids)]
        found = yield self._read(lambda session: reading.by_key(session, [key for _, key in keys]))
        return {id: found[key] for id, key in keys if key in found}

    def get(self, id: Hashable) -> Flow[Document | None]:
        """The document of this id."""
        return (yield from self.get_many([id])).get(id)

    def state(self) -> Flow[State]:
        """What the store knows of itself."""
        state: State = yield self._read(seen)
        return state

    def sources(self) -> Flow[dict[str, str]]:
        """The registered sources and their digests."""
        return (yield from self._digests("SELECT path, digest FROM {sources} ORDER BY source"))

    def source_digest(self, path: str | os.PathLike[str]) -> Flow[str | None]:
        """The digest of a source."""
        name = as_path(path)
        statement = "SELECT path, digest FROM {sources} WHERE path_key = %s"
        found = yield from self._digests(statement, as_key(encode(name)))
        return found.get(name)

    def _digests(self, statement: str, *parameters: object) -> Flow[dict[str, str]]:
        def work(session: AnySession) -> Flow[dict[str, str]]:
            rows = yield session.ask(statement, *parameters)
            try:
                return {str(decode(path)): str(decode(digest)) for path, digest in rows}
            except (TypeError, ValueError) as error:
                raise DamagedError(f"the name or digest of a source cannot be read: {error}") from error

        found: dict[str, str] = yield self._read(work)
        return found

    # --- searching ------------------------------------------------------------------------------

    def lexical(self, query: str, limit: Any, filters: Filters | None) -> Flow[Ranking]:
        """Search by words."""
        as_query(query)
        wanted, found = as_limit(limit), conditions(filters)
        terms = query_lexemes(query, self._opened())

        def work(session: AnySession) -> Flow[Ranking]:
            state = yield from seen(session)
            scored = yield from reading.lexical(session, state, terms, found, wanted)
            return (yield from reading.looked_up(session, ranked(scored, "lexical")))

        ranking: Ranking = yield self._read(work)
        return ranking

    def vector(self, query_vector: Any, limit: Any, filters: Filters | None) -> Flow[Ranking]:
        """Search by a vector."""
        vector = as_query_vector(query_vector)
        wanted, found = as_limit(limit), conditions(filters)

        def work(session: AnySession) -> Flow[Ranking]:
            state = yield from seen(session)
            scored = yield from nearest(
                session, state, query=vector, found=found, limit=wanted, ef_search=self._ef_search
            )
            return (yield from reading.looked_up(session, ranked(scored, "vector")))

        ranking: Ranking = yield self._read(work)
        return ranking

    def search(self, query: VectorQuery) -> Flow[list[tuple[Hashable, float]]]:
        """Search as a vector index."""
        asked = as_vector_query(query)
        ranking = yield from self.vector(asked.vector, asked.limit, asked.filters)
        return [(hit.id, float(hit.score)) for hit in ranking if hit.score is not None]

    def hybrid(
        self, query: str, embedder: Embedder | None, limit: Any, filters: Filters | None, depth: int
    ) -> Flow[Ranking]:
        """Search by words and by meaning."""
        as_query(query)
        wanted, found, candidates = as_limit(limit), conditions(filters), as_depth(depth)
        terms = query_lexemes(query, self._opened())
        vector: Floats | None = None
        if embedder is not None:
            vector = yield from self._embedded(query, terms, check_embedder(embedder))

        def work(session: AnySession) -> Flow[Ranking]:
            # One transaction: both legs see the same documents.
            state = yield from seen(session)
            words = yield from reading.lexical(session, state, terms, found, candidates)
            legs = [leg("lexical", words)]
            if vector is not None:
                near = yield from nearest(
                    session, state, query=vector, found=found, limit=candidates, ef_search=self._ef_search
                )
                legs.append(leg("vector", near))
            return (yield from reading.looked_up(session, fused(legs, wanted)))

        ranking: Ranking = yield self._read(work)
        return ranking

    def _embedded(self, query: str, terms: Sequence[str], embedder: Embedder) -> Flow[Floats | None]:
        """The query's vector; ``None`` where there is nothing that it could find."""
        label: Label = (yield from self.state()).label
        if label.dimensions is None or not terms:
            return None
        check_model(label, embedder, self._shown)
        vector = yield Ask(name_of(embedder.embed_query), embedder.embed_query, (clean_text(query),))
        return as_query_vector(vector)

    # --- indexes --------------------------------------------------------------------------------

    def create_index(self, m: int, ef_construction: int) -> Flow[bool]:
        """Make the index over vectors."""
        links, candidates = indexes.check_parameters(m, ef_construction)
        self._check_writable()
        made = yield self._work(lambda session: indexes.make(session, links, candidates), Mode.SINGLE)
        return bool(made)

    def drop_index(self) -> Flow[bool]:
        """Drop the index over vectors."""
        self._check_writable()
        dropped = yield self._work(indexes.drop, Mode.SINGLE)
        return bool(dropped)

    # --- work -----------------------------------------------------------------------------------

    @property
    def _ef_search(self) -> int | None:
        return None if self._options.exact else self._options.ef_search

    def _opened(self) -> Lexemes:
        if self._lexemes is None:
            raise StoreError(
                f"store {self._shown} is not open yet; begin with 'async with store:' or 'await store.open()'"
            )
        return self._lexemes

    def _read(self, work: Work[Any]) -> Ask:
        self._opened()
        return self._work(work, Mode.READ)

    def _write(self, work: Work[Any]) -> Ask:
        self._check_writable()
        self._opened()
        return self._work(work, Mode.WRITE)

    def _work(self, work: Work[Any], mode: Mode) -> Ask:
        return Ask("PostgreSQL", self._connections.run, (work, mode, replace(self._server)))

    def _check_writable(self) -> None:
        if self._options.read_only:
            raise StoreError(
                f"store {self._shown} was opened with read_only=True; open it without to change it"
            )


def _settings(options: Options) -> str:
    """What every transaction sets for itself."""
    settings = {"lock_timeout": options.lock_timeout, "statement_timeout": options.statement_timeout}
    return "; ".join(
        f"SET LOCAL {name} = {max(1, round(seconds * 1000))}"
        for name, seconds in settings.items()
        if seconds is not None
    )


def _check_progress(progress: Any) -> None:
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a callable (done, total), not {type(progress).__name__}")


def _reporting(progress: Progress | None) -> Progress:
    def report(done: int, total: int) -> None:
        if progress is not None and done < total:  # all is done when it is committed
            progress(done, total)

    return report
