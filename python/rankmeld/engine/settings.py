"""The numbers that a retrieval engine works with."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, SupportsIndex

from rankmeld._options import as_half_life, as_integer, as_number, as_positive, not_negative
from rankmeld.engine.context import ContextAssembler
from rankmeld.engine.relevance import RELEVANCE_THRESHOLD
from rankmeld.errors import InvalidArgumentError

__all__ = ["EngineSettings", "as_timeout"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class EngineSettings:
    """How a `RetrievalEngine` weighs, filters and cuts.

    A frozen record; `dataclasses.replace` makes another one with some values changed.

    Parameters
    ----------
    candidates : int, default 20
        How many hits the memory is asked for in each hop; 1 or more.
    bm25_weight : float, default 0.3
        Weight of the BM25 score among the candidates, over its maximum; not negative.
    score_weight : float, default 0.7
        Weight of the memory's own score, which should lie within 0..1 as cosine similarities do; not
        negative.
    relevance_threshold : float, default 0.7
        The blended score from which on a candidate needs no word of the message; see `relevance_filter`.
    filter_above : int, default 5
        Only more candidates than this are filtered by relevance; fewer are all that there is.
    half_life_days : float, default 30.0
        Age at which a document counts half; above zero. `math.inf`: no decay.
    importance_weight : float, default 1.0
        Exponent of a document's importance; 0: importance does not count. See `time_decay`.
    feedback_weight : float, default 0.5
        How much a user's feedback counts, 0 to 1; 0: the store is not even asked. See `feedback_factor`.
    dedup : bool, default False
        Whether of documents with the same text only the best stays, which is the newest or the most useful of
        them; see `rankmeld.dedup`. Copies have the places of other candidates, so ask for more of these.
    mmr_lambda : float, optional
        Reorder by maximal marginal relevance, weighed 0 (diversity alone) to 1 (relevance alone); see
        `mmr`. ``None``: no reordering.
    context : ContextAssembler
        Puts what was found into a text.
    timeout : float, optional
        Seconds that the memory, the model, the reasoner and the feedback store may each take whenever
        they are asked; above 0. ``None``: as long as it takes.

    Raises
    ------
    TypeError, InvalidArgumentError
        A value is of the wrong kind or not allowed.

    Examples
    --------
    >>> import rankmeld as rm
    >>> settings = rm.EngineSettings(candidates=50, mmr_lambda=0.7)
    >>> settings.half_life_days
    30.0
    """

    candidates: int = 20
    bm25_weight: float = 0.3
    score_weight: float = 0.7
    relevance_threshold: float = RELEVANCE_THRESHOLD
    filter_above: int = 5
    half_life_days: float = 30.0
    importance_weight: float = 1.0
    feedback_weight: float = 0.5
    dedup: bool = False
    mmr_lambda: float | None = None
    context: ContextAssembler = ContextAssembler()  # noqa: RUF009 - it cannot be changed
    timeout: float | None = None

    def __post_init__(self) -> None:
        """Check each value, and keep it as a plain number."""
        checked: dict[str, Any] = {
            "candidates": as_positive(self.candidates, "candidates"),
            "bm25_weight": not_negative(self.bm25_weight, "bm25_weight"),
            "score_weight": not_negative(self.score_weight, "score_weight"),
            "relevance_threshold": as_number(self.relevance_threshold, "relevance_threshold"),
            "filter_above": _as_count(self.filter_above),
            "half_life_days": as_half_life(self.half_life_days),
            "importance_weight": not_negative(self.importance_weight, "importance_weight"),
            "feedback_weight": _as_share(self.feedback_weight, "feedback_weight"),
            "mmr_lambda": None if self.mmr_lambda is None else _as_share(self.mmr_lambda, "mmr_lambda"),
            "timeout": as_timeout(self.timeout),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if not isinstance(self.dedup, bool):
            raise TypeError(f"dedup must be True or False, not {type(self.dedup).__name__}")
        if not isinstance(self.context, ContextAssembler):
            raise TypeError(f"context must be a ContextAssembler, not {type(self.context).__name__}")

    def __repr__(self) -> str:
        """The values that differ from their defaults."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        shown = (f"{field.name}={value!r}" for field, value in values if repr(value) != repr(field.default))
        return f"EngineSettings({', '.join(shown)})"


def as_timeout(timeout: float | None) -> float | None:
    """Seconds above 0, or no limit."""
    if timeout is None:
        return None
    seconds = as_number(timeout, "timeout")
    if seconds <= 0.0:
        raise InvalidArgumentError(f"timeout is {seconds} s; it must be above 0, or None for no limit")
    return seconds


def _as_count(value: SupportsIndex) -> int:
    count = as_integer(value, "filter_above")
    if count < 0:
        raise InvalidArgumentError(f"filter_above is {count}; it must be 0 or more")
    return count


def _as_share(value: float, name: str) -> float:
    share = as_number(value, name)
    if not 0.0 <= share <= 1.0:
        raise InvalidArgumentError(f"{name} is {share}; it must be within 0..1")
    return share
