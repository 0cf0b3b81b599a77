"""The embedded store: documents, full text and vectors in one SQLite file."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from rankmeld.document import Document
from rankmeld.stores import reading, writing
from rankmeld.stores.arguments import as_documents, as_ids, as_path, check_embedder
from rankmeld.stores.encoding import decode, encode, id_key
from rankmeld.stores.failures import DamagedError
from rankmeld.stores.preparing import prepare
from rankmeld.stores.searching import SearchableStore
from rankmeld.types import Embedder

__all__ = ["SqliteStore"]


class SqliteStore(SearchableStore):
    """Documents in one SQLite file, searched by words and by vectors.

    Words are searched by BM25 over title, topic and text (stemmed by Porter's rules for English,
    accents ignored), vectors by exact cosine. Any number of threads and processes may read while one
    writes; a write is committed as a whole or not at all, and waits up to a minute for another one.

    Parameters
    ----------
    path : str or os.PathLike
        The file; created if it is not there, brought up to date if an older rankmeld made it.
        ``":memory:"`` is a private store that is gone when it is closed (kept in a temporary file, so
        it works across threads and after ``fork`` like any other).
    read_only : bool, default False
        Neither create nor change the file.

    Raises
    ------
    StoreError
        The file cannot be opened, is not a store, or a newer rankmeld made it. Every other
        method raises it as well where the store is closed, busy, damaged or cannot be written.

    Notes
    -----
    All vectors are kept in memory (4 bytes times D for each) from the first vector search until
    `close`, and read again after they have changed. A forked child may go on using the store: a
    fork waits up to ten seconds for calls that are under way in other threads. Where one is not done by
    then, or the fork happens in the middle of a call of its own thread, the child's calls are StoreErrors.

    Ids may be str, int, float, bytes, UUID or tuples of these. Texts come back as they went in,
    except that lone surrogates become U+FFFD; so does metadata of ``None``, bool, int, float,
    str, bytes, UUID, datetime, date, tuples, lists and dicts. Of times, the offset from UTC is kept,
    the name of the zone is not.

    Filters are applied before a search, so that it finds `limit` documents where there are that
    many. They are ``project``, ``scope``, ``type``, ``source`` or ``metadata.KEY`` with a value, or a
    list or tuple of values (no range) of which one must fit, compared as strings: a list in the metadata is
    not searched in. And ``created_at`` with a pair ``(from, to)``, `to` excluded. ``None`` and
    ``""`` set no condition.

    Examples
    --------
    >>> from rankmeld import Document, SqliteStore
    >>> with SqliteStore(":memory:") as store:
    ...     store.add([
    ...         Document("a", "Reciprocal rank fusion joins rankings."),
    ...         Document("b", "A cache forgets what is old.", metadata={"project": "cache"}),
    ...     ])
    ...     store.lexical("joining a ranking", limit=1).ids
    ...     store.lexical("old rankings", limit=10, filters={"project": "cache"}).ids
    2
    ['a']
    ['b']
    """

    def add(
        self,
        documents: Iterable[Document],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
        progress: writing.Progress | None = None,
    ) -> int:
        """Add documents, in place of those with the same ids; all of them or, on an error, none.

        Parameters
        ----------
        documents : iterable of Document
            Of several with one id, the last counts.
        vectors : array of shape (N, D) or list of N vectors, optional
            The documents' vectors, in order; kept as float32.
        embedder : Embedder, optional
            Makes the vectors of the documents' passages. With `vectors`, it is only asked for its
            name. With neither, the documents are found by words alone.
        progress : callable, optional
            ``progress(done, total)``, in documents: embedded, or written if nothing is to be
            embedded. ``done`` equals ``total`` once, after the commit. An exception that it
            raises undoes the whole call.

        Returns
        -------
        int
            How many documents were written.

        Raises
        ------
        TypeError
            Something that is no Document, or an id or a value that cannot be stored.
        InvalidArgumentError
            Vectors that are not finite, not as many as documents, or not of the width and model of
            those that the store has. The message names the document.
        """
        return self._write(as_documents(documents), vectors, embedder, progress, source=None)

    def delete(self, ids: Iterable[Hashable]) -> int:
        """Delete documents.

        Parameters
        ----------
        ids : iterable of Hashable
            Ids; those that the store does not have are no error.

        Returns
        -------
        int
            How many documents were deleted.
        """
        keys = [id_key(id) for id in as_ids(ids)]
        with self._writing() as connection:
            return writing.remove(connection, keys)

    def get(self, id: Hashable, /) -> Document | None:
        """Give a document.

        Parameters
        ----------
        id : Hashable
            Its id.

        Returns
        -------
        Document or None
            ``None`` if the store does not have it.
        """
        key = id_key(id)
        with self._pool.reading() as connection:
            return reading.by_key(connection, [key]).get(key)

    def get_many(self, ids: Iterable[Hashable], /) -> dict[Hashable, Document]:
        """Give several documents at once.

        Parameters
        ----------
        ids : iterable of Hashable
            Their ids.

        Returns
        -------
        dict
            From each id, in the order asked, to its document. Ids that the store does not have
            are left out.
        """
        keys = [(id, id_key(id)) for id in as_ids(ids)]
        with self._pool.reading() as connection:
            found = reading.by_key(connection, [key for _, key in keys])
        return {id: found[key] for id, key in keys if key in found}

    def __contains__(self, id: Hashable) -> bool:
        return self.get(id) is not None

    def __len__(self) -> int:
        with self._pool.reading() as connection:
            (count,) = connection.execute("SELECT count(*) FROM documents").fetchone()
            return int(count)

    # --- sources: files that were indexed -------------------------------------------------------

    def sources(self) -> dict[str, str]:
        """Give the registered sources.

        Returns
        -------
        dict
            From each path to its digest, in the order in which they were last written.
        """
        with self._pool.reading() as connection:
            rows = connection.execute("SELECT path, digest FROM sources ORDER BY source").fetchall()
            return {_text(path): _text(digest) for path, digest in rows}

    def source_digest(self, path: str | os.PathLike[str]) -> str | None:
        """Give the digest under which a source was registered.

        Parameters
        ----------
        path : str or os.PathLike
            The source.

        Returns
        -------
        str or None
            ``None`` if it is not registered.
        """
        name = as_path(path)
        with self._pool.reading() as connection:
            row = connection.execute("SELECT digest FROM sources WHERE path = ?", (encode(name),)).fetchone()
            return None if row is None else _text(row[0])

    def replace_source(
        self,
        path: str | os.PathLike[str],
        digest: str,
        documents: Iterable[Document],
        *,
        vectors: Any = None,
        embedder: Embedder | None = None,
    ) -> int:
        """Register a source with its documents, in place of those that it had; all or nothing.

        Parameters
        ----------
        path : str or os.PathLike
            Names the source.
        digest : str
            Tells later whether the source has changed.
        documents, vectors, embedder
            As in `add`. A document that was added otherwise under one of these ids now belongs to
            this source.

        Returns
        -------
        int
            How many documents were written.
        """
        if not isinstance(digest, str):
            raise TypeError(f"digest must be a str, not {type(digest).__name__}")
        return self._write(as_documents(documents), vectors, embedder, None, source=(as_path(path), digest))

    def remove_source(self, path: str | os.PathLike[str]) -> int:
        """Forget a source and delete its documents.

        Parameters
        ----------
        path : str or os.PathLike
            The source; one that is not registered is no error.

        Returns
        -------
        int
            How many documents were deleted.
        """
        with self._writing() as connection:
            return writing.remove_source(connection, as_path(path))

    # --- writing --------------------------------------------------------------------------------

    def _write(
        self,
        documents: Sequence[Document],
        vectors: Any,
        embedder: Embedder | None,
        progress: writing.Progress | None,
        *,
        source: tuple[str, str] | None,
    ) -> int:
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be a callable (done, total), not {type(progress).__name__}")
        if embedder is not None:
            check_embedder(embedder)
        self._check_writable()

        def report(done: int, total: int) -> None:
            if progress is not None and done < total:  # all is done when it is committed
                progress(done, total)

        rows, labelled = prepare(documents, vectors, embedder, report)
        embedded = embedder is not None and vectors is None
        with self._writing() as connection:
            number = None if source is None else writing.renew_source(connection, *source)
            writing.put(
                connection,
                rows,
                labelled,
                source=number,
                report=None if embedded else lambda done: report(done, len(rows)),
            )
        if progress is not None and rows:
            progress(len(rows), len(rows))
        return len(rows)


def _text(encoded: str) -> str:
    """A path or digest as it was given."""
    try:
        return str(decode(encoded))
    except (TypeError, ValueError) as error:
        raise DamagedError(f"the name or digest of a source cannot be read: {error}") from error
