"""A collection in memory that is searched by BM25."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from typing import Any, SupportsIndex

from rankmeld import _core
from rankmeld._bm25_input import as_ids, push, read_documents
from rankmeld._bm25_search import allowed_of, ranking_of
from rankmeld._bm25_state import Columns, State
from rankmeld._options import TIES, as_limit, choose, threads_for
from rankmeld._terms import TermReader, Tokenizer
from rankmeld.bm25 import as_parameters
from rankmeld.document import Document
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking
from rankmeld.text import bm25_tokenize
from rankmeld.types import Filters

__all__ = ["BM25Index"]

#: ``progress(done, total)``.
Progress = Callable[[int, int], object]

#: Documents read between two reports.
_DOCUMENTS_AT_ONCE = 512

#: Fewer queries than this are done before another thread has started.
_QUERIES_FOR_A_THREAD = 64

#: How often a change is prepared with all the tidying that is due; then without, as others keep changing
#: the index faster than it can be tidied.
_PATIENT_ATTEMPTS = 3


class BM25Index:
    """Documents in memory, searched by BM25 (see `bm25_scores` for the formula).

    Any number of threads may search while others add and remove: a search sees the index as it was
    when the search began, and waits for nobody. Statistics are always those of the documents that are there,
    so after any sequence of changes the scores are, to the last bit, those of `bm25_scores` over all texts.

    Parameters
    ----------
    k1 : float, default 1.5
        How soon repetitions stop to count; not negative.
    b : float, default 0.75
        How much length counts, within 0..1.
    tokenizer : callable, default `bm25_tokenize`
        From a text to its terms. `bm25_tokenize`, also with a stemmer bound by
        ``functools.partial(bm25_tokenize, stemmer="english")``, is read inside the core, which is
        many times faster than any other callable.

    Raises
    ------
    TypeError, InvalidArgumentError
        A parameter is of the wrong kind or out of range.

    Notes
    -----
    About six bytes for each distinct term of each document, besides ids and documents. Searching passes
    over documents that cannot come among the best (MaxScore [1]_ with bounds for blocks of postings [2]_),
    without changing a hit, its place or a bit of its score. What is removed is found no more at once, and
    its memory is given back when a quarter of a part of the index is gone. Adding one by one costs a
    logarithmic factor more than adding all at once. The index pickles, and works in forked processes.

    References
    ----------
    .. [1] H. Turtle, J. Flood, "Query Evaluation: Strategies and Optimizations", Information
       Processing & Management 31(6), 1995.
    .. [2] S. Ding, T. Suel, "Faster Top-k Document Retrieval Using Block-Max Indexes", SIGIR 2011.

    Examples
    --------
    >>> from rankmeld import BM25Index
    >>> index = BM25Index()
    >>> index.add([("a", "Reciprocal rank fusion joins rankings."), ("b", "A cache forgets what is old.")])
    2
    >>> index.search("joined ranking of ranks", limit=1).ids
    ['a']
    >>> index.remove(["a"])
    1
    >>> len(index), "a" in index
    (1, False)
    """

    __slots__ = ("__weakref__", "_b", "_cell", "_k1", "_reader")

    def __init__(self, *, k1: float = 1.5, b: float = 0.75, tokenizer: Tokenizer = bm25_tokenize) -> None:
        self._k1, self._b = as_parameters(k1, b)
        self._reader = TermReader(tokenizer)
        self._cell = _core.Cell(State(_core.Bm25Snapshot.empty(self._k1, self._b)))

    @property
    def k1(self) -> float:
        """How soon repetitions stop to count."""
        return self._k1

    @property
    def b(self) -> float:
        """How much length counts."""
        return self._b

    @property
    def tokenizer(self) -> Tokenizer:
        """From a text to its terms."""
        return self._reader.tokenizer

    # --- changing ---------------------------------------------------------------------------------

    def add(
        self, documents: Iterable[Document | tuple[Hashable, str]], *, progress: Progress | None = None
    ) -> int:
        """Add documents, in place of those with the same ids; all of them or, on an error, none.

        Parameters
        ----------
        documents : iterable of Document or of (id, text)
            Of a `Document` the passage is indexed, and the document comes back with its hits. Of
            several with one id the last counts. A replaced document keeps its place in the order of
            insertion.
        progress : callable, optional
            ``progress(done, total)``, in documents. An exception that it raises adds nothing.

        Returns
        -------
        int
            How many documents were added or replaced.

        Raises
        ------
        TypeError
            Something that is neither a Document nor a pair, an id that cannot be hashed, or a tokenizer
            that gives something else than strings. The message names the place.
        InvalidArgumentError
            An id is NaN.
        """
        if progress is not None and not callable(progress):
            raise TypeError(f"progress must be a callable (done, total), not {type(progress).__name__}")
        batch = read_documents(documents)
        total = len(batch.ids)
        if total == 0:
            return 0
        builder = _core.Bm25Builder()
        for start in range(0, total, _DOCUMENTS_AT_ONCE):
            stop = min(start + _DOCUMENTS_AT_ONCE, total)
            push(builder, self._reader, batch, slice(start, stop))
            if progress is not None:
                progress(stop, total)
        segment = builder.finish()
        self._change(lambda state: state.with_part(segment, batch.ids, batch.documents))
        return total

    def remove(self, ids: Iterable[Hashable]) -> int:
        """Remove documents.

        Parameters
        ----------
        ids : Ranking, or iterable of Hashable, Hit or Document
            Ids, or what has them; those that the index does not have are no error.

        Returns
        -------
        int
            How many documents were removed.

        Raises
        ------
        TypeError
            `ids` is one id rather than several, or an id cannot be hashed.
        InvalidArgumentError
            An id is NaN.
        """
        given = as_ids(ids, "ids")
        removed = 0

        def without(state: State) -> State:
            nonlocal removed
            found = {place for id in given if (place := state.place(id)) is not None}
            removed = len(found)
            return state.without(sorted(found)) if found else state

        self._change(without)
        return removed

    def _change(self, change: Callable[[State], State]) -> None:
        """Put what `change` makes of the state in its place.

        If another thread was quicker, the change is made again, of what that one left: ids may be hashed
        and compared by anybody's code, so no lock is held meanwhile.
        """
        attempts = 0
        while True:
            before = self._state
            after = change(before)
            if after is before:
                return
            attempts += 1
            if attempts <= _PATIENT_ATTEMPTS:
                after = after.tidied()
            if self._cell.exchange(before, after):
                return

    @property
    def _state(self) -> State:
        state: State = self._cell.get()
        return state

    # --- searching --------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        limit: SupportsIndex | None = 10,
        filters: Filters | None = None,
        among: Iterable[Hashable] | None = None,
        ties: Ties = "first",
    ) -> Ranking:
        """Find the documents that hold terms of a query.

        Parameters
        ----------
        query : str
            Any text; every term counts once, none is an operator.
        limit : int or None, default 10
            How many hits at the most; ``None`` for all.
        filters : Mapping[str, Any], optional
            Conditions on the documents: ``project``, ``scope``, ``type``, ``source`` or
            ``metadata.KEY`` with a value, or a list or tuple of values (no range) of which one must fit,
            compared as strings: a list in the metadata is not searched in. And ``created_at`` with a pair
            ``(from, to)``, `to` excluded. ``None`` and ``""`` set no condition. Pairs have no metadata.
        among : Ranking, or iterable of Hashable, Hit or Document, optional
            Only these ids may be found.
        ties : {"first", "id_asc", "id_desc"}, default "first"
            What decides between equal scores: the order of insertion, or the ids.

        Returns
        -------
        Ranking
            Named ``"bm25"``, best first, only documents that score above 0; with documents where they were
            given. Rarity is counted over the whole index, whatever `filters` and `among` leave.

        Raises
        ------
        TypeError, InvalidArgumentError
            An option, a filter or an id is not allowed.

        Examples
        --------
        >>> from rankmeld import BM25Index, Document
        >>> index = BM25Index()
        >>> index.add([
        ...     Document(1, "old caches", metadata={"project": "cache"}),
        ...     Document(2, "an old ranking", metadata={"project": "fusion"}),
        ... ])
        2
        >>> index.search("old", filters={"project": "fusion"}).ids
        [2]
        """
        count = as_limit(limit)
        choose(ties, TIES, "ties")
        asked = self._reader.of_query(query)
        state = self._state
        allowed = allowed_of(state, filters, among)
        found = state.snapshot.search(asked, self._reader.stemmer, count, ties != "first", allowed)
        return ranking_of(state, found, count, ties)

    def search_many(
        self,
        queries: Iterable[str],
        *,
        limit: SupportsIndex | None = 10,
        filters: Filters | None = None,
        among: Iterable[Hashable] | None = None,
        ties: Ties = "first",
        threads: int | None = None,
    ) -> list[Ranking]:
        """Search for many queries at once, all in the index as it is now.

        Parameters
        ----------
        queries : iterable of str
            The queries.
        limit, filters, among, ties
            As in `search`.
        threads : int, optional
            How many threads share the work, which shows in no result. Not given: as many as the
            machine has, for more than a few queries.

        Returns
        -------
        list of Ranking
            One for each query, in their order.

        Raises
        ------
        TypeError, InvalidArgumentError
            As in `search`.
        """
        count = as_limit(limit)
        choose(ties, TIES, "ties")
        if isinstance(queries, str) or not isinstance(queries, Iterable):
            raise TypeError(
                f"queries must be an iterable of str, not {type(queries).__name__}; search() takes one query"
            )
        asked = [self._reader.of_query(query, f"queries[{place}]") for place, query in enumerate(queries)]
        workers = threads_for(threads, len(asked), _QUERIES_FOR_A_THREAD)
        state = self._state
        allowed = allowed_of(state, filters, among)
        found = state.snapshot.search_many(
            asked, self._reader.stemmer, count, ties != "first", allowed, workers
        )
        return [ranking_of(state, hits, count, ties) for hits in found]

    # --- looking ----------------------------------------------------------------------------------

    def get(self, id: Hashable, /) -> Document | None:
        """Give a document.

        Parameters
        ----------
        id : Hashable
            Its id.

        Returns
        -------
        Document or None
            ``None`` if the index does not have it, or was given its text alone.
        """
        state = self._state
        place = state.place(id)
        documents = None if place is None else state.documents_at([place])
        return None if documents is None else documents[0]

    @property
    def ids(self) -> list[Hashable]:
        """The ids, in the order of insertion (a new list)."""
        return self._state.ids()

    def __contains__(self, id: Hashable) -> bool:
        hash(id)  # as in any other container, what cannot be hashed is a TypeError
        return self._state.place(id) is not None

    def __len__(self) -> int:
        return self.document_count

    @property
    def document_count(self) -> int:
        """How many documents there are."""
        return self._state.snapshot.statistics()[0]

    @property
    def average_length(self) -> float:
        """Terms in a document on average; 0 for an empty index."""
        return self._state.snapshot.statistics()[1]

    def document_frequency(self, token: str, /) -> int:
        """How many documents hold a term.

        Parameters
        ----------
        token : str
            A term as the tokenizer gives it.

        Returns
        -------
        int
            Of the documents that are there now.
        """
        return self._state.snapshot.holding(token)

    def __repr__(self) -> str:
        count = len(self)
        return f"<BM25Index of {count:,} {'document' if count == 1 else 'documents'}>"

    # --- keeping ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file; on an error or a crash, what was there before is still there.

        Parameters
        ----------
        path : str or os.PathLike
            The file. A symbolic link is followed, and stays.

        Raises
        ------
        InvalidArgumentError
            `path` names no file.
        TypeError
            An id or a value of a document's metadata is of a kind that a file cannot keep. Ids may be
            str, int, float, bytes, UUID or tuples of these; pickle keeps any that pickles.
        OSError
            The file cannot be written.
        """
        from rankmeld._bm25_storage import save  # noqa: PLC0415 - most indexes are never saved

        save(path, self._state, self._k1, self._b, self._reader)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, tokenizer: Tokenizer | None = None) -> BM25Index:
        """Read an index that `save` wrote. It gives the same answers, and takes more documents.

        Parameters
        ----------
        path : str or os.PathLike
            The file.
        tokenizer : callable, optional
            Needed for an index with a tokenizer of one's own, which a file cannot keep; `tokenize` and
            `bm25_tokenize` are kept by name.

        Returns
        -------
        BM25Index
            The index.

        Raises
        ------
        FormatError
            The file is something else, damaged, cut short, or from a newer version.
        InvalidArgumentError
            The tokenizer is missing, or is another one than the file's.
        OSError
            The file cannot be read.
        """
        from rankmeld._bm25_storage import load  # noqa: PLC0415 - as in `save`

        loaded = load(path, tokenizer)
        return cls._of(loaded.k1, loaded.b, loaded.reader, loaded.state)

    @classmethod
    def _of(cls, k1: float, b: float, reader: TermReader, state: State) -> BM25Index:
        made = cls.__new__(cls)
        made._k1, made._b, made._reader = k1, b, reader
        made._cell = _core.Cell(state)
        return made

    def __copy__(self) -> BM25Index:
        """An index of its own; both share what they have in common until one changes."""
        return type(self)._of(self._k1, self._b, self._reader, self._state)

    def __reduce__(self) -> tuple[Any, ...]:
        """Postings go out as bytes, ids and documents as they are."""
        return _unpickled, (type(self), self._k1, self._b, self.tokenizer, self._state.columns())


def _unpickled(
    cls: type[BM25Index], k1: float, b: float, tokenizer: Tokenizer, columns: Columns
) -> BM25Index:
    return cls._of(k1, b, TermReader(tokenizer), State.of_columns(k1, b, columns))
