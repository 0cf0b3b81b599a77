"""Scores of different signals on one scale, so that an agent can look at them side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from rankmeld._options import require_order
from rankmeld._scores import as_score
from rankmeld.errors import InvalidScoreError

__all__ = ["SignalScore", "normalize_signals"]

#: Signals whose scores are shares already, but for rounding and bonuses.
_WITHIN_ONE = frozenset({"dense", "maxsim", "ppr", "summary"})
_SIGNALS = ("lexical", *sorted(_WITHIN_ONE))


@dataclass(frozen=True, slots=True)
class SignalScore:
    """What one signal says of one thing.

    Parameters
    ----------
    signal : str
        ``"lexical"`` (BM25 and its like), ``"dense"`` (cosine), ``"maxsim"`` (late interaction),
        ``"ppr"`` (PageRank) or ``"summary"``.
    raw : float or None
        The score as the signal gave it; `normalize_signals` refuses ``None``.
    source_kind : str, default ""
        What it is a score of, such as ``"chunk"`` or ``"node"``.
    handle : str, default ""
        Which of them.
    normalized : float or None, default None
        Within 0..1, as `normalize_signals` sets it.
    """

    signal: str
    raw: float | None
    source_kind: str = ""
    handle: str = ""
    normalized: float | None = None


def normalize_signals(scores: Iterable[SignalScore]) -> list[SignalScore]:
    """Bring the scores of several signals to 0..1, and order them.

    ``"lexical"`` scores have no upper end and become ``x / (1 + x)``; those of ``"dense"``,
    ``"maxsim"``, ``"ppr"`` and ``"summary"`` become ``min(x, 1)``.

    Parameters
    ----------
    scores : iterable of SignalScore
        With raw scores that are finite and not negative.

    Returns
    -------
    list of SignalScore
        The same with `SignalScore.normalized`, by descending normalized score, then by source kind,
        then by handle, then as they came.

    Raises
    ------
    InvalidScoreError
        A raw score is absent, negative or not finite, or its signal is unknown; the message names
        the index.
    TypeError
        `scores` holds something else.

    Notes
    -----
    O(N log N). ``x / (1 + x)`` is that of exact arithmetic, rounded once, so that a larger score
    never has a smaller share.

    Examples
    --------
    >>> import rankmeld as rm
    >>> scores = [rm.SignalScore("dense", 0.71, "chunk", "a"), rm.SignalScore("lexical", 4.0, "chunk", "b")]
    >>> [(score.handle, score.normalized) for score in rm.normalize_signals(scores)]
    [('b', 0.8), ('a', 0.71)]
    """
    if isinstance(scores, SignalScore):
        raise TypeError("scores must be a list of SignalScore, not one alone; write [score]")
    require_order(scores, "scores", "SignalScore")
    if not isinstance(scores, Iterable):
        raise TypeError(f"scores must be a list of SignalScore, not {type(scores).__name__}")
    normalized = [replace(score, normalized=_normalized(score, index)) for index, score in enumerate(scores)]
    return sorted(normalized, key=_order)


def _order(score: SignalScore) -> tuple[float, str, str]:
    return -(score.normalized or 0.0), score.source_kind, score.handle


def _normalized(score: SignalScore, index: int) -> float:
    if not isinstance(score, SignalScore):
        raise TypeError(f"scores[{index}] must be a SignalScore, not {type(score).__name__}")
    signal: object = score.signal
    if not isinstance(signal, str) or signal not in _SIGNALS:
        words = ", ".join(repr(word) for word in _SIGNALS)
        raise InvalidScoreError(f"scores[{index}] has the signal {signal!r}; it must be one of {words}")
    for name in ("source_kind", "handle"):
        value = getattr(score, name)
        if not isinstance(value, str):
            raise TypeError(f"scores[{index}].{name} must be a str, not {type(value).__name__}")
    raw = _as_raw(score.raw, index)
    if score.signal in _WITHIN_ONE:
        return min(raw, 1.0)
    numerator, denominator = raw.as_integer_ratio()
    return numerator / (numerator + denominator)


def _as_raw(raw: float | None, index: int) -> float:
    if raw is None:
        raise InvalidScoreError(f"scores[{index}] has no raw score (None); every signal needs one")
    number = as_score(raw, f"scores[{index}].raw")
    if not 0.0 <= number < math.inf:
        raise InvalidScoreError(f"scores[{index}].raw is {number}; it must be finite and not negative")
    return number + 0.0  # takes the sign from a zero
