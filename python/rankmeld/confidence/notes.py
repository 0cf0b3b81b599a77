"""Chain of note: of each passage the sentence that answers, before the passages are read."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

from rankmeld import _core
from rankmeld.document import Document
from rankmeld.ranking import Ranking

__all__ = ["ANSWER_BEARING_FROM", "ChainOfNote", "PassageNote", "chain_of_note"]

#: From this relevance on a sentence is taken to bear an answer: half of what the query asks for.
ANSWER_BEARING_FROM = 0.5


class PassageNote(NamedTuple):
    """What one passage says about a query.

    Attributes
    ----------
    id : Hashable
        The hit's id.
    sentence : str
        The sentence that answers best, as it stands in the passage; empty where there is none.
    relevance : float
        Its `lexical_maxsim` with the query, within 0..1.
    answer_bearing : bool
        Whether the relevance is 0.5 or more.
    """

    id: Hashable
    sentence: str
    relevance: float
    answer_bearing: bool


@dataclass(frozen=True, slots=True)
class ChainOfNote:
    """What `chain_of_note` found.

    Attributes
    ----------
    notes : tuple of PassageNote
        One for each hit, in the order of the ranking given; none for a query without tokens.
    ranking : Ranking
        The same hits by descending relevance, with the scores they had.
    """

    notes: tuple[PassageNote, ...]
    ranking: Ranking


def chain_of_note(query: str, ranking: Any) -> ChainOfNote:
    """Note of each passage the sentence that answers a query best, and order by that.

    The sentence is the one with the highest `lexical_maxsim`, the first of equal ones. Title and
    topic are sentences of their own; the text is cut by `rankmeld.text.sentences`.

    Parameters
    ----------
    query : str
        The question.
    ranking : ranking
        See `Ranking`. Scores may be absent; a hit without a document has nothing to note.

    Returns
    -------
    ChainOfNote
        The notes, and the hits by descending relevance; of equal ones the first. A query without
        tokens gives no notes and leaves the order as it is.

    Raises
    ------
    TypeError
        `query` is no `str`, or `ranking` no ranking.

    Notes
    -----
    Linear in the text, but for the tokens, as in `lexical_maxsim_many`, which scores all sentences
    of all passages in one go. A relevance says how much of the query is spelled in a sentence, not
    how good a hit is: hits keep their scores, and the ranking enters a fusion by position (`rrf`).

    Wenhao Yu, Hongming Zhang, Xiaoman Pan, Kaixin Ma, Hongwei Wang and Dong Yu, Chain-of-Note:
    enhancing robustness in retrieval-augmented language models, 2023; there a model writes the
    notes, here they are quoted.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("b", 0.9, rm.Document("b", "Garden notes. The river is wide.")),
    ...     ("a", 0.5, rm.Document("a", "Open main.go first. The index was rebuilt today!")),
    ... ]
    >>> found = rm.chain_of_note("index rebuilt", hits)
    >>> found.notes[1]
    PassageNote(id='a', sentence='The index was rebuilt today!', relevance=1.0, answer_bearing=True)
    >>> found.ranking.ids
    ['a', 'b']
    """
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    documents = [_NOTHING if document is None else document for document in given.documents]
    found = _core.notes(
        query,
        [document.title for document in documents],
        [document.topic for document in documents],
        [document.text for document in documents],
    )
    if found is None:
        return ChainOfNote((), given)
    sentences, relevance = found
    bearing = (relevance >= ANSWER_BEARING_FROM).tolist()
    rows = zip(given.ids, sentences, relevance.tolist(), bearing, strict=True)
    notes = tuple(map(PassageNote._make, rows))
    order = _core.order(relevance, given._ids, None, "first").tolist()
    columns = {
        "position_before": order,
        "sentence": [sentences[place] for place in order],
        "relevance": relevance[order].tolist(),
        "answer_bearing": [bearing[place] for place in order],
    }
    scores = None if given.scores is None else given.scores[order]
    return ChainOfNote(notes, given._step(order, scores, "chain_of_note", columns))


#: In place of a document that is not there.
_NOTHING = Document("")
