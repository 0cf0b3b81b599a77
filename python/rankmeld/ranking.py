"""A ranking: an immutable sequence of hits, best first, held in columns."""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from rankmeld import _core, views
from rankmeld.errors import InvalidArgumentError
from rankmeld.explanation import Chain, HitExplanation, Lost, Step, explained
from rankmeld.types import Document, Hit, Source

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

__all__ = ["Ranking"]

#: Ids as they are kept: a list, or an int64 array that came from one.
IdColumn = list[Hashable] | npt.NDArray[np.int64]


class Ranking(Sequence[Hit]):
    """Hits ordered best first; position 0 is the best.

    Parameters
    ----------
    hits : ranking, default ()
        A list (or any iterable, read once) of ids, ``(id, score)`` pairs, ``(id, score,
        document)`` triples, `Document` or `Hit`; a mapping of id to score, which is ordered by descending
        score; a tuple of two columns ``(ids, scores)``, arrays or lists; an array of integer ids.
        The order given is kept.
    name : str, optional
        A name for explanations and for weights by name.

    Raises
    ------
    TypeError
        `hits` is no ranking, or an id cannot be hashed.
    InvalidArgumentError
        An id is NaN, or two columns differ in length.

    Examples
    --------
    >>> ranking = Ranking([("d3", 0.9), ("d1", 0.4)])
    >>> ranking[0]
    Hit(id='d3', score=0.9, document=None)
    >>> ranking.ids
    ['d3', 'd1']
    >>> ranking[1:].scores
    array([0.4])
    """

    __slots__ = ("_chain", "_documents", "_ids", "_name", "_rows", "_scores")

    _ids: IdColumn
    _scores: npt.NDArray[np.float64] | None
    _documents: list[Document | None] | None
    _name: str | None
    _chain: Chain | None
    #: For each hit its place in the output of the chain's last link, or `None` for one that the chain does
    #: not know; `None`: the same place.
    _rows: Sequence[int | None] | None

    def __init__(self, hits: Any = (), *, name: str | None = None) -> None:
        if isinstance(hits, Source):
            name, hits = (hits.name if name is None else name), hits.hits
        self._name = name
        self._chain = None
        self._rows = None
        if isinstance(hits, Ranking):
            self._ids, self._scores, self._documents = hits._ids, hits._scores, hits._documents
            self._chain, self._rows = hits._chain, hits._rows
        else:
            self._ids, self._scores, self._documents = _core.read(hits, "hits")

    @classmethod
    def _of(  # noqa: PLR0917 - the columns, as they are declared above
        cls,
        ids: IdColumn,
        scores: npt.NDArray[np.float64] | None,
        documents: list[Document | None] | None,
        name: str | None = None,
        chain: Chain | None = None,
        rows: Sequence[int | None] | None = None,
    ) -> Ranking:
        """A ranking of columns that nobody else will change."""
        made = cls.__new__(cls)
        made._ids = ids
        made._scores = scores
        made._documents = documents
        made._name = name
        made._chain = chain
        made._rows = rows
        return made

    # ------------------------------------------------------------------ columns

    @property
    def ids(self) -> list[Hashable]:
        """The ids, best first (a new list)."""
        return list(self._ids) if isinstance(self._ids, list) else self._ids.tolist()

    @property
    def scores(self) -> npt.NDArray[np.float64] | None:
        """The scores, shape (N,), read-only; ``None`` if there are none.

        Where only some hits have a score, NaN stands for the others (a `Hit` then has ``None``).
        """
        if self._scores is not None:
            self._scores.flags.writeable = False  # before anybody sees it
        return self._scores

    @property
    def documents(self) -> list[Document | None]:
        """The documents, ``None`` where a hit has none (a new list)."""
        return [None] * len(self) if self._documents is None else list(self._documents)

    @property
    def name(self) -> str | None:
        """The ranking's name, if it has one."""
        return self._name

    # ----------------------------------------------------------------- sequence

    def __len__(self) -> int:
        """How many hits there are."""
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Ranking: ...
    def __getitem__(self, index: int | slice) -> Hit | Ranking:
        """A hit, or for a slice the ranking of those hits."""
        if isinstance(index, slice):
            scores = None if self.scores is None else self.scores[index]
            documents = None if self._documents is None else self._documents[index]
            rows = (range(len(self)) if self._rows is None else self._rows)[index]
            return Ranking._of(self._ids[index], scores, documents, self._name, self._chain, rows)
        ids = self._ids
        return Hit(
            ids[index] if isinstance(ids, list) else int(ids[index]),
            None if self._scores is None else _score(self._scores[index]),
            None if self._documents is None else self._documents[index],
        )

    def __iter__(self) -> Iterator[Hit]:
        """The hits, best first."""
        return map(Hit, self.ids, self._score_list(), self.documents)

    def __eq__(self, other: object) -> bool:
        """Whether ids, scores and documents are equal; names and explanations do not matter."""
        if not isinstance(other, Ranking):
            return NotImplemented
        return (
            self.ids == other.ids
            and self._score_list() == other._score_list()
            and self.documents == other.documents
        )

    def __hash__(self) -> int:
        """Of the ids, which equal rankings share."""
        return hash(tuple(self.ids))

    def _score_list(self) -> list[float | None]:
        if self._scores is None:
            return [None] * len(self)
        scores: list[float] = self._scores.tolist()
        if not np.isnan(self._scores).any():  # as nearly always
            return list(scores)
        return [None if math.isnan(score) else score for score in scores]

    # ---------------------------------------------------------------- copies

    def __copy__(self) -> Ranking:
        """The ranking itself: it cannot change."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Ranking:
        """The same columns with copies of ids and documents; it can still explain itself."""
        return Ranking._of(
            copy.deepcopy(self._ids, memo),
            self._scores,
            copy.deepcopy(self._documents, memo),
            self._name,
            self._chain,
            self._rows,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """The columns go out; what an explanation needs stays behind."""
        return _unpickled, (self._ids, self._scores, self._documents, self._name)

    def named(self, name: str | None) -> Ranking:
        """The same ranking under another name.

        Parameters
        ----------
        name : str or None
            The name.

        Examples
        --------
        >>> Ranking(["d1"]).named("dense").name
        'dense'
        """
        return Ranking._of(self._ids, self._scores, self._documents, name, self._chain, self._rows)

    def _identified(self, ids: list[Hashable], documents: Sequence[Document | None]) -> Ranking:
        """The same hits under other ids, with documents; what was fused is explained as before."""
        return Ranking._of(ids, self._scores, list(documents), self._name, self._chain, self._rows)

    # ------------------------------------------------------------- explanation

    def explain(self, id: Hashable) -> HitExplanation:
        """How the hit with this id came to its place.

        Parameters
        ----------
        id : Hashable
            An id of this ranking; the first of equal ones is explained.

        Returns
        -------
        HitExplanation
            Each list's position, raw score and credit, and what later steps did.

        Raises
        ------
        InvalidArgumentError
            The ranking has no such id.
        RankmeldError
            There is nothing to explain: the ranking was neither fused nor reordered, or it was unpickled.

        Notes
        -----
        Linear in the entries that were fused; a ranking that nobody asks pays nothing.

        Examples
        --------
        >>> import rankmeld as rm
        >>> fused = rm.rrf([rm.Source("dense", ["a", "b"]), rm.Source("lexical", ["b"])])
        >>> print(fused.explain("b"))
        'b'  0.0325225  rrf (sum)
          dense: position 1, credit 0.016129
          lexical: position 0, credit 0.0163934
        """
        ids = self.ids
        if id not in ids:
            raise InvalidArgumentError(f"the ranking has no hit with id {id!r}")
        return self._explained([ids.index(id)])[0]

    def explanation(self) -> list[HitExplanation]:
        """How every hit came to its place, best first; see `explain`."""
        return self._explained(list(range(len(self))))

    def _explained(self, places: list[int]) -> list[HitExplanation]:
        ids, scores = self.ids, self._score_list()
        rows: list[int | None] = [place if self._rows is None else self._rows[place] for place in places]
        return explained(self._chain, rows, [ids[place] for place in places], [scores[p] for p in places])

    def _joined_by(self, ids: list[Hashable], documents: Sequence[Document | None]) -> Ranking:
        """These hits, and behind them others that nothing before has seen: for a stage to score and order."""
        rows = range(len(self)) if self._rows is None else self._rows
        mine = self._documents
        if mine is None and any(document is not None for document in documents):
            mine = [None] * len(self)
        return Ranking._of(
            [*(self._ids if isinstance(self._ids, list) else self._ids.tolist()), *ids],
            None,
            None if mine is None else [*mine, *documents],
            self._name,
            self._chain,
            [*rows, *[None] * len(ids)],
        )

    def _step(
        self,
        places: Sequence[int],
        scores: npt.NDArray[np.float64] | None,
        name: str,
        columns: Mapping[str, Sequence[Any]],
    ) -> Ranking:
        """What a stage makes of this ranking: these of its hits, in this order, with a note.

        `scores` and the columns are aligned with `places`.
        """
        ids = self._ids
        rows: list[int | None]
        rows = list(places) if self._rows is None else list(map(self._rows.__getitem__, places))
        return Ranking._of(
            list(map(ids.__getitem__, places)) if isinstance(ids, list) else ids[list(places)],
            scores,
            None if self._documents is None else list(map(self._documents.__getitem__, places)),
            self._name,
            self._chain if isinstance(self._chain, Lost) else Step(self._chain, rows, name, columns),
        )

    # ------------------------------------------------------------------- views

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dict per hit with ``id``, ``score`` and ``document``, in plain values.

        Examples
        --------
        >>> Ranking([("d1", 0.5)]).to_dicts()
        [{'id': 'd1', 'score': 0.5, 'document': None}]
        """
        return views.to_dicts(self)

    def to_arrow(self) -> pa.Table:
        """A pyarrow table: ``id``, ``score``, and the fields of documents if there are any."""
        return views.to_arrow(self)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas frame: ``id``, ``score``, and the fields of documents if there are any."""
        return views.to_pandas(self)

    def to_polars(self) -> pl.DataFrame:
        """A polars frame: ``id``, ``score``, and the fields of documents if there are any."""
        return views.to_polars(self)

    def __repr__(self) -> str:
        """The first rows."""
        return views.as_text(self)

    def _repr_html_(self) -> str:
        """A table, for notebooks."""
        return views.as_html(self)


def _score(value: np.float64) -> float | None:
    score = float(value)
    return None if math.isnan(score) else score


def _unpickled(
    ids: IdColumn,
    scores: npt.NDArray[np.float64] | None,
    documents: list[Document | None] | None,
    name: str | None,
) -> Ranking:
    return Ranking._of(ids, scores, documents, name, Lost())
