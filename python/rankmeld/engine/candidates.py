"""What memories give: read with care, and joined so that one thing stands there once."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from rankmeld import _core
from rankmeld.decay import finite_scores
from rankmeld.explanation import Joined, Lost
from rankmeld.ranking import Ranking
from rankmeld.search.asked import Found
from rankmeld.text import fold_text

__all__ = ["Pick", "joined", "read_candidates"]


class Pick(NamedTuple):
    """One candidate among those of several rankings: which ranking it is of, and its place there."""

    part: int
    place: int


def read_candidates(answer: Any, top_k: int) -> Found:
    """What a memory answered, as a ranking of finite scores, each id once, at most `top_k` of them.

    An iterator is read no further than that takes.

    Raises
    ------
    TypeError, InvalidArgumentError
        It is no ranking.
    InvalidScoreError
        A hit has no finite score.
    """
    if isinstance(answer, Iterator):
        answer = list(islice(answer, top_k))
    ranking = Ranking(answer)
    given = len(ranking)
    if isinstance(ranking._chain, Lost):  # it came from another process; what is done here can still be told
        ranking = Ranking._of(ranking._ids, ranking._scores, ranking._documents, ranking._name)
    ranking = ranking[:top_k] if given > top_k else ranking
    finite_scores(ranking)
    ids = ranking.ids
    return Found(given, ranking if len(set(ids)) == len(ids) and None not in ids else joined([ranking])[0])


def joined(
    rankings: Sequence[Ranking], limit: int | None = None
) -> tuple[Ranking, list[Pick], list[list[int]]]:
    """The candidates of several rankings as one, by descending score.

    Two are one candidate if their ids are equal, or else if they are of different rankings and their
    texts are equal but for case, composition and white space. The one with the better score stays,
    of equal ones the first; one without a document gets that of the next best. Where an id is ``None``, the
    text is all there is to go by.

    Returns
    -------
    Ranking
        The candidates.
    list of Pick
        For each, where it comes from.
    list of list of int
        For each, the rankings that hold it, ascending.
    """
    columns = [(ranking.ids, finite_scores(ranking).tolist(), ranking.documents) for ranking in rankings]
    gathered = _Gathered([ids for ids, *_ in columns])
    for part, rows in enumerate(columns):
        for place, (id, score, document) in enumerate(zip(*rows, strict=True)):
            alike = "" if document is None or (id is not None and len(rankings) == 1) else document.text
            gathered.add(Pick(part, place), id, score, fold_text(alike) if alike else "")
    scores = np.array(gathered.scores, dtype=np.float64)
    ids = [columns[part][0][place] for part, place in gathered.best]
    order = _core.order(scores, ids, limit, "first").tolist()
    best = [gathered.best[slot] for slot in order]
    equal = [gathered.equal[slot] for slot in order]
    documents = [
        next((document for part, place in picks if (document := columns[part][2][place]) is not None), None)
        for picks in (sorted(of_one, key=lambda pick: -columns[pick.part][1][pick.place]) for of_one in equal)
    ]
    chain = Joined([ranking._chain for ranking in rankings], [_row(rankings, pick) for pick in best])
    ranking = Ranking._of([ids[slot] for slot in order], scores[order], documents, None, chain)
    return ranking, best, [sorted({pick.part for pick in picks}) for picks in equal]


def _row(rankings: Sequence[Ranking], pick: Pick) -> tuple[int, int | None]:
    """A candidate's place in the output of the last link of its ranking's chain."""
    rows = rankings[pick.part]._rows
    return pick.part, pick.place if rows is None else rows[pick.place]


class _Gathered:
    """Candidates as they come in: of each the best form, its score, and all that are equal to it."""

    def __init__(self, ids: Sequence[Sequence[Hashable]]) -> None:
        self._ids = ids
        self._known = [set(of_part) - {None} for of_part in ids]
        self.best: list[Pick] = []
        self.scores: list[float] = []
        self.equal: list[list[Pick]] = []
        self._by_id: dict[Hashable, int] = {}
        self._by_text: dict[str, int] = {}

    def add(self, pick: Pick, id: Hashable, score: float, text: str) -> None:
        """One more candidate; `text` is folded, and empty where it must not count."""
        slot = None if id is None else self._by_id.get(id)
        if slot is None and text:
            slot = self._by_text.get(text)
            # A memory that tells two of its own apart knows why.
            if slot is not None and id is not None and self._is_apart(pick.part, slot):
                slot = None
        if slot is None:
            slot = len(self.best)
            self.best.append(pick)
            self.scores.append(score)
            self.equal.append([])
        elif score > self.scores[slot]:
            self.best[slot], self.scores[slot] = pick, score
        self.equal[slot].append(pick)
        if id is not None:
            self._by_id.setdefault(id, slot)
        if text:
            self._by_text.setdefault(text, slot)

    def _is_apart(self, part: int, slot: int) -> bool:
        """Whether a ranking has, or will have, something of its own in a slot."""
        known = self._known[part]
        return any(p.part == part or self._ids[p.part][p.place] in known for p in self.equal[slot])
