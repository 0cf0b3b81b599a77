"""What users said of documents: useful or harmful, summed per document and user."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple, Protocol, SupportsIndex, runtime_checkable

from rankmeld._options import as_integer, as_number
from rankmeld.errors import InvalidArgumentError

__all__ = ["FEEDBACK_CAP", "Feedback", "FeedbackStore", "feedback_factor"]

#: Beyond so many more marks of one kind than of the other, further ones change no rank.
FEEDBACK_CAP = 5


def feedback_factor(net: SupportsIndex, *, weight: float = 0.5) -> float:
    """By what the score of a document is multiplied for what a user said of it.

    ``1 + weight * clamp(net, -5, 5) / 5``: so a useful document never falls, a harmful one never rises,
    and no number of marks outweighs relevance without end.

    Parameters
    ----------
    net : int
        How many more times the document was called useful than harmful.
    weight : float, default 0.5
        How much feedback counts, 0 to 1. With 0 the factor is exactly 1.

    Returns
    -------
    float
        ``1 - weight`` to ``1 + weight``; 1 without feedback.

    Raises
    ------
    TypeError, InvalidArgumentError
        `net` is no integer, or `weight` is not in 0..1.

    Examples
    --------
    >>> [feedback_factor(net) for net in (-9, 0, 1, 5)]
    [0.5, 1.0, 1.1, 1.5]
    """
    share = as_number(weight, "weight")
    if not 0.0 <= share <= 1.0:
        raise InvalidArgumentError(f"weight is {share}; it must be in 0..1, 0 for no feedback")
    capped = min(max(as_integer(net, "net"), -FEEDBACK_CAP), FEEDBACK_CAP)
    return 1.0 + share * (capped / FEEDBACK_CAP)


class Feedback(NamedTuple):
    """What one user said of one document, summed.

    Attributes
    ----------
    id : Hashable
        The document's id.
    user_id : str or None
        The user; ``None`` is nobody in particular.
    net : int
        How many more times it was called useful than harmful; never 0 in a store.
    """

    id: Hashable
    user_id: str | None
    net: int


@runtime_checkable
class FeedbackStore(Protocol):
    """Remembers what users said of documents."""

    def add(
        self,
        useful_ids: Iterable[Hashable] = (),
        harmful_ids: Iterable[Hashable] = (),
        *,
        user_id: str | None,
    ) -> None:
        """Count 1 for each useful id and -1 for each harmful one; all of them or, on an error, none."""

    def net(self, ids: Iterable[Hashable], *, user_id: str | None) -> Mapping[Hashable, int]:
        """The sums of these documents; those without feedback may be left out."""
