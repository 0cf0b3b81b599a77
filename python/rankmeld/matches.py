"""Hits that the query names: a speaker, a file, a product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankmeld import _core
from rankmeld._options import TIES, choose, not_negative
from rankmeld.decay import finite_scores
from rankmeld.document import Document, Tier
from rankmeld.errors import InvalidArgumentError
from rankmeld.explanation import Columns
from rankmeld.fusion import Ties
from rankmeld.ranking import Ranking

__all__ = ["boost_matches"]

#: Fields of a document that hold words; any other name is a key of its metadata.
_TEXTS = ("title", "topic", "text")
_NAMES = ("id", "parent_id", "tier")
#: Fields that hold none.
_WORDLESS = frozenset(Document.__dataclass_fields__) - {*_TEXTS, *_NAMES}

#: What stands for a hit: a name, several, or none.
_Names = str | list[str] | None


def boost_matches(
    ranking: Any,
    query: str,
    *,
    field: str = "title",
    boost: float = 0.3,
    ties: Ties = "first",
) -> Ranking:
    """Lift the hits that the query names, and reorder.

    ``score *= 1 + boost`` where the value of the field occurs in the query as whole words, in any case: a
    speaker's name, a file's, a product's.

    Parameters
    ----------
    ranking : ranking
        With finite scores; see `Ranking`. Hits without a document, or without a value, stay as they are.
    query : str
        What was asked.
    field : str, default "title"
        ``"title"``, ``"topic"``, ``"text"``, ``"id"``, ``"parent_id"`` or ``"tier"`` of the document, or
        else a key of its metadata. A value is a str, an int, or a list of these, of which one is enough; of
        any other kind it matches nothing.
    boost : float, default 0.3
        How much is added, as a part of the score; finite, not negative. 0: nothing.
    ties : {"first", "id_asc", "id_desc"}, default "first"
        What decides between equal scores.

    Returns
    -------
    Ranking
        By descending new score. A score below zero is multiplied too, so bring scores to 0 and above
        first.

    Raises
    ------
    InvalidScoreError
        A score is absent or not finite, or a new one is not finite.
    TypeError, InvalidArgumentError
        An option is not allowed.

    Notes
    -----
    Values and query are composed (NFC) and fully case-folded. A value of several words occurs where they
    stand side by side as in the value, white space and signs included; neither of its ends may lie inside
    a word, so ``Mel`` is not in ``Melanie``, and ``main.go`` not in ``domain.go``; in scripts without
    spaces each character is a word. Linear in the query and the values together, as long as not hundreds
    of values of different lengths begin with the same word.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("t1", 0.9, rm.Document("t1", "I hiked up the hill.", metadata={"speaker": "Joanna"})),
    ...     ("t2", 0.8, rm.Document("t2", "So did I, in May.", metadata={"speaker": "Nate"})),
    ... ]
    >>> found = rm.boost_matches(hits, "When did Nate go hiking?", field="speaker")
    >>> found.ids
    ['t2', 't1']
    >>> print(found.explain("t2"))
    't2'  1.04
      boost_matches: matched Nate, factor 1.3, score_before 0.8, score 1.04
    """
    if not isinstance(query, str):
        raise TypeError(f"query must be a str, not {type(query).__name__}")
    if not isinstance(field, str):
        raise TypeError(f"field must be a str, not {type(field).__name__}")
    if field in _WORDLESS:
        allowed = ", ".join(repr(name) for name in (*_TEXTS, *_NAMES))
        raise InvalidArgumentError(
            f"field is {field!r}, which holds no words; it must be one of {allowed}, or a key of the metadata"
        )
    factor = 1.0 + not_negative(boost, "boost")
    choose(ties, TIES, "ties")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    before = finite_scores(given)
    names = _names(given._documents or [None] * len(given), field)
    boosted, matched = _core.boost_matches(before, given._ids, query, names, factor)
    order = _core.order(boosted, given._ids, None, ties)
    places, scores = order.tolist(), boosted[order]

    def columns() -> dict[str, Sequence[Any]]:
        found = [_matched(names[place], matched[place]) for place in places]
        return {
            "matched": found,
            "factor": [1.0 if name is None else factor for name in found],
            "score_before": before[order].tolist(),
            "score": scores.tolist(),
        }

    return given._step(places, scores, "boost_matches", Columns(columns))


def _names(documents: Sequence[Document | None], field: str) -> list[_Names]:
    """What stands for each hit."""
    if field == "title":  # as nearly always
        return [None if document is None else document.title for document in documents]
    if field in _TEXTS or field in _NAMES:
        values = [None if document is None else getattr(document, field) for document in documents]
    else:
        values = [None if document is None else document.metadata.get(field) for document in documents]
    return [value if type(value) is str else _read(value) for value in values]


def _read(value: Any) -> _Names:
    """A rarer value: as a name, several, or none."""
    if isinstance(value, Tier):
        return value.value
    if isinstance(value, list | tuple):
        names = [name for one in value if isinstance(name := _read(one), str)]
        return names or None
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    return None


def _matched(names: _Names, place: int | None) -> str | None:
    if place is None or names is None:
        return None
    return names if isinstance(names, str) else names[place]
