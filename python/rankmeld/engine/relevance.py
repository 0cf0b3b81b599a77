"""Letting go of candidates that are neither close to a message nor share a word with it."""

from __future__ import annotations

from typing import Any

from rankmeld import _core
from rankmeld._options import as_number
from rankmeld.decay import finite_scores
from rankmeld.ranking import Ranking

__all__ = ["RELEVANCE_THRESHOLD", "relevance_filter"]

#: A score from which on a candidate is relevant whatever its words.
RELEVANCE_THRESHOLD = 0.7


def relevance_filter(message: str, ranking: Any, *, threshold: float = RELEVANCE_THRESHOLD) -> Ranking:
    """Keep hits with a high score, and those whose text holds a word of the message.

    Nearest neighbours are found for every message, also for one about which nothing is known. This tells
    what is close from what is merely closest: a hit stays if its score reaches the threshold, or if a
    word of the message stands in its text.

    A word counts with more than three characters. It must stand in the text as a whole word, in any case
    and however it is composed. In scripts that are written without spaces, two ideographs side by side
    count as a word, and four characters of katakana, Thai, Lao, Khmer or Burmese; hiragana does not
    count, as its long runs are endings that every sentence has.

    Parameters
    ----------
    message : str
        What was said or asked.
    ranking : ranking
        With finite scores; see `Ranking`. A hit without a document has no word.
    threshold : float, default 0.7
        The score that is enough by itself; finite.

    Returns
    -------
    Ranking
        The hits that stay, in their order, with their scores. Each can `explain` which word kept it, in
        lower case; ``None`` where the score did.

    Raises
    ------
    TypeError
        An argument is of the wrong kind.
    InvalidArgumentError
        The threshold is not finite.
    InvalidScoreError
        A score is absent or not finite; the message names the hit.

    Notes
    -----
    Linear in the length of the message and of the texts that the score alone does not keep.

    Examples
    --------
    >>> import rankmeld as rm
    >>> hits = [
    ...     ("near", 0.8, rm.Document("near", "Cold meals.")),
    ...     ("named", 0.4, rm.Document("named", "The fridge was repaired.")),
    ...     ("far", 0.4, rm.Document("far", "Fridges and freezers.")),
    ... ]
    >>> kept = rm.relevance_filter("Is the fridge working?", hits)
    >>> kept.ids
    ['near', 'named']
    >>> print(kept.explain("named"))
    'named'  0.4
      relevance_filter: position_before 1, score 0.4, threshold 0.7, word fridge
    """
    if not isinstance(message, str):
        raise TypeError(f"message must be a str, not {type(message).__name__}")
    least = as_number(threshold, "threshold")
    given = ranking if isinstance(ranking, Ranking) else Ranking(ranking)
    scores = finite_scores(given)
    values, documents = scores.tolist(), given.documents
    doubtful = [
        (place, document.text)
        for place, (score, document) in enumerate(zip(values, documents, strict=True))
        if score < least and document is not None
    ]
    shared = _core.shared_words(message, [text for _, text in doubtful])
    words = {place: word for (place, _), word in zip(doubtful, shared, strict=True) if word is not None}
    kept = [place for place, score in enumerate(values) if score >= least or place in words]
    columns = {
        "position_before": kept,
        "score": [values[place] for place in kept],
        "threshold": [least] * len(kept),
        "word": [words.get(place) for place in kept],
    }
    return given._step(kept, scores[kept], "relevance_filter", columns)
